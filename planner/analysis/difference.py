"""Why did it change: which inputs two scenarios differ in, and how far each moves a result."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from catalog.book import Catalog
from planner.analysis.evaluated import evaluate_scenario
from planner.model.evaluation import Results
from planner.model.facts import FACT_FIELDS
from planner.model.fields import Field, FieldValue, InputError
from planner.model.inputs import INPUTS, check_together
from planner.model.rows import SHEET
from planner.model.scenario import Scenario


@dataclass(frozen=True, slots=True)
class Change:
    """One input or fact that differs, and how far it moves the result. A fact's None stands for the catalogue's figure.

    ``moves``, in the row's unit, is the result with this change made to the first scenario, minus the first's. Where
    the change alone makes no scenario, ``alone`` says why, and ``group`` names the fields of the least set of changes
    that makes one, itself included. It then moves what the set does beyond those of its members that can stand alone;
    ``moves`` is None where another member in the same state carries that already, or where there is no such number.
    """

    field: Field
    before: FieldValue
    after: FieldValue
    moves: float | None
    alone: str = ""
    group: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Difference:
    """The result of row ``row`` before and after, and the changes that lead from one to the other.

    ``together`` is what the changes do beyond the sum of each; None where any of them is unknown. ``blank`` says why
    the result before or after is blank, where one is.
    """

    row: str
    before: float | None
    after: float | None
    changes: Sequence[Change]
    together: float | None
    blank: str = ""


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
    """See explain_differences(), for one row."""
    return explain_differences(first, second, [row], catalog)[0]


def explain_differences(first: Scenario, second: Scenario, rows: Sequence[str], catalog: Catalog) -> list[Difference]:
    """How ``second`` differs from ``first`` and how much of the change in each of ``rows`` each input makes.

    Raises InputError for an unknown row or one that is a word, or when either scenario cannot be evaluated.
    """
    for row in rows:
        found = SHEET.rows.get(row)
        if found is None or found.kind != "number":
            raise InputError(f"There is no numeric result '{row}' to explain a difference of.")
    between = _Between(first, second, catalog)
    return [between.explain(row) for row in rows]


class _Between:
    """The scenarios between two: the first with some of the changes made, each evaluated once."""

    def __init__(self, first: Scenario, second: Scenario, catalog: Catalog) -> None:
        self.first, self.second, self.catalog = first, second, catalog
        self.fields = {field.name: (field, old, new) for field, old, new in differing(first, second)}
        self.found: dict[frozenset[str], Results | str] = {
            frozenset(): evaluate_scenario(first, catalog).results,
            frozenset(self.fields): evaluate_scenario(second, catalog).results,
        }

    def explain(self, row: str) -> Difference:
        """What leads from the first scenario's ``row`` to the second's."""
        before, after = self.number(row, ()), self.number(row, self.fields)
        if before is None or after is None:
            reason = self.reason(row, () if before is None else self.fields)
            unknown = [Change(*found, None) for found in self.fields.values()]
            return Difference(row, before, after, unknown, None, reason)
        stands = {name: self.number(row, [name]) is not None for name in self.fields}
        changes: list[Change] = []
        counted: set[str] = set()
        total = 0.0
        for name, found in self.fields.items():
            alone, group, moves = "", tuple[str, ...](), None
            if stands[name]:
                moves = self.moved(row, [name], before)
            else:
                alone, group = self.reason(row, [name]), self.group(row, name, stands)
                if name not in counted:
                    # Those that stand alone have lines of their own; the set moves what it does beyond them.
                    others = [other for other in group if stands[other]]
                    start = self.number(row, others)
                    moves = self.moved(row, group, start if start is not None else before)
                    counted.update(other for other in group if not stands[other])
            total += moves or 0.0
            changes.append(Change(*found, moves, alone, group))
        return Difference(row, before, after, changes, after - before - total)

    def group(self, row: str, name: str, stands: dict[str, bool]) -> tuple[str, ...]:
        """The least set of changes with ``name`` in it that gives a number; in sheet order."""
        others = sorted((other for other in self.fields if other != name), key=lambda other: stands[other])
        for other in others:
            if self.number(row, [name, other]) is not None:
                return self.in_order([name, other])
        kept = set(self.fields)
        for other in reversed(others):
            if self.number(row, kept - {other}) is not None:
                kept.discard(other)
        return self.in_order(kept)

    def in_order(self, names: Iterable[str]) -> tuple[str, ...]:
        wanted = set(names)
        return tuple(name for name in self.fields if name in wanted)

    def moved(self, row: str, names: Iterable[str], start: float) -> float | None:
        number = self.number(row, names)
        return None if number is None else number - start

    def number(self, row: str, names: Iterable[str]) -> float | None:
        """``row`` with the changes ``names`` made; None where it is blank or there is no such scenario."""
        found = self.results(names)
        number = math.nan if isinstance(found, str) else found.number(row)
        return number if math.isfinite(number) else None

    def reason(self, row: str, names: Iterable[str]) -> str:
        """Why there is no number."""
        found = self.results(names)
        return found if isinstance(found, str) else found.reason(row)

    def results(self, names: Iterable[str]) -> Results | str:
        """The results with the changes ``names`` made, or why there are none."""
        made = frozenset(names)
        if made not in self.found:
            try:
                scenario = self.changed(made)
                check_together(scenario.values)
                self.found[made] = evaluate_scenario(scenario, self.catalog).results
            except InputError as error:
                self.found[made] = str(error)
        return self.found[made]

    def changed(self, names: frozenset[str]) -> Scenario:
        values = {name: (self.second if name in names else self.first).values[name] for name in INPUTS}
        overrides = {}
        for name in FACT_FIELDS:
            source = (self.second if name in names else self.first).overrides
            if name in source:
                overrides[name] = source[name]
        return replace(self.first, values=values, overrides=overrides)
