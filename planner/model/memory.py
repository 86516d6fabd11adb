"""Bytes: weights, KV cache, and the share of both that one device holds.

The layer formulas are the architectures' own (GQA, MLA: DeepSeek-V2 2024).
"""

from __future__ import annotations

from planner.model.constants import BITS_PER_BYTE, HALF, KEY_AND_VALUE
from planner.model.expression import Value
from planner.model.functions import (
    blank,
    both,
    ceiling,
    chosen,
    either,
    given,
    is_on,
    maximum,
    minimum,
    opposite,
    otherwise,
    where,
)
from planner.model.inputs import INPUTS
from planner.model.sheet import Maybe, row

SECTION = "Memory"


@row(label="Devices per replica", unit="devices", section=SECTION)
def devices_per_replica(tensor_parallel: Value, pipeline_parallel: Value) -> Value:
    """Devices that hold one copy of the model: tensor parallel x pipeline parallel."""
    return tensor_parallel * pipeline_parallel


@row(label="Output tokens per call", unit="tokens", section=SECTION)
def generated_tokens(output_tokens: Value, reasoning_tokens: Value) -> Value:
    """M: visible and reasoning tokens of one call, all generated one by one."""
    return output_tokens + reasoning_tokens


@row(label="Mean context", unit="tokens", section=SECTION)
def context_tokens(prompt_tokens: Value, generated_tokens: Value) -> Value:
    """s = N + M/2: the context a decode step sees on average while the answer grows."""
    return prompt_tokens + generated_tokens * HALF


@row(label="Longest sequence", unit="tokens", section=SECTION)
def longest_sequence_tokens(prompt_tokens: Value, generated_tokens: Value) -> Value:
    """N + M: prompt and whole answer."""
    return prompt_tokens + generated_tokens


@row(label="Dense parameters", section=SECTION, detail=True)
def dense_parameters(
    parameters: Value, embedding_parameters: Value, head_parameters: Value, expert_parameters: Value
) -> Value:
    """Parameters outside the embedding, the LM head and the routed experts."""
    return maximum(0, parameters - embedding_parameters - head_parameters - expert_parameters)


@row(label="Weights", unit="B", section=SECTION, better="lower", key=True)
def weight_bytes(
    dense_parameters: Value,
    weight_bits: Value,
    expert_parameters: Value,
    expert_bits: Value,
    embedding_parameters: Value,
    head_parameters: Value,
    embedding_bits: Value,
    measured_weight_bytes: Maybe,
) -> Value:
    """W: sum over parameter groups of parameters x bits / 8; every expert counts. A measured figure replaces it."""
    tables = (embedding_parameters + head_parameters) * embedding_bits
    computed = (dense_parameters * weight_bits + expert_parameters * expert_bits + tables) / BITS_PER_BYTE
    return otherwise(measured_weight_bytes, computed)


@row(label="Weights held by every device", unit="B", section=SECTION, detail=True)
def replicated_weight_bytes(
    attention_data_parallel: Value,
    attention_parameters: Value,
    weight_bits: Value,
    head_parameters: Value,
    embedding_bits: Value,
    weight_bytes: Value,
) -> Value:
    """Attention and LM head, which attention data parallel replicates over the tensor-parallel devices."""
    replicated = (attention_parameters * weight_bits + head_parameters * embedding_bits) / BITS_PER_BYTE
    return where(is_on(attention_data_parallel), minimum(replicated, weight_bytes), 0)


@row(label="Weights per device", unit="B", section=SECTION, better="lower")
def weight_bytes_per_device(
    weight_bytes: Value,
    replicated_weight_bytes: Value,
    devices_per_replica: Value,
    pipeline_parallel: Value,
    draft_tokens: Value,
    draft_weight_bytes: Value,
) -> Value:
    """Replicated weights over the pipeline's stages, the rest over all devices; a draft model's weights come on top."""
    shared = (weight_bytes - replicated_weight_bytes) / devices_per_replica
    draft = where(draft_tokens > 0, draft_weight_bytes / devices_per_replica, 0)
    return replicated_weight_bytes / pipeline_parallel + shared + draft


@row(label="Attention data parallel degree", section=SECTION, detail=True)
def attention_degree(attention_data_parallel: Value, tensor_parallel: Value) -> Value:
    """d: groups of sequences that devices serve on their own; 1 without attention data parallel."""
    return where(is_on(attention_data_parallel), tensor_parallel, 1)


@row(label="KV elements per token and layer", section=SECTION, detail=True)
def kv_elements_per_layer(
    mla_layers: Value, kv_lora_rank: Value, qk_rope_head_dim: Value, kv_heads: Value, head_dim: Value
) -> Value:
    """MHA, GQA, MQA: 2 x KV heads x head dimension. MLA: latent + rope, K and V share one latent (no factor 2)."""
    return where(mla_layers > 0, kv_lora_rank + qk_rope_head_dim, KEY_AND_VALUE * kv_heads * head_dim)


@row(label="KV bytes per token and layer", unit="B", section=SECTION, detail=True)
def kv_bytes_per_token_layer(kv_elements_per_layer: Value, kv_bits: Value) -> Value:
    """KV bytes one attention layer keeps for one token, before sharding."""
    return kv_elements_per_layer * kv_bits / BITS_PER_BYTE


@row(label="KV bytes per token and window layer", unit="B", section=SECTION, detail=True)
def window_kv_bytes_per_token_layer(
    kv_bytes_per_token_layer: Value,
    window_kv_heads: Value,
    window_head_dim: Value,
    kv_heads: Value,
    head_dim: Value,
    kv_bits: Value,
) -> Value:
    """The same of a sliding-window layer, with its own KV heads and head dimension where it has them."""
    heads, width = (
        where(window_kv_heads > 0, window_kv_heads, kv_heads),
        where(window_head_dim > 0, window_head_dim, head_dim),
    )
    own = KEY_AND_VALUE * heads * width * kv_bits / BITS_PER_BYTE
    return where(either(window_kv_heads > 0, window_head_dim > 0), own, kv_bytes_per_token_layer)


@row(label="Indexer bytes per token", unit="B", section=SECTION, detail=True)
def index_bytes_per_token(sparse_layers: Value, index_dim: Value, sparse_ratio: Value, kv_bits: Value) -> Value:
    """One byte per element of the indexer's key in each sparse-attention layer; none without a KV cache."""
    return where(kv_bits > 0, sparse_layers * index_dim / maximum(sparse_ratio, 1), 0)


@row(label="Layers with a KV cache", section=SECTION, detail=True)
def attention_layers(layers: Value, linear_layers: Value) -> Value:
    """All layers but those that keep a fixed state."""
    return maximum(0, layers - linear_layers)


@row(label="KV cache per token of window layers", unit="B", section=SECTION, better="lower", detail=True)
def window_kv_bytes_per_token(
    attention_layers: Value, window_layers: Value, window_kv_bytes_per_token_layer: Value
) -> Value:
    """Of all sliding-window layers, before sharding."""
    return minimum(window_layers, attention_layers) * window_kv_bytes_per_token_layer


@row(label="Layers that cache every token", section=SECTION, detail=True)
def caching_layers(
    attention_layers: Value, window_layers: Value, sparse_layers: Value, sparse_ratio: Value, full_ratio: Value
) -> Value:
    """Layers without a window, each counted by the entries it caches per token: 1, or less where it compresses."""
    sparse = minimum(sparse_layers, attention_layers)
    others = maximum(0, attention_layers - window_layers - sparse)
    return others / maximum(full_ratio, 1) + sparse / maximum(sparse_ratio, 1)


@row(label="KV cache per token", unit="B", section=SECTION, better="lower")
def kv_bytes_per_token(
    caching_layers: Value,
    kv_bytes_per_token_layer: Value,
    window_kv_bytes_per_token: Value,
    index_bytes_per_token: Value,
) -> Value:
    """All attention layers at full length, before sharding: what an engine with one page size allocates per token."""
    return caching_layers * kv_bytes_per_token_layer + window_kv_bytes_per_token + index_bytes_per_token


@row(label="Length sized for", unit="tokens", section=SECTION)
def sizing_tokens(kv_sizing: Value, longest_sequence_tokens: Value, context_tokens: Value) -> Value:
    """N + M at worst, N + M/2 on average, as the KV sizing says."""
    return where(chosen(kv_sizing, INPUTS["kv_sizing"].choices, "worst"), longest_sequence_tokens, context_tokens)


@row(label="Context limit", unit="tokens", section=SECTION, reason="neither the deployment nor the model names one")
def context_limit_tokens(max_context_tokens: Maybe, model_context_tokens: Maybe) -> Value:
    """Longest prompt + answer: the deployment's limit, else the model's."""
    limit = otherwise(max_context_tokens, otherwise(model_context_tokens, 0))
    return where(limit > 0, limit, blank())


@row(label="Tokens one sequence occupies", unit="tokens", section=SECTION, reason="contiguous KV needs a context limit")
def tokens_per_sequence(
    kv_allocation: Value,
    kv_sizing: Value,
    sizing_tokens: Value,
    block_tokens: Value,
    context_limit_tokens: Maybe,
    kv_bits: Value,
) -> Value:
    """Paged: whole blocks at worst, half a block more on average. Contiguous: the context limit, always."""
    whole_blocks = ceiling(sizing_tokens / block_tokens) * block_tokens
    on_average = sizing_tokens + (block_tokens - 1) * HALF
    worst = chosen(kv_sizing, INPUTS["kv_sizing"].choices, "worst")
    unlimited = where(kv_bits > 0, blank(), sizing_tokens)
    limit = where(given(context_limit_tokens), otherwise(context_limit_tokens, 0), unlimited)
    paged = chosen(kv_allocation, INPUTS["kv_allocation"].choices, "paged")
    return where(paged, where(worst, whole_blocks, on_average), limit)


@row(label="KV cache per sequence, allocated", unit="B", section=SECTION, better="lower")
def kv_bytes_per_sequence(
    tokens_per_sequence: Value, kv_bytes_per_token: Value, state_bytes_per_sequence: Value
) -> Value:
    """Tokens one sequence occupies x KV bytes per token, plus the fixed state of linear layers; before sharding."""
    return tokens_per_sequence * kv_bytes_per_token + state_bytes_per_sequence


@row(label="KV cache per sequence, live", unit="B", section=SECTION, better="lower")
def kv_live_bytes_per_sequence(
    sizing_tokens: Value,
    caching_layers: Value,
    window_tokens: Value,
    kv_bytes_per_token_layer: Value,
    window_kv_bytes_per_token: Value,
    index_bytes_per_token: Value,
    state_bytes_per_sequence: Value,
) -> Value:
    """What a sequence of the length sized for really holds: windows at most their window, linear layers a state."""
    others = caching_layers * kv_bytes_per_token_layer + index_bytes_per_token
    windows = window_kv_bytes_per_token * minimum(sizing_tokens, window_tokens)
    return others * sizing_tokens + windows + state_bytes_per_sequence


@row(label="KV memory allocated in vain", unit="share", section=SECTION, better="lower", reason="no KV cache")
def kv_waste_share(
    kv_allocation: Value, context_tokens: Value, block_tokens: Value, context_limit_tokens: Maybe, kv_bits: Value
) -> Value:
    """Share of a running sequence's allocation that holds no token: PagedAttention's subject.

    Paged: half a block on average. Contiguous: all that the mean context leaves of the context limit.
    """
    paged = context_tokens + (block_tokens - 1) * HALF
    allocated = where(
        chosen(kv_allocation, INPUTS["kv_allocation"].choices, "paged"), paged, otherwise(context_limit_tokens, 0)
    )
    used = 1 - context_tokens / maximum(allocated, context_tokens)
    return where(both(kv_bits > 0, allocated > 0), used, blank())


@row(label="Share of a sequence's KV heads on one device", section=SECTION, detail=True)
def kv_shard_share(attention_data_parallel: Value, mla_layers: Value, kv_heads: Value, tensor_parallel: Value) -> Value:
    """f = ceil(KV heads / t) / KV heads for GQA; 1 for MLA's shared latent and under attention data parallel."""
    split = ceiling(kv_heads / tensor_parallel) / maximum(kv_heads, 1)
    return where(either(is_on(attention_data_parallel), mla_layers > 0), 1, split)


@row(label="Share of a window layer's KV heads on one device", section=SECTION, detail=True)
def window_kv_shard_share(
    kv_shard_share: Value, attention_data_parallel: Value, window_kv_heads: Value, tensor_parallel: Value
) -> Value:
    """The same of a sliding-window layer, where it has KV heads of its own."""
    split = ceiling(window_kv_heads / tensor_parallel) / maximum(window_kv_heads, 1)
    return where(both(window_kv_heads > 0, opposite(is_on(attention_data_parallel))), split, kv_shard_share)


@row(label="KV cache per token, sharded", unit="B", section=SECTION, detail=True)
def sharded_kv_bytes_per_token(
    kv_bytes_per_token: Value, window_kv_bytes_per_token: Value, kv_shard_share: Value, window_kv_shard_share: Value
) -> Value:
    """Each layer's share of the KV heads that a device holds."""
    others = kv_bytes_per_token - window_kv_bytes_per_token
    return others * kv_shard_share + window_kv_bytes_per_token * window_kv_shard_share


@row(label="Share of the layers on one device", section=SECTION, detail=True)
def layer_share(layers: Value, pipeline_parallel: Value) -> Value:
    """ceil(layers / p) / layers: the fullest stage; 1 / p where the layers are unknown."""
    fullest = ceiling(layers / pipeline_parallel) / maximum(layers, 1)
    return where(layers > 0, fullest, 1 / pipeline_parallel)


@row(label="KV cache per token and device", unit="B", section=SECTION, detail=True)
def kv_bytes_per_token_per_device(
    sharded_kv_bytes_per_token: Value,
    draft_tokens: Value,
    draft_kv_bytes_per_token: Value,
    kv_shard_share: Value,
    layer_share: Value,
) -> Value:
    """k: KV bytes per token of a sequence that the device serves, the draft model's included when drafting."""
    draft = where(draft_tokens > 0, draft_kv_bytes_per_token, 0)
    return (sharded_kv_bytes_per_token + draft * kv_shard_share) * layer_share


@row(label="State per sequence and device", unit="B", section=SECTION, detail=True)
def state_bytes_per_device(
    state_bytes_per_sequence: Value, attention_degree: Value, tensor_parallel: Value, layer_share: Value
) -> Value:
    """Fixed state of linear layers: split by heads over t devices, whole under attention data parallel."""
    return state_bytes_per_sequence * attention_degree / tensor_parallel * layer_share
