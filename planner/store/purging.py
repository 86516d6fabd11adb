"""Emptying the bin: what was deleted long ago goes for good, with the revisions that are about nothing else."""

from __future__ import annotations

from datetime import timedelta

from sqlalchemy import delete, func, select
from sqlalchemy.orm import Session

from planner.model.fields import InputError
from planner.store.actions import Action
from planner.store.database import Database
from planner.store.tables import ChangeRow, EntryRow, RevisionRow, ScenarioRow, SnapshotRow, WitnessRow, WorkspaceRow

DAYS = 30
_CHUNK = 500


def purge(database: Database, days: float = DAYS) -> dict[str, int]:
    """Remove what has been in the bin for more than ``days``; how many workspaces, scenarios and entries went.

    Snapshots keep what they hold. Raises InputError for a number of days below 0, StoreError.
    """
    if not 0 <= days <= 36_500:
        raise InputError(f"The days in the bin = {days:g} must be 0 to 36,500.")

    def work(session: Session) -> dict[str, int]:
        limit = database.clock() - timedelta(days=days)
        workspaces = list(session.scalars(select(WorkspaceRow.id).where(WorkspaceRow.deleted_at < limit)))
        gone = list(
            session.scalars(
                select(ScenarioRow.id).where(
                    (ScenarioRow.deleted_at < limit) | ScenarioRow.workspace_id.in_(workspaces)
                )
            )
        )
        entries = list(session.scalars(select(EntryRow.id).where(EntryRow.deleted_at < limit)))
        _remove_scenarios(session, gone)
        session.execute(delete(EntryRow).where(EntryRow.id.in_(entries)))
        _remove_workspaces(session, workspaces)
        found = {"workspaces": len(workspaces), "scenarios": len(gone), "entries": len(entries)}
        if any(found.values()):
            action = Action(session, database, None, "purge")
            action.subject = ", ".join(f"{number} {name}" for name, number in found.items() if number)
            action.after = dict(found)
            action.finish()
        return found

    return database.write(work)


def _remove_scenarios(session: Session, ids: list[int]) -> None:
    for start in range(0, len(ids), _CHUNK):
        chunk = ids[start : start + _CHUNK]
        session.execute(delete(WitnessRow).where(WitnessRow.scenario_id.in_(chunk)))
        session.execute(delete(ScenarioRow).where(ScenarioRow.id.in_(chunk)))
        touched = list(
            session.scalars(select(ChangeRow.revision_id).where(ChangeRow.scenario_id.in_(chunk)).distinct())
        )
        session.execute(delete(ChangeRow).where(ChangeRow.scenario_id.in_(chunk)))
        _remove_empty(session, touched)


def _remove_empty(session: Session, revisions: list[int]) -> None:
    """Remove those of ``revisions`` that are about no scenario any more and that nothing refers to."""
    for start in range(0, len(revisions), _CHUNK):
        chunk = revisions[start : start + _CHUNK]
        used = select(ChangeRow.revision_id).union(
            select(RevisionRow.undoes_id).where(RevisionRow.undoes_id.is_not(None)),
            select(SnapshotRow.revision_id).where(SnapshotRow.revision_id.is_not(None)),
        )
        about = select(func.count()).where(ChangeRow.revision_id == RevisionRow.id).scalar_subquery()
        # An undo goes before what it is about.
        for newest in sorted(chunk, reverse=True):
            session.execute(
                delete(RevisionRow).where(RevisionRow.id == newest, about == 0, RevisionRow.id.not_in(used))
            )


def _remove_workspaces(session: Session, ids: list[int]) -> None:
    for identifier in ids:
        session.execute(delete(SnapshotRow).where(SnapshotRow.workspace_id == identifier))
        revisions = list(
            session.scalars(
                select(RevisionRow.id).where(RevisionRow.workspace_id == identifier).order_by(RevisionRow.id.desc())
            )
        )
        for revision in revisions:
            session.execute(delete(ChangeRow).where(ChangeRow.revision_id == revision))
            session.execute(delete(RevisionRow).where(RevisionRow.id == revision))
        session.execute(delete(WorkspaceRow).where(WorkspaceRow.id == identifier))
