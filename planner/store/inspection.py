"""What lies at a path, found out before anything is written: ours, another program's, newer, older, damaged, or no
database at all."""

from __future__ import annotations

import os
import sqlite3
import stat
from dataclasses import dataclass
from pathlib import Path

import planner
from planner.model.fields import printable
from planner.store.engines import connect_sqlite, unreadable_schema
from planner.store.errors import DATA, PERMISSION, DamagedError, NotFoundError, StoreError, code_of_reading
from planner.store.instances import host, process_start
from planner.store.journals import stray_journal
from planner.store.tables import APPLICATION_ID, SCHEMA_VERSION
from planner.store.translation import from_sqlite

HEADER = 100
MAGIC = b"SQLite format 3\0"
# Kinds of file that people mistake for a database, by their first bytes.
_OTHERS = (
    (b"PK\x03\x04", "a zip archive or an Excel workbook"),
    (b"SQLite format 3", "a SQLite file whose header is damaged"),
    (b"%PDF", "a PDF document"),
    (b"\x1f\x8b", "a gzip archive"),
    (b"\x7fELF", "a program"),
)
_KINDS = (
    (stat.S_ISDIR, "a folder"),
    (stat.S_ISFIFO, "a named pipe"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
)
TABLES = frozenset(
    (
        "setting",
        "instance",
        "workspace",
        "scenario",
        "revision",
        "revision_change",
        "snapshot",
        "catalogue_entry",
        "witness",
    )
)


@dataclass(frozen=True, slots=True)
class Header:
    """What the first 100 bytes of a SQLite file say, https://www.sqlite.org/fileformat.html section 1.3."""

    page_size: int
    pages: int
    is_wal: bool
    user_version: int
    application_id: int

    @classmethod
    def read(cls, content: bytes) -> Header:
        """The header in ``content``, its first 100 bytes."""

        def number(offset: int, size: int = 4) -> int:
            return int.from_bytes(content[offset : offset + size], "big")

        page_size = 65_536 if number(16, 2) == 1 else number(16, 2)
        # The page count holds only where the change counter equals the counter it was written with.
        pages = number(28) if number(24) == number(92) else 0
        return cls(page_size, pages, 2 in content[18:20], number(60), number(68))


@dataclass(frozen=True, slots=True)
class Found:
    """A database file that is ours: its schema version, and what must be done before it may be written.

    ``immutable`` says that it can only be read as one that nobody changes: in write-ahead mode, where the files that
    this needs cannot be made. ``crashed`` says that a program that wrote to it ended without closing it.
    """

    version: int
    is_wal: bool
    immutable: bool
    device: int
    inode: int
    crashed: bool = False


def look_at(path: Path) -> Header:
    """The header of the file at ``path``, which is ours and complete; nothing is opened but the file itself, to read.

    Raises NotFoundError when there is no file or something else than a file, StoreError when the file is empty, no
    SQLite database or another program's, DamagedError when a part of it is missing.
    """
    try:
        status = path.stat()
    except FileNotFoundError:
        if path.is_symlink():
            raise NotFoundError(f"{path} is a link to a file that does not exist.") from None
        raise NotFoundError(f"There is no file {path}.") from None
    except OSError as error:
        raise StoreError(f"{path} cannot be looked at: {error.strerror}.", code_of_reading(error)) from None
    for is_kind, name in _KINDS:
        if is_kind(status.st_mode):
            raise NotFoundError(f"{path} is {name}, not a planner database.")
    if status.st_size == 0:
        raise StoreError(
            f"{path} is an empty file, not a planner database; it was left as it is: delete it to start anew there, "
            "or restore a backup."
        )
    try:
        with path.open("rb") as file:
            content = file.read(HEADER)
    except PermissionError:
        raise StoreError(f"{path} may not be read: see its permissions.", PERMISSION) from None
    except OSError as error:
        raise StoreError(f"{path} cannot be read: {error.strerror}.", code_of_reading(error)) from None
    if not content.startswith(MAGIC) or len(content) < HEADER:
        what = next((f": it looks like {kind}" for start, kind in _OTHERS if content.startswith(start)), "")
        raise StoreError(f"{path} is not a planner database{what}; it was left as it is.")
    header = Header.read(content)
    if header.application_id != APPLICATION_ID:
        raise StoreError(f"{path} is a SQLite database of another application; it was left as it is.")
    if not set(content[18:20]) <= {1, 2}:
        raise DamagedError(
            f"{path} is damaged: its header says that it is of a later file format; it was left as it is: run "
            "`planner db doctor`, or `planner db restore`."
        )
    refuse_stray_journal(path)
    if not _has_content(path, "-journal") and header.page_size and header.pages * header.page_size > status.st_size:
        raise DamagedError(
            f"{path} is damaged: it should have {header.pages * header.page_size:,} bytes and has "
            f"{status.st_size:,}; it was left as it is: run `planner db doctor`, or `planner db restore`."
        )
    return header


def refuse_stray_journal(path: Path) -> None:
    """Raise StoreError when a journal beside ``path`` is not of the last write to it: SQLite would put it back."""
    try:
        stray = stray_journal(path)
    except OSError as error:
        raise StoreError(f"{path} or its journal cannot be read: {error.strerror}.", code_of_reading(error)) from None
    if stray is not None:
        raise StoreError(
            f"{stray} is not of the last write to {path.name} and would overwrite it; nothing was changed: move it "
            "away, and open the library again."
        )


def _has_content(path: Path, ending: str) -> bool:
    """Whether the file that SQLite keeps beside ``path`` under ``ending`` is there and not empty."""
    try:
        return path.with_name(path.name + ending).stat().st_size > 0
    except OSError:
        return False


def _read_versions(connection: sqlite3.Connection, path: Path) -> tuple[list[str], str, bool]:
    """The revisions that Alembic noted, the oldest program that can read the file, and whether one crashed."""
    objects = connection.execute("SELECT type, name FROM sqlite_master WHERE name NOT LIKE 'sqlite~_%' ESCAPE '~'")
    tables: set[str] = set()
    for kind, name in objects:
        if kind in ("trigger", "view"):
            raise StoreError(f"{path} holds a {kind} that the planner did not make; it was left as it is.")
        if kind == "table":
            tables.add(name)
    noted: list[str] = []
    if "alembic_version" in tables:
        noted = [str(row[0]) for row in connection.execute("SELECT version_num FROM alembic_version LIMIT 9")]
    missing = sorted(TABLES - tables)
    if missing and noted == [f"{SCHEMA_VERSION:04d}"]:
        raise StoreError(f"{path} lacks the table {missing[0]} of a planner database; it was left as it is.")
    needed = ""
    if "setting" in tables:
        row = connection.execute("SELECT value FROM setting WHERE name = 'min_app_version' AND owner = ''").fetchone()
        needed = str(row[0]) if row else ""
    crashed = False
    if "instance" in tables:
        notes = connection.execute("SELECT process, process_start FROM instance WHERE host = ? LIMIT 99", [host()])
        crashed = any(process_start(process) != start for process, start in notes)
    return noted, needed, crashed


def check_version(name: str, noted: list[str], needed: str, stated: int | None = None) -> int:
    """The schema version that ``noted``, Alembic's revisions, stands for; ``stated`` is the file header's.

    Raises StoreError when there is none, more than one, an unknown or a newer one.
    """
    if not noted:
        raise StoreError(f"{name} does not say which version of the tables it has; it was left as it is.")
    if len(noted) > 1:
        raise StoreError(f"{name} says that it has {len(noted)} versions of the tables at once; it was left as it is.")
    # A stranger's file may say a number that Python does not read.
    version = int(noted[0]) if len(noted[0]) < 10 and noted[0].isascii() and noted[0].isdigit() else None
    if (version or 0) > SCHEMA_VERSION or (stated or 0) > SCHEMA_VERSION:
        program = f"version {needed} or newer of the planner" if needed else "a newer version of the planner"
        raise StoreError(
            f"{name} has version {max(version or 0, stated or 0)} of the tables and this planner "
            f"({planner.__version__}) knows version {SCHEMA_VERSION}: use {program}; it was left as it is."
        )
    if version is None or version < 1:
        unknown = printable(noted[0][:40])
        raise StoreError(f"{name} has an unknown version of the tables ('{unknown}'); it was left as it is.")
    if stated is not None and stated != version:
        raise StoreError(
            f"{name} contradicts itself: its header says version {stated} of the tables, the tables say {version}; "
            "it was left as it is."
        )
    return version


def inspect(path: Path) -> Found:
    """What the database file at ``path`` is, read without changing a byte of it.

    A write that was cut short is first rolled back by SQLite, which is the one thing that may write. Raises StoreError
    with the exit code of the kind of file it is; see look_at() and check_version().
    """
    header = look_at(path)
    # Reading a file in write-ahead mode leaves two files beside it, unless SQLite is told that nobody writes.
    closed_wal = header.is_wal and not _has_content(path, "-wal")
    immutable = closed_wal and not os.access(path.parent, os.W_OK)
    for mode in ("ro", "rw"):
        try:
            connection = connect_sqlite(path, mode, immutable=closed_wal)
            try:
                noted, needed, crashed = _read_versions(connection, path)
            except UnicodeDecodeError:
                raise unreadable_schema() from None
            finally:
                connection.close()
            break
        except sqlite3.Error as error:
            # A journal that must be rolled back cannot be when the connection only reads.
            if mode == "ro" and error.sqlite_errorcode & 0xFF in (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN):
                continue
            raise from_sqlite(error, str(path)) from None
    else:
        raise StoreError(f"{path} cannot be opened.", DATA)
    status = path.stat()
    version = check_version(str(path), noted, needed, header.user_version)
    return Found(version, header.is_wal, immutable, status.st_dev, status.st_ino, crashed)
