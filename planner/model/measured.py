"""Planning from figures that were measured or published: a throughput, a capacity, a TTFT and TPOT.

The sheet predicts such figures; these functions say what follows from one that is already known. Each is one law:
the price of a token at a utilization, Little's law, the interactive response time law, the peak of a busy day.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from planner.model.constants import MILLION, SECONDS_PER_DAY, SECONDS_PER_HOUR
from planner.model.fields import InputError
from planner.model.functions import ceil9


def _checked(name: str, value: float, low: float, high: float = math.inf, *, above: bool = False) -> float:
    if not math.isfinite(value) or value < low or value > high or (above and value == low):
        bound = f"more than {low:g}" if above else f"at least {low:g}"
        upper = "" if math.isinf(high) else f" and at most {high:g}"
        raise InputError(f"{name} = {value} is refused: it must be a finite number, {bound}{upper}.")
    return float(value)


def cost_per_million_tokens(price_per_hour: float, tokens_per_second: float, utilization: float) -> float:
    """$ per million of the tokens that ``tokens_per_second`` counts, for a device that is paid busy or not.

    ``price_per_hour`` in $/h; ``utilization`` is the share of ``tokens_per_second`` that is used, above 0 and at most
    1: the bill stays, the tokens shrink. Raises InputError for a figure out of bounds.
    """
    price = _checked("Price per hour", price_per_hour, 0)
    rate = _checked("Tokens per second", tokens_per_second, 0, above=True)
    used = _checked("Utilization", utilization, 0, 1, above=True)
    return price / (rate * used * SECONDS_PER_HOUR) * MILLION


def reserved_pays_from_share(on_demand_per_hour: float, reserved_per_hour: float) -> float:
    """Share of all hours beyond which a device reserved for all of them is cheaper than one rented while busy.

    Both prices in $/h. Above 1: never. Raises InputError for a figure out of bounds.
    """
    on_demand = _checked("Price on demand", on_demand_per_hour, 0, above=True)
    return _checked("Reserved price", reserved_per_hour, 0) / on_demand


@dataclass(frozen=True, slots=True)
class ClosedSystem:
    """Throughput in requests/s and response time in s of users who wait, think and ask again."""

    requests_per_second: float
    response_s: float


def closed_system(users: float, think_s: float, in_flight: float) -> ClosedSystem:
    """N = X (R + Z) with N ``users``, think time Z ``think_s`` above 0 and X R = ``in_flight`` requests.

    Raises InputError for a figure out of bounds, ``in_flight`` above ``users`` among them.
    """
    everyone = _checked("Users", users, 0, above=True)
    thinking = everyone - _checked("Requests in flight", in_flight, 0, everyone)
    rate = thinking / _checked("Think time", think_s, 0, above=True)
    return ClosedSystem(rate, in_flight / rate if rate else math.inf)


def mean_requests_per_second(requests_per_day: float) -> float:
    """Mean rate over the 24 hours of a day: what an average hides the peak behind. Raises InputError likewise."""
    return _checked("Requests per day", requests_per_day, 0) / SECONDS_PER_DAY


def busy_peak_requests_per_second(requests_per_day: float, busy_hours: float, peak_to_busy_mean: float) -> float:
    """Peak rate of a day whose requests all arrive within ``busy_hours``, the peak ``peak_to_busy_mean`` times their
    mean (at least 1). Raises InputError for a figure out of bounds.
    """
    requests = _checked("Requests per day", requests_per_day, 0)
    hours = _checked("Busy hours", busy_hours, 0, 24, above=True)
    return requests / (hours * SECONDS_PER_HOUR) * _checked("Peak over busy mean", peak_to_busy_mean, 1)


def replicas_needed(peak_requests_per_second: float, replica_requests_per_second: float, headroom: float) -> int:
    """Replicas of a measured capacity (requests/s within the targets) for a peak with ``headroom`` (at least 1).

    At least one. Raises InputError for a figure out of bounds.
    """
    peak = _checked("Peak rate", peak_requests_per_second, 0) * _checked("Headroom", headroom, 1)
    capacity = _checked("Capacity of a replica", replica_requests_per_second, 0, above=True)
    return max(1, int(ceil9(peak / capacity)))


def latency_s(ttft_s: float, tpot_s: float, output_tokens: int) -> float:
    """Seconds from request to last token as benchmarks count: TTFT + (tokens - 1) x TPOT.

    ``output_tokens`` of at least 1, reasoning included. Raises InputError for a figure out of bounds.
    """
    after_first = _checked("Output tokens", output_tokens, 1) - 1
    return _checked("TTFT", ttft_s, 0) + after_first * _checked("TPOT", tpot_s, 0)


def in_flight(requests_per_second: float, latency_seconds: float) -> float:
    """Little's law: requests in flight at a rate and a latency. Raises InputError for a figure out of bounds."""
    return _checked("Rate", requests_per_second, 0) * _checked("Latency", latency_seconds, 0)
