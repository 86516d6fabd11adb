"""Backups of a SQLite library: verified before they get their name, thinned, and put back whole.

They lie in the folder ``backups`` beside the file, as ``NAME-UTC.db``, or ``NAME-pre-VERSION-UTC.db`` before the
tables were changed.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import re
import shutil
import sqlite3
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path

from planner.store.checking import problems_in
from planner.store.engines import BUSY_SECONDS, busy_error, connect_sqlite, is_busy
from planner.store.errors import CANNOT_CREATE, IO, BusyError, DamagedError, NotFoundError, StoreError, code_of_writing
from planner.store.failpoints import failpoint
from planner.store.inspection import look_at
from planner.store.journals import stray_journal
from planner.store.translation import from_sqlite

FOLDER = "backups"
_STAMP = "%Y%m%dT%H%M%SZ"
_NAME = re.compile(r"^(?P<stem>.+?)-(?:pre-(?P<pre>[0-9a-z]+)-)?(?P<stamp>\d{8}T\d{6}Z)(?:-(?P<again>\d+))?\.db$")
KEEP_ALL = timedelta(days=2)
KEEP_DAYS, KEEP_WEEKS, KEEP_MONTHS = 7, 4, 12
ALWAYS = 10
"""The newest backups that stay whatever the clock says."""
ABANDONED = 3600
"""Seconds after which nobody still writes a backup."""
LONG_AGO = timedelta(days=31)
_LOCK_START, _LOCK_BYTES = 0x40000000, 512
COUNTED = ("workspace", "scenario", "revision", "revision_change", "snapshot", "catalogue_entry")


@dataclass(frozen=True, slots=True)
class Backup:
    """A backup file: when it was taken by its name, and the table version that it was taken before, if any."""

    path: Path
    at: datetime
    before: str = ""
    again: int = 0


def folder_of(path: Path) -> Path:
    """The folder of the backups of the library ``path``."""
    return path.parent / FOLDER


def list_backups(path: Path) -> list[Backup]:
    """All backups of the library ``path``, newest first."""
    found = []
    with contextlib.suppress(OSError):
        for file in folder_of(path).iterdir():
            match = _NAME.match(file.name)
            if match and match["stem"] == path.stem and file.is_file():
                at = datetime.strptime(match["stamp"], _STAMP).replace(tzinfo=UTC)
                found.append(Backup(file, at, match["pre"] or "", int(match["again"] or 0)))
    return sorted(found, key=lambda backup: (backup.at, backup.again), reverse=True)


def counts(connection: sqlite3.Connection) -> dict[str, int]:
    """The number of rows of each table that holds a person's work."""
    there = {name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    found = {}
    for table in COUNTED:
        if table in there:
            (found[table],) = connection.execute(f"SELECT count(*) FROM {table}").fetchone()  # noqa: S608 - our names
    return found


def last_revision(path: Path, *, patience: float = BUSY_SECONDS) -> tuple[int, int]:
    """The newest revision of the file and their number, which tell whether two files hold the same.

    Raises sqlite3.Error.
    """
    with contextlib.closing(connect_sqlite(path, "ro", timeout=patience)) as connection:
        newest, number = connection.execute("SELECT coalesce(max(id), 0), count(*) FROM revision").fetchone()
    return newest, number


def verify(path: Path) -> dict[str, int]:
    """The row counts of a library file in which SQLite finds nothing wrong. Raises DamagedError otherwise."""
    look_at(path)
    try:
        with contextlib.closing(connect_sqlite(path, "ro")) as connection:
            problems = problems_in(connection, 3)
            orphans = connection.execute("PRAGMA foreign_key_check").fetchone()
            found = counts(connection)
    except sqlite3.Error as error:
        raise from_sqlite(error, str(path)) from None
    if problems or orphans:
        what = problems[0] if problems else f"rows of {orphans[0]} refer to rows that are missing"
        raise DamagedError(f"{path} is damaged: {what}.")
    return found


def take(
    path: Path, moment: datetime, *, before: str = "", target: Path | None = None, patience: float = BUSY_SECONDS
) -> Backup:
    """A verified backup of the library ``path`` as it is at ``moment``, in its folder or at ``target``.

    ``patience`` is how many seconds it waits for somebody else's lock. Raises StoreError when the backup cannot be
    written or does not pass its check; then no file is left and earlier backups are as they were.
    """
    if target is None:
        target = _free_name(path, moment, before)
    temporary = target.with_name(f".{target.name}.{os.getpid()}.tmp")
    try:
        target.parent.mkdir(mode=0o700, exist_ok=True)
        os.close(os.open(temporary, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
        try:
            _copy(path, temporary, patience)
            failpoint("backup-copied")
            verify(temporary)
            if target.exists():
                raise StoreError(f"{target} exists already; nothing was changed.", CANNOT_CREATE)
            temporary.replace(target)
            sync_folder(target.parent)
        finally:
            for leftover in (temporary, temporary.with_name(temporary.name + "-journal")):
                leftover.unlink(missing_ok=True)
        _sweep(path, moment)
    except OSError as error:
        what = f"The backup {target} cannot be written: {error.strerror or error}; {path} is as it was."
        raise StoreError(what, code_of_writing(error)) from None
    except sqlite3.Error as error:
        name = str(path) if is_busy(error) else f"the backup {target}"
        raise from_sqlite(error, name, waited=patience) from None
    failpoint("backup-done")
    return Backup(target, moment, before)


def _sweep(path: Path, moment: datetime) -> None:
    """Remove what programs that were killed left half written of backups and restores of ``path``, an hour ago."""
    left = [*folder_of(path).glob(f".{path.stem}-*.tmp*"), *path.parent.glob(f".{path.name}.*.restore*")]
    for file in left:
        with contextlib.suppress(OSError):
            if moment.timestamp() - file.stat().st_mtime > ABANDONED:
                file.unlink()


def _free_name(path: Path, moment: datetime, before: str) -> Path:
    stamp = moment.astimezone(UTC).strftime(_STAMP)
    pre = f"pre-{before}-" if before else ""
    target = folder_of(path) / f"{path.stem}-{pre}{stamp}.db"
    again = 1
    while target.exists():
        again += 1
        target = folder_of(path) / f"{path.stem}-{pre}{stamp}-{again}.db"
    return target


def _copy(source: Path, target: Path, patience: float = BUSY_SECONDS) -> None:
    """Copy every page of ``source`` to the empty file ``target``, as one state, and to the disk."""
    with (
        contextlib.closing(connect_sqlite(source, "ro", timeout=patience)) as reader,
        contextlib.closing(connect_sqlite(target, "rw")) as writer,
    ):
        deadline = time.monotonic() + patience

        def look(status: int, *_: int) -> None:
            """Python itself would try again without end."""
            if status == sqlite3.SQLITE_BUSY and time.monotonic() > deadline:
                raise busy_error()

        reader.backup(writer, progress=look)
    sync_file(target)


def sync_file(path: Path) -> None:
    """See that the content of ``path`` is on the disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def sync_folder(path: Path) -> None:
    """See that the names in the folder ``path`` are on the disk."""
    sync_file(path)


def take_daily(path: Path, moment: datetime, *, patience: float = BUSY_SECONDS) -> Backup | None:
    """A backup at the start of an editing day, unless nothing has changed since the last one; then thin them.

    Raises StoreError when it cannot be taken or the library does not pass its check.
    """
    ordinary = [backup for backup in list_backups(path) if not backup.before]
    if ordinary and ordinary[0].at.astimezone().date() == moment.astimezone().date():
        return None
    if ordinary:
        try:
            if last_revision(ordinary[0].path) == last_revision(path, patience=patience):
                return None
        except sqlite3.Error as error:
            if is_busy(error):
                raise from_sqlite(error, str(path), waited=patience) from None
    backup = take(path, moment, patience=patience)
    for surplus in to_thin([backup, *ordinary], moment):
        with contextlib.suppress(OSError):
            surplus.path.unlink()
    return backup


def to_thin(backups: Iterable[Backup], moment: datetime) -> list[Backup]:
    """The ordinary ``backups`` that are no longer needed at ``moment``.

    Kept are all of two days, then one of each of 7 days, 4 weeks and 12 months, one of each year, and always the
    newest ten. Nothing goes when the clock cannot be right: when a backup is from the future, or when two of the
    newest that follow one another are more than a month apart.
    """
    ordered = sorted((one for one in backups if not one.before), key=lambda one: (one.at, one.again), reverse=True)
    if len(ordered) <= ALWAYS or ordered[0].at - moment > timedelta(minutes=5):
        return []
    if any(later.at - earlier.at > LONG_AGO for later, earlier in pairwise(ordered[: ALWAYS + 1])):
        return []
    keep = set(ordered[:ALWAYS]) | {one for one in ordered if moment - one.at <= KEEP_ALL}
    for number, period in (
        (KEEP_DAYS, "%Y-%m-%d"),
        (KEEP_WEEKS, "%G-%V"),
        (KEEP_MONTHS, "%Y-%m"),
        (len(ordered), "%Y"),
    ):
        newest: dict[str, Backup] = {}
        for one in ordered:
            newest.setdefault(one.at.strftime(period), one)
        keep |= set(list(newest.values())[:number])
    return [one for one in ordered if one not in keep]


def find(path: Path, name: str | None) -> Path:
    """The backup called ``name`` (a path, or a name in the folder), or the newest that passes its check.

    Raises NotFoundError, DamagedError.
    """
    known = list_backups(path)
    if name is not None:
        for candidate in (Path(name), folder_of(path) / name):
            # A name that is longer than one may be is none.
            with contextlib.suppress(OSError):
                if candidate.is_file():
                    return candidate
        hint = f"; the newest is {known[0].path.name}" if known else ""
        raise NotFoundError(f"There is no backup {name}{hint}.")
    for backup in known:
        with contextlib.suppress(StoreError):
            verify(backup.path)
            return backup.path
    raise NotFoundError(f"There is no sound backup of {path} in {folder_of(path)}.")


def restore(path: Path, source: Path, moment: datetime) -> list[Path]:
    """Put a verified copy of the backup ``source`` in the place of the library ``path``.

    What was there is kept beside it with its journals, as ``NAME.damaged-UTC``; their paths are returned. Raises
    StoreError when the backup does not pass its check or the library is in use; then nothing was changed.
    """
    verify(source)
    aside = path.with_name(f"{path.name}.damaged-{moment.astimezone(UTC).strftime(_STAMP)}")
    temporary = path.with_name(f".{path.name}.{os.getpid()}.restore")
    kept: list[Path] = []
    try:
        # To ask SQLite whether the file is in use would put back a journal that is not its own.
        if not path.is_file() or stray_journal(path) is None:
            _refuse_in_use(path)
        os.close(os.open(temporary, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
        try:
            _copy(source, temporary)
            verify(temporary)
            failpoint("restore-copied")
            if path.exists():
                _keep(path, aside)
                kept.append(aside)
            for ending in ("-journal", "-wal", "-shm"):
                journal = path.with_name(path.name + ending)
                if journal.exists():
                    journal.replace(aside.with_name(aside.name + ending))
                    kept.append(aside.with_name(aside.name + ending))
            failpoint("restore-aside")
            temporary.replace(path)
            sync_folder(path.parent)
        finally:
            temporary.unlink(missing_ok=True)
    except OSError as error:
        what = f"{path} cannot be restored: {error.strerror or error}; it is as it was."
        raise StoreError(what, code_of_writing(error)) from None
    except sqlite3.Error as error:
        is_full = (error.sqlite_errorcode or 0) & 0xFF == sqlite3.SQLITE_FULL
        raise from_sqlite(error, str(path if is_full else source)) from None
    return kept


def _keep(path: Path, aside: Path) -> None:
    """Give ``path`` the second name ``aside``, so that there is a file at ``path`` all the time."""
    if aside.exists():
        raise StoreError(f"{aside} exists already; nothing was changed: try again in a second.", IO)
    try:
        os.link(path, aside)
    except OSError:
        shutil.copy2(path, aside)
        sync_file(aside)


def _refuse_in_use(path: Path) -> None:
    """Raise BusyError when another program reads or writes ``path``.

    SQLite's own lock bytes are tried, for opening the file with SQLite could play a journal into it that is not its
    own. https://www.sqlite.org/lockingv3.html
    """
    if not path.is_file():
        return
    with path.open("r+b") as file:
        try:
            fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB, _LOCK_BYTES, _LOCK_START)
            fcntl.lockf(file, fcntl.LOCK_UN, _LOCK_BYTES, _LOCK_START)
        except OSError as error:
            if error.errno not in (errno.EACCES, errno.EAGAIN):
                raise
            raise BusyError(
                f"Another program is using {path}, so that it is locked; nothing was changed: close it there first."
            ) from None


def describe(backups: Sequence[Backup]) -> list[str]:
    """One line for each of ``backups``: name, time and size."""
    return [
        f"{one.path.name}  {one.at:%Y-%m-%d %H:%M} UTC  {one.path.stat().st_size:,} B"
        + (f"  before version {one.before} of the tables" if one.before else "")
        for one in backups
    ]
