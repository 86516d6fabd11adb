"""Bringing a SQLite library up to date: nobody else has it open, there is space, a verified backup comes first, the
change is one transaction, and what was counted before is counted again."""

from __future__ import annotations

import contextlib
import shutil
import sqlite3
from datetime import datetime
from pathlib import Path

from sqlalchemy import Connection, text
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import Session

from planner.store import backup, instances
from planner.store.checking import problems_in
from planner.store.database import now
from planner.store.engines import connect_sqlite, sqlite_engine
from planner.store.errors import INTERNAL, IO, BusyError, DamagedError, StoreError
from planner.store.failpoints import failpoint
from planner.store.inspection import inspect
from planner.store.migrating import migrate
from planner.store.tables import SCHEMA_VERSION
from planner.store.translation import from_database

MARGIN = 8 * 2**20


def upgrade_file(path: Path, *, moment: datetime | None = None) -> Path | None:
    """Bring the library ``path`` to this program's tables; the backup that was taken, None where it was up to date.

    Raises StoreError; then the tables are as they were, and the message names the backup and how to restore it.
    """
    moment = moment or now()
    found = inspect(path)
    if found.version >= SCHEMA_VERSION:
        return None
    _refuse_without_space(path)
    engine = sqlite_engine(path, "rw")
    saved: list[Path] = []
    before: dict[str, int] = {}

    def prepare(connection: Connection) -> None:
        """Runs under the write lock: from here on nobody else can change the file."""
        with Session(connection) as session:
            others = [other for other in instances.listed(session) if other.may_run(moment)]
        if others:
            raise BusyError(
                f"{path} must be brought up to date, but another planner has it open: {others[0].describe()}; "
                "nothing was changed: close it there and try again."
            )
        saved.append(_save(path, found.version, moment))
        failpoint("migrate-saved")
        before.update(_counts(connection))

    def check(connection: Connection) -> None:
        after = _counts(connection)
        lost = [
            f"{table} {number} → {after.get(table, 0)}"
            for table, number in before.items()
            if after.get(table) != number
        ]
        if lost:
            raise DamagedError(f"Rows would be lost: {', '.join(lost)}.")

    try:
        migrate(engine, prepare=prepare, check=check)
    except BusyError:
        raise
    except (StoreError, SQLAlchemyError, OSError, ArithmeticError, LookupError, TypeError, ValueError) as error:
        engine.dispose()
        raise _failed(path, found.version, error, saved) from error
    finally:
        engine.dispose()
    return saved[0]


def _save(path: Path, version: int, moment: datetime) -> Path:
    """The backup before the change: the one of an earlier attempt where it holds the same, else a new one."""
    target = f"{SCHEMA_VERSION:04d}"
    for earlier in reversed(backup.list_backups(path)):
        if earlier.before == target:
            with contextlib.suppress(StoreError, sqlite3.Error):
                same = backup.last_revision(earlier.path) == backup.last_revision(path)
                backup.verify(earlier.path)
                if same and inspect(earlier.path).version == version:
                    return earlier.path
    return backup.take(path, moment, before=target).path


def _counts(connection: Connection) -> dict[str, int]:
    found = {}
    for table in backup.COUNTED:
        query = text(f"SELECT count(*) FROM {table}")  # noqa: S608 - our own names
        if connection.dialect.has_table(connection, table):
            found[table] = int(connection.scalar(query) or 0)
    return found


def _refuse_without_space(path: Path) -> None:
    """Raise StoreError unless the disk has room for a backup, a rebuilt table and a journal."""
    needed = 3 * path.stat().st_size + MARGIN
    free = shutil.disk_usage(path.parent).free
    if free < needed:
        raise StoreError(
            f"{path} must be brought up to date, which needs {needed / 2**20:,.0f} MiB of free space; there are "
            f"{free / 2**20:,.0f} MiB: nothing was changed.",
            IO,
        )


def _failed(path: Path, version: int, error: Exception, saved: list[Path]) -> StoreError:
    """The sentence about a change that failed, once it is seen that the file is what it was."""
    if isinstance(error, SQLAlchemyError):
        cause = from_database(error, str(path))
    elif isinstance(error, StoreError):
        cause = error
    else:
        cause = StoreError(f"{type(error).__name__}: {error}", INTERNAL)
    if not saved:
        return cause
    restore = f"`planner --db {path} db restore {saved[0].name}`"
    try:
        unchanged = inspect(path).version == version
        with contextlib.closing(connect_sqlite(path, "ro")) as connection:
            unchanged = unchanged and not problems_in(connection, 1)
    except (StoreError, sqlite3.Error):
        unchanged = False
    state = "it is as it was" if unchanged else "it may not be what it was"
    return StoreError(
        f"{path} could not be brought up to date, {state}: {str(cause).rstrip('.')}. Its backup is {saved[0]}; to go "
        f"back to it: {restore}.",
        cause.exit_code,
    )
