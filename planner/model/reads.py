"""What a pass of decoding reads and computes: tokens, weights, experts, KV cache, attention.

Speculative decoding verifies g + 1 tokens per sequence in a pass (weights and KV cache read once) and yields
1 + a + ... + a^g of them (Leviathan et al. 2023).
"""

from __future__ import annotations

from planner.model.constants import (
    ATTENTION_FLOP,
    BITS_PER_BYTE,
    FLOP_PER_PARAMETER,
    HALF,
    MILLIONTH,
    SMALLEST,
    TINIEST,
    WRITTEN_AND_READ,
)
from planner.model.expression import Value
from planner.model.functions import exp, given, log, maximum, minimum, otherwise, where
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
