"""Engines: how a SQLite file or a PostgreSQL server is connected to, and how a transaction begins."""

from __future__ import annotations

import random
import sqlite3
import time
from functools import partial
from pathlib import Path
from typing import Any, cast

from sqlalchemy import URL, Connection, Engine, create_engine, event
from sqlalchemy.exc import OperationalError
from sqlalchemy.pool import QueuePool

BUSY_SECONDS = 5
LONGEST_VALUE = 256 * 2**20
PAGE_CACHE_KIB = 16_384
_PATIENCE = "planner_patience"

# A byte that is not UTF-8 becomes a lone surrogate, which no check lets pass; the default would end the whole query.
_read_text = partial(str, encoding="utf-8", errors="surrogateescape")


def connect_sqlite(
    path: Path, mode: str, *, immutable: bool = False, timeout: float = BUSY_SECONDS
) -> sqlite3.Connection:
    """A connection to the file ``path`` in ``mode`` ro, rw or rwc, in autocommit, set up as every one must be.

    The journal mode is not touched: DELETE is SQLite's default, and a file in another mode is dealt with when it is
    opened. Raises sqlite3.Error.
    """
    address = f"{path.absolute().as_uri()}?mode={mode}{'&immutable=1' if immutable else ''}"
    connection = sqlite3.connect(
        address, uri=True, timeout=timeout, isolation_level=None, check_same_thread=False, cached_statements=256
    )
    connection.text_factory = _read_text
    # A file may come from anybody: it gets at no other file, and no value of it at all our memory.
    connection.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 0)
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, LONGEST_VALUE)
    for pragma in (
        "trusted_schema=OFF",
        "cell_size_check=ON",
        "foreign_keys=ON",
        "synchronous=EXTRA",
        f"cache_size=-{PAGE_CACHE_KIB}",
    ):
        try:
            connection.execute(f"PRAGMA {pragma}")
        except UnicodeDecodeError:
            connection.close()
            raise unreadable_schema() from None
    return connection


def is_busy(error: BaseException | None) -> bool:
    """Whether SQLite says that somebody else has the file locked."""
    return getattr(error, "sqlite_errorcode", 0) & 0xFF == sqlite3.SQLITE_BUSY


def busy_error() -> sqlite3.OperationalError:
    """The error for a file that somebody else has kept locked, where Python does not raise it."""
    error = sqlite3.OperationalError("database is locked")
    error.sqlite_errorcode = sqlite3.SQLITE_BUSY
    error.sqlite_errorname = "SQLITE_BUSY"
    return error


def unreadable_schema() -> sqlite3.DatabaseError:
    """The error for a file whose tables' definitions are no text, about which Python cannot tell what SQLite says."""
    error = sqlite3.DatabaseError("malformed database schema")
    error.sqlite_errorcode = sqlite3.SQLITE_CORRUPT
    error.sqlite_errorname = "SQLITE_CORRUPT"
    return error


def sqlite_engine(path: Path, mode: str, *, immutable: bool = False) -> Engine:
    """An engine on the SQLite file ``path``; see ``writing`` for its transactions."""
    engine: Engine = create_engine(
        "sqlite+pysqlite://",
        creator=lambda: connect_sqlite(path, mode, immutable=immutable, timeout=patience_of(engine)),
        poolclass=QueuePool,
        pool_size=4,
        max_overflow=4,
        hide_parameters=True,
    )

    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        """A transaction that may write takes the write lock at once, so that it never fails half way."""
        options = connection.get_execution_options()
        patience = options.get(_PATIENCE, BUSY_SECONDS)
        raw = cast("sqlite3.Connection", connection.connection.dbapi_connection)
        raw.execute(f"PRAGMA busy_timeout={round(1000 * patience)}")
        if options.get("planner_writes", False):
            _begin_writing(connection, raw, patience)
        else:
            connection.exec_driver_sql("BEGIN")

    return engine


def _begin_writing(connection: Connection, raw: sqlite3.Connection, patience: float) -> None:
    """Take SQLite's write lock, asking for it often: its own pauses grow to 0.1 s, in which others take it again."""
    deadline = time.monotonic() + patience
    raw.execute("PRAGMA busy_timeout=0")
    try:
        while True:
            try:
                connection.exec_driver_sql("BEGIN IMMEDIATE")
                return
            except OperationalError as error:
                if not is_busy(error.orig) or time.monotonic() > deadline:
                    raise
            time.sleep(random.uniform(0.001, 0.008))  # noqa: S311 - nothing secret
    finally:
        raw.execute(f"PRAGMA busy_timeout={round(1000 * patience)}")


def postgres_engine(url: URL, **connect_args: Any) -> Engine:
    """An engine on the PostgreSQL database ``url``: connections are tried before use, and nothing waits for ever."""
    timeouts = (
        f"-c statement_timeout=60s -c lock_timeout={BUSY_SECONDS}s -c idle_in_transaction_session_timeout=60s"
        " -c timezone=UTC"
    )
    options = " ".join(part for part in (connect_args.pop("options", None), timeouts) if part)
    return create_engine(
        url,
        pool_pre_ping=True,
        pool_size=4,
        max_overflow=4,
        pool_timeout=BUSY_SECONDS,
        hide_parameters=True,
        connect_args={"connect_timeout": 10, "application_name": "planner", "options": options, **connect_args},
    )


def patience_of(engine: Engine) -> float:
    """The seconds that ``engine`` waits for a SQLite file that somebody else has locked."""
    return float(engine.get_execution_options().get(_PATIENCE, BUSY_SECONDS))


def be_patient(engine: Engine, seconds: float) -> None:
    """Let ``engine`` wait ``seconds`` from now on, also to connect: that reads the file."""
    engine.update_execution_options(**{_PATIENCE: seconds})


def writing(engine: Engine, *, patience: float | None = None) -> Engine:
    """``engine`` for transactions that may write; on SQLite they wait ``patience`` seconds, or the engine's own."""
    return engine.execution_options(
        planner_writes=True, **{_PATIENCE: patience_of(engine) if patience is None else patience}
    )
