"""Workspaces, and which one a person used last."""

from __future__ import annotations

import uuid
from collections.abc import Callable

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from planner.model.fields import nearest
from planner.store.actions import Action
from planner.store.database import Database
from planner.store.errors import ConflictError, NotFoundError, StoreError
from planner.store.names import clean_name, clean_text, name_key
from planner.store.reading import LIVE, list_workspaces, to_workspace
from planner.store.records import Conflict, Document, Workspace
from planner.store.tables import ScenarioRow, SettingRow, WorkspaceRow

LAST = "last_workspace"


def find(session: Session, name: str) -> Workspace:
    """The workspace called ``name``. Raises NotFoundError that names the nearest ones."""
    query = select(WorkspaceRow).where(
        WorkspaceRow.name_key == name_key(name.strip()), WorkspaceRow.deleted_at.is_(None)
    )
    row = session.scalar(query)
    if row is None:
        names = [workspace.name for workspace in list_workspaces(session)]
        raise NotFoundError(f"There is no workspace '{name}'{nearest(name, names)}.")
    return _with_count(session, row)


def get(session: Session, identifier: int) -> Workspace:
    """The workspace with that id. Raises NotFoundError when it was deleted."""
    row = session.get(WorkspaceRow, identifier)
    if row is None or row.deleted_at is not None:
        raise NotFoundError("The workspace was deleted; choose another one.")
    return _with_count(session, row)


def _with_count(session: Session, row: WorkspaceRow) -> Workspace:
    count = session.scalar(select(func.count()).where(ScenarioRow.workspace_id == row.id, LIVE))
    return to_workspace(row, count or 0)


def last_used(database: Database) -> Workspace | None:
    """The workspace that this person used last, else the first one; None where there is none."""
    with database.reading() as session:
        setting = session.get(SettingRow, (LAST, database.who))
        if setting is not None and len(setting.value) < 19 and setting.value.isascii() and setting.value.isdigit():
            row = session.get(WorkspaceRow, int(setting.value))
            if row is not None and row.deleted_at is None:
                return _with_count(session, row)
        known = list_workspaces(session)
        return known[0] if known else None


def remember(database: Database, workspace: Workspace) -> None:
    """Note that this person uses ``workspace`` now."""

    def work(session: Session) -> None:
        session.merge(SettingRow(name=LAST, owner=database.who, value=str(workspace.id)))

    database.write(work)


def create(database: Database, name: str, notes: str = "") -> Workspace:
    """A new, empty workspace. Raises InputError, StoreError when the name is taken."""
    return database.write(lambda session: create_within(session, database, name, notes))


def create_within(session: Session, database: Database, name: str, notes: str = "") -> Workspace:
    """A new, empty workspace in the transaction of ``session``; else as create()."""
    name, notes = clean_name(name, "name of a workspace"), clean_text(notes, "notes")
    _check_free(session, name)
    moment = database.clock()
    row = WorkspaceRow(
        uid=uuid.uuid4().hex,
        name=name,
        name_key=name_key(name),
        notes=notes,
        created_at=moment,
        modified_at=moment,
        deleted_at=None,
    )
    session.add(row)
    session.flush()
    _note(session, database, row, "workspace", {}, {"name": name})
    return to_workspace(row, 0)


def _check_free(session: Session, name: str, but: int | None = None) -> None:
    query = select(WorkspaceRow).where(WorkspaceRow.name_key == name_key(name), WorkspaceRow.deleted_at.is_(None))
    with session.no_autoflush:
        row = session.scalar(query)
    if row is not None and row.id != but:
        raise StoreError(f"There is already a workspace '{row.name}'; choose another name.")


def _check_not_last(session: Session, row: WorkspaceRow) -> None:
    others = select(func.count()).where(WorkspaceRow.deleted_at.is_(None), WorkspaceRow.id != row.id)
    if not session.scalar(others):
        raise StoreError(f"'{row.name}' is the only workspace; create another one before it is deleted.")


def _note(
    session: Session, database: Database, row: WorkspaceRow, action: str, before: dict[str, str], after: dict[str, str]
) -> None:
    noted = Action(session, database, row.id, action)
    noted.subject = row.name
    noted.before, noted.after = before, after
    noted.finish()


def _change(
    database: Database, identifier: int, action: str, change: Callable[[Session, WorkspaceRow], None]
) -> Workspace:
    def work(session: Session) -> Workspace:
        row = session.get(WorkspaceRow, identifier, with_for_update=True)
        if row is None:
            raise NotFoundError(f"There is no workspace {identifier}.")
        before = _told(row)
        change(session, row)
        row.modified_at = database.clock()
        session.flush()
        after = _told(row)
        changed = [name for name in after if before[name] != after[name]]
        _note(
            session,
            database,
            row,
            action,
            {name: before[name] for name in changed},
            {name: after[name] for name in changed},
        )
        return _with_count(session, row)

    return database.write(work)


def rename(database: Database, identifier: int, name: str) -> Workspace:
    """Workspace ``identifier`` under a new ``name``. Raises InputError, StoreError when it is taken."""
    name = clean_name(name, "name of a workspace")

    def change(session: Session, row: WorkspaceRow) -> None:
        _check_free(session, name, but=row.id)
        row.name, row.name_key = name, name_key(name)

    return _change(database, identifier, "workspace rename", change)


def set_notes(database: Database, identifier: int, notes: str) -> Workspace:
    """Workspace ``identifier`` with new ``notes``. Raises InputError."""
    notes = clean_text(notes, "notes")

    def change(session: Session, row: WorkspaceRow) -> None:  # noqa: ARG001
        row.notes = notes

    return _change(database, identifier, "workspace notes", change)


def delete(database: Database, identifier: int) -> Workspace:
    """Move workspace ``identifier`` with all that is in it to the bin. Raises StoreError for the last one."""

    def change(session: Session, row: WorkspaceRow) -> None:
        _check_not_last(session, row)
        row.deleted_at = database.clock()

    return _change(database, identifier, "workspace delete", change)


def step(action: Action, was: Document, becomes: Document, *, force: bool) -> None:
    """Take the workspace of ``action`` from what it ``was`` to what it ``becomes``, as far as these say: an undo, a
    redo. Nothing at all is what it was before it was made.

    Raises ConflictError where it is no longer what it was, unless ``force`` overwrites that; StoreError where its name
    is taken by now, or it is the only one.
    """
    session = action.session
    row = session.get(WorkspaceRow, action.workspace_id, with_for_update=True)
    if row is None:
        raise NotFoundError("The workspace was purged; nothing was changed.")
    now = _told(row)
    if not was:
        wanted: Document = {"deleted_at": ""}
    elif not becomes:
        wanted = {"deleted_at": str(action.at)}
    else:
        wanted = becomes
        _refuse_changed(row, now, was, becomes, force=force)
    if wanted.get("deleted_at"):
        _check_not_last(session, row)
    name = str(wanted.get("name", row.name))
    if name != row.name or wanted.get("deleted_at") == "":
        _check_free(session, name, but=row.id)
    row.name, row.name_key = name, name_key(name)
    row.notes = str(wanted.get("notes", row.notes))
    if "deleted_at" in wanted:
        row.deleted_at = action.at if wanted["deleted_at"] else None
    row.modified_at = action.at
    session.flush()
    then = _told(row)
    action.subject = row.name
    action.before = {name: now[name] for name in then if now[name] != then[name]}
    action.after = {name: then[name] for name in action.before}


def _told(row: WorkspaceRow) -> dict[str, str]:
    """What a revision tells of a workspace."""
    return {"name": row.name, "notes": row.notes, "deleted_at": str(row.deleted_at or "")}


def _refuse_changed(row: WorkspaceRow, now: Document, was: Document, becomes: Document, *, force: bool) -> None:
    found = tuple(
        Conflict(0, row.name, name, mine=becomes[name], theirs=now[name], base=was.get(name), version=row.version)
        for name in becomes
        if name != "deleted_at" and name in now and now[name] != was.get(name)
    )
    if found and not force:
        raise ConflictError(
            f"The {found[0].name} of workspace '{row.name}' was changed since; nothing was changed: choose one.", found
        )


def undelete(database: Database, name: str) -> Workspace:
    """The workspace last deleted under ``name``, back. Raises NotFoundError, StoreError when the name is taken."""
    with database.reading() as session:
        query = (
            select(WorkspaceRow.id)
            .where(WorkspaceRow.name_key == name_key(name.strip()), WorkspaceRow.deleted_at.is_not(None))
            .order_by(WorkspaceRow.modified_at.desc(), WorkspaceRow.id.desc())
            .limit(1)
        )
        identifier = session.scalar(query)
    if identifier is None:
        raise NotFoundError(f"There is no deleted workspace '{name}'.")

    def change(session: Session, row: WorkspaceRow) -> None:
        _check_free(session, row.name, but=row.id)
        row.deleted_at = None

    return _change(database, identifier, "workspace undelete", change)
