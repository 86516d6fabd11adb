from __future__ import annotations

import pytest

from planner.model.fields import InputError
from planner.model.inputs import INPUTS


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("prompt_tokens", "1,500", 1500), ("prompt_tokens", "1_500", 1500), ("prompt_tokens", "10 k", 10_000),
        ("requests_per_day", "1 234 567.5", 1_234_567.5), ("requests_per_day", "1,500k", 1.5e6),
        ("memory_utilization", "95%", 0.95), ("draft_acceptance", "0.7", 0.7), ("users", "", None),
    ],
)  # fmt: skip
def test_what_people_write_for_numbers_is_read(name: str, text: str, value: float | None) -> None:
    assert INPUTS[name].parse(text) == value


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("price_per_kwh", "0,25"), ("peak_factor", "1,5"), ("prompt_tokens", "1,000,5"), ("prompt_tokens", "1_0_0"),
        ("prompt_tokens", "12,34"), ("prompt_tokens", "nan"), ("prompt_tokens", "inf"), ("prompt_tokens", "1e309"),
        ("prompt_tokens", "9" * 5000), ("prompt_tokens", "１０"), ("peak_factor", "1.5s"),
    ],
)  # fmt: skip
def test_a_decimal_comma_or_a_stray_mark_is_refused_and_never_dropped(name: str, text: str) -> None:
    with pytest.raises(InputError, match=INPUTS[name].label):
        INPUTS[name].parse(text)


@pytest.mark.parametrize("name", [field.name for field in INPUTS.values() if field.default is not None])
def test_an_editor_s_text_gives_the_value_back(name: str) -> None:
    field = INPUTS[name]
    assert field.parse(field.edit_text(field.default)) == field.default
