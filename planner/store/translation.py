"""Errors of SQLite, PostgreSQL and SQLAlchemy as the store's sentences.

Only SQLite's own verdicts CORRUPT and NOTADB mean that a file is damaged; busy, full, input/output, permission and
constraint errors never do.
"""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path

from sqlalchemy.exc import DBAPIError, SQLAlchemyError
from sqlalchemy.exc import TimeoutError as PoolTimeoutError

from planner.store.engines import BUSY_SECONDS
from planner.store.errors import (
    BUSY,
    CONFIGURATION,
    DATA,
    INTERNAL,
    IO,
    NO_INPUT,
    PERMISSION,
    UNAVAILABLE,
    BusyError,
    DamagedError,
    NotFoundError,
    ReadOnlyError,
    StoreError,
)
from planner.store.holders import holder_of

# Primary result codes of SQLite, https://www.sqlite.org/rescode.html
_SQLITE = {
    sqlite3.SQLITE_BUSY: (
        BusyError,
        "another program{holder} held {name} locked for {waited}; nothing was changed: close it there or try again",
        BUSY,
    ),
    sqlite3.SQLITE_LOCKED: (BusyError, "{name} is locked; nothing was changed: try again", BUSY),
    sqlite3.SQLITE_FULL: (
        StoreError,
        "the disk that holds {name} is full; nothing was changed: free some space and try again",
        IO,
    ),
    sqlite3.SQLITE_IOERR: (
        StoreError,
        "reading or writing {name} failed on the disk ({code}); nothing was changed: check the disk and its free space",
        IO,
    ),
    sqlite3.SQLITE_CORRUPT: (
        DamagedError,
        "{name} is damaged; nothing was changed: run `planner db doctor`, or `planner db restore` for the last backup",
        DATA,
    ),
    sqlite3.SQLITE_NOTADB: (
        DamagedError,
        "{name} is damaged or is no SQLite database; nothing was changed: run `planner db restore` for the last backup",
        DATA,
    ),
    sqlite3.SQLITE_READONLY: (
        ReadOnlyError,
        "{name} may not be written; nothing was changed: see the permissions of the file and of its folder",
        PERMISSION,
    ),
    sqlite3.SQLITE_CANTOPEN: (
        StoreError,
        "{name} or its journal cannot be opened; nothing was changed: see that the folder is there and may be written",
        IO,
    ),
    sqlite3.SQLITE_NOMEM: (StoreError, "there is not enough memory for {name}; nothing was changed", INTERNAL),
    sqlite3.SQLITE_PERM: (ReadOnlyError, "access to {name} is denied; nothing was changed", PERMISSION),
    sqlite3.SQLITE_TOOBIG: (StoreError, "a text is too long for {name}; nothing was changed", DATA),
    sqlite3.SQLITE_CONSTRAINT: (
        StoreError,
        "{name} refuses a value that breaks a rule of its tables ({code}); nothing was changed",
        DATA,
    ),
}
# What SQLite calls a plain error although the file is at fault, not the statement.
_NOT_OURS = ("no such table", "no such column", "unsupported file format", "attempt to write a view")
_MOVED = (
    "{name} was moved, replaced or deleted while it was open; nothing was changed: "
    "put it back, or open it where it is now"
)

# SQLSTATE classes and codes of PostgreSQL, https://www.postgresql.org/docs/current/errcodes-appendix.html
_POSTGRES = {
    "08": (StoreError, "the connection to {name} was lost; nothing was changed: try again", UNAVAILABLE),
    "28": (StoreError, "{name} refuses the role or its password", PERMISSION),
    "3D": (NotFoundError, "{name}: the server has no such database: create it first (createdb)", NO_INPUT),
    "57": (StoreError, "{name} is shutting down or ended the connection; nothing was changed: try again", UNAVAILABLE),
    "53": (StoreError, "the server of {name} is out of disk space, memory or connections; nothing was changed", IO),
    "42501": (ReadOnlyError, "the role may not do that in {name}; nothing was changed", PERMISSION),
    "25006": (ReadOnlyError, "{name} is read-only (a replica?); nothing was changed", PERMISSION),
    "55P03": (BusyError, "somebody else held {name} locked for too long; nothing was changed: try again", BUSY),
    "57014": (BusyError, "{name} took too long and was interrupted; nothing was changed: try again", BUSY),
    "40001": (BusyError, "others wrote to {name} at the same time; nothing was changed: try again", BUSY),
    "40P01": (BusyError, "others wrote to {name} at the same time; nothing was changed: try again", BUSY),
    "23505": (StoreError, "somebody else has just used that name in {name}; nothing was changed: try again", BUSY),
    "23": (StoreError, "{name} refuses a value that breaks a rule of its tables; nothing was changed", DATA),
    "58": (StoreError, "reading or writing failed on the server of {name}; nothing was changed", IO),
    "XX": (DamagedError, "the server says that {name} is damaged; nothing was changed: restore its backup", DATA),
}

_CONNECTING = {"authentication failed": PERMISSION, "no password supplied": PERMISSION, "does not exist": NO_INPUT}


def _sentence(template: str, **parts: str) -> str:
    """A sentence from ``template``; what begins with a name keeps its letters."""
    start = template[:1] if template.startswith("{") else template[:1].upper()
    text = (start + template[1:]).format(**parts)
    return text if text.endswith(".") else f"{text}."


def _can_be_read(name: str) -> bool:
    """Whether the disk gives every byte of the file ``name``: where it does not, SQLite too says CORRUPT."""
    try:
        # As SQLite itself reads.
        with Path(name).open("rb", buffering=0) as file:
            place = 0
            while part := len(os.pread(file.fileno(), 2**20, place)):
                place += part
    except (FileNotFoundError, ValueError):
        return True
    except OSError:
        return False
    return True


def from_sqlite(error: sqlite3.Error, name: str, *, waited: float = BUSY_SECONDS) -> StoreError:
    """The sentence for an error of SQLite on the file ``name``; ``waited`` seconds it was locked by somebody else."""
    extended = getattr(error, "sqlite_errorcode", None)
    if extended is not None:
        if extended == sqlite3.SQLITE_READONLY_DBMOVED:
            return StoreError(_sentence(_MOVED, name=name), IO)
        primary = extended & 0xFF
        if primary in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB) and not _can_be_read(name):
            primary = sqlite3.SQLITE_IOERR
        known = _SQLITE.get(primary)
        if known:
            kind, text, exit_code = known
            holder = holder_of(Path(name)) if primary == sqlite3.SQLITE_BUSY else ""
            parts = {"name": name, "code": error.sqlite_errorname, "holder": f", {holder}," if holder else ""}
            seconds = f"{waited:g} second{'' if waited == 1 else 's'}"
            return kind(_sentence(text, waited=seconds, **parts), exit_code)
    if str(error).startswith(_NOT_OURS):
        template = "{name} is not what a planner database should be ({text}); nothing was changed"
        return StoreError(_sentence(template, name=name, text=str(error)))
    return StoreError(_sentence("{name}: {text}; nothing was changed", name=name, text=str(error)), INTERNAL)


def from_database(error: SQLAlchemyError, name: str, *, waited: float = BUSY_SECONDS) -> StoreError:
    """The sentence for an error that SQLAlchemy passes on from the database ``name``; see from_sqlite()."""
    if isinstance(error, PoolTimeoutError):
        return BusyError(f"All connections to {name} are in use; nothing was changed: try again.")
    original = error.orig if isinstance(error, DBAPIError) else None
    if isinstance(original, sqlite3.Error):
        return from_sqlite(original, name, waited=waited)
    state = getattr(original, "sqlstate", None)
    if state:
        for key in (state, state[:2]):
            if key in _POSTGRES:
                kind, text, exit_code = _POSTGRES[key]
                return kind(_sentence(text, name=name), exit_code)
    first = str(original or error).strip().partition("\n")[0]
    if "invalid connection option" in first:
        return StoreError(_sentence("the address of {name} has an {text}", name=name, text=first), CONFIGURATION)
    if type(original).__module__.startswith("psycopg") and type(original).__name__ == "OperationalError":
        # A connection that breaks and one that is not made have no code, only words.
        lost = isinstance(error, DBAPIError) and error.connection_invalidated
        if lost or "closed the connection unexpectedly" in first:
            kind, text, exit_code = _POSTGRES["08"]
            return kind(_sentence(text, name=name), exit_code)
        exit_code = next((code for words, code in _CONNECTING.items() if words in first), UNAVAILABLE)
        return StoreError(_sentence("{name} cannot be opened: {text}", name=name, text=first), exit_code)
    return StoreError(_sentence("{name}: {text}; nothing was changed", name=name, text=first), INTERNAL)
