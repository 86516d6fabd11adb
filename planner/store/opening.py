"""Opening a library: what lies there is found out first, and nothing is written before that is known."""

from __future__ import annotations

import contextlib
import os
import secrets
import sqlite3
from datetime import date
from pathlib import Path

from sqlalchemy.exc import SQLAlchemyError

from planner.store import backup, examples
from planner.store.checking import problems_in
from planner.store.database import Database, login
from planner.store.engines import connect_sqlite, sqlite_engine
from planner.store.errors import PERMISSION, BusyError, DamagedError, NotFoundError, StoreError, code_of_writing
from planner.store.inspection import inspect
from planner.store.library import Library
from planner.store.location import Location, locate
from planner.store.tables import SCHEMA_VERSION
from planner.store.translation import from_database, from_sqlite

_NETWORK = frozenset(
    ("nfs", "nfs4", "cifs", "smb3", "smbfs", "afs", "ceph", "9p", "fuse.sshfs", "fuse.glusterfs", "lustre", "beegfs")
)


def open_library(where: str | Path | None, *, create: bool = True) -> Library:
    """See planner.store.open_library()."""
    database = open_database(where, create=create)
    try:
        return Library(database)
    except BaseException:
        database.close()
        raise


def open_database(where: str | Path | None, *, create: bool = True, filled: bool = True) -> Database:
    """The database at ``where``; a new one is ``filled`` with the examples, or left without any workspace."""
    location = locate(where)
    if location.path is not None:
        return open_file(location, create=create, filled=filled)
    from planner.store import server  # noqa: PLC0415 - the PostgreSQL driver is loaded for a server alone

    return server.open_server(location, create=create, filled=filled)


def open_file(location: Location, *, create: bool, filled: bool = True) -> Database:
    """The SQLite database at ``location``, made where ``create`` allows it, brought up to date where it is older."""
    path = location.path
    assert path is not None  # noqa: S101 - the caller's choice
    made = False
    if create and not os.path.lexists(path):
        _refuse_lost(location)
        made = create_file(path, make_folder=location.is_default, filled=filled)
    found = inspect(path)
    reason = why_read_only(path)
    if found.version < SCHEMA_VERSION and reason:
        raise StoreError(
            f"{path} was made by an older planner and must be brought up to date, but cannot be written: {reason}",
            PERMISSION,
        )
    if found.version < SCHEMA_VERSION:
        from planner.store.upgrading import upgrade_file  # noqa: PLC0415 - Alembic is loaded only to migrate

        upgrade_file(path)
        found = inspect(path)
    if found.is_wal and not reason:
        reason = leave_wal(path)
    if found.crashed:
        quick_check(path)
    database = Database(
        engine=sqlite_engine(path, "ro" if reason else "rw", immutable=found.immutable),
        description=location.description,
        path=path,
        identity=(found.device, found.inode),
        read_only_reason=reason,
        who=login(),
        warnings=network_warning(path),
        is_new=made,
    )
    database.before_write = DailyBackup(database)
    return database


class DailyBackup:
    """Takes the backup of the day before its first change. Its failure does not keep anybody from working, unless the
    library itself does not pass the check."""

    def __init__(self, database: Database) -> None:
        self.database = database
        self.day: date | None = None

    def __call__(self) -> None:
        """Take it where it is due. Raises DamagedError; then the library is read-only from here on."""
        moment = self.database.clock()
        today = moment.astimezone().date()
        if self.day == today or self.database.path is None:
            return
        self.day = today
        try:
            backup.take_daily(self.database.path, moment, patience=self.database.patience)
        except BusyError:
            # The change would find it locked too, and the next one tries again.
            self.day = None
            raise
        except DamagedError as error:
            self.database.read_only_reason = "its check failed: run `planner db doctor`, or `planner db restore`."
            raise DamagedError(
                f"{self.database.description} did not pass its check before the first change of the "
                f"day; nothing was changed. {error}"
            ) from None
        except StoreError as error:
            self.database.warnings = (*self.database.warnings, f"Today's backup was not taken. {error}")


def quick_check(path: Path) -> None:
    """Look a file through that a program ended without closing. Raises DamagedError."""
    try:
        connection = connect_sqlite(path, "ro")
        try:
            problems = problems_in(connection, 1, quickly=True)
        finally:
            connection.close()
    except sqlite3.Error as error:
        raise from_sqlite(error, str(path)) from None
    if problems:
        raise DamagedError(
            f"{path} is damaged: {problems[0]}. It was left as it is: run `planner db doctor`, or "
            "`planner db restore` for the last backup."
        )


def _refuse_lost(location: Location) -> None:
    """Raise NotFoundError when the default file is gone although backups of it are there: a new one would hide that."""
    path = location.path
    if not location.is_default or path is None:
        return
    backups = sorted((path.parent / "backups").glob(f"{path.stem}-*.db"))
    if backups:
        raise NotFoundError(
            f"{path} is missing although there are backups of it, the last {backups[-1].name}: bring it back with "
            "`planner db restore`, or name a new file with --db."
        )


def create_file(path: Path, *, make_folder: bool = False, filled: bool = True, called: Path | None = None) -> bool:
    """Make a library, with the examples where it is to be ``filled``, whole or not at all; False where another program
    was quicker.

    Raises StoreError (73, 74 or 77) when it cannot be created there, which names ``called`` in place of ``path``.
    """
    shown = called or path
    from planner.store.migrating import migrate  # noqa: PLC0415 - Alembic is loaded only to migrate

    temporary = path.with_name(f".{path.name}.{os.getpid()}-{secrets.token_hex(4)}.new")
    try:
        if make_folder:
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        os.close(os.open(temporary, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
        try:
            engine = sqlite_engine(temporary, "rw")
            migrate(engine)
            database = Database(engine, str(path), who=login())
            try:
                if filled:
                    examples.fill(database)
            finally:
                database.close()
            return publish(temporary, path)
        finally:
            for leftover in (temporary, temporary.with_name(temporary.name + "-journal")):
                with contextlib.suppress(FileNotFoundError):
                    leftover.unlink()
    except OSError as error:
        raise StoreError(f"{shown} cannot be created: {error.strerror or error}.", code_of_writing(error)) from None
    except sqlite3.Error as error:
        raise from_sqlite(error, str(shown)) from None
    except SQLAlchemyError as error:
        raise from_database(error, str(shown)) from None


def publish(temporary: Path, path: Path) -> bool:
    """Give the complete file its name; False where something has that name by now. Raises OSError."""
    try:
        os.link(temporary, path)
    except FileExistsError:
        return False
    except OSError:
        # A file system without hard links: take the name first, so that nobody else's file is replaced.
        try:
            os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        except FileExistsError:
            return False
        temporary.replace(path)
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
    return True


def why_read_only(path: Path) -> str:
    """Why the file at ``path`` can only be read; empty where it can be written."""
    if not os.access(path, os.W_OK):
        return "the file may not be written (its permissions, or a read-only file system)."
    if not os.access(path.parent, os.W_OK):
        return "its folder may not be written, and SQLite keeps a journal there."
    return ""


def leave_wal(path: Path) -> str:
    """Bring a file out of write-ahead mode, which needs more than the one file; a reason where that fails."""
    try:
        connection = connect_sqlite(path, "rw", timeout=1)
        try:
            mode = connection.execute("PRAGMA journal_mode=DELETE").fetchone()
        finally:
            connection.close()
    except sqlite3.Error:
        mode = None
    if mode is not None and mode[0] == "delete":
        return ""
    return "it is in write-ahead mode and another program has it open; close that one and open it again."


def network_warning(path: Path) -> tuple[str, ...]:
    """A warning when the file lies on a network file system, whose locks may not hold between machines."""
    kind = file_system(path)
    if kind not in _NETWORK:
        return ()
    return (
        f"{path} is on a network file system ({kind}): use it from one machine at a time, or PostgreSQL for a team.",
    )


def file_system(path: Path) -> str:
    """The type of the file system that holds ``path``, as Linux names it; empty where it is not known."""
    try:
        lines = Path("/proc/self/mountinfo").read_text(encoding="utf-8", errors="replace").splitlines()
        real = path.resolve()
    except OSError:
        return ""
    best, kind = -1, ""
    for line in lines:
        head, _, tail = line.partition(" - ")
        fields = head.split()
        if len(fields) < 5 or not tail:
            continue
        mount = Path(fields[4].replace("\\040", " "))
        if (real == mount or mount in real.parents) and len(mount.parts) >= best:
            best, kind = len(mount.parts), tail.split()[0]
    return kind
