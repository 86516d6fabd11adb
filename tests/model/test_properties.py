"""Laws that hold in every scenario: drawn by Hypothesis, which shrinks what breaks them, and from hundreds of seeds."""

from __future__ import annotations

import inspect
from collections.abc import Callable

import pytest
from hypothesis import given, settings

from tests.model import laws, solve_laws
from tests.model.scenarios import Sample, Seeded, a_scenario, samples

LAWS: list[Callable[[Sample], None]] = [
    function
    for module in (laws, solve_laws)
    for name, function in inspect.getmembers(module, inspect.isfunction)
    if function.__module__ == module.__name__ and list(inspect.signature(function).parameters) == ["sample"]
]
"""Every function of one sample that the two modules define."""


@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.__name__)
@settings(max_examples=20)
@given(sample=samples())
def test_law(law: Callable[[Sample], None], sample: Sample) -> None:
    law(sample)


@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.__name__)
def test_law_from_seeds(law: Callable[[Sample], None]) -> None:
    for seed in range(250):
        law(a_scenario(Seeded(seed)))


@pytest.mark.soak
@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.__name__)
def test_law_from_many_seeds(law: Callable[[Sample], None]) -> None:
    for seed in range(1000, 40_000):
        law(a_scenario(Seeded(seed)))
