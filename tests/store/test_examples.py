"""The example workspace says what the worked examples say, and answers what it asks."""

from __future__ import annotations

import pytest

from catalog import load_catalog
from planner.analysis.evaluated import evaluate_scenario
from planner.model.evaluation import Results
from planner.store.examples import example_scenarios


@pytest.fixture(scope="module")
def results() -> dict[str, Results]:
    catalog = load_catalog()
    return {scenario.name: evaluate_scenario(scenario, catalog).results for scenario in example_scenarios()}


def test_the_worked_examples(results: dict[str, Results]) -> None:
    toy, ideal = results["Toy 7B"], results["70B ideal, 2 x H100"]
    assert toy.number("ttft_s") == pytest.approx(0.02333, abs=1e-5)
    assert toy.number("tpot_s") == pytest.approx(0.007)
    assert ideal.number("weight_bytes") == 140e9
    assert ideal.number("tpot_s") == pytest.approx(0.0209, abs=5e-5)
    assert ideal.number("tokens_per_second_per_user") == pytest.approx(47.9, abs=0.1)


def test_the_real_model_fits_and_is_slower(results: dict[str, Results]) -> None:
    real, ideal = results["Llama 3.3 70B, 2 x H100"], results["70B ideal, 2 x H100"]
    assert real["fits"].value is True
    assert real.number("max_concurrency") >= 1
    assert real.number("tpot_s") > ideal.number("tpot_s")


def test_the_choice_has_an_answer(results: dict[str, Results]) -> None:
    pair, single = results["70B fp8, 2 x H100"], results["70B fp8, 1 x H200"]
    for one in (pair, single):
        for row in (
            "replicas",
            "devices",
            "self_host_cost_per_month",
            "api_cost_per_month",
            "break_even_requests_per_day",
        ):
            assert one[row].value is not None, (row, one[row].reason)
