"""A person's own catalogue entries: devices, models, price books and efficiency profiles, kept as documents."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from planner.model.fields import MAX_NAME_LENGTH, InputError, printable
from planner.store.actions import Action
from planner.store.database import Database
from planner.store.documents import plain
from planner.store.errors import NotFoundError
from planner.store.names import clean_name, name_key
from planner.store.records import Entry
from planner.store.tables import EntryRow

KINDS = ("accelerator", "model", "prices", "profile", "engine")
MAX_DOCUMENT = 1_000_000


def _check_kind(kind: str) -> str:
    if kind not in KINDS:
        raise InputError(f"A catalogue entry must be one of {', '.join(KINDS)}, not '{printable(kind)[:40]}'.")
    return kind


def _entry(row: EntryRow) -> Entry:
    document = row.document if isinstance(row.document, dict) else {}
    return Entry(row.id, printable(row.kind), printable(row.name), document, row.version, row.modified_at)


def list_all(session: Session, kind: str | None = None) -> list[Entry]:
    """All own entries, or those of one kind, by name."""
    query = select(EntryRow).where(EntryRow.deleted_at.is_(None)).order_by(EntryRow.kind, EntryRow.name_key)
    if kind is not None:
        query = query.where(EntryRow.kind == _check_kind(kind))
    return [_entry(row) for row in session.scalars(query)]


def put(database: Database, kind: str, name: str, document: Mapping[str, Any], why: str = "") -> Entry:
    """Save ``document`` as the own entry ``name``, in place of what is saved under it.

    The catalogue checks a document before it comes here. Raises InputError when the name is refused, the document is
    too long or holds what is not JSON.
    """
    kind, name = _check_kind(kind), clean_name(name, longest=MAX_NAME_LENGTH)
    try:
        text = json.dumps(document, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise InputError(f"The entry '{name}' holds what cannot be saved: {error}.") from None
    if len(text) > MAX_DOCUMENT:
        raise InputError(f"The entry '{name}' has {len(text):,} characters; it may have {MAX_DOCUMENT:,}.")
    content: dict[str, Any] = json.loads(text)

    def work(session: Session) -> Entry:
        action = Action(session, database, None, "entry", why)
        moment = action.at
        row = _find(session, kind, name)
        before = None
        if row is None:
            row = EntryRow(
                kind=kind,
                name=name,
                name_key=name_key(name),
                document=content,
                created_at=moment,
                modified_at=moment,
                deleted_at=None,
            )
            session.add(row)
        else:
            before = row.document
            row.name, row.document, row.modified_at = name, content, moment
        session.flush()
        action.subject = name
        action.before, action.after = {kind: plain(before)}, {kind: content}
        action.finish()
        return _entry(row)

    return database.write(work)


def _find(session: Session, kind: str, name: str) -> EntryRow | None:
    query = select(EntryRow).where(
        EntryRow.kind == kind, EntryRow.name_key == name_key(name), EntryRow.deleted_at.is_(None)
    )
    return session.scalar(query.with_for_update())


def delete(database: Database, kind: str, name: str) -> None:
    """Delete the own entry ``name``. Raises NotFoundError."""

    def work(session: Session) -> None:
        action = Action(session, database, None, "entry delete")
        row = _find(session, _check_kind(kind), name)
        if row is None:
            raise NotFoundError(f"There is no own {kind} '{name}'.")
        row.deleted_at = action.at
        session.flush()
        action.subject = row.name
        action.before, action.after = {kind: plain(row.document)}, {}
        action.finish()

    database.write(work)
