"""Scenarios that between them take every branch of the model, evaluated with the shipped catalogue."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cache

from catalog import load_catalog
from planner.analysis.evaluated import evaluate_scenario
from planner.model.evaluation import Evaluated, evaluate
from planner.model.facts import FACT_FIELDS
from planner.model.fields import FieldValue
from planner.model.inputs import check_values
from planner.model.scenario import Scenario
from planner.store.examples import example_scenarios

SHARES = (
    (0.01,) * 6 + (0.03, 0.05, 0.06, 0.07, 0.07, 0.07, 0.07, 0.07, 0.07, 0.07, 0.06, 0.05, 0.04, 0.04) + (0.03,) * 4
)

SERVICE: dict[str, FieldValue] = {
    "model": "llama-3.3-70b", "tensor_parallel": 4, "weight_format": "fp8", "kv_format": "fp8",
    "requests_per_day": 400_000, "prompt_tokens": 1800, "output_tokens": 320, "device_price_per_hour": 2.5,
    "input_price_per_million": 0.6, "output_price_ratio": 4, "tpot_target_ms": 60,
}  # fmt: skip

UNUSUAL: dict[str, dict[str, FieldValue]] = {
    "Profile and autoscaling": SERVICE | {"hourly_profile": tuple(s / sum(SHARES) for s in SHARES), "autoscale": True},
    "Prefill apart, TTFT target": SERVICE | {
        "scheduling": "disaggregated", "ttft_target_ms": 3000, "network_rtt_ms": 30,
    },
    "Speculative, owned": SERVICE | {
        "draft_tokens": 4, "draft_acceptance": 0.75, "draft_cost_ratio": 0.05, "owned_device_price": 30_000,
        "device_power_w": 700, "device_idle_power_w": 120, "price_per_kwh": 0.15,
    },
    "Experts, expert parallel": SERVICE | {
        "model": "deepseek-v3", "accelerator": "h200-sxm-141gb", "tensor_parallel": 8, "expert_parallel": True,
        "attention_data_parallel": True, "weight_format": "stored", "kv_format": "bf16", "reasoning_tokens": 500,
    },
    "Two stages, contiguous": SERVICE | {
        "pipeline_parallel": 2, "kv_allocation": "contiguous", "max_context_tokens": 8192, "kv_sizing": "mean",
        "cuda_graphs": False, "flash_attention": False, "scheduling": "prefill_first", "spare_replicas": 1,
    },
    "Closed loop": SERVICE | {"users": 3000, "requests_per_user_per_day": 40, "think_time_s": 20},
    "Does not fit": {"model": "llama-3.3-70b", "tensor_parallel": 1, "weight_format": "bf16"},
    "Too slow": SERVICE | {"tpot_target_ms": 1, "long_context_threshold_tokens": 1000, "users": 10},
    "Fixed fleet, overloaded": SERVICE | {"replicas_fixed": 1, "requests_per_day": 5_000_000},
    "No traffic": SERVICE | {"requests_per_day": 0, "price_plan": "1_year", "batch_share": 0.5},
}  # fmt: skip


@cache
def examples() -> tuple[Evaluated, ...]:
    """The example workspace."""
    catalog = load_catalog()
    return tuple(evaluate_scenario(scenario, catalog) for scenario in example_scenarios())


@cache
def unusual() -> tuple[Evaluated, ...]:
    """Scenarios that use what the examples do not."""
    catalog = load_catalog()
    return tuple(evaluate_scenario(Scenario(name, check_values(values)), catalog) for name, values in UNUSUAL.items())


def renamed(evaluated: Evaluated, name: str, notes: str = "") -> Evaluated:
    """The same scenario under another name."""
    return replace(evaluated, scenario=replace(evaluated.scenario, name=name, notes=notes))


def many(count: int) -> list[Evaluated]:
    """``count`` scenarios, the known ones over and over."""
    known = [*examples(), *unusual()]
    return [renamed(known[n % len(known)], f"Scenario {n + 1}") for n in range(count)]


def edited(evaluated: Evaluated, edits: Mapping[str, FieldValue]) -> Evaluated:
    """``evaluated`` with other inputs and facts, the catalogue left alone: what editing cells of the workbook does."""
    values = dict(evaluated.scenario.values)
    facts = dict(evaluated.facts)
    for name, value in edits.items():
        if name in FACT_FIELDS:
            number = FACT_FIELDS[name].check(value)
            assert number is None or isinstance(number, (int, float))
            facts[name] = replace(facts[name], value=number, overridden=True)
        else:
            values[name] = value
    checked = check_values(values)
    return Evaluated(replace(evaluated.scenario, values=checked), facts, evaluate(checked, facts))
