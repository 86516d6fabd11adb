from __future__ import annotations

from planner.analysis.fleet_total import fleet_total
from tests.analysis.questions import evaluated


def test_totals_are_sums() -> None:
    fleet = [evaluated("chat"), evaluated("search", requests_per_day=800_000.0)]
    totals = fleet_total(fleet)
    for name in ("devices", "self_host_cost_per_month", "calls_per_day"):
        assert totals[name].value == sum(member.results.number(name) for member in fleet)


def test_a_blank_member_is_named_in_place_of_a_sum() -> None:
    fleet = [evaluated("chat"), evaluated("free", device_price_per_hour=None)]
    total = fleet_total(fleet)["self_host_cost_per_month"]
    assert total.value is None
    assert total.missing == ("free",)


def test_currencies_are_not_added_up() -> None:
    fleet = [evaluated("chat"), evaluated("europe", currency="EUR")]
    totals = fleet_total(fleet)
    assert totals["api_cost_per_month"].missing == ("chat", "europe")
    assert totals["devices"].value is not None


def test_an_empty_fleet_has_no_total() -> None:
    assert all(total.value is None for total in fleet_total([]).values())
