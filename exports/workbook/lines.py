"""The workbook's formula lines: what one row of the sheet becomes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

from exports.workbook.tree import leaf_names, postorder
from planner.model.expression import Constant, Value
from planner.model.functions import NUMBER_DECIMALS
from planner.model.sheet import Row

Role = Literal["row", "detail", "label"]

MAX_FORMULA_LENGTH: Final = 120
"""Longest formula, the equals sign included: what a person reads in one go."""

ROUND_DIGITS: Final = Constant(
    NUMBER_DECIMALS, "round_digits", "Decimals a number is rounded to before it is made whole", "digits"
)


@dataclass(frozen=True, slots=True)
class Line:
    """One line: ``yes`` where every test holds, else ``no`` (blank when there is none).

    Leaves of the expressions name other lines. A ``label`` line shows the word whose code stands in the line above.
    """

    key: str
    label: str
    unit: str
    role: Role
    yes: Value
    tests: tuple[Value, ...] = ()
    no: Value | None = None
    words: tuple[str, ...] = ()

    @property
    def expressions(self) -> tuple[Value, ...]:
        """Every expression of the line."""
        return (*self.tests, self.yes) if self.no is None else (*self.tests, self.yes, self.no)

    def references(self) -> list[str]:
        """The keys of the lines that this one reads, in reading order."""
        return list(dict.fromkeys(name for part in self.expressions for name in leaf_names(part)))

    def constants(self) -> list[Constant]:
        """The constants in the line."""
        found: list[Constant] = []
        for expression in self.expressions:
            for node in postorder(expression):
                if node.constant is not None:
                    found.append(node.constant)
                if node.op in ("ceiling", "floor"):
                    found.append(ROUND_DIGITS)
        return list({constant.name: constant for constant in found}.values())


@dataclass(frozen=True, slots=True)
class RowPlan:
    """All lines of one row, details first; those of a row that is solved step by step stand on the Solver sheet."""

    row: Row
    lines: tuple[Line, ...]
    solver: bool

    def outside(self) -> list[str]:
        """The keys of inputs and other rows that the lines read, in reading order."""
        own = {line.key for line in self.lines}
        read = dict.fromkeys(key for line in self.lines for key in line.references())
        return [key for key in read if key not in own]

    def constants(self) -> list[Constant]:
        """The constants of all lines."""
        return list({c.name: c for line in self.lines for c in line.constants()}.values())
