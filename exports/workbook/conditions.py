"""What must hold in every scenario: the planner's rules that join inputs, and results that must agree with one another.

Each is a function like a row of the planner's sheet: 1 where it holds or does not apply, 0 where it does not hold.
"""

from __future__ import annotations

import sys

from planner.model.constants import MILLION
from planner.model.expression import Constant, Value, lift
from planner.model.functions import both, given, maximum, opposite, otherwise
from planner.model.rows import CELLS, SHEET
from planner.model.rules import CHECK_TOLERANCE, rules, satisfied_unless
from planner.model.sheet import Maybe, Row, Sheet, row, rows_of

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
RESULTS = "Results that must agree"


def _equal(a: Value, b: Value, tolerance: Constant = CHECK_TOLERANCE) -> Value:
    """Whether two numbers, of which one is not negative, agree relative to the larger."""
    slack = tolerance * maximum(a, b)
    return both(a <= b + slack, b <= a + slack)


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
    return satisfied_unless(known, _equal(held, usable_bytes_per_device))


@row(label="TTFT + tokens x TPOT is the latency", section=RESULTS, kind="flag")
def latency_adds_up(ttft_s: Maybe, tpot_s: Maybe, counted_tokens: Value, latency_s: Maybe) -> Value:
    """A straight line in the length of the answer."""
    line = ttft_s + counted_tokens * tpot_s
    return satisfied_unless(both(both(given(ttft_s), given(tpot_s)), given(latency_s)), _equal(line, latency_s))


@row(label="Requests in flight are rate x latency (Little)", section=RESULTS, kind="flag")
def throughput_closes(in_flight: Maybe, requests_per_second_peak: Value, latency_s: Maybe) -> Value:
    """Little's law over the whole fleet."""
    return satisfied_unless(
        both(given(in_flight), given(latency_s)), _equal(in_flight, requests_per_second_peak * latency_s)
    )


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
    return satisfied_unless(
        both(both(solved, given(operating_batch)), free), _equal(operating_batch, carried, SOLVER_TOLERANCE)
    )


@row(label="No step is faster than the roofline", section=RESULTS, kind="flag")
def roofline_holds(bound_step_time_s: Maybe, step_time_s: Maybe) -> Value:
    """Memory and compute time at efficiency 1, without overhead."""
    return satisfied_unless(
        both(given(bound_step_time_s), given(step_time_s)),
        bound_step_time_s <= step_time_s * (lift(1) + CHECK_TOLERANCE),
    )


@row(label="No replica carries more than its capacity", section=RESULTS, kind="flag")
def capacity_holds(requests_per_second_per_replica: Maybe, capacity_requests_per_second: Maybe) -> Value:
    """Peak rate of one replica."""
    return satisfied_unless(
        both(given(requests_per_second_per_replica), given(capacity_requests_per_second)),
        requests_per_second_per_replica <= capacity_requests_per_second * (lift(1) + CHECK_TOLERANCE),
    )


@row(label="Devices are replicas x devices per replica", section=RESULTS, kind="flag")
def devices_add_up(devices: Maybe, replicas: Maybe, tensor_parallel: Value, pipeline_parallel: Value) -> Value:
    """From the parallelism itself."""
    each = tensor_parallel * pipeline_parallel
    return satisfied_unless(both(given(devices), given(replicas)), _equal(devices, replicas * each))


@row(label="Self-hosted cost per call sums to the month's", section=RESULTS, kind="flag")
def self_host_cost_adds_up(
    self_host_cost_per_month: Maybe, self_host_cost_per_call: Maybe, calls_per_day: Value, days_per_month: Value
) -> Value:
    """Cost per call x calls of the month."""
    return satisfied_unless(
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
    return satisfied_unless(
        both(given(api_cost_per_month), given(api_cost_per_million_output_tokens)),
        _equal(api_cost_per_month, api_cost_per_million_output_tokens * tokens / MILLION),
    )


def check_sheet() -> Sheet:
    """The conditions as a sheet over the planner's cells and rows; those on unknown rows are left out."""
    blankable = SHEET.may_be_blank()
    known = {name: blankable[name] for name in [*CELLS, *SHEET.rows]}
    conditions = [*rules(), *rows_of(sys.modules[__name__])]
    found: list[Row] = [one for one in conditions if all(name in known for name in one.parameters)]
    return Sheet(found, known)
