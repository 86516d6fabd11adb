"""Looking a library through, row by row."""

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
from planner.model.inputs import INPUTS
from planner.store.checking import problems_in
from planner.store.columns import UNKNOWN_TIME, Unreadable
from planner.store.database import Database
from planner.store.descriptions import label_of, value_shown
from planner.store.documents import OWN, document
from planner.store.engines import connect_sqlite
from planner.store.errors import BUSY, IO, NO_INPUT, PERMISSION, StoreError, code_of_reading
from planner.store.history import told
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
from planner.store.translation import from_sqlite

MOST = 200
CANNOT_TELL = (BUSY, IO, PERMISSION)
"""Exit codes of errors that say nothing about what the file holds."""


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
    """What SQLite itself and the file's header say of ``path``; nothing is written.

    Raises StoreError where that cannot be found out: no file (66), the disk (74), locked (75), not permitted (77).
    """
    report = Report()
    if not path.is_file():
        raise StoreError(f"{path} is not a file.", NO_INPUT)
    try:
        with path.open("rb") as file:
            content = file.read(HEADER)
        mode = path.stat().st_mode
    except OSError as error:
        raise StoreError(f"{path} cannot be read: {error.strerror}.", code_of_reading(error)) from None
    if not content.startswith(MAGIC):
        report.problems.append("The header is not that of a SQLite database.")
    elif Header.read(content).application_id != APPLICATION_ID:
        report.problems.append("The header does not say that the file is the planner's.")
    if mode & (stat.S_IRWXG | stat.S_IRWXO):
        report.notes.append(f"Others on this machine may read it (mode {stat.S_IMODE(mode):o}).")
    try:
        with contextlib.closing(connect_sqlite(path, "ro")) as connection:
            report.problems += [printable(line) for line in problems_in(connection, MOST)]
            for table, row, parent, _ in connection.execute("PRAGMA foreign_key_check").fetchmany(MOST):
                report.problems.append(f"{table} {row} refers to a row of {parent} that is missing.")
    except sqlite3.Error as error:
        cause = from_sqlite(error, str(path))
        # A file that is locked, or on a disk that does not give it, may be as sound as any.
        if cause.exit_code in CANNOT_TELL:
            raise cause from None
        report.problems.append(f"SQLite cannot read it through: {error}.")
    return report


def examine(database: Database, report: Report) -> Report:
    """Add to ``report`` what every row of ``database`` holds that cannot be right."""
    with database.reading() as session:
        for table in Base.metadata.sorted_tables:
            report.checked[table.name] = session.scalar(select(func.count()).select_from(table)) or 0
            # A column of which the name is damaged is missed by nothing that does not ask for it.
            session.execute(select(table).limit(1))
        for row in session.scalars(select(WorkspaceRow)):
            workspace = to_workspace(row, 0)
            for deleted in (False, True):
                for one in list_scenarios(session, workspace, deleted=deleted):
                    report.problems += [f"Scenario {one.id}: {text}" for text in one.damaged.values()]
        report.problems += _scenarios(session)
        _revisions(session, report)
        report.problems += _against_history(session)
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


def _revisions(session: Session, report: Report) -> None:
    query = select(RevisionRow.id, RevisionRow.at, RevisionRow.before, RevisionRow.after)
    for identifier, at, before, after in session.execute(query):
        if at == UNKNOWN_TIME:
            report.problems.append(f"Revision {identifier}: its time cannot be read.")
        if isinstance(before, Unreadable) or isinstance(after, Unreadable):
            report.problems.append(f"Revision {identifier}: what it changed cannot be read.")
    parts = select(ChangeRow.revision_id, ChangeRow.scenario_id, ChangeRow.before, ChangeRow.after)
    lost = 0
    for revision, scenario, before, after in session.execute(parts):
        if before is None or after is None:
            lost += 1
        elif not isinstance(before, dict) or not isinstance(after, dict):
            report.problems.append(f"Revision {revision}: what it changed in scenario {scenario} cannot be read.")
    if lost:
        report.notes.append(f"Of {lost} changes it is not known what they were: that was lost before a salvage.")


def _against_history(session: Session) -> Iterator[str]:
    """Values that are not what the history says they became: what is wrong within its bounds shows in nothing else."""
    for row in session.scalars(select(ScenarioRow).execution_options(yield_per=500)):
        known = told(session, row.id)
        if not known:
            continue
        now = document(row)
        # An input that came later is in no revision before; an overridden fact that is in none was never entered.
        names = [name for name in now if name in known or name not in (*INPUTS, *OWN)]
        names += [name for name in known if name not in now and known[name] is not None]
        for name in names:
            if name != "position" and now.get(name) != known.get(name):
                yield (
                    f"Scenario {row.id}: {label_of(name)} of '{printable(str(row.name))}' is "
                    f"{value_shown(name, now.get(name))}, its history says {value_shown(name, known.get(name))}."
                )


def _snapshots(session: Session) -> Iterator[str]:
    for identifier, name, digest, content in session.execute(
        select(SnapshotRow.id, SnapshotRow.name, SnapshotRow.digest, SnapshotRow.content)
    ):
        if not isinstance(content, list) or digest_of(content) != digest:
            yield f"Snapshot {identifier} ('{printable(str(name))}') is not what was saved."
