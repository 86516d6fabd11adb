"""How results are shown: one unit a row, and seconds where milliseconds would be too many."""

import pytest

from planner.model.display import display_of, show_in_cell, show_result, show_value, show_with_unit
from planner.model.rows import SHEET
from planner.model.scenario import Result

TTFT = SHEET.rows["ttft_s"]
TPOT = SHEET.rows["tpot_s"]
LATENCY = SHEET.rows["latency_s"]


@pytest.mark.parametrize(
    ("seconds", "with_unit", "in_cell"),
    [
        (0.0233, "23.3 ms", "23.3"),
        (9.9994, "9,999 ms", "9,999"),
        (10.0, "10 s", "10 s"),
        (33.2612, "33.26 s", "33.3 s"),
        (-33.2612, "\u221233.26 s", "\u221233.3 s"),
        (123_456.0, "123,456 s", "123,456 s"),
        (0.0, "0 ms", "0"),
    ],
)
def test_a_time_of_ten_thousand_ms_or_more_is_in_seconds(seconds: float, with_unit: str, in_cell: str) -> None:
    assert show_with_unit(TTFT, Result(seconds)) == with_unit
    assert show_in_cell(TTFT, seconds) == in_cell


def test_a_column_without_units_keeps_to_the_unit_of_its_row() -> None:
    assert display_of(TTFT).unit == "ms"
    assert show_value(TTFT, 33.2612) == show_result(TTFT, Result(33.2612)) == "33,261"


def test_a_row_in_seconds_stays_in_seconds() -> None:
    assert show_with_unit(LATENCY, Result(33.2612)) == "33.26 s"
    assert show_in_cell(LATENCY, 33.2612) == "33.26"


@pytest.mark.parametrize(("value", "text"), [(None, "—"), (True, "yes"), (False, "no"), ("memory", "memory")])
def test_what_is_no_number_is_shown_alike(value: str | bool | None, text: str) -> None:
    assert show_in_cell(TTFT, value) == show_value(TTFT, value) == show_with_unit(TTFT, Result(value)) == text


def test_a_size_says_both_units() -> None:
    assert show_with_unit(SHEET.rows["weight_bytes"], Result(140e9)) == "130.4 GiB (140 GB)"
    assert show_with_unit(TPOT, Result(0.007)) == "7 ms"
