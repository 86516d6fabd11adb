"""How far the closed forms of waiting were checked: where a simulation of the engine agrees, and where it does not.

docs/queueing.md has the figures behind the limits below, tests/model/test_simulation.py the simulation.
"""

from __future__ import annotations

from planner.model.batching import SCHEDULING
from planner.model.constants import CHECKED_LOAD, CHECKED_PREFILL_SHARE, CHECKED_SHARE, CHECKED_TOKENS, HALF
from planner.model.expression import Value
from planner.model.functions import argmax, both, chosen, either, given, maximum, minimum, otherwise, where
from planner.model.operating import SECTION
from planner.model.sheet import Maybe, row

TPOT_WORDS = (
    "fixed batch",
    "weak for short answers",
    "high for small batches",
    "high for mixed chunks",
    "checked",
)
TTFT_WORDS = ("fixed batch", "high for small batches", "low for mixed chunks", "checked")


@row(label="Prefill that decoding absorbs, at most", unit="share", section=SECTION, detail=True)
def absorbed_share(
    scheduling: Value,
    operating_batch: Value,
    counted_tokens: Value,
    memory_time_s: Value,
    compute_time_s: Value,
    decode_time_s: Value,
) -> Value:
    """Mixed chunks: compute that a step leaves idle and prompts fill, over TPOT; the queue counts it twice."""
    prompts = minimum(1, operating_batch / maximum(counted_tokens, 1))
    idle = maximum(0, memory_time_s - compute_time_s)
    share = prompts * idle * counted_tokens / maximum(decode_time_s, idle * counted_tokens)
    mixed = chosen(scheduling, SCHEDULING, "mixed")
    return where(both(mixed, decode_time_s > 0), share, 0)


@row(label="Mixed chunks blur the estimate", section=SECTION, kind="flag", detail=True)
def chunks_blur(
    scheduling: Value, absorbed_share: Value, requests_per_second_per_replica: Maybe, decode_prefill_work_s: Value
) -> Value:
    """More than 5 % of TPOT is absorbed, or prompts hold the devices for more than 35 % of the time."""
    held = otherwise(requests_per_second_per_replica, 0) * decode_prefill_work_s
    far = either(absorbed_share > CHECKED_SHARE, held > CHECKED_PREFILL_SHARE)
    return where(both(chosen(scheduling, SCHEDULING, "mixed"), far), 1, 0)


@row(label="TPOT estimate", section=SECTION, words=TPOT_WORDS)
def tpot_estimate(
    batch: Maybe,
    counted_tokens: Value,
    capacity_batch: Maybe,
    chunks_blur: Value,
    operating_batch: Value,
) -> Value:
    """Where TPOT under load agrees with a simulation within 15 %, or how it errs.

    Weak below 5 tokens; high where slots x tokens are below 600, because there a full batch holds prompts back.
    """
    fixed = where(given(batch), 1, 0)
    short = where(counted_tokens < CHECKED_TOKENS, 1, 0)
    small = where(otherwise(capacity_batch, 1) * counted_tokens < CHECKED_LOAD, 1, 0)
    return argmax(fixed, short, small, chunks_blur, HALF)


@row(label="TTFT estimate", section=SECTION, words=TTFT_WORDS)
def ttft_estimate(batch: Maybe, slot_wait_s: Value, ttft_s: Value, chunks_blur: Value) -> Value:
    """Where the mean TTFT under load agrees with a simulation within 20 %, or how it errs.

    High where more than 5 % of it is the wait for a slot.
    """
    fixed = where(given(batch), 1, 0)
    waiting = where(slot_wait_s > CHECKED_SHARE * ttft_s, 1, 0)
    return argmax(fixed, waiting, chunks_blur, HALF)
