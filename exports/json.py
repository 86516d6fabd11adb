"""JSON: every scenario with its inputs, its facts and where they come from, and its results or why they are blank.

Beside them stand the own catalogue entries that they use, so that the file alone brings everything back
(``exports.json_plan`` reads it).
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from catalog.book import Overlay
from catalog.documents import overlay_document
from exports.plain import check_scenarios, plain
from planner.model.evaluation import Evaluated
from planner.model.facts import FACT_FIELDS
from planner.model.rows import SHEET

FORMAT = 1
"""Number of the document's form; it rises when a reader of the old form could misread the new one."""


@dataclass(frozen=True, slots=True)
class Saved:
    """What is kept of a scenario beside what is computed with."""

    tags: tuple[str, ...] = ()
    in_fleet: bool = False


def render_json(
    scenarios: Sequence[Evaluated],
    *,
    baseline: int = 0,
    ids: Sequence[str] | None = None,
    saved: Sequence[Saved] | None = None,
    own: Overlay | None = None,
    provenance: Mapping[str, str] | None = None,
    exported_at: datetime | None = None,
) -> bytes:
    """The JSON file as UTF-8; ``own`` are the catalogue entries that go with it.

    Raises ExportError when there is no scenario.
    """
    check_scenarios(scenarios, baseline)
    moment = exported_at or datetime.now(UTC)
    identities: list[str | None] = list(ids) if ids is not None else [None] * len(scenarios)
    kept = list(saved) if saved is not None else [Saved()] * len(scenarios)
    content = {
        "format": FORMAT,
        "exported_at": moment.isoformat(timespec="seconds"),
        "provenance": dict(provenance or {}),
        "baseline": scenarios[baseline].scenario.name,
        "scenarios": [
            _scenario(evaluated, identity, one)
            for evaluated, identity, one in zip(scenarios, identities, kept, strict=True)
        ],
        "catalogue": overlay_document(own if own is not None else Overlay("", {})),
    }
    return (json.dumps(content, indent=2, ensure_ascii=False, allow_nan=False) + "\n").encode("utf-8", "replace")


def _scenario(evaluated: Evaluated, identity: str | None, saved: Saved) -> dict[str, object]:
    scenario = evaluated.scenario
    return {
        **({"id": identity} if identity is not None else {}),
        "name": scenario.name,
        "notes": scenario.notes,
        "tags": list(saved.tags),
        "fleet": saved.in_fleet,
        "inputs": {name: plain(value) for name, value in scenario.values.items()},
        "overrides": dict(scenario.overrides),
        "facts": {name: _fact(evaluated, name) for name in FACT_FIELDS if name in evaluated.facts},
        "rows": {name: _row(evaluated, name) for name in SHEET.rows},
    }


def _fact(evaluated: Evaluated, name: str) -> dict[str, object]:
    fact = evaluated.facts[name]
    found: dict[str, object] = {"value": fact.value, "unit": FACT_FIELDS[name].unit}
    for key in ("source", "date", "doubt"):
        if getattr(fact, key):
            found[key] = getattr(fact, key)
    return found | ({"overridden": True} if fact.overridden else {})


def _row(evaluated: Evaluated, name: str) -> dict[str, object]:
    result = evaluated.results[name]
    found: dict[str, object] = {"value": result.value, "unit": SHEET.rows[name].unit}
    return found | ({"reason": result.reason} if result.value is None else {})
