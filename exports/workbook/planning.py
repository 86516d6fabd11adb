"""From a row's traced expression to formula lines that a person can follow.

Every line holds at most one IF, at its root. What is used twice, named by ``let``, chosen between, or too long is a
line of its own above. A line that cannot be computed where a part is blank, or outside the branch it belongs to, is
blank there: no formula ever shows an error.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from exports.workbook.choices import LineMaker
from exports.workbook.formula import SAMPLE_CELL, Measuring
from exports.workbook.lines import Line, RowPlan
from exports.workbook.ranges import Range
from exports.workbook.tree import WORD_SUFFIX, leaf, postorder
from exports.workbook.wording import pruned, renumbered
from planner.model.fields import Field
from planner.model.sheet import Sheet

SOLVER_FROM: Final = 12
"""A row with more details than this is solved on the Solver sheet."""


@dataclass(slots=True)
class Plans:
    """The plans of every row of a sheet, and what is known of each line's value."""

    rows: list[RowPlan]
    ranges: dict[str, Range]
    blankable: dict[str, bool]


def plan_sheet(
    sheet: Sheet, cells: Mapping[str, Field], *, known: Mapping[str, Range] | None = None, sample: str = SAMPLE_CELL
) -> Plans:
    """Lines for every row of ``sheet`` over the input ``cells``.

    ``known`` are ranges of further inputs; ``sample`` is the longest reference to be reckoned with. Raises TypeError
    for a row that has no formula.
    """
    word_rows = frozenset(row.name for row in sheet.rows.values() if row.kind == "word")
    ranges = {name: _range_of_field(cell) for name, cell in cells.items()} | dict(known or {})
    blankable = dict(sheet.inputs)
    units = {name: cell.unit for name, cell in cells.items()} | {row.name: row.unit for row in sheet.rows.values()}
    needs: dict[str, frozenset[str]] = {}
    positions = {name: position for position, name in enumerate(sheet.inputs)}
    measuring = Measuring(
        lambda key: key in cells and cells[key].kind == "switch",
        lambda key: key.endswith(WORD_SUFFIX) or (key in cells and cells[key].kind == "choice"),
        lambda keys: _follow(keys, positions),
        sample,
    )
    plans = Plans([], ranges, blankable)
    for row in sheet.rows.values():
        planner = _RowPlanner(row, sheet.trace(row.name), word_rows, ranges, blankable, needs, units, measuring)
        plans.rows.append(planner.plan())
        ranges[row.name] = planner.root.knowledge.range_of(planner.tree.root)
        strict = frozenset(name for name in row.strict if blankable[name])
        blankable[row.name] = bool(strict) or planner.root.knowledge.may_be_blank(planner.tree.root)
        needs[row.name] = strict.union(*(needs.get(name, frozenset()) for name in row.strict))
        if row.kind == "word":
            ranges[row.name + WORD_SUFFIX], blankable[row.name + WORD_SUFFIX] = ranges[row.name], blankable[row.name]
    return plans


def _range_of_field(cell: Field) -> Range:
    if cell.kind == "choice":
        return Range(1, len(cell.choices))
    if cell.kind == "switch":
        return Range(0, 1)
    found = Range()
    if cell.low is not None:
        found = Range(low=cell.low, low_open=cell.above_low)
    return found if cell.high is None else Range(found.low, cell.high, found.low_open)


def _follow(keys: Sequence[str], positions: Mapping[str, int]) -> bool:
    """Whether ``keys`` are inputs that follow one another."""
    found = [positions.get(key, -1) for key in keys]
    return found[0] >= 0 and found == list(range(found[0], found[0] + len(found)))


class _RowPlanner(LineMaker):
    """Plans one row."""

    def plan(self) -> RowPlan:
        """The row's lines, the row itself last (before the word it may stand for)."""
        row = self.row
        for part in postorder(self.tree.root):
            if part is not self.tree.root and part.args and self.has_own_line(part):
                self.hoist(part)
        self.make(self.tree.root, self.root, row.name, row.label, "row", self.given(self.strict))
        lines = renumbered(pruned(self.lines), row.name)
        details = len(lines) - 1
        if row.kind == "word":
            lines[-1] = replace(lines[-1], label=f"{row.label}: number in the list", unit="code", role="detail")
            lines.append(Line(row.name + WORD_SUFFIX, row.label, "word", "label", leaf(row.name), words=row.words))
        return RowPlan(row, tuple(lines), details > SOLVER_FROM)
