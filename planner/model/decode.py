"""The coefficients of a decode step: what a pass costs whatever the batch, and what each sequence adds.

Speculative decoding takes g draft steps before a pass; every coefficient is per token that a sequence receives.
``step.py`` puts them together.
"""

from __future__ import annotations

from planner.model.constants import FLOP_PER_PARAMETER, US_PER_S
from planner.model.expression import Value
from planner.model.functions import is_on, where
from planner.model.sheet import row

SECTION = "Decode coefficients"


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
