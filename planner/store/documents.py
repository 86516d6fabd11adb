"""A saved scenario as a JSON document: what revisions keep of it, and how a kept value is put back."""

from __future__ import annotations

import math
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from planner.model.facts import FACT_FIELDS
from planner.model.fields import Field, FieldValue
from planner.model.inputs import INPUTS
from planner.model.lookup import field_called
from planner.store.names import clean_name, clean_tags, clean_text, name_key
from planner.store.records import Document, Json
from planner.store.tables import ScenarioRow

OWN = ("name", "notes", "tags", "position", "is_baseline", "in_fleet", "deleted_at")
"""What a document holds beside inputs and overridden facts."""

LABELS = {
    "name": "name",
    "notes": "notes",
    "tags": "tags",
    "position": "position",
    "is_baseline": "baseline",
    "in_fleet": "part of the fleet",
    "deleted_at": "deleted",
}


def plain(value: Any) -> Json:
    """``value`` as JSON can hold it; what is damaged beyond that becomes its text."""
    if value is None or isinstance(value, (bool, int)):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()
    if isinstance(value, (list, tuple)):
        return [plain(part) for part in value]
    if isinstance(value, Mapping):
        return {str(name): plain(part) for name, part in value.items()}
    if isinstance(value, datetime):
        return value.isoformat()
    return repr(value)


def overrides_of(row: ScenarioRow) -> dict[str, Any]:
    """The facts that ``row`` overrides; none where they cannot be read."""
    return dict(row.overrides) if isinstance(row.overrides, dict) else {}


def document(row: ScenarioRow) -> dict[str, Json]:
    """All of ``row`` that a person can change, by name; only the facts that it overrides."""
    values = {name: plain(getattr(row, name)) for name in OWN}
    values.update({name: plain(getattr(row, name)) for name in INPUTS})
    values.update(plain_overrides(row))
    return values


def plain_overrides(row: ScenarioRow) -> dict[str, Json]:
    """The overridden facts of ``row`` as JSON."""
    return {name: plain(value) for name, value in overrides_of(row).items()}


def changes(before: Document, after: Document) -> tuple[dict[str, Json], dict[str, Json]]:
    """The parts of ``before`` and ``after`` that differ; a name that one of them lacks is blank there."""
    names = [name for name in {**before, **after} if before.get(name) != after.get(name)]
    return {name: before.get(name) for name in names}, {name: after.get(name) for name in names}


def put(row: ScenarioRow, name: str, value: FieldValue | Json) -> None:
    """Set ``name``, an input, a fact or one of OWN, in ``row``. Raises InputError when it is refused."""
    if name in INPUTS:
        checked = INPUTS[name].check(value)
        setattr(row, name, list(checked) if isinstance(checked, tuple) else checked)
    elif name == "name":
        row.name = clean_name(value)
        row.name_key = name_key(row.name)
    elif name == "notes":
        row.notes = clean_text(value, "notes")
    elif name == "tags":
        row.tags = list(clean_tags(value if isinstance(value, (list, tuple)) else ()))
    elif name == "position":
        row.position = int(value) if isinstance(value, (int, float)) else 0
    elif name == "is_baseline":
        row.is_baseline = bool(value)
    elif name == "in_fleet":
        row.in_fleet = bool(value)
    elif name == "deleted_at":
        row.deleted_at = datetime.fromisoformat(value) if isinstance(value, str) else None
    else:
        _put_fact(row, field_called(name), value)


def _put_fact(row: ScenarioRow, field: Field, value: FieldValue | Json) -> None:
    overrides = overrides_of(row)
    if value is None:
        overrides.pop(field.name, None)
    else:
        overrides[field.name] = field.check(value)
    row.overrides = {name: overrides[name] for name in FACT_FIELDS if name in overrides}
