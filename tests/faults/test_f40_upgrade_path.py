"""F40: the stored library of every release, a thousand scenarios each, goes up, down and up without a difference."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from planner.store.tables import SCHEMA_VERSION
from tests.faults.newer import LATER, Newer
from tests.faults.support import REPOSITORY, assert_sound, planner, query, says_nothing
from tests.faults.test_f03_kill_while_migrating import TABLES, version_of
from tests.store.populate import unpack, versions


def content(path: Path) -> dict[str, list[tuple[Any, ...]]]:
    """Every row that holds a person's work, but for what the later version added."""
    found = {}
    for table in TABLES:
        names = [row[1] for row in query(path, f"PRAGMA table_info({table})") if row[1] != "later"]
        found[table] = query(path, f"SELECT {', '.join(names)} FROM {table} ORDER BY 1, 2")  # noqa: S608 - our names
    return found


def alembic(tree: Path, path: Path, *arguments: str) -> str:
    done = subprocess.run(
        [sys.executable, "-P", "-m", "alembic", "-c", "pyproject.toml", "-x", f"url=sqlite:///{path}", *arguments],
        cwd=tree,
        env={**os.environ, "PYTHONPATH": str(tree)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout + done.stderr


@pytest.mark.parametrize("version", versions())
def test_f40_up_down_and_up(tmp_path: Path, newer: Newer, version: int) -> None:
    path = tmp_path / "plan.db"
    unpack(version, path)
    if version < SCHEMA_VERSION:
        assert planner("db", "upgrade", "--db", path).code == 0
    before = content(path)
    assert len(before["scenario"]) >= 1000
    assert newer("db", "upgrade", "--db", path).code == 0
    assert version_of(path) == LATER
    assert content(path) == before
    assert_sound(path)
    alembic(newer.tree, path, "downgrade", f"{SCHEMA_VERSION:04d}")
    assert version_of(path) == SCHEMA_VERSION
    assert content(path) == before
    says_nothing(planner("list", "--db", path))
    assert newer("db", "upgrade", "--db", path).code == 0
    assert content(path) == before
    assert_sound(path)


def test_f40_the_tables_are_those_that_the_program_declares(database: Path) -> None:
    assert "No new upgrade operations detected" in alembic(REPOSITORY, database, "check")
