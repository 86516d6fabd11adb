"""Reading what was done: revisions with a sentence each."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from planner.model.fields import printable
from planner.store.descriptions import describe
from planner.store.errors import NotFoundError
from planner.store.records import Revision, Workspace
from planner.store.tables import ChangeRow, RevisionRow

SHOWN = 50
"""Scenarios of one action that a list of revisions tells."""


def history(
    session: Session,
    workspace: Workspace,
    scenario_id: int | None = None,
    *,
    limit: int | None = None,
    before: int | None = None,
) -> list[Revision]:
    """The revisions of the workspace, or of one scenario, last first; ``before`` a sequence, at most ``limit``."""
    query = select(RevisionRow).where(RevisionRow.workspace_id == workspace.id)
    if scenario_id is not None:
        query = query.join(ChangeRow, ChangeRow.revision_id == RevisionRow.id).where(
            ChangeRow.scenario_id == scenario_id
        )
    if before is not None:
        query = query.where(RevisionRow.sequence < before)
    query = query.order_by(RevisionRow.sequence.desc())
    if limit is not None:
        query = query.limit(limit)
    return load(session, session.scalars(query).all(), scenario_id)


def load(
    session: Session, rows: Sequence[RevisionRow], scenario_id: int | None = None, *, most: int | None = SHOWN
) -> list[Revision]:
    """``rows`` as Revision, each with its sentence; the changes are read in a few queries for all.

    Of an action on more than ``most`` scenarios only so many are told; None tells all.
    """
    about = {row.undoes_id for row in rows if row.undoes_id is not None} - {row.id for row in rows}
    referred = {row.id: row for row in rows}
    for chunk in _chunks(sorted(about)):
        referred.update((row.id, row) for row in session.scalars(select(RevisionRow).where(RevisionRow.id.in_(chunk))))
    changes, hidden = _parts(session, sorted(referred), scenario_id, most)
    found = []
    for row in rows:
        parts = changes.get(row.id, [])
        of = referred.get(row.undoes_id) if row.undoes_id is not None else None
        of_text = describe(of, changes.get(of.id, []), hidden=hidden.get(of.id, 0)) if of is not None else ""
        text = describe(row, parts, of_text, hidden=hidden.get(row.id, 0))
        found.append(to_revision(row, parts, text))
    return found


def _parts(
    session: Session, revisions: Sequence[int], scenario_id: int | None, most: int | None
) -> tuple[dict[int, list[ChangeRow]], dict[int, int]]:
    """What each of ``revisions`` changed, at most ``most`` scenarios of each, and how many more there are."""
    changes: dict[int, list[ChangeRow]] = {}
    hidden: dict[int, int] = {}
    for chunk in _chunks(revisions):
        query = select(ChangeRow).where(ChangeRow.revision_id.in_(chunk)).order_by(ChangeRow.scenario_id)
        if scenario_id is not None:
            query = query.where(ChangeRow.scenario_id == scenario_id)
        elif most is not None:
            counted = (
                select(ChangeRow.revision_id, func.count())
                .where(ChangeRow.revision_id.in_(chunk))
                .group_by(ChangeRow.revision_id)
                .having(func.count() > most)
            )
            large = dict(session.execute(counted).all())
            query = query.where(ChangeRow.revision_id.not_in(large))
            for revision, number in large.items():
                first = select(ChangeRow).where(ChangeRow.revision_id == revision).order_by(ChangeRow.scenario_id)
                changes[revision] = list(session.scalars(first.limit(most)))
                hidden[revision] = number - most
        for part in session.scalars(query):
            changes.setdefault(part.revision_id, []).append(part)
    return changes, hidden


def _chunks(ids: Sequence[int]) -> Iterable[Sequence[int]]:
    return (ids[start : start + 500] for start in range(0, len(ids), 500))


def to_revision(row: RevisionRow, parts: Sequence[ChangeRow], description: str) -> Revision:
    """``row`` with its ``parts`` as Revision."""
    before = {part.scenario_id: part.before if isinstance(part.before, dict) else {} for part in parts}
    after = {part.scenario_id: part.after if isinstance(part.after, dict) else {} for part in parts}
    if isinstance(row.before, dict) or isinstance(row.after, dict):
        before[0] = row.before or {}
        after[0] = row.after or {}
    return Revision(
        id=row.id,
        sequence=row.sequence,
        at=row.at,
        who=printable(row.who),
        action=printable(row.action),
        description=description,
        why=printable(row.why),
        scenario_id=parts[0].scenario_id if len(parts) == 1 else None,
        before=before,
        after=after,
        program_version=printable(row.program_version),
        model_version=printable(row.model_version),
        catalogue_version=printable(row.catalogue_version),
        undoes=row.undoes_id,
    )


def get(session: Session, workspace: Workspace, revision_id: int) -> Revision:
    """One revision with all that it changed. Raises NotFoundError."""
    return load(session, [row_of(session, workspace, revision_id)], most=None)[0]


def row_of(session: Session, workspace: Workspace, revision_id: int) -> RevisionRow:
    """The row of a revision of ``workspace``. Raises NotFoundError."""
    row = session.get(RevisionRow, revision_id)
    if row is None or row.workspace_id != workspace.id:
        raise NotFoundError(f"There is no revision {revision_id} in workspace '{workspace.name}'.")
    return row
