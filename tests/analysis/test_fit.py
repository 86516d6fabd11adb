from __future__ import annotations

from dataclasses import replace

from catalog import load_catalog
from planner.analysis.evaluated import evaluate_scenario
from planner.analysis.fit import fixes
from tests.analysis.questions import scenario


def test_nothing_is_proposed_for_what_fits() -> None:
    assert fixes(scenario(), load_catalog()) == ()


def test_each_fix_alone_makes_it_fit_and_none_smaller_does() -> None:
    catalog = load_catalog()
    tight = scenario(weight_format="bf16", tensor_parallel=1)
    found = {fix.name: fix for fix in fixes(tight, catalog)}
    assert found["tensor_parallel"].value == 4
    assert "weight_format" in found
    for fix in found.values():
        changed = replace(tight, values={**tight.values, fix.name: fix.value})
        assert evaluate_scenario(changed, catalog).results["fits"].value is True
    pair = replace(tight, values={**tight.values, "tensor_parallel": 2})
    assert evaluate_scenario(pair, catalog).results["fits"].value is False


def test_a_fix_is_said_in_words() -> None:
    tight = scenario(weight_format="bf16", tensor_parallel=1)
    assert "Tensor parallel 4 devices" in [fix.sentence for fix in fixes(tight, load_catalog())]
