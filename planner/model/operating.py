"""The operating point: the batch the load settles at, the step there, and what a user waits for."""

from __future__ import annotations

from dataclasses import replace

from planner.model.batching import SCHEDULING, LoadModel
from planner.model.constants import ALMOST_ONE, FLOP_PER_PARAMETER, MS_PER_S, SMALLEST, TIE
from planner.model.expression import Value
from planner.model.fleet import SERVED
from planner.model.functions import argmax, blank, both, chosen, given, maximum, minimum, otherwise, plain, where
from planner.model.queueing import QueueModel, decode_time, p95_excess, prefill_wait, settled_batch, step_wait
from planner.model.roots import reached
from planner.model.sheet import Maybe, row
from planner.model.step import StepModel

SECTION = "Operating point"
BOUNDS = ("memory", "compute", "interconnect", "overhead")
AFTER_FIRST = "no token follows the first"


@row(label="Batch that the load settles at", unit="sequences", section=SECTION, detail=True)
def settled_batch_of_load(
    step: StepModel, load: LoadModel, requests_per_second_per_replica: Value, capacity_batch: Value
) -> Value:
    """Where arrivals and departures balance at the peak: the smallest b >= r x D(b), at most the largest batch."""
    return settled_batch(step, load, requests_per_second_per_replica, capacity_batch, "batch")


@row(label="Operating batch", unit="sequences", section=SECTION, key=True, reason=SERVED)
def operating_batch(batch: Maybe, settled_batch_of_load: Maybe) -> Value:
    """Sequences a replica's steps carry: the fixed batch, or where arrivals and departures balance at the peak."""
    settled = where(given(settled_batch_of_load), settled_batch_of_load, blank())
    return where(given(batch), otherwise(batch, 1), settled)


@row(label="Sequences in one pass", unit="sequences", section=SECTION)
def pass_sequences(step: StepModel, operating_batch: Value) -> Value:
    """The operating batch over the pipeline's stages, at least 1."""
    return step.micro_batch(operating_batch)


@row(label="Experts read per step", unit="experts", section=SECTION)
def experts_read(step: StepModel, pass_sequences: Value, experts: Value) -> Value:
    """E(1 - (1 - k/E)^tokens): experts of a layer that the tokens of one pass touch, routed uniformly."""
    touched = experts * (1 - step.expert_miss_share ** (pass_sequences * step.verified_tokens))
    return where(experts > 0, touched, 0)


@row(label="Weights read per step", unit="B", section=SECTION, better="lower")
def weights_read_bytes(experts_read: Value, experts: Value, expert_bytes: Value, dense_read_bytes: Value) -> Value:
    """Dense weights and the experts touched, by all devices of a stage together."""
    return dense_read_bytes + expert_bytes * experts_read / maximum(experts, 1)


@row(label="KV cache read per step", unit="B", section=SECTION, better="lower")
def kv_read_bytes(
    pass_sequences: Value, attention_degree: Value, kv_read_bytes_per_device: Value, tensor_parallel: Value
) -> Value:
    """Sequences on a device x its share of their live KV cache, summed over t devices."""
    sequences = maximum(pass_sequences / attention_degree, 1)
    return tensor_parallel * sequences * kv_read_bytes_per_device


@row(label="Memory time", unit="s", section=SECTION, better="lower")
def memory_time_s(step: StepModel, pass_sequences: Value) -> Value:
    """Weights and KV cache of the pass over the reachable bandwidth, per token of a sequence; draft steps apart."""
    return step.memory_s(pass_sequences)


@row(label="Compute time", unit="s", section=SECTION, better="lower")
def compute_time_s(step: StepModel, pass_sequences: Value) -> Value:
    """Matmuls and attention of the pass over the reachable FLOP/s, per token of a sequence; draft steps apart."""
    return step.compute_s(pass_sequences)


@row(label="Draft steps' time", unit="s", section=SECTION, better="lower")
def draft_time_s(step: StepModel, pass_sequences: Value) -> Value:
    """The larger of the draft steps' memory and compute time, per token of a sequence; 0 without drafting."""
    return step.draft_s(pass_sequences)


@row(label="Interconnect time", unit="s", section=SECTION, better="lower")
def interconnect_time_s(step: StepModel, pass_sequences: Value) -> Value:
    """Collectives' latency and bytes, per token of a sequence; draft steps included."""
    return step.interconnect_s(pass_sequences)


@row(label="Overhead time", unit="s", section=SECTION, better="lower")
def overhead_time_s(step: StepModel, pass_sequences: Value) -> Value:
    """Kernels, launches and scheduling, per token of a sequence; draft steps included."""
    return step.overhead_s(pass_sequences)


@row(label="Step time", unit="s", section=SECTION, better="lower")
def step_time_s(
    memory_time_s: Value,
    compute_time_s: Value,
    draft_time_s: Value,
    interconnect_time_s: Value,
    overhead_time_s: Value,
) -> Value:
    """max(memory, compute) + draft steps + interconnect + overhead, per token of a sequence."""
    return maximum(memory_time_s, compute_time_s) + draft_time_s + interconnect_time_s + overhead_time_s


@row(label="Step bound by", section=SECTION, words=BOUNDS, key=True)
def bound_by(memory_time_s: Value, compute_time_s: Value, interconnect_time_s: Value, overhead_time_s: Value) -> Value:
    """The largest part of a step; a tie counts as memory."""
    return argmax(memory_time_s * TIE, compute_time_s, interconnect_time_s, overhead_time_s)


@row(label="Memory time at efficiency 1", unit="s", section=SECTION, detail=True)
def bound_memory_time_s(
    step: StepModel, pass_sequences: Value, weights_efficiency: Value, kv_efficiency: Value
) -> Value:
    """The bytes of a step over the rated bandwidth."""
    weights = (step.memory_fixed_s + step.experts_s(pass_sequences)) * weights_efficiency
    return weights + step.memory_per_sequence_s * step.served(pass_sequences) * kv_efficiency


@row(label="Compute time at efficiency 1", unit="s", section=SECTION, detail=True)
def bound_compute_time_s(step: StepModel, pass_sequences: Value, decode_efficiency: Value) -> Value:
    """The FLOP of a step over the dense peaks."""
    return step.compute_s(pass_sequences) / step.software_factor_used * decode_efficiency


@row(label="Draft steps' time at efficiency 1", unit="s", section=SECTION, detail=True)
def bound_draft_time_s(
    step: StepModel,
    pass_sequences: Value,
    weights_efficiency: Value,
    kv_efficiency: Value,
    decode_efficiency: Value,
) -> Value:
    """The larger of the draft steps' bytes over the rated bandwidth and their FLOP over the dense peaks."""
    x = pass_sequences
    weights = (step.draft_memory_fixed_s + step.experts_s(x, verifies=False)) * weights_efficiency
    memory = weights + step.draft_memory_per_sequence_s * step.served(x) * kv_efficiency
    compute = step.draft_compute_s(x) / step.software_factor_used * decode_efficiency
    return where(step.verified_tokens > 1, maximum(memory, compute), 0)


@row(label="Step time at efficiency 1", unit="s", section=SECTION, detail=True)
def bound_step_time_s(bound_memory_time_s: Value, bound_compute_time_s: Value, bound_draft_time_s: Value) -> Value:
    """The roofline with no overhead: no step is faster."""
    return maximum(bound_memory_time_s, bound_compute_time_s) + bound_draft_time_s


@row(label="Share of the roofline reached", unit="share", section=SECTION, better="higher")
def roofline_share(bound_step_time_s: Value, step_time_s: Value) -> Value:
    """Step time at efficiency 1 over step time."""
    return bound_step_time_s / step_time_s


@row(label="Arithmetic intensity", unit="FLOP/B", section=SECTION)
def arithmetic_intensity(
    pass_sequences: Value,
    verified_tokens: Value,
    active_dense_parameters: Value,
    active_expert_parameters: Value,
    attention_flop_per_token: Value,
    weights_read_bytes: Value,
    kv_read_bytes: Value,
) -> Value:
    """FLOP of one pass over the bytes it reads."""
    tokens = pass_sequences * verified_tokens
    matmul = FLOP_PER_PARAMETER * (active_dense_parameters + active_expert_parameters)
    return tokens * (matmul + attention_flop_per_token) / maximum(weights_read_bytes + kv_read_bytes, SMALLEST)


@row(label="Machine balance", unit="FLOP/B", section=SECTION)
def machine_balance(peak_flops: Value, memory_bandwidth: Value) -> Value:
    """Dense peak of the weights' arithmetic over the rated bandwidth: the intensity that keeps compute busy."""
    return peak_flops / memory_bandwidth


@row(label="Aggregate bandwidth", unit="B/s", section=SECTION, better="higher")
def aggregate_bandwidth(memory_bandwidth: Value, devices_per_replica: Value) -> Value:
    """Rated bandwidth of all devices of a replica."""
    return memory_bandwidth * devices_per_replica


@row(label="Critical batch", unit="sequences", section=SECTION, reason="bound by the KV cache at any batch")
def critical_batch(step: StepModel) -> Value:
    """Batch at which compute time reaches memory time; blank where the KV cache keeps memory ahead at any batch.

    Below the attention data parallel degree attention does not shrink, which gives a root of its own.
    """
    stages, degree = step.pipeline_parallel, step.attention_degree
    gain = step.matmul_per_sequence_s + step.attention_per_sequence_s
    beyond = reached(step.verifying_memory(floored=False), gain, 0, 1, "critical batch")
    least = -step.attention_per_sequence_s * degree
    memory = step.verifying_memory(floored=True)
    below = maximum(reached(memory, step.matmul_per_sequence_s, least, 1, "critical batch"), 0)
    early = both(degree > 1, below < degree)
    exists = step.memory_per_sequence_s < gain
    return where(early, below * stages, where(exists, beyond * stages, blank()))


@row(label="Compute left idle", unit="share", section=SECTION, better="lower")
def idle_compute_share(bound_compute_time_s: Value, step_time_s: Value) -> Value:
    """1 - the time the FLOP would take at the dense peak over the time the step takes."""
    return maximum(0, 1 - bound_compute_time_s / step_time_s)


@row(label="Decode throughput", unit="tokens/s", section=SECTION, better="higher")
def decode_tokens_per_second(operating_batch: Value, step_time_s: Value) -> Value:
    """b / step(b) of one replica, prefill left out."""
    return maximum(operating_batch, 1) / step_time_s


@row(label="Wait for prompts ahead", unit="s", section=SECTION, better="lower")
def prefill_wait_s(
    load: LoadModel,
    batch: Maybe,
    operating_batch: Value,
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
    in_pool = prefill_wait(replace(load, decode_prefill_work_s=plain(1)), share)
    open_arrivals = where(given(prefill_replicas), in_pool, prefill_wait(load, rate))
    return where(given(batch), 0, open_arrivals)


@row(label="Wait for the step under way", unit="s", section=SECTION, better="lower")
def step_wait_s(
    load: LoadModel, batch: Maybe, operating_batch: Value, step_time_s: Value, requests_per_second_per_replica: Maybe
) -> Value:
    """Mean rest of the step that is running when a request arrives; 0 at a fixed batch."""
    rate = otherwise(requests_per_second_per_replica, 0)
    return where(given(batch), 0, step_wait(load, rate, operating_batch, step_time_s))


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
    step_time_s: Value,
    ttft_base_s: Value,
    queue_wait_s: Value,
    first_steps: Value,
    ttft_factor: Value,
    bound_prefill_s: Value,
) -> Value:
    """Engine constant + queue wait + prefill (+ KV transfer) + first steps, x TTFT factor; mean, in the service."""
    return maximum((ttft_base_s + queue_wait_s + first_steps * step_time_s) * ttft_factor, bound_prefill_s)


@row(label="TTFT of the user", unit="s", section=SECTION, better="lower")
def ttft_user_s(ttft_s: Value, network_rtt_ms: Value) -> Value:
    """TTFT + one network round trip: bandwidth cannot buy it, later tokens do not pay it again."""
    return ttft_s + network_rtt_ms / MS_PER_S


@row(label="TTFT, 95th percentile", unit="s", section=SECTION, better="lower")
def ttft_p95_s(
    load: LoadModel,
    queue: QueueModel,
    step_time_s: Value,
    batch: Maybe,
    requests_per_second_per_replica: Maybe,
    ttft_s: Value,
    queue_wait_s: Value,
    ttft_factor: Value,
) -> Value:
    """TTFT without waiting + 0.95 of a step + the larger tail of slots and prompts; at a fixed batch TTFT itself."""
    unloaded = ttft_s - queue_wait_s * ttft_factor
    tail = p95_excess(queue, load, otherwise(requests_per_second_per_replica, 0), step_time_s)
    return where(given(batch), ttft_s, unloaded + tail * ttft_factor)


@row(label="Time from first to last token", unit="s", section=SECTION, better="lower")
def decode_time_s(
    load: LoadModel,
    operating_batch: Value,
    step_time_s: Value,
    batch: Maybe,
    requests_per_second_per_replica: Maybe,
) -> Value:
    """D: m steps and the prompts of others that pass through meanwhile."""
    steady = load.counted_tokens * step_time_s + (operating_batch - 1) * load.decode_prefill_work_s
    flowing = decode_time(load, otherwise(requests_per_second_per_replica, 0), step_time_s)
    m = load.counted_tokens
    return where(m > 0, where(given(batch), steady, flowing), 0)


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
