"""What is done to a whole library, on command: upgrade, backup, restore, doctor, copy and purge."""

from __future__ import annotations

import os
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from planner.store import backup, copying, doctor, opening, purging, salvaging, workspaces
from planner.store.backup import Backup
from planner.store.database import Database, now
from planner.store.doctor import Report
from planner.store.errors import CANNOT_CREATE, DATA, NotFoundError, StoreError
from planner.store.inspection import inspect
from planner.store.library import Library
from planner.store.location import locate
from planner.store.reading import list_workspaces
from planner.store.records import Workspace
from planner.store.tables import SCHEMA_VERSION


@dataclass(frozen=True, slots=True)
class Restored:
    """What a restore did: the backup that was used, and where what was there before is kept."""

    source: Path
    kept: tuple[Path, ...]


def _file(where: str | Path | None, what: str) -> Path:
    location = locate(where)
    if location.path is None:
        raise StoreError(f"{location.description} is on a server: {what} is a matter of its administrator's tools.", 2)
    return location.path


def upgrade(where: str | Path | None = None) -> tuple[int, Path | None]:
    """Bring the library up to date: the version of its tables now, and the backup that was taken before, if any.

    Raises StoreError.
    """
    location = locate(where)
    from planner.store import server, upgrading  # noqa: PLC0415 - Alembic and psycopg are loaded where needed

    if location.path is None:
        server.upgrade_server(location)
        return SCHEMA_VERSION, None
    return SCHEMA_VERSION, upgrading.upgrade_file(location.path)


def take_backup(
    where: str | Path | None = None, target: str | Path | None = None, *, moment: datetime | None = None
) -> Backup:
    """A verified backup of the library, in its folder of backups or in the new file ``target``.

    A library on a server is copied into a SQLite library, for which ``target`` must be given. Raises StoreError.
    """
    moment = moment or now()
    location = locate(where)
    path = Path(target) if target is not None else None
    if path is not None and os.path.lexists(path):
        raise StoreError(f"{path} exists already; nothing was changed.", CANNOT_CREATE)
    if location.path is not None:
        inspect(location.path)
        return backup.take(location.path, moment, target=path)
    if path is None:
        raise StoreError(f"{location.description} is on a server: name the file that the backup goes to.", 2)
    source = opening.open_database(where, create=False)
    try:
        copy_all(source, path)
    finally:
        source.close()
    return Backup(path, moment)


def copy_all(source: Database, path: Path) -> None:
    """Copy every workspace and own entry of ``source`` into the new library file ``path``."""
    target = opening.open_database(path, filled=False)
    try:
        with source.reading() as session:
            known = list_workspaces(session)
        for workspace in known:
            copying.copy_workspace(source, workspace, target)
        copying.copy_entries(source, target)
    finally:
        target.close()


def backups(where: str | Path | None = None) -> list[Backup]:
    """The backups of a library file, newest first."""
    return backup.list_backups(_file(where, "backing up"))


def restore(where: str | Path | None = None, name: str | None = None, *, moment: datetime | None = None) -> Restored:
    """Put a backup in the place of the library: the one called ``name``, or the newest that passes its check.

    What was there is kept beside it. Raises StoreError.
    """
    path = _file(where, "restoring")
    source = backup.find(path, name)
    return Restored(source, tuple(backup.restore(path, source, moment or now())))


def examine(where: str | Path | None = None) -> Report:
    """Look the whole library through; nothing is written. Raises StoreError when it is none."""
    location = locate(where)
    report = Report()
    if location.path is not None:
        if not os.path.lexists(location.path):
            raise NotFoundError(f"There is no file {location.path}.")
        report = doctor.examine_file(location.path)
    try:
        with opening.open_library(where, create=False) as library:
            _examine_rows(library.database, report)
    except StoreError as error:
        if location.path is None or not report.problems or error.exit_code in doctor.CANNOT_TELL:
            raise
        report.problems.append(str(error))
    return report


def _examine_rows(database: Database, report: Report) -> None:
    try:
        doctor.examine(database, report)
    except StoreError as error:
        # That a row cannot be read is what was to be found out.
        if error.exit_code != DATA:
            raise
        report.problems.append(str(error))


def salvage(where: str | Path | None, target: str | Path) -> Report:
    """Save all that can be read of a damaged library file in the new library ``target``. Raises StoreError."""
    return salvaging.salvage(_file(where, "saving what can be read"), Path(target))


def copy(source: str | Path, target: str | Path, workspace: str | None = None, name: str | None = None) -> Workspace:
    """Copy a workspace (the one last used, or ``workspace``) of one library to another, made where it is missing.

    ``name`` is its name there. Raises StoreError.
    """
    first = opening.open_database(source, create=False)
    try:
        if workspace is None:
            last = workspaces.last_used(first)
            if last is None:
                raise NotFoundError(f"There is no workspace in {first.description}.")
            chosen = last
        else:
            with first.reading() as session:
                chosen = workspaces.find(session, workspace)
        second = opening.open_database(target, filled=False)
        try:
            copied = copying.copy_workspace(first, chosen, second, name)
            copying.copy_entries(first, second)
            return copied
        finally:
            second.close()
    finally:
        first.close()


def purge(library: Library, days: float = purging.DAYS) -> dict[str, int]:
    """Remove for good what has been in the bin for more than ``days``, after a backup of a library file.

    Raises InputError, StoreError.
    """
    database = library.database
    database.check_writable()
    if database.path is not None:
        backup.take(database.path, database.clock())
    return purging.purge(database, days)
