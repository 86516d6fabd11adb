"""F38: the process may have sixteen files open, or hardly any; what does not work ends in a sentence."""

from __future__ import annotations

import resource
from pathlib import Path

import pytest

from tests.faults.support import assert_sound, planner, query


@pytest.mark.parametrize("number", [16, 12, 9, 8, 7, 6, 5])
@pytest.mark.parametrize(
    "command", [("list",), ("set", "Toy 7B", "prompt_tokens=4001"), ("db", "backup"), ("export", "plan.csv")]
)
def test_f38_few_files(database: Path, monkeypatch: pytest.MonkeyPatch, command: tuple[str, ...], number: int) -> None:
    monkeypatch.chdir(database.parent)
    ended = planner(*command, "--db", database, limits={resource.RLIMIT_NOFILE: number})
    assert "Traceback" not in ended.err
    if ended.code != 0:
        assert ended.code in (66, 70, 73, 74), ended.err
        assert ended.err.strip().endswith(".")
        assert len(ended.err.strip().splitlines()) == 1
        assert "damaged" not in ended.err
    elif command[0] == "set":
        assert query(database, "SELECT prompt_tokens FROM scenario WHERE name = 'Toy 7B'") == [(4001,)]
    if number == 16:
        assert ended.code == 0, ended.err
    assert_sound(database)
    assert not list(database.parent.glob("**/.*.part"))
    assert not list(database.parent.glob("**/.*.tmp"))
