"""F18: the note of the tables' version is missing, doubled, unknown or contradicts the header; nothing is guessed."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.faults.support import execute, planner, query, says, untouched

CASES = {
    "unknown": (["UPDATE alembic_version SET version_num = 'f00d'"], "unknown version of the tables ('f00d')"),
    "two": (["INSERT INTO alembic_version VALUES ('0002')"], "2 versions of the tables at once"),
    "none": (["DELETE FROM alembic_version"], "does not say which version"),
    "no table": (["DROP TABLE alembic_version"], "does not say which version"),
    "zero": (["UPDATE alembic_version SET version_num = '0000'"], "unknown version"),
    "header": (["PRAGMA user_version=0"], "contradicts itself"),
    "hostile": (["UPDATE alembic_version SET version_num = char(27) || ']0;x' || char(7)"], "unknown version"),
}


@pytest.mark.parametrize("case", CASES)
def test_f18_each_has_a_sentence_of_its_own(database: Path, case: str) -> None:
    statements, words = CASES[case]
    execute(database, *statements)
    with untouched(database):
        says(planner("list", "--db", database), 65, words, "left as it is")
    tables = query(database, "SELECT name FROM sqlite_master WHERE name = 'alembic_version'")
    assert bool(tables) == (case != "no table")


def test_f18_the_sentences_differ() -> None:
    assert len({words for _, words in CASES.values()}) == 5
