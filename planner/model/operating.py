"""The operating point: the batch the load settles at, and the step there."""

from __future__ import annotations

from planner.model.constants import FLOP_PER_PARAMETER, SMALLEST, TIE
from planner.model.expression import Value
from planner.model.fleet import SERVED
from planner.model.functions import argmax, blank, both, exp, given, maximum, minimum, otherwise, where
from planner.model.mixing import MixingModel
from planner.model.queueing import SETTLING_STEPS, settled_batch
from planner.model.roots import reached
from planner.model.sheet import Maybe, row
from planner.model.step import StepModel

SECTION = "Operating point"
BOUNDS = ("memory", "compute", "interconnect", "overhead")


@row(label="Batch at bare steps", unit="sequences", section=SECTION, detail=True)
def bare_batch(
    step: StepModel, mixing: MixingModel, requests_per_second_per_replica: Value, capacity_batch: Value
) -> Value:
    """Smallest b >= r x D(b), at most the largest batch, where prompts stop decoding; where they ride, a start."""
    return settled_batch(step, mixing, requests_per_second_per_replica, capacity_batch, "batch")


@row(label="Step with prompts riding along", unit="s", section=SECTION, detail=True, better="lower")
def riding_step_s(
    step: StepModel,
    mixing: MixingModel,
    requests_per_second_per_replica: Value,
    capacity_batch: Value,
    bare_batch: Value,
) -> Value:
    """Mixed: how long a step lasts with the prompts that arrive meanwhile; else a bare step, where prompts wait."""
    rate = requests_per_second_per_replica
    near = step.time(bare_batch)
    riding = mixing.lasting(step, rate, near / (1 - mixing.held_share(rate)), capacity_batch, "step", SETTLING_STEPS)
    return where(mixing.prompts_ride > 0, riding, near)


@row(label="Prompts per step", section=SECTION, detail=True)
def prompts_per_step(
    mixing: MixingModel, requests_per_second_per_replica: Value, pipeline_parallel: Value, riding_step_s: Value
) -> Value:
    """Mixed: prompts that ride along per step of a pass, as many as arrive; 0 where none ride."""
    arriving = requests_per_second_per_replica / pipeline_parallel * riding_step_s
    return where(mixing.prompts_ride > 0, arriving, 0)


@row(label="Requests decoding", unit="requests", section=SECTION, detail=True)
def decoding_requests(
    step: StepModel,
    mixing: MixingModel,
    requests_per_second_per_replica: Value,
    bare_batch: Value,
    riding_step_s: Value,
) -> Value:
    """Mean in flight after the first token, per replica: r x D."""
    rate = requests_per_second_per_replica
    mixed = rate * mixing.counted_tokens * riding_step_s + mixing.interrupted(step, rate)
    return where(mixing.prompts_ride > 0, mixed, bare_batch)


@row(label="Batch that the load settles at", unit="sequences", section=SECTION, detail=True)
def settled_batch_of_load(decoding_requests: Value, capacity_batch: Value) -> Value:
    """Where arrivals and departures balance at the peak: the smallest b >= r x D(b), at most the largest batch."""
    return minimum(maximum(1, decoding_requests), capacity_batch)


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
    touched = experts * (1 - exp(-step.sequence_touch_rate * pass_sequences))
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
