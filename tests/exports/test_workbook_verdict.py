"""The workbook's verdict is the planner's and follows what is changed; low and high go when they no longer hold."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from openpyxl.utils import get_column_letter

from catalog import load_catalog
from exports.workbook import render_workbook
from exports.workbook.checks import CHIEF
from planner.analysis.evaluated import evaluate_scenario
from planner.analysis.verdict import verdicts
from planner.model.bands import band_of
from planner.model.display import display_of
from planner.model.evaluation import Evaluated
from planner.model.fields import FieldValue
from planner.model.inputs import check_values
from planner.model.rows import SHEET
from planner.model.scenario import Scenario
from tests.exports.conftest import MOMENT
from tests.exports.office import CellValue, Values, errors, read_values, rows_by_ref, unlike_operands, without_results
from tests.exports.plans import SERVICE, edited, examples, unusual
from tests.exports.test_workbook_recalculation import edited_workbook, recalculated_fast

BOUGHT: dict[str, FieldValue] = {"device_price_per_hour": None}


def plans(*changes: dict[str, FieldValue]) -> list[Evaluated]:
    catalog = load_catalog()
    return [
        evaluate_scenario(Scenario(f"Plan {number}", check_values(SERVICE | change)), catalog)
        for number, change in enumerate(changes, start=1)
    ]


SETS: dict[str, Callable[[], list[Evaluated]]] = {
    "examples": lambda: list(examples()),
    "unusual": lambda: list(unusual()),
    "one load": lambda: plans({}, {"tensor_parallel": 8}, {"device_price_per_hour": 2.0}, BOUGHT),
    "two alike": lambda: plans({}, {"tensor_parallel": 8}, {}),
    "some too slow": lambda: plans(
        {}, {"batch": 200.0, "tpot_target_ms": 20.0}, {"ttft_target_ms": 5.0, "replicas_fixed": 30}
    ),
    "another load": lambda: plans({}, {"output_tokens": 100}, {"output_tokens": 2000}),
    "another currency": lambda: plans({}, {"currency": "EUR"}),
    "none served": lambda: plans({"tensor_parallel": 1, "weight_format": "bf16"}, {"tpot_target_ms": 1.0}),
    "no price": lambda: plans({**BOUGHT, "input_price_per_million": None}, {**BOUGHT, "output_price_ratio": None}),
    "owned": lambda: plans({}, {**BOUGHT, "owned_device_price": 30_000.0}),
}


def line(values: Values, title: str, ref: str, count: int) -> list[CellValue]:
    row = rows_by_ref(values, title)[ref]
    return [values[title].get(f"{get_column_letter(5 + place)}{row}", "") for place in range(count)]


def agree(values: Values, scenarios: list[Evaluated]) -> None:
    """Asserts that the lines say what verdicts() says."""
    found, count = verdicts(scenarios), len(scenarios)
    costs = [one.cost for one in found if one.answer in ("served", "cheapest") and one.cost is not None]
    comparable = len({str(one.scenario.values["currency"]) for one in scenarios}) == 1
    flags = line(values, "Comparison", "verdict.cheapest", count)
    least = min(costs) if costs and comparable else None
    for place, one in enumerate(found):
        met = one.answer in ("served", "cheapest")
        assert line(values, "Comparison", "verdict.meets", count)[place] == float(met), (place, one)
        if met and one.cost is not None:
            assert line(values, "Comparison", "verdict.cost", count)[place] == pytest.approx(one.cost, rel=1e-12)
        is_least = met and one.cost is not None and least is not None and one.cost <= least * (1 + 1e-9)
        assert flags[place] == float(is_least), (place, one)
        above = line(values, "Comparison", "verdict.above", count)[place]
        if met and one.cost is not None and least:
            assert above == pytest.approx(one.cost / least - 1, abs=1e-9)
        else:
            assert above == ""
    row = rows_by_ref(values, "Comparison")["verdict.cheapest"]
    winner = next((place for place, flag in enumerate(flags) if flag == 1), None)
    assert values["Comparison"][f"D{row}"] == ("none" if winner is None else scenarios[winner].scenario.name)


@pytest.mark.parametrize("which", SETS)
def test_the_verdict_is_the_planners(which: str, tmp_path: Path) -> None:
    scenarios = SETS[which]()
    data = render_workbook(scenarios, exported_at=MOMENT)
    values = read_values(data)
    agree(values, scenarios)
    found = read_values(recalculated_fast(without_results(data), tmp_path))
    assert errors(found) == []
    assert unlike_operands(data, values, found) == []


@pytest.mark.parametrize("edits", [
    {1: {"device_price_per_hour": 0.5}}, {0: {"device_price_per_hour": 9.0}, 2: {"device_price_per_hour": None}},
    {1: {"output_tokens": 900}}, {0: {"tpot_target_ms": 0.01}, 1: {"ttft_target_ms": 1.0}},
    {place: {"requests_per_day": 900_000} for place in range(4)}, {3: {"input_price_per_million": 0.01}},
])  # fmt: skip
def test_the_verdict_follows_what_is_changed(edits: dict[int, dict[str, FieldValue]], tmp_path: Path) -> None:
    scenarios = SETS["one load"]()
    data = render_workbook(scenarios, exported_at=MOMENT)
    after = [edited(one, edits.get(place, {})) for place, one in enumerate(scenarios)]
    values = read_values(recalculated_fast(edited_workbook(data, edits), tmp_path))
    assert errors(values) == []
    agree(values, after)


def test_low_and_high_are_the_bands_until_an_input_moves(tmp_path: Path) -> None:
    scenarios = SETS["one load"]()
    data = render_workbook(scenarios, exported_at=MOMENT)
    stored = read_values(data)
    moved = read_values(recalculated_fast(edited_workbook(data, {1: {"output_tokens": 300}}), tmp_path))
    for name in CHIEF:
        for end in ("low", "high"):
            shown = line(stored, "Comparison", f"{name}.{end}", len(scenarios))
            for place, evaluated in enumerate(scenarios):
                wanted = getattr(band_of(evaluated)[name], end)
                if wanted is None:
                    assert shown[place] == ""
                else:
                    scale = display_of(SHEET.rows[name]).factor
                    assert shown[place] == pytest.approx(wanted * scale, rel=1e-12)
            after = line(moved, "Comparison", f"{name}.{end}", len(scenarios))
            assert after[1] == ""
            assert [after[place] for place in (0, 2, 3)] == pytest.approx([shown[place] for place in (0, 2, 3)])
