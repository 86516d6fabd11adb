"""How many requests a replica can carry: throughput at a batch, and the largest batch that is admitted.

X(b) = b / (m x step(b) + b x prefill work): while b sequences each take m tokens, b prompts pass through. It never
falls with b.
"""

from __future__ import annotations

from dataclasses import dataclass

from planner.model.constants import HALF, MS_PER_S, TINIEST
from planner.model.expression import Value
from planner.model.functions import argmax, blank, chosen, floor, given, maximum, minimum, otherwise, where
from planner.model.inputs import INPUTS
from planner.model.roots import within
from planner.model.sheet import Maybe, row
from planner.model.step import Curve, StepModel

SECTION = "Capacity"
LIMITS = ("largest batch of the engine", "KV cache", "TPOT target")
SCHEDULING = INPUTS["scheduling"].choices


@row(label="Tokens after the first", unit="tokens", section=SECTION, detail=True)
def counted_tokens(generated_tokens: Value, latency_convention: Value) -> Value:
    """m: M by the lab's line (TTFT + M x TPOT), M - 1 as benchmarks count."""
    lab = chosen(latency_convention, INPUTS["latency_convention"].choices, "lab")
    return where(lab, generated_tokens, generated_tokens - 1)


@row(label="Prefill work per prompt on the decoding devices", unit="s", section=SECTION, detail=True)
def decode_prefill_work_s(prefill_work_s: Value, scheduling: Value) -> Value:
    """Prefill work that decoding shares its devices with; 0 when prefill has a pool of its own."""
    return where(chosen(scheduling, SCHEDULING, "disaggregated"), 0, prefill_work_s)


@row(label="Step of a request alone", unit="s", section=SECTION, detail=True)
def step_alone_s(step: StepModel) -> Value:
    """step(1): below one sequence in each pass a step does not shrink."""
    return step.time(1)


@dataclass(frozen=True, slots=True)
class LoadModel:
    """What a request asks of one replica."""

    step_alone_s: Value
    counted_tokens: Value
    decode_prefill_work_s: Value
    prefill_time_s: Value

    def throughput(self, step: StepModel, b: Value | float) -> Value:
        """X(b) in requests per second for b >= 1."""
        return self.at_steps(b, step.time(b))

    def at_steps(self, b: Value | float, step_s: Value) -> Value:
        """Requests per second of ``b`` in flight, below 1 as well, at steps of ``step_s``."""
        return b / maximum(self.counted_tokens * step_s + b * self.decode_prefill_work_s, TINIEST)


@row(label="TPOT of a request alone", unit="s", section=SECTION, reason="no token follows the first")
def tpot_alone_s(step_alone_s: Value, counted_tokens: Value) -> Value:
    """step(1): the fastest this deployment can be."""
    return where(counted_tokens > 0, step_alone_s, blank())


@row(label="Batch that meets the TPOT target", unit="sequences", section=SECTION, iterative=True)
def tpot_limit_batch(
    step: StepModel, load: LoadModel, tpot_target_ms: Value, max_batch: Value, tpot_alone_s: Value
) -> Value:
    """Largest batch with step(b) + (b - 1)/m x prefill work within the target; unrounded, 0 where not even 1 is.

    A step is the largest of its pieces, so the limit is the smallest of theirs; below the pipeline's stages a step
    does not shrink, which gives a limit of its own.
    """
    target, factor = tpot_target_ms / MS_PER_S, step.software_factor_used
    work = load.decode_prefill_work_s / maximum(load.counted_tokens, 1)
    stages = step.pipeline_parallel
    top = max_batch / stages

    def limit(piece: Curve) -> Value:
        return within(piece, (target + work) / factor, stages * work / factor, top, "TPOT limit")

    at_rest = where(work > 0, 1 + (target - tpot_alone_s) / maximum(work, TINIEST), max_batch)
    largest = minimum(max_batch, at_rest, step.smallest(limit, top) * stages)
    return where(tpot_alone_s <= target, maximum(largest, 1), 0)


@row(label="Largest batch", unit="sequences", section=SECTION, better="higher", key=True)
def largest_batch(
    max_batch: Value,
    tokens_per_sequence: Value,
    kv_bytes_per_token: Value,
    sequences_that_fit: Maybe,
    tpot_limit_batch: Maybe,
) -> Value:
    """Smallest of the engine's cap, the sequences that fit, and the largest whole batch within the TPOT target.

    Blank where the size of the KV cache is unknown.
    """
    return floor(minimum(max_batch, otherwise(sequences_that_fit, max_batch), otherwise(tpot_limit_batch, max_batch)))


@row(label="Largest batch bound by", section=SECTION, words=LIMITS)
def largest_batch_bound_by(
    max_batch: Value, largest_batch: Value, sequences_that_fit: Maybe, tpot_limit_batch: Maybe
) -> Value:
    """Which limit is the smallest; the first of equals."""
    return argmax(-max_batch, -otherwise(sequences_that_fit, max_batch), -floor(otherwise(tpot_limit_batch, max_batch)))


@row(label="Batch that capacity counts on", unit="sequences", section=SECTION, reason="the largest batch is below 1")
def capacity_batch(largest_batch: Value, batch: Maybe) -> Value:
    """c: the fixed batch where one is set (not clamped, only flagged), else the largest batch."""
    c = otherwise(batch, largest_batch)
    return where(c >= 1, c, blank())


@row(
    label="Fixed batch",
    section=SECTION,
    words=("not set", "more than fit the KV cache", "above the largest batch", "within the limits"),
)
def batch_flag(batch: Maybe, largest_batch: Value, sequences_that_fit: Maybe) -> Value:
    """Whether a fixed batch stays within the KV pool, and within the engine's cap and the TPOT target."""
    asked = otherwise(batch, 0)
    unset = where(given(batch), 0, 1)
    too_many = where(asked > otherwise(sequences_that_fit, asked), 1, 0)
    over = where(asked > largest_batch, 1, 0)
    return argmax(unset, too_many, over, HALF)


@row(label="Capacity of one replica", unit="requests/s", section=SECTION, better="higher")
def capacity_requests_per_second(step: StepModel, load: LoadModel, capacity_batch: Value) -> Value:
    """X(c): requests per second of one decoding replica with every slot in use."""
    return load.throughput(step, capacity_batch)
