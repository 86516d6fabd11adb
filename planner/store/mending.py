"""Rows of a damaged library as they can be kept: what is sound stays, what cannot be right is left out and named."""

from __future__ import annotations

import json
import math
import re
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from sqlalchemy import Column, Double, Integer, String
from sqlalchemy.types import TypeEngine

from planner.model.facts import FACT_FIELDS
from planner.model.fields import MAX_NAME_LENGTH, Field, InputError, printable
from planner.model.inputs import INPUTS
from planner.store.columns import (
    UNKNOWN_TIME,
    JsonDocument,
    Switch,
    Unreadable,
    UtcTime,
    read_document,
    read_switch,
    read_time,
)
from planner.store.documents import OWN, plain
from planner.store.entries import KINDS
from planner.store.names import MAX_NAME, MAX_NOTES, name_key, shown_text
from planner.store.records import Json
from planner.store.snapshots import digest_of
from planner.store.tables import Base

LOST_TIME = UNKNOWN_TIME + timedelta(microseconds=1)
"""What stands for a time that was lost: as old as one that cannot be read, but a time."""
_GAP = 1 << 20
_LONGEST = 60
_WORDS = {
    "workspace": "Workspace",
    "scenario": "Scenario",
    "revision": "Revision",
    "revision_change": "What revision",
    "snapshot": "Snapshot",
    "witness": "What was last seen of scenario",
    "catalogue_entry": "Own catalogue entry",
    "setting": "Setting",
}
# Columns without which a row says nothing; the value of any other is left out.
_NEEDED = {
    "workspace": ("id",),
    "scenario": ("id", "workspace_id"),
    "revision": ("id",),
    "revision_change": ("revision_id", "scenario_id"),
    "snapshot": ("id", "workspace_id", "content"),
    "witness": ("scenario_id", "results"),
    "catalogue_entry": ("id", "kind", "document"),
    "setting": ("name", "owner", "value"),
}


@dataclass(slots=True)
class Mended:
    """A row as it is kept: ``problems`` name the values that are left out, ``was`` holds those of a scenario as they
    were. ``lost`` says why the row cannot be kept at all."""

    values: dict[str, Any]
    problems: list[str] = field(default_factory=list)
    was: dict[str, Json] = field(default_factory=dict)
    lost: str = ""


def label(table: str, row: Mapping[str, Any]) -> str:
    """What ``row`` of ``table`` is called in a report."""
    word = _WORDS[table]
    if table == "setting":
        return f"{word} {_shown(row.get('name'))}"
    if table == "revision_change":
        return f"{word} {_shown(row.get('revision_id'))} changed in scenario {_shown(row.get('scenario_id'))}"
    identifier = _shown(row.get("scenario_id" if table == "witness" else "id"))
    name = row.get("name")
    return f"{word} {identifier}" + (f" '{_shown(name)}'" if isinstance(name, str) and name else "")


def _shown(value: object) -> str:
    text = printable(value if isinstance(value, str) else str(plain(value)))
    return f"{text[:_LONGEST]}…" if len(text) > _LONGEST else text


def mend(table: str, row: Mapping[str, Any]) -> Mended:
    """``row`` of ``table``, as SQLite gave it, as it can be kept."""
    found = Mended({})
    for column in Base.metadata.tables[table].columns:
        given = row.get(column.name)
        if table == "scenario" and column.name in INPUTS:
            found.values[column.name] = _input(INPUTS[column.name], given, column.name in row, found)
            continue
        sound, value = _sound(column, given)
        if sound:
            found.values[column.name] = value
            continue
        if column.name in _NEEDED[table]:
            found.lost = f"its {column.name} cannot be read"
            return found
        found.values[column.name] = _instead(column, given, row)
        if column.name in row and column.name not in ("name", "name_key"):
            found.problems.append(f"the {column.name} '{_shown(given)}' cannot be read and is left out.")
            if column.name in (*OWN, "overrides"):
                found.was[column.name] = plain(given)
    if table in _SPECIAL:
        _SPECIAL[table](found, row)
    return found


def _sound(column: Column[Any], value: Any) -> tuple[bool, Any]:
    """Whether ``value`` may stand in ``column``, and as what."""
    if value is None:
        return bool(column.nullable), None
    kind: TypeEngine[Any] = column.type
    if isinstance(kind, UtcTime):
        return read_time(value) != UNKNOWN_TIME, value
    if isinstance(kind, JsonDocument):
        return _is_text(value) and not isinstance(read_document(value), Unreadable), value
    if isinstance(kind, Switch):
        return value in (0, 1), value
    if isinstance(kind, Integer):
        return isinstance(value, int), value
    if isinstance(kind, Double):
        return isinstance(value, (int, float)) and math.isfinite(value), value
    assert isinstance(kind, String)  # noqa: S101 - the tables have no other columns
    return _is_text(value) and (kind.length is None or len(value) <= kind.length), value


def _is_text(value: object) -> bool:
    """Whether ``value`` is a text of whole characters, all of which may be stored."""
    if not isinstance(value, str):
        return False
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return "\0" not in value


def _input(field: Field, given: Any, is_there: bool, found: Mended) -> Any:
    """What an input is kept as: its default where ``given`` does not pass its check."""
    value = read_switch(given) if field.kind == "switch" else given
    if field.kind == "shares" and isinstance(given, str):
        value = read_document(given)
    try:
        if is_there:
            return _stored(field.check(tuple(value) if isinstance(value, list) else value))
        why = ""
    except (InputError, TypeError) as error:
        why = str(error)
    default = f"is the default now, {field.show(field.default)}" if field.default is not None else "is blank now"
    found.problems.append(f"{field.label} ({field.name}) is left out and {default}. {why}".rstrip())
    found.was[field.name] = plain(value)
    return _stored(field.default)


def _stored(value: Any) -> Any:
    return json.dumps(value) if isinstance(value, tuple) else int(value) if isinstance(value, bool) else value


def _instead(column: Column[Any], given: Any, row: Mapping[str, Any]) -> Any:
    """What stands in for a value that cannot be read."""
    kind: TypeEngine[Any] = column.type
    if column.name == "uid":
        return uuid.uuid4().hex
    if column.nullable:
        return None
    if isinstance(kind, UtcTime):
        return LOST_TIME.isoformat(timespec="microseconds")
    if isinstance(kind, JsonDocument):
        # What a revision changed is not known then: null says so, and nothing is ever restored from it.
        return {"tags": "[]", "overrides": "{}"}.get(column.name, "null")
    if isinstance(kind, Integer):
        identifier = row.get("id")
        by_name = {"version": 1, "position": identifier * _GAP if isinstance(identifier, int) else 0}
        return by_name.get(column.name, identifier if column.name == "sequence" else 0)
    if isinstance(kind, Switch):
        return 0
    if isinstance(given, str) and isinstance(kind, String):
        return printable(given)[: kind.length]
    return "unknown" if column.name in ("who", "action") else ""


def _mend_name(found: Mended, row: Mapping[str, Any], word: str, longest: int = MAX_NAME) -> None:
    """Give what has a name one that may be stored, and the key that belongs to it."""
    given = row.get("name")
    name = given if isinstance(given, str) else ""
    name = printable(name).strip()[:longest].strip()
    if not name.strip("\ufffd "):
        name = f"{word} {row.get('id')}"
    if name != given:
        found.problems.append(f"the name cannot be read; it is '{name}' now.")
        found.was["name"] = plain(given)
    found.values["name"], found.values["name_key"] = name, name_key(name)


def _workspace(found: Mended, row: Mapping[str, Any]) -> None:
    _mend_name(found, row, "Workspace")


def _scenario(found: Mended, row: Mapping[str, Any]) -> None:
    _mend_name(found, row, "Scenario")
    notes = shown_text(str(found.values["notes"]))[:MAX_NOTES]
    if notes != found.values["notes"]:
        found.problems.append("characters of the notes cannot be shown and are replaced.")
        found.was["notes"], found.values["notes"] = plain(row.get("notes")), notes
    if not isinstance(read_document(found.values["tags"]), list):
        found.problems.append("the tags cannot be read and are left out.")
        found.was["tags"], found.values["tags"] = plain(row.get("tags")), "[]"
    overrides = read_document(found.values["overrides"])
    kept = {}
    if not isinstance(overrides, dict):
        found.problems.append("the overridden facts cannot be read and are left out; the catalogue's hold.")
        found.was["overrides"], overrides = None, {}
    for name, value in overrides.items():
        fact = FACT_FIELDS.get(name)
        try:
            if fact is None:
                raise InputError("There is no such fact.")
            kept[name] = fact.check(value)
        except InputError as error:
            called = f"{fact.label} ({name})" if fact is not None else f"the fact '{_shown(name)}'"
            found.problems.append(f"{called} is left out, the catalogue's holds. {error}")
            if fact is not None:
                found.was[name] = plain(value)
    if kept != overrides or found.values["overrides"] == "null":
        found.values["overrides"] = json.dumps(kept)


def _snapshot(found: Mended, row: Mapping[str, Any]) -> None:
    _mend_name(found, row, "Snapshot")
    content = read_document(found.values["content"])
    if not isinstance(content, list):
        found.lost = "its content cannot be read"
    elif digest_of(content) != found.values["digest"]:
        found.problems.append("its content is not what was saved.")


def _entry(found: Mended, row: Mapping[str, Any]) -> None:
    _mend_name(found, row, "Entry", MAX_NAME_LENGTH)
    if found.values["kind"] not in KINDS:
        found.lost = f"its kind {_shown(found.values['kind'])} is none"
    elif not isinstance(read_document(found.values["document"]), dict):
        found.lost = "its figures cannot be read"


def _witness(found: Mended, _: Mapping[str, Any]) -> None:
    if not isinstance(read_document(found.values["results"]), dict):
        found.lost = "its results cannot be read"


_SPECIAL: dict[str, Callable[[Mended, Mapping[str, Any]], None]] = {
    "workspace": _workspace,
    "scenario": _scenario,
    "snapshot": _snapshot,
    "catalogue_entry": _entry,
    "witness": _witness,
}
_UNIQUE = re.compile(r"UNIQUE constraint failed: (.+)")


def make_unique(table: str, values: dict[str, Any], error: str) -> str | None:
    """Change what ``values`` shares with a row that was saved before; a sentence about it, None where there is no way.

    ``error`` is what SQLite says.
    """
    match = _UNIQUE.search(error)
    if match is None:
        return None
    columns = [part.strip().rpartition(".")[2] for part in match[1].split(",")]
    if columns == ["uid"]:
        values["uid"] = uuid.uuid4().hex
        return "it had the number of another one and has a new one now."
    if table == "scenario" and columns == ["workspace_id"]:
        values["is_baseline"] = 0
        return "it is no longer the baseline, as there is another."
    if columns[-1] == "name_key":
        name = f"{values['name'][: MAX_NAME - 40]} (salvaged {values['id']})"
        values["name"], values["name_key"] = name, name_key(name)
        return f"another one has that name; it is '{name}' now."
    return None
