"""What fits: reserves, the pool that is left for the KV cache, and how many sequences it holds.

The pool follows vLLM's start-up accounting (memory seen by the runtime x utilization - weights - activation peak -
runtime).
"""

from __future__ import annotations

from planner.model.constants import GIB, SMALLEST
from planner.model.expression import Value
from planner.model.functions import blank, both, ceiling, floor, given, maximum, opposite, otherwise, where
from planner.model.sheet import Maybe, row

SECTION = "Memory"
NO_KV_CACHE = "no KV cache: unlimited"


@row(label="Activation reserve per device", unit="B", section=SECTION)
def activation_reserve_bytes(
    activation_reserve_gib: Maybe,
    activation_bytes_per_logit: Value,
    warmup_sequences: Maybe,
    warmup_sequences_default: Value,
    vocabulary: Value,
    activation_fixed_gib: Value,
) -> Value:
    """As given, else the engine's rule: bytes per logit x warm-up sequences x vocabulary + a fixed part."""
    logits = otherwise(warmup_sequences, warmup_sequences_default) * vocabulary
    rule = activation_bytes_per_logit * logits + activation_fixed_gib * GIB
    return where(given(activation_reserve_gib), otherwise(activation_reserve_gib, 0) * GIB, rule)


@row(label="Runtime reserve per device", unit="B", section=SECTION)
def runtime_reserve_bytes(
    runtime_reserve_gib: Maybe, runtime_fixed_gib: Value, runtime_multi_gib: Value, devices_per_replica: Value
) -> Value:
    """As given, else the engine's rule: a fixed part, and more when a replica has several devices."""
    rule = runtime_fixed_gib + where(devices_per_replica > 1, runtime_multi_gib, 0)
    return otherwise(runtime_reserve_gib, rule) * GIB


@row(label="Usable memory per device", unit="B", section=SECTION, better="higher")
def usable_bytes_per_device(
    runtime_memory_gib: Value,
    memory_utilization: Value,
    pool_share: Value,
    pool_of_free_memory: Value,
    weight_bytes_per_device: Value,
    activation_reserve_bytes: Value,
    runtime_reserve_bytes: Value,
) -> Value:
    """Memory the runtime sees x utilization x the engine's share.

    An engine that takes its share of the memory left free by weights and reserves may use those in full besides.
    """
    share = memory_utilization * pool_share
    held = weight_bytes_per_device + activation_reserve_bytes + runtime_reserve_bytes
    beside = where(pool_of_free_memory > 0, (1 - share) * held, 0)
    return runtime_memory_gib * GIB * share + beside


@row(label="KV pool per device", unit="B", section=SECTION, better="higher")
def kv_pool_bytes_per_device(
    usable_bytes_per_device: Value,
    weight_bytes_per_device: Value,
    activation_reserve_bytes: Value,
    runtime_reserve_bytes: Value,
) -> Value:
    """Memory the engine may use - weights - reserves; negative when the weights alone are too large."""
    return usable_bytes_per_device - weight_bytes_per_device - activation_reserve_bytes - runtime_reserve_bytes


@row(label="KV pool of one device", unit="tokens", section=SECTION, better="higher", reason=NO_KV_CACHE)
def kv_pool_tokens(kv_pool_bytes_per_device: Value, kv_bytes_per_token_per_device: Value, block_tokens: Value) -> Value:
    """Whole blocks that the pool holds x tokens per block."""
    block_bytes = block_tokens * maximum(kv_bytes_per_token_per_device, SMALLEST)
    blocks = floor(maximum(0, kv_pool_bytes_per_device) / block_bytes)
    return where(kv_bytes_per_token_per_device > 0, blocks * block_tokens, blank())


@row(
    label="Sequences at full length, unrounded", unit="sequences", section=SECTION, better="higher", reason=NO_KV_CACHE
)
def max_concurrency(
    kv_pool_bytes_per_device: Value,
    kv_pool_tokens: Maybe,
    tokens_per_sequence: Value,
    kv_bytes_per_token_per_device: Value,
    state_bytes_per_device: Value,
    attention_degree: Value,
) -> Value:
    """Pool tokens / tokens one sequence occupies, x d under attention data parallel; unlimited without a KV cache.

    With linear layers the pool is shared by tokens and states: pool / (tokens x k + state).
    """
    sequence = kv_bytes_per_token_per_device * tokens_per_sequence + state_bytes_per_device
    by_bytes = maximum(0, kv_pool_bytes_per_device) / maximum(sequence, SMALLEST)
    by_tokens = otherwise(kv_pool_tokens, 0) / tokens_per_sequence
    held = where(state_bytes_per_device > 0, by_bytes, by_tokens)
    return where(sequence > 0, attention_degree * held, blank())


@row(label="Sequences that fit", unit="sequences", section=SECTION, better="higher", reason=NO_KV_CACHE, key=True)
def sequences_that_fit(max_concurrency: Value) -> Value:
    """Whole sequences of the length sized for that one replica holds at once."""
    return floor(max_concurrency)


@row(label="Fits", section=SECTION, kind="flag", better="higher", key=True)
def fits(
    kv_pool_bytes_per_device: Value,
    kv_bytes_per_token: Value,
    tokens_per_sequence: Value,
    max_concurrency: Maybe,
    attention_degree: Value,
) -> Value:
    """Whether every device holds weights, reserves and at least one sequence at full length.

    Blank where the size of the KV cache is unknown: no cache and an unknown one are two things.
    """
    held = otherwise(max_concurrency, attention_degree)
    return where(both(opposite(kv_pool_bytes_per_device < 0), held >= attention_degree), 1, 0)


@row(label="Shortfall per device", unit="B", section=SECTION, better="lower")
def shortfall_bytes(
    kv_pool_bytes_per_device: Value,
    kv_bytes_per_token_per_device: Value,
    tokens_per_sequence: Value,
    block_tokens: Value,
    state_bytes_per_device: Value,
) -> Value:
    """Memory that is missing on each device to hold one sequence of the length sized for; 0 when it fits."""
    whole_blocks = ceiling(tokens_per_sequence / block_tokens) * block_tokens
    tokens = where(state_bytes_per_device > 0, tokens_per_sequence, whole_blocks)
    return maximum(0, kv_bytes_per_token_per_device * tokens + state_bytes_per_device - kv_pool_bytes_per_device)
