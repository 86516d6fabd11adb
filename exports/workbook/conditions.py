"""What must hold in every scenario: rules that join several inputs, and results that must agree with one another.

Each is a function like a row of the planner's sheet: 1 where it holds or does not apply, 0 where it does not hold.
"""

from __future__ import annotations

import sys

from planner.model.constants import HOURS_PER_DAY, MILLION
from planner.model.expression import Constant, Value, lift
from planner.model.functions import both, chosen, either, given, maximum, opposite, otherwise, where
from planner.model.inputs import INPUTS
from planner.model.rows import CELLS, SHEET
from planner.model.sheet import Maybe, Row, Sheet, row, rows_of

CHECK_TOLERANCE = Constant(
    1e-9, "check_tolerance", "Relative difference within which two results count as equal", "share", "convention"
)
SHARES_TOLERANCE = Constant(
    1e-6, "shares_tolerance", "Difference from 1 that the sum of the hours' shares may have", "share", "convention"
)
SOLVER_TOLERANCE = Constant(
    1e-6,
    "solver_tolerance",
    "Relative difference within which a solved quantity fits its equation",
    "share",
    "convention",
)
RULES = "Rules that join inputs"
RESULTS = "Results that must agree"


def _equal(a: Value, b: Value, tolerance: Constant = CHECK_TOLERANCE) -> Value:
    """Whether two numbers, of which one is not negative, agree relative to the larger."""
    slack = tolerance * maximum(a, b)
    return both(a <= b + slack, b <= a + slack)


def _where_all(condition: Value, holds: Value) -> Value:
    """``holds`` where ``condition`` does, else satisfied."""
    return where(condition, where(holds, 1, 0), 1)


@row(label="An answer has at least one token", section=RULES, kind="flag")
def answer_has_a_token(output_tokens: Value, reasoning_tokens: Value) -> Value:
    """Visible and reasoning tokens together."""
    return where(output_tokens + reasoning_tokens >= 1, 1, 0)


@row(label="Cached and written share are parts of one prompt", section=RULES, kind="flag")
def prompt_shares_fit(cached_share: Value, cache_write_share: Value) -> Value:
    """They sum to 1 at most."""
    return where(cached_share + cache_write_share <= lift(1) + CHECK_TOLERANCE, 1, 0)


@row(label="Fixed replicas exceed the spares", section=RULES, kind="flag")
def fixed_replicas_exceed_spares(replicas_fixed: Maybe, spare_replicas: Value) -> Value:
    """Spares serve nothing."""
    return _where_all(given(replicas_fixed), spare_replicas < replicas_fixed)


@row(label="The peak is not below the hours billed", section=RULES, kind="flag")
def peak_fits_hours(peak_factor: Value, hours_per_day: Value, price_plan: Value, hour_share_00: Maybe) -> Value:
    """Without a profile the peak factor is at least 24 / hours billed."""
    plans = INPUTS["price_plan"].choices
    committed = either(chosen(price_plan, plans, "1_year"), chosen(price_plan, plans, "3_years"))
    billed = where(committed, HOURS_PER_DAY, hours_per_day)
    return _where_all(opposite(given(hour_share_00)), peak_factor >= HOURS_PER_DAY / billed - CHECK_TOLERANCE)


@row(label="A device draws no more when idle than under load", section=RULES, kind="flag")
def idle_power_is_lower(device_power_w: Maybe, device_idle_power_w: Maybe) -> Value:
    """Where both are given."""
    return _where_all(both(given(device_power_w), given(device_idle_power_w)), device_idle_power_w <= device_power_w)


@row(label="Weights, reserves and KV pool are the usable memory", section=RESULTS, kind="flag")
def memory_adds_up(
    weight_bytes_per_device: Value,
    activation_reserve_bytes: Value,
    runtime_reserve_bytes: Value,
    kv_pool_bytes_per_device: Maybe,
    usable_bytes_per_device: Maybe,
) -> Value:
    """Of one device; the pool is what the others leave."""
    held = weight_bytes_per_device + activation_reserve_bytes + runtime_reserve_bytes + kv_pool_bytes_per_device
    known = both(given(kv_pool_bytes_per_device), given(usable_bytes_per_device))
    return _where_all(known, _equal(held, usable_bytes_per_device))


@row(label="TTFT + tokens x TPOT is the latency", section=RESULTS, kind="flag")
def latency_adds_up(ttft_s: Maybe, tpot_s: Maybe, counted_tokens: Value, latency_s: Maybe) -> Value:
    """A straight line in the length of the answer."""
    line = ttft_s + counted_tokens * tpot_s
    return _where_all(both(both(given(ttft_s), given(tpot_s)), given(latency_s)), _equal(line, latency_s))


@row(label="Requests in flight are rate x latency (Little)", section=RESULTS, kind="flag")
def throughput_closes(in_flight: Maybe, requests_per_second_peak: Value, latency_s: Maybe) -> Value:
    """Little's law over the whole fleet."""
    return _where_all(both(given(in_flight), given(latency_s)), _equal(in_flight, requests_per_second_peak * latency_s))


@row(label="The operating batch is rate x time from first to last token", section=RESULTS, kind="flag")
def batch_settles(
    operating_batch: Maybe,
    batch: Maybe,
    capacity_batch: Maybe,
    requests_per_second_per_replica: Maybe,
    decode_time_s: Maybe,
) -> Value:
    """Little's law in one replica, where the batch is solved and not held at an end of its range."""
    solved = both(both(given(decode_time_s), given(requests_per_second_per_replica)), opposite(given(batch)))
    free = both(operating_batch > 1, operating_batch < otherwise(capacity_batch, 1))
    carried = requests_per_second_per_replica * decode_time_s
    return _where_all(
        both(both(solved, given(operating_batch)), free), _equal(operating_batch, carried, SOLVER_TOLERANCE)
    )


@row(label="No step is faster than the roofline", section=RESULTS, kind="flag")
def roofline_holds(bound_step_time_s: Maybe, step_time_s: Maybe) -> Value:
    """Memory and compute time at efficiency 1, without overhead."""
    return _where_all(
        both(given(bound_step_time_s), given(step_time_s)),
        bound_step_time_s <= step_time_s * (lift(1) + CHECK_TOLERANCE),
    )


@row(label="No replica carries more than its capacity", section=RESULTS, kind="flag")
def capacity_holds(requests_per_second_per_replica: Maybe, capacity_requests_per_second: Maybe) -> Value:
    """Peak rate of one replica."""
    return _where_all(
        both(given(requests_per_second_per_replica), given(capacity_requests_per_second)),
        requests_per_second_per_replica <= capacity_requests_per_second * (lift(1) + CHECK_TOLERANCE),
    )


@row(label="Devices are replicas x devices per replica", section=RESULTS, kind="flag")
def devices_add_up(devices: Maybe, replicas: Maybe, tensor_parallel: Value, pipeline_parallel: Value) -> Value:
    """From the parallelism itself."""
    each = tensor_parallel * pipeline_parallel
    return _where_all(both(given(devices), given(replicas)), _equal(devices, replicas * each))


@row(label="Self-hosted cost per call sums to the month's", section=RESULTS, kind="flag")
def self_host_cost_adds_up(
    self_host_cost_per_month: Maybe, self_host_cost_per_call: Maybe, calls_per_day: Value, days_per_month: Value
) -> Value:
    """Cost per call x calls of the month."""
    return _where_all(
        both(given(self_host_cost_per_month), given(self_host_cost_per_call)),
        _equal(self_host_cost_per_month, self_host_cost_per_call * calls_per_day * days_per_month),
    )


@row(label="API cost per output token sums to the month's", section=RESULTS, kind="flag")
def api_cost_adds_up(
    api_cost_per_month: Maybe,
    api_cost_per_million_output_tokens: Maybe,
    generated_tokens: Value,
    calls_per_day: Value,
    days_per_month: Value,
) -> Value:
    """Cost per output token x tokens of the month."""
    tokens = generated_tokens * calls_per_day * days_per_month
    return _where_all(
        both(given(api_cost_per_month), given(api_cost_per_million_output_tokens)),
        _equal(api_cost_per_month, api_cost_per_million_output_tokens * tokens / MILLION),
    )


def check_sheet() -> Sheet:
    """The conditions as a sheet over the planner's cells and rows; those on unknown rows are left out."""
    blankable = SHEET.may_be_blank()
    known = {name: blankable[name] for name in [*CELLS, *SHEET.rows]}
    found: list[Row] = [
        condition for condition in rows_of(sys.modules[__name__]) if all(name in known for name in condition.parameters)
    ]
    return Sheet(found, known)
