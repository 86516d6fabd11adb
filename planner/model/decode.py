"""One decode step as a function of the batch, in coefficients.

A pass over b sequences takes max(memory, compute) + interconnect + overhead, times the software factor. Memory time
is linear in b but for the experts, of which b tokens touch E(1 - (1 - k/E)^b). Speculative decoding verifies
g + 1 tokens per sequence in a pass (weights and KV cache read once), adds g draft steps, and yields
1 + a + ... + a^g tokens (Leviathan et al. 2023); every coefficient is per token that a sequence receives.
"""

from __future__ import annotations

from dataclasses import dataclass

from planner.model.constants import (
    ATTENTION_FLOP,
    BITS_PER_BYTE,
    FLOP_PER_PARAMETER,
    SMALLEST,
    US_PER_S,
    WRITTEN_AND_READ,
)
from planner.model.expression import Value
from planner.model.functions import given, is_on, log, maximum, minimum, otherwise, where
from planner.model.sheet import Maybe, row

SECTION = "Decode coefficients"


@row(label="Tokens verified per sequence and pass", unit="tokens", section=SECTION, detail=True)
def verified_tokens(draft_tokens: Value) -> Value:
    """g + 1: the drafted tokens and the one after them; 1 without speculative decoding."""
    return draft_tokens + 1


@row(label="Tokens yielded per pass", unit="tokens", section=SECTION)
def tokens_per_pass(draft_acceptance: Value, verified_tokens: Value) -> Value:
    """1 + a + ... + a^g = (1 - a^(g+1)) / (1 - a); 1 without speculative decoding (Leviathan et al. 2023, eq. 1)."""
    series = (1 - draft_acceptance**verified_tokens) / maximum(1 - draft_acceptance, SMALLEST)
    return where(draft_acceptance < 1, series, verified_tokens)


@row(label="Draft steps in model steps", section=SECTION, detail=True)
def draft_steps_cost(draft_tokens: Value, draft_cost_ratio: Maybe) -> Value:
    """g x c: time of all draft steps over a plain step; 0 where a draft model gives its own time."""
    return draft_tokens * otherwise(draft_cost_ratio, 0)


@row(label="Draft steps of a draft model", section=SECTION, detail=True)
def draft_model_steps(draft_tokens: Value, draft_cost_ratio: Maybe) -> Value:
    """g where no cost ratio is given: the draft model's own bytes and FLOP count."""
    return where(given(draft_cost_ratio), 0, draft_tokens)


@row(label="Weights read by every pass", unit="B", section=SECTION)
def dense_read_bytes(
    dense_parameters: Value,
    weight_bits: Value,
    head_parameters: Value,
    embedding_bits: Value,
    replicated_weight_bytes: Value,
    tensor_parallel: Value,
) -> Value:
    """Dense layers and LM head, by all t devices together; the input embedding is a look-up and is not read.

    Under attention data parallel each device reads its own copy of attention and LM head.
    """
    once = (dense_parameters * weight_bits + head_parameters * embedding_bits) / BITS_PER_BYTE
    return once + replicated_weight_bytes * (tensor_parallel - 1)


@row(label="All experts' bytes", unit="B", section=SECTION)
def expert_bytes(expert_parameters: Value, expert_bits: Value) -> Value:
    """Bytes of every routed expert of every layer."""
    return expert_parameters * expert_bits / BITS_PER_BYTE


@row(label="Chance that a token leaves an expert alone", section=SECTION, detail=True)
def expert_miss_share(experts_per_token: Value, experts: Value) -> Value:
    """1 - k/E under uniform routing; 1 for a dense model."""
    return maximum(1 - experts_per_token / maximum(experts, 1), SMALLEST)


@row(label="Active expert parameters", section=SECTION, detail=True)
def active_expert_parameters(expert_parameters: Value, experts_per_token: Value, experts: Value) -> Value:
    """Routed expert parameters one token is multiplied with."""
    return expert_parameters * experts_per_token / maximum(experts, 1)


@row(label="Active dense parameters", section=SECTION, detail=True)
def active_dense_parameters(active_parameters: Value, active_expert_parameters: Value) -> Value:
    """Matmul parameters outside the routed experts, LM head included."""
    return maximum(0, active_parameters - active_expert_parameters)


@row(label="KV cache read per sequence and step", unit="B", section=SECTION)
def kv_read_bytes_per_sequence(
    context_tokens: Value,
    layers: Value,
    linear_layers: Value,
    window_layers: Value,
    window_tokens: Value,
    sparse_layers: Value,
    sparse_top_tokens: Value,
    kv_bytes_per_token_layer: Value,
    index_bytes_per_token: Value,
    state_bytes_per_sequence: Value,
) -> Value:
    """At the mean context: full layers in full, windows and sparse layers what they attend to, states twice."""
    full = layers - linear_layers - window_layers - sparse_layers
    windowed = window_layers * minimum(context_tokens, window_tokens)
    sparse = sparse_layers * minimum(context_tokens, sparse_top_tokens)
    tokens = full * context_tokens + windowed + sparse
    index = index_bytes_per_token * context_tokens
    return tokens * kv_bytes_per_token_layer + index + WRITTEN_AND_READ * state_bytes_per_sequence


@row(label="Attention FLOP per token", unit="FLOP", section=SECTION, detail=True)
def attention_flop_per_token(
    context_tokens: Value,
    layers: Value,
    linear_layers: Value,
    window_layers: Value,
    window_tokens: Value,
    sparse_layers: Value,
    sparse_top_tokens: Value,
    mla_layers: Value,
    heads: Value,
    head_dim: Value,
    kv_lora_rank: Value,
    qk_rope_head_dim: Value,
) -> Value:
    """4 x heads x head dimension per context token and layer; MLA absorbed 2 x heads x (2 x rank + rope)."""
    latent = FLOP_PER_PARAMETER * heads * (kv_lora_rank + kv_lora_rank + qk_rope_head_dim)
    per_token = where(mla_layers > 0, latent, ATTENTION_FLOP * heads * head_dim)
    full = layers - linear_layers - window_layers - sparse_layers
    windowed = window_layers * minimum(context_tokens, window_tokens)
    sparse = sparse_layers * minimum(context_tokens, sparse_top_tokens)
    return per_token * (full * context_tokens + windowed + sparse)


@row(label="Draft model's memory time", unit="s", section=SECTION, detail=True)
def draft_memory_fixed_s(
    draft_model_steps: Value,
    draft_weight_bytes: Value,
    tensor_parallel: Value,
    memory_bandwidth: Value,
    weights_efficiency: Value,
) -> Value:
    """The draft model's weights once per draft step, over the bandwidth of t devices; 0 under a cost ratio."""
    return draft_model_steps * draft_weight_bytes / (tensor_parallel * memory_bandwidth * weights_efficiency)


@row(label="Draft model's KV time per sequence", unit="s", section=SECTION, detail=True)
def draft_kv_s(
    draft_model_steps: Value,
    draft_kv_bytes_per_token: Value,
    context_tokens: Value,
    kv_shard_share: Value,
    attention_degree: Value,
    memory_bandwidth: Value,
    kv_efficiency: Value,
) -> Value:
    """The draft model's KV cache once per draft step; 0 under a cost ratio."""
    read = draft_model_steps * draft_kv_bytes_per_token * context_tokens * kv_shard_share / attention_degree
    return read / (memory_bandwidth * kv_efficiency)


@row(label="Draft model's matmul time per sequence", unit="s", section=SECTION, detail=True)
def draft_matmul_per_sequence_s(
    draft_model_steps: Value,
    draft_active_parameters: Value,
    peak_flops: Value,
    tensor_parallel: Value,
    decode_efficiency: Value,
) -> Value:
    """2 FLOP per active parameter of the draft model and draft step; 0 under a cost ratio."""
    work = FLOP_PER_PARAMETER * draft_model_steps * draft_active_parameters
    return work / (tensor_parallel * peak_flops * decode_efficiency)


@row(label="Draft model's overhead", unit="s", section=SECTION, detail=True)
def draft_overhead_s(draft_model_steps: Value, draft_layers: Value, layer_overhead_us: Value) -> Value:
    """Overhead of the draft model's layers; 0 under a cost ratio."""
    return draft_model_steps * draft_layers * layer_overhead_us / US_PER_S


@row(label="Memory time of every step", unit="s", section=SECTION, detail=True)
def memory_fixed_s(
    dense_read_bytes: Value,
    draft_steps_cost: Value,
    draft_memory_fixed_s: Value,
    tensor_parallel: Value,
    memory_bandwidth: Value,
    weights_efficiency: Value,
    tokens_per_pass: Value,
) -> Value:
    """Dense weights, and the draft's, over the bandwidth of t devices; per yielded token."""
    once = dense_read_bytes / (tensor_parallel * memory_bandwidth * weights_efficiency)
    return (once * (1 + draft_steps_cost) + draft_memory_fixed_s) / tokens_per_pass


@row(label="Memory time per sequence", unit="s", section=SECTION, detail=True)
def memory_per_sequence_s(
    kv_read_bytes_per_sequence: Value,
    draft_steps_cost: Value,
    draft_kv_s: Value,
    kv_shard_share: Value,
    attention_degree: Value,
    memory_bandwidth: Value,
    kv_efficiency: Value,
    tokens_per_pass: Value,
) -> Value:
    """KV cache of one sequence over the bandwidth of the devices that hold it; read once a pass."""
    once = kv_read_bytes_per_sequence * kv_shard_share / attention_degree / (memory_bandwidth * kv_efficiency)
    return (once * (1 + draft_steps_cost) + draft_kv_s) / tokens_per_pass


@row(label="Time to read all experts", unit="s", section=SECTION, detail=True)
def experts_read_s(
    expert_bytes: Value,
    tensor_parallel: Value,
    memory_bandwidth: Value,
    weights_efficiency: Value,
    tokens_per_pass: Value,
) -> Value:
    """Every expert once over the bandwidth of t devices; per yielded token."""
    return expert_bytes / (tensor_parallel * memory_bandwidth * weights_efficiency) / tokens_per_pass


@row(label="Matmul time per sequence", unit="s", section=SECTION, detail=True)
def matmul_per_sequence_s(
    active_dense_parameters: Value,
    active_expert_parameters: Value,
    peak_flops: Value,
    expert_peak_flops: Value,
    verified_tokens: Value,
    draft_steps_cost: Value,
    draft_matmul_per_sequence_s: Value,
    tensor_parallel: Value,
    decode_efficiency: Value,
    tokens_per_pass: Value,
) -> Value:
    """2 FLOP per active parameter and token, each part at the peak of its own arithmetic."""
    token = active_dense_parameters / peak_flops + active_expert_parameters / expert_peak_flops
    once = FLOP_PER_PARAMETER * token / (tensor_parallel * decode_efficiency)
    return (once * (verified_tokens + draft_steps_cost) + draft_matmul_per_sequence_s) / tokens_per_pass


@row(label="Attention compute time per sequence", unit="s", section=SECTION, detail=True)
def attention_per_sequence_s(
    attention_flop_per_token: Value,
    attention_peak_flops: Value,
    verified_tokens: Value,
    draft_steps_cost: Value,
    tensor_parallel: Value,
    decode_efficiency: Value,
    tokens_per_pass: Value,
) -> Value:
    """Attention FLOP over the 16-bit peak of t devices."""
    work = attention_flop_per_token * (verified_tokens + draft_steps_cost)
    return work / (tensor_parallel * attention_peak_flops * decode_efficiency) / tokens_per_pass


@row(label="Interconnect time of every step", unit="s", section=SECTION, detail=True)
def interconnect_fixed_s(pass_latency_s: Value, draft_steps_cost: Value, tokens_per_pass: Value) -> Value:
    """Latencies of one pass, and of its draft steps; per yielded token."""
    return pass_latency_s * (1 + draft_steps_cost) / tokens_per_pass


@row(label="Interconnect time per sequence", unit="s", section=SECTION, detail=True)
def interconnect_per_sequence_s(
    pass_link_s_per_token: Value, verified_tokens: Value, draft_steps_cost: Value, tokens_per_pass: Value
) -> Value:
    """Link time of a sequence's tokens in one pass."""
    return pass_link_s_per_token * (verified_tokens + draft_steps_cost) / tokens_per_pass


@row(label="Overhead of one pass", unit="s", section=SECTION, detail=True)
def pass_overhead_s(
    layers: Value,
    moe_layers: Value,
    mla_layers: Value,
    linear_layers: Value,
    sparse_layers: Value,
    layer_overhead_us: Value,
    moe_layer_overhead_us: Value,
    mla_layer_overhead_us: Value,
    linear_layer_overhead_us: Value,
    sparse_layer_overhead_us: Value,
    step_overhead_us: Value,
    cuda_graphs: Value,
    eager_overhead_factor: Value,
) -> Value:
    """Kernels, launches and scheduling by kind of layer: adds to memory time, does not hide under it."""
    by_layer = (
        layers * layer_overhead_us
        + moe_layers * moe_layer_overhead_us
        + mla_layers * mla_layer_overhead_us
        + linear_layers * linear_layer_overhead_us
        + sparse_layers * sparse_layer_overhead_us
    )
    eager = where(is_on(cuda_graphs), 1, eager_overhead_factor)
    return (by_layer * eager + step_overhead_us) / US_PER_S


@row(label="Overhead of every step", unit="s", section=SECTION, detail=True)
def overhead_fixed_s(
    pass_overhead_s: Value, draft_steps_cost: Value, draft_overhead_s: Value, tokens_per_pass: Value
) -> Value:
    """Overhead of one pass and of its draft steps; per yielded token."""
    return (pass_overhead_s * (1 + draft_steps_cost) + draft_overhead_s) / tokens_per_pass


@row(label="Overhead per sequence", unit="s", section=SECTION, detail=True)
def overhead_per_sequence_s(
    layers: Value, sequence_overhead_us: Value, draft_steps_cost: Value, tokens_per_pass: Value
) -> Value:
    """Per sequence in the batch and per layer; per yielded token."""
    return layers * sequence_overhead_us / US_PER_S * (1 + draft_steps_cost) / tokens_per_pass


@row(label="Least software factor", section=SECTION, detail=True)
def software_factor_floor(
    memory_fixed_s: Value,
    memory_per_sequence_s: Value,
    experts_read_s: Value,
    matmul_per_sequence_s: Value,
    attention_per_sequence_s: Value,
    interconnect_fixed_s: Value,
    interconnect_per_sequence_s: Value,
    overhead_fixed_s: Value,
    overhead_per_sequence_s: Value,
    attention_degree: Value,
    draft_steps_cost: Value,
    max_batch: Value,
    batch: Maybe,
    weights_efficiency: Value,
    kv_efficiency: Value,
    decode_efficiency: Value,
) -> Value:
    """The smallest software factor with which no step at any admitted batch beats the roofline at efficiency 1.

    Interconnect and overhead over memory (or compute) time is smallest at an end of the batch's range, because each
    is linear in the batch between its kinks; every expert is taken as read, which errs to the safe side.
    """
    top = maximum(max_batch, otherwise(batch, 1))

    def rest(b: Value | float) -> Value:
        per_sequence = interconnect_per_sequence_s + overhead_per_sequence_s
        return interconnect_fixed_s + overhead_fixed_s + per_sequence * b

    def memory(b: Value | float) -> Value:
        experts = experts_read_s * (1 + draft_steps_cost)
        return memory_fixed_s + experts + memory_per_sequence_s * maximum(b, attention_degree)

    def compute(b: Value | float) -> Value:
        return matmul_per_sequence_s * b + attention_per_sequence_s * maximum(b, attention_degree)

    beside_memory = minimum(rest(1) / memory(1), rest(top) / memory(top))
    at_degree = rest(attention_degree) / compute(attention_degree)
    beside_compute = minimum(rest(1) / compute(1), at_degree, rest(top) / compute(top))
    of_memory = maximum(weights_efficiency, kv_efficiency) / (1 + beside_memory)
    return maximum(of_memory, decode_efficiency / (1 + beside_compute))


@row(label="Software factor used", section=SECTION)
def software_factor_used(software_factor: Value, software_factor_floor: Value) -> Value:
    """The deployment's software factor, held above the one that would beat the roofline."""
    return maximum(software_factor, software_factor_floor)


@dataclass(frozen=True, slots=True)
class StepModel:
    """The coefficients of a step; every method takes the number of sequences in flight in the replica."""

    memory_fixed_s: Value
    memory_per_sequence_s: Value
    experts_read_s: Value
    expert_miss_share: Value
    matmul_per_sequence_s: Value
    attention_per_sequence_s: Value
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
        """Sequences in one pass: b over the pipeline's stages, at least 1."""
        return maximum(1, b / self.pipeline_parallel)

    def coverage(self, x: Value | float) -> Value:
        """Share of the experts read by a pass over x sequences, its draft steps' shares added."""
        missed = self.expert_miss_share
        drafted = self.draft_steps_cost * (1 - missed**x)
        return 1 - missed ** (x * self.verified_tokens) + drafted

    def coverage_slope(self, x: Value) -> Value:
        """Derivative of coverage() in x."""
        missed = self.expert_miss_share
        drafted = self.draft_steps_cost * missed**x
        return -log(missed) * (self.verified_tokens * missed ** (x * self.verified_tokens) + drafted)

    def memory_s(self, b: Value | float) -> Value:
        """Memory time of a step, in seconds per yielded token."""
        x = self.micro_batch(b)
        per_sequence = self.memory_per_sequence_s * maximum(x, self.attention_degree)
        fixed = self.memory_fixed_s + self.experts_read_s * self.coverage(x)
        return (fixed + per_sequence) * self.software_factor_used

    def compute_s(self, b: Value | float) -> Value:
        """Compute time of a step."""
        x = self.micro_batch(b)
        attention = self.attention_per_sequence_s * maximum(x, self.attention_degree)
        return (self.matmul_per_sequence_s * x + attention) * self.software_factor_used

    def interconnect_s(self, b: Value | float) -> Value:
        """Interconnect time of a step."""
        per_sequence = self.interconnect_per_sequence_s * self.micro_batch(b)
        return (self.interconnect_fixed_s + per_sequence) * self.software_factor_used

    def overhead_s(self, b: Value | float) -> Value:
        """Overhead of a step."""
        per_sequence = self.overhead_per_sequence_s * self.micro_batch(b)
        return (self.overhead_fixed_s + per_sequence) * self.software_factor_used

    def time(self, b: Value | float) -> Value:
        """Time of a step: the larger of memory and compute, then interconnect and overhead on top."""
        return maximum(self.memory_s(b), self.compute_s(b)) + self.interconnect_s(b) + self.overhead_s(b)
