"""Users who think: each waits for an answer, pauses for the think time, and asks again.

In flight, not users, is the batch: b + Z x X(b) = users of a replica (the interactive response time law).
"""

from __future__ import annotations

from planner.model.batching import LoadModel
from planner.model.constants import SMALLEST
from planner.model.expression import Value
from planner.model.functions import maximum, minimum, plain, where
from planner.model.roots import meeting
from planner.model.sheet import row
from planner.model.step import Curve, StepModel

SECTION = "Closed loop"


@row(label="Users per serving replica", unit="users", section=SECTION)
def users_per_replica(users: Value, think_time_s: Value, serving_replicas: Value) -> Value:
    """Users over the serving replicas, where users and a think time are given."""
    return users / serving_replicas


@row(label="Sequences in flight, closed loop", unit="sequences", section=SECTION, iterative=True)
def closed_loop_batch(
    step: StepModel, load: LoadModel, users_per_replica: Value, think_time_s: Value, capacity_batch: Value
) -> Value:
    """Smallest b with b + Z X(b) = users of the replica, at most c; beyond it the rest waits.

    X is the smallest of the throughputs that the pieces of a step allow, so b is the largest of their roots.
    """
    m, work, stages = load.counted_tokens, load.decode_prefill_work_s, step.pipeline_parallel

    def root(piece: Curve) -> Value:
        weight = m * step.software_factor_used
        return meeting(piece, users_per_replica, think_time_s, weight, work, stages, "closed loop")

    alone = Curve("alone", load.step_alone_s / step.software_factor_used, plain(0))
    return minimum(maximum(root(alone), step.largest(root)) * stages, minimum(users_per_replica, capacity_batch))


@row(label="Throughput, closed loop", unit="requests/s", section=SECTION, better="higher")
def closed_loop_requests_per_second(
    step: StepModel, load: LoadModel, closed_loop_batch: Value, serving_replicas: Value
) -> Value:
    """X(b) of all serving replicas."""
    return load.at_steps(closed_loop_batch, step.time(maximum(1, closed_loop_batch))) * serving_replicas


@row(label="Response time, closed loop", unit="s", section=SECTION, better="lower")
def closed_loop_response_s(users: Value, think_time_s: Value, closed_loop_requests_per_second: Value) -> Value:
    """Users / throughput - think time: what a user waits for, waiting for a slot included."""
    return where(
        closed_loop_requests_per_second > 0,
        maximum(0, users / maximum(closed_loop_requests_per_second, SMALLEST) - think_time_s),
        0,
    )
