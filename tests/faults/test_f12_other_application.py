"""F12: a SQLite database of another application, or one that only claims to be ours."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from planner.store.tables import APPLICATION_ID
from tests.faults.support import planner, says, untouched


@pytest.mark.parametrize(
    ("statements", "what"),
    [
        (["CREATE TABLE books (id INTEGER PRIMARY KEY)"], "another application"),
        (["CREATE TABLE scenario (id INTEGER PRIMARY KEY)", "PRAGMA application_id=1"], "another application"),
        ([f"PRAGMA application_id={APPLICATION_ID}", "CREATE TABLE books (id INTEGER)"], "which version"),
        (
            [
                f"PRAGMA application_id={APPLICATION_ID}",
                "CREATE TABLE alembic_version (version_num TEXT)",
                "INSERT INTO alembic_version VALUES ('0001')",
                "PRAGMA user_version=1",
            ],
            "lacks the table catalogue_entry",
        ),
    ],
    ids=["no id", "another id", "our id alone", "our version, no tables"],
)
@pytest.mark.parametrize("mode", ["delete", "wal"])
def test_f12_it_is_refused_and_left_alone(tmp_path: Path, statements: list[str], what: str, mode: str) -> None:
    path = tmp_path / "x.db"
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute(f"PRAGMA journal_mode={mode}")
        for statement in statements:
            connection.execute(statement)
    with untouched(path):
        says(planner("set", "Toy 7B", "prompt_tokens=7", "--db", path), 65, str(path), what)
