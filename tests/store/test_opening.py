"""Opening: what lies at a path is found out before a byte of it is changed."""

from __future__ import annotations

import contextlib
import hashlib
import os
import socket
import sqlite3
import stat
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from planner.store import Change, DamagedError, NotFoundError, StoreError, open_library
from planner.store.engines import connect_sqlite
from planner.store.location import VARIABLE, default_path, locate
from planner.store.opening import file_system, network_warning


def digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def made(path: Path) -> Path:
    open_library(path).close()
    return path


def execute(path: Path, *statements: str) -> None:
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as connection:
        for statement in statements:
            connection.execute(statement)


def text_file(path: Path) -> None:
    path.write_text("not a database\n" * 100, encoding="utf-8")


def zip_file(path: Path) -> None:
    path.write_bytes(b"PK\x03\x04" + bytes(200))


def foreign(path: Path) -> None:
    execute(path, "CREATE TABLE bookmarks (url TEXT)", "PRAGMA application_id = 42")


def changed(*statements: str) -> Callable[[Path], None]:
    return lambda path: execute(made(path), *statements)


def cut(path: Path) -> None:
    made(path).write_bytes(path.read_bytes()[: -3 * 4096])


def header_alone(path: Path) -> None:
    made(path).write_bytes(path.read_bytes()[:64])


def zeroed(path: Path) -> None:
    content = bytearray(made(path).read_bytes())
    content[100:4096] = bytes(3996)
    path.write_bytes(content)


REFUSED: dict[str, tuple[Callable[[Path], None], str, int]] = {
    "empty": (lambda path: path.touch(), "is an empty file, not a planner database", 65),
    "text": (text_file, "is not a planner database; it was left as it is", 65),
    "zip": (zip_file, "it looks like a zip archive or an Excel workbook", 65),
    "another application's": (foreign, "is a SQLite database of another application", 65),
    "newer": (
        changed("PRAGMA user_version = 99", "UPDATE alembic_version SET version_num = '0099'",
                "UPDATE setting SET value = '9.5' WHERE name = 'min_app_version'"),
        "has version 99 of the tables and this planner .* knows version .*: use version 9.5 or newer", 65,
    ),
    "newer header alone": (changed("PRAGMA user_version = 99"), "has version 99 of the tables", 65),
    "unknown version": (changed("UPDATE alembic_version SET version_num = 'abc'"), "unknown version.*'abc'", 65),
    "no version": (changed("DELETE FROM alembic_version"), "does not say which version", 65),
    "no version table": (changed("DROP TABLE alembic_version"), "does not say which version", 65),
    "two versions": (changed("INSERT INTO alembic_version VALUES ('0002')"), "2 versions of the tables at once", 65),
    "contradicting versions": (changed("PRAGMA user_version = 0"), "header says version 0 .* tables say 1", 65),
    "a trigger": (
        changed("CREATE TRIGGER t AFTER UPDATE ON setting BEGIN DELETE FROM scenario; END"), "holds a trigger", 65,
    ),
    "a view": (changed("CREATE VIEW v AS SELECT 1"), "holds a view", 65),
    "cut": (cut, "is damaged: it should have .* bytes and has", 65),
    "header alone": (header_alone, "is not a planner database", 65),
    "zeroed": (zeroed, "is damaged", 65),
    "a folder": (lambda path: path.mkdir(), "is a folder, not a planner database", 66),
    "a pipe": (os.mkfifo, "is a named pipe, not a planner database", 66),
    "a dangling link": (lambda path: path.symlink_to("nowhere"), "is a link to a file that does not exist", 66),
}  # fmt: skip


@pytest.mark.parametrize("kind", REFUSED)
def test_what_is_refused_stays_as_it_is(file: Path, kind: str) -> None:
    make, message, exit_code = REFUSED[kind]
    make(file)
    before = digest(file) if file.is_file() else None
    names = sorted(path.name for path in file.parent.iterdir())
    start = time.monotonic()
    with pytest.raises(StoreError, match=message) as caught:
        open_library(file)
    assert time.monotonic() - start < 1
    assert caught.value.exit_code == exit_code
    assert str(file) in str(caught.value)
    assert (digest(file) if file.is_file() else None) == before
    assert sorted(path.name for path in file.parent.iterdir()) == names


def test_a_socket_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with socket.socket(socket.AF_UNIX) as opened:
        opened.bind("s.db")
        with pytest.raises(NotFoundError, match="is a socket"):
            open_library("s.db")


def test_a_missing_file_is_made_only_when_asked(file: Path) -> None:
    with pytest.raises(NotFoundError, match="There is no file"):
        open_library(file, create=False)
    assert not file.exists()
    with pytest.raises(StoreError, match="cannot be created") as caught:
        open_library(file.parent / "missing" / "x.db")
    assert caught.value.exit_code == 73


def test_a_new_file_is_the_owner_s_alone(file: Path) -> None:
    umask = os.umask(0)
    try:
        made(file)
        with open_library(file) as library:
            library.edit([Change(1, "batch", 3)])
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
        (backup,) = (file.parent / "backups").iterdir()
        assert stat.S_IMODE(backup.stat().st_mode) == 0o600
    finally:
        os.umask(umask)
    assert sorted(path.name for path in file.parent.iterdir()) == ["backups", "plan.db"]


def test_a_failed_creation_leaves_nothing(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PLANNER_FAILPOINT", "migrate-step=raise")
    with pytest.raises(StoreError, match="cannot be created"):
        open_library(file)
    assert list(file.parent.iterdir()) == []


def test_two_that_create_at_once_end_with_one_library(file: Path) -> None:
    code = "import sys; from planner.store import open_library; print(len(open_library(sys.argv[1]).scenarios()))"
    started = [
        subprocess.Popen([sys.executable, "-c", code, str(file)], stdout=subprocess.PIPE, text=True) for _ in range(3)
    ]
    assert [process.communicate(timeout=60)[0] for process in started] == ["5\n"] * 3
    assert [path.name for path in file.parent.iterdir()] == ["plan.db"]


def test_the_default_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    with open_library(None) as library:
        assert library.path == default_path()
        library.edit([Change(1, "batch", 3)])
    default_path().unlink()
    with pytest.raises(NotFoundError, match="is missing although there are backups of it"):
        open_library(None)
    monkeypatch.setenv(VARIABLE, str(tmp_path / "named.db"))
    with open_library(None) as library:
        assert library.description == str(tmp_path / "named.db")


@pytest.mark.parametrize(
    ("address", "message"),
    [
        ("mysql://u:hunter2@h/d", "is not understood"),
        ("sqlite://", "must name a file"),
        ("postgresql://u:hunter2@x@host:port/d", "cannot be read"),
        ("postgresql://u:hun@ter2@host/d", "is not understood"),
        ("", "must not be empty"),
        ("a\0b", "NUL"),
    ],
)
def test_addresses_that_are_refused(address: str, message: str) -> None:
    with pytest.raises(StoreError, match=message) as caught:
        locate(address)
    assert caught.value.exit_code == 78
    assert "ter2" not in str(caught.value)


def test_sqlite_addresses(file: Path) -> None:
    with open_library(f"sqlite:///{file}") as library:
        assert library.path == file


@pytest.fixture
def write_protected(file: Path) -> Iterator[Path]:
    """A library whose file system says no, as a read-only medium does; root may write anything else."""
    made(file)
    if os.geteuid() == 0:
        done = subprocess.run(["chattr", "+i", str(file)], capture_output=True, text=True, check=False)
        if done.returncode:
            pytest.skip("this file system knows no immutable files, and root may write all others")
        yield file
        subprocess.run(["chattr", "-i", str(file)], check=True)
    else:
        file.chmod(0o400)
        yield file
        file.chmod(0o600)


def test_a_file_that_may_not_be_written_opens_read_only(write_protected: Path) -> None:
    with open_library(write_protected) as library:
        assert library.read_only
        assert "may not be written" in library.read_only_reason
        assert len(library.scenarios()) == 5
        with pytest.raises(StoreError, match="open for reading only") as caught:
            library.edit([Change(1, "batch", 3)])
        assert caught.value.exit_code == 77


def test_a_file_in_write_ahead_mode_is_converted_or_opened_read_only(file: Path) -> None:
    made(file)
    with contextlib.closing(sqlite3.connect(file, isolation_level=None)) as other:
        other.execute("PRAGMA journal_mode=WAL")
        other.execute("UPDATE scenario SET notes = 'x'")
        with open_library(file) as library:
            assert "write-ahead mode" in library.read_only_reason
            assert library.scenarios()[0].scenario.notes == "x"
    with open_library(file) as library:
        assert not library.read_only
        library.edit([Change(1, "batch", 3)])
    assert file.read_bytes()[18:20] == b"\x01\x01"
    assert not file.with_name("plan.db-wal").exists()


def test_a_file_that_is_moved_or_replaced_while_open_is_not_written(file: Path) -> None:
    with open_library(file) as library:
        library.edit([Change(1, "batch", 3)])
        file.rename(file.with_name("away.db"))
        with pytest.raises(StoreError, match="was deleted or moved while it was open; nothing was changed") as caught:
            library.edit([Change(1, "batch", 4)])
        assert caught.value.exit_code == 74
        made(file)
        with pytest.raises(StoreError, match="was replaced by another file"):
            library.edit([Change(1, "batch", 4)])
        file.unlink()
        file.with_name("away.db").rename(file)
        library.edit([Change(1, "batch", 5)])


def test_a_lock_that_another_program_holds(file: Path) -> None:
    with open_library(file) as library:
        library.edit([Change(1, "batch", 3)])
        with contextlib.closing(sqlite3.connect(file, isolation_level=None)) as other:
            other.execute("BEGIN EXCLUSIVE")
            with pytest.raises(StoreError, match="locked for 5 seconds") as caught:
                library.edit([Change(1, "batch", 4)])
            assert caught.value.exit_code == 75
            other.execute("ROLLBACK")
        library.edit([Change(1, "batch", 4)])


DECIDED = {
    "journal_mode": "delete",
    "synchronous": 3,
    "foreign_keys": 1,
    "trusted_schema": 0,
    "cell_size_check": 1,
    "busy_timeout": 5000,
}


def test_connections_are_set_up_as_decided(file: Path) -> None:
    made(file)
    with contextlib.closing(connect_sqlite(file, "rw")) as connection:
        pragmas = {name: connection.execute(f"PRAGMA {name}").fetchone()[0] for name in DECIDED}
    assert pragmas == DECIDED


def test_network_file_systems_are_named(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made(file)
    assert file_system(file)
    assert network_warning(file) == ()
    monkeypatch.setattr("planner.store.opening.file_system", lambda path: "nfs4")
    (warning,) = network_warning(file)
    assert "network file system (nfs4)" in warning


def test_a_library_that_was_not_closed_is_looked_through(file: Path) -> None:
    code = (
        "import os, sys; from planner.store import Change, open_library; l = open_library(sys.argv[1]); "
        "l.edit([Change(1, 'batch', 3)]); os._exit(9)"
    )
    assert subprocess.run([sys.executable, "-c", code, str(file)], check=False).returncode == 9
    with open_library(file) as library:
        assert library.scenarios()[0].scenario.values["batch"] == 3
    content = bytearray(file.read_bytes())
    # A page of the tables, not the first: its kind is what no page may have.
    content[4096 * 4] = 0x55
    file.write_bytes(content)
    with pytest.raises(DamagedError, match="is damaged"):
        open_library(file)


def test_importing_the_store_loads_no_database_library() -> None:
    code = "import sys, planner.store; print([m for m in ('sqlalchemy', 'alembic', 'psycopg') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_opening_an_up_to_date_library_loads_neither_alembic_nor_the_postgresql_driver(file: Path) -> None:
    made(file)
    code = (
        "import sys; from planner.store import Change, open_library; l = open_library(sys.argv[1]); "
        "l.edit([Change(1, 'batch', 3)]); l.undo(); l.close(); "
        "print([m for m in ('alembic', 'mako', 'psycopg', 'textual', 'numpy', 'pydantic') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code, str(file)], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
