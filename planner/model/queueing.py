"""Waiting: for a pass that prefills, for a step to end, for a slot; and the batch that the load settles at.

Open arrivals at r requests/s on one replica. Prompts of others stop decoding for rho_p = r x prefill work of the
time; a slot is waited for by Sakasegawa's approximation of M/M/c (Sakasegawa 1977), which is high for few slots.
"""

from __future__ import annotations

from dataclasses import dataclass

from planner.model.batching import LoadModel
from planner.model.constants import ALMOST_ONE, HALF, MEAN_OF_SQUARE, P95_SHARE, P95_TAIL, SAKASEGAWA, SMALLEST
from planner.model.expression import Value
from planner.model.functions import let, log, maximum, minimum, sqrt, where
from planner.model.roots import reached
from planner.model.step import Curve, StepModel

FOLLOWING_STEPS = 2


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


def interruption(load: LoadModel, rate: Value) -> Value:
    """Decoding time that prompts of others take from an answer: none where no token follows the first."""
    taken = prefill_share(load, rate) * (prefill_wait(load, rate) + load.prefill_time_s)
    return where(load.counted_tokens > 0, taken, 0)


def decode_time(load: LoadModel, rate: Value, step_s: Value) -> Value:
    """D: seconds from the first token to the last, at ``rate`` on one replica whose steps take ``step_s``."""
    return (load.counted_tokens * step_s + interruption(load, rate)) / (1 - prefill_share(load, rate))


def step_wait(load: LoadModel, rate: Value, b: Value, step_s: Value) -> Value:
    """P_s: mean wait for the step under way, of ``step_s`` with ``b`` sequences in flight."""
    busy = rate * load.counted_tokens * step_s / b
    return step_s * HALF * minimum(1 - prefill_share(load, rate), busy)


def settled_batch(step: StepModel, load: LoadModel, rate: Value, top: Value, label: str) -> Value:
    """Smallest b in [1, top] with b >= rate x D(b), ``top`` where there is none.

    A step is the largest of its pieces, so b is the largest of their roots; below the pipeline's stages a step does
    not shrink, which gives a root of its own.
    """
    asked = rate / (1 - prefill_share(load, rate))
    interrupted = asked * interruption(load, rate)
    weight = asked * load.counted_tokens
    stages = step.pipeline_parallel

    def root(piece: Curve) -> Value:
        return reached(piece, stages, interrupted, weight * step.software_factor_used, label)

    at_rest = weight * load.step_alone_s + interrupted
    return minimum(maximum(1, at_rest, step.largest(root) * stages), top)


def followed_batch(step: StepModel, load: LoadModel, rate: Value, top: Value, near: Value, label: str) -> Value:
    """settled_batch() by a few Newton steps on the step itself, from a batch ``near`` it: for a rate that moves."""
    asked = rate / (1 - prefill_share(load, rate))
    interrupted = asked * interruption(load, rate)
    weight = asked * load.counted_tokens
    in_passes = weight * step.software_factor_used
    stages = step.pipeline_parallel
    end = maximum(1, top / stages)
    x = maximum(1, near / stages)
    for number in range(FOLLOWING_STEPS):
        time, rise = step.time_and_slope(x)
        excess = stages * x - in_passes * time - interrupted
        moved = x - excess / maximum(stages - in_passes * rise, stages * SMALLEST)
        x = let(f"{label} {number + 1}", minimum(maximum(moved, 1), end))
    at_rest = weight * load.step_alone_s + interrupted
    return minimum(maximum(1, at_rest, where(x > 1, x * stages, 0)), top)


def p95_excess(queue: QueueModel, load: LoadModel, rate: Value, step_s: Value) -> Value:
    """Seconds above the unloaded TTFT that 95 % of requests stay within."""
    share = prefill_share(load, rate)
    chance, wait = queue.slot_wait(rate)
    of_slots = wait * log(maximum(chance, P95_TAIL) / P95_TAIL)
    of_prompts = load.prefill_time_s * HALF / (1 - share) * log(maximum(share, P95_TAIL) / P95_TAIL)
    return P95_SHARE * step_s + maximum(of_slots, of_prompts)
