"""Which results count as moved, and of which scenarios they are looked for."""

from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from catalog import load_catalog
from planner.analysis.evaluated import evaluate_scenario
from planner.analysis.moved import Comparison, Noted, Saved, Seen, compare, key_results, moved_results
from planner.model.evaluation import Evaluated
from planner.model.inputs import check_values
from planner.model.rows import SHEET
from planner.model.scenario import Scenario

CATALOG = load_catalog()
A = Scenario("A", check_values({"model": "llama-3.3-70b", "tensor_parallel": 4}))
RESULTS = key_results(evaluate_scenario(A, CATALOG))


@dataclass(frozen=True)
class Kept:
    id: int
    version: int
    scenario: Scenario


@dataclass(frozen=True)
class Before:
    scenario_version: int
    catalogue_version: str
    model_version: str
    results: dict[str, float | str | bool | None]


class Counting:
    """Evaluates, and counts how often."""

    def __init__(self) -> None:
        self.number = 0

    def __call__(self, scenario: Scenario) -> Evaluated:
        self.number += 1
        return evaluate_scenario(scenario, CATALOG)


def run(saved: list[Kept], seen: dict[int, Before], evaluate: Counting | None = None) -> Comparison:
    scenarios: list[Saved] = list(saved)
    before: dict[int, Seen] = dict(seen)
    return compare(scenarios, before, "new", evaluate or Counting(), model="2")


def changed(**results: float | str | bool | None) -> dict[str, float | str | bool | None]:
    return {**RESULTS, **results}


def test_the_key_results_are_those_that_the_sheet_marks() -> None:
    assert list(RESULTS) == [row.name for row in SHEET.rows.values() if row.key]
    assert isinstance(RESULTS["ttft_s"], float)


@pytest.mark.parametrize(
    ("before", "after", "relative"),
    [
        (100.0, 101.1, 0.011),
        (100.0, 98.9, -0.011),
        (-100.0, -102.0, -0.02),
        (0.0, 1.0, None),
        (None, 1.0, None),
        (1.0, None, None),
        ("memory", "compute", None),
        (True, False, None),
        (1.0, "compute", None),
    ],
)
def test_what_counts_as_moved(
    before: float | str | bool | None, after: float | str | bool | None, relative: float | None
) -> None:
    (found,) = moved_results("A", {"ttft_s": before}, {"ttft_s": after})
    assert (found.before, found.after) == (before, after)
    assert found.relative == (pytest.approx(relative) if relative is not None else None)


@pytest.mark.parametrize(
    ("before", "after"), [(100.0, 101.0), (100.0, 99.0), (0.0, 0.0), (None, None), ("a", "a"), (True, True), (4, 4.0)]
)
def test_what_does_not(before: float | str | bool | None, after: float | str | bool | None) -> None:
    assert moved_results("A", {"ttft_s": before}, {"ttft_s": after}) == []


def test_a_row_that_only_one_of_them_has_is_not_compared() -> None:
    assert moved_results("A", {"gone": 1.0}, {"ttft_s": 2.0}) == []


def test_a_scenario_seen_under_the_same_versions_is_not_evaluated() -> None:
    counting = Counting()
    found = run([Kept(1, 3, A)], {1: Before(3, "new", "2", changed(ttft_s=9.0))}, counting)
    assert counting.number == 0
    assert (found.moved, found.noted, found.versions) == ((), (), "")


@pytest.mark.parametrize(
    ("catalogue", "model", "versions"),
    [
        ("old", "2", "catalogue old → new"),
        ("new", "1", "model 1 → 2"),
        ("old", "1", "catalogue old → new, model 1 → 2"),
    ],
)
def test_another_catalogue_or_model_lists_what_moved(catalogue: str, model: str, versions: str) -> None:
    ttft = RESULTS["ttft_s"]
    assert isinstance(ttft, float)
    found = run([Kept(1, 3, A)], {1: Before(3, catalogue, model, changed(ttft_s=ttft / 2))})
    (only,) = found.moved
    assert (only.scenario, only.row, only.before, only.after) == ("A", "ttft_s", ttft / 2, ttft)
    assert only.relative == pytest.approx(1)
    assert found.versions == versions
    assert found.noted == (Noted(1, 3, RESULTS),)


def test_a_scenario_that_was_changed_itself_has_not_moved() -> None:
    found = run([Kept(1, 4, A)], {1: Before(3, "old", "1", changed(ttft_s=9.0))})
    assert found.moved == ()
    assert found.noted == (Noted(1, 4, RESULTS),)


def test_a_scenario_that_was_never_seen_is_noted() -> None:
    assert run([Kept(1, 1, A)], {}).noted == (Noted(1, 1, RESULTS),)


def test_a_scenario_that_can_no_longer_be_evaluated_says_so_once() -> None:
    gone = replace(A, values={**A.values, "accelerator": "gone-9000"})
    found = run([Kept(1, 3, gone)], {1: Before(3, "old", "1", RESULTS)})
    (only,) = found.moved
    assert only.row == ""
    assert "gone-9000" in only.problem
    assert found.noted == (Noted(1, 3, {}),)
    assert run([Kept(1, 3, gone)], {1: Before(3, "older", "1", {})}).moved == ()


def test_a_model_that_is_a_file_is_looked_at_whatever_the_versions(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    text = '[[model]]\nid = "mine"\nname = "Mine"\nvendor = "own"\nfamily = "mine"\nparameters = {0}\nactive = {0}\n'
    file.write_text(text.format(7_000_000_000))
    scenario = replace(A, values={**A.values, "model": str(file), "kv_format": "none"})
    before = Before(3, "new", "2", key_results(evaluate_scenario(scenario, CATALOG)))
    unmoved = run([Kept(1, 3, scenario)], {1: before})
    assert (unmoved.moved, unmoved.noted) == ((), ())
    file.write_text(text.format(14_000_000_000))
    found = run([Kept(1, 3, scenario)], {1: before})
    assert "weight_bytes" in {one.row for one in found.moved}
    assert found.versions == ""
    assert len(found.noted) == 1
