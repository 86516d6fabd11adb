"""Named snapshots: unchanging copies of a workspace that an exported workbook cites by id."""

from __future__ import annotations

import hashlib
import json
import uuid
from typing import Any

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from planner.model.fields import nearest, printable
from planner.model.scenario import Scenario
from planner.store.actions import Action
from planner.store.database import Database
from planner.store.documents import document
from planner.store.errors import NotFoundError, StoreError
from planner.store.history import to_scenario
from planner.store.names import clean_name, clean_text, name_key, shown_text
from planner.store.reading import LIVE, ORDER
from planner.store.records import Snapshot, Workspace
from planner.store.tables import RevisionRow, ScenarioRow, SnapshotRow

_COLUMNS = (
    SnapshotRow.id,
    SnapshotRow.name,
    SnapshotRow.at,
    SnapshotRow.who,
    SnapshotRow.notes,
    SnapshotRow.revision_id,
    SnapshotRow.digest,
    SnapshotRow.scenario_count,
    SnapshotRow.program_version,
    SnapshotRow.model_version,
    SnapshotRow.catalogue_version,
)


_AS_IT_IS = (str, float, bool, type(None))


def _uniform(content: Any) -> Any:
    """``content`` with every number as a float: PostgreSQL gives a large round one back as a whole number."""
    if isinstance(content, dict):
        # Most values are as they should be; a call for each of a million takes a second.
        return {name: value if value.__class__ in _AS_IT_IS else _uniform(value) for name, value in content.items()}
    if isinstance(content, list):
        return [_uniform(value) for value in content]
    return float(content) if isinstance(content, int) and not isinstance(content, bool) else content


def digest_of(content: Any) -> str:
    """SHA-256 of ``content`` as canonical JSON, in hexadecimal."""
    text = json.dumps(_uniform(content), ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return hashlib.sha256(text.encode()).hexdigest()


def take(database: Database, workspace: Workspace, name: str, notes: str = "") -> Snapshot:
    """A snapshot of all scenarios of ``workspace``. Raises InputError, StoreError when the name is taken."""
    name, notes = clean_name(name, "name of a snapshot"), clean_text(notes, "notes")

    def work(session: Session) -> Snapshot:
        action = Action(session, database, workspace.id, "snapshot")
        taken = select(SnapshotRow.name).where(
            SnapshotRow.workspace_id == workspace.id, SnapshotRow.name_key == name_key(name)
        )
        if session.scalar(taken) is not None:
            raise StoreError(f"There is already a snapshot '{name}' here; choose another name.")
        rows = session.scalars(
            select(ScenarioRow).where(ScenarioRow.workspace_id == workspace.id, LIVE).order_by(*ORDER)
        ).all()
        content = [{"id": row.id, "version": row.version, **document(row)} for row in rows]
        latest = select(func.max(RevisionRow.id)).where(RevisionRow.workspace_id == workspace.id)
        versions = database.noted_versions()
        row = SnapshotRow(
            uid=uuid.uuid4().hex,
            workspace_id=workspace.id,
            name=name,
            name_key=name_key(name),
            at=action.at,
            who=database.who,
            notes=notes,
            revision_id=session.scalar(latest),
            digest=digest_of(content),
            scenario_count=len(content),
            content=content,
            program_version=versions.program,
            model_version=versions.model,
            catalogue_version=versions.catalogue,
        )
        session.add(row)
        action.subject = name
        action.finish()
        return _snapshot([getattr(row, column.key) for column in _COLUMNS])

    return database.write(work)


def _snapshot(row: Any) -> Snapshot:
    identifier, name, at, who, notes, revision_id, digest, count, program, model, catalogue = row
    return Snapshot(
        identifier,
        printable(name),
        at,
        printable(who),
        shown_text(notes),
        revision_id,
        digest,
        count,
        program_version=printable(program),
        model_version=printable(model),
        catalogue_version=printable(catalogue),
    )


def list_all(session: Session, workspace: Workspace) -> list[Snapshot]:
    """The snapshots of ``workspace``, last first."""
    query = select(*_COLUMNS).where(SnapshotRow.workspace_id == workspace.id).order_by(SnapshotRow.id.desc())
    return [_snapshot(row) for row in session.execute(query)]


def find(session: Session, workspace: Workspace, name_or_id: str | int) -> Snapshot:
    """A snapshot of ``workspace`` by name, else by id. Raises NotFoundError that names the nearest ones."""
    known = list_all(session, workspace)
    wanted = str(name_or_id).strip()
    by_name = [snapshot for snapshot in known if name_key(snapshot.name) == name_key(wanted)]
    by_id = [snapshot for snapshot in known if str(snapshot.id) == wanted]
    for snapshot in (*by_name, *by_id):
        return snapshot
    hint = nearest(str(name_or_id), [snapshot.name for snapshot in known])
    raise NotFoundError(f"There is no snapshot '{name_or_id}' in workspace '{workspace.name}'{hint}.")


def scenarios(session: Session, snapshot: Snapshot) -> list[Scenario]:
    """The scenarios that ``snapshot`` holds, in column order.

    Raises StoreError when its content no longer is what was saved.
    """
    content = session.scalar(select(SnapshotRow.content).where(SnapshotRow.id == snapshot.id))
    if not isinstance(content, list) or digest_of(content) != snapshot.digest:
        raise StoreError(f"Snapshot '{snapshot.name}' is damaged: its content is not what was saved.")
    return [to_scenario({name: value for name, value in state.items() if name != "id"}) for state in content]
