"""Witnesses: the results that a person last saw of a scenario, and the versions that they came from.

They are compared with what the scenario gives now when its workspace is opened under another version of the catalogue
or of the model. Nothing is ever computed from them, noting one is no action, and undo does not touch them.
"""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Iterator, Mapping, Sequence

from sqlalchemy import select, text
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import Session

from planner.model.fields import printable
from planner.store.database import Database
from planner.store.engines import writing
from planner.store.errors import StoreError
from planner.store.reading import LIVE, ORDER
from planner.store.records import Witness, Workspace
from planner.store.tables import ScenarioRow, WitnessRow

_CHUNK = 500
PATIENCE = 0.2
"""Seconds to wait for somebody else's transaction: what is noted here is not worth more."""
_COLUMNS = (
    WitnessRow.scenario_id,
    WitnessRow.scenario_version,
    WitnessRow.catalogue_version,
    WitnessRow.model_version,
    WitnessRow.results,
    WitnessRow.at,
)


def of_workspace(session: Session, workspace: Workspace, only: Sequence[int] | None = None) -> dict[int, Witness]:
    """The witnesses of the scenarios of ``workspace``, or of ``only`` these, by scenario id; one that cannot be read is
    left out."""
    query = (
        select(*_COLUMNS)
        .join(ScenarioRow, ScenarioRow.id == WitnessRow.scenario_id)
        .where(ScenarioRow.workspace_id == workspace.id, LIVE)
    )
    if only is not None:
        query = query.where(WitnessRow.scenario_id.in_(only))
    found = {}
    for identifier, version, catalogue, model, results, at in session.execute(query):
        if isinstance(results, Mapping):
            found[identifier] = Witness(identifier, version, printable(catalogue), printable(model), dict(results), at)
    return found


def outdated(session: Session, workspace: Workspace, catalogue: str, model: str, most: int) -> list[int]:
    """At most ``most`` scenarios that did not change since they were seen, but under other versions than these."""
    query = (
        select(ScenarioRow.id)
        .join(WitnessRow, WitnessRow.scenario_id == ScenarioRow.id)
        .where(
            ScenarioRow.workspace_id == workspace.id,
            LIVE,
            WitnessRow.scenario_version == ScenarioRow.version,
            (WitnessRow.catalogue_version != catalogue) | (WitnessRow.model_version != model),
        )
    )
    return list(session.scalars(query.order_by(*ORDER).limit(most)))


def unseen(session: Session, workspace: Workspace, most: int) -> list[int]:
    """At most ``most`` scenarios that changed since they were seen, or never were."""
    query = (
        select(ScenarioRow.id)
        .outerjoin(WitnessRow, WitnessRow.scenario_id == ScenarioRow.id)
        .where(
            ScenarioRow.workspace_id == workspace.id,
            LIVE,
            WitnessRow.scenario_version.is_(None) | (WitnessRow.scenario_version != ScenarioRow.version),
        )
    )
    return list(session.scalars(query.order_by(*ORDER).limit(most)))


def note(database: Database, witnesses: Sequence[Witness]) -> bool:
    """Keep ``witnesses`` in place of earlier ones; those of scenarios that have changed since are dropped.

    False where that cannot be done at once: the library is read-only, locked by somebody else or out of reach. Then
    nothing was changed, and it may be tried again.
    """
    if database.read_only_reason or not witnesses:
        return not witnesses
    with contextlib.suppress(SQLAlchemyError, sqlite3.Error, StoreError):
        database.check_writable()
        with Session(writing(database.engine, patience=PATIENCE)) as session:
            if not database.is_sqlite:
                session.execute(text(f"SET LOCAL lock_timeout = '{round(1000 * PATIENCE)}ms'"))
            database.check_schema(session)
            for chunk in _chunks(witnesses):
                _keep(session, database, chunk)
            session.commit()
            return True
    return False


def _keep(session: Session, database: Database, witnesses: Sequence[Witness]) -> None:
    insert = (sqlite if database.is_sqlite else postgresql).insert(WitnessRow)
    statement = insert.on_conflict_do_update(
        index_elements=[WitnessRow.scenario_id],
        set_={column.key: insert.excluded[column.key] for column in _COLUMNS[1:]},
    )
    versions = select(ScenarioRow.id, ScenarioRow.version).where(
        ScenarioRow.id.in_([one.scenario_id for one in witnesses])
    )
    now = dict(session.execute(versions).all())
    moment = database.clock()
    rows = [
        {
            "scenario_id": one.scenario_id,
            "scenario_version": one.scenario_version,
            "catalogue_version": one.catalogue_version,
            "model_version": one.model_version,
            "results": dict(one.results),
            "at": moment,
        }
        for one in witnesses
        if now.get(one.scenario_id) == one.scenario_version
    ]
    if rows:
        session.execute(statement, rows)


def _chunks(witnesses: Sequence[Witness]) -> Iterator[Sequence[Witness]]:
    return (witnesses[start : start + _CHUNK] for start in range(0, len(witnesses), _CHUNK))
