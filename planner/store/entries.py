"""A person's own catalogue entries: devices, models, price books and efficiency profiles, kept as documents."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from planner.model.fields import MAX_NAME_LENGTH, InputError, printable
from planner.store.actions import Action
from planner.store.database import Database
from planner.store.documents import plain
from planner.store.errors import ConflictError, NotFoundError
from planner.store.names import clean_name, name_key
from planner.store.records import Conflict, Entry, Json
from planner.store.tables import EntryRow

KINDS = ("accelerator", "model", "prices", "profile", "engine")
MAX_DOCUMENT = 1_000_000
MAX_SUBJECT = 200


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


Document = Mapping[str, Any]


def put(database: Database, kind: str, name: str, document: Document, why: str = "") -> Entry:
    """Save ``document`` as the own entry ``name``, in place of what is saved under it.

    The catalogue checks a document before it comes here. Raises InputError when the name is refused, the document is
    too long or holds what is not JSON.
    """
    return put_all(database, [(kind, name, document)], why)[0]


def put_all(database: Database, entries: Iterable[tuple[str, str, Document]], why: str = "") -> list[Entry]:
    """Save own entries, each given as kind, name and document, all or none, as one revision; else as put()."""
    checked = [check(*one) for one in entries]

    def work(session: Session) -> list[Entry]:
        action = Action(session, database, None, "entry", why)
        rows = put_within(action, checked)
        action.subject = ", ".join(name for _, name, _ in checked)[:MAX_SUBJECT]
        action.finish()
        return [_entry(row) for row in rows]

    return database.write(work)


def check(kind: str, name: str, document: Document) -> tuple[str, str, dict[str, Any]]:
    """An entry as it may be saved. Raises InputError as put()."""
    kind, name = _check_kind(kind), clean_name(name, longest=MAX_NAME_LENGTH)
    try:
        text = json.dumps(document, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise InputError(f"The entry '{name}' holds what cannot be saved: {error}.") from None
    if len(text) > MAX_DOCUMENT:
        raise InputError(f"The entry '{name}' has {len(text):,} characters; it may have {MAX_DOCUMENT:,}.")
    return kind, name, json.loads(text)


def put_within(action: Action, entries: Sequence[tuple[str, str, dict[str, Any]]]) -> list[EntryRow]:
    """Save checked entries as a part of ``action``, whose revision keeps each as it was and as it is."""
    rows = []
    before: dict[str, Json] = {}
    after: dict[str, Json] = {}
    for kind, name, content in entries:
        row = _find(action.session, kind, name)
        before[f"{kind} {name}"] = plain(row.document) if row is not None else None
        after[f"{kind} {name}"] = content
        rows.append(_put_row(action, kind, name, content, row))
    action.session.flush()
    if rows:
        action.before, action.after = {**(action.before or {}), **before}, {**(action.after or {}), **after}
    return rows


def _put_row(action: Action, kind: str, name: str, content: Json, row: EntryRow | None) -> EntryRow:
    if row is not None:
        row.name, row.document, row.modified_at = name, content, action.at
        return row
    row = EntryRow(
        kind=kind,
        name=name,
        name_key=name_key(name),
        document=content,
        created_at=action.at,
        modified_at=action.at,
        deleted_at=None,
    )
    action.session.add(row)
    return row


def step(action: Action, was: Mapping[str, Json], becomes: Mapping[str, Json], *, force: bool) -> None:
    """Take own entries from what they ``was`` to what they ``becomes``, None where there is none: an undo, a redo.

    Raises ConflictError where one is no longer what it was, unless ``force`` overwrites it.
    """
    for label, content in becomes.items():
        kind, _, name = label.partition(" ")
        row = _find(action.session, kind, name)
        current = plain(row.document) if row is not None else None
        if current != was.get(label) and not force:
            version = row.version if row is not None else 0
            conflict = Conflict(0, name, label, mine=content, theirs=current, base=was.get(label), version=version)
            raise ConflictError(f"The own {label} was changed since; nothing was changed: choose one.", (conflict,))
        if content is not None:
            _put_row(action, kind, name, content, row)
        elif row is not None:
            row.deleted_at = action.at
    action.session.flush()
    if becomes:
        action.before, action.after = dict(was), dict(becomes)


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
        label = f"{row.kind} {row.name}"
        action.before, action.after = {label: plain(row.document)}, {label: None}
        action.finish()

    database.write(work)
