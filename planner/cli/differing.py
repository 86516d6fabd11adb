"""Why two scenarios differ: each input or fact that differs, and how far it alone moves the results watched."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from planner.analysis.difference import Change, Difference, differing, explain_differences
from planner.cli.output import Column, write_line, write_table
from planner.cli.results import field_unit, unit_of, value_text
from planner.cli.values import evaluated
from planner.model.display import BLANK, show_value, with_currency
from planner.model.facts import FACT_FIELDS
from planner.model.fields import MINUS
from planner.model.inputs import INPUTS
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
    return Explained(first, second, explain_differences(first, second, rows, catalog))


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
                "made_with": {change.field.name: list(change.group) for change in one.changes if change.group},
                "alone": {change.field.name: change.alone for change in one.changes if change.alone},
                "together": one.together,
                "reason": one.blank or None,
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
    marks = _Marks()
    for place, (field, old, new) in enumerate(fields):
        moves = [_moved(one, one.changes[place].moves, marks.of(one.changes[place])) for one in found.results]
        label = f"{field.label}, {field_unit(field, found.first)}".rstrip(", ")
        lines.append([label, value_text(field, old), value_text(field, new), *moves])
    if len(fields) > 1:
        lines.append(["Together, beyond that", "", "", *(_moved(one, one.together) for one in found.results)])
    lines.append(["Result of the second", "", "", *(_shown(one, one.after) for one in found.results)])
    write_table(columns, lines, keep=3)
    for sentence in marks.sentences():
        write_line(sentence)
    for one in found.results:
        if one.blank:
            whose = found.first.name if one.before is None else found.second.name
            write_line(f"{BLANK} {SHEET.rows[one.row].label} has no number in '{whose}': {one.blank}.")


class _Marks:
    """Numbers for the sets of changes that only make a scenario together, and what stands below the table on each."""

    def __init__(self) -> None:
        self.numbers: dict[tuple[str, ...], int] = {}
        self.alone: dict[tuple[str, ...], dict[str, str]] = {}

    def of(self, change: Change) -> str:
        """The mark of ``change``; empty where it stands alone."""
        if not change.group:
            return ""
        number = self.numbers.setdefault(change.group, len(self.numbers) + 1)
        self.alone.setdefault(change.group, {}).setdefault(change.field.label, change.alone)
        return f"[{number}]"

    def sentences(self) -> Iterator[str]:
        """Which changes each mark stands for, and why none of them can be made alone."""
        for group, number in self.numbers.items():
            labels = [(INPUTS.get(name) or FACT_FIELDS[name]).label for name in group]
            alone = self.alone[group]
            earlier = ", ".join(label for label in labels if label not in alone)
            how = f"made after {earlier}" if earlier else "made together"
            yield f"[{number}] is {' and '.join(alone)}, {how}."
            for label, reason in alone.items():
                yield f"    {label} alone gives no number: {reason.rstrip('.')}."


def _shown(one: Difference, value: float | None) -> str:
    return show_value(SHEET.rows[one.row], value)


def _moved(one: Difference, moves: float | None, mark: str = "") -> str:
    """How far a result is moved, with its sign; a dot where it is not. ``mark`` stands behind it, or in its place."""
    if moves is None:
        return mark or BLANK
    scale = max(abs(one.before or 0.0), abs(one.after or 0.0))
    if abs(moves) <= 1e-12 * scale:
        text = UNMOVED
    else:
        text = f"{'+' if moves > 0 else MINUS}{show_value(SHEET.rows[one.row], abs(moves))}"
    return f"{text} {mark}".rstrip()
