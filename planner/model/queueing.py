"""Waiting: for a pass that prefills, for a step to end, for a slot; and the batch that the load settles at.

Open arrivals at r requests/s on one replica. Prompts of others stop decoding for rho_p = r x prefill work of the
time; a slot is waited for by Sakasegawa's approximation of M/M/c (Sakasegawa 1977), which is high for few slots.
"""

from __future__ import annotations

from dataclasses import dataclass

from planner.model.batching import NEWTON_STEPS, LoadModel
from planner.model.constants import ALMOST_ONE, HALF, MEAN_OF_SQUARE, P95_SHARE, P95_TAIL, SAKASEGAWA, SMALLEST
from planner.model.decode import StepModel
from planner.model.expression import Value
from planner.model.functions import let, log, maximum, minimum, sqrt, where


@dataclass(frozen=True, slots=True)
class QueueModel:
    """Slots and their capacity."""

    capacity_batch: Value
    capacity_requests_per_second: Value
    output_length_cv: Value

    def slot_wait(self, rate: Value) -> tuple[Value, Value]:
        """Chance to wait for a slot, and the mean wait of those who wait, in seconds; ``rate`` below capacity."""
        c = self.capacity_batch
        rho = minimum(rate / self.capacity_requests_per_second, ALMOST_ONE)
        chance = rho ** (sqrt(SAKASEGAWA * (c + 1)) - 1)
        held = c / self.capacity_requests_per_second
        variation = (1 + self.output_length_cv * self.output_length_cv) / MEAN_OF_SQUARE
        return chance, variation * held / (c * (1 - rho))


def prefill_share(load: LoadModel, rate: Value) -> Value:
    """rho_p: share of the time that prompts hold the decoding devices, below 1."""
    return minimum(rate * load.decode_prefill_work_s, ALMOST_ONE)


def prefill_wait(load: LoadModel, rate: Value) -> Value:
    """W_p: mean wait for prompts ahead, rho_p/(1 - rho_p) x prefill/2 (M/D/1)."""
    share = prefill_share(load, rate)
    return share / (1 - share) * load.prefill_time_s * HALF


def decode_time(step: StepModel, load: LoadModel, rate: Value, b: Value) -> Value:
    """D: seconds from the first token to the last, at ``rate`` on one replica with ``b`` sequences in flight."""
    share = prefill_share(load, rate)
    interrupted = share * (prefill_wait(load, rate) + load.prefill_time_s)
    return (load.counted_tokens * step.time(b) + interrupted) / (1 - share)


def step_wait(step: StepModel, load: LoadModel, rate: Value, b: Value) -> Value:
    """P_s: mean wait for the step under way."""
    share = prefill_share(load, rate)
    busy = rate * load.counted_tokens * step.time(b) / b
    return step.time(b) * HALF * minimum(1 - share, busy)


def settled_batch(step: StepModel, load: LoadModel, rate: Value, top: Value, steps: int = NEWTON_STEPS) -> Value:
    """Smallest b in [1, top] with b >= rate x D(b), ``top`` where there is none.

    The step is the larger of memory and compute time and each is linear or concave in b, so b is the largest of the
    pieces' roots: compute in closed form, memory (concave through the experts) by Newton steps from ``top``.
    """
    share = prefill_share(load, rate)
    stages, factor, degree = step.pipeline_parallel, step.software_factor_used, step.attention_degree
    asked = rate / (1 - share)
    interrupted = asked * share * (prefill_wait(load, rate) + load.prefill_time_s)
    tokens = asked * load.counted_tokens * factor
    rest_fixed = step.interconnect_fixed_s + step.overhead_fixed_s
    rest_linear = step.interconnect_per_sequence_s + step.overhead_per_sequence_s
    end = top / stages

    def compute_root(fixed: Value, linear: Value) -> Value:
        per_batch = stages - tokens * linear
        root = (tokens * fixed + interrupted) / maximum(per_batch, SMALLEST)
        return minimum(root, end)

    def memory_root(label: str, fixed: Value, linear: Value) -> Value:
        def excess(x: Value) -> Value:
            time = fixed + step.experts_read_s * step.coverage(x) + linear * x
            return stages * x - tokens * time - interrupted

        x = end
        for number in range(steps):
            slope = stages - tokens * (step.experts_read_s * step.coverage_slope(x) + linear)
            moved = x - excess(x) / maximum(slope, SMALLEST)
            x = let(f"{label} {number + 1}", minimum(maximum(moved, 1 / stages), end))
        return where(excess(end) >= 0, x, end)

    growing = maximum(
        memory_root("batch", rest_fixed + step.memory_fixed_s, rest_linear + step.memory_per_sequence_s),
        compute_root(rest_fixed, rest_linear + step.matmul_per_sequence_s + step.attention_per_sequence_s),
    )
    kv_floor = step.memory_per_sequence_s * degree
    attention_floor = step.attention_per_sequence_s * degree
    floored = maximum(
        memory_root("batch below d", rest_fixed + step.memory_fixed_s + kv_floor, rest_linear),
        compute_root(rest_fixed + attention_floor, rest_linear + step.matmul_per_sequence_s),
    )
    of_pieces = maximum(growing, where(degree > 1, floored, 0)) * stages
    at_rest = asked * load.counted_tokens * step.time(1) + interrupted
    return minimum(maximum(1, of_pieces, at_rest), top)


def p95_excess(queue: QueueModel, load: LoadModel, step: StepModel, rate: Value, b: Value) -> Value:
    """Seconds above the unloaded TTFT that 95 % of requests stay within."""
    share = prefill_share(load, rate)
    chance, wait = queue.slot_wait(rate)
    of_slots = wait * log(maximum(chance, P95_TAIL) / P95_TAIL)
    of_prompts = load.prefill_time_s * HALF / (1 - share) * log(maximum(share, P95_TAIL) / P95_TAIL)
    return P95_SHARE * step.time(b) + maximum(of_slots, of_prompts)
