"""What speculative decoding gains at the operating point, and the batch from which it costs.

In a memory-bound dense step the gain is (1 - a^(g+1)) / ((1 - a)(g c + 1)) (Leviathan et al. 2023, theorem 3.8).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from planner.model.constants import HALF, TINIEST
from planner.model.expression import Value
from planner.model.functions import blank, both, let, maximum, plain, where
from planner.model.sheet import row
from planner.model.step import StepModel

SECTION = "Speculative decoding"
NOT_DRAFTING = "no tokens are drafted"
BRACKETED_STEPS = 12


@dataclass(frozen=True, slots=True)
class DraftModel:
    """What tells a pass with drafting from one without."""

    tokens_per_pass: Value
    draft_overhead_s: Value

    def plain(self, step: StepModel) -> StepModel:
        """The same step without speculative decoding: every factor and addition of drafting taken out."""
        passes, drafts, tokens = self.tokens_per_pass, step.draft_steps_cost, step.verified_tokens
        once, per_token = passes / (1 + drafts), passes / (tokens + drafts)
        return replace(
            step,
            memory_fixed_s=step.memory_fixed_s * passes,
            memory_per_sequence_s=step.memory_per_sequence_s * passes,
            experts_read_s=step.experts_read_s * passes,
            matmul_per_sequence_s=step.matmul_per_sequence_s * passes / tokens,
            attention_per_sequence_s=step.attention_per_sequence_s * passes / tokens,
            draft_memory_fixed_s=plain(0),
            draft_memory_per_sequence_s=plain(0),
            draft_matmul_per_sequence_s=plain(0),
            draft_attention_per_sequence_s=plain(0),
            interconnect_fixed_s=step.interconnect_fixed_s * once,
            interconnect_per_sequence_s=step.interconnect_per_sequence_s * per_token,
            overhead_fixed_s=(step.overhead_fixed_s * passes - self.draft_overhead_s) / (1 + drafts),
            overhead_per_sequence_s=step.overhead_per_sequence_s * once,
            verified_tokens=plain(1),
            sequence_touch_rate=step.expert_touch_rate,
            draft_steps_cost=plain(0),
        )


@row(label="Speed-up of speculative decoding", unit="x", section=SECTION, better="higher", reason=NOT_DRAFTING)
def speculative_speedup(step: StepModel, draft: DraftModel, operating_batch: Value, draft_tokens: Value) -> Value:
    """Plain step over speculative step per token at the operating batch; below 1 it costs."""
    speedup = draft.plain(step).time(operating_batch) / step.time(operating_batch)
    return where(draft_tokens > 0, speedup, blank())


@row(label="Speed-up of a request alone", unit="x", section=SECTION, better="higher", reason=NOT_DRAFTING, detail=True)
def speculative_speedup_alone(step: StepModel, draft: DraftModel, step_alone_s: Value, draft_tokens: Value) -> Value:
    """The same at batch 1."""
    return where(draft_tokens > 0, draft.plain(step).time(1) / step_alone_s, blank())


@row(
    label="Batch at which drafting stops paying",
    unit="sequences",
    section=SECTION,
    better="higher",
    reason="drafting pays up to the engine's largest batch, or not even for a request alone",
    iterative=True,
)
def speculative_break_even_batch(
    step: StepModel, draft: DraftModel, draft_tokens: Value, max_batch: Value, speculative_speedup_alone: Value
) -> Value:
    """Batch from which a step with drafting takes as long per token as one without.

    Newton steps on their difference from the engine's largest batch; one that would leave the bracket between a batch
    at which drafting pays and one at which it costs halves it instead.
    """
    plain_step, stages = draft.plain(step), step.pipeline_parallel

    def loss(x: Value) -> tuple[Value, Value]:
        (with_drafts, rise), (without, plain_rise) = step.time_and_slope(x), plain_step.time_and_slope(x)
        return with_drafts - without, rise - plain_rise

    top = maximum(1, max_batch / stages)
    costs_at_top = loss(top)[0] > 0
    pays, costs, x = plain(1), top, top
    for number in range(BRACKETED_STEPS):
        lost, slope = loss(x)
        lost = let(f"drafting loses {number + 1}", lost)
        pays = let(f"drafting pays at {number + 1}", where(lost > 0, pays, x))
        costs = let(f"drafting costs at {number + 1}", where(lost > 0, x, costs))
        moved = x - lost / where(slope > 0, maximum(slope, TINIEST), TINIEST)
        inside = both(pays <= moved, moved <= costs)
        x = let(f"drafting stops {number + 1}", where(inside, moved, (pays + costs) * HALF))
    found = both(costs_at_top, speculative_speedup_alone > 1)
    return where(draft_tokens > 0, where(found, x * stages, blank()), blank())
