from __future__ import annotations

from dataclasses import replace

import pytest

from catalog import load_catalog
from planner.analysis.difference import explain_difference
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
