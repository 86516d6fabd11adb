"""TTFT without load, and the rate at which a replica's mean TTFT reaches its target."""

from __future__ import annotations

from planner.model.batching import SCHEDULING
from planner.model.constants import ALMOST_ONE, HALF, MILLION, MS_PER_S, SMALLEST, TINIEST
from planner.model.expression import Value
from planner.model.functions import blank, both, chosen, exp, given, let, log, maximum, minimum, otherwise, where
from planner.model.mixing import MixingModel, Riding
from planner.model.queueing import SETTLING_STEPS, QueueModel, company, prefill_wait, settled_batch, step_wait
from planner.model.sheet import Maybe, row
from planner.model.step import StepModel

SECTION = "Fleet"
CHORD_STEPS = 14


@row(label="KV transfer", unit="s", section=SECTION, reason="no link rate is known: give Link per direction")
def kv_transfer_s(
    scheduling: Value,
    prompt_tokens: Value,
    kv_bytes_per_token: Value,
    state_bytes_per_sequence: Value,
    link_is_ideal: Value,
    link_bytes_per_second: Maybe,
) -> Value:
    """Disaggregated: KV cache and states of the whole prompt over the link between the pools; else 0."""
    rate = otherwise(link_bytes_per_second, 0)
    moved = prompt_tokens * kv_bytes_per_token + state_bytes_per_sequence
    over_link = where(rate > 0, moved / maximum(rate, 1), blank())
    apart = chosen(scheduling, SCHEDULING, "disaggregated")
    return where(both(apart, link_is_ideal <= 0), over_link, 0)


@row(label="TTFT without waiting or steps", unit="s", section=SECTION, detail=True)
def ttft_base_s(
    ttft_constant_ms: Value, ttft_prefill_factor: Value, prefill_time_s: Value, kv_transfer_s: Value
) -> Value:
    """Engine constant + prefill as the engine's TTFT sees it + KV transfer."""
    return ttft_constant_ms / MS_PER_S + ttft_prefill_factor * prefill_time_s + kv_transfer_s


@row(label="TTFT of a request alone", unit="s", section=SECTION, better="lower")
def ttft_alone_s(
    step: StepModel,
    step_alone_s: Value,
    ttft_base_s: Value,
    first_steps: Value,
    batch: Maybe,
    ttft_factor: Value,
    bound_prefill_s: Value,
) -> Value:
    """TTFT with nothing to wait for."""
    first = first_steps * where(given(batch), step.time(otherwise(batch, 1)), step_alone_s)
    return maximum((ttft_base_s + first) * ttft_factor, bound_prefill_s)


@row(label="Prefill pool utilization allowed", section=SECTION, detail=True, reason="prefill has no pool of its own")
def prefill_pool_utilization(
    scheduling: Value,
    target_utilization: Value,
    ttft_target_ms: Maybe,
    ttft_alone_s: Value,
    ttft_factor: Value,
    prefill_time_s: Value,
) -> Value:
    """The target utilization, or less where the queue for prefill would use more than half of the TTFT's slack.

    At utilization y the mean wait is y/(1 - y) x prefill/2 (M/D/1); half the slack s gives y = s / (s + prefill).
    """
    slack = maximum(0, otherwise(ttft_target_ms, 0) / MS_PER_S - ttft_alone_s) / ttft_factor
    by_target = slack / maximum(slack + prefill_time_s, SMALLEST)
    allowed = where(given(ttft_target_ms), minimum(target_utilization, by_target), target_utilization)
    return where(chosen(scheduling, SCHEDULING, "disaggregated"), maximum(allowed, SMALLEST), blank())


@row(label="Prefill pool wait allowed", unit="s", section=SECTION, detail=True)
def prefill_pool_wait_s(prefill_pool_utilization: Maybe, prefill_time_s: Value) -> Value:
    """Mean wait in the prefill pool at the utilization allowed; 0 where prefill has no pool of its own."""
    share = minimum(otherwise(prefill_pool_utilization, 0), ALMOST_ONE)
    return share / (1 - share) * prefill_time_s * HALF


@row(
    label="Rate that meets the TTFT target",
    unit="requests/s",
    section=SECTION,
    reason="the batch is fixed",
    iterative=True,
)
def ttft_limit_requests_per_second(
    step: StepModel,
    mixing: MixingModel,
    queue: QueueModel,
    ttft_base_s: Value,
    first_steps: Value,
    ttft_factor: Value,
    prefill_pool_wait_s: Value,
    ttft_target_ms: Value,
    target_utilization: Value,
    batch: Maybe,
) -> Value:
    """Largest rate of one replica at which the mean TTFT stays within the target, at most its target utilization.

    What waiting adds to an idle replica's TTFT grows by orders of magnitude, so chords are drawn on its logarithm,
    between a rate within the target and one beyond it, with Anderson and Bjorck's weight on the end that stays (1973).
    """
    idle = ttft_base_s + prefill_pool_wait_s + first_steps * mixing.step_alone_s
    room = maximum(ttft_target_ms / MS_PER_S / ttft_factor - idle, SMALLEST)
    least = room / MILLION
    top, c = queue.capacity_requests_per_second * target_utilization, queue.capacity_batch

    def gap(rate: Value, riding: Riding) -> Value:
        chance, wait = queue.slot_wait(rate)
        b = minimum(maximum(1, riding.in_flight), c)
        ahead = prefill_wait(step, mixing, rate, riding.in_flight, riding.step_s)
        waits = ahead + step_wait(mixing, rate, riding.in_flight, b, riding.step_s) + chance * wait
        waits = waits + company(step, mixing, riding) + first_steps * (riding.step_s - mixing.step_alone_s)
        return log(room / maximum(waits, least))

    near = step.time(settled_batch(step, mixing, top, c, "batch at the target utilization"))
    near = near / (1 - mixing.held_share(top))
    lasting_s = mixing.lasting(step, top, near, c, "step at the target utilization", SETTLING_STEPS)
    riding = mixing.riding(step, top, lasting_s, c)
    top_gap = let("TTFT gap at the target utilization", gap(top, riding))
    # Natural logarithms of rates; the far one is so low that nothing waits. Where the top meets the target already, the
    # chords go for a gap between, so that no step hangs on rounding.
    end, least_rate = log(maximum(top, SMALLEST)), log(SMALLEST * maximum(top, SMALLEST))
    sought = where(top_gap >= 0, HALF * (top_gap + log(room / least)), 0)
    far, far_gap = least_rate, log(room / least) - sought
    near, near_gap = end, top_gap - sought
    for number in range(CHORD_STEPS):
        drop = far_gap - near_gap
        flat = drop * drop <= 0
        chord = near + near_gap * (near - far) / where(flat, 1, drop)
        moved = let(f"TTFT rate {number + 1}, logarithm", minimum(maximum(chord, least_rate), end))
        rate = exp(moved)
        lasting_s = let(f"step at TTFT rate {number + 1}", mixing.moved(step, rate, riding, lasting_s))
        riding = mixing.riding(step, rate, lasting_s, c)
        left = gap(rate, riding) - sought
        gap_there = let(f"TTFT gap {number + 1}", where(left * left < TINIEST, 0, left))
        crossed = gap_there * near_gap < 0
        weight = 1 - gap_there / where(near_gap * near_gap > 0, near_gap, 1)
        kept = far_gap * where(weight > 0, weight, HALF)
        far, far_gap = let(f"TTFT far rate {number + 1}", where(crossed, near, far)), where(crossed, near_gap, kept)
        near, near_gap = moved, gap_there
    limited = where(top_gap >= 0, top, exp(near))
    return where(given(batch), blank(), limited)
