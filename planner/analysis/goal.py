"""Goal seek: the value of one input at which a result becomes what it should be."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass

from catalog.book import Catalog
from planner.analysis.evaluated import evaluate_scenario
from planner.analysis.trial import with_changes
from planner.model.display import show_with_unit
from planner.model.explain import roots
from planner.model.facts import FACT_FIELDS
from planner.model.fields import Field, FieldValue, InputError
from planner.model.inputs import INPUTS
from planner.model.rows import SHEET
from planner.model.scenario import Result, Scenario
from planner.model.sheet import Row

DOUBLINGS = 16
HALVINGS = 60
CLOSE = 1e-8
DIGITS = 6
"""Significant digits that a value is rounded to where the result stays on the better side of the target."""


@dataclass(frozen=True, slots=True)
class Goal:
    """``value`` of the input or fact at which the row gives ``reached``, in the row's unit."""

    field: Field
    value: FieldValue
    reached: float


def changeable(row: str) -> list[Field]:
    """The numeric inputs and facts that row ``row`` rests on, in the sheet's order."""
    found = (INPUTS.get(name) or FACT_FIELDS.get(name) for name in roots(row))
    return [field for field in found if field is not None and field.is_number]


def seek(scenario: Scenario, row: str, target: float, field: Field, catalog: Catalog) -> Goal:
    """The value of ``field`` nearest to its present one at which ``row`` becomes ``target`` (in the row's unit).

    Where the result jumps over the target, the value is the first on its better side; whole numbers stay whole.
    Raises InputError where the row does not depend on the field, or nothing within its bounds brings it there.
    """
    declared = SHEET.rows[row]
    if declared.kind != "number" or not math.isfinite(target):
        raise InputError(f"{declared.label} cannot be brought to that: it takes a finite number.")
    if field not in changeable(row):
        raise InputError(f"{declared.label} does not depend on {field.label}.")
    search = _Search(scenario, declared, target, field, catalog)
    value = search.solve()
    return Goal(field, search.typed(value), search.gap(value) + target)


class _Search:
    """The result as a function of one field."""

    def __init__(self, scenario: Scenario, row: Row, target: float, field: Field, catalog: Catalog) -> None:
        self.scenario = scenario
        self.row = row
        self.target = target
        self.field = field
        self.catalog = catalog
        self.whole = field.kind == "integer"
        self.known: dict[float, float] = {}

    def typed(self, value: float) -> FieldValue:
        """``value`` as the field holds it."""
        return self.field.check(round(value) if self.whole else value)

    def gap(self, value: float) -> float:
        """How far above the target the result is with ``value``; NaN where it is blank."""
        if value not in self.known:
            try:
                changed = with_changes(self.scenario, {self.field.name: self.typed(value)})
                number = evaluate_scenario(changed, self.catalog).results.number(self.row.name)
            except InputError:
                number = math.nan
            self.known[value] = number - self.target if math.isfinite(number) else math.nan
        return self.known[value]

    def solve(self) -> float:
        """The value. Raises InputError."""
        now = self._present()
        values = self._values(now)
        brackets = [(near, far) for near, far in itertools.pairwise(values) if self.gap(near) * self.gap(far) <= 0]
        if not brackets:
            raise InputError(self._out_of_reach(values))
        around = [at for at, (near, _) in enumerate(brackets) if math.isfinite(now) and near <= now]
        above, below = around[-1] + 1 if around else 0, around[-1] if around else 0
        nearest = min(
            (brackets[at] for at in {below, min(above, len(brackets) - 1)}),
            key=lambda pair: 0.0 if pair[0] <= now <= pair[1] else abs(pair[0] - now),
        )
        return self._rounded(self._halved(*nearest))

    def _present(self) -> float:
        value: object
        if self.field.name in INPUTS:
            value = self.scenario.values[self.field.name]
        else:
            value = evaluate_scenario(self.scenario, self.catalog).facts[self.field.name].value
        return float(value) if isinstance(value, (int, float)) else math.nan

    def _values(self, now: float) -> list[float]:
        """What to try, from low to high: the bounds, and the present value doubled and halved again and again."""
        low = -math.inf if self.field.low is None else self.field.low
        high = math.inf if self.field.high is None else self.field.high
        start = now if math.isfinite(now) and now != 0 else min(max(1.0, low), high)
        values = {start * 2.0**power for power in range(-DOUBLINGS, DOUBLINGS + 1)} | {now, high}
        values |= set() if self.field.above_low else {low}
        if math.isfinite(high - low):
            values |= {low + (high - low) * step / DOUBLINGS for step in range(1, DOUBLINGS)}
        found = {float(round(value)) if self.whole else value for value in values if math.isfinite(value)}
        return sorted(value for value in found if low <= value <= high)

    def _halved(self, low: float, high: float) -> float:
        """Where between ``low`` and ``high`` the result passes the target."""
        side = self.gap(low)
        for _ in range(HALVINGS):
            middle = float(round((low + high) / 2)) if self.whole else (low + high) / 2
            if middle in (low, high) or high - low <= CLOSE * max(abs(low), abs(high)):
                break
            if self.gap(middle) * side > 0:
                low = middle
            else:
                high = middle
        ends = [value for value in (low, high) if math.isfinite(self.gap(value))]
        good = [value for value in ends if self._is_good(self.gap(value))]
        return min(good or ends, key=lambda value: abs(self.gap(value)))

    def _rounded(self, value: float) -> float:
        """``value`` with few digits, on the side of the target on which it is."""
        if self.whole or value == 0:
            return value
        step = 10.0 ** (math.floor(math.log10(abs(value))) + 1 - DIGITS)
        near = [float(f"{number * step:.{DIGITS}g}") for number in (math.floor(value / step), math.ceil(value / step))]
        good = [
            one
            for one in near
            if self._is_inside(one) and self._is_good(self.gap(one)) == self._is_good(self.gap(value))
        ]
        return min(good, key=lambda one: abs(self.gap(one)), default=value)

    def _is_inside(self, value: float) -> bool:
        try:
            self.typed(value)
        except InputError:
            return False
        return math.isfinite(self.gap(value))

    def _is_good(self, gap: float) -> bool:
        return gap == 0 or (gap < 0) == (self.row.better == "lower") or not self.row.better

    def _out_of_reach(self, values: list[float]) -> str:
        field, row = self.field, self.row
        known = [value for value in values if math.isfinite(self.gap(value))]
        if not known:
            return f"{row.label} is blank at every {field.label} from {field.bounds()}."
        best = min(known, key=lambda value: abs(self.gap(value)))
        shown = show_with_unit(row, Result(self.gap(best) + self.target))
        if len({self.gap(value) for value in known}) == 1:
            return f"{row.label} stays {shown} whatever {field.label} is."
        return f"No {field.label} brings {row.label} there; the nearest is {shown} at {field.show(self.typed(best))}."
