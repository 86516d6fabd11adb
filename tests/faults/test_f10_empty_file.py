"""F10: an empty file is no planner database, and is not made one."""

from __future__ import annotations

from pathlib import Path

from tests.faults.support import planner, says, untouched


def test_f10_an_empty_file_is_refused_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "x.db"
    path.touch()
    with untouched(path):
        says(planner("list", "--db", path), 65, str(path), "empty file, not a planner database")
        says(planner("new", "one", "--db", path), 65, str(path), "empty file, not a planner database")
    assert path.stat().st_size == 0
