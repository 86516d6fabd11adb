"""Hypothesis strategies for scenarios: such as people plan, and any that the fields' bounds admit."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from hypothesis import assume
from hypothesis import strategies as st

from planner.model.evaluation import Results, encode_all, evaluate
from planner.model.facts import FACT_FIELDS
from planner.model.fields import HOURS, Field, FieldValue, InputError
from planner.model.inputs import INPUTS, check_together, check_values
from planner.model.scenario import Fact
from tests.model.builders import FITTED, facts

Numbers = Mapping[str, float | None]


@dataclass(frozen=True)
class Sample:
    """Checked values and facts of one scenario."""

    values: Mapping[str, FieldValue]
    facts: Mapping[str, Fact]

    def evaluate(self, numbers: Numbers | None = None, **values: FieldValue) -> Results:
        """The sheet's results, with ``values`` and the facts' ``numbers`` laid over the sample's own."""
        changed = {name: Fact(number) for name, number in (numbers or {}).items()}
        return evaluate({**self.values, **values}, {**self.facts, **changed})

    def fact(self, name: str) -> float:
        """The number of fact ``name``."""
        value = self.facts[name].value
        assert value is not None
        return value

    def cells(self) -> list[float]:
        """The encoded cells."""
        return encode_all(self.values, self.facts)

    def __repr__(self) -> str:
        values = {name: value for name, value in self.values.items() if value != INPUTS[name].default}
        numbers = {name: fact.value for name, fact in self.facts.items()}
        return f"Sample({values}, {numbers})"


def log_floats(low: float, high: float) -> st.SearchStrategy[float]:
    """Floats from ``low`` to ``high``, as many of each order of magnitude."""
    return st.floats(math.log(low), math.log(high)).map(lambda x: min(max(math.exp(x), low), high))


def log_integers(low: int, high: int) -> st.SearchStrategy[int]:
    """Whole numbers from ``low`` to ``high``, as many of each order of magnitude."""
    return log_floats(low, high).map(round)


@st.composite
def models(draw: st.DrawFn) -> dict[str, float | None]:
    """Facts of a text decoder: dense or MoE; full, windowed, latent, sparse or linear attention."""
    layers = draw(st.integers(1, 128))
    hidden = 128 * draw(st.integers(4, 128))
    head_dim = draw(st.sampled_from([64, 80, 128, 256]))
    heads = draw(st.sampled_from([8, 16, 32, 64, 128]))
    kv_heads = draw(st.sampled_from([n for n in (1, 2, 4, 8, 16, 32, 64, 128) if n <= heads]))
    vocabulary = draw(st.sampled_from([32_000, 128_256, 151_936, 201_088]))
    table = float(vocabulary * hidden)
    attention = 2.0 * layers * hidden * head_dim * (heads + kv_heads)
    dense = attention + 3.0 * layers * hidden * hidden * draw(st.floats(1, 4))
    tied = draw(st.booleans())
    numbers: dict[str, float | None] = {
        "layers": layers, "heads": heads, "kv_heads": kv_heads, "head_dim": head_dim, "hidden_size": hidden,
        "vocabulary": vocabulary, "head_parameters": table, "embedding_parameters": 0 if tied else table,
        "attention_parameters": attention, "model_context_tokens": draw(st.sampled_from([8192, 131_072, 1_000_000])),
    }  # fmt: skip
    experts, active_experts = 0.0, 0.0
    if draw(st.booleans()):
        count = draw(st.sampled_from([8, 16, 64, 128, 256, 384]))
        chosen = draw(st.integers(1, min(count, 8)))
        experts = dense * draw(st.floats(1, 30))
        active_experts = experts * chosen / count
        numbers |= {
            "experts": count, "experts_per_token": chosen, "expert_parameters": experts, "moe_layers": layers,
        }  # fmt: skip
    numbers |= {
        "parameters": dense + experts + table + (0 if tied else table),
        "active_parameters": dense + active_experts + table,
    }
    numbers |= draw(_attention(layers))
    return numbers


@st.composite
def _attention(draw: st.DrawFn, layers: int) -> dict[str, float | None]:
    kind = draw(st.sampled_from(["full", "full", "windows", "linear", "latent", "sparse"]))
    some = draw(st.integers(1, layers))
    if kind == "windows":
        return {"window_layers": some, "window_tokens": draw(st.sampled_from([128, 1024, 4096]))}
    if kind == "linear":
        return {"linear_layers": some, "state_bytes_per_sequence": some * draw(log_floats(1e4, 1e7))}
    latent: dict[str, float | None] = {
        "mla_layers": layers, "kv_heads": 1, "kv_lora_rank": 512, "qk_rope_head_dim": 64, "qk_nope_head_dim": 128,
        "v_head_dim": 128,
    }  # fmt: skip
    if kind == "latent":
        return latent
    if kind == "sparse":
        return latent | {"sparse_layers": layers, "sparse_top_tokens": 2048, "index_dim": 128}
    return {}


@st.composite
def devices(draw: st.DrawFn) -> dict[str, float | None]:
    """Facts of a device, the formats, the engine and the efficiency profile."""
    peak = draw(log_floats(5e13, 5e15))
    bits = draw(st.sampled_from([16, 8, 4]))
    numbers: dict[str, float | None] = {
        "memory_bandwidth": draw(log_floats(2e11, 2e13)), "peak_flops": peak, "expert_peak_flops": peak,
        "attention_peak_flops": peak if bits == 16 else peak * bits / 16, "arithmetic_bits": bits,
        "expert_arithmetic_bits": bits, "runtime_memory_gib": draw(st.none() | log_floats(16, 300)),
        "device_link_gbps": draw(log_floats(10, 1000)), "weight_bits": draw(st.sampled_from([16, 8, 4.25])),
        "expert_bits": draw(st.sampled_from([16, 8, 4.25])), "kv_bits": draw(st.sampled_from([16, 8, 0])),
        "catalogue_power_w": 700, "catalogue_idle_power_w": 70,
    }  # fmt: skip
    if draw(st.booleans()):
        numbers |= FITTED
    return numbers


@st.composite
def samples(draw: st.DrawFn, *, drafting: bool | None = None, fixed_batch: bool | None = None) -> Sample:
    """A scenario of a size that people plan. ``drafting`` and ``fixed_batch`` force or exclude either."""
    tensor = draw(st.sampled_from([1, 1, 2, 4, 8, 16]))
    values: dict[str, FieldValue] = {
        "tensor_parallel": tensor, "pipeline_parallel": draw(st.sampled_from([1, 1, 1, 2, 4])),
        "expert_parallel": draw(st.booleans()), "attention_data_parallel": draw(st.booleans()),
        "requests_per_day": draw(st.just(0.0) | log_floats(1, 1e8)), "prompt_tokens": draw(log_integers(1, 200_000)),
        "output_tokens": draw(log_integers(1, 20_000)), "prefix_cache_hit": draw(st.floats(0, 1)),
        "peak_factor": draw(st.floats(1, 10)), "max_batch": draw(log_integers(1, 4096)),
        "chunk_tokens": draw(st.sampled_from([512, 2048, 8192, 65_536])),
        "scheduling": draw(st.sampled_from(INPUTS["scheduling"].choices)), "flash_attention": draw(st.booleans()),
        "cuda_graphs": draw(st.booleans()), "kv_sizing": draw(st.sampled_from(INPUTS["kv_sizing"].choices)),
        "latency_convention": draw(st.sampled_from(INPUTS["latency_convention"].choices)),
        "output_length_cv": draw(st.floats(0, 2)), "ttft_target_ms": draw(st.none() | log_floats(10, 1e5)),
        "tpot_target_ms": draw(st.none() | log_floats(1, 1000)), "target_utilization": draw(st.floats(0.3, 1)),
        "spare_replicas": draw(st.integers(0, 2)), "software_factor": draw(log_floats(0.5, 2)),
        "device_price_per_hour": draw(log_floats(0.1, 20)), "input_price_per_million": draw(log_floats(0.01, 20)),
        "output_price_ratio": draw(log_floats(0.5, 20)), "calls_per_request": draw(st.sampled_from([1.0, 5.0])),
        "users": draw(st.none() | log_floats(1, 1e5)), "think_time_s": draw(st.none() | log_floats(0.1, 100)),
        "requests_per_user_per_day": draw(st.none() | st.just(10.0)), "price_per_kwh": 0.1,
        "owned_device_price": draw(st.none() | log_floats(1e3, 5e4)),
        "max_context_tokens": draw(st.none() | st.just(65_536)),
        "kv_allocation": draw(st.sampled_from(INPUTS["kv_allocation"].choices)),
    }  # fmt: skip
    numbers = draw(devices()) | draw(models())
    if drafting is None:
        drafting = draw(st.integers(0, 3)) == 0
    if drafting:
        values |= {"draft_tokens": draw(st.integers(1, 8)), "draft_acceptance": draw(st.floats(0, 1))}
        if draw(st.booleans()):
            values["draft_cost_ratio"] = draw(st.floats(0, 0.5))
        else:
            share = draw(log_floats(0.001, 0.3))
            parameters = share * (numbers["active_parameters"] or 0)
            numbers |= {
                "draft_weight_bytes": 2 * parameters, "draft_active_parameters": parameters,
                "draft_kv_bytes_per_token": draw(log_floats(1, 1e5)), "draft_layers": draw(st.integers(1, 30)),
            }  # fmt: skip
    if fixed_batch is None:
        fixed_batch = draw(st.integers(0, 4)) == 0
    if fixed_batch:
        values["batch"] = float(draw(log_integers(1, 2000)))
    if draw(st.integers(0, 4)) == 0:
        shares = [draw(st.floats(0, 1)) for _ in range(HOURS)]
        total = sum(shares)
        assume(total > 0.01)
        values |= {"hourly_profile": tuple(share / total for share in shares), "autoscale": draw(st.booleans())}
    return Sample(check_values(values), facts(numbers))


def anything(field: Field) -> st.SearchStrategy[FieldValue]:
    """Every value that ``field`` admits, extremes and blank among them."""
    options: list[st.SearchStrategy[Any]] = [st.none()] if field.optional else []
    if field.kind == "choice":
        options.append(st.sampled_from(field.choices))
    elif field.kind == "switch":
        options.append(st.booleans())
    elif field.kind == "shares":
        options.append(st.integers(0, HOURS - 1).map(lambda hour: tuple(float(n == hour) for n in range(HOURS))))
    elif field.kind == "name":
        options.append(st.just(field.default))
    else:
        low, high = field.low, field.high
        assert low is not None
        assert high is not None
        least = max(low, 1.0 if field.kind == "integer" else 1e-9)
        sizes = log_floats(least, high).filter(lambda value: value > low or not field.above_low)
        options += [sizes, st.sampled_from([high] if field.above_low else [low, high])]
        if low < 0:
            options.append(st.floats(low, high))
    values = st.one_of(options)
    return values.map(lambda value: None if value is None else round(value)) if field.kind == "integer" else values


@st.composite
def extremes(draw: st.DrawFn) -> Sample:
    """Any scenario within the fields' bounds, most of them absurd."""
    values = {name: draw(anything(field)) for name, field in INPUTS.items()}
    checked = {name: INPUTS[name].check(value) for name, value in values.items()}
    try:
        check_together(checked)
    except InputError:
        checked |= {
            "output_tokens": 1, "cached_share": 0.0, "replicas_fixed": None, "hours_per_day": 24.0,
            "device_idle_power_w": None,
        }  # fmt: skip
        check_together(checked)
    numbers = {name: field.check(draw(anything(field))) for name, field in FACT_FIELDS.items()}
    return Sample(checked, {name: Fact(value) for name, value in numbers.items() if not isinstance(value, str | tuple)})
