"""Waiting: for a pass that prefills, for a step to end, for a slot; and the batch that the load settles at.

Open arrivals at r requests/s on one replica. Prompts of others stop decoding for rho_p = r x prefill work of the
time; a slot is waited for by Sakasegawa's approximation of M/M/c (Sakasegawa 1977), which is high for few slots.
"""

from __future__ import annotations

from dataclasses import dataclass

from planner.model.constants import ALMOST_ONE, HALF, MEAN_OF_SQUARE, P95_SHARE, P95_TAIL, SAKASEGAWA, TINIEST
from planner.model.expression import Value
from planner.model.functions import exp, log, maximum, minimum, sqrt, where
from planner.model.mixing import MixingModel, Riding
from planner.model.roots import reached
from planner.model.step import Curve, StepModel

SETTLING_STEPS = 6


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
        # A power of e: where it is too small for a number, spreadsheets take it as 0 and a power of rho as an error.
        power = (sqrt(SAKASEGAWA * (c + 1)) - 1) * log(maximum(rho, TINIEST))
        chance = where(rho > 0, exp(minimum(power, 0)), 0)
        held = c / self.capacity_requests_per_second
        variation = (1 + self.output_length_cv * self.output_length_cv) / MEAN_OF_SQUARE
        return chance, variation * held / (c * (1 - rho))


def prompts_wait(share: Value, prompt_s: Value) -> Value:
    """W_p: mean wait for prompts ahead that hold a server for ``share`` of the time, share/(1 - share) x half of one.

    M/D/1: a prompt takes ``prompt_s``.
    """
    return share / (1 - share) * prompt_s * HALF


def under_way(mixing: MixingModel, in_flight: Value, step_s: Value) -> Value:
    """Decoding part of the pass that an arrival meets, where prompts ride along; 0 where it meets none."""
    return minimum(1, in_flight) * mixing.tokens_per_pass * step_s


def prefill_wait(step: StepModel, mixing: MixingModel, rate: Value, in_flight: Value, step_s: Value) -> Value:
    """Mean wait for prompts ahead; riding along, those that come during the pass under way lengthen the next."""
    longer_pass = mixing.held_s * step.pipeline_parallel + under_way(mixing, in_flight, step_s)
    return prompts_wait(mixing.held_share(rate), where(mixing.prompts_ride > 0, longer_pass, mixing.prefill_time_s))


def step_wait(mixing: MixingModel, rate: Value, in_flight: Value, b: Value, step_s: Value) -> Value:
    """P_s: mean wait for the step under way, of ``step_s`` with ``b`` sequences."""
    busy = minimum(1 - mixing.held_share(rate), rate * mixing.counted_tokens * step_s / b)
    return HALF * where(mixing.prompts_ride > 0, under_way(mixing, in_flight, step_s), step_s * busy)


def company(step: StepModel, mixing: MixingModel, riding: Riding) -> Value:
    """Seconds that decoding adds to a prompt's own passes; 0 where prompts do not ride along."""
    per_pass = mixing.prefill_passes * mixing.tokens_per_pass
    memory = per_pass * riding.reading_s + mixing.riding_kv_s
    compute = per_pass * riding.parts.compute[0] * step.software_factor_used + mixing.riding_compute_s
    beside = per_pass * riding.parts.beside[0] * step.software_factor_used + mixing.riding_link_s
    longer = maximum(0, maximum(memory, compute) + beside - mixing.prefill_time_s)
    return where(mixing.prompts_ride > 0, minimum(1, riding.in_flight) * longer, 0)


def settled_batch(step: StepModel, mixing: MixingModel, rate: Value, top: Value, label: str) -> Value:
    """Smallest b in [1, top] with b >= rate x D(b) at bare steps, ``top`` where there is none.

    A step is the largest of its pieces, so b is the largest of their roots; below the pipeline's stages a step does
    not shrink, which gives a root of its own.
    """
    interrupted = mixing.interrupted(step, rate)
    weight = rate / (1 - mixing.held_share(rate)) * mixing.counted_tokens
    stages = step.pipeline_parallel

    def root(piece: Curve) -> Value:
        return reached(piece, stages, interrupted, weight * step.software_factor_used, label)

    at_rest = weight * mixing.step_alone_s + interrupted
    return minimum(maximum(1, at_rest, step.largest(root) * stages), top)


def p95_excess(queue: QueueModel, mixing: MixingModel, rate: Value, step_s: Value) -> Value:
    """Seconds above the unloaded TTFT that 95 % of requests stay within."""
    share = mixing.held_share(rate)
    chance, wait = queue.slot_wait(rate)
    of_slots = wait * log(maximum(chance, P95_TAIL) / P95_TAIL)
    of_prompts = mixing.prefill_time_s * HALF / (1 - share) * log(maximum(share, P95_TAIL) / P95_TAIL)
    return P95_SHARE * step_s + maximum(of_slots, of_prompts)
