"""What speculative decoding gains at the operating point, and the batch from which it costs.

In a memory-bound dense step the gain is (1 - a^(g+1)) / ((1 - a)(g c + 1)) (Leviathan et al. 2023, theorem 3.8).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from planner.model.batching import NEWTON_STEPS
from planner.model.constants import TINIEST
from planner.model.decode import StepModel
from planner.model.expression import Value
from planner.model.functions import blank, both, let, maximum, minimum, plain, where
from planner.model.sheet import row

SECTION = "Speculative decoding"
NOT_DRAFTING = "no tokens are drafted"


@dataclass(frozen=True, slots=True)
class DraftModel:
    """What drafting adds to a step."""

    tokens_per_pass: Value
    draft_memory_fixed_s: Value
    draft_matmul_per_sequence_s: Value
    draft_overhead_s: Value
    draft_kv_s: Value

    def plain(self, step: StepModel) -> StepModel:
        """The same step without speculative decoding: every factor and addition of drafting taken out."""
        once = self.tokens_per_pass / (1 + step.draft_steps_cost)
        per_token = self.tokens_per_pass / (step.verified_tokens + step.draft_steps_cost)
        passes, drafts = self.tokens_per_pass, 1 + step.draft_steps_cost
        matmul = step.matmul_per_sequence_s * passes - self.draft_matmul_per_sequence_s
        return replace(
            step,
            memory_fixed_s=(step.memory_fixed_s * passes - self.draft_memory_fixed_s) / drafts,
            memory_per_sequence_s=(step.memory_per_sequence_s * passes - self.draft_kv_s) / drafts,
            experts_read_s=step.experts_read_s * passes,
            matmul_per_sequence_s=matmul / (step.verified_tokens + step.draft_steps_cost),
            attention_per_sequence_s=step.attention_per_sequence_s * per_token,
            interconnect_fixed_s=step.interconnect_fixed_s * once,
            interconnect_per_sequence_s=step.interconnect_per_sequence_s * per_token,
            overhead_fixed_s=(step.overhead_fixed_s * passes - self.draft_overhead_s) / drafts,
            overhead_per_sequence_s=step.overhead_per_sequence_s * once,
            verified_tokens=plain(1),
            draft_steps_cost=plain(0),
        )


@row(label="Speed-up of speculative decoding", unit="x", section=SECTION, better="higher", reason=NOT_DRAFTING)
def speculative_speedup(step: StepModel, draft: DraftModel, operating_batch: Value, draft_tokens: Value) -> Value:
    """Plain step over speculative step per token at the operating batch; below 1 it costs."""
    speedup = draft.plain(step).time(operating_batch) / step.time(operating_batch)
    return where(draft_tokens > 0, speedup, blank())


@row(label="Speed-up of a request alone", unit="x", section=SECTION, better="higher", reason=NOT_DRAFTING, detail=True)
def speculative_speedup_alone(step: StepModel, draft: DraftModel, draft_tokens: Value) -> Value:
    """The same at batch 1."""
    return where(draft_tokens > 0, draft.plain(step).time(1) / step.time(1), blank())


@row(
    label="Batch at which drafting stops paying",
    unit="sequences",
    section=SECTION,
    better="higher",
    reason="pays at every batch up to the engine's largest, or at none",
)
def speculative_break_even_batch(
    step: StepModel, draft: DraftModel, draft_tokens: Value, max_batch: Value, speculative_speedup_alone: Value
) -> Value:
    """Batch at which the compute-bound verification costs as much as plain memory-bound steps.

    Their difference is convex in the batch: Newton steps down from the engine's largest batch.
    """
    plain = draft.plain(step)
    stages = step.pipeline_parallel
    linear = (
        step.matmul_per_sequence_s + step.attention_per_sequence_s + step.interconnect_per_sequence_s
        + step.overhead_per_sequence_s - plain.memory_per_sequence_s - plain.interconnect_per_sequence_s
        - plain.overhead_per_sequence_s
    )  # fmt: skip
    fixed = (
        step.interconnect_fixed_s + step.overhead_fixed_s - plain.memory_fixed_s - plain.interconnect_fixed_s
        - plain.overhead_fixed_s
    )  # fmt: skip

    def loss(x: Value) -> Value:
        return fixed + linear * x - plain.experts_read_s * plain.coverage(x)

    top = max_batch / stages
    x = top
    for number in range(NEWTON_STEPS):
        slope = linear - plain.experts_read_s * plain.coverage_slope(x)
        moved = x - loss(x) / maximum(slope, TINIEST)
        x = let(f"drafting pays to {number + 1}", minimum(maximum(moved, 1 / stages), top))
    found = both(loss(top) > 0, speculative_speedup_alone > 1)
    return where(draft_tokens > 0, where(found, maximum(x * stages, 1), blank()), blank())
