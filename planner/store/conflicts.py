"""Two people, one field: what changed since the version that somebody looked at, and when that is a conflict."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sqlalchemy import select
from sqlalchemy.orm import Session

from planner.model.inputs import INPUTS
from planner.model.lookup import field_called
from planner.store.documents import document, plain
from planner.store.errors import ConflictError
from planner.store.records import Change, Conflict, Json
from planner.store.tables import ChangeRow, RevisionRow, ScenarioRow


def shown(name: str, value: Json) -> str:
    """``value`` of field ``name`` as a person reads it, with its unit."""
    field = field_called(name)
    if value is None:
        return f"blank ({field.blank})" if name in INPUTS and field.blank else "the catalogue's"
    if isinstance(value, list):
        value_shown = field.show(tuple(float(str(part)) for part in value))
    elif isinstance(value, dict):
        value_shown = str(value)
    else:
        value_shown = field.show(value)
    return f"{value_shown} {field.unit}".strip()


def conflicts_of(session: Session, row: ScenarioRow, changes: Sequence[Change]) -> list[Conflict]:
    """The changes to ``row`` whose field somebody has changed since the version they were made on."""
    asked = [change for change in changes if change.version is not None and change.version < row.version]
    if not asked:
        return []
    oldest = min(change.version for change in asked if change.version is not None)
    since = (
        select(ChangeRow, RevisionRow)
        .join(RevisionRow, RevisionRow.id == ChangeRow.revision_id)
        .where(ChangeRow.scenario_id == row.id, ChangeRow.version > oldest)
        .order_by(ChangeRow.revision_id)
    )
    later = session.execute(since).all()
    current = document(row)
    found = []
    for change in asked:
        mine, theirs = plain(change.value), current.get(change.name)
        if mine == theirs:
            continue
        touching = [
            (part, revision)
            for part, revision in later
            if part.version > (change.version or 0) and isinstance(part.after, dict) and change.name in part.after
        ]
        if touching and theirs != touching[0][0].before.get(change.name):
            first, (_, last) = touching[0][0], touching[-1]
            found.append(
                Conflict(
                    scenario_id=row.id,
                    scenario=row.name,
                    name=change.name,
                    mine=mine,
                    theirs=theirs,
                    base=first.before.get(change.name),
                    version=row.version,
                    who=last.who,
                    at=last.at,
                )
            )
    return found


def refuse_conflicts(session: Session, rows: Mapping[int, ScenarioRow], changes: Sequence[Change]) -> None:
    """Raise ConflictError when one of ``changes`` is to a field that somebody else changed first."""
    found: list[Conflict] = []
    for identifier, row in rows.items():
        found += conflicts_of(session, row, [change for change in changes if change.scenario_id == identifier])
    if found:
        raise ConflictError(describe(found), tuple(found))


def describe(conflicts: Sequence[Conflict]) -> str:
    """One sentence about ``conflicts``: the first of them in full, and how many more there are."""
    one = conflicts[0]
    label = field_called(one.name).label
    more = f" ({len(conflicts) - 1} more fields alike)" if len(conflicts) > 1 else ""
    return (
        f"{label} of '{one.scenario}' was changed by {one.who or 'somebody else'} meanwhile: "
        f"mine {shown(one.name, one.mine)}, theirs {shown(one.name, one.theirs)}, "
        f"before {shown(one.name, one.base)}{more}; nothing was changed: choose one."
    )
