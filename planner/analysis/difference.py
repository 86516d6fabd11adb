"""Why did it change: which inputs two scenarios differ in, and how far each alone moves a result."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from catalog.book import Catalog
from planner.analysis.evaluated import evaluate_scenario
from planner.model.facts import FACT_FIELDS
from planner.model.fields import Field, FieldValue, InputError
from planner.model.inputs import INPUTS
from planner.model.rows import SHEET
from planner.model.scenario import Scenario


@dataclass(frozen=True, slots=True)
class Change:
    """One input or fact that differs, and the result with this one change alone made to the first scenario.

    ``moves`` is that result minus the first scenario's, in the row's unit; None where either is blank or the change
    cannot stand alone. A fact's None stands for the catalogue's figure.
    """

    field: Field
    before: FieldValue
    after: FieldValue
    moves: float | None


@dataclass(frozen=True, slots=True)
class Difference:
    """The result of row ``row`` before and after, and the changes that lead from one to the other.

    ``together`` is what the changes do beyond the sum of each alone; None where any of them is unknown.
    """

    row: str
    before: float | None
    after: float | None
    changes: Sequence[Change]
    together: float | None


def differing(first: Scenario, second: Scenario) -> Iterator[tuple[Field, FieldValue, FieldValue]]:
    """Every input and overridden fact whose value differs, in sheet order."""
    for name, field in INPUTS.items():
        if first.values[name] != second.values[name]:
            yield field, first.values[name], second.values[name]
    for name, field in FACT_FIELDS.items():
        before, after = first.overrides.get(name), second.overrides.get(name)
        if before != after:
            yield field, before, after


def explain_difference(first: Scenario, second: Scenario, row: str, catalog: Catalog) -> Difference:
    """How ``second`` differs from ``first`` and how much of the change in ``row`` each input makes.

    Raises InputError for an unknown row or one that is a word, or when either scenario cannot be evaluated.
    """
    found = SHEET.rows.get(row)
    if found is None or found.kind != "number":
        raise InputError(f"There is no numeric result '{row}' to explain a difference of.")
    before, after = _number(first, row, catalog), _number(second, row, catalog)
    changes = tuple(
        Change(field, old, new, _alone(first, field, new, row, before, catalog))
        for field, old, new in differing(first, second)
    )
    moves = [change.moves for change in changes]
    together = None
    if before is not None and after is not None and all(move is not None for move in moves):
        together = after - before - math.fsum(move for move in moves if move is not None)
    return Difference(row, before, after, changes, together)


def _alone(
    first: Scenario, field: Field, value: FieldValue, row: str, before: float | None, catalog: Catalog
) -> float | None:
    if field.name in INPUTS:
        changed = replace(first, values={**first.values, field.name: value})
    else:
        overrides = {name: number for name, number in first.overrides.items() if name != field.name}
        if isinstance(value, (int, float)):
            overrides[field.name] = value
        changed = replace(first, overrides=overrides)
    try:
        moved = _number(changed, row, catalog)
    except InputError:
        return None
    return None if moved is None or before is None else moved - before


def _number(scenario: Scenario, row: str, catalog: Catalog) -> float | None:
    number = evaluate_scenario(scenario, catalog).results.number(row)
    return number if math.isfinite(number) else None
