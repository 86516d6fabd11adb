"""Migrations, on populated libraries of every schema version so far, and on a later one that only the tests know."""

from __future__ import annotations

import contextlib
import importlib
import os
import pkgutil
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from alembic.config import Config
from pytest_alembic.tests import (  # noqa: F401 - collected here
    test_model_definitions_match_ddl,
    test_single_head_revision,
    test_up_down_consistency,
    test_upgrade,
)
from pytest_alembic.tests.experimental import test_downgrade_leaves_no_trace  # noqa: F401 - collected here
from pytest_alembic.tests.experimental.all_models_register_on_metadata import get_bare_import_tableset
from sqlalchemy import Connection, Engine

import migrations
import planner.store
from planner.store import (
    BusyError,
    Change,
    StoreError,
    database,
    inspection,
    maintenance,
    migrating,
    open_library,
    opening,
    upgrading,
)
from planner.store.backup import list_backups, verify
from planner.store.database import now
from planner.store.engines import postgres_engine, sqlite_engine
from planner.store.location import locate
from planner.store.tables import SCHEMA_VERSION, Base
from tests.store.populate import fixture_of, unpack, versions
from tests.store.postgres import Server

LATER = 2


@pytest.fixture
def alembic_config() -> dict[str, Any]:
    return {"script_location": str(Path(migrations.__file__).parent), "path_separator": "os"}


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def alembic_engine(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Engine]:
    if request.param == "sqlite":
        engine = sqlite_engine(tmp_path / "alembic.db", "rwc")
    else:
        server: Server = request.getfixturevalue("server")
        url = locate(server.url(server.new_database())).url
        assert url is not None
        engine = postgres_engine(url)
    yield engine
    engine.dispose()


def test_all_models_register_on_metadata(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, repository: Path) -> None:
    """The sixth of the plug-in's tests, which reads its settings from a file in the present folder."""
    folder = Path(migrations.__file__).parent
    (tmp_path / "alembic.ini").write_text(f"[alembic]\nscript_location = {folder}\npath_separator = os\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(repository))
    _, tables = get_bare_import_tableset("sqlite://")
    for module in pkgutil.iter_modules(planner.store.__path__, "planner.store."):
        importlib.import_module(module.name)
    assert tables == set(Base.metadata.tables)


def content(path: Path) -> dict[str, list[tuple[object, ...]]]:
    """Every row of every table that holds a person's work."""
    with contextlib.closing(sqlite3.connect(path)) as connection:
        return {
            table: connection.execute(f"SELECT * FROM {table} ORDER BY 1, 2").fetchall()  # noqa: S608 - our names
            for table in ("workspace", "scenario", "revision", "revision_change", "snapshot", "catalogue_entry")
        }


def test_there_is_a_fixture_of_every_version() -> None:
    assert versions() == list(range(1, SCHEMA_VERSION + 1))


@pytest.mark.parametrize("version", versions())
def test_a_populated_library_of_every_version_opens(version: int, file: Path) -> None:
    unpack(version, file)
    before = content(file)
    with open_library(file, create=False) as library:
        library.use_workspace("Größer 模型")
        found = library.scenarios()
        assert len(found) == 1000
        assert not any(one.damaged for one in found)
        assert sum(one.is_baseline for one in found) == 1
        assert len(library.snapshot_scenarios("sent to finance")) == 1000
        assert len(library.history()) > 20
    after = content(file)
    assert {table: len(rows) for table, rows in after.items()} == {table: len(rows) for table, rows in before.items()}
    if version == SCHEMA_VERSION:
        assert after == before
    assert maintenance.examine(file).problems == []


@pytest.fixture
def later(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if this program were of a later version."""
    monkeypatch.delenv("LATER_MIGRATION", raising=False)
    own = migrating.configuration

    def configuration(connection: Connection) -> Config:
        config = own(connection)
        folders = [Path(migrations.__file__).parent / "versions", Path(__file__).parent / "later"]
        config.set_main_option("version_locations", os.pathsep.join(map(str, folders)))
        return config

    monkeypatch.setattr(migrating, "configuration", configuration)
    for module in (database, inspection, opening, upgrading, maintenance):
        monkeypatch.setattr(module, "SCHEMA_VERSION", LATER)


@pytest.mark.usefixtures("later")
def test_an_upgrade_keeps_every_row_after_a_verified_backup(file: Path) -> None:
    unpack(1, file)
    before = content(file)
    with open_library(file, create=False) as library:
        assert len(library.search("größe")) >= 0
    after = content(file)
    for table, rows in before.items():
        kept = [row[:-1] for row in after[table]] if table in ("workspace", "revision") else after[table]
        assert kept == rows, table
    (saved,) = list_backups(file)
    assert saved.before == "0002"
    assert content(saved.path) == before
    with contextlib.closing(sqlite3.connect(file)) as connection:
        assert connection.execute("PRAGMA user_version").fetchone() == (2,)


@pytest.mark.usefixtures("later")
def test_down_and_up_again_keep_every_row(file: Path) -> None:
    unpack(1, file)
    before = content(file)
    upgrading.upgrade_file(file)
    upgraded = content(file)
    engine = sqlite_engine(file, "rw")
    migrating.migrate(engine, "0001", down=True)
    assert content(file) == before
    migrating.migrate(engine, "0002")
    assert content(file) == upgraded
    engine.dispose()


@pytest.mark.usefixtures("later")
@pytest.mark.parametrize(
    ("what", "message"),
    [
        ("loses rows", "Rows would be lost: revision_change"),
        ("loses parents", "refer to rows that are missing"),
        ("fails", "no such table: nowhere"),
    ],
)
def test_an_upgrade_that_fails_changes_nothing(
    file: Path, monkeypatch: pytest.MonkeyPatch, what: str, message: str
) -> None:
    open_library_as_v1(file)
    before = file.read_bytes()
    monkeypatch.setenv("LATER_MIGRATION", what)
    sentences = []
    for _ in range(3):
        with pytest.raises(StoreError, match=message) as caught:
            open_library(file)
        sentences.append(str(caught.value))
    assert content_equal(before, file)
    (saved,) = list_backups(file)
    for sentence in sentences:
        assert "could not be brought up to date, it is as it was" in sentence
        assert f"db restore {saved.path.name}" in sentence
    assert verify(saved.path)["scenario"] == 5
    monkeypatch.delenv("LATER_MIGRATION")
    with open_library(file) as library:
        assert len(library.scenarios()) == 5
    assert [one.path for one in list_backups(file)] == [saved.path]


def open_library_as_v1(file: Path) -> None:
    """A library of the first version, whatever the present one is."""
    code = "import sys; from planner.store import open_library; open_library(sys.argv[1]).close()"
    subprocess.run([sys.executable, "-c", code, str(file)], check=True)


def content_equal(before: bytes, file: Path) -> bool:
    """Whether nothing but SQLite's own counters of changes differs."""
    after = file.read_bytes()
    return before[:24] == after[:24] and before[28:92] == after[28:92] and before[100:] == after[100:]


@pytest.mark.usefixtures("later")
def test_an_upgrade_waits_until_nobody_else_has_the_library_open(file: Path) -> None:
    code = (
        "import sys; from planner.store import open_library; l = open_library(sys.argv[1]); l.announce(); "
        "print('open', flush=True); input(); from planner.store import Change\n"
        "try: l.edit([Change(1, 'batch', 3)])\n"
        "except Exception as error: print(error)\n"
    )
    command = [sys.executable, "-c", code, str(file)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "open\n"
        before = file.read_bytes()
        with pytest.raises(BusyError, match=f"another planner has it open: process {other.pid}") as caught:
            open_library(file)
        assert caught.value.exit_code == 75
        assert file.read_bytes() == before
        # Whoever changes the tables in spite of that is noticed before the next change.
        with contextlib.closing(sqlite3.connect(file)) as connection:
            connection.execute("PRAGMA user_version = 2")
        assert "Another version of the planner has changed the tables" in other.communicate("\n", timeout=60)[0]


@pytest.mark.usefixtures("later")
def test_a_program_that_crashed_does_not_stop_an_upgrade(file: Path) -> None:
    code = "import os, sys; from planner.store import open_library; open_library(sys.argv[1]).announce(); os._exit(1)"
    subprocess.run([sys.executable, "-c", code, str(file)], check=False)
    with open_library(file) as library:
        library.database.write(lambda session: None)


@pytest.mark.usefixtures("later")
def test_no_upgrade_without_space(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    open_library_as_v1(file)
    before = file.read_bytes()
    monkeypatch.setattr(upgrading, "MARGIN", 1 << 60)
    with pytest.raises(StoreError, match="MiB of free space") as caught:
        open_library(file)
    assert caught.value.exit_code == 74
    assert file.read_bytes() == before


def test_an_older_program_names_the_version_it_needs(file: Path, request: pytest.FixtureRequest) -> None:
    open_library_as_v1(file)
    with pytest.MonkeyPatch.context():
        request.getfixturevalue("later")
        upgrading.upgrade_file(file)
    for module in (inspection, opening):
        module.SCHEMA_VERSION = SCHEMA_VERSION  # type: ignore[attr-defined]
    with pytest.raises(StoreError, match=r"has version 2 of the tables .* use version 7\.0 or newer of the planner"):
        open_library(file)


def test_a_later_backup_is_taken_where_the_library_has_changed_since(
    file: Path, request: pytest.FixtureRequest
) -> None:
    open_library_as_v1(file)
    first = upgrading._save(file, 1, now())
    assert upgrading._save(file, 1, now() + timedelta(seconds=9)) == first
    with open_library(file) as library:
        library.edit([Change(1, "batch", 3)])
    assert upgrading._save(file, 1, now() + timedelta(seconds=9)) != first


def test_fixtures_are_compact() -> None:
    assert all(fixture_of(version).stat().st_size < 200_000 for version in versions())
