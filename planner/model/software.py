"""The software factor of a deployment, and the least with which no step beats the roofline."""

from __future__ import annotations

from collections.abc import Callable

from planner.model.constants import TINIEST
from planner.model.expression import Value
from planner.model.functions import argmax, maximum, minimum, otherwise, where
from planner.model.sheet import Maybe, row

SECTION = "Decode coefficients"


@row(label="Least software factor", section=SECTION, detail=True)
def software_factor_floor(
    memory_fixed_s: Value,
    memory_per_sequence_s: Value,
    experts_read_s: Value,
    matmul_per_sequence_s: Value,
    attention_per_sequence_s: Value,
    draft_memory_fixed_s: Value,
    draft_memory_per_sequence_s: Value,
    draft_matmul_per_sequence_s: Value,
    draft_attention_per_sequence_s: Value,
    interconnect_fixed_s: Value,
    interconnect_per_sequence_s: Value,
    overhead_fixed_s: Value,
    overhead_per_sequence_s: Value,
    attention_degree: Value,
    draft_steps_cost: Value,
    pipeline_parallel: Value,
    max_batch: Value,
    batch: Maybe,
    verified_tokens: Value,
    weights_efficiency: Value,
    kv_efficiency: Value,
    decode_efficiency: Value,
    software_factor: Value,
) -> Value:
    """The smallest software factor with which no step at any admitted batch beats the roofline at efficiency 1.

    Memory or compute time is convex in the batch once every expert is taken as read (which errs to the safe side), and
    the rest linear: their quotient is largest at an end of the batch's range. It is never above 1, so only a smaller
    software factor asks for it.
    """
    top = maximum(1, maximum(max_batch, otherwise(batch, 1)) / pipeline_parallel)

    def rest(x: Value | float) -> Value:
        per_sequence = interconnect_per_sequence_s + overhead_per_sequence_s
        return interconnect_fixed_s + overhead_fixed_s + per_sequence * x

    def memory(x: Value | float) -> Value:
        return memory_fixed_s + experts_read_s + memory_per_sequence_s * maximum(x, attention_degree)

    def compute(x: Value | float) -> Value:
        return matmul_per_sequence_s * x + attention_per_sequence_s * maximum(x, attention_degree)

    def with_drafts(x: Value | float) -> Value:
        served = maximum(x, attention_degree)
        draft_memory = draft_memory_fixed_s + experts_read_s * draft_steps_cost + draft_memory_per_sequence_s * served
        draft_compute = draft_matmul_per_sequence_s * x + draft_attention_per_sequence_s * served
        return maximum(memory(x), compute(x)) + maximum(draft_memory, draft_compute)

    def least(efficiency: Value, roof: Callable[[Value | float], Value]) -> Value:
        beside = minimum(*(rest(x) / maximum(roof(x), TINIEST) for x in (1, top)))
        return efficiency / (1 + beside)

    of_memory = maximum(weights_efficiency, kv_efficiency)
    drafted = least(maximum(of_memory, decode_efficiency), with_drafts)
    plain = maximum(least(of_memory, memory), least(decode_efficiency, compute))
    return where(software_factor < 1, where(verified_tokens > 1, drafted, plain), 1)


@row(label="Software factor used", section=SECTION)
def software_factor_used(software_factor: Value, software_factor_floor: Value) -> Value:
    """The deployment's software factor, held above the one that would beat the roofline."""
    return maximum(software_factor, software_factor_floor)


@row(label="Software factor", section=SECTION, words=("as given", "raised to the roofline"))
def software_factor_flag(software_factor: Value, software_factor_floor: Value) -> Value:
    """Whether the software factor was too small to be true and the smallest possible one took its place."""
    raised = where(software_factor < software_factor_floor, 1, 0)
    return argmax(1 - raised, raised)
