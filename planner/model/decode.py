"""The coefficients of a decode step: what a pass costs whatever the batch, and what each sequence adds.

Speculative decoding verifies g + 1 tokens per sequence in a pass (weights and KV cache read once), takes g draft steps
before it, and yields 1 + a + ... + a^g tokens (Leviathan et al. 2023); every coefficient is per token that a sequence
receives. ``step.py`` puts them together.
"""

from __future__ import annotations

from collections.abc import Callable

from planner.model.constants import (
    ATTENTION_FLOP,
    BITS_PER_BYTE,
    FLOP_PER_PARAMETER,
    HALF,
    MILLIONTH,
    SMALLEST,
    TINIEST,
    US_PER_S,
    WRITTEN_AND_READ,
)
from planner.model.expression import Value
from planner.model.functions import argmax, exp, given, is_on, log, maximum, minimum, otherwise, where
from planner.model.sheet import Maybe, row

SECTION = "Decode coefficients"


@row(label="Tokens verified per sequence and pass", unit="tokens", section=SECTION, detail=True)
def verified_tokens(draft_tokens: Value) -> Value:
    """g + 1: the drafted tokens and the one after them; 1 without speculative decoding."""
    return draft_tokens + 1


@row(label="Tokens yielded per pass", unit="tokens", section=SECTION)
def tokens_per_pass(draft_acceptance: Value, verified_tokens: Value) -> Value:
    """1 + a + ... + a^g = (1 - a^(g+1)) / (1 - a); 1 without speculative decoding (Leviathan et al. 2023, eq. 1).

    Close to an acceptance of 1, where the quotient loses its digits, its first terms in 1 - a take its place.
    """
    missed = 1 - draft_acceptance
    near_one = verified_tokens - verified_tokens * (verified_tokens - 1) * HALF * missed
    power = exp(verified_tokens * log(maximum(draft_acceptance, TINIEST)))
    series = (1 - power) / maximum(missed, MILLIONTH)
    return where(missed < MILLIONTH, near_one, series)


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


@row(label="Rate at which tokens touch experts", section=SECTION, detail=True)
def expert_touch_rate(expert_miss_share: Value) -> Value:
    """-ln(1 - k/E): the share of the experts that the first tokens touch, per token; 0 for a dense model."""
    return maximum(0, -log(expert_miss_share))


@row(label="Rate at which sequences touch experts", section=SECTION, detail=True)
def sequence_touch_rate(expert_touch_rate: Value, verified_tokens: Value) -> Value:
    """The same of the tokens that a sequence brings to a pass."""
    return expert_touch_rate * verified_tokens


@row(label="Active expert parameters", section=SECTION, detail=True)
def active_expert_parameters(expert_parameters: Value, experts_per_token: Value, experts: Value) -> Value:
    """Routed expert parameters one token is multiplied with."""
    return expert_parameters * experts_per_token / maximum(experts, 1)


@row(label="Active dense parameters", section=SECTION, detail=True)
def active_dense_parameters(active_parameters: Value, active_expert_parameters: Value) -> Value:
    """Matmul parameters outside the routed experts, LM head included."""
    return maximum(0, active_parameters - active_expert_parameters)


@row(label="Attention layers in full", section=SECTION, detail=True)
def full_attention_layers(attention_layers: Value, window_layers: Value, sparse_layers: Value) -> Value:
    """Layers whose attention sees the whole context."""
    return maximum(0, attention_layers - window_layers - sparse_layers)


@row(label="Tokens attended to, no windows", unit="tokens", section=SECTION, detail=True)
def attended_tokens(
    context_tokens: Value,
    full_attention_layers: Value,
    sparse_layers: Value,
    sparse_top_tokens: Value,
    sparse_ratio: Value,
    full_ratio: Value,
) -> Value:
    """Cached entries of the mean context that one new token attends to, over the layers without a sliding window."""
    full = full_attention_layers * context_tokens / maximum(full_ratio, 1)
    return full + sparse_layers * minimum(context_tokens / maximum(sparse_ratio, 1), sparse_top_tokens)


@row(label="Tokens attended to in windows", unit="tokens", section=SECTION, detail=True)
def window_attended_tokens(
    context_tokens: Value, attention_layers: Value, window_layers: Value, window_tokens: Value
) -> Value:
    """The same of the sliding-window layers."""
    return minimum(window_layers, attention_layers) * minimum(context_tokens, window_tokens)


@row(label="KV cache of windows read per sequence and step", unit="B", section=SECTION, detail=True)
def window_kv_read_bytes(window_attended_tokens: Value, window_kv_bytes_per_token_layer: Value) -> Value:
    """Of the tokens attended to in sliding-window layers."""
    return window_attended_tokens * window_kv_bytes_per_token_layer


@row(label="KV cache read per sequence and step", unit="B", section=SECTION)
def kv_read_bytes_per_sequence(
    attended_tokens: Value,
    context_tokens: Value,
    kv_bytes_per_token_layer: Value,
    window_kv_read_bytes: Value,
    index_bytes_per_token: Value,
    state_bytes_per_sequence: Value,
) -> Value:
    """Of the tokens attended to; the indexer's keys of the whole context; states written and read."""
    others = attended_tokens * kv_bytes_per_token_layer + index_bytes_per_token * context_tokens
    return others + window_kv_read_bytes + WRITTEN_AND_READ * state_bytes_per_sequence


@row(label="KV cache read per sequence and device", unit="B", section=SECTION, detail=True)
def kv_read_bytes_per_device(
    kv_read_bytes_per_sequence: Value,
    window_kv_read_bytes: Value,
    state_bytes_per_sequence: Value,
    kv_shard_share: Value,
    window_kv_shard_share: Value,
    attention_degree: Value,
    tensor_parallel: Value,
) -> Value:
    """What a device reads of a sequence it serves: its share of the KV heads, and of the states, split over t."""
    state = WRITTEN_AND_READ * state_bytes_per_sequence
    others = kv_read_bytes_per_sequence - window_kv_read_bytes - state
    caches = others * kv_shard_share + window_kv_read_bytes * window_kv_shard_share
    return caches + state * attention_degree / tensor_parallel


@row(label="Attention FLOP per token", unit="FLOP", section=SECTION, detail=True)
def attention_flop_per_token(
    attended_tokens: Value,
    window_attended_tokens: Value,
    window_head_dim: Value,
    mla_layers: Value,
    heads: Value,
    head_dim: Value,
    kv_lora_rank: Value,
    qk_rope_head_dim: Value,
) -> Value:
    """4 x heads x head dimension per context token and layer; MLA absorbed 2 x heads x (2 x rank + rope)."""
    latent = FLOP_PER_PARAMETER * heads * (kv_lora_rank + kv_lora_rank + qk_rope_head_dim)
    per_token = where(mla_layers > 0, latent, ATTENTION_FLOP * heads * head_dim)
    in_windows = where(window_head_dim > 0, ATTENTION_FLOP * heads * window_head_dim, per_token)
    return per_token * attended_tokens + in_windows * window_attended_tokens


@row(label="Memory time of every step", unit="s", section=SECTION, detail=True)
def memory_fixed_s(
    dense_read_bytes: Value,
    tensor_parallel: Value,
    memory_bandwidth: Value,
    weights_efficiency: Value,
    tokens_per_pass: Value,
) -> Value:
    """Dense weights over the bandwidth of t devices; per yielded token."""
    return dense_read_bytes / (tensor_parallel * memory_bandwidth * weights_efficiency) / tokens_per_pass


@row(label="Memory time per sequence", unit="s", section=SECTION, detail=True)
def memory_per_sequence_s(
    kv_read_bytes_per_device: Value,
    attention_degree: Value,
    memory_bandwidth: Value,
    kv_efficiency: Value,
    tokens_per_pass: Value,
) -> Value:
    """KV cache of one sequence over the bandwidth of the devices that hold it; read once a pass."""
    return kv_read_bytes_per_device / attention_degree / (memory_bandwidth * kv_efficiency) / tokens_per_pass


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
    tensor_parallel: Value,
    decode_efficiency: Value,
    tokens_per_pass: Value,
) -> Value:
    """2 FLOP per active parameter and token, each part at the peak of its own arithmetic."""
    token = active_dense_parameters / peak_flops + active_expert_parameters / expert_peak_flops
    return FLOP_PER_PARAMETER * token * verified_tokens / (tensor_parallel * decode_efficiency) / tokens_per_pass


@row(label="Attention compute time per sequence", unit="s", section=SECTION, detail=True)
def attention_per_sequence_s(
    attention_flop_per_token: Value,
    attention_peak_flops: Value,
    verified_tokens: Value,
    tensor_parallel: Value,
    decode_efficiency: Value,
    tokens_per_pass: Value,
) -> Value:
    """Attention FLOP over the 16-bit peak of t devices."""
    work = attention_flop_per_token * verified_tokens
    return work / (tensor_parallel * attention_peak_flops * decode_efficiency) / tokens_per_pass


@row(label="Draft steps' memory time", unit="s", section=SECTION, detail=True)
def draft_memory_fixed_s(
    draft_steps_cost: Value,
    memory_fixed_s: Value,
    draft_model_steps: Value,
    draft_weight_bytes: Value,
    tensor_parallel: Value,
    memory_bandwidth: Value,
    weights_efficiency: Value,
    tokens_per_pass: Value,
) -> Value:
    """g x c of the model's dense weights, or a draft model's own weights once per draft step; per yielded token."""
    own = draft_model_steps * draft_weight_bytes / (tensor_parallel * memory_bandwidth * weights_efficiency)
    return draft_steps_cost * memory_fixed_s + own / tokens_per_pass


@row(label="Draft steps' KV time per sequence", unit="s", section=SECTION, detail=True)
def draft_memory_per_sequence_s(
    draft_steps_cost: Value,
    memory_per_sequence_s: Value,
    draft_model_steps: Value,
    draft_kv_bytes_per_token: Value,
    context_tokens: Value,
    kv_shard_share: Value,
    attention_degree: Value,
    memory_bandwidth: Value,
    kv_efficiency: Value,
    tokens_per_pass: Value,
) -> Value:
    """g x c of the model's KV reads, or a draft model's own KV cache once per draft step; per yielded token."""
    read = draft_model_steps * draft_kv_bytes_per_token * context_tokens * kv_shard_share / attention_degree
    return draft_steps_cost * memory_per_sequence_s + read / (memory_bandwidth * kv_efficiency) / tokens_per_pass


@row(label="Draft steps' matmul time per sequence", unit="s", section=SECTION, detail=True)
def draft_matmul_per_sequence_s(
    draft_steps_cost: Value,
    matmul_per_sequence_s: Value,
    verified_tokens: Value,
    draft_model_steps: Value,
    draft_active_parameters: Value,
    peak_flops: Value,
    tensor_parallel: Value,
    decode_efficiency: Value,
    tokens_per_pass: Value,
) -> Value:
    """g x c of the matmuls of one token, or a draft model's own once per draft step; per yielded token."""
    work = FLOP_PER_PARAMETER * draft_model_steps * draft_active_parameters
    own = work / (tensor_parallel * peak_flops * decode_efficiency) / tokens_per_pass
    return draft_steps_cost * matmul_per_sequence_s / verified_tokens + own


@row(label="Draft steps' attention time per sequence", unit="s", section=SECTION, detail=True)
def draft_attention_per_sequence_s(
    draft_steps_cost: Value, attention_per_sequence_s: Value, verified_tokens: Value
) -> Value:
    """g x c of the attention of one token; a draft model's own is left out. Per yielded token."""
    return draft_steps_cost * attention_per_sequence_s / verified_tokens


@row(label="Draft model's overhead", unit="s", section=SECTION, detail=True)
def draft_overhead_s(
    draft_model_steps: Value, draft_layers: Value, layer_overhead_us: Value, cuda_graphs: Value,
    eager_overhead_factor: Value,
) -> Value:  # fmt: skip
    """Overhead of the draft model's layers in one pass; 0 under a cost ratio."""
    eager = where(is_on(cuda_graphs), 1, eager_overhead_factor)
    return draft_model_steps * draft_layers * layer_overhead_us * eager / US_PER_S


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
    draft_memory_fixed_s: Value,
    draft_memory_per_sequence_s: Value,
    draft_matmul_per_sequence_s: Value,
    draft_attention_per_sequence_s: Value,
    interconnect_fixed_s: Value,
    interconnect_per_sequence_s: Value,
    overhead_fixed_s: Value,
    overhead_per_sequence_s: Value,
    attention_degree: Value,
    draft_steps_cost: Value,
    pipeline_parallel: Value,
    max_batch: Value,
    batch: Maybe,
    verified_tokens: Value,
    weights_efficiency: Value,
    kv_efficiency: Value,
    decode_efficiency: Value,
    software_factor: Value,
) -> Value:
    """The smallest software factor with which no step at any admitted batch beats the roofline at efficiency 1.

    Memory or compute time is convex in the batch once every expert is taken as read (which errs to the safe side), and
    the rest linear: their quotient is largest at an end of the batch's range. It is never above 1, so only a smaller
    software factor asks for it.
    """
    top = maximum(1, maximum(max_batch, otherwise(batch, 1)) / pipeline_parallel)

    def rest(x: Value | float) -> Value:
        per_sequence = interconnect_per_sequence_s + overhead_per_sequence_s
        return interconnect_fixed_s + overhead_fixed_s + per_sequence * x

    def memory(x: Value | float) -> Value:
        return memory_fixed_s + experts_read_s + memory_per_sequence_s * maximum(x, attention_degree)

    def compute(x: Value | float) -> Value:
        return matmul_per_sequence_s * x + attention_per_sequence_s * maximum(x, attention_degree)

    def with_drafts(x: Value | float) -> Value:
        served = maximum(x, attention_degree)
        draft_memory = draft_memory_fixed_s + experts_read_s * draft_steps_cost + draft_memory_per_sequence_s * served
        draft_compute = draft_matmul_per_sequence_s * x + draft_attention_per_sequence_s * served
        return maximum(memory(x), compute(x)) + maximum(draft_memory, draft_compute)

    def least(efficiency: Value, roof: Callable[[Value | float], Value]) -> Value:
        beside = minimum(*(rest(x) / maximum(roof(x), TINIEST) for x in (1, top)))
        return efficiency / (1 + beside)

    of_memory = maximum(weights_efficiency, kv_efficiency)
    drafted = least(maximum(of_memory, decode_efficiency), with_drafts)
    plain = maximum(least(of_memory, memory), least(decode_efficiency, compute))
    return where(software_factor < 1, where(verified_tokens > 1, drafted, plain), 1)


@row(label="Software factor used", section=SECTION)
def software_factor_used(software_factor: Value, software_factor_floor: Value) -> Value:
    """The deployment's software factor, held above the one that would beat the roofline."""
    return maximum(software_factor, software_factor_floor)


@row(label="Software factor", section=SECTION, words=("as given", "raised to the roofline"))
def software_factor_flag(software_factor: Value, software_factor_floor: Value) -> Value:
    """Whether the software factor was too small to be true and the smallest possible one took its place."""
    raised = where(software_factor < software_factor_floor, 1, 0)
    return argmax(1 - raised, raised)
