"""Why two scenarios differ: each input or fact that differs, and how far it alone moves the results watched."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from planner.analysis.difference import Difference, differing, explain_difference
from planner.cli.output import Column, write_line, write_table
from planner.cli.results import unit_of, value_text
from planner.cli.values import evaluated
from planner.model.display import BLANK, show_value, with_currency
from planner.model.rows import SHEET
from planner.model.scenario import Scenario

if TYPE_CHECKING:
    from catalog.book import Catalog

UNMOVED = "·"


@dataclass(frozen=True, slots=True)
class Explained:
    """Two scenarios and, for each result watched, what leads from one to the other."""

    first: Scenario
    second: Scenario
    results: Sequence[Difference]


def explained(first: Scenario, second: Scenario, watched: Sequence[str], catalog: Catalog) -> Explained:
    """The differences of ``first`` and ``second`` in the results ``watched``; without any, in the chief ones that move.

    Raises InputError when a scenario cannot be evaluated.
    """
    before, after = evaluated(first, catalog).results, evaluated(second, catalog).results
    chief = [name for name, row in SHEET.rows.items() if row.key and row.kind == "number"]
    rows = list(watched) or [name for name in chief if before[name] != after[name]]
    return Explained(first, second, [explain_difference(first, second, name, catalog) for name in rows])


def difference_document(found: Explained) -> dict[str, Any]:
    """Both values of every field that differs, and by row the result before and after and what each field moves."""
    currency = str(found.first.values["currency"])
    return {
        "first": found.first.name,
        "second": found.second.name,
        "fields": {
            field.name: {"label": field.label, "unit": with_currency(field.unit, currency), "first": old, "second": new}
            for field, old, new in differing(found.first, found.second)
        },
        "rows": {
            one.row: {
                "unit": with_currency(SHEET.rows[one.row].unit, currency),
                "first": one.before,
                "second": one.after,
                "moves": {change.field.name: change.moves for change in one.changes},
                "together": one.together,
            }
            for one in found.results
        },
    }


def write_difference(found: Explained) -> None:
    """The same for people: one line a field, one column a result."""
    fields = list(differing(found.first, found.second))
    if not fields:
        write_line(f"'{found.first.name}' and '{found.second.name}' have the same inputs.")
        return
    rows = [SHEET.rows[one.row] for one in found.results]
    columns = [Column(""), Column(found.first.name, "right"), Column(found.second.name, "right")]
    columns += [Column(f"{row.label}, {unit_of(row, found.first)}".rstrip(", "), "right") for row in rows]
    lines = [["Result of the first", "", "", *(_shown(one, one.before) for one in found.results)]]
    for place, (field, old, new) in enumerate(fields):
        moves = [_moved(one, one.changes[place].moves) for one in found.results]
        lines.append([field.label, value_text(field, old), value_text(field, new), *moves])
    if len(fields) > 1:
        lines.append(["Together, beyond that", "", "", *(_moved(one, one.together) for one in found.results)])
    lines.append(["Result of the second", "", "", *(_shown(one, one.after) for one in found.results)])
    write_table(columns, lines, keep=3)
    if any(change.moves is None for one in found.results for change in one.changes):
        write_line(f"{BLANK} is blank: that change alone, or a result itself, cannot be computed.")


def _shown(one: Difference, value: float | None) -> str:
    return show_value(SHEET.rows[one.row], value)


def _moved(one: Difference, moves: float | None) -> str:
    """How far a result is moved, with its sign; a dot where it is not."""
    if moves is None:
        return BLANK
    scale = max(abs(one.before or 0.0), abs(one.after or 0.0))
    if abs(moves) <= 1e-12 * scale:
        return UNMOVED
    return f"{'+' if moves > 0 else '−'}{show_value(SHEET.rows[one.row], abs(moves))}"
