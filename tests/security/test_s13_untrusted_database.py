"""S13: a database file of a stranger: it can hold anything, and the program can only show it or refuse it."""

from __future__ import annotations

import resource
import sqlite3
from pathlib import Path

import pytest

from planner.store import StoreError, open_library
from planner.store.engines import connect_sqlite
from tests.faults.support import execute, planner, query, says, says_nothing, untouched


@pytest.mark.parametrize(
    ("statement", "kind"),
    [
        ("CREATE TRIGGER t AFTER INSERT ON revision BEGIN DELETE FROM scenario; END", "trigger"),
        ("CREATE TRIGGER t AFTER UPDATE ON scenario BEGIN SELECT load_extension('x'); END", "trigger"),
        ("CREATE VIEW v AS SELECT * FROM scenario", "view"),
        ("CREATE VIEW v AS SELECT writefile('x', 'x')", "view"),
    ],
)
def test_s13_triggers_and_views_are_refused(database: Path, statement: str, kind: str) -> None:
    execute(database, statement)
    with untouched(database):
        says(planner("list", "--db", database), 65, f"holds a {kind} that the planner did not make")
        says(planner("set", "Toy 7B", "prompt_tokens=7", "--db", database), 65, kind)


def test_s13_connections_trust_nothing(database: Path) -> None:
    connection = connect_sqlite(database, "rw")
    try:
        assert connection.execute("PRAGMA trusted_schema").fetchone() == (0,)
        assert connection.execute("PRAGMA cell_size_check").fetchone() == (1,)
        with pytest.raises(sqlite3.Error, match=r"too many attached|SQLITE_LIMIT|attach"):
            connection.execute("ATTACH DATABASE ':memory:' AS other")
        with pytest.raises(sqlite3.Error, match=r"not authorized|no such function"):
            connection.execute("SELECT load_extension('x')").fetchone()
    finally:
        connection.close()


def test_s13_a_table_in_the_place_of_a_table(database: Path) -> None:
    """A table of ours with other columns, a virtual one, and one more than there should be."""
    execute(database, "ALTER TABLE snapshot RENAME TO other", "CREATE VIRTUAL TABLE snapshot USING fts5(content)")
    ended = planner("snapshot", "--db", database)
    assert ended.code in (1, 65), ended.err
    assert "Traceback" not in ended.err
    execute(database, "DROP TABLE snapshot", "ALTER TABLE other RENAME TO snapshot", "CREATE TABLE more (x)")
    says_nothing(planner("list", "--db", database))


def test_s13_generated_columns_and_checks_run_no_code(database: Path) -> None:
    execute(database, "ALTER TABLE scenario ADD COLUMN evil TEXT AS (hex(zeroblob(99999999))) VIRTUAL")
    assert planner("list", "--db", database).code in (0, 65)
    assert planner("set", "Toy 7B", "prompt_tokens=4001", "--db", database).code in (0, 65)


def test_s13_a_huge_value_is_not_loaded(database: Path) -> None:
    execute(database, "UPDATE scenario SET notes = CAST(zeroblob(300000000) AS TEXT) WHERE name = 'Toy 7B'")
    ended = planner("list", "--db", database, limits={resource.RLIMIT_AS: 900 * 2**20})
    assert ended.code in (0, 65, 70), ended.err
    assert "Traceback" not in ended.err
    if ended.code:
        assert ended.err.strip().isprintable()


@pytest.mark.parametrize("value", ["'text'", "x'00ff'", "NULL", "1e999", "-1", "9223372036854775807", "0.5", "''"])
def test_s13_any_value_in_any_column(database: Path, value: str) -> None:
    """Whatever is out of its field's bounds is named and not computed with."""
    execute(database, "PRAGMA ignore_check_constraints=ON")
    columns = [
        row[1] for row in query(database, "PRAGMA table_info(scenario)") if row[1] not in ("id", "uid", "workspace_id")
    ]
    for column in columns:
        raw = sqlite3.connect(database, isolation_level=None)
        raw.execute("PRAGMA ignore_check_constraints=ON")
        raw.execute("BEGIN")
        try:
            raw.execute(f"UPDATE scenario SET {column} = {value} WHERE id = 1")  # noqa: S608 - our own names
            raw.execute("COMMIT")
        except sqlite3.Error:
            raw.execute("ROLLBACK")
            raw.close()
            continue
        raw.close()
        try:
            with open_library(database) as library:
                for one in library.scenarios():
                    assert one.name.isprintable()
                    for name in one.damaged:
                        assert one.damaged[name].isprintable()
        except StoreError as error:
            assert str(error).endswith(".")  # noqa: PT017 - most values are read
    assert "Traceback" not in planner("list", "--db", database).err


def test_s13_bytes_that_are_no_text(database: Path) -> None:
    execute(
        database,
        "UPDATE scenario SET notes = CAST(x'ff41fe1b5d303b07' AS TEXT), name = CAST(x'41ff42' AS TEXT) WHERE id = 1",
    )
    ended = planner("list", "--db", database)
    assert ended.code == 0, ended.err
    assert "\x1b" not in ended.out
    assert "A\ufffdB" in ended.out
