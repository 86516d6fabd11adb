"""What would make a model fit: the smallest change of each kind."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from catalog.book import Catalog
from planner.analysis.evaluated import evaluate_scenario
from planner.model.display import show_field_with_unit
from planner.model.fields import FieldValue, InputError
from planner.model.inputs import INPUTS
from planner.model.scenario import Scenario

_SMALLER_WEIGHTS = ("fp8", "int8", "nvfp4", "int4")
_SMALLER_KV = ("fp8", "fp4")
_UTILIZATIONS = (0.92, 0.95, 0.98)


@dataclass(frozen=True, slots=True)
class Fix:
    """One change of one input with which the scenario fits."""

    name: str
    value: FieldValue

    @property
    def sentence(self) -> str:
        """The change as words."""
        field = INPUTS[self.name]
        return f"{field.label} {show_field_with_unit(field, self.value)}"


def fixes(scenario: Scenario, catalog: Catalog) -> Sequence[Fix]:
    """For each kind of change the smallest that makes ``scenario`` fit; empty when it fits or nothing alone helps."""
    if evaluate_scenario(scenario, catalog).results["fits"].value is not False:
        return ()
    found: dict[str, Fix] = {}
    for fix in _candidates(scenario):
        if fix.name not in found and _fits(scenario, fix, catalog):
            found[fix.name] = fix
    return tuple(found.values())


def _fits(scenario: Scenario, fix: Fix, catalog: Catalog) -> bool:
    changed = replace(scenario, values={**scenario.values, fix.name: fix.value})
    try:
        return evaluate_scenario(changed, catalog).results["fits"].value is True
    except InputError:
        return False


def _candidates(scenario: Scenario) -> Iterator[Fix]:
    utilization = scenario.values["memory_utilization"]
    for share in _UTILIZATIONS:
        if isinstance(utilization, (int, float)) and share > utilization:
            yield Fix("memory_utilization", share)
    devices = scenario.values["tensor_parallel"]
    if isinstance(devices, int):
        for doubling in range(1, 7):
            yield Fix("tensor_parallel", devices << doubling)
    for weights in _SMALLER_WEIGHTS:
        if weights != scenario.values["weight_format"]:
            yield Fix("weight_format", weights)
    for cache in _SMALLER_KV:
        if cache != scenario.values["kv_format"]:
            yield Fix("kv_format", cache)
