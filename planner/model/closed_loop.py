"""Users who think: each waits for an answer, pauses for the think time, and asks again.

In flight, not users, is the batch: b + Z x X(b) = users of a replica (the interactive response time law).
"""

from __future__ import annotations

from planner.model.batching import LoadModel
from planner.model.constants import FOUR, SMALLEST, TINIEST, TWO
from planner.model.decode import StepModel
from planner.model.expression import Value
from planner.model.functions import let, maximum, minimum, sqrt, where
from planner.model.sheet import row

SECTION = "Closed loop"
CLOSED_NEWTON_STEPS = 12


@row(label="Users per serving replica", unit="users", section=SECTION)
def users_per_replica(users: Value, think_time_s: Value, serving_replicas: Value) -> Value:
    """Users over the serving replicas, where users and a think time are given."""
    return users / serving_replicas


@row(label="Sequences in flight, closed loop", unit="sequences", section=SECTION)
def closed_loop_batch(
    step: StepModel, load: LoadModel, users_per_replica: Value, think_time_s: Value, capacity_batch: Value
) -> Value:
    """Smallest b with b + Z X(b) = users of the replica, at most c; beyond it the rest waits.

    X is the smaller of the memory-bound and the compute-bound throughput, so b is the larger of their roots: compute
    is a quadratic, memory (concave through the experts) takes Newton steps up from an empty replica.
    """
    m, work, stages = load.counted_tokens, load.decode_prefill_work_s, step.pipeline_parallel
    factor = step.software_factor_used
    rest_fixed = step.interconnect_fixed_s + step.overhead_fixed_s
    rest_linear = step.interconnect_per_sequence_s + step.overhead_per_sequence_s
    end = minimum(users_per_replica, capacity_batch)

    fixed = m * factor * rest_fixed
    linear = m * factor * (rest_linear + step.matmul_per_sequence_s + step.attention_per_sequence_s) / stages + work
    middle = fixed + think_time_s - linear * users_per_replica
    square = middle * middle + FOUR * linear * fixed * users_per_replica
    of_compute = (sqrt(square) - middle) / maximum(TWO * linear, TINIEST)

    memory_linear = rest_linear + step.memory_per_sequence_s
    x = let("closed loop start", end * SMALLEST)
    for number in range(CLOSED_NEWTON_STEPS):
        part = x / stages
        seconds = step.memory_fixed_s + rest_fixed + step.experts_read_s * step.coverage(part) + memory_linear * part
        rise = (step.experts_read_s * step.coverage_slope(part) + memory_linear) / stages
        period = maximum(m * factor * seconds + work * x, SMALLEST)
        gap = users_per_replica - x - think_time_s * x / period
        slope = 1 + think_time_s * m * factor * maximum(seconds - x * rise, 0) / (period * period)
        x = let(f"closed loop {number + 1}", minimum(maximum(x + gap / slope, 0), end))
    return minimum(maximum(of_compute, x), end)


@row(label="Throughput, closed loop", unit="requests/s", section=SECTION, better="higher")
def closed_loop_requests_per_second(
    step: StepModel, load: LoadModel, closed_loop_batch: Value, serving_replicas: Value
) -> Value:
    """X(b) of all serving replicas."""
    return load.throughput(step, closed_loop_batch) * serving_replicas


@row(label="Response time, closed loop", unit="s", section=SECTION, better="lower")
def closed_loop_response_s(users: Value, think_time_s: Value, closed_loop_requests_per_second: Value) -> Value:
    """Users / throughput - think time: what a user waits for, waiting for a slot included."""
    return where(
        closed_loop_requests_per_second > 0,
        maximum(0, users / maximum(closed_loop_requests_per_second, SMALLEST) - think_time_s),
        0,
    )
