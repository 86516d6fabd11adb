from __future__ import annotations

import pytest

from planner.model.fields import FieldValue
from tests.model.builders import H100, LLAMA_3_70B, results

PRICES: dict[str, FieldValue] = {
    "tensor_parallel": 4, "device_price_per_hour": 3.0, "input_price_per_million": 0.6, "output_price_ratio": 40.0,
}  # fmt: skip


@pytest.mark.parametrize("peak_factor", [1.0, 2.0, 5.0])
def test_at_the_break_even_traffic_the_two_bills_of_the_sheet_are_equal(peak_factor: float) -> None:
    found = results(LLAMA_3_70B, H100, **PRICES, peak_factor=peak_factor)
    traffic = found.number("break_even_requests_per_day")
    there = results(LLAMA_3_70B, H100, **PRICES, peak_factor=peak_factor, requests_per_day=traffic * (1 - 1e-9))
    assert there.number("replicas") == 1
    assert there.number("self_host_cost_per_month") == pytest.approx(there.number("api_cost_per_month"), rel=1e-6)


def test_a_replica_carries_half_a_day_s_traffic_at_twice_the_peak() -> None:
    flat, peaked = (results(LLAMA_3_70B, H100, **PRICES, peak_factor=factor) for factor in (1.0, 2.0))
    per_day = "replica_requests_per_day"
    assert peaked.number(per_day) == pytest.approx(flat.number(per_day) / 2, rel=1e-12)


def test_an_hourly_profile_takes_the_place_of_the_peak_factor() -> None:
    shares: tuple[float, ...] = tuple(2 / 24 if hour < 12 else 0.0 for hour in range(24))
    by_profile = results(LLAMA_3_70B, H100, **PRICES, hourly_profile=shares)
    by_factor = results(LLAMA_3_70B, H100, **PRICES, peak_factor=2.0)
    per_day = "replica_requests_per_day"
    assert by_profile.number(per_day) == pytest.approx(by_factor.number(per_day), rel=1e-12)


def test_the_cheaper_way_is_the_lower_bill() -> None:
    few = results(LLAMA_3_70B, H100, **PRICES, requests_per_day=1000.0)
    many = results(LLAMA_3_70B, H100, **PRICES, requests_per_day=300_000.0)
    assert few["cheaper_way"].value == "API"
    assert many["cheaper_way"].value == "self-hosted"
    assert results(LLAMA_3_70B, H100, tensor_parallel=4)["cheaper_way"].value is None
