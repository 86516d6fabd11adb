"""Scenarios that the tests of the questions share."""

from __future__ import annotations

from catalog import load_catalog
from planner.analysis.evaluated import evaluate_scenario
from planner.model.evaluation import Evaluated
from planner.model.fields import FieldValue
from planner.model.inputs import check_values
from planner.model.scenario import Scenario

SERVICE: dict[str, FieldValue] = {
    "model": "llama-3.3-70b", "weight_format": "fp8", "tensor_parallel": 2, "device_price_per_hour": 2.5,
    "input_price_per_million": 0.6, "output_price_ratio": 4.0,
}  # fmt: skip


def scenario(name: str = "service", **values: FieldValue) -> Scenario:
    """A 70B service on pairs of H100 with ``values`` in place of some inputs."""
    return Scenario(name, check_values({**SERVICE, **values}))


def evaluated(name: str = "service", **values: FieldValue) -> Evaluated:
    """The same, evaluated."""
    return evaluate_scenario(scenario(name, **values), load_catalog())
