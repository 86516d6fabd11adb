"""CSV: one quantity a line, one scenario a column, numbers in full."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence

from exports.plain import Plain, check_scenarios, lines
from planner.model.evaluation import Evaluated
from planner.model.fields import printable

_FORMULA_LIKE = ("=", "+", "-", "@", "\t", "\r", "\n")


def render_csv(scenarios: Sequence[Evaluated], *, baseline: int = 0) -> bytes:
    """The CSV file as UTF-8; a blank is an empty field. Raises ExportError when there is no scenario.

    A text that a spreadsheet would take for a formula gets an apostrophe in front, which spreadsheets understand.
    """
    check_scenarios(scenarios, baseline)
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\r\n")
    writer.writerow(
        ["kind", "section", "name", "label", "unit", *(_safe(evaluated.scenario.name) for evaluated in scenarios)]
    )
    for line in lines(scenarios):
        texts = [_safe(text) for text in (line.kind, line.section, line.name, line.label, line.unit)]
        writer.writerow([*texts, *(_field(value) for value in line.values)])
    return buffer.getvalue().encode()


def _field(value: Plain) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return " ".join(repr(share) for share in value)
    return _safe(value) if isinstance(value, str) else repr(value)


def _safe(text: str) -> str:
    """``text`` on one line, harmless to open in a spreadsheet."""
    shown = printable(text.replace("\n", " "))
    return f"'{shown}" if shown.startswith(_FORMULA_LIKE) else shown
