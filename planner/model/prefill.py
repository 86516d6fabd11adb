"""Prefill: one parallel pass over the prompt, in chunks when it is longer than a chunk."""

from __future__ import annotations

from dataclasses import dataclass

from planner.model.constants import (
    ATTENTION_FLOP,
    FLOP_PER_PARAMETER,
    FOUR_BIT,
    HALF,
    SCORE_BYTES,
    TIE,
    WRITTEN_AND_READ,
)
from planner.model.expression import Value
from planner.model.functions import argmax, both, chosen, exp, is_on, maximum, minimum, where
from planner.model.inputs import INPUTS
from planner.model.sheet import row

SECTION = "Prefill"
BOUNDS = ("memory", "compute")


@row(label="New prompt tokens", unit="tokens", section=SECTION)
def new_prompt_tokens(prompt_tokens: Value, prefix_cache_hit: Value) -> Value:
    """U = N(1 - h), at least 1: the prompt tokens whose KV cache is not there yet."""
    return maximum(1, prompt_tokens * (1 - prefix_cache_hit))


@row(label="Passes per prompt", section=SECTION)
def prefill_passes(new_prompt_tokens: Value, chunk_tokens: Value) -> Value:
    """U / chunk tokens, at least 1."""
    return maximum(1, new_prompt_tokens / chunk_tokens)


@row(label="Dense prefill rate", unit="FLOP/s", section=SECTION, detail=True)
def dense_prefill_flops(
    peak_flops: Value,
    arithmetic_bits: Value,
    fp4_prefill_efficiency: Value,
    prefill_efficiency: Value,
    tensor_parallel: Value,
) -> Value:
    """Peak of t devices x prefill efficiency; 4-bit arithmetic reaches a smaller share of its peak."""
    narrow = where(arithmetic_bits <= FOUR_BIT, fp4_prefill_efficiency, 1)
    return tensor_parallel * peak_flops * prefill_efficiency * narrow


@row(label="Expert prefill rate", unit="FLOP/s", section=SECTION, detail=True)
def expert_prefill_flops(
    expert_peak_flops: Value,
    expert_arithmetic_bits: Value,
    fp4_prefill_efficiency: Value,
    prefill_efficiency: Value,
    expert_prefill_efficiency: Value,
    tensor_parallel: Value,
) -> Value:
    """The same for the experts, at their own efficiency."""
    narrow = where(expert_arithmetic_bits <= FOUR_BIT, fp4_prefill_efficiency, 1)
    return tensor_parallel * expert_peak_flops * prefill_efficiency * expert_prefill_efficiency * narrow


@row(label="Matmul time per prompt token", unit="s", section=SECTION, detail=True)
def prefill_matmul_s_per_token(
    active_dense_parameters: Value,
    head_parameters: Value,
    active_expert_parameters: Value,
    dense_prefill_flops: Value,
    expert_prefill_flops: Value,
) -> Value:
    """2 FLOP per active parameter; the LM head is left out, only the last token needs it."""
    dense = maximum(0, active_dense_parameters - head_parameters) / dense_prefill_flops
    return FLOP_PER_PARAMETER * (dense + active_expert_parameters / expert_prefill_flops)


@row(label="LM head time per prompt", unit="s", section=SECTION, detail=True)
def prefill_head_s(head_parameters: Value, dense_prefill_flops: Value) -> Value:
    """The LM head once a prompt."""
    return FLOP_PER_PARAMETER * head_parameters / dense_prefill_flops


@row(label="Attention time per token pair and layer", unit="s", section=SECTION, detail=True)
def prefill_pair_s(
    mla_layers: Value,
    heads: Value,
    head_dim: Value,
    qk_nope_head_dim: Value,
    qk_rope_head_dim: Value,
    v_head_dim: Value,
    attention_peak_flops: Value,
    prefill_efficiency: Value,
    tensor_parallel: Value,
) -> Value:
    """4 x heads x head dimension FLOP per pair of tokens; MLA 2 x heads x (nope + rope + value dimension)."""
    latent = FLOP_PER_PARAMETER * heads * (qk_nope_head_dim + qk_rope_head_dim + v_head_dim)
    flop = where(mla_layers > 0, latent, ATTENTION_FLOP * heads * head_dim)
    return flop / (tensor_parallel * attention_peak_flops * prefill_efficiency)


@row(label="Width of a window layer's heads", unit="share", section=SECTION, detail=True)
def window_head_share(window_head_dim: Value, head_dim: Value) -> Value:
    """Head dimension of sliding-window layers over that of the others; 1 where they have none of their own."""
    return where(both(window_head_dim > 0, head_dim > 0), window_head_dim / maximum(head_dim, 1), 1)


@row(label="Attention matmul time per prompt token", unit="s", section=SECTION, detail=True)
def prefill_attention_s_per_token(attention_parameters: Value, dense_prefill_flops: Value) -> Value:
    """2 FLOP per attention parameter: the part of the matmuls that attention data parallel does not split."""
    return FLOP_PER_PARAMETER * attention_parameters / dense_prefill_flops


@row(label="KV time per prompt token", unit="s", section=SECTION, detail=True)
def prefill_kv_s_per_token(sharded_kv_bytes_per_token: Value, memory_bandwidth: Value, kv_efficiency: Value) -> Value:
    """A prompt token's KV cache read (cached) or written (new) once on the device that holds it."""
    return sharded_kv_bytes_per_token / (memory_bandwidth * kv_efficiency)


@row(label="Score time per token pair", unit="s", section=SECTION, detail=True)
def prefill_score_s_per_pair(
    flash_attention: Value,
    attention_layers: Value,
    heads: Value,
    tensor_parallel: Value,
    memory_bandwidth: Value,
    kv_efficiency: Value,
) -> Value:
    """Without FlashAttention every score is written and read: 2 bytes x heads x layers per pair; else 0."""
    scores = attention_layers * heads * SCORE_BYTES * WRITTEN_AND_READ
    seconds = scores / (tensor_parallel * memory_bandwidth * kv_efficiency)
    return where(is_on(flash_attention), 0, seconds)


@dataclass(frozen=True, slots=True)
class PrefillModel:
    """Times of one prompt of n tokens of which u are new, on t devices and through all layers."""

    prefill_matmul_s_per_token: Value
    prefill_head_s: Value
    prefill_pair_s: Value
    full_attention_layers: Value
    window_layers: Value
    window_tokens: Value
    window_head_share: Value
    sparse_layers: Value
    sparse_top_tokens: Value
    sparse_ratio: Value
    full_ratio: Value
    prefill_kv_s_per_token: Value
    prefill_score_s_per_pair: Value
    experts_read_s: Value
    expert_touch_rate: Value
    dense_read_bytes: Value
    tensor_parallel: Value
    memory_bandwidth: Value
    weights_efficiency: Value
    tokens_per_pass: Value
    pass_latency_s: Value
    pass_link_s_per_token: Value
    pass_overhead_s: Value
    chunk_tokens: Value
    prefill_attention_s_per_token: Value
    attention_degree: Value
    software_factor_used: Value

    def alone_s(self, u: Value, n: Value) -> Value:
        """compute_s() of one prompt alone: under attention data parallel one device does all of its attention."""
        attention = self.prefill_attention_s_per_token * u + self.prefill_pair_s * self.pairs(u, n)
        return self.compute_s(u, n) + attention * (self.attention_degree - 1)

    def compute_s(self, u: Value, n: Value) -> Value:
        """Matmuls of the new tokens, the LM head once, causal attention of the new tokens over the context."""
        matmul = self.prefill_matmul_s_per_token * u + self.prefill_head_s
        return matmul + self.prefill_pair_s * self.pairs(u, n)

    def pairs(self, u: Value, n: Value) -> Value:
        """Token pairs x layers that causal attention of the new tokens covers, at the width of full layers' heads."""
        window, ratio = self.window_tokens, maximum(self.sparse_ratio, 1)
        top = self.sparse_top_tokens * ratio
        full = self.full_attention_layers * (causal_pairs(n, n) - causal_pairs(n - u, n)) / maximum(self.full_ratio, 1)
        windowed = self.window_layers * (causal_pairs(n, window) - causal_pairs(n - u, window))
        windowed = windowed * self.window_head_share
        sparse = self.sparse_layers * (causal_pairs(n, top) - causal_pairs(n - u, top)) / ratio
        return full + windowed + sparse

    def weights_s(self, tokens: Value) -> Value:
        """Weights that one pass over ``tokens`` prompt tokens reads: dense once, the experts they touch."""
        dense = self.dense_read_bytes / (self.tensor_parallel * self.memory_bandwidth * self.weights_efficiency)
        touched = 1 - exp(-self.expert_touch_rate * tokens)
        return dense + self.experts_read_s * self.tokens_per_pass * touched

    def kv_s(self, u: Value, n: Value) -> Value:
        """KV cache of the prompt read or written once; score matrices where there is no FlashAttention."""
        return self.prefill_kv_s_per_token * n + self.prefill_score_s_per_pair * u * n

    def memory_s(self, u: Value, n: Value) -> Value:
        """Weights once a pass, KV cache once."""
        passes = maximum(1, u / self.chunk_tokens)
        return passes * self.weights_s(u / passes) + self.kv_s(u, n)

    def time(self, u: Value, n: Value) -> Value:
        """Latency of a prompt alone: the larger of compute and memory, interconnect and overhead on top."""
        return self.with_compute(self.alone_s(u, n), u, n)

    def with_compute(self, compute_s: Value, u: Value, n: Value) -> Value:
        """The larger of ``compute_s`` and memory time, interconnect and overhead on top."""
        passes = maximum(1, u / self.chunk_tokens)
        roof = maximum(self.memory_s(u, n), compute_s)
        interconnect = passes * self.pass_latency_s + self.pass_link_s_per_token * u
        return (roof + interconnect + passes * self.pass_overhead_s) * self.software_factor_used

    def mixed_work(self, u: Value, n: Value) -> Value:
        """What the prompt takes from decoding when its chunks ride along with decode steps."""
        chunks = u / self.chunk_tokens
        memory = chunks * self.weights_s(self.chunk_tokens) + self.kv_s(u, n)
        interconnect = chunks * self.pass_latency_s + self.pass_link_s_per_token * u
        return (maximum(memory, self.compute_s(u, n)) + interconnect) * self.software_factor_used


@dataclass(frozen=True, slots=True)
class PrefillBound:
    """The times of a prompt at efficiency 1, without interconnect and overhead."""

    active_dense_parameters: Value
    head_parameters: Value
    active_expert_parameters: Value
    peak_flops: Value
    expert_peak_flops: Value
    prefill_efficiency: Value
    weights_efficiency: Value
    kv_efficiency: Value

    def compute_s(self, prefill: PrefillModel, u: Value, n: Value) -> Value:
        """FLOP over the dense peaks."""
        dense = maximum(0, self.active_dense_parameters - self.head_parameters) * u + self.head_parameters
        experts = self.active_expert_parameters * u / self.expert_peak_flops
        matmul = FLOP_PER_PARAMETER * (dense / self.peak_flops + experts) / prefill.tensor_parallel
        return matmul + prefill.pairs(u, n) * prefill.prefill_pair_s * self.prefill_efficiency

    def memory_s(self, prefill: PrefillModel, u: Value, n: Value) -> Value:
        """Weights once a pass and the prompt's KV cache over the rated bandwidth."""
        passes = maximum(1, u / prefill.chunk_tokens)
        weights = passes * prefill.weights_s(u / passes) * self.weights_efficiency
        return weights + prefill.kv_s(u, n) * self.kv_efficiency


def causal_pairs(tokens: Value, window: Value) -> Value:
    """Pairs of a token and one it attends to among ``tokens``, each seeing at most ``window`` tokens."""
    inside = minimum(tokens, window)
    return inside * inside * HALF + maximum(0, tokens - window) * window


@row(label="Prefill compute time", unit="s", section=SECTION)
def prefill_compute_s(prefill: PrefillModel, new_prompt_tokens: Value, prompt_tokens: Value) -> Value:
    """FLOP of one prompt over the reachable compute rate."""
    return prefill.compute_s(new_prompt_tokens, prompt_tokens)


@row(label="Prefill memory time", unit="s", section=SECTION)
def prefill_memory_s(prefill: PrefillModel, new_prompt_tokens: Value, prompt_tokens: Value) -> Value:
    """Weights once a pass and the prompt's KV cache over the reachable bandwidth."""
    return prefill.memory_s(new_prompt_tokens, prompt_tokens)


@row(label="Prefill bound by", section=SECTION, words=BOUNDS)
def prefill_bound_by(prefill_memory_s: Value, prefill_compute_s: Value) -> Value:
    """The larger of memory and compute time; a tie counts as memory."""
    return argmax(prefill_memory_s * TIE, prefill_compute_s)


@row(label="Prefill compute time at efficiency 1", unit="s", section=SECTION, detail=True)
def bound_prefill_compute_s(
    prefill: PrefillModel, bound: PrefillBound, new_prompt_tokens: Value, prompt_tokens: Value
) -> Value:
    """FLOP of one prompt over the dense peaks: no real prompt is faster."""
    return bound.compute_s(prefill, new_prompt_tokens, prompt_tokens)


@row(label="Prefill time at efficiency 1", unit="s", section=SECTION, detail=True)
def bound_prefill_s(
    prefill: PrefillModel,
    bound: PrefillBound,
    new_prompt_tokens: Value,
    prompt_tokens: Value,
    bound_prefill_compute_s: Value,
) -> Value:
    """The roofline of one prompt with no overhead: the larger of memory and compute time at efficiency 1."""
    return maximum(bound.memory_s(prefill, new_prompt_tokens, prompt_tokens), bound_prefill_compute_s)


@row(label="Prefill time", unit="s", section=SECTION, better="lower", key=True)
def prefill_time_s(
    prefill: PrefillModel, new_prompt_tokens: Value, prompt_tokens: Value, bound_prefill_s: Value
) -> Value:
    """Latency of one prompt alone on a replica, never below the roofline at efficiency 1."""
    return maximum(prefill.time(new_prompt_tokens, prompt_tokens), bound_prefill_s)


@row(label="Prefill work per prompt", unit="s", section=SECTION, better="lower")
def prefill_work_s(
    prefill: PrefillModel,
    new_prompt_tokens: Value,
    prompt_tokens: Value,
    scheduling: Value,
    pipeline_parallel: Value,
    bound_prefill_s: Value,
    bound_prefill_compute_s: Value,
) -> Value:
    """Time a prompt takes from others: its passes, or its chunks' roofline when mixed with decode; over p stages.

    Under attention data parallel prompts fill all devices together. For mixed chunks an upper estimate: a
    memory-bound decode step absorbs part of it.
    """
    mixed = prefill.mixed_work(new_prompt_tokens, prompt_tokens)
    compute = prefill.compute_s(new_prompt_tokens, prompt_tokens)
    first = prefill.with_compute(compute, new_prompt_tokens, prompt_tokens)
    is_mixed = chosen(scheduling, INPUTS["scheduling"].choices, "mixed")
    work = where(is_mixed, maximum(mixed, bound_prefill_compute_s), maximum(first, bound_prefill_s))
    return work / pipeline_parallel


@row(label="Prefill time without cache hits", unit="s", section=SECTION, detail=True)
def prefill_whole_s(prefill: PrefillModel, bound: PrefillBound, prompt_tokens: Value) -> Value:
    """Latency of the same prompt when no prefix is cached."""
    n = prompt_tokens
    return maximum(prefill.time(n, n), bound.memory_s(prefill, n, n), bound.compute_s(prefill, n, n))
