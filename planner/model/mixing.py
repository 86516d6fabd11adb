"""Mixed chunks: passes that decode and take chunks of waiting prompts along.

A share q = 1 - e^(-n) of the passes carries prompts, n chunks a pass on average (Poisson arrivals). Such a pass takes
the larger of memory and compute time of both together, so a memory-bound step has compute to spare, which the chunks
fill. Scheduling that does not mix has q = 0 and none of this.
"""

from __future__ import annotations

from dataclasses import dataclass

from planner.model.batching import SCHEDULING
from planner.model.constants import ALMOST_ONE, HALF, LEAP, TINIEST
from planner.model.expression import Value
from planner.model.functions import chosen, exp, let, maximum, minimum, where
from planner.model.prefill import PrefillModel
from planner.model.sheet import row
from planner.model.step import Parts, StepModel, ValueAndSlope, larger

SECTION = "Capacity"


@row(label="Prompts ride along with decode steps", section=SECTION, kind="flag", detail=True)
def prompts_ride(scheduling: Value) -> Value:
    """1 for mixed chunks."""
    return where(chosen(scheduling, SCHEDULING, "mixed"), 1, 0)


@row(label="Compute time of a prompt that rides along", unit="s", section=SECTION, detail=True)
def riding_compute_s(
    prefill: PrefillModel, new_prompt_tokens: Value, prompt_tokens: Value, bound_prefill_compute_s: Value
) -> Value:
    """FLOP of its chunks over the reachable compute rate of all devices."""
    compute = prefill.compute_s(new_prompt_tokens, prompt_tokens) * prefill.software_factor_used
    return maximum(compute, bound_prefill_compute_s)


@row(label="KV time of a prompt that rides along", unit="s", section=SECTION, detail=True)
def riding_kv_s(prefill: PrefillModel, new_prompt_tokens: Value, prompt_tokens: Value) -> Value:
    """Its KV cache read or written once; the weights are read by the step anyway."""
    return prefill.kv_s(new_prompt_tokens, prompt_tokens) * prefill.software_factor_used


@row(label="Link time of a prompt that rides along", unit="s", section=SECTION, detail=True)
def riding_link_s(new_prompt_tokens: Value, pass_link_s_per_token: Value, software_factor_used: Value) -> Value:
    """Interconnect time of its tokens; the latencies are those of the step."""
    return new_prompt_tokens * pass_link_s_per_token * software_factor_used


@row(label="Time a prompt holds the decoding devices", unit="s", section=SECTION, detail=True)
def held_s(
    prompts_ride: Value,
    riding_compute_s: Value,
    riding_kv_s: Value,
    riding_link_s: Value,
    pipeline_parallel: Value,
    decode_prefill_work_s: Value,
) -> Value:
    """Mixed: the larger of its compute and KV time, and link time, over p stages. Otherwise its prefill work."""
    riding = (maximum(riding_compute_s, riding_kv_s) + riding_link_s) / pipeline_parallel
    return where(prompts_ride > 0, riding, decode_prefill_work_s)


@row(label="Chunks of a prompt per step of a pass", section=SECTION, detail=True)
def riding_passes(prompts_ride: Value, prefill_passes: Value, tokens_per_pass: Value) -> Value:
    """Passes a prompt takes x tokens a sequence receives in each; 0 where prompts do not ride."""
    return where(prompts_ride > 0, prefill_passes * tokens_per_pass, 0)


@row(label="Experts that only a chunk touches", unit="share", section=SECTION, detail=True)
def chunk_touch_share(
    prompts_ride: Value, expert_touch_rate: Value, new_prompt_tokens: Value, chunk_tokens: Value
) -> Value:
    """Share of the experts left alone by decoding that a chunk's tokens read."""
    touched = 1 - exp(-expert_touch_rate * minimum(new_prompt_tokens, chunk_tokens))
    return where(prompts_ride > 0, touched, 0)


@dataclass(frozen=True, slots=True)
class Riding:
    """The pass that a request decodes in.

    ``prompts`` ride along per step, ``in_flight`` are the sequences of the replica on average. ``own_s`` is what a
    step takes less the time that prompts hold the devices, with its derivative in ``prompts``; ``reading_s`` is the
    memory time of a pass with a chunk, ``step_s`` a step without one; ``parts`` are the step's, without factor.
    """

    prompts: Value
    in_flight: Value
    parts: Parts
    own_s: ValueAndSlope
    reading_s: Value
    step_s: Value


@dataclass(frozen=True, slots=True)
class MixingModel:
    """How prompts and decode steps share the devices of one replica, whatever the scheduling."""

    prompts_ride: Value
    riding_compute_s: Value
    riding_kv_s: Value
    riding_link_s: Value
    held_s: Value
    riding_passes: Value
    chunk_touch_share: Value
    prefill_passes: Value
    prefill_time_s: Value
    tokens_per_pass: Value
    counted_tokens: Value
    step_alone_s: Value

    def held_share(self, rate: Value) -> Value:
        """rho_p: share of the time that prompts hold the decoding devices, below 1."""
        return minimum(rate * self.held_s, ALMOST_ONE)

    def interruption(self, step: StepModel, rate: Value) -> Value:
        """Decoding time that prompts of others take from an answer: none where no token follows the first.

        Prompts that ride along are in the steps already, but for those that came while the request's own prompt was
        prefilled: more than come during a step.
        """
        share = self.held_share(rate)
        prompt = self.prefill_time_s
        rest = share * share * self.held_s * step.pipeline_parallel / self.prefill_passes
        beyond_a_step = maximum(0, prompt + rest - self.step_alone_s * self.tokens_per_pass)
        pause = where(self.prompts_ride > 0, beyond_a_step, share / (1 - share) * prompt * HALF + prompt)
        return where(self.counted_tokens > 0, share * pause, 0)

    def interrupted(self, step: StepModel, rate: Value) -> Value:
        """Requests that the interruption keeps in flight: rate x interruption / (1 - rho_p)."""
        return rate * self.interruption(step, rate) / (1 - self.held_share(rate))

    def riding(self, step: StepModel, rate: Value, lasting_s: Value, top: Value) -> Riding:
        """The pass that a request decodes in when steps last ``lasting_s``, with at most ``top`` sequences in flight.

        A request finds one more sequence than there are on average: itself.
        """
        factor, stages, rides = step.software_factor_used, step.pipeline_parallel, self.prompts_ride > 0
        prompts = rate / stages * lasting_s
        in_flight = stages * self.counted_tokens * prompts + self.interrupted(step, rate)
        free, most = self.prompts_ride + in_flight / stages, maximum(1, top / stages)
        x = minimum(maximum(1, free), most)
        pace = where(free < 1, 0, where(free > most, 0, self.counted_tokens))
        parts = step.parts(x)
        (memory, memory_rise), (compute, compute_rise), (roof, roof_rise) = parts.memory, parts.compute, parts.roof
        bare = where(rides, exp(-self.riding_passes * prompts), 1)
        carrying, more_carry = 1 - bare, self.riding_passes * bare
        left = step.experts_read_s * exp(-step.sequence_touch_rate * x)
        touched = where(step.experts_read_s > 0, left * self.chunk_touch_share, 0)
        reading = memory + touched
        reading_rise = memory_rise - step.sequence_touch_rate * touched
        spare = self.riding_compute_s - self.riding_kv_s
        beside_kv, beside_compute = where(rides, maximum(spare, 0), 0), where(rides, maximum(-spare, 0), 0)
        carried, carried_rise = larger(
            (
                carrying * reading * factor - beside_kv * prompts,
                (more_carry * reading + carrying * reading_rise * pace) * factor - beside_kv,
            ),
            (
                carrying * compute * factor - beside_compute * prompts,
                (more_carry * compute + carrying * compute_rise * pace) * factor - beside_compute,
            ),
        )
        beside, beside_rise = parts.beside
        own = (beside + bare * roof) * factor + carried
        rise = ((beside_rise + bare * roof_rise) * pace - more_carry * roof) * factor + carried_rise
        return Riding(prompts, in_flight, parts, (own, rise), reading * factor, (roof + beside) * factor)

    def lasting(self, step: StepModel, rate: Value, near: Value, top: Value, label: str, steps: int) -> Value:
        """How long a step lasts at ``rate`` with the prompts that arrive meanwhile, by ``steps`` of Newton's.

        There is one such time, since what a step takes over its prompts falls with them.
        """
        lasting_s = near
        for number in range(steps):
            riding = self.riding(step, rate, lasting_s, top)
            lasting_s = let(f"{label} {number + 1}", self.moved(step, rate, riding, lasting_s))
        return lasting_s

    def moved(self, step: StepModel, rate: Value, riding: Riding, lasting_s: Value) -> Value:
        """Newton's step from ``riding`` in steps of ``lasting_s`` to how long one lasts at ``rate``."""
        own, rise = riding.own_s
        sought = own - rise * riding.prompts
        slowing = 1 - self.held_share(rate) - rate / step.pipeline_parallel * rise
        return maximum(minimum(sought / maximum(slowing, TINIEST), LEAP * lasting_s), lasting_s / LEAP)
