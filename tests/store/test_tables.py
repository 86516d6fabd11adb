"""The tables, the inputs they store and the migrations that make them: one definition, held together."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest
from alembic import command
from sqlalchemy import CheckConstraint, Engine, inspect
from sqlalchemy.exc import IntegrityError

from planner.model.facts import FACT_FIELDS
from planner.model.inputs import INPUTS
from planner.model.lookup import ALIASES
from planner.store.documents import OWN
from planner.store.engines import sqlite_engine, writing
from planner.store.inspection import TABLES
from planner.store.migrating import configuration, migrate
from planner.store.tables import APPLICATION_ID, SCENARIO_TABLE, SCHEMA_VERSION, Base, column_check


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    made = sqlite_engine(tmp_path / "tables.db", "rwc")
    assert migrate(made)
    yield made
    made.dispose()


def test_every_input_has_a_column_and_a_check(engine: Engine) -> None:
    columns = {column["name"]: column for column in inspect(engine).get_columns("scenario")}
    checks = {check["name"]: check["sqltext"] for check in inspect(engine).get_check_constraints("scenario")}
    for name, field in INPUTS.items():
        assert columns[name]["nullable"] == field.optional, name
        assert checks.get(f"ck_scenario_{name}") == column_check(field), name
    own = {"id", "uid", "workspace_id", "version", "name_key", "overrides", "created_at", "modified_at"}
    assert columns.keys() - INPUTS.keys() - set(OWN) == own


def test_names_of_inputs_facts_and_own_columns_do_not_meet() -> None:
    own = {column.name for column in SCENARIO_TABLE.columns} - INPUTS.keys()
    assert own.isdisjoint(INPUTS.keys() | FACT_FIELDS.keys())
    assert INPUTS.keys().isdisjoint(FACT_FIELDS)
    assert ALIASES.keys().isdisjoint(INPUTS.keys() | FACT_FIELDS.keys() | own)


def test_the_migrations_make_the_tables_of_the_program(engine: Engine) -> None:
    assert set(inspect(engine).get_table_names()) == {*TABLES, "alembic_version"}
    assert {table.name for table in Base.metadata.tables.values()} == TABLES
    with engine.connect() as connection:
        command.check(configuration(connection))


def test_indexes_and_constraints_are_the_same_too(engine: Engine) -> None:
    for table in Base.metadata.sorted_tables:
        made = inspect(engine)
        assert {index["name"] for index in made.get_indexes(table.name)} == {index.name for index in table.indexes}
        wanted = {str(check.name) for check in table.constraints if isinstance(check, CheckConstraint)}
        assert {check["name"] for check in made.get_check_constraints(table.name)} == wanted


def test_sqlite_header_says_whose_and_which(engine: Engine, tmp_path: Path) -> None:
    engine.dispose()
    connection = sqlite3.connect(tmp_path / "tables.db")
    assert connection.execute("PRAGMA application_id").fetchone() == (APPLICATION_ID,)
    assert connection.execute("PRAGMA user_version").fetchone() == (SCHEMA_VERSION,)
    connection.close()


def test_down_and_up_again(engine: Engine) -> None:
    assert migrate(engine, "base", down=True)
    assert inspect(engine).get_table_names() == ["alembic_version"]
    assert migrate(engine)
    assert not migrate(engine)


@pytest.mark.parametrize("name", [name for name, field in INPUTS.items() if column_check(field)])
def test_the_database_itself_refuses_what_is_out_of_bounds(engine: Engine, name: str) -> None:
    field = INPUTS[name]
    bad = {
        "choice": ["'other'", "''", "7"],
        "switch": ["2", "'yes'"],
        "name": ["''", f"'{'x' * 201}'"],
    }.get(field.kind) or [
        repr((field.low or 0) - 1),
        repr((field.high or 0) * 1.01 + 1),
        "9e999",
        "-9e999",
        "'text'",
        "x'00'",
        *([repr(field.low)] if field.above_low else []),
    ]
    with engine.connect() as connection:
        connection.exec_driver_sql(f"CREATE TEMP TABLE probe (v, {name}, CHECK ({column_check(field)}))")
        for value in bad:
            with pytest.raises(IntegrityError):
                connection.exec_driver_sql(f"INSERT INTO probe ({name}) VALUES ({value})")  # noqa: S608 - ours
        connection.exec_driver_sql(f"INSERT INTO probe ({name}) VALUES (NULL)")  # noqa: S608 - ours


def test_a_migration_that_fails_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PLANNER_FAILPOINT", "migrate-step=raise")
    engine = sqlite_engine(tmp_path / "half.db", "rwc")
    with pytest.raises(OSError, match="failpoint"):
        migrate(engine)
    assert inspect(engine).get_table_names() == []
    monkeypatch.delenv("PLANNER_FAILPOINT")
    assert migrate(engine)
    engine.dispose()


def test_migrations_are_found_from_any_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    engine = sqlite_engine(tmp_path / "elsewhere.db", "rwc")
    assert migrate(engine)
    with writing(engine).begin() as connection:
        assert connection.exec_driver_sql("SELECT value FROM setting").fetchall() == [("0.1.0",)]
    engine.dispose()
