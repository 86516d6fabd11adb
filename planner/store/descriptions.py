"""What a revision did, as a sentence for people."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from planner.model.facts import FACT_FIELDS
from planner.model.fields import InputError, printable
from planner.model.inputs import INPUTS
from planner.store.conflicts import shown
from planner.store.documents import LABELS, OWN
from planner.store.records import Document, Json
from planner.store.tables import ChangeRow, RevisionRow

_LONGEST = 3
_ACTIONS = {
    "examples": "Filled in the examples",
    "reorder": "Reordered the scenarios",
    "workspace": "Created workspace",
    "workspace rename": "Renamed workspace",
    "workspace delete": "Deleted workspace",
    "workspace undelete": "Brought back workspace",
    "workspace notes": "Changed the notes of workspace",
    "snapshot": "Took snapshot",
    "snapshot delete": "Deleted snapshot",
    "entry": "Saved catalogue entry",
    "entry delete": "Deleted catalogue entry",
    "purge": "Purged",
    "copy in": "Copied from",
}


def value_shown(name: str, value: Json) -> str:
    """``value`` of field ``name`` for people; never a traceback, whatever was stored."""
    if name == "tags":
        return ", ".join(str(tag) for tag in value) if isinstance(value, list) and value else "none"
    if name in ("is_baseline", "in_fleet"):
        return "yes" if value else "no"
    if name in OWN:
        text = printable(str(value))
        return f"'{text[:60]}…'" if len(text) > 60 else f"'{text}'"
    try:
        return shown(name, value)
    except (InputError, TypeError, ValueError):
        return printable(str(value))[:60]


def label_of(name: str) -> str:
    """What a person calls the field ``name`` of a scenario."""
    field = INPUTS.get(name) or FACT_FIELDS.get(name)
    return field.label if field is not None else LABELS.get(name, printable(name)[:60])


def _fields(before: Document, after: Document) -> str:
    names = [name for name in after if name != "position"]
    if names == ["notes"]:
        return "notes changed"
    parts = [
        f"{label_of(name)} {value_shown(name, before.get(name))} → {value_shown(name, after[name])}"
        for name in names[:_LONGEST]
        if name != "notes"
    ]
    if "notes" in names[:_LONGEST]:
        parts.append("notes changed")
    if len(names) > _LONGEST:
        parts.append(f"and {len(names) - _LONGEST} more")
    return ", ".join(parts)


def scenario_change(change: ChangeRow) -> str:
    """What happened to one scenario."""
    name = f"'{printable(change.name)}'"
    before = change.before if isinstance(change.before, dict) else {}
    after = change.after if isinstance(change.after, dict) else {}
    if not before and "name" in after:
        return f"created {name}"
    if "deleted_at" in after:
        return f"deleted {name}" if after["deleted_at"] else f"brought back {name}"
    if set(after) == {"name"}:
        return f"renamed {value_shown('name', before['name'])} to {name}"
    if set(after) == {"is_baseline"}:
        return f"made {name} the baseline" if after["is_baseline"] else f"{name} no longer the baseline"
    if not isinstance(change.before, dict) or not isinstance(change.after, dict):
        return f"{name}: what changed is not known"
    if set(after) <= {"position"}:
        return f"moved {name}"
    return f"{name}: {_fields(before, after)}"


def describe(revision: RevisionRow, changes: Sequence[ChangeRow], of: str = "", *, hidden: int = 0) -> str:
    """The sentence for ``revision``; ``of`` describes the revision that an undo or redo is about.

    ``hidden`` is the number of scenarios that it changed beside ``changes``.
    """
    if revision.action in ("undo", "redo") and of:
        return f"{revision.action.capitalize()}: {of}"
    start = _ACTIONS.get(revision.action, "")
    if revision.action == "workspace rename" and isinstance(revision.before, dict) and "name" in revision.before:
        was = printable(str(revision.before["name"]))
        return f"Renamed workspace '{was}' to '{printable(revision.subject)}'"
    if revision.subject:
        return f"{start or revision.action.capitalize()} '{printable(revision.subject)}'"
    # The new baseline says it all; what the old one lost goes without saying.
    telling = [part for part in changes if part.after != {"is_baseline": False}] or list(changes)
    if start and len(telling) + hidden != 1:
        return start
    texts = [scenario_change(part) for part in telling[:_LONGEST]]
    more = hidden + max(0, len(telling) - _LONGEST)
    if more:
        texts.append(f"{more} more scenarios alike")
    if revision.action == "import" and isinstance(revision.after, dict):
        names = sorted(printable(str(name))[:80] for name in revision.after)
        texts.append("saved " + ", ".join(names[:_LONGEST] + ["..."] * (len(names) > _LONGEST)))
    text = "; ".join(texts)
    if revision.action in ("restore", "salvage"):
        return f"{'Restored' if revision.action == 'restore' else 'Left out what was damaged:'} {text}"
    return text[:1].upper() + text[1:] if text else revision.action.capitalize()


def when(moment: datetime) -> str:
    """``moment`` in UTC as people read it."""
    return moment.strftime("%Y-%m-%d %H:%M UTC")
