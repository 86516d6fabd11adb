"""Markdown: the key results as a table for a page or a message, with the change of each to the baseline."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import UTC, datetime

from exports.plain import check_scenarios
from planner.model.display import BLANK, display_of, percent_text, show_result, with_currency
from planner.model.evaluation import Evaluated
from planner.model.fields import printable
from planner.model.rows import SHEET
from planner.model.sheet import Row

_EQUAL = 5e-4
"""Relative change below which a result counts as the baseline's."""
_SPECIAL = re.compile(r"([\\`*_{}\[\]<>()!|~&])")


def render_markdown(
    scenarios: Sequence[Evaluated],
    *,
    baseline: int = 0,
    title: str = "LLM serving plan",
    exported_at: datetime | None = None,
) -> bytes:
    """The Markdown file as UTF-8. Raises ExportError when there is no scenario."""
    check_scenarios(scenarios, baseline)
    moment = (exported_at or datetime.now(UTC)).astimezone(UTC)
    base = scenarios[baseline]
    names = [escaped(evaluated.scenario.name) for evaluated in scenarios]
    parts = [
        f"# {escaped(title)}",
        f"Exported {moment:%Y-%m-%d %H:%M} UTC. In brackets: the change to the baseline, {names[baseline]}.",
        _table(["Result", "Unit", *names], [_line(row, scenarios, base) for row in SHEET.rows.values() if row.key]),
    ]
    reasons = _reasons(scenarios)
    if reasons:
        parts += ["## Why a result is blank", "\n".join(reasons)]
    notes = [
        f"- {name}: {escaped(evaluated.scenario.notes)}"
        for name, evaluated in zip(names, scenarios, strict=True)
        if evaluated.scenario.notes
    ]
    if notes:
        parts += ["## Notes", "\n".join(notes)]
    return ("\n\n".join(parts) + "\n").encode("utf-8", "replace")


def escaped(text: str) -> str:
    """``text`` on one line, with nothing in it that Markdown or HTML would take for its own."""
    return _SPECIAL.sub(r"\\\1", printable(" ".join(text.split())))


def _table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    ruler = ["---", "---", *("---:" for _ in header[2:])]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in (header, ruler, *rows))


def _line(row: Row, scenarios: Sequence[Evaluated], base: Evaluated) -> list[str]:
    currency = str(base.scenario.values.get("currency", "USD"))
    unit = escaped(with_currency(display_of(row).unit, currency)) if row.kind == "number" else ""
    cells = [_cell(row, evaluated, base) for evaluated in scenarios]
    return [escaped(row.label), unit, *cells]


def _cell(row: Row, evaluated: Evaluated, base: Evaluated) -> str:
    """The value, and in brackets its change to the baseline in per cent."""
    result, reference = evaluated.results[row.name], base.results[row.name]
    text = escaped(show_result(row, result)) if result.value is not None else BLANK
    numbers = (result.value, reference.value)
    if evaluated is base or not all(isinstance(n, float) and not isinstance(n, bool) for n in numbers):
        return text
    value, start = (float(number or 0.0) for number in numbers)
    if not start or row.kind != "number":
        return text
    change = (value - start) / abs(start)
    return f"{text} ({percent_text(change)})" if abs(change) >= _EQUAL else f"{text} (=)"


def _reasons(scenarios: Sequence[Evaluated]) -> list[str]:
    found = []
    for row in SHEET.rows.values():
        by_reason: dict[str, list[str]] = {}
        for evaluated in scenarios:
            result = evaluated.results[row.name]
            if row.key and result.value is None:
                by_reason.setdefault(result.reason, []).append(escaped(evaluated.scenario.name))
        found += [f"- {escaped(row.label)}, {', '.join(who)}: {escaped(why)}." for why, who in by_reason.items()]
    return found
