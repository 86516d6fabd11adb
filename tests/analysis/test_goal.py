"""Goal seek: what is found gives what was wanted, nothing else is changed, and what cannot be is refused."""

import pytest

from catalog import Catalog, load_catalog
from planner.analysis.evaluated import evaluate_scenario
from planner.analysis.goal import changeable, seek
from planner.model.facts import FACT_FIELDS
from planner.model.fields import InputError
from planner.model.inputs import INPUTS, default_values
from planner.model.rows import SHEET
from planner.model.scenario import Scenario

SCENARIO = Scenario(
    "x", {**default_values(), "model": "llama-3.3-70b", "tensor_parallel": 4, "device_price_per_hour": 2.5}
)


@pytest.fixture(scope="module")
def catalog() -> Catalog:
    return load_catalog()


@pytest.mark.parametrize(
    ("row", "target", "name"),
    [
        ("tpot_s", 0.025, "requests_per_day"),
        ("self_host_cost_per_month", 20_000.0, "device_price_per_hour"),
        ("devices", 40.0, "requests_per_day"),
        ("self_host_cost_per_million_output_tokens", 3.0, "requests_per_day"),
        ("ttft_s", 0.3, "prompt_tokens"),
        ("tpot_s", 0.03, "memory_bandwidth"),
        ("capacity_requests_per_second", 5.0, "tensor_parallel"),
        ("utilization_peak", 0.5, "requests_per_day"),
    ],
)
def test_the_value_that_is_found_gives_the_result_on_its_better_side(
    catalog: Catalog, row: str, target: float, name: str
) -> None:
    field = INPUTS.get(name) or FACT_FIELDS[name]
    found = seek(SCENARIO, row, target, field, catalog)
    value = found.value
    assert field.check(value) == value
    assert isinstance(value, (int, float))
    if name in INPUTS:
        changed = Scenario("x", {**SCENARIO.values, name: value})
    else:
        changed = Scenario("x", SCENARIO.values, {name: float(value)})
    reached = evaluate_scenario(changed, catalog).results.number(row)
    assert reached == pytest.approx(found.reached, rel=1e-12)
    better = SHEET.rows[row].better
    if better == "lower":
        assert reached <= target
    elif better == "higher":
        assert reached >= target
    if field.kind != "integer":
        assert reached == pytest.approx(target, rel=1e-3)


def test_what_does_not_depend_or_cannot_be_reached_is_refused(catalog: Catalog) -> None:
    with pytest.raises(InputError, match="TPOT does not depend on Device price per hour"):
        seek(SCENARIO, "tpot_s", 0.02, INPUTS["device_price_per_hour"], catalog)
    with pytest.raises(InputError, match=r"No Prompt tokens brings TPOT there; the nearest is .* ms at 1\."):
        seek(SCENARIO, "tpot_s", 1e-6, INPUTS["prompt_tokens"], catalog)
    with pytest.raises(InputError, match="finite number"):
        seek(SCENARIO, "tpot_s", float("nan"), INPUTS["prompt_tokens"], catalog)
    with pytest.raises(InputError, match="finite number"):
        seek(SCENARIO, "serving_limit", 1.0, INPUTS["prompt_tokens"], catalog)


def test_every_input_that_a_result_rests_on_may_be_asked_for(catalog: Catalog) -> None:
    names = [field.name for field in changeable("latency_s")]
    assert {"prompt_tokens", "output_tokens", "requests_per_day", "memory_bandwidth"} <= set(names)
    assert "model" not in names
    for field in changeable("latency_s")[::5]:
        try:
            found = seek(SCENARIO, "latency_s", 12.0, field, catalog)
        except InputError:
            continue
        assert found.field == field
