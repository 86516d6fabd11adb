"""One definition, three ways to compute it: the row's function on floats, generated scalar code, generated arrays."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import cast

import numpy as np
import pytest
from hypothesis import given, settings

from planner.model.compiler import compiled
from planner.model.evaluation import Results, compute
from planner.model.rows import CELLS, SHEET
from planner.model.sweep import evaluate_cells
from tests.model.oracles import number
from tests.model.scenarios import Chooser, Sample, Seeded, a_scenario, an_extreme, extremes, samples

ROWS = tuple(SHEET.rows)


def alike(one: float, other: float, tolerance: float = 1e-12) -> bool:
    """Whether two numbers agree to ``tolerance``, or both are blank."""
    return math.isclose(one, other, rel_tol=tolerance) or (math.isnan(one) and math.isnan(other))


def by_hand(results: Results, name: str) -> float:
    """Row ``name`` from its own function on floats, with blanks as the sheet defines them."""
    row = SHEET.rows[name]
    if any(math.isnan(number(results, parameter)) for parameter in row.strict):
        return math.nan
    with np.errstate(all="ignore"):
        found = row.call(lambda parameter: np.float64(number(results, parameter)))
    # On floats a row gives a float, and for a blank the node that stands for it.
    return math.nan if getattr(found, "op", "") == "blank" else float(cast(float, found))


def by_arrays(rows: Sequence[str], scenarios: Sequence[Sample]) -> dict[str, np.ndarray]:
    """All ``rows`` of all scenarios at once, every cell that differs between them an array."""
    return evaluate_cells([sample.cells() for sample in scenarios], rows)


@pytest.mark.parametrize("make", [a_scenario, an_extreme])
def test_functions_on_floats_are_the_generated_code(make: Callable[[Chooser], Sample]) -> None:
    for seed in range(120):
        results = make(Seeded(seed)).evaluate()
        for name in ROWS:
            assert alike(results.number(name), by_hand(results, name)), (seed, name)


@settings(max_examples=20)
@given(sample=samples())
def test_functions_on_floats_are_the_generated_code_for_any_scenario(sample: Sample) -> None:
    results = sample.evaluate()
    for name in ROWS:
        assert alike(results.number(name), by_hand(results, name)), name


@pytest.mark.parametrize(
    ("make", "tolerance"),
    # Powers of arrays may differ from powers of floats in the last digit, which absurd figures magnify.
    [(a_scenario, 1e-12), (an_extreme, 1e-6)],
)
def test_arrays_are_the_generated_scalars(make: Callable[[Chooser], Sample], tolerance: float) -> None:
    scenarios = [make(Seeded(seed)) for seed in range(300)]
    arrays = by_arrays(ROWS, scenarios)
    for position, sample in enumerate(scenarios):
        for name, wanted in zip(ROWS, compute(sample.cells()), strict=True):
            assert alike(wanted, float(arrays[name][position]), tolerance), (position, name)


def test_a_sweep_of_one_input_is_the_scenarios_one_by_one() -> None:
    """What varies may be a switch, a choice, a blank or a number; the rest stays on scalars."""
    sample = a_scenario(Seeded(3), drafting=True)
    for name in (
        "scheduling",
        "attention_data_parallel",
        "draft_tokens",
        "batch",
        "requests_per_day",
        "tensor_parallel",
    ):
        position = list(CELLS).index(name)
        cells = sample.cells()
        choices = CELLS[name].choices
        codes = [1.0, 2.0, 3.0] if choices else [0.0, 1.0] if CELLS[name].kind == "switch" else [1.0, 2.0, 7.0]
        if CELLS[name].optional:
            codes.append(math.nan)
        points = [[*cells[:position], code, *cells[position + 1 :]] for code in codes]
        found = evaluate_cells(points, ROWS)
        for at, code in enumerate(codes):
            cells[position] = code
            for row, wanted in zip(ROWS, compute(cells), strict=True):
                assert alike(wanted, float(found[row][at])), (name, code, row)


def refuse_nothing(sample: Sample) -> None:
    """The fast path never fails and never makes an infinity, and a blank has a reason."""
    results = Results(sample.cells())
    for name, row in SHEET.rows.items():
        value = results.number(name)
        assert not math.isinf(value), name
        if math.isnan(value):
            assert results[name].reason not in ("", "not defined here"), name
        elif row.kind == "word":
            assert results[name].value in row.words, name


FAST = compiled(SHEET, ROWS)


@settings(max_examples=40)
@given(sample=extremes())
def test_any_figures_within_the_bounds_evaluate(sample: Sample) -> None:
    FAST(sample.cells())
    refuse_nothing(sample)


def test_many_figures_within_the_bounds_evaluate() -> None:
    for seed in range(600):
        for make in (an_extreme, a_scenario):
            sample = make(Seeded(seed))
            FAST(sample.cells())
            refuse_nothing(sample)


@pytest.mark.soak
def test_very_many_figures_within_the_bounds_evaluate() -> None:
    for seed in range(1000, 60_000):
        sample = an_extreme(Seeded(seed))
        FAST(sample.cells())
        refuse_nothing(sample)
