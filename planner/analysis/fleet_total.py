"""Totals over the scenarios that together are one fleet."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from planner.model.evaluation import Evaluated
from planner.model.rows import SHEET

TOTALLED = (
    "calls_per_day",
    "requests_per_second_peak",
    "replicas",
    "devices",
    "in_flight",
    "device_hours_per_month",
    "energy_kwh_per_month",
    "self_host_cost_per_month",
    "api_cost_per_month",
)


@dataclass(frozen=True, slots=True)
class Total:
    """Sum of one row over a fleet, in the row's unit; None where a result is blank, which ``missing`` names."""

    value: float | None
    missing: Sequence[str] = ()


def fleet_total(fleet: Sequence[Evaluated]) -> Mapping[str, Total]:
    """The totals of ``fleet`` by row. Costs are summed only within one currency: others are named as missing."""
    currencies = {str(member.scenario.values["currency"]) for member in fleet}
    totals: dict[str, Total] = {}
    for name in TOTALLED:
        numbers = {member.scenario.name: member.results.number(name) for member in fleet}
        missing = [scenario for scenario, number in numbers.items() if not math.isfinite(number)]
        if SHEET.rows[name].unit.startswith("$") and len(currencies) > 1:
            missing = list(numbers)
        totals[name] = Total(None if missing or not fleet else math.fsum(numbers.values()), tuple(missing))
    return totals
