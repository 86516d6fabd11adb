from __future__ import annotations

import pytest

from planner.analysis.projection import MONTHS, project
from tests.analysis.questions import evaluated


def test_month_0_is_the_scenario_itself_and_growth_compounds() -> None:
    found = evaluated(traffic_growth_per_month=0.1, output_growth_per_month=0.02, device_price_decline_per_month=0.01)
    months = project(found)
    assert len(months) == MONTHS
    assert months[0].self_host_cost == found.results.number("self_host_cost_per_month")
    assert months[0].api_cost == found.results.number("api_cost_per_month")
    for number, month in enumerate(months):
        assert month.requests_per_day == pytest.approx(100_000 * 1.1**number, rel=1e-12)
        assert month.output_tokens == pytest.approx(300 * 1.02**number, rel=1e-12)
        if month.devices is not None:
            assert month.self_host_cost == pytest.approx(month.devices * 720 * 2.5 * 0.99**number, rel=1e-12)


def test_cumulative_figures_are_sums() -> None:
    months = project(evaluated(traffic_growth_per_month=0.05), 12)
    assert months[-1].cumulative_api_cost == pytest.approx(sum(month.api_cost or 0 for month in months), rel=1e-12)
    assert [month.replicas for month in months] == sorted(month.replicas or 0 for month in months)


def test_what_cannot_be_served_any_more_is_blank_with_the_reason() -> None:
    months = project(evaluated(traffic_growth_per_month=0.5, replicas_fixed=2), 36)
    blank = [month for month in months if month.replicas is None]
    assert blank
    assert all(month.reason == "the fixed replicas cannot carry the peak" for month in blank)
    assert all(month.cumulative_self_host_cost is None for month in blank)
    assert months[-1].cumulative_api_cost is not None, "the API serves on"


@pytest.mark.parametrize("months", [0, 601])
def test_the_number_of_months_is_bounded(months: int) -> None:
    with pytest.raises(ValueError, match="must be 1 to 600"):
        project(evaluated(), months)
