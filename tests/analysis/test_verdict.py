"""The verdicts of a comparison, on scenarios that are evaluated for it."""

import pytest

from catalog import Catalog, load_catalog
from planner.analysis.evaluated import evaluate_scenario
from planner.analysis.verdict import Verdict, verdicts
from planner.model.evaluation import Evaluated
from planner.model.fields import FieldValue
from planner.model.inputs import default_values
from planner.model.scenario import Scenario

BASE: dict[str, FieldValue] = {
    "model": "llama-3.3-70b", "tensor_parallel": 4, "device_price_per_hour": 2.5, "ttft_target_ms": 2000.0,
}  # fmt: skip
API: dict[str, FieldValue] = {
    "device_price_per_hour": None, "input_price_per_million": 0.6, "output_price_ratio": 4.0,
}  # fmt: skip


@pytest.fixture(scope="module")
def catalog() -> Catalog:
    return load_catalog()


def made(catalog: Catalog, *changes: dict[str, FieldValue]) -> list[Evaluated]:
    return [
        evaluate_scenario(Scenario(str(number), {**default_values(), **BASE, **change}), catalog)
        for number, change in enumerate(changes)
    ]


def test_the_cheapest_that_is_served_is_named_and_the_others_stand_beside_it(catalog: Catalog) -> None:
    scenarios = made(catalog, {}, {"weight_format": "fp8"}, {"tensor_parallel": 1}, API)
    found = verdicts([*scenarios, None])
    costs = [one.results.number("self_host_cost_per_month") for one in scenarios[:2]]
    costs.append(scenarios[3].results.number("api_cost_per_month"))
    priced = [found[0], found[1], found[3]]
    assert [one.cost for one in priced] == costs
    assert [one.answer for one in priced].count("cheapest") == 1
    for one, cost in zip(priced, costs, strict=True):
        assert one.above == pytest.approx(cost / min(costs) - 1)
    assert found[2].answer == "not served"
    assert "does not fit" in found[2].sentence
    assert found[3].by_api
    assert found[4].answer == "unknown"


def test_different_loads_are_compared_per_million_output_tokens(catalog: Catalog) -> None:
    one, other = verdicts(made(catalog, {}, {"requests_per_day": 1_000_000}))
    assert one.row == other.row == "self_host_cost_per_million_output_tokens"
    assert [one.answer, other.answer] == ["served", "cheapest"]


def test_a_target_that_a_fixed_batch_misses_is_too_slow(catalog: Catalog) -> None:
    fast, slow = verdicts(made(catalog, {"batch": 1.0}, {"batch": 64.0, "tpot_target_ms": 20.0}))
    assert fast.answer == "served"
    assert slow.answer == "too slow"
    assert "TPOT is" in slow.why
    assert fast.above is None


def test_currencies_that_differ_are_not_compared(catalog: Catalog) -> None:
    scenarios = made(catalog, {}, {"currency": "EUR", "weight_format": "fp8"})
    assert [one.answer for one in verdicts(scenarios)] == ["served", "served"]


def test_an_api_bill_needs_no_hardware_that_fits(catalog: Catalog) -> None:
    (only,) = verdicts(made(catalog, {**API, "tensor_parallel": 1}))
    assert (only.answer, only.by_api) == ("served", True)
    assert "bought from the API at" in only.sentence


def test_without_any_price_there_is_a_verdict_but_no_cost(catalog: Catalog) -> None:
    assert verdicts(made(catalog, {"device_price_per_hour": None})) == [Verdict("served", "", None, "USD")]
    assert verdicts([]) == []
