"""Rules that join inputs: what breaks each, what just does not, and that a workbook has them all."""

from __future__ import annotations

import pytest

from exports.workbook.conditions import check_sheet
from planner.model.fields import FieldValue, InputError
from planner.model.inputs import check_values
from planner.model.rules import rules

FLAT = (1 / 24,) * 24
BROKEN: list[tuple[dict[str, FieldValue], str]] = [
    ({"output_tokens": 0, "reasoning_tokens": 0}, "an answer has a token"),
    ({"cached_share": 0.6, "cache_write_share": 0.401}, "parts of one prompt"),
    ({"replicas_fixed": 2, "spare_replicas": 2}, "Fixed replicas = 2 must exceed spare replicas = 2"),
    ({"peak_factor": 1.99, "hours_per_day": 12.0}, "1.99 must be at least 24 h / hours billed per day = 2"),
    ({"peak_factor": 1.5, "hours_per_day": 12.0, "price_plan": "spot"}, "hours billed"),
    ({"hours_per_day": 12.0, "hourly_profile": FLAT}, "Hours billed per day = 12 h must be no fewer"),
    ({"hours_per_day": 12.0, "hourly_profile": (1 / 13,) * 13 + (0.0,) * 11}, "the profile that have requests"),
    ({"device_power_w": 700.0, "device_idle_power_w": 700.5}, "power = 700.5 W must not exceed device power = 700 W"),
]  # fmt: skip
HELD: list[dict[str, FieldValue]] = [
    {"output_tokens": 0, "reasoning_tokens": 1},
    {"cached_share": 0.7, "cache_write_share": 0.3},
    {"replicas_fixed": 3, "spare_replicas": 2},
    {"replicas_fixed": None, "spare_replicas": 2},
    {"peak_factor": 2.0, "hours_per_day": 12.0},
    {"peak_factor": 1.0, "hours_per_day": 12.0, "price_plan": "1_year"},
    {"peak_factor": 1.0, "hours_per_day": 12.0, "hourly_profile": FLAT, "autoscale": True},
    {"peak_factor": 1.0, "hours_per_day": 12.0, "hourly_profile": FLAT, "price_plan": "3_years"},
    {"hours_per_day": 12.0, "hourly_profile": (0.0,) * 12 + (1 / 12,) * 12},
    {"device_power_w": 700.0, "device_idle_power_w": 700.0},
    {"device_power_w": None, "device_idle_power_w": 700.0},
]


@pytest.mark.parametrize(("values", "words"), BROKEN)
def test_what_breaks_a_rule_is_refused_in_a_sentence(values: dict[str, FieldValue], words: str) -> None:
    with pytest.raises(InputError, match=r"\.$") as refused:
        check_values(values)
    assert words in str(refused.value)


@pytest.mark.parametrize("values", HELD)
def test_what_just_holds_is_taken(values: dict[str, FieldValue]) -> None:
    assert check_values(values)


def test_every_rule_is_broken_above_and_is_a_check_of_the_workbook() -> None:
    assert len(rules()) == 6
    assert [one.name for one in check_sheet().rows.values()][: len(rules())] == [one.name for one in rules()]
