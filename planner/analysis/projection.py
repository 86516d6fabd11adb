"""Months ahead: growth of traffic and answers, falling device prices, and what both bills come to."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from planner.model.evaluation import Evaluated, Results
from planner.model.rows import CELLS

MONTHS = 36
_POSITION = {name: position for position, name in enumerate(CELLS)}
_GROWING = ("requests_per_day", "users")
_LENGTHENING = ("output_tokens", "reasoning_tokens")


@dataclass(frozen=True, slots=True)
class Month:
    """One month of a projection; costs are in the scenario's currency per month, None with ``reason`` when blank.

    The cumulative figures stop at the first blank month.
    """

    number: int
    requests_per_day: float
    output_tokens: float
    replicas: float | None
    devices: float | None
    self_host_cost: float | None
    api_cost: float | None
    cumulative_self_host_cost: float | None
    cumulative_api_cost: float | None
    reason: str


def project(evaluated: Evaluated, months: int = MONTHS) -> Sequence[Month]:
    """``months`` months from month 0 (unscaled), each (1 + growth) times the one before.

    Raises ValueError unless ``months`` is 1 to 600.
    """
    if not 1 <= months <= 600:
        raise ValueError(f"months = {months} must be 1 to 600")
    base = evaluated.results
    traffic = 1 + base.cell("traffic_growth_per_month")
    output = 1 + base.cell("output_growth_per_month")
    price = 1 - base.cell("device_price_decline_per_month")
    projected: list[Month] = []
    self_host_total: float | None = 0.0
    api_total: float | None = 0.0
    for number in range(months):
        cells = list(base.cells)
        for names, factor in ((_GROWING, traffic), (_LENGTHENING, output), (("device_price_per_hour",), price)):
            for name in names:
                cells[_POSITION[name]] *= factor**number
        results = Results(cells)
        self_host = _known(results, "self_host_cost_per_month")
        api = _known(results, "api_cost_per_month")
        self_host_total = _sum(self_host_total, self_host)
        api_total = _sum(api_total, api)
        projected.append(
            Month(
                number=number,
                requests_per_day=results.number("user_requests_per_day"),
                output_tokens=results.number("generated_tokens"),
                replicas=_known(results, "replicas"),
                devices=_known(results, "devices"),
                self_host_cost=self_host,
                api_cost=api,
                cumulative_self_host_cost=self_host_total,
                cumulative_api_cost=api_total,
                reason=results.reason("replicas") if _known(results, "replicas") is None else "",
            )
        )
    return projected


def _known(results: Results, name: str) -> float | None:
    number = results.number(name)
    return number if math.isfinite(number) else None


def _sum(total: float | None, amount: float | None) -> float | None:
    return None if total is None or amount is None else total + amount
