"""Many scenarios at once: the same results as one by one, in chunks, with progress and a way to stop."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from planner.model.evaluation import compute
from planner.model.fields import FieldValue, InputError
from planner.model.inputs import check_values
from planner.model.rows import SHEET
from planner.model.sweep import SweepCancelled, evaluate_cells, evaluate_many
from tests.model.builders import FITTED, H100, LLAMA_3_70B, facts, results
from tests.model.scenarios import Seeded, a_scenario

VALUES = a_scenario(Seeded(1), drafting=False, fixed_batch=False).values
FACTS = facts(H100, LLAMA_3_70B, FITTED)
OUTPUTS = ("tpot_s", "self_host_cost_per_month", "replicas", "serving_limit", "fits")


def test_points_are_the_scenarios_one_by_one() -> None:
    """Numbers, words of a choice, switches and blanks vary together; results equal evaluate()'s."""
    varying: dict[str, list[Any]] = {
        "requests_per_day": [10.0, 1e4, 1e6, 1e6],
        "scheduling": ["mixed", "prefill_first", "disaggregated", "mixed"],
        "flash_attention": [True, False, True, True],
        "tpot_target_ms": [math.nan, 50.0, 20.0, 1.0],
        "layers": [80, 80, 40, 8],
    }
    values: dict[str, FieldValue] = {"tensor_parallel": 8, "device_price_per_hour": 2.0}
    found = evaluate_many(check_values(values), FACTS, varying, OUTPUTS)
    for point in range(4):
        picked = {name: column[point] for name, column in varying.items() if name != "layers"}
        if picked["tpot_target_ms"] != picked["tpot_target_ms"]:
            picked["tpot_target_ms"] = None
        one = results(H100, LLAMA_3_70B, FITTED, {"layers": varying["layers"][point]}, **{**values, **picked})
        for name in OUTPUTS:
            wanted, result = one.number(name), float(found[name][point])
            assert math.isclose(wanted, result, rel_tol=1e-12) or (math.isnan(wanted) and math.isnan(result)), name


def test_chunks_change_nothing() -> None:
    points = np.geomspace(1, 1e8, 1001)
    whole = evaluate_many(VALUES, FACTS, {"requests_per_day": points}, OUTPUTS, chunk=2000)
    parts = evaluate_many(VALUES, FACTS, {"requests_per_day": points}, OUTPUTS, chunk=100)
    for name in OUTPUTS:
        np.testing.assert_array_equal(whole[name], parts[name])
        assert whole[name].shape == (1001,)


def test_scenarios_of_a_list() -> None:
    """Saved scenarios, each with cells of its own, give compute()'s numbers; an empty list gives empty arrays."""
    scenarios = [a_scenario(Seeded(seed)).cells() for seed in range(40)]
    rows = tuple(SHEET.rows)
    found = evaluate_cells(scenarios, rows)
    for position, cells in enumerate(scenarios):
        for name, wanted in zip(rows, compute(cells), strict=True):
            result = float(found[name][position])
            assert math.isclose(wanted, result, rel_tol=1e-12) or (math.isnan(wanted) and math.isnan(result)), name
    assert {name: len(column) for name, column in evaluate_cells([], OUTPUTS).items()} == dict.fromkeys(OUTPUTS, 0)
    alike = evaluate_cells([scenarios[0]] * 3, OUTPUTS)
    assert all(len(column) == 3 and len(np.unique(column)) == 1 for column in alike.values())


def test_a_masked_point_is_blank() -> None:
    masked = np.ma.masked_array([50.0, 1.0], mask=[False, True])
    found = evaluate_many(VALUES, FACTS, {"tpot_target_ms": masked}, OUTPUTS)
    listed = evaluate_many(VALUES, FACTS, {"tpot_target_ms": np.array([50.0, None], dtype=object)}, OUTPUTS)
    for name in OUTPUTS:
        np.testing.assert_array_equal(found[name], listed[name])


@pytest.mark.parametrize("chunk", [0, -1])
def test_a_chunk_has_points(chunk: int) -> None:
    with pytest.raises(InputError, match="1 point or more"):
        evaluate_many(VALUES, FACTS, {"peak_factor": [1.0]}, OUTPUTS, chunk=chunk)


def test_progress_and_cancel() -> None:
    points = np.linspace(1, 1000, 1000)
    told: list[tuple[int, int]] = []
    evaluate_many(
        VALUES, FACTS, {"prompt_tokens": points.round()}, OUTPUTS, chunk=300,
        progress=lambda done, total: told.append((done, total)),
    )  # fmt: skip
    assert told == [(300, 1000), (600, 1000), (900, 1000), (1000, 1000)]
    done: list[int] = []
    with pytest.raises(SweepCancelled):
        evaluate_many(
            VALUES, FACTS, {"prompt_tokens": points.round()}, OUTPUTS, chunk=300,
            progress=lambda reached, total: done.append(reached), cancelled=lambda: len(done) >= 2,
        )  # fmt: skip
    assert done == [300, 600]


@pytest.mark.parametrize(
    ("varying", "outputs", "sentence"),
    [
        ({}, OUTPUTS, "one or more varying cells"),
        ({"prompt_tokens": [1, 2], "output_tokens": [1]}, OUTPUTS, "of the same length"),
        ({"promt_tokens": [1]}, OUTPUTS, "There is no input or fact 'promt_tokens'; nearest: prompt_tokens"),
        ({"prompt_tokens": [1, 0]}, OUTPUTS, r"Prompt tokens \(prompt_tokens\) = '0"),
        ({"prompt_tokens": [1, 1.5]}, OUTPUTS, "must be a whole number"),
        ({"prompt_tokens": [1, math.nan]}, OUTPUTS, "must not be blank"),
        ({"peak_factor": [1, math.inf]}, OUTPUTS, "finite"),
        ({"peak_factor": ["many"]}, OUTPUTS, "must vary over numbers"),
        ({"peak_factor": [[1.0]]}, OUTPUTS, "list of values"),
        ({"peak_factor": []}, OUTPUTS, "list of values"),
        ({"peak_factor": [1, [2]]}, OUTPUTS, "list of values"),
        ({"peak_factor": [10**400]}, OUTPUTS, "must vary over numbers"),
        ({"peak_factor": [1 + 2j]}, OUTPUTS, "must vary over numbers"),
        ({"peak_factor": [True]}, OUTPUTS, "must vary over numbers"),
        ({"peak_factor": ["5"]}, OUTPUTS, "must vary over numbers"),
        ({"peak_factor": np.array(["2024-01-01"], dtype="datetime64[D]")}, OUTPUTS, "must vary over numbers"),
        ({"scheduling": ["mixed", None]}, OUTPUTS, "must not be blank"),
        ({"flash_attention": [True, {}]}, OUTPUTS, "single values|yes or no"),
        ({"scheduling": ["mixt"]}, OUTPUTS, "must be one of mixed"),
        ({"flash_attention": ["maybe"]}, OUTPUTS, "must be yes or no"),
        ({"prompt_tokens": [1]}, ("tpot",), "There is no row 'tpot'; nearest: tpot_s"),
    ],
)
def test_what_cannot_be_swept_is_named(
    varying: dict[str, list[object]], outputs: tuple[str, ...], sentence: str
) -> None:
    with pytest.raises(InputError, match=sentence):
        evaluate_many(VALUES, FACTS, varying, outputs)  # type: ignore[arg-type]
