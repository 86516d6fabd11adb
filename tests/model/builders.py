"""Scenarios for the tests of the model, built from facts alone: no catalogue, no store."""

from __future__ import annotations

from collections.abc import Mapping

from planner.model.evaluation import Results, evaluate
from planner.model.facts import FACT_FIELDS
from planner.model.fields import FieldValue
from planner.model.inputs import check_values
from planner.model.scenario import Fact

_NEUTRAL: dict[str, float] = {
    "arithmetic_bits": 16, "expert_arithmetic_bits": 16, "weight_bits": 16, "expert_bits": 16, "embedding_bits": 16,
    "kv_bits": 16, "pool_share": 1, "warmup_sequences_default": 256, "weights_efficiency": 1, "kv_efficiency": 1,
    "decode_efficiency": 1, "prefill_efficiency": 1, "expert_prefill_efficiency": 1, "fp4_prefill_efficiency": 1,
    "link_efficiency": 1, "eager_overhead_factor": 1, "ttft_prefill_factor": 1, "tpot_band_low": 1,
    "tpot_band_high": 1, "ttft_band_low": 1, "ttft_band_high": 1,
}  # fmt: skip

TOY: dict[str, float | None] = {
    "parameters": 7e9, "active_parameters": 7e9, "memory_bandwidth": 2e12, "peak_flops": 3e14,
    "expert_peak_flops": 3e14, "attention_peak_flops": 3e14, "kv_bits": 0, "link_is_ideal": 1,
}  # fmt: skip

LLAMA_3_70B: dict[str, float | None] = {
    "parameters": 70_553_706_496, "active_parameters": 69_503_033_344, "embedding_parameters": 1_050_673_152,
    "head_parameters": 1_050_673_152, "attention_parameters": 12_079_595_520, "layers": 80, "heads": 64,
    "kv_heads": 8, "head_dim": 128, "hidden_size": 8192, "vocabulary": 128_256, "model_context_tokens": 131_072,
}  # fmt: skip

H100: dict[str, float | None] = {
    "memory_bandwidth": 3.35e12, "peak_flops": 9.89e14, "expert_peak_flops": 9.89e14, "attention_peak_flops": 9.89e14,
    "runtime_memory_gib": 79.18, "device_link_gbps": 450, "warmup_sequences_default": 1024,
    "activation_bytes_per_logit": 39, "runtime_fixed_gib": 0.25, "runtime_multi_gib": 0.45,
}  # fmt: skip

FITTED: dict[str, float | None] = {
    "weights_efficiency": 0.9, "kv_efficiency": 0.7, "decode_efficiency": 0.6, "prefill_efficiency": 0.73,
    "expert_prefill_efficiency": 0.31, "fp4_prefill_efficiency": 0.7, "link_efficiency": 0.39,
    "profile_allreduce_latency_us": 9.1, "layer_overhead_us": 47.5, "moe_layer_overhead_us": 22.6,
    "mla_layer_overhead_us": 29.7, "linear_layer_overhead_us": 34.8, "sparse_layer_overhead_us": 80,
    "sequence_overhead_us": 0.3, "eager_overhead_factor": 9, "ttft_constant_ms": 5, "ttft_prefill_factor": 1.44,
    "first_steps": 5.6, "tpot_band_low": 0.82, "tpot_band_high": 1.31, "ttft_band_low": 0.6, "ttft_band_high": 1.91,
}  # fmt: skip
"""Constants of the size that fits to public measurements give."""


def facts(*parts: Mapping[str, float | None]) -> dict[str, Fact]:
    """Neutral facts (every technique removed) with the ``parts`` laid over them in turn."""
    numbers: dict[str, float | None] = {
        name: None if field.optional else _NEUTRAL.get(name, field.low if name not in _NEUTRAL else 0)
        for name, field in FACT_FIELDS.items()
    }
    for part in parts:
        unknown = set(part) - set(FACT_FIELDS)
        assert not unknown, unknown
        numbers.update(part)
    return {name: Fact(number) for name, number in numbers.items()}


def results(*parts: Mapping[str, float | None], **values: FieldValue) -> Results:
    """The sheet's results for ``values`` over the defaults and facts from ``parts``."""
    return evaluate(check_values(values), facts(*parts))
