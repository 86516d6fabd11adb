"""Where serving it yourself and buying from an API cost the same."""

from __future__ import annotations

from planner.model.constants import HALF, SECONDS_PER_DAY, SECONDS_PER_HOUR, SMALLEST, TINIEST, WATTS_PER_KILOWATT
from planner.model.expression import Value
from planner.model.functions import argmax, blank, both, ceiling, given, maximum, otherwise, where
from planner.model.roots import reached
from planner.model.sheet import Maybe, row
from planner.model.step import Curve, StepModel

SECTION = "Self-hosted against API"


@row(label="Physical output : input ratio", unit="x", section=SECTION)
def physical_output_input_ratio(
    step_time_s: Value, operating_batch: Value, prefill_whole_s: Value, prompt_tokens: Value
) -> Value:
    """Device time of an output token at the operating batch over that of an uncached prompt token."""
    output = step_time_s / maximum(operating_batch, 1)
    return output / maximum(prefill_whole_s / prompt_tokens, TINIEST)


@row(
    label="Batch where physical and price ratio meet",
    unit="sequences",
    section=SECTION,
    reason="the price ratio is below what any batch reaches, or not given",
    iterative=True,
)
def price_ratio_batch(
    step: StepModel, step_alone_s: Value, output_ratio_used: Value, prefill_whole_s: Value, prompt_tokens: Value
) -> Value:
    """Smallest batch at which an output token costs the devices no more than the price ratio says.

    step(b)/b falls with b towards the slope of a step; blank below that plateau. The largest of the pieces' roots.
    """
    worth = output_ratio_used * prefill_whole_s / prompt_tokens
    stages = step.pipeline_parallel

    def root(piece: Curve) -> Value:
        return reached(piece, worth * stages, 0, step.software_factor_used, "price ratio batch")

    plateau = step.largest(lambda piece: piece.linear)
    alone = step_alone_s / maximum(worth, TINIEST)
    return where(
        worth * stages > plateau * step.software_factor_used, maximum(1, alone, step.largest(root) * stages), blank()
    )


@row(label="Traffic one replica may carry", unit="requests/day", section=SECTION, detail=True)
def replica_requests_per_day(
    replica_requests_per_second: Value, calls_per_request: Value, peak_factor: Value, largest_hour_share: Maybe
) -> Value:
    """q: user requests in a day whose peak, by the hourly profile or the peak factor, one replica may carry.

    A flat day over the hours billed has the peak factor 24 / hours billed.
    """
    peak_share = otherwise(largest_hour_share, 1)
    by_factor = replica_requests_per_second * SECONDS_PER_DAY / peak_factor
    by_profile = replica_requests_per_second * SECONDS_PER_HOUR / peak_share
    return where(given(largest_hour_share), by_profile, by_factor) / calls_per_request


@row(label="Cost of one replica", unit="$/month", section=SECTION, detail=True, reason="no device price is given")
def replica_cost_per_month(
    devices_per_replica: Value,
    hours_billed_per_day: Value,
    days_per_month: Value,
    device_price_per_hour: Maybe,
    plan_price_ratio: Value,
    owned_device_price: Maybe,
    devices: Value,
    write_off_per_month: Maybe,
    other_cost_per_month: Value,
    idle_power_w: Maybe,
    server_overhead_w: Value,
    pue: Value,
    price_per_kwh: Maybe,
    replica_requests_per_second: Value,
    prefill_work_s: Value,
    prefill_pool_utilization: Maybe,
) -> Value:
    """c: rent of one replica for a month, or write-off, idle power and other cost of an owned one.

    Where prefill has a pool of its own, a decoding replica's share of that pool is counted, unrounded.
    """
    beside = replica_requests_per_second * prefill_work_s / otherwise(prefill_pool_utilization, 1)
    share = where(given(prefill_pool_utilization), 1 + beside, 1) * devices_per_replica
    hours = share * hours_billed_per_day * days_per_month
    rent = hours * otherwise(device_price_per_hour, 0) * plan_price_ratio
    idle = (otherwise(idle_power_w, 0) + server_overhead_w) * pue * hours * otherwise(price_per_kwh, 0)
    per_device = otherwise(write_off_per_month, 0) / devices + other_cost_per_month
    owned = per_device * share + idle / WATTS_PER_KILOWATT
    known = both(given(write_off_per_month), both(given(idle_power_w), given(price_per_kwh)))
    owned_or_blank = where(known, owned, blank())
    rent_or_blank = where(given(device_price_per_hour), rent, blank())
    return where(given(owned_device_price), owned_or_blank, rent_or_blank)


@row(label="API price of a request a day", unit="$/month", section=SECTION, detail=True)
def request_value_per_month(
    api_cost_per_user_request: Value,
    days_per_month: Value,
    owned_device_price: Maybe,
    loaded_power_w: Maybe,
    idle_power_w: Maybe,
    pue: Value,
    price_per_kwh: Maybe,
    capacity_requests_per_second: Value,
    calls_per_request: Value,
    devices_per_replica: Value,
) -> Value:
    """a: what one user request a day costs at the API in a month, less the energy it takes on owned hardware."""
    seconds = calls_per_request / maximum(capacity_requests_per_second, SMALLEST)
    swing = maximum(otherwise(loaded_power_w, 0) - otherwise(idle_power_w, 0), 0) * pue * devices_per_replica
    energy = swing * seconds / SECONDS_PER_HOUR / WATTS_PER_KILOWATT * otherwise(price_per_kwh, 0)
    return (api_cost_per_user_request - where(given(owned_device_price), energy, 0)) * days_per_month


@row(
    label="Break-even traffic, first", unit="requests/day", section=SECTION, reason="the API is cheaper at any traffic"
)
def break_even_requests_per_day(
    replica_requests_per_day: Value,
    replica_cost_per_month: Value,
    request_value_per_month: Value,
    spare_replicas: Value,
) -> Value:
    """Smallest traffic, its peak shaped as the scenario says, at which self-hosting costs no more than the API.

    k* = smallest k >= 1 with k q a >= (k + s) c; then max((k* - 1) q, (k* + s) c / a). Above it the bills may cross
    again at every further replica.
    """
    q, c, a, s = replica_requests_per_day, replica_cost_per_month, request_value_per_month, spare_replicas
    margin = q * a - c
    k = maximum(1, ceiling(s * c / maximum(margin, SMALLEST)))
    first = maximum((k - 1) * q, (k + s) * c / maximum(a, SMALLEST))
    return where(margin > 0, first, blank())


@row(
    label="Break-even traffic, for good",
    unit="requests/day",
    section=SECTION,
    reason="the API is cheaper at any traffic",
)
def break_even_stays_requests_per_day(
    replica_requests_per_day: Value,
    replica_cost_per_month: Value,
    request_value_per_month: Value,
    spare_replicas: Value,
) -> Value:
    """Traffic from which self-hosting stays cheaper.

    k' = smallest k with k q a >= (k + 1 + s) c; then max((k' - 1) q, (k' + s) c / a).
    """
    q, c, a, s = replica_requests_per_day, replica_cost_per_month, request_value_per_month, spare_replicas
    margin = q * a - c
    k = maximum(1, ceiling((1 + s) * c / maximum(margin, SMALLEST)))
    lasting = maximum((k - 1) * q, (k + s) * c / maximum(a, SMALLEST))
    return where(margin > 0, lasting, blank())


@row(label="Break-even utilization", unit="share", section=SECTION, better="lower")
def break_even_utilization(
    replica_cost_per_month: Value,
    request_value_per_month: Value,
    capacity_requests_per_second: Value,
    hours_billed_per_day: Value,
    calls_per_request: Value,
) -> Value:
    """Mean utilization of a replica's full capacity at which it costs what the API would; above 1 never."""
    full = capacity_requests_per_second * SECONDS_PER_HOUR * hours_billed_per_day / calls_per_request
    return replica_cost_per_month / maximum(full * request_value_per_month, SMALLEST)


@row(label="Break-even device price", unit="$/h", section=SECTION)
def break_even_device_price(api_cost_per_month: Value, device_hours_per_month: Value, plan_price_ratio: Value) -> Value:
    """Device price per hour on demand at which this load costs the same at the API."""
    return api_cost_per_month / maximum(device_hours_per_month * plan_price_ratio, SMALLEST)


@row(
    label="Cheaper way",
    section=SECTION,
    words=("self-hosted", "API", "the same"),
    key=True,
    reason="one of the two has no price",
)
def cheaper_way(self_host_cost_per_month: Value, api_cost_per_month: Value) -> Value:
    """Which bill for this load is lower; within the band of the results the verdict may turn."""
    saves = api_cost_per_month - self_host_cost_per_month
    return argmax(where(saves > 0, 1, 0), where(saves < 0, 1, 0), HALF)
