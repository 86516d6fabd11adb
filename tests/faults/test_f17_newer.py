"""F17: a newer version of the program has changed the tables; this one says which it would take, and writes nothing."""

from __future__ import annotations

from pathlib import Path

import planner as package
from planner.store.tables import SCHEMA_VERSION
from tests.faults.support import execute, planner, says, untouched

NEWER = SCHEMA_VERSION + 1


def test_f17_both_versions_are_named_and_nothing_is_written(database: Path) -> None:
    execute(
        database,
        f"UPDATE alembic_version SET version_num = '{NEWER:04d}'",  # noqa: S608 - a number
        f"PRAGMA user_version={NEWER}",
        "DELETE FROM setting WHERE name = 'min_app_version'",
    )
    with untouched(database):
        sentence = says(planner("set", "Toy 7B", "prompt_tokens=7", "--db", database), 65, str(database))
    assert f"version {NEWER} of the tables" in sentence
    assert f"({package.__version__}) knows version {SCHEMA_VERSION}" in sentence
    assert "a newer version of the planner" in sentence


def test_f17_the_program_that_is_needed_is_named(database: Path) -> None:
    execute(
        database,
        "UPDATE alembic_version SET version_num = 'f00d'",
        f"PRAGMA user_version={NEWER}",
        "INSERT OR REPLACE INTO setting (name, owner, value) VALUES ('min_app_version', '', '9.9')",
    )
    with untouched(database):
        says(planner("list", "--db", database), 65, "version 9.9 or newer of the planner", str(NEWER))
