"""The workbook recalculates to the planner's numbers: as exported, and after any edit that the planner allows too."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from pathlib import Path

import formualizer
import pytest
from openpyxl.utils import get_column_letter

from exports.workbook import render_workbook
from exports.workbook.inputs import is_locked
from exports.workbook.layout import planner_layout
from planner.model.evaluation import Evaluated
from planner.model.facts import FACT_FIELDS
from planner.model.fields import Field, FieldValue, InputError
from planner.model.inputs import INPUTS
from tests.exports.conftest import MOMENT
from tests.exports.office import (
    CellValue,
    LibreOffice,
    differences,
    disagreements,
    errors,
    parts_by_title,
    read_values,
    rows_by_ref,
    unlike_operands,
    with_cells,
    without_results,
)
from tests.exports.plans import edited, examples, unusual

Save = Callable[[str, bytes], Path]
EDITS_PER_SCENARIO = 6
SEEDS = (11, 12, 13, 14, 15)


def recalculated_fast(data: bytes, folder: Path) -> bytes:
    """``data`` recalculated by a second engine."""
    source, target = folder / "source.xlsx", folder / "recalculated.xlsx"
    source.write_bytes(data)
    formualizer.recalculate_xlsx_file(str(source), str(target))
    return target.read_bytes()


def test_stored_results_are_the_planners(workbook: bytes, scenarios: list[Evaluated]) -> None:
    assert disagreements(read_values(workbook), [e.results for e in scenarios], within=0.0) == []


@pytest.mark.libreoffice
def test_libreoffice_computes_every_cell_from_a_file_without_results(
    workbook: bytes, office: LibreOffice, save: Save, scenarios: list[Evaluated]
) -> None:
    (found,) = office.convert([save("bare.xlsx", without_results(workbook))], "xlsx")
    values = read_values(found)
    assert errors(values) == []
    assert disagreements(values, [e.results for e in scenarios]) == []
    assert unlike_operands(workbook, read_values(workbook), values) == []


@pytest.mark.parametrize("which", ["example_workbook", "unusual_workbook"])
def test_a_second_engine_agrees(which: str, request: pytest.FixtureRequest, tmp_path: Path) -> None:
    data = request.getfixturevalue(which)
    values = read_values(recalculated_fast(without_results(data), tmp_path))
    assert errors(values) == []
    assert unlike_operands(data, read_values(data), values) == []


@pytest.mark.libreoffice
def test_a_wrong_stored_result_is_caught(
    example_workbook: bytes, tmp_path: Path, save: Save, office: LibreOffice
) -> None:
    """What these tests do would see a wrong result; opening the file as people do would not."""
    model = planner_layout().model_rows["step_time_s"]
    part = parts_by_title(example_workbook)["Model"]
    poisoned = poison(example_workbook, part, f"E{model}")
    recalculating = office.convert([save("poisoned.xlsx", poisoned)], "xlsx")[0]
    trusting = LibreOffice(tmp_path / "trusting", recalculate=False).convert([save("trusted.xlsx", poisoned)], "xlsx")[
        0
    ]
    assert differences(read_values(poisoned), read_values(recalculating)) != []
    assert read_values(recalculating)["Model"][f"E{model}"] == pytest.approx(
        examples()[0].results.number("step_time_s"), rel=1e-9
    )
    assert read_values(trusting)["Model"][f"E{model}"] == 999.0


def poison(data: bytes, part: str, coordinate: str) -> bytes:
    """``data`` with 999 as the stored result of one formula."""
    import io
    import re
    import zipfile

    buffer = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as new:
        for info in old.infolist():
            content = old.read(info).decode("utf-8", "surrogateescape")
            if info.filename == part:
                content, count = re.subn(rf'(<c r="{coordinate}"[^>]*><f>[^<]*</f><v>)[^<]*', r"\g<1>999", content)
                assert count == 1
            new.writestr(info.filename, content.encode("utf-8", "surrogateescape"))
    return buffer.getvalue()


# Edits


def editable() -> list[Field]:
    """The fields whose cells are open to edits, the hours' shares apart: they only change together."""
    return [cell for cell in [*INPUTS.values(), *FACT_FIELDS.values()] if not is_locked(cell) and cell.kind != "shares"]


def random_value(cell: Field, now: FieldValue, chance: random.Random) -> FieldValue:
    """Another allowed value of ``cell``, not far from ``now``."""
    if cell.kind == "choice":
        return chance.choice(cell.choices)
    if cell.kind == "switch":
        return not now
    if cell.optional and now is not None and chance.random() < 0.3:
        return None
    low = cell.low if cell.low is not None else 0.0
    high = cell.high if cell.high is not None else 1e12
    start = float(now) if isinstance(now, (int, float)) else chance.choice([1.0, 10.0, 100.0, 1000.0])
    value = min(high, max(low, start * chance.uniform(0.5, 1.9) if start else chance.uniform(0, 1)))
    return round(value) if cell.kind == "integer" else value


def random_edits(evaluated: Evaluated, chance: random.Random) -> tuple[Evaluated, dict[str, FieldValue]]:
    """A few edits that the planner accepts together, and what it makes of them."""
    while True:
        cells = chance.sample(editable(), EDITS_PER_SCENARIO)
        edits: dict[str, FieldValue] = {}
        for cell in cells:
            fact = evaluated.facts.get(cell.name)
            now = fact.value if fact is not None else evaluated.scenario.values.get(cell.name)
            edits[cell.name] = random_value(cell, now, chance)
        try:
            return edited(evaluated, edits), edits
        except InputError:
            continue


def cell_value(value: FieldValue) -> CellValue | None:
    """A value as a cell holds it."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    assert not isinstance(value, tuple)
    return float(value) if isinstance(value, int) else value


def edited_workbook(
    data: bytes, edits: Mapping[int, Mapping[str, FieldValue]], titles: Mapping[str, str] | None = None
) -> bytes:
    """The workbook with edited input cells (by position of the scenario) and no stored results."""
    rows = planner_layout().input_rows
    cells = {
        ("Inputs", f"{get_column_letter(5 + position)}{rows[name]}"): cell_value(value)
        for position, values in edits.items()
        for name, value in values.items()
    }
    return without_results(with_cells(data, cells, titles or parts_by_title(data)))


def random_copies(base: list[Evaluated], data: bytes, seed: int) -> tuple[list[Evaluated], bytes]:
    chance = random.Random(seed)  # noqa: S311
    plans, edits = [], {}
    for position, evaluated in enumerate(base):
        plan, edits[position] = random_edits(evaluated, chance)
        plans.append(plan)
    return plans, edited_workbook(data, edits)


@pytest.mark.libreoffice
@pytest.mark.slow
def test_libreoffice_follows_random_edits(example_workbook: bytes, office: LibreOffice, save: Save) -> None:
    expected, files = [], []
    for seed in SEEDS:
        plans, data = random_copies(list(examples()), example_workbook, seed)
        expected.append(plans)
        files.append(save(f"edited{seed}.xlsx", data))
    for plans, found in zip(expected, office.convert(files, "xlsx"), strict=True):
        values = read_values(found)
        assert errors(values) == []
        assert disagreements(values, [plan.results for plan in plans]) == []


@pytest.mark.parametrize("seed", range(101, 113))
def test_a_second_engine_follows_random_edits(seed: int, unusual_workbook: bytes, tmp_path: Path) -> None:
    plans, data = random_copies(list(unusual()), unusual_workbook, seed)
    values = read_values(recalculated_fast(data, tmp_path))
    assert errors(values) == []
    assert disagreements(values, [plan.results for plan in plans]) == []


@pytest.mark.parametrize("edits", [
    {"requests_per_day": 0}, {"prompt_tokens": 1, "output_tokens": 0, "reasoning_tokens": 1}, {"batch": 1.0},
    {"prefix_cache_hit": 1.0}, {"draft_acceptance": 1.0, "draft_tokens": 8}, {"target_utilization": 0.01},
    {"max_batch": 1}, {"layers": 0, "heads": 0, "kv_heads": 0, "hidden_size": 0, "vocabulary": 0},
    {"input_price_per_million": 0.0, "output_price_ratio": 0.0}, {"kv_bits": 0.0}, {"runtime_memory_gib": None},
    {"device_price_per_hour": None}, {"device_price_per_hour": 0.0},
    {"latency_convention": "benchmark", "output_tokens": 1},
    {"experts": 0, "experts_per_token": 0, "expert_parameters": 0.0}, {"days_per_month": 1e-9},
])  # fmt: skip
def test_a_second_engine_follows_edits_to_the_limits(
    edits: dict[str, FieldValue], unusual_workbook: bytes, tmp_path: Path
) -> None:
    plans = [edited(evaluated, edits) for evaluated in unusual()]
    data = edited_workbook(unusual_workbook, dict.fromkeys(range(len(plans)), edits))
    values = read_values(recalculated_fast(data, tmp_path))
    assert errors(values) == []
    assert disagreements(values, [plan.results for plan in plans]) == []


# The rest of the workbook follows too


def test_the_comparison_follows_its_baseline(example_workbook: bytes, tmp_path: Path) -> None:
    titles = parts_by_title(example_workbook)
    moved = without_results(with_cells(example_workbook, {("Comparison", "D4"): 5.0}, titles))
    fresh = render_workbook(examples(), baseline=4, exported_at=MOMENT)
    found, wanted = read_values(recalculated_fast(moved, tmp_path)), read_values(fresh)
    assert wanted["Comparison"]["D6"] == examples()[4].scenario.name
    assert differences({"Comparison": found["Comparison"]}, {"Comparison": wanted["Comparison"]}) == []


def test_the_chart_follows_its_cell(example_workbook: bytes, tmp_path: Path) -> None:
    values = read_values(example_workbook)
    rows = rows_by_ref(values, "Comparison")
    chosen, shown = rows["chart_result"], rows["chart_value"]
    cells = {("Comparison", f"D{chosen}"): "Prefill time"}
    moved = without_results(with_cells(example_workbook, cells, parts_by_title(example_workbook)))
    found = read_values(recalculated_fast(moved, tmp_path))["Comparison"]
    assert [found[f"{c}{shown}"] for c in "EFGHI"] == [found[f"{c}{rows['prefill_time_s']}"] for c in "EFGHI"]
    assert found[f"D{shown}"] == "ms"


@pytest.mark.parametrize(("name", "value", "check"), [
    ("memory_utilization", 1.5, "memory_utilization.bounds"), ("tensor_parallel", 0.0, "tensor_parallel.bounds"),
    ("prompt_tokens", "many", "prompt_tokens.bounds"), ("prompt_tokens", None, "prompt_tokens.bounds"),
    ("prompt_tokens", 10.5, "prompt_tokens.bounds"), ("link_gbps", "fast", "link_gbps.bounds"),
    ("scheduling", "sometimes", "scheduling.word"), ("hour_share_03", 0.5, "hourly_profile.sum"),
    ("cached_share", 1.0, "prompt_shares_fit"), ("peak_factor", 0.5, "peak_factor.bounds"),
    ("ttft_target_ms", 0.0, "ttft_target_ms.bounds"), ("weight_bits", 65.0, "weight_bits.bounds"),
])  # fmt: skip
def test_a_check_notices(
    name: str, value: CellValue | None, check: str, example_workbook: bytes, tmp_path: Path
) -> None:
    rows = planner_layout().input_rows
    cells = {("Inputs", f"F{rows[name]}"): value}
    if name == "cached_share":
        cells["Inputs", f"F{rows['cache_write_share']}"] = 0.5
    titles = parts_by_title(example_workbook)
    values = read_values(recalculated_fast(without_results(with_cells(example_workbook, cells, titles)), tmp_path))
    at = rows_by_ref(values, "Checks")[check]
    assert values["Checks"][f"F{at}"] == 0.0
    assert values["Checks"][f"D{at}"] == 0.0
    assert values["Checks"][f"E{at}"] == 1.0
    assert values["Checks"]["D3"] == 0.0
    assert values["Comparison"]["D3"] == values["Inputs"]["D3"] == values["Model"]["D3"] == 0.0


def test_checks_say_what_changed_since_the_export(example_workbook: bytes, tmp_path: Path) -> None:
    row = planner_layout().input_rows["output_tokens"]
    titles = parts_by_title(example_workbook)
    moved = without_results(with_cells(example_workbook, {("Inputs", f"G{row}"): 900.0}, titles))
    values = read_values(recalculated_fast(moved, tmp_path))["Checks"]
    rows = rows_by_ref(read_values(example_workbook), "Checks")
    assert values[f"G{rows['latency_s.unchanged']}"] == 0.0
    assert values[f"F{rows['latency_s.unchanged']}"] == 1.0
    assert values[f"G{rows['weight_bytes.unchanged']}"] == 1.0
    assert values["D3"] == 1.0


def test_unusual_scenarios_pass_the_checks() -> None:
    data = render_workbook(unusual(), exported_at=MOMENT)
    values = read_values(data)["Checks"]
    assert values["D3"] == 1.0
