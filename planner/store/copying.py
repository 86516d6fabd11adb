"""Copying a workspace from one library to another, with its history and snapshots."""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Sequence
from typing import Any, TypeVar

from sqlalchemy import select
from sqlalchemy.orm import Session

from planner.store.actions import Action
from planner.store.database import Database
from planner.store.descriptions import label_of
from planner.store.errors import StoreError
from planner.store.names import clean_name, name_key
from planner.store.reading import list_scenarios, to_workspace
from planner.store.records import Workspace
from planner.store.tables import (
    Base,
    ChangeRow,
    EntryRow,
    RevisionRow,
    ScenarioRow,
    SnapshotRow,
    WitnessRow,
    WorkspaceRow,
)

_Row = TypeVar("_Row", bound=Base)
_CHUNK = 500
_NAMED = 3


def _values(row: Base, *without: str) -> dict[str, Any]:
    values = {column.key: getattr(row, column.key) for column in row.__mapper__.column_attrs}
    return {name: _storable(value) for name, value in values.items() if name not in without}


def _storable(value: Any) -> Any:
    """``value``; a text that no database takes, as a damaged file may hold it, with what is wrong in it replaced."""
    if value.__class__ is not str or value.isprintable() or (value.isascii() and "\0" not in value):
        return value
    return value.replace("\0", "\ufffd").encode("utf-8", "replace").decode()


def _all(session: Session, row: type[_Row], *conditions: Any) -> Sequence[_Row]:
    return session.scalars(select(row).where(*conditions)).all()


def copy_workspace(source: Database, workspace: Workspace, target: Database, name: str | None = None) -> Workspace:
    """``workspace`` of ``source`` as a new workspace of ``target``, called ``name``, with all that belongs to it.

    One transaction: all of it or nothing. Raises InputError, StoreError when the name is taken.
    """
    name = clean_name(name or workspace.name, "name of a workspace")
    with source.reading() as session:
        old = session.get(WorkspaceRow, workspace.id)
        scenarios = _all(session, ScenarioRow, ScenarioRow.workspace_id == workspace.id)
        revisions = _all(session, RevisionRow, RevisionRow.workspace_id == workspace.id)
        changes = _all(
            session,
            ChangeRow,
            ChangeRow.revision_id.in_(select(RevisionRow.id).where(RevisionRow.workspace_id == workspace.id)),
        )
        snapshots = _all(session, SnapshotRow, SnapshotRow.workspace_id == workspace.id)
        mine = select(ScenarioRow.id).where(ScenarioRow.workspace_id == workspace.id)
        witnesses = _all(session, WitnessRow, WitnessRow.scenario_id.in_(mine))
        _refuse_damaged(session, workspace, source)
    assert old is not None  # noqa: S101 - the caller has just read it

    def work(session: Session) -> Workspace:
        taken = select(WorkspaceRow.name).where(
            WorkspaceRow.name_key == name_key(name), WorkspaceRow.deleted_at.is_(None)
        )
        if session.scalar(taken) is not None:
            raise StoreError(f"There is already a workspace '{name}' in {target.description}; choose another name.")
        new = WorkspaceRow(**_values(old, "id", "uid", "version", "name", "name_key"), uid=uuid.uuid4().hex)
        new.name, new.name_key = name, name_key(name)
        session.add(new)
        session.flush()
        ids = _copy_scenarios(session, scenarios, new.id)
        _copy_witnesses(session, witnesses, {row.id: row.version for row in scenarios}, ids)
        numbers = _copy_revisions(session, revisions, new.id)
        for part in changes:
            if part.scenario_id in ids and part.revision_id in numbers:
                session.add(
                    ChangeRow(
                        **_values(part, "revision_id", "scenario_id"),
                        revision_id=numbers[part.revision_id],
                        scenario_id=ids[part.scenario_id],
                    )
                )
        for one in snapshots:
            session.add(
                SnapshotRow(
                    **_values(one, "id", "uid", "workspace_id", "revision_id"),
                    uid=uuid.uuid4().hex,
                    workspace_id=new.id,
                    revision_id=numbers.get(one.revision_id or 0),
                )
            )
        action = Action(session, target, new.id, "copy in")
        action.subject = f"{workspace.name} in {source.description}"
        action.finish()
        count = len([row for row in scenarios if row.deleted_at is None])
        return to_workspace(new, count)

    return target.write(work)


def _refuse_damaged(session: Session, workspace: Workspace, source: Database) -> None:
    """Raise StoreError, which names the values, where scenarios of ``workspace`` hold what no library takes."""
    named = [
        f"{label_of(name)} of '{one.name}'"
        for deleted in (False, True)
        for one in list_scenarios(session, workspace, deleted=deleted)
        for name in one.damaged
    ]
    if not named:
        return
    more = f" and {len(named) - _NAMED} more values" if len(named) > _NAMED else ""
    salvage = f", or save all but what is damaged with `planner --db {source.path} db doctor --salvage NEW-FILE`"
    way = f"enter it anew{salvage if source.path is not None else ''}"
    raise StoreError(
        f"{', '.join(named[:_NAMED])}{more} cannot be right in {source.description}; nothing was copied: {way}."
    )


def _copy_scenarios(session: Session, scenarios: Sequence[ScenarioRow], workspace_id: int) -> dict[int, int]:
    """Add copies of ``scenarios``; new ids by old."""
    ids: dict[int, int] = {}
    for chunk in _chunks(scenarios):
        rows = [
            (
                row.id,
                ScenarioRow(
                    **_values(row, "id", "uid", "workspace_id", "version"),
                    uid=uuid.uuid4().hex,
                    workspace_id=workspace_id,
                ),
            )
            for row in chunk
        ]
        session.add_all([new for _, new in rows])
        session.flush()
        ids.update({old: new.id for old, new in rows})
    return ids


def _copy_witnesses(
    session: Session, witnesses: Sequence[WitnessRow], versions: dict[int, int], ids: dict[int, int]
) -> None:
    """Add copies of the ``witnesses`` of scenarios that have not changed since; the copies are of version 1."""
    session.add_all(
        WitnessRow(
            **_values(one, "scenario_id", "scenario_version"), scenario_id=ids[one.scenario_id], scenario_version=1
        )
        for one in witnesses
        if one.scenario_id in ids and one.scenario_version == versions[one.scenario_id]
    )


def _copy_revisions(session: Session, revisions: Sequence[RevisionRow], workspace_id: int) -> dict[int, int]:
    """Add copies of ``revisions`` in their order; new ids by old."""
    numbers: dict[int, int] = {}
    waiting: dict[int, RevisionRow] = {}

    def save() -> None:
        session.add_all(waiting.values())
        session.flush()
        numbers.update((old, new.id) for old, new in waiting.items())
        waiting.clear()

    for row in sorted(revisions, key=lambda one: one.sequence):
        if row.undoes_id in waiting or len(waiting) == _CHUNK:
            save()
        waiting[row.id] = RevisionRow(
            **_values(row, "id", "workspace_id", "undoes_id"),
            workspace_id=workspace_id,
            undoes_id=numbers.get(row.undoes_id) if row.undoes_id is not None else None,
        )
    save()
    return numbers


def _chunks(rows: Sequence[ScenarioRow]) -> Iterator[Sequence[ScenarioRow]]:
    return (rows[start : start + _CHUNK] for start in range(0, len(rows), _CHUNK))


def copy_entries(source: Database, target: Database) -> int:
    """Copy own catalogue entries that ``target`` does not have; their number."""
    with source.reading() as session:
        entries = _all(session, EntryRow, EntryRow.deleted_at.is_(None))

    def work(session: Session) -> int:
        number = 0
        for entry in entries:
            there = select(EntryRow.id).where(
                EntryRow.kind == entry.kind, EntryRow.name_key == entry.name_key, EntryRow.deleted_at.is_(None)
            )
            if session.scalar(there) is None:
                session.add(EntryRow(**_values(entry, "id", "version")))
                number += 1
        if number:
            action = Action(session, target, None, "copy in")
            action.subject = f"{number} catalogue entries from {source.description}"
            action.finish()
        return number

    return target.write(work)
