"""Looking a library through, row by row, and saving what can still be read of a damaged one."""

from __future__ import annotations

import contextlib
import sqlite3
import stat
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from sqlalchemy import func, select, true
from sqlalchemy.orm import Session

from planner.model.fields import printable
from planner.store.columns import UNKNOWN_TIME, Unreadable
from planner.store.database import Database
from planner.store.engines import connect_sqlite, sqlite_engine
from planner.store.errors import StoreError
from planner.store.inspection import HEADER, MAGIC, Header
from planner.store.names import name_key
from planner.store.reading import list_scenarios, to_workspace
from planner.store.snapshots import digest_of
from planner.store.tables import (
    APPLICATION_ID,
    Base,
    ChangeRow,
    InstanceRow,
    RevisionRow,
    ScenarioRow,
    SnapshotRow,
    WorkspaceRow,
)

MOST = 200
LAST_ROW = 2**63 - 1


@dataclass(slots=True)
class Report:
    """What the doctor found: ``problems`` need somebody, ``notes`` are good to know."""

    problems: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    checked: dict[str, int] = field(default_factory=dict)

    @property
    def sound(self) -> bool:
        """Whether nothing is wrong."""
        return not self.problems


def examine_file(path: Path) -> Report:
    """What SQLite itself and the file's header say of ``path``; nothing is written. Raises StoreError (66, 77)."""
    report = Report()
    if not path.is_file():
        raise StoreError(f"{path} is not a file.", 66)
    try:
        with path.open("rb") as file:
            content = file.read(HEADER)
        mode = path.stat().st_mode
    except OSError as error:
        raise StoreError(f"{path} cannot be read: {error.strerror}.", 66) from None
    if not content.startswith(MAGIC):
        report.problems.append("The header is not that of a SQLite database.")
    elif Header.read(content).application_id != APPLICATION_ID:
        report.problems.append("The header does not say that the file is the planner's.")
    if mode & (stat.S_IRWXG | stat.S_IRWXO):
        report.notes.append(f"Others on this machine may read it (mode {stat.S_IMODE(mode):o}).")
    try:
        with contextlib.closing(connect_sqlite(path, "ro")) as connection:
            for (line,) in connection.execute(f"PRAGMA integrity_check({MOST})"):
                report.problems += [printable(part) for part in str(line).splitlines() if line != "ok"]
            for table, row, parent, _ in connection.execute("PRAGMA foreign_key_check").fetchmany(MOST):
                report.problems.append(f"{table} {row} refers to a row of {parent} that is missing.")
    except sqlite3.Error as error:
        report.problems.append(f"SQLite cannot read it through: {error}.")
    return report


def examine(database: Database, report: Report) -> Report:
    """Add to ``report`` what every row of ``database`` holds that cannot be right."""
    with database.reading() as session:
        for table in Base.metadata.sorted_tables:
            report.checked[table.name] = session.scalar(select(func.count()).select_from(table)) or 0
        for row in session.scalars(select(WorkspaceRow)):
            workspace = to_workspace(row, 0)
            for deleted in (False, True):
                for one in list_scenarios(session, workspace, deleted=deleted):
                    report.problems += [f"Scenario {one.id}: {text}" for text in one.damaged.values()]
        report.problems += _scenarios(session)
        report.problems += _revisions(session)
        report.problems += _snapshots(session)
        noted = session.scalars(select(InstanceRow)).all()
    if noted:
        report.notes.append(f"{len(noted)} programs are noted as using it, or ended without closing it.")
    return report


def _scenarios(session: Session) -> Iterator[str]:
    query = select(
        ScenarioRow.id,
        ScenarioRow.name,
        ScenarioRow.name_key,
        ScenarioRow.tags,
        ScenarioRow.modified_at,
        ScenarioRow.is_baseline,
    )
    for identifier, name, key, tags, modified, baseline in session.execute(query):
        shown = printable(str(name))
        if key != name_key(str(name)):
            yield f"Scenario {identifier}: the name '{shown}' and its key do not agree."
        if isinstance(tags, Unreadable) or not isinstance(tags, list):
            yield f"Scenario {identifier}: the tags of '{shown}' cannot be read."
        if modified == UNKNOWN_TIME:
            yield f"Scenario {identifier}: the time of the last change of '{shown}' cannot be read."
        if not isinstance(baseline, bool):
            yield f"Scenario {identifier}: whether '{shown}' is the baseline cannot be read."
    counted = (
        select(ScenarioRow.workspace_id, func.count())
        .where(ScenarioRow.deleted_at.is_(None))
        .group_by(ScenarioRow.workspace_id)
    )
    baselines = dict(session.execute(counted.where(ScenarioRow.is_baseline == true())).all())
    for workspace, _ in session.execute(counted):
        if baselines.get(workspace, 0) != 1:
            yield f"Workspace {workspace} has {baselines.get(workspace, 0)} baselines, not one."


def _revisions(session: Session) -> Iterator[str]:
    query = select(RevisionRow.id, RevisionRow.at, RevisionRow.before, RevisionRow.after)
    for identifier, at, before, after in session.execute(query):
        if at == UNKNOWN_TIME:
            yield f"Revision {identifier}: its time cannot be read."
        if isinstance(before, Unreadable) or isinstance(after, Unreadable):
            yield f"Revision {identifier}: what it changed cannot be read."
    parts = select(ChangeRow.revision_id, ChangeRow.scenario_id, ChangeRow.before, ChangeRow.after)
    for revision, scenario, before, after in session.execute(parts):
        if not isinstance(before, dict) or not isinstance(after, dict):
            yield f"Revision {revision}: what it changed in scenario {scenario} cannot be read."


def _snapshots(session: Session) -> Iterator[str]:
    for identifier, name, digest, content in session.execute(
        select(SnapshotRow.id, SnapshotRow.name, SnapshotRow.digest, SnapshotRow.content)
    ):
        if not isinstance(content, list) or digest_of(content) != digest:
            yield f"Snapshot {identifier} ('{printable(str(name))}') is not what was saved."


def salvage(path: Path, target: Path) -> Report:
    """Save every row of ``path`` that can be read and passes the tables' rules in a new library ``target``.

    The report counts the saved rows and names what is lost. Raises StoreError when ``target`` exists.
    """
    from planner.store.migrating import migrate  # noqa: PLC0415 - Alembic is loaded only to migrate

    if target.exists():
        raise StoreError(f"{target} exists already; nothing was changed.", 73)
    report = Report()
    engine = sqlite_engine(target, "rwc")
    migrate(engine)
    engine.dispose()
    target.chmod(0o600)
    with (
        contextlib.closing(connect_sqlite(path, "ro")) as source,
        contextlib.closing(connect_sqlite(target, "rw")) as saved,
    ):
        saved.execute("BEGIN IMMEDIATE")
        for table in Base.metadata.sorted_tables:
            if table.name != "instance":
                _salvage_table(source, saved, table.name, report)
        saved.execute("COMMIT")
    return report


def _salvage_table(source: sqlite3.Connection, saved: sqlite3.Connection, table: str, report: Report) -> None:
    columns = [row[1] for row in saved.execute(f"PRAGMA table_info({table})")]
    marks = ", ".join("?" for _ in columns)
    number = 0
    for row in _rows(source, table, columns, report):
        try:
            saved.execute(f"INSERT OR REPLACE INTO {table} ({', '.join(columns)}) VALUES ({marks})", row)  # noqa: S608
            number += 1
        except (sqlite3.Error, UnicodeError) as error:
            report.problems.append(f"{table} {printable(str(row[0]))} is lost: {error}.")
    report.checked[table] = number


def _rows(source: sqlite3.Connection, table: str, columns: list[str], report: Report) -> Iterator[tuple[object, ...]]:
    """The rows of ``table`` in order; where reading breaks off, it goes on behind the damage."""
    after, misses, step = -1, 0, 1
    names = ", ".join(columns)
    while misses < 64 and after <= LAST_ROW:
        try:
            query = f"SELECT rowid, {names} FROM {table} WHERE rowid > ? ORDER BY rowid"  # noqa: S608 - our own names
            for identifier, *values in source.execute(query, (after,)):
                after, misses, step = identifier, 0, 1
                yield tuple(values)
            return
        except sqlite3.Error as error:
            if not misses:
                report.problems.append(f"{table} cannot be read behind row {after}: {error}.")
            misses += 1
            after += step
            step *= 2
