"""A decode step as a function of the sequences in flight, and the pieces of which it is the largest.

A pass over x sequences takes the larger of memory and compute time, then the draft steps' larger of the two, then
interconnect and overhead on top. So a step is the largest of a few pieces, each linear in x or, through the experts
(of which x sequences touch E(1 - (1 - k/E)^x)), concave; what has to be solved for has a root per piece.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from planner.model.expression import Value
from planner.model.functions import exp, maximum, minimum, plain, where


@dataclass(frozen=True, slots=True)
class Experts:
    """How much of the experts' bytes x sequences have read: by the verifying pass, by the draft steps, or by both.

    ``time`` reads all of them once (0 for a dense model); one token leaves a share m of them alone, ``pull`` is -ln m,
    ``sequence_pull`` that of the v tokens a sequence brings to a pass.
    """

    time: Value
    pull: Value
    sequence_pull: Value
    verified: Value
    drafted: Value
    verifies: bool
    drafts: bool

    def share(self, x: Value | float) -> Value:
        """1 - m^(v x) by a pass that verifies v tokens a sequence, and g c times 1 - m^x by the draft steps."""
        return self.share_and_slope(x)[0]

    def share_and_slope(self, x: Value | float) -> tuple[Value, Value]:
        """share() and its derivative in x."""
        if self.verifies:
            left = exp(-self.sequence_pull * x)
            share, slope = 1 - left, self.sequence_pull * left
            if not self.drafts:
                return share, slope
            left_by_drafts = exp(-self.pull * x)
            drafts = self.drafted * (1 - left_by_drafts)
            return share + drafts, slope + self.pull * self.drafted * left_by_drafts
        left = exp(-self.pull * x)
        return self.drafted * (1 - left), self.pull * self.drafted * left

    @property
    def whole(self) -> Value | float:
        """share() of endlessly many sequences."""
        if not self.verifies:
            return self.drafted
        return 1 + self.drafted if self.drafts else 1

    @property
    def rate(self) -> Value | float:
        """Tokens that a sequence brings to the pass that has read every expert first."""
        return self.verified if self.verifies else 1

    @property
    def first_slope(self) -> Value:
        """The slope of share() at x = 0."""
        if not self.verifies:
            return self.pull * self.drafted
        return self.pull * (self.verified + self.drafted if self.drafts else self.verified)

    @property
    def first_bend(self) -> Value:
        """The size of the second derivative of share() at x = 0."""
        square = self.pull * self.pull
        if not self.verifies:
            return square * self.drafted
        tokens = self.verified * self.verified
        return square * (tokens + self.drafted if self.drafts else tokens)


@dataclass(frozen=True, slots=True)
class Curve:
    """One piece of a step over x sequences of a pass, in seconds: fixed + linear x + what the experts take."""

    name: str
    fixed: Value
    linear: Value
    experts: Experts | None = None

    def at(self, x: Value | float) -> Value:
        """The piece at ``x`` sequences."""
        line = self.fixed + self.linear * x
        return line if self.experts is None else line + self.experts.time * self.experts.share(x)


ValueAndSlope = tuple[Value, Value]


def larger(first: ValueAndSlope, second: ValueAndSlope) -> ValueAndSlope:
    """The larger of two values, with its slope; the first of equals."""
    return maximum(first[0], second[0]), where(first[0] >= second[0], first[1], second[1])


@dataclass(frozen=True, slots=True)
class Parts:
    """A step's parts, each in seconds and with its derivative in the sequences of a pass; drafts count as beside."""

    memory: ValueAndSlope
    compute: ValueAndSlope
    beside: ValueAndSlope

    @property
    def roof(self) -> ValueAndSlope:
        """The larger of memory and compute."""
        return larger(self.memory, self.compute)


def _attention(fixed: Value, linear: Value | None, per_sequence: Value, least: Value | None) -> tuple[Value, Value]:
    """Fixed and linear part with attention's: of each sequence, or of ``least`` sequences whatever the batch."""
    if least is None:
        return fixed, per_sequence if linear is None else linear + per_sequence
    return fixed + per_sequence * least, plain(0) if linear is None else linear


@dataclass(frozen=True, slots=True)
class StepModel:
    """The coefficients of a step per token that a sequence receives; b is sequences in flight, x those in one pass."""

    memory_fixed_s: Value
    memory_per_sequence_s: Value
    experts_read_s: Value
    expert_touch_rate: Value
    sequence_touch_rate: Value
    matmul_per_sequence_s: Value
    attention_per_sequence_s: Value
    draft_memory_fixed_s: Value
    draft_memory_per_sequence_s: Value
    draft_matmul_per_sequence_s: Value
    draft_attention_per_sequence_s: Value
    interconnect_fixed_s: Value
    interconnect_per_sequence_s: Value
    overhead_fixed_s: Value
    overhead_per_sequence_s: Value
    verified_tokens: Value
    draft_steps_cost: Value
    attention_degree: Value
    pipeline_parallel: Value
    software_factor_used: Value

    def micro_batch(self, b: Value | float) -> Value:
        """Sequences in one pass: b, which is at least 1, over the pipeline's stages, at least 1."""
        return where(self.pipeline_parallel > 1, maximum(1, b / self.pipeline_parallel), b)

    def served(self, x: Value | float) -> Value:
        """Sequences whose attention the devices do: no fewer than one each under attention data parallel."""
        return where(self.attention_degree > 1, maximum(x, self.attention_degree), x)

    def experts(self, *, verifies: bool = True, drafts: bool = False) -> Experts:
        """The experts that the verifying pass, the draft steps or both read."""
        return Experts(
            time=self.experts_read_s, pull=self.expert_touch_rate, sequence_pull=self.sequence_touch_rate,
            verified=self.verified_tokens, drafted=self.draft_steps_cost, verifies=verifies, drafts=drafts,
        )  # fmt: skip

    def experts_s(self, x: Value | float, *, verifies: bool = True) -> Value:
        """Time to read the experts that the verifying pass, or the draft steps, touch; 0 for a dense model."""
        read = self.experts_read_s * self.experts(verifies=verifies).share(x)
        return where(self.experts_read_s > 0, read, 0)

    def memory_s(self, x: Value | float) -> Value:
        """Memory time of a step over ``x`` sequences in a pass, without its draft steps."""
        per_sequence = self.memory_per_sequence_s * self.served(x)
        return (self.memory_fixed_s + self.experts_s(x) + per_sequence) * self.software_factor_used

    def compute_s(self, x: Value | float) -> Value:
        """Compute time of a step over ``x`` sequences in a pass, without its draft steps."""
        attention = self.attention_per_sequence_s * self.served(x)
        return (self.matmul_per_sequence_s * x + attention) * self.software_factor_used

    def draft_compute_s(self, x: Value | float) -> Value:
        """Compute time of the draft steps."""
        attention = self.draft_attention_per_sequence_s * self.served(x)
        return (self.draft_matmul_per_sequence_s * x + attention) * self.software_factor_used

    def draft_s(self, x: Value | float) -> Value:
        """The larger of the draft steps' memory and compute time; 0 without speculative decoding."""
        per_sequence = self.draft_memory_per_sequence_s * self.served(x)
        memory = self.draft_memory_fixed_s + self.experts_s(x, verifies=False) + per_sequence
        larger = maximum(memory * self.software_factor_used, self.draft_compute_s(x))
        return where(self.verified_tokens > 1, larger, 0)

    def interconnect_s(self, x: Value | float) -> Value:
        """Interconnect time of a step, draft steps included."""
        return (self.interconnect_fixed_s + self.interconnect_per_sequence_s * x) * self.software_factor_used

    def overhead_s(self, x: Value | float) -> Value:
        """Overhead of a step, draft steps included."""
        return (self.overhead_fixed_s + self.overhead_per_sequence_s * x) * self.software_factor_used

    def time(self, b: Value | float) -> Value:
        """Time of a step with ``b`` sequences in flight: memory or compute, draft steps, interconnect, overhead."""
        return self.time_and_slope(self.micro_batch(b))[0] * self.software_factor_used

    def time_and_slope(self, x: Value | float) -> tuple[Value, Value]:
        """time() at ``x`` >= 1 sequences in a pass, without software factor, and its derivative in x."""
        parts = self.parts(x)
        roof, rise = parts.roof
        return roof + parts.beside[0], rise + parts.beside[1]

    def parts(self, x: Value | float) -> Parts:
        """What a step over ``x`` >= 1 sequences in a pass is made of, without software factor."""
        served, more = self.served(x), where(x < self.attention_degree, 0, 1)

        def memory(fixed: Value, per_sequence: Value, experts: Experts) -> tuple[Value, Value]:
            share, slope = experts.share_and_slope(x)
            read = where(experts.time > 0, experts.time * share, 0)
            rise = where(experts.time > 0, experts.time * slope, 0)
            return fixed + read + per_sequence * served, per_sequence * more + rise

        def compute(matmul: Value, attention: Value) -> tuple[Value, Value]:
            return matmul * x + attention * served, matmul + attention * more

        draft, draft_slope = larger(
            memory(self.draft_memory_fixed_s, self.draft_memory_per_sequence_s, self.experts(verifies=False)),
            compute(self.draft_matmul_per_sequence_s, self.draft_attention_per_sequence_s),
        )
        rest = self.interconnect_per_sequence_s + self.overhead_per_sequence_s
        line = (self.interconnect_fixed_s + self.overhead_fixed_s) + rest * x
        drafting = self.verified_tokens > 1
        return Parts(
            memory=memory(self.memory_fixed_s, self.memory_per_sequence_s, self.experts()),
            compute=compute(self.matmul_per_sequence_s, self.attention_per_sequence_s),
            beside=(where(drafting, line + draft, line), where(drafting, rest + draft_slope, rest)),
        )

    def verifying_memory(self, *, floored: bool) -> Curve:
        """Memory time of the verifying pass alone, without software factor, interconnect or overhead.

        ``floored``: below the attention data parallel degree, where each device serves one sequence's attention.
        """
        fixed, linear = _attention(self.memory_fixed_s, None, self.memory_per_sequence_s, self._least(floored))
        return Curve("below d" if floored else "memory", fixed, linear, self.experts())

    def piece(self, *, memory: bool, drafts_memory: bool | None, floored: bool) -> Curve:
        """The step that memory or compute bounds, with everything but the software factor.

        ``drafts_memory`` says what bounds the draft steps; None leaves them out.
        """
        fixed = self.interconnect_fixed_s + self.overhead_fixed_s
        linear = self.interconnect_per_sequence_s + self.overhead_per_sequence_s
        if memory:
            fixed, attention = fixed + self.memory_fixed_s, self.memory_per_sequence_s
        else:
            linear, attention = linear + self.matmul_per_sequence_s, self.attention_per_sequence_s
        name = "memory" if memory else "compute"
        if drafts_memory is not None:
            name += ", drafts memory" if drafts_memory else ", drafts compute"
        if drafts_memory:
            fixed, attention = fixed + self.draft_memory_fixed_s, attention + self.draft_memory_per_sequence_s
        elif drafts_memory is not None:
            linear = linear + self.draft_matmul_per_sequence_s
            attention = attention + self.draft_attention_per_sequence_s
        fixed, linear = _attention(fixed, linear, attention, self._least(floored))
        reads = memory or drafts_memory
        experts = self.experts(verifies=memory, drafts=bool(drafts_memory)) if reads else None
        return Curve(f"{name}, below d" if floored else name, fixed, linear, experts)

    def _least(self, floored: bool) -> Value | None:
        return self.attention_degree if floored else None

    def over_pieces(
        self, solve: Callable[[Curve], Value], combine: Callable[..., Value], neutral: Value | float
    ) -> Value:
        """``combine`` (maximum or minimum) of what ``solve`` makes of each piece; ``neutral`` changes nothing.

        Two pieces make up a step, four with speculative decoding; attention data parallel adds their floored ones.
        """

        def group(drafts: Sequence[bool | None], floored: bool) -> Value:
            pieces = [self.piece(memory=m, drafts_memory=d, floored=floored) for m in (True, False) for d in drafts]
            return combine(*(solve(piece) for piece in pieces))

        def all_pieces(drafts: Sequence[bool | None]) -> Value:
            falling = where(self.attention_degree > 1, group(drafts, floored=True), neutral)
            return combine(group(drafts, floored=False), falling)

        return where(self.verified_tokens > 1, all_pieces((True, False)), all_pieces((None,)))

    def largest(self, solve: Callable[[Curve], Value]) -> Value:
        """The largest of ``solve`` over the pieces; results below 0 count as 0."""
        return self.over_pieces(solve, maximum, 0)

    def smallest(self, solve: Callable[[Curve], Value], most: Value) -> Value:
        """The smallest of ``solve`` over the pieces, at most ``most``."""
        return self.over_pieces(solve, minimum, most)
