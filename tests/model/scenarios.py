"""Scenarios at random: such as people plan, and any that the fields' bounds admit."""

from __future__ import annotations

import math
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

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

    def evaluate(self, numbers: Numbers | None = None, /, **values: FieldValue) -> Results:
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


class Chooser(Protocol):
    """Where a scenario's figures come from: Hypothesis, which shrinks what fails, or a seed, which is fast."""

    def pick(self, options: Sequence[Any]) -> Any:
        """One of ``options``."""

    def between(self, low: float, high: float) -> float:
        """A float from ``low`` to ``high``."""

    def size(self, low: float, high: float) -> float:
        """A float from ``low`` to ``high``, as many of each order of magnitude."""
        return min(max(math.exp(self.between(math.log(low), math.log(high))), low), high)

    def count(self, low: int, high: int) -> int:
        """A whole number from ``low`` to ``high``, as many of each order of magnitude."""
        return round(self.size(low, high))

    def maybe(self, one_in: int = 2) -> bool:
        """True once in ``one_in`` times."""
        return bool(self.pick([True] + [False] * (one_in - 1)))


class Drawn(Chooser):
    """Figures that Hypothesis draws."""

    def __init__(self, draw: st.DrawFn) -> None:
        self.draw = draw

    def pick(self, options: Sequence[Any]) -> Any:
        return self.draw(st.sampled_from(options))

    def between(self, low: float, high: float) -> float:
        return self.draw(st.floats(low, high))


class Seeded(Chooser):
    """Figures from a seed."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)  # noqa: S311

    def pick(self, options: Sequence[Any]) -> Any:
        return self.random.choice(options)

    def between(self, low: float, high: float) -> float:
        return self.random.choice([low, high]) if self.random.random() < 0.02 else self.random.uniform(low, high)


def a_model(choose: Chooser) -> dict[str, float | None]:
    """Facts of a text decoder: dense or MoE; full, windowed, latent, sparse or linear attention."""
    layers = choose.count(1, 128)
    hidden = 128 * choose.count(4, 128)
    head_dim = choose.pick([64, 80, 128, 256])
    heads = choose.pick([8, 16, 32, 64, 128])
    kv_heads = choose.pick([n for n in (1, 2, 4, 8, 16, 32, 64, 128) if n <= heads])
    vocabulary = choose.pick([32_000, 128_256, 151_936, 201_088])
    table = float(vocabulary * hidden)
    attention = 2.0 * layers * hidden * head_dim * (heads + kv_heads)
    dense = attention + 3.0 * layers * hidden * hidden * choose.between(1, 4)
    tied = choose.maybe()
    numbers: dict[str, float | None] = {
        "layers": layers, "heads": heads, "kv_heads": kv_heads, "head_dim": head_dim, "hidden_size": hidden,
        "vocabulary": vocabulary, "head_parameters": table, "embedding_parameters": 0 if tied else table,
        "attention_parameters": attention, "model_context_tokens": choose.pick([8192, 131_072, 1_000_000]),
    }  # fmt: skip
    experts, active_experts = 0.0, 0.0
    if choose.maybe():
        total = choose.pick([8, 16, 64, 128, 256, 384])
        chosen = choose.count(1, 8)
        experts = dense * choose.between(1, 30)
        active_experts = experts * chosen / total
        numbers |= {
            "experts": total, "experts_per_token": chosen, "expert_parameters": experts, "moe_layers": layers,
        }  # fmt: skip
    numbers |= {
        "parameters": dense + experts + table + (0 if tied else table),
        "active_parameters": dense + active_experts + table,
    }
    return numbers | _attention(choose, layers)


def _attention(choose: Chooser, layers: int) -> dict[str, float | None]:
    kind = choose.pick(["full", "full", "windows", "linear", "latent", "sparse"])
    some = choose.count(1, layers)
    if kind == "windows":
        windows: dict[str, float | None] = {"window_layers": some, "window_tokens": choose.pick([128, 1024, 4096])}
        own: dict[str, float | None] = {"window_kv_heads": 8, "window_head_dim": choose.pick([128, 192])}
        return windows | own if choose.maybe() else windows
    if kind == "linear":
        return {"linear_layers": some, "state_bytes_per_sequence": some * choose.size(1e4, 1e7)}
    latent: dict[str, float | None] = {
        "mla_layers": layers, "kv_heads": 1, "kv_lora_rank": 512, "qk_rope_head_dim": 64, "qk_nope_head_dim": 128,
        "v_head_dim": 128,
    }  # fmt: skip
    if kind == "latent":
        return latent
    if kind == "sparse":
        sparse: dict[str, float | None] = {"sparse_layers": layers, "sparse_top_tokens": 2048, "index_dim": 128}
        compressed: dict[str, float | None] = {"sparse_layers": some, "sparse_ratio": 4, "full_ratio": 128}
        return latent | sparse | (compressed if choose.maybe() else {})
    return {}


def a_device(choose: Chooser) -> dict[str, float | None]:
    """Facts of a device, the formats, the engine and the efficiency profile."""
    peak = choose.size(5e13, 5e15)
    bits = choose.pick([16, 8, 4])
    numbers: dict[str, float | None] = {
        "memory_bandwidth": choose.size(2e11, 2e13), "peak_flops": peak, "expert_peak_flops": peak,
        "attention_peak_flops": peak * bits / 16, "arithmetic_bits": bits, "expert_arithmetic_bits": bits,
        "runtime_memory_gib": None if choose.maybe() else choose.size(16, 300),
        "device_link_gbps": choose.size(10, 1000), "weight_bits": choose.pick([16, 8, 4.25]),
        "expert_bits": choose.pick([16, 8, 4.25]), "kv_bits": choose.pick([16, 8, 0]), "catalogue_power_w": 700,
        "catalogue_idle_power_w": 70,
    }  # fmt: skip
    return numbers | FITTED if choose.maybe() else numbers


def a_scenario(choose: Chooser, *, drafting: bool | None = None, fixed_batch: bool | None = None) -> Sample:
    """A scenario of a size that people plan. ``drafting`` and ``fixed_batch`` force or exclude either."""

    def set_or_blank(value: float, one_in: int = 2) -> float | None:
        return value if choose.maybe(one_in) else None

    values: dict[str, FieldValue] = {
        "tensor_parallel": choose.pick([1, 1, 2, 4, 8, 16]), "pipeline_parallel": choose.pick([1, 1, 1, 2, 4]),
        "expert_parallel": choose.maybe(), "attention_data_parallel": choose.maybe(),
        "requests_per_day": 0.0 if choose.maybe(20) else choose.size(1, 1e8), "prompt_tokens": choose.count(1, 100_000),
        "output_tokens": choose.count(1, 10_000), "prefix_cache_hit": choose.between(0, 1),
        "peak_factor": choose.between(1, 10), "max_batch": choose.count(1, 4096),
        "chunk_tokens": choose.pick([512, 2048, 8192, 65_536]), "flash_attention": choose.maybe(),
        "scheduling": choose.pick(INPUTS["scheduling"].choices), "cuda_graphs": choose.maybe(),
        "kv_sizing": choose.pick(INPUTS["kv_sizing"].choices), "output_length_cv": choose.between(0, 2),
        "latency_convention": choose.pick(INPUTS["latency_convention"].choices),
        "ttft_target_ms": set_or_blank(choose.size(100, 1e5)), "tpot_target_ms": set_or_blank(choose.size(5, 1000)),
        "target_utilization": choose.between(0.3, 1), "spare_replicas": choose.pick([0, 1, 2]),
        "software_factor": choose.size(0.5, 2), "device_price_per_hour": choose.size(0.1, 20),
        "input_price_per_million": choose.size(0.01, 20), "output_price_ratio": choose.size(0.5, 20),
        "calls_per_request": choose.pick([1.0, 5.0]), "users": set_or_blank(choose.size(1, 1e5)),
        "think_time_s": set_or_blank(choose.size(0.1, 100)), "price_per_kwh": 0.1,
        "requests_per_user_per_day": set_or_blank(10.0), "owned_device_price": set_or_blank(choose.size(1e3, 5e4)),
        "max_context_tokens": set_or_blank(65_536, 5), "kv_allocation": choose.pick(INPUTS["kv_allocation"].choices),
    }  # fmt: skip
    numbers = a_device(choose) | a_model(choose)
    if choose.maybe(4) if drafting is None else drafting:
        values |= {"draft_tokens": choose.count(1, 8), "draft_acceptance": choose.between(0, 1)}
        if choose.maybe():
            values["draft_cost_ratio"] = choose.between(0, 0.5)
        else:
            parameters = choose.size(0.001, 0.3) * (numbers["active_parameters"] or 0)
            numbers |= {
                "draft_weight_bytes": 2 * parameters, "draft_active_parameters": parameters,
                "draft_kv_bytes_per_token": choose.size(1, 1e5), "draft_layers": choose.count(1, 30),
            }  # fmt: skip
    if choose.maybe(5) if fixed_batch is None else fixed_batch:
        values["batch"] = float(choose.count(1, 2000))
    if choose.maybe(5):
        weights = [1 + choose.between(0, 10) for _ in range(HOURS)]
        values |= {"hourly_profile": tuple(w / sum(weights) for w in weights), "autoscale": choose.maybe()}
    return Sample(check_values(values), facts(numbers))


def _admitted(choose: Chooser, field: Field) -> FieldValue:
    """A value that ``field`` admits, extremes and blank among them."""
    if field.optional and choose.maybe():
        return None
    if field.kind == "choice":
        return str(choose.pick(field.choices))
    if field.kind == "switch":
        return choose.maybe()
    if field.kind == "shares":
        busy = choose.pick(range(HOURS))
        return tuple(float(hour == busy) for hour in range(HOURS))
    if field.kind == "name":
        return field.default
    low, high = field.low, field.high
    assert low is not None
    assert high is not None
    whole = field.kind == "integer"
    least = max(low, 1.0 if whole else 1e-9)
    if choose.maybe(4):
        value = choose.pick([least if field.above_low else low, high])
    else:
        value = choose.between(low, high) if low < 0 else choose.size(least, high)
    return round(value) if whole else float(value)


def an_extreme(choose: Chooser) -> Sample:
    """Any scenario within the fields' bounds, most of them absurd."""
    values = {name: field.check(_admitted(choose, field)) for name, field in INPUTS.items()}
    try:
        check_together(values)
    except InputError:
        values |= {
            "output_tokens": 1, "cached_share": 0.0, "replicas_fixed": None, "hours_per_day": 24.0,
            "device_idle_power_w": None,
        }  # fmt: skip
        check_together(values)
    numbers = {name: field.check(_admitted(choose, field)) for name, field in FACT_FIELDS.items()}
    return Sample(values, {name: Fact(value) for name, value in numbers.items() if not isinstance(value, str | tuple)})


@st.composite
def samples(draw: st.DrawFn, *, drafting: bool | None = None, fixed_batch: bool | None = None) -> Sample:
    """a_scenario() as Hypothesis draws it."""
    return a_scenario(Drawn(draw), drafting=drafting, fixed_batch=fixed_batch)


@st.composite
def extremes(draw: st.DrawFn) -> Sample:
    """an_extreme() as Hypothesis draws it."""
    return an_extreme(Drawn(draw))
