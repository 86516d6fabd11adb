from __future__ import annotations

from dataclasses import replace

import pytest

from catalog import load_catalog
from planner.analysis.difference import explain_difference
from planner.analysis.evaluated import evaluate_scenario
from planner.model.fields import InputError
from tests.analysis.questions import scenario


def test_the_moves_and_what_they_do_together_make_up_the_difference() -> None:
    first, second = scenario(), scenario(output_tokens=600, device_price_per_hour=3.0, requests_per_day=400_000.0)
    found = explain_difference(first, second, "self_host_cost_per_month", load_catalog())
    assert {change.field.name for change in found.changes} == {
        "output_tokens", "device_price_per_hour", "requests_per_day",
    }  # fmt: skip
    assert found.before is not None
    assert found.after is not None
    assert found.together is not None
    moved = sum(change.moves or 0 for change in found.changes) + found.together
    assert found.before + moved == pytest.approx(found.after, rel=1e-12)


def test_one_change_alone_is_the_whole_difference() -> None:
    found = explain_difference(scenario(), scenario(output_tokens=600), "api_cost_per_month", load_catalog())
    assert found.together == 0
    assert found.changes[0].moves == pytest.approx(100_000 * 30 * 300 * 0.6 * 4 / 1e6, rel=1e-9)


def test_an_overridden_fact_counts_as_a_change() -> None:
    first = scenario(batch=1.0)
    second = replace(first, overrides={"memory_bandwidth": 6.7e12})
    found = explain_difference(first, second, "memory_time_s", load_catalog())
    assert [change.field.name for change in found.changes] == ["memory_bandwidth"]
    assert found.after == pytest.approx((found.before or 0) / 2, rel=1e-9)


@pytest.mark.parametrize("row", ["bound_by", "no_such_row"])
def test_a_word_or_an_unknown_row_is_refused(row: str) -> None:
    with pytest.raises(InputError, match=row):
        explain_difference(scenario(), scenario(), row, load_catalog())


def test_a_change_that_cannot_stand_alone_moves_what_it_does_beyond_its_partner() -> None:
    catalog = load_catalog()
    first = scenario(tensor_parallel=1, accelerator="h200-sxm-141gb", memory_utilization=0.8)
    second = scenario(tensor_parallel=2, accelerator="h100-sxm-80gb", memory_utilization=0.8, output_tokens=200)
    found = explain_difference(first, second, "tpot_s", catalog)
    by_name = {change.field.name: change for change in found.changes}
    assert by_name["tensor_parallel"].alone == ""
    assert by_name["tensor_parallel"].group == ()
    device = by_name["accelerator"]
    assert device.group == ("accelerator", "tensor_parallel")
    assert "does not fit" in device.alone
    after, before = (
        evaluate_scenario(scenario(tensor_parallel=2, accelerator=name, memory_utilization=0.8), catalog).results
        for name in ("h100-sxm-80gb", "h200-sxm-141gb")
    )
    assert device.moves == pytest.approx(after.number("tpot_s") - before.number("tpot_s"), rel=1e-12)
    total = sum(change.moves or 0 for change in found.changes)
    assert found.before is not None
    assert found.after is not None
    assert found.together == pytest.approx(found.after - found.before - total, abs=1e-15)


def test_changes_that_only_stand_together_are_counted_once() -> None:
    first = scenario(spare_replicas=0, replicas_fixed=2)
    second = scenario(spare_replicas=6, replicas_fixed=9, output_tokens=200)
    found = explain_difference(first, second, "self_host_cost_per_month", load_catalog())
    by_name = {change.field.name: change for change in found.changes}
    spares = by_name["spare_replicas"]
    assert "spares serve nothing" in spares.alone
    assert spares.group == ("spare_replicas", "replicas_fixed")
    assert by_name["replicas_fixed"].group == ()
    assert spares.moves == pytest.approx(0, abs=1e-9)


def test_neither_change_stands_without_the_other() -> None:
    first = scenario(output_tokens=300, reasoning_tokens=0, cached_share=0.9, cache_write_share=0.1)
    second = scenario(output_tokens=0, reasoning_tokens=50, cached_share=0.1, cache_write_share=0.9)
    found = explain_difference(first, second, "api_cost_per_month", load_catalog())
    by_name = {change.field.name: change for change in found.changes}
    assert by_name["output_tokens"].group == ("output_tokens", "reasoning_tokens")
    assert by_name["cache_write_share"].group == ("cached_share", "cache_write_share")
    assert all(change.moves is not None for change in found.changes)


def test_why_there_is_nothing_to_attribute() -> None:
    first, second = scenario(), scenario(device_price_per_hour=None, output_tokens=200)
    found = explain_difference(first, second, "self_host_cost_per_month", load_catalog())
    assert found.together is None
    assert all(change.moves is None and not change.group for change in found.changes)
    assert "price" in found.blank
