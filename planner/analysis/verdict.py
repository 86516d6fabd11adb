"""Which scenario answers the question: the cheapest of those that serve their load within their targets."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from planner.model.display import show_with_unit, with_currency
from planner.model.evaluation import Evaluated
from planner.model.fields import InputError
from planner.model.rows import SHEET
from planner.model.scenario import Result

Answer = Literal["cheapest", "served", "too slow", "not served", "unknown"]

PER_MONTH = ("self_host_cost_per_month", "api_cost_per_month")
PER_OUTPUT = ("self_host_cost_per_million_output_tokens", "api_cost_per_million_output_tokens")
_LOAD = (
    "requests_per_day", "requests_per_user_per_day", "users", "calls_per_request", "prompt_tokens", "output_tokens",
    "reasoning_tokens", "days_per_month",
)  # fmt: skip
_TARGETS = (("ttft_target_ms", "ttft_s"), ("tpot_target_ms", "tpot_s"))
_NEEDED = (*_LOAD, "currency", "device_price_per_hour", "owned_device_price", *(target for target, _ in _TARGETS))
_MS_PER_S = 1000.0
_EQUAL = 1e-9


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the comparison says of one scenario.

    ``cost`` is the number of row ``row`` (empty: no price is given), in the scenario's ``currency``; ``above`` how far
    it lies above the cheapest one's, as a share of that; None where there is nothing to compare. ``why`` says what
    stands against the scenario.
    """

    answer: Answer
    row: str = ""
    cost: float | None = None
    currency: str = ""
    above: float | None = None
    why: str = ""

    @property
    def by_api(self) -> bool:
        """Whether the tokens are bought: a price of an API is given, and none of a device."""
        return self.row.startswith("api_")

    @property
    def sentence(self) -> str:
        """The verdict in full."""
        if self.answer == "unknown":
            return self.why or "nothing is known yet"
        if self.answer in ("not served", "too slow"):
            return f"{self.answer}: {self.why}"
        if self.cost is None:
            return "can be served within its targets; no price is given"
        cost = with_currency(show_with_unit(SHEET.rows[self.row], Result(self.cost)), self.currency)
        how = f"{'bought from the API' if self.by_api else 'self-hosted'} at {cost}"
        if self.answer == "cheapest":
            return f"the cheapest that meets its targets, {how}"
        if self.above is None:
            return f"meets its targets, {how}"
        return f"meets its targets, {how}, {self.above:.0%} above the cheapest"


def verdicts(scenarios: Sequence[Evaluated | None]) -> list[Verdict]:
    """The verdict on each of ``scenarios``; None stands for one that cannot be evaluated.

    Costs per month are compared where all have the same load, else costs per million output tokens, and neither where
    currencies differ.
    """
    damage = [_damage(one) for one in scenarios]
    known = [one for one, why in zip(scenarios, damage, strict=True) if one is not None and not why]
    rows = PER_MONTH if _same(known, _LOAD) else PER_OUTPUT
    found = [
        _alone(one, rows) if one is not None and not why else Verdict("unknown", why=why)
        for one, why in zip(scenarios, damage, strict=True)
    ]
    costs = [one.cost for one in found if one.answer == "served" and one.cost is not None]
    if len(costs) < 2 or not _same(known, ("currency",)):
        return found
    least = min(costs)
    return [_beside(one, least) for one in found]


def _damage(evaluated: Evaluated | None) -> str:
    """Why a value that the verdict needs must not be read: a damaged one refuses that; empty where all may be."""
    if evaluated is None:
        return ""
    try:
        for name in _NEEDED:
            evaluated.scenario.values[name]
    except InputError as error:
        return str(error)
    return ""


def _same(scenarios: Sequence[Evaluated], names: Sequence[str]) -> bool:
    seen = {tuple(one.scenario.values.get(name) for name in names) for one in scenarios}
    return len(seen) < 2


def _alone(evaluated: Evaluated, rows: tuple[str, str]) -> Verdict:
    results, values = evaluated.results, evaluated.scenario.values
    own, api = (_number(evaluated, row) for row in rows)
    currency = str(values["currency"])
    has_price = values["device_price_per_hour"] is not None or values["owned_device_price"] is not None
    if not has_price and api is not None:
        return Verdict("served", rows[1], api, currency)
    limit = results["serving_limit"].value
    if limit is None:
        return Verdict("unknown", why=results.reason("serving_limit"))
    if limit != SHEET.rows["serving_limit"].words[-1]:
        return Verdict("not served", why=str(limit))
    for target, row in _TARGETS:
        most, number = values[target], _number(evaluated, row)
        if isinstance(most, (int, float)) and number is not None and number * _MS_PER_S > most * (1 + _EQUAL):
            reached = show_with_unit(SHEET.rows[row], Result(number))
            return Verdict("too slow", why=f"{SHEET.rows[row].label} is {reached}, above its target")
    return Verdict("served", rows[0] if own is not None else "", own, currency)


def _number(evaluated: Evaluated, row: str) -> float | None:
    number = evaluated.results.number(row)
    return number if math.isfinite(number) else None


def _beside(one: Verdict, least: float) -> Verdict:
    if one.answer != "served" or one.cost is None:
        return one
    if one.cost <= least * (1 + _EQUAL):
        return Verdict("cheapest", one.row, one.cost, one.currency, 0.0)
    above = one.cost / least - 1 if least > 0 else None
    return Verdict("served", one.row, one.cost, one.currency, above)
