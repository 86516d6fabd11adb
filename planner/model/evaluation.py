"""Evaluating the sheet for one scenario: values and facts in, results out."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from planner.model.compiler import compiled
from planner.model.facts import FACT_FIELDS
from planner.model.fields import HOURS, Field, FieldValue
from planner.model.inputs import INPUTS
from planner.model.rows import CELLS, SHEET
from planner.model.scenario import Fact, Result, Scenario


def _codes(field: Field) -> Mapping[FieldValue, float] | None:
    """Codes of a choice or a switch; None for a number."""
    if field.kind == "choice":
        return {choice: position for position, choice in enumerate(field.choices, start=1)}
    return {False: 0.0, True: 1.0} if field.kind == "switch" else None


def number(value: FieldValue) -> float:
    """A number or blank as a float. Raises TypeError for anything else."""
    if value is None:
        return math.nan
    if isinstance(value, (int, float)):
        return float(value)
    raise TypeError(f"{value!r} is not a number")


_INPUT_CODES: tuple[tuple[str, Mapping[FieldValue, float] | None], ...] = tuple(
    (name, _codes(field)) for name, field in CELLS.items() if name in INPUTS
)
_FACT_NAMES = tuple(name for name in CELLS if name in FACT_FIELDS)
_NO_HOURS = (math.nan,) * HOURS


def encode_all(values: Mapping[str, FieldValue], facts: Mapping[str, Fact]) -> list[float]:
    """Every cell of the sheet as a float, in the sheet's order.

    Blank is NaN, a choice counts from 1, a switch is 0 or 1. Raises KeyError for a missing value or fact.
    """
    cells = [number(values[name]) if codes is None else codes[values[name]] for name, codes in _INPUT_CODES]
    shares = values["hourly_profile"]
    cells.extend(shares if isinstance(shares, tuple) else _NO_HOURS)
    cells.extend(number(facts[name].value) for name in _FACT_NAMES)
    return cells


@cache
def _compute(careful: bool) -> Callable[[Sequence[Any]], tuple[Any, ...]]:
    return compiled(SHEET, tuple(SHEET.rows), careful=careful)


def compute(cells: Sequence[float]) -> tuple[float, ...]:
    """Every row's number from the encoded cells, in the sheet's order; blank is NaN."""
    try:
        return _compute(False)(cells)
    except (ZeroDivisionError, OverflowError):
        return _compute(True)(cells)


class Results(Mapping[str, Result]):
    """Results of one scenario by row name; each is looked at only when asked for."""

    __slots__ = ("cells", "numbers")

    def __init__(self, cells: Sequence[float]) -> None:
        self.cells = tuple(cells)
        self.numbers = compute(self.cells)

    def __getitem__(self, name: str) -> Result:
        number = self.number(name)
        row = SHEET.rows[name]
        if not math.isfinite(number):
            return Result(None, self.reason(name))
        if row.kind == "flag":
            return Result(number == 1.0)
        return Result(row.words[int(number) - 1] if row.kind == "word" else number)

    def __iter__(self) -> Iterator[str]:
        return iter(SHEET.rows)

    def __len__(self) -> int:
        return len(SHEET.rows)

    def number(self, name: str) -> float:
        """The number of row ``name``: a word is its code, a flag 0 or 1, blank NaN. Raises KeyError."""
        return self.numbers[_ROW_POSITION[name]]

    def cell(self, name: str) -> float:
        """The encoded input or fact ``name``. Raises KeyError."""
        return self.cells[_CELL_POSITION[name]]

    def reason(self, name: str) -> str:
        """Why row ``name`` is blank: the input or fact that is missing, or the limit that is met."""
        row = SHEET.rows[name]
        for parameter in row.strict:
            if parameter in CELLS:
                if math.isnan(self.cell(parameter)):
                    return f"{CELLS[parameter].label} is not given"
            elif math.isnan(self.number(parameter)):
                return self.reason(parameter)
        if row.reason.startswith("@"):
            limit = self[row.reason[1:]]
            return limit.reason if limit.value is None else str(limit.value)
        return row.reason or "not defined here"


_ROW_POSITION = {name: position for position, name in enumerate(SHEET.rows)}
_CELL_POSITION = {name: position for position, name in enumerate(CELLS)}


def evaluate(values: Mapping[str, FieldValue], facts: Mapping[str, Fact]) -> Results:
    """Every result of a complete set of input ``values`` with the ``facts`` that its names stand for."""
    return Results(encode_all(values, facts))


@dataclass(frozen=True, slots=True)
class Evaluated:
    """A scenario with its facts and results: what the screen shows and an export writes.

    ``notes`` are what the look-up has to say about the facts: substitutions, estimates, doubts.
    """

    scenario: Scenario
    facts: Mapping[str, Fact]
    results: Results
    notes: tuple[str, ...] = ()
