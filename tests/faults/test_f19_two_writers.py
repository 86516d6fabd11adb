"""F19: two programs write to one file at the same time; no update is lost, and nobody sees a lock."""

from __future__ import annotations

from pathlib import Path

import pytest

from planner.store import open_library
from tests.faults import children
from tests.faults.support import Child, Ended, assert_sound, lines_of, revisions

TIMES = 200


@pytest.mark.parametrize(
    "targets",
    [
        [("Toy 7B", "prompt_tokens"), ("70B fp8, 1 x H200", "prompt_tokens")],
        [("Toy 7B", "prompt_tokens"), ("Toy 7B", "output_tokens")],
    ],
    ids=["two scenarios", "two fields of one"],
)
def test_f19_two_hundred_edits_each(database: Path, tmp_path: Path, targets: list[tuple[str, str]]) -> None:
    noted = revisions(database)
    acknowledgements = [tmp_path / f"acks-{number}" for number in range(2)]
    running = [
        Child(tmp_path, children.edit_times, str(database), str(acks), scenario, name, TIMES)
        for acks, (scenario, name) in zip(acknowledgements, targets, strict=True)
    ]
    assert [child.wait() for child in running] == [Ended(0, "", "")] * 2
    assert [len(lines_of(acks)) for acks in acknowledgements] == [TIMES, TIMES]
    assert revisions(database) - noted == 2 * TIMES
    with open_library(database) as library:
        for scenario, name in targets:
            stored = library.find(scenario)
            assert stored.scenario.values[name] == 100 + TIMES
            seen = [
                revision.after[stored.id][name]
                for revision in reversed(library.history(stored.id))
                if name in revision.after.get(stored.id, {}) and revision.action == "edit"
            ]
            assert seen[-TIMES:] == list(range(101, 101 + TIMES))
    assert_sound(database)


def test_f19_five_first_starts_at_once(tmp_path: Path) -> None:
    """One of them makes the library and says so; the others find it made."""
    path = tmp_path / "new.db"
    running = [Child(tmp_path, children.command, "list", "--db", str(path)) for _ in range(5)]
    ended = [child.wait() for child in running]
    assert [one.code for one in ended] == [0] * 5
    assert sorted(one.err for one in ended) == ["", "", "", "", f"Made {path} with the example workspace.\n"]
    assert len({one.out for one in ended}) == 1
    assert [one.name for one in tmp_path.iterdir() if "new.db" in one.name] == ["new.db"]
    assert_sound(path)
