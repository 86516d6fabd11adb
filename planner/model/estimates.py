"""How far the closed forms of waiting were checked: where a simulation of the engine agrees, and where it does not.

docs/queueing.md has the figures behind the limits below, tests/model/test_simulation.py the simulation.
"""

from __future__ import annotations

from planner.model.constants import (
    ALMOST_ONE,
    CHECKED_ANSWER,
    CHECKED_COMPANY,
    CHECKED_LOAD,
    CHECKED_NEIGHBOUR,
    CHECKED_PAUSE,
    CHECKED_PROMPTS,
    CHECKED_SHARE,
    CHECKED_SLOTS,
    CHECKED_TOKENS,
    HALF,
    SMALLEST,
)
from planner.model.expression import Value
from planner.model.functions import argmax, both, either, exp, given, maximum, minimum, opposite, otherwise, where
from planner.model.mixing import MixingModel
from planner.model.operating import SECTION
from planner.model.sheet import Maybe, row
from planner.model.step import StepModel

TPOT_WORDS = (
    "fixed batch",
    "weak for short answers",
    "low for few sequences",
    "high for small batches",
    "low for long prompts",
    "high for mixed chunks",
    "rough for many prompts a step",
    "checked",
)
TTFT_WORDS = (
    "fixed batch",
    "weak for short answers",
    "low for chunks that read experts",
    "high for small batches",
    "high for many prompts a step",
    "checked",
)


@row(label="Answer paused by prompts at its start", unit="share", section=SECTION, detail=True)
def paused_share(
    prompts_ride: Value, decode_time_s: Value, counted_tokens: Value, step_with_prompts_s: Value, batch: Maybe
) -> Value:
    """Mixed: part of D that the prompts which came during the own prefill take; 0 at a fixed batch."""
    share = maximum(0, 1 - counted_tokens * step_with_prompts_s / maximum(decode_time_s, SMALLEST))
    return where(both(prompts_ride > 0, decode_time_s > 0), where(given(batch), 0, share), 0)


@row(label="TPOT of one more sequence in flight", unit="share", section=SECTION, detail=True)
def neighbour_share(
    step: StepModel,
    mixing: MixingModel,
    operating_batch: Value,
    step_time_s: Value,
    batch: Maybe,
    requests_per_second_per_replica: Maybe,
) -> Value:
    """Prefill first: what TPOT gains when a step has the sequence more that a request finds, itself.

    A longer step keeps more in flight, which makes it longer again: g / (1 - g) / b with g = r m more / (1 - rho_p).
    """
    rate = otherwise(requests_per_second_per_replica, 0)
    more = maximum(0, step.time(operating_batch + 1) - step_time_s)
    kept = minimum(rate * mixing.counted_tokens * more / (1 - mixing.held_share(rate)), ALMOST_ONE)
    waiting = both(mixing.prompts_ride <= 0, opposite(given(batch)))
    return where(waiting, kept / (1 - kept) / operating_batch, 0)


@row(label="TPOT estimate", section=SECTION, words=TPOT_WORDS)
def tpot_estimate(
    batch: Maybe,
    counted_tokens: Value,
    capacity_batch: Maybe,
    prompts_ride: Value,
    paused_share: Value,
    neighbour_share: Value,
    prefill_time_s: Value,
    step_time_s: Value,
    held_s: Value,
    requests_per_second_per_replica: Maybe,
    prompts_per_step: Maybe,
    operating_batch: Value,
) -> Value:
    """Where TPOT under load agrees with a simulation within 15 %, or how it errs.

    Weak below 5 tokens; low where the one sequence more that a request finds adds 8 % and more; high where slots x
    tokens are below 600 (riding along, and slots below 16), because there a full batch holds prompts back; low where a
    prefill takes longer than the steps of an answer, because there prompts come in bursts; high where prompts that ride along
    hold the devices for long and the answer pauses for them; rough for answers below 20 tokens with more than 1.5
    prompts a step.
    """
    slots, m = otherwise(capacity_batch, 1), counted_tokens
    fixed, short = where(given(batch), 1, 0), where(m < CHECKED_TOKENS, 1, 0)
    few = either(prompts_ride <= 0, slots < CHECKED_SLOTS)
    small = where(both(few, slots * m < CHECKED_LOAD), 1, 0)
    held = otherwise(requests_per_second_per_replica, 0) * held_s
    paused = where(paused_share * held > CHECKED_PAUSE, 1, 0)
    many = where(both(otherwise(prompts_per_step, 0) > CHECKED_PROMPTS, m < CHECKED_ANSWER), 1, 0)
    few_sequences = where(neighbour_share > CHECKED_NEIGHBOUR, 1, 0)
    apart = both(prompts_ride <= 0, held_s > 0)
    long = where(both(apart, prefill_time_s > m * step_time_s), 1, 0)
    return argmax(fixed, short, few_sequences, small, long, paused, many, HALF)


@row(label="TTFT estimate", section=SECTION, words=TTFT_WORDS)
def ttft_estimate(
    step: StepModel,
    chunk_touch_share: Value,
    decode_prefill_work_s: Value,
    batch: Maybe,
    slot_wait_s: Value,
    ttft_s: Value,
    prompts_ride: Value,
    counted_tokens: Value,
    capacity_batch: Maybe,
    prompts_per_step: Maybe,
) -> Value:
    """Where the mean TTFT under load agrees with a simulation within 20 %, or how it errs.

    High where more than 5 % of it is the wait for a slot, and with more than 2 prompts a step; weak below 5 tokens on
    less than 16 slots where prompts ride along, because a slot is taken while its prompt is prefilled too. Low where a
    chunk reads more experts, which a full batch leaves alone, than capacity charges for a prompt.
    """
    slots = otherwise(capacity_batch, 1)
    read_s = step.experts_read_s * exp(-step.sequence_touch_rate * slots) * chunk_touch_share
    reading = where(read_s * step.software_factor_used > decode_prefill_work_s, 1, 0)
    fixed = where(given(batch), 1, 0)
    few = both(prompts_ride > 0, slots < CHECKED_SLOTS)
    short = where(both(few, counted_tokens < CHECKED_TOKENS), 1, 0)
    waiting = where(slot_wait_s > CHECKED_SHARE * ttft_s, 1, 0)
    many = where(otherwise(prompts_per_step, 0) > CHECKED_COMPANY, 1, 0)
    return argmax(fixed, short, reading, waiting, many, HALF)
