"""Undo, redo, restore and the history: revisions are appended, never changed.

An undo is a revision that points at the one it takes back, a redo one that points at the one it brings back; so both
work across restarts. A person undoes what that person did last in the workspace.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from sqlalchemy import exists, func, select, true
from sqlalchemy.orm import Session, aliased

from planner.model.facts import FACT_FIELDS
from planner.model.fields import printable
from planner.model.inputs import INPUTS, default_values
from planner.model.scenario import Scenario
from planner.store import entries, workspaces
from planner.store.actions import Action, check_row
from planner.store.database import Database
from planner.store.descriptions import value_shown
from planner.store.documents import OWN, document, put
from planner.store.errors import ConflictError, NotFoundError, StoreError
from planner.store.reading import LIVE
from planner.store.records import Conflict, Difference, Document, Json, Revision, Workspace
from planner.store.revisions import load, row_of
from planner.store.tables import ChangeRow, RevisionRow, ScenarioRow, WorkspaceRow

# What is done to the scenarios of one workspace; a snapshot is never taken back, nor is a purge.
_ON_SCENARIOS = ("create", "import", "copy", "rename", "delete", "undelete", "edit", "notes", "tag", "fleet",
                 "baseline", "reorder", "restore")  # fmt: skip
# What is done to the library as a whole is taken back from whichever workspace one is in.
_ON_WORKSPACES = ("workspace", "workspace rename", "workspace notes", "workspace delete", "workspace undelete")
_ON_ENTRIES = ("entry", "entry delete")
_BATCH = 200

Done = tuple[int, str, int | None]
"""An action of a person: the revision's id, its name, and the revision that it undoes or redoes."""


def _own(session: Session, database: Database, workspace: Workspace) -> Iterable[Done]:
    """What this person did that can be undone in ``workspace``, last first."""
    about = aliased(RevisionRow)
    subject = func.coalesce(about.action, RevisionRow.action)
    target = func.coalesce(about.id, RevisionRow.id)
    here = (RevisionRow.workspace_id == workspace.id) & subject.in_(_ON_SCENARIOS)
    # One whose scenarios were purged has nothing left to take back.
    tells = exists().where(ChangeRow.revision_id == target) | func.coalesce(about.after, RevisionRow.after).is_not(None)
    query = (
        select(RevisionRow.id, RevisionRow.action, RevisionRow.undoes_id)
        .outerjoin(about, about.id == RevisionRow.undoes_id)
        .where(RevisionRow.who == database.who, (here & tells) | subject.in_((*_ON_WORKSPACES, *_ON_ENTRIES)))
        .order_by(RevisionRow.id.desc())
        .limit(_BATCH)
    )
    page = query
    while rows := session.execute(page).all():
        yield from ((identifier, action, undone) for identifier, action, undone in rows)
        page = query.where(RevisionRow.id < rows[-1][0])


def to_undo(session: Session, database: Database, workspace: Workspace) -> int | None:
    """The revision that an undo takes back now."""
    decided: set[int] = set()
    for identifier, action, about in _own(session, database, workspace):
        if about is not None and action in ("undo", "redo"):
            if action == "redo" and about not in decided and not _is_kept(session, about):
                return about
            decided.add(about)
        elif identifier not in decided and not _is_kept(session, identifier):
            return identifier
    return None


def _is_kept(session: Session, identifier: int) -> bool:
    """Whether a workspace that was made by the revision is the only one or holds scenarios: then that stays."""
    action, home = session.execute(
        select(RevisionRow.action, RevisionRow.workspace_id).where(RevisionRow.id == identifier)
    ).one()
    if action != "workspace":
        return False
    holds = exists().where(ScenarioRow.workspace_id == home, LIVE)
    others = exists().where(WorkspaceRow.id != home, WorkspaceRow.deleted_at.is_(None))
    has_scenarios, has_others = session.execute(select(holds, others)).one()
    return bool(has_scenarios or not has_others)


def to_redo(session: Session, database: Database, workspace: Workspace) -> int | None:
    """The revision that a redo brings back now."""
    redone: list[int] = []
    for _, action, about in _own(session, database, workspace):
        if action == "redo" and about is not None:
            redone.append(about)
        elif action == "undo" and about is not None:
            if about not in redone:
                return about
            redone.remove(about)
        else:
            return None
    return None


def step(database: Database, workspace: Workspace, direction: str, *, force: bool = False) -> Revision | None:
    """Undo or redo (``direction``) this person's last action; None where there is nothing to.

    Raises ConflictError when somebody else has changed the same fields since; with ``force`` theirs are overwritten.
    """

    def work(session: Session) -> Revision | None:
        find = to_undo if direction == "undo" else to_redo
        target = find(session, database, workspace)
        if target is None:
            return None
        noted = session.get_one(RevisionRow, target)
        action = Action(session, database, noted.workspace_id, direction)
        action.undoes_id = target
        if noted.action in (*_ON_WORKSPACES, *_ON_ENTRIES):
            return load(session, [_step_library(action, noted, direction, force=force)])[0]
        changes = session.scalars(
            select(ChangeRow).where(ChangeRow.revision_id == target).order_by(ChangeRow.scenario_id)
        ).all()
        parts = []
        for part in changes:
            was, becomes = (part.after, part.before) if direction == "undo" else (part.before, part.after)
            if not isinstance(was, dict) or not isinstance(becomes, dict):
                raise StoreError(f"The revision of '{printable(part.name)}' is damaged and cannot be used.")
            parts.append((part, was, becomes))
        rows = action.rows((part.scenario_id for part, _, _ in parts), deleted=True)
        _step_entries(action, target, direction, force=force)
        if not force:
            _refuse_changed(session, rows, parts, target)
        for part, was, becomes in parts:
            _step_row(rows[part.scenario_id], was, becomes, action)
        _settle(action, list(rows.values()))
        revision = action.finish(keep=list(rows.values()))
        if revision is None:
            raise StoreError(f"There is nothing left to {direction}.")
        return load(session, [revision])[0]

    return database.write(work)


def _step_library(action: Action, noted: RevisionRow, direction: str, *, force: bool) -> RevisionRow:
    """Undo or redo what ``noted`` did to a workspace or to own catalogue entries."""
    before, after = (dict(one) if isinstance(one, dict) else {} for one in (noted.before, noted.after))
    was, becomes = (after, before) if direction == "undo" else (before, after)
    if noted.action in _ON_ENTRIES:
        names = dict.fromkeys((*before, *after))
        entries.step(action, {name: was.get(name) for name in names}, {name: becomes.get(name) for name in names},
                     force=force)  # fmt: skip
    else:
        workspaces.step(action, was, becomes, force=force)
    revision = action.finish()
    if revision is None:
        raise StoreError(f"There is nothing left to {direction}.")
    return revision


def _step_entries(action: Action, target: int, direction: str, *, force: bool) -> None:
    """Undo or redo what revision ``target`` did to own catalogue entries beside scenarios."""
    revision = action.session.get_one(RevisionRow, target)
    before, after = (one if isinstance(one, dict) else {} for one in (revision.before, revision.after))
    if revision.action == "import" and after:
        was, becomes = (after, before) if direction == "undo" else (before, after)
        entries.step(action, was, becomes, force=force)


def _step_row(row: ScenarioRow, was: Document, becomes: Document, action: Action) -> None:
    if not becomes:
        # What is undone is its creation.
        row.deleted_at = action.at
        row.is_baseline = False
        return
    if not was:
        row.deleted_at = None
        row.is_baseline = bool(becomes.get("is_baseline"))
        return
    for name, value in becomes.items():
        put(row, name, value)
    if "deleted_at" not in becomes and not becomes.keys() <= {"position", "is_baseline"}:
        check_row(row)


def _refuse_changed(
    session: Session,
    rows: Mapping[int, ScenarioRow],
    parts: Sequence[tuple[ChangeRow, dict[str, Json], dict[str, Json]]],
    target: int,
) -> None:
    """Raise ConflictError when a field of ``parts`` no longer has the value that the action left in it."""
    found = []
    for part, was, becomes in parts:
        current = document(rows[part.scenario_id])
        for name in was if becomes else {**was, **current}:
            if name in ("position", "is_baseline", "deleted_at") or current.get(name) == was.get(name):
                continue
            found.append(
                Conflict(
                    scenario_id=part.scenario_id,
                    scenario=printable(current_name(rows[part.scenario_id])),
                    name=name,
                    mine=becomes.get(name),
                    theirs=current.get(name),
                    base=was.get(name),
                    version=rows[part.scenario_id].version,
                    **_last_of(session, part.scenario_id, name, target),
                )
            )
    if found:
        one = found[0]
        more = f" ({len(found) - 1} more fields alike)" if len(found) > 1 else ""
        raise ConflictError(
            f"{one.name} of '{one.scenario}' was changed by {one.who or 'somebody else'} since: "
            f"mine {value_shown(one.name, one.mine)}, theirs {value_shown(one.name, one.theirs)}{more}; "
            "nothing was changed: choose one.",
            tuple(found),
        )


def current_name(row: ScenarioRow) -> str:
    """The name of ``row``, whatever it holds."""
    return str(row.name)


def _last_of(session: Session, scenario_id: int, name: str, since: int) -> dict[str, Any]:
    """Who changed field ``name`` last after revision ``since``, and when."""
    query = (
        select(ChangeRow, RevisionRow)
        .join(RevisionRow, RevisionRow.id == ChangeRow.revision_id)
        .where(ChangeRow.scenario_id == scenario_id, ChangeRow.revision_id > since)
        .order_by(ChangeRow.revision_id.desc())
    )
    for part, revision in session.execute(query):
        if isinstance(part.after, dict) and name in part.after:
            return {"who": revision.who, "at": revision.at}
    return {}


def _settle(action: Action, rows: Sequence[ScenarioRow]) -> None:
    """See that names stay unique and that the workspace has one baseline, then flush ``rows``."""
    session = action.session
    for row in rows:
        if row.deleted_at is None:
            action.check_name_free(row.name, row.name_key, but=row.id)
    claim = next((row for row in rows if row.is_baseline and row.deleted_at is None), None)
    for row in rows:
        row.is_baseline = False
    session.flush()
    live = select(ScenarioRow.id).where(ScenarioRow.workspace_id == action.workspace_id, LIVE)
    holders = list(session.scalars(live.where(ScenarioRow.is_baseline == true())))
    if claim is not None:
        for holder in action.rows(holders).values():
            holder.is_baseline = False
        session.flush()
        claim.is_baseline = True
    elif not holders:
        first = session.scalar(live.order_by(ScenarioRow.position, ScenarioRow.id).limit(1))
        if first is not None:
            action.rows([first])[first].is_baseline = True
    session.flush()


def restore(database: Database, workspace: Workspace, revision_id: int, scenario_id: int | None = None) -> Revision:
    """Put the scenarios of a revision (or the one ``scenario_id``) back to what they were right after it.

    Raises NotFoundError for a revision of another workspace, StoreError when nothing would change.
    """

    def work(session: Session) -> Revision:
        target = row_of(session, workspace, revision_id)
        action = Action(session, database, workspace.id, "restore")
        query = select(ChangeRow.scenario_id).where(ChangeRow.revision_id == target.id)
        ids = [scenario_id] if scenario_id is not None else list(session.scalars(query))
        if not ids:
            raise StoreError("That revision changed no scenario; there is nothing to restore.")
        rows = action.rows(ids, deleted=True)
        for row in rows.values():
            wanted = state_at(session, row.id, target.id)
            for name, value in wanted.items():
                if name != "position":
                    put(row, name, value)
            for name in document(row):
                if name not in wanted and name not in OWN and name not in INPUTS:
                    put(row, name, None)
            check_row(row)
        _settle(action, list(rows.values()))
        revision = action.finish()
        if revision is None:
            raise StoreError("The scenarios are already what they were then; nothing was changed.")
        return load(session, [revision])[0]

    return database.write(work)


def state_at(session: Session, scenario_id: int, revision_id: int) -> dict[str, Json]:
    """All of a scenario right after revision ``revision_id``, put together from its creation on.

    Raises NotFoundError when it did not exist then.
    """
    query = (
        select(ChangeRow.before, ChangeRow.after)
        .where(ChangeRow.scenario_id == scenario_id, ChangeRow.revision_id <= revision_id)
        .order_by(ChangeRow.revision_id)
    )
    state: dict[str, Json] = {}
    for _, after in session.execute(query):
        if not isinstance(after, dict):
            raise StoreError(f"A revision of scenario {scenario_id} is damaged; what it was cannot be told.")
        state.update(after)
    if "name" not in state:
        raise NotFoundError(f"Scenario {scenario_id} did not exist at revision {revision_id}.")
    return {name: value for name, value in state.items() if value is not None or name in INPUTS or name in OWN}


def told(session: Session, scenario_id: int) -> dict[str, Json] | None:
    """What a scenario became by all that is known to have been done to it; None where a part of that is lost."""
    query = select(ChangeRow.after).where(ChangeRow.scenario_id == scenario_id).order_by(ChangeRow.revision_id)
    known: dict[str, Json] = {}
    for after in session.scalars(query):
        if not isinstance(after, dict):
            return None
        known.update(after)
    return known


def scenario_at(session: Session, scenario_id: int, revision_id: int) -> Scenario:
    """The scenario right after revision ``revision_id``. Raises NotFoundError, InputError for a damaged value."""
    return to_scenario(state_at(session, scenario_id, revision_id))


def to_scenario(state: Document) -> Scenario:
    """The scenario that a document holds, what it lacks at its default.

    Values that a later rule calls contradictory are what they were. Raises InputError for one that does not pass its
    own check.
    """
    values = default_values()
    overrides: dict[str, float | None] = {}
    for name, value in state.items():
        if name in INPUTS:
            values[name] = INPUTS[name].check(value)
        elif name in FACT_FIELDS:
            number = FACT_FIELDS[name].check(value)
            if isinstance(number, (int, float)):
                overrides[name] = number
    return Scenario(printable(str(state["name"])), values, overrides, str(state.get("notes") or ""))


def differences(first: Scenario, second: Scenario) -> list[Difference]:
    """The inputs and overridden facts in which two scenarios differ, in the sheet's order."""
    found = []
    for field in INPUTS.values():
        a, b = first.values.get(field.name), second.values.get(field.name)
        if a != b:
            found.append(Difference(field.name, field.label, field.unit, a, b))
    for field in FACT_FIELDS.values():
        a, b = first.overrides.get(field.name), second.overrides.get(field.name)
        if a != b:
            found.append(Difference(field.name, field.label, field.unit, a, b))
    return found
