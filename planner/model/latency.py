"""What a user waits for at the operating point: for prompts ahead, a step, a slot, the first token, the others."""

from __future__ import annotations

from planner.model.batching import SCHEDULING, LoadModel
from planner.model.constants import ALMOST_ONE, MS_PER_S, SMALLEST
from planner.model.expression import Value
from planner.model.functions import blank, both, chosen, given, maximum, minimum, otherwise, where
from planner.model.mixing import MixingModel
from planner.model.operating import SECTION
from planner.model.queueing import QueueModel, company, p95_excess, prefill_wait, prompts_wait, step_wait
from planner.model.sheet import Maybe, row
from planner.model.step import StepModel

AFTER_FIRST = "no token follows the first"


@row(label="Step met in a pass", unit="s", section=SECTION, detail=True)
def met_step_s(
    step: StepModel,
    mixing: MixingModel,
    step_time_s: Value,
    decoding_requests: Maybe,
    capacity_batch: Maybe,
    batch: Maybe,
) -> Value:
    """Mixed: a step of the sequences that a request finds in its pass, itself included; else the step time."""
    stages = step.pipeline_parallel
    found = minimum(stages + otherwise(decoding_requests, 0), maximum(stages, otherwise(capacity_batch, 1)))
    mixed = both(mixing.prompts_ride > 0, given(decoding_requests))
    return where(given(batch), step_time_s, where(mixed, step.time(found), step_time_s))


@row(label="Wait for prompts ahead", unit="s", section=SECTION, better="lower")
def prefill_wait_s(
    step: StepModel,
    mixing: MixingModel,
    batch: Maybe,
    decoding_requests: Maybe,
    met_step_s: Value,
    requests_per_second_per_replica: Maybe,
    requests_per_second_peak: Value,
    prefill_replicas: Maybe,
    spare_replicas: Value,
    prefill_work_s: Value,
) -> Value:
    """Mean wait for other prompts, in the prefill pool where there is one; 0 at a fixed batch."""
    rate = otherwise(requests_per_second_per_replica, 0)
    pool = maximum(otherwise(prefill_replicas, 1 + spare_replicas) - spare_replicas, 1)
    share = minimum(requests_per_second_peak * prefill_work_s / pool, ALMOST_ONE)
    in_pool = prompts_wait(share, mixing.prefill_time_s)
    here = prefill_wait(step, mixing, rate, otherwise(decoding_requests, 0), met_step_s)
    return where(given(batch), 0, where(given(prefill_replicas), in_pool, here))


@row(label="Wait for the step under way", unit="s", section=SECTION, better="lower")
def step_wait_s(
    mixing: MixingModel,
    batch: Maybe,
    decoding_requests: Maybe,
    operating_batch: Value,
    met_step_s: Value,
    requests_per_second_per_replica: Maybe,
) -> Value:
    """Mean rest of the step that is running when a request arrives; 0 at a fixed batch."""
    rate = otherwise(requests_per_second_per_replica, 0)
    rest = step_wait(mixing, rate, otherwise(decoding_requests, 0), operating_batch, met_step_s)
    return where(given(batch), 0, rest)


@row(label="Own prompt's passes, longer by", unit="s", section=SECTION, better="lower", detail=True)
def company_s(
    step: StepModel,
    mixing: MixingModel,
    batch: Maybe,
    requests_per_second_per_replica: Maybe,
    capacity_batch: Maybe,
    riding_step_s: Maybe,
) -> Value:
    """Mixed: what the sequences that decode in them add to a prompt's own passes; 0 at a fixed batch."""
    rate = otherwise(requests_per_second_per_replica, 0)
    riding = mixing.riding(step, rate, otherwise(riding_step_s, 0), otherwise(capacity_batch, 1))
    return where(given(batch), 0, company(step, mixing, riding))


@row(label="Wait for a slot", unit="s", section=SECTION, better="lower")
def slot_wait_s(
    queue: QueueModel, batch: Maybe, operating_batch: Value, requests_per_second_per_replica: Maybe
) -> Value:
    """Mean wait for one of the c slots (Sakasegawa); 0 at a fixed batch."""
    chance, wait = queue.slot_wait(otherwise(requests_per_second_per_replica, 0))
    return where(given(batch), 0, chance * wait)


@row(label="Queue wait", unit="s", section=SECTION, better="lower")
def queue_wait_s(prefill_wait_s: Value, step_wait_s: Value, slot_wait_s: Value) -> Value:
    """Prompts ahead + step under way + slot."""
    return prefill_wait_s + step_wait_s + slot_wait_s


@row(label="TTFT", unit="s", section=SECTION, better="lower", key=True)
def ttft_s(
    met_step_s: Value,
    ttft_base_s: Value,
    queue_wait_s: Value,
    company_s: Value,
    first_steps: Value,
    ttft_factor: Value,
    bound_prefill_s: Value,
) -> Value:
    """Engine constant + queue wait + prefill (+ KV transfer) + first steps, x TTFT factor; mean, in the service."""
    prompt = ttft_base_s + company_s
    return maximum((prompt + queue_wait_s + first_steps * met_step_s) * ttft_factor, bound_prefill_s)


@row(label="TTFT of the user", unit="s", section=SECTION, better="lower")
def ttft_user_s(ttft_s: Value, network_rtt_ms: Value) -> Value:
    """TTFT + one network round trip: bandwidth cannot buy it, later tokens do not pay it again."""
    return ttft_s + network_rtt_ms / MS_PER_S


@row(label="TTFT, 95th percentile", unit="s", section=SECTION, better="lower")
def ttft_p95_s(
    mixing: MixingModel,
    queue: QueueModel,
    met_step_s: Value,
    batch: Maybe,
    requests_per_second_per_replica: Maybe,
    ttft_s: Value,
    queue_wait_s: Value,
    ttft_factor: Value,
) -> Value:
    """TTFT without waiting + 0.95 of a step + the larger tail of slots and prompts; at a fixed batch TTFT itself."""
    unloaded = ttft_s - queue_wait_s * ttft_factor
    tail = p95_excess(queue, mixing, otherwise(requests_per_second_per_replica, 0), met_step_s)
    return where(given(batch), ttft_s, unloaded + tail * ttft_factor)


@row(label="Step and prompts beside it", unit="s", section=SECTION, better="lower", detail=True)
def step_with_prompts_s(
    mixing: MixingModel,
    operating_batch: Value,
    step_time_s: Value,
    batch: Maybe,
    requests_per_second_per_replica: Maybe,
    riding_step_s: Maybe,
    decode_prefill_work_s: Value,
) -> Value:
    """A step and the prompts of others that pass through meanwhile: step / (1 - rho_p), or a step they ride along."""
    steady = (operating_batch - 1) / maximum(mixing.counted_tokens, 1) * decode_prefill_work_s
    apart = step_time_s / (1 - mixing.held_share(otherwise(requests_per_second_per_replica, 0)))
    mixed = where(mixing.prompts_ride > 0, otherwise(riding_step_s, step_time_s), apart)
    return where(given(batch), step_time_s + steady, mixed)


@row(label="Time from first to last token", unit="s", section=SECTION, better="lower")
def decode_time_s(
    step: StepModel,
    mixing: MixingModel,
    step_with_prompts_s: Value,
    batch: Maybe,
    requests_per_second_per_replica: Maybe,
) -> Value:
    """D: m steps and the prompts of others that pass through meanwhile."""
    m, rate = mixing.counted_tokens, otherwise(requests_per_second_per_replica, 0)
    pause = mixing.interruption(step, rate) / (1 - mixing.held_share(rate))
    return where(m > 0, m * step_with_prompts_s + where(given(batch), 0, pause), 0)


@row(label="TPOT", unit="s", section=SECTION, better="lower", key=True, reason=AFTER_FIRST)
def tpot_s(decode_time_s: Value, counted_tokens: Value) -> Value:
    """Time per output token after the first, pauses for other prompts included."""
    return where(counted_tokens > 0, decode_time_s / maximum(counted_tokens, 1), blank())


@row(label="Latency", unit="s", section=SECTION, better="lower", key=True)
def latency_s(ttft_s: Value, decode_time_s: Value) -> Value:
    """TTFT + time from first to last token: a straight line in the length of the answer."""
    return ttft_s + decode_time_s


@row(label="Latency of the user", unit="s", section=SECTION, better="lower")
def latency_user_s(ttft_user_s: Value, decode_time_s: Value) -> Value:
    """Latency + one network round trip."""
    return ttft_user_s + decode_time_s


@row(label="Decode's share of latency", unit="share", section=SECTION)
def decode_share(decode_time_s: Value, latency_s: Value) -> Value:
    """Part of the latency that passes after the first token."""
    return decode_time_s / maximum(latency_s, SMALLEST)


@row(label="Speed for one user", unit="tokens/s", section=SECTION, better="higher")
def tokens_per_second_per_user(tpot_s: Value) -> Value:
    """1 / TPOT."""
    return 1 / tpot_s


@row(label="Gap between tokens, 95th percentile", unit="s", section=SECTION, better="lower", reason=AFTER_FIRST)
def inter_token_gap_p95_s(
    scheduling: Value, step_time_s: Value, prefill_time_s: Value, prefill_passes: Value, counted_tokens: Value
) -> Value:
    """A step and what may come between two: one chunk when mixed, a whole prefill first, nothing in a pool apart."""
    chunk = prefill_time_s / prefill_passes
    between = where(chosen(scheduling, SCHEDULING, "mixed"), chunk, prefill_time_s)
    pause = where(chosen(scheduling, SCHEDULING, "disaggregated"), 0, between)
    return where(counted_tokens > 0, step_time_s + pause, blank())


@row(label="Output throughput of a replica", unit="tokens/s", section=SECTION, better="higher")
def tokens_per_second_per_replica(
    step: StepModel,
    load: LoadModel,
    operating_batch: Value,
    batch: Maybe,
    requests_per_second_per_replica: Maybe,
    generated_tokens: Value,
) -> Value:
    """Output tokens per second at the operating point: what arrives at the peak, or what a fixed batch sustains."""
    arriving = otherwise(requests_per_second_per_replica, 0)
    rate = where(given(batch), load.throughput(step, operating_batch), arriving)
    return rate * generated_tokens


@row(label="Requests in flight", unit="requests", section=SECTION)
def in_flight(requests_per_second_peak: Value, latency_s: Value, served: Value) -> Value:
    """Peak rate x latency over all replicas (Little's law): the concurrency, not the number of users."""
    return requests_per_second_peak * latency_s
