"""F37: the process may have 300 MB of memory; what does not fit ends in a sentence, and the library is sound."""

from __future__ import annotations

import resource
from pathlib import Path

import pytest

from planner.model.inputs import default_values
from planner.model.scenario import Scenario
from planner.store import open_library
from tests.faults import children
from tests.faults.support import Child, assert_sound, lines_of, planner, query

LIMIT = 300 * 2**20


@pytest.mark.parametrize("command", [("list",), ("set", "Toy 7B", "prompt_tokens=4001"), ("history",)])
def test_f37_three_hundred_megabytes_are_enough(database: Path, command: tuple[str, ...]) -> None:
    ended = planner(*command, "--db", database, limits={resource.RLIMIT_AS: LIMIT})
    assert ended.code == 0, ended.err
    assert_sound(database)


@pytest.fixture(scope="module")
def heavy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A library with 400 scenarios of 15,000 characters of notes."""
    path = tmp_path_factory.mktemp("heavy") / "plan.db"
    with open_library(path) as library:
        notes = "x" * 15_000
        library.create_many([Scenario(f"n{number}", default_values(), {}, notes) for number in range(400)])
    return path


def test_f37_too_little_ends_in_a_sentence(heavy: Path, tmp_path: Path) -> None:
    acknowledgements = tmp_path / "acks"
    Child(tmp_path, children.tell_size, str(acknowledgements)).wait()
    loaded = int(lines_of(acknowledgements)[0])
    before = query(heavy, "SELECT count(*), sum(length(notes)) FROM scenario")
    codes = []
    for megabytes in (1, 3, 6, 10, 16):
        # What the process has when it starts, and a little more.
        limits = {resource.RLIMIT_AS: loaded + megabytes * 2**20}
        for command in (("list",), ("set", "n7", "prompt_tokens=1")):
            ended = planner(*command, "--db", heavy, limits=limits)
            codes.append(ended.code)
            assert "Traceback" not in ended.err
            if ended.code:
                assert ended.code == 70, ended.err
                # What cannot be loaded at all is called an error inside.
                assert "memory" in ended.err or "ImportError" in ended.err
    print(codes)
    assert 70 in codes
    assert query(heavy, "SELECT count(*), sum(length(notes)) FROM scenario") == before
    assert_sound(heavy)
