"""Saving what can still be read of a damaged library: a row that can be read is kept, and only the values in it that
cannot be right are left out, each of them named."""

from __future__ import annotations

import contextlib
import os
import secrets
import sqlite3
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sqlalchemy import select, true
from sqlalchemy.orm import Session

from planner.model.facts import FACT_FIELDS
from planner.store import history, mending, opening
from planner.store.actions import Action
from planner.store.backup import sync_file, verify
from planner.store.database import Database, login
from planner.store.doctor import Report
from planner.store.documents import document
from planner.store.engines import connect_sqlite, sqlite_engine, unreadable_schema
from planner.store.errors import CANNOT_CREATE, StoreError, code_of_writing
from planner.store.names import name_key
from planner.store.reading import LIVE, ORDER
from planner.store.records import Json
from planner.store.tables import Base, ScenarioRow, WorkspaceRow
from planner.store.translation import from_sqlite

LAST_ROW = 2**63 - 1
# Programs that run are none of the new library's.
_LEFT_OUT = ("instance",)
_MOST_MISSES = 64


def salvage(path: Path, target: Path) -> Report:
    """Save all of ``path`` that can be read in a new library ``target``; the report counts the rows that are kept and
    names what is lost, value by value.

    Raises StoreError where ``path`` holds nothing of the planner's, is locked or cannot be read, and where ``target``
    exists or cannot be written; then there is no ``target``.
    """
    if os.path.lexists(target):
        raise StoreError(f"{target} exists already; nothing was changed.", CANNOT_CREATE)
    report = Report()
    temporary = target.with_name(f".{target.name}.{os.getpid()}-{secrets.token_hex(4)}.tmp")
    with contextlib.closing(_readable(path, report)) as source:
        try:
            opening.create_file(temporary, filled=False, called=target)
            _fill(source, temporary, path, report)
            verify(temporary)
            sync_file(temporary)
            if not opening.publish(temporary, target):
                raise StoreError(f"{target} exists already; nothing was changed.", CANNOT_CREATE)
        except OSError as error:
            what = f"{target} cannot be written: {error.strerror or error}; {path} is as it was."
            raise StoreError(what, code_of_writing(error)) from None
        except sqlite3.Error as error:
            raise from_sqlite(error, str(target)) from None
        finally:
            for leftover in (temporary, temporary.with_name(f"{temporary.name}-journal")):
                with contextlib.suppress(OSError):
                    leftover.unlink()
    return report


def _readable(path: Path, report: Report) -> sqlite3.Connection:
    """A connection that reads one state of ``path`` and holds it. Raises StoreError where there is nothing to read."""
    for immutable in (False, True):
        try:
            connection = connect_sqlite(path, "ro", immutable=immutable)
        except sqlite3.Error as error:
            raise from_sqlite(error, str(path)) from None
        try:
            connection.execute("BEGIN")
            names = {str(name) for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
            if not names & {"workspace", "scenario"}:
                raise StoreError(f"{path} holds no table of a planner database; nothing was changed.")
            if immutable:
                report.notes.append(f"A write that was cut short was not rolled back: the journal beside {path} stays.")
            return connection
        except (sqlite3.Error, UnicodeDecodeError) as caught:
            connection.close()
            why = caught if isinstance(caught, sqlite3.Error) else unreadable_schema()
            # A journal that is to be rolled back keeps everybody out who only reads.
            if immutable or (why.sqlite_errorcode or 0) & 0xFF not in (
                sqlite3.SQLITE_READONLY,
                sqlite3.SQLITE_CANTOPEN,
            ):
                raise from_sqlite(why, str(path)) from None
        except BaseException:
            connection.close()
            raise
    raise AssertionError("unreachable")


@dataclass(slots=True)
class _Saved:
    """What has been saved so far: the ids of each table, and the scenarios of which a value was left out."""

    connection: sqlite3.Connection
    report: Report
    ids: dict[str, set[int]] = field(default_factory=dict)
    mended: dict[int, dict[str, Json]] = field(default_factory=dict)

    def has(self, table: str, identifier: object) -> bool:
        return identifier in self.ids.get(table, ())


def _fill(source: sqlite3.Connection, temporary: Path, path: Path, report: Report) -> None:
    with contextlib.closing(connect_sqlite(temporary, "rw")) as connection:
        saved = _Saved(connection, report)
        connection.execute("BEGIN IMMEDIATE")
        for table in Base.metadata.sorted_tables:
            if table.name not in _LEFT_OUT:
                report.checked[table.name] = sum(
                    _save(saved, table.name, dict(row)) for row in _rows(source, table.name, report)
                )
        connection.execute("COMMIT")
    _settle(temporary, path, saved)


def _rows(source: sqlite3.Connection, table: str, report: Report) -> Iterator[Mapping[str, Any]]:
    """The rows of ``table`` in order; where reading breaks off, it goes on behind the damage."""
    after, misses, step = -1, 0, 1
    while misses < _MOST_MISSES and after <= LAST_ROW:
        try:
            query = f"SELECT rowid, * FROM {table} WHERE rowid > ? ORDER BY rowid"  # noqa: S608 - our own names
            cursor = source.execute(query, (after,))
            names = [str(column[0]) for column in cursor.description[1:]]
            for identifier, *values in cursor:
                after, misses, step = identifier, 0, 1
                yield dict(zip(names, values, strict=True))
            return
        except (sqlite3.Error, UnicodeDecodeError) as caught:
            # What SQLite says of a damaged definition may quote what is no text.
            why = caught if isinstance(caught, sqlite3.Error) else unreadable_schema()
            if not misses:
                report.problems.append(f"Rows of the table {table} behind number {max(after, 0)} are lost: {why}.")
            misses += 1
            after += step
            step *= 2


def _save(saved: _Saved, table: str, row: dict[str, Any]) -> int:
    """Save one row, mended; 1 where that is done. What is lost of it is named in the report."""
    columns = Base.metadata.tables[table].columns
    label = mending.label(table, row)
    found = mending.mend(table, row)
    lost = found.problems
    if found.lost:
        saved.report.problems.append(f"{label} is lost: {found.lost}.")
        return 0
    values = found.values
    for column in columns:
        for key in column.foreign_keys:
            parent = key.column.table.name
            if values[column.name] is None or saved.has(parent, values[column.name]):
                continue
            if parent == "workspace":
                _adopt(saved, values[column.name])
            elif column.nullable:
                values[column.name] = None
            else:
                saved.report.problems.append(f"{label} is lost: the {parent} that it belongs to is.")
                return 0
    name = values.get("name")
    marks = ", ".join(f":{name}" for name in values)
    verb = "INSERT OR REPLACE" if table == "setting" else "INSERT"
    statement = f"{verb} INTO {table} ({', '.join(values)}) VALUES ({marks})"
    for attempt in range(3):
        try:
            saved.connection.execute(statement, values)
            break
        except sqlite3.IntegrityError as error:
            what = mending.make_unique(table, values, str(error))
            if attempt == 2 or what is None:
                saved.report.problems.append(f"{label} is lost: {error}.")
                return 0
            lost.append(what)
    if isinstance(values.get("id"), int):
        saved.ids.setdefault(table, set()).add(values["id"])
    if values.get("name") != name:
        found.was.setdefault("name", name)
    if table == "scenario" and found.was:
        saved.mended[values["id"]] = found.was
    saved.report.problems += [f"{label}: {text}" for text in lost]
    return 1


def _adopt(saved: _Saved, identifier: int) -> None:
    """A workspace for what belonged to one that is lost."""
    name = f"Salvaged {identifier}"
    row = {"id": identifier, "name": name, "name_key": name_key(name)}
    found = mending.mend("workspace", row)
    marks = ", ".join(f":{name}" for name in found.values)
    saved.connection.execute(
        f"INSERT INTO workspace ({', '.join(found.values)}) VALUES ({marks})",  # noqa: S608 - our own names
        found.values,
    )
    saved.ids.setdefault("workspace", set()).add(identifier)
    saved.report.problems.append(f"Workspace {identifier} is lost; what was in it is in the workspace '{name}'.")


def _settle(temporary: Path, path: Path, saved: _Saved) -> None:
    """Give every workspace its one baseline, and note in its history what was left out."""
    database = Database(sqlite_engine(temporary, "rw"), str(path), who=login())

    def work(session: Session) -> None:
        for workspace in session.scalars(select(WorkspaceRow.id)).all():
            of_it = select(ScenarioRow).where(ScenarioRow.workspace_id == workspace)
            live = of_it.where(LIVE)
            action = Action(session, database, workspace, "salvage")
            for row in session.scalars(of_it).all():
                if row.id in saved.mended:
                    action.touch(row, {**document(row), **_as_it_was(session, row.id, saved.mended[row.id])})
            if session.scalar(live.where(ScenarioRow.is_baseline == true()).limit(1)) is None:
                first = session.scalar(live.order_by(*ORDER).limit(1))
                if first is not None:
                    action.touch(first)
                    first.is_baseline = True
            action.finish()

    try:
        database.write(work)
    finally:
        database.close()


def _as_it_was(session: Session, identifier: int, was: dict[str, Json]) -> dict[str, Json]:
    """``was`` with the overridden facts that the history tells of, where those of the row could not be read."""
    if "overrides" not in was:
        return was
    told = history.told(session, identifier) or {}
    facts = {name: value for name, value in told.items() if name in FACT_FIELDS}
    return facts | {name: value for name, value in was.items() if name != "overrides"}
