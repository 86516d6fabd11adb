"""JSON exports as they are read back: everything comes back, and whatever is wrong is named with its place."""

import json
import math
from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from catalog.book import Overlay, load_catalog
from catalog.errors import BadFileError, MissingFileError
from exports.json import FORMAT, Saved, render_json
from exports.json_plan import MAX_BYTES, plan_from, read_plan
from exports.own import own_entries
from planner.analysis.evaluated import evaluate_scenario
from planner.model.evaluation import Evaluated
from planner.model.inputs import INPUTS, default_values
from planner.model.scenario import Scenario

DEVICE = {
    "id": "our-card", "name": "Our card", "vendor": "Own", "memory_label_gb": 96, "bandwidth_tb_s": 2.5,
    "dense_tflops": {"bf16": 400}, "sources": ["own-sheet"], "date": "2026-10",
}  # fmt: skip
OWN: dict[str, Any] = {
    "accelerator": [DEVICE, {**DEVICE, "id": "spare-card", "name": "Spare card", "sources": []}],
    "model": [{"id": "our-model", "name": "Our model", "vendor": "Own", "family": "own", "parameters": 10**9}],
    "profile": [{"id": "our-profile", "name": "Our profile", "factors": {"weights_efficiency": 0.5}}],
    "device_prices": [
        {"id": "our-lease", "name": "Lease", "seller": "Us", "date": "2026-10-01", "rows": [
            {"device": "our-card", "usd_h": 1.5}]},
        {"id": "no-lease", "name": "Lease", "seller": "Them", "date": "2026-10-01", "rows": [
            {"device": "spare-card", "usd_h": 1.5}]},
    ],
    "commitment": [{"id": "our-term", "name": "Term", "seller": "us", "scope": "all", "date": "2026-10-01",
                    "discounts": [{"plan": "1_year", "discount": 0.3}]}],
    "source": [
        {"id": "own-sheet", "title": "Our data sheet", "date": "2026-10-01"},
        {"id": "other-sheet", "title": "Another", "date": "2026-10-01"},
    ],
}  # fmt: skip
SHARES = tuple([0.0, 2 / 24] * 12)


def scenario() -> Scenario:
    """A scenario on entries of one's own."""
    values = default_values() | {
        "accelerator": "Our card", "model": "our-model", "efficiency_profile": "our-profile", "batch": 4,
        "hourly_profile": SHARES,
    }  # fmt: skip
    return Scenario("On ours", values, {"memory_bandwidth": 2e12}, "first line\nsecond, =1+1")


@pytest.fixture(scope="module")
def written() -> dict[str, Any]:
    """A document of two scenarios, one on entries of one's own."""
    book = load_catalog([Overlay.from_document(OWN, "own")])
    chosen: list[Evaluated] = [
        evaluate_scenario(one, book) for one in (Scenario("Plain", default_values()), scenario())
    ]
    own = own_entries(book, [one.scenario for one in chosen])
    saved = [Saved(), Saved(("a", "b"), in_fleet=True)]
    about = {"catalogue_version": book.version, "model_version": "1"}
    raw = render_json(chosen, baseline=1, ids=["x" * 32, "y" * 32], saved=saved, own=own, provenance=about)
    document: dict[str, Any] = json.loads(raw)
    return document


@pytest.fixture
def document(written: dict[str, Any]) -> dict[str, Any]:
    return deepcopy(written)


def refused(document: dict[str, Any]) -> dict[str, str]:
    """What is wrong, by place."""
    return {one.path: one.text for one in plan_from(document, "plan.json").problems}


def test_what_is_used_goes_with_the_scenarios_and_nothing_else(document: dict[str, Any]) -> None:
    carried = {kind: [one["id"] for one in found] for kind, found in document["catalogue"].items() if kind != "schema"}
    assert carried == {
        "accelerator": ["our-card"], "model": ["our-model"], "profile": ["our-profile"],
        "device_prices": ["our-lease"], "commitment": ["our-term"], "source": ["own-sheet"],
    }  # fmt: skip
    assert document["format"] == FORMAT
    assert document["provenance"]["catalogue_version"].startswith(load_catalog().version)


def test_everything_comes_back(document: dict[str, Any]) -> None:
    plan = plan_from(document, "plan.json")
    assert plan.problems == ()
    assert plan.baseline == "On ours"
    back = plan.scenarios[1]
    assert back.scenario == scenario()
    assert back.scenario.values["hourly_profile"] == SHARES
    assert (back.tags, back.in_fleet, back.defaulted) == (("a", "b"), True, ())
    assert back.rows["tpot_s"] == document["scenarios"][1]["rows"]["tpot_s"]["value"]
    assert (
        plan.own.entries["accelerator"]["our-card"]
        == Overlay.from_document(OWN, "x").entries["accelerator"]["our-card"]
    )
    assert plan.own_paths["profile", "our-profile"] == "$.catalogue.profile[0]"
    again = load_catalog([plan.own])
    for one, raw in zip(plan.scenarios, document["scenarios"], strict=True):
        results = evaluate_scenario(one.scenario, again).results
        assert {name: row["value"] for name, row in raw["rows"].items()} == {
            name: results[name].value for name in raw["rows"]
        }


def test_what_is_missing_has_its_default_and_is_named(document: dict[str, Any]) -> None:
    del document["scenarios"][0]["inputs"]["batch"]
    for name in ("notes", "tags", "fleet", "overrides", "facts", "rows", "id"):
        del document["scenarios"][0][name]
    for name in ("catalogue", "baseline", "provenance", "exported_at"):
        del document[name]
    plan = plan_from(document, "plan.json")
    assert plan.problems == ()
    assert plan.scenarios[0].defaulted == ("batch",)
    assert plan.scenarios[0].scenario.values["batch"] == INPUTS["batch"].default


def put(path: str, value: object) -> Callable[[dict[str, Any]], None]:
    """Sets the value at a path like ``scenarios.0.name``; ``...`` deletes it."""

    def change(document: Any) -> None:
        *above, last = path.split("/")
        for part in above:
            document = document[int(part) if part.isdecimal() else part]
        if value is ...:
            del document[last]
        else:
            document[int(last) if last.isdecimal() else last] = value

    return change


@pytest.mark.parametrize(
    ("path", "value", "place", "words"),
    [
        ("scenarioz", 1, "$.scenarioz", "nearest: scenarios"),
        ("scenarios", [], "$.scenarios", "no scenario"),
        ("scenarios", {}, "$.scenarios", "a list"),
        ("scenarios/0", "x", "$.scenarios[0]", "an object"),
        ("scenarios/0/name", ..., "$.scenarios[0].name", "missing"),
        ("scenarios/0/name", 7, "$.scenarios[0].name", "text"),
        ("scenarios/0/note", "x", "$.scenarios[0].note", "nearest: notes"),
        ("scenarios/0/tags", "x", "$.scenarios[0].tags", "a list"),
        ("scenarios/0/tags", ["a", 1], "$.scenarios[0].tags[1]", "a text"),
        ("scenarios/0/fleet", 1, "$.scenarios[0].fleet", "true or false"),
        ("scenarios/0/inputs", ..., "$.scenarios[0].inputs", "object"),
        ("scenarios/0/inputs/bach", 1, "$.scenarios[0].inputs.bach", "nearest: batch"),
        ("scenarios/0/inputs/layers", 1, "$.scenarios[0].inputs.layers", "overrides"),
        ("scenarios/0/inputs/no way", 1, "$.scenarios[0].inputs['no way']", "no such input"),
        ("scenarios/0/inputs/batch", "4", "$.scenarios[0].inputs.batch", "(batch) = '4' is refused"),
        ("scenarios/0/inputs/batch", -4, "$.scenarios[0].inputs.batch", "(batch) = '-4' is refused"),
        ("scenarios/0/inputs/batch", True, "$.scenarios[0].inputs.batch", "must be a number"),
        ("scenarios/0/inputs/batch", math.nan, "$.scenarios[0].inputs.batch", "not finite"),
        ("scenarios/0/inputs/batch", 10**4000, "$.scenarios[0].inputs.batch", "not finite"),
        ("scenarios/0/inputs/hourly_profile", [0.5] * 24, "$.scenarios[0].inputs.hourly_profile", "sum to 1"),
        ("scenarios/0/inputs/hourly_profile", [math.inf] * 24, "$.scenarios[0].inputs.hourly_profile[0]", "finite"),
        ("scenarios/0/inputs/output_tokens", 0, "$.scenarios[0].inputs", "at least 1 token"),
        ("scenarios/0/overrides/layer", 1, "$.scenarios[0].overrides.layer", "nearest: layers"),
        ("scenarios/0/overrides/layers", -1, "$.scenarios[0].overrides.layers", "is refused"),
        ("scenarios/0/rows", [], "$.scenarios[0].rows", "an object"),
        ("scenarios/0/facts/layers/value", -math.inf, "$.scenarios[0].facts.layers.value", "not finite"),
        ("baseline", "Pla", "$.baseline", "nearest: Plain"),
        ("catalogue/modl", [], "$.catalogue.modl", "nearest: model"),
        ("catalogue/schema", 2, "$.catalogue.schema", "not known"),
        ("catalogue/model", {}, "$.catalogue.model", "a list"),
        ("catalogue/model/0", {}, "$.catalogue.model[0]", "missing"),
        ("catalogue/model/0", 3, "$.catalogue.model[0]", "an object"),
        ("catalogue/model/0/id", "No Id", "$.catalogue.model[0]", "is no id"),
        ("catalogue/accelerator/0/bandwidth_tb_s", -1, "$.catalogue.accelerator[0]", "bandwidth_tb_s = -1"),
        ("catalogue/accelerator/0/bandwidth", 1, "$.catalogue.accelerator[0]", "bandwidth is not known"),
        ("catalogue/accelerator/0/power_w", math.nan, "$.catalogue.accelerator[0].power_w", "not finite"),
        ("catalogue/source/0/date", "soon", "$.catalogue.source[0]", "is no date"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_named_with_its_place(
    document: dict[str, Any], path: str, value: object, place: str, words: str
) -> None:
    put(path, value)(document)
    assert words in refused(document).get(place, str(refused(document)))


def test_all_problems_are_told_at_once(document: dict[str, Any]) -> None:
    put("scenarios/0/inputs/batch", "x")(document)
    put("scenarios/1/inputs/accelerator", 1)(document)
    put("scenarios/1/overrides/layers", math.nan)(document)
    put("catalogue/model/0/parameters", 0)(document)
    document["catalogue"]["accelerator"].append(DEVICE)
    found = refused(document)
    assert len(found) == 5
    assert "twice" in found["$.catalogue.accelerator[1]"]


@pytest.mark.parametrize(
    ("raw", "words"),
    [
        (b"", "empty"),
        (b"[1]", "JSON object"),
        (b"{", "not JSON"),
        (b'{"format": 1}', "no export"),
        (b'{"model_type": "llama", "layers": 3}', "no export"),
        (b'{"format": 2, "scenarios": []}', "reads format 1"),
        (b'{"format": true, "scenarios": []}', "format True"),
        (b'{"format": 1, "format": 1, "scenarios": []}', "twice"),
        (b'{"format": 1, "scenarios": ' + b"[" * 200_000, "levels deep"),
        (b'{"format": 1, "scenarios": ' + b"[" * 40 + b"]" * 40 + b"}", "levels deep"),
        (b'{"format": 1, "scenarios": ' + b"9" * 5000 + b"}", "not usable"),
        (b'{"format": 1, "scenarios": "\xff"}', "UTF-8"),
        (b"PK\x03\x04 and so on", "workbook"),
    ],
)
def test_what_is_no_export_is_refused_in_one_sentence(tmp_path: Path, raw: bytes, words: str) -> None:
    path = tmp_path / "plan.json"
    path.write_bytes(raw)
    with pytest.raises(BadFileError, match=words) as raised:
        read_plan(path)
    assert "\n" not in str(raised.value)


def test_files_of_another_kind_are_refused(tmp_path: Path) -> None:
    with pytest.raises(BadFileError, match="not a JSON export"):
        read_plan(tmp_path / "plan.xlsx")
    with pytest.raises(MissingFileError):
        read_plan(tmp_path / "none.json")
    with pytest.raises(BadFileError, match="regular"):
        read_plan(tmp_path)
    large = tmp_path / "large.json"
    with large.open("wb") as file:
        file.truncate(MAX_BYTES + 1)
    with pytest.raises(BadFileError, match="larger than 64 MB"):
        read_plan(large)


NASTY = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=5), st.just(10**400), st.just("\ud800"),
    st.lists(st.none() | st.integers(), max_size=2), st.dictionaries(st.text(max_size=4), st.floats(), max_size=2),
)  # fmt: skip


def places(value: object, path: str = "") -> list[str]:
    """All places in a document, as put() takes them."""
    found = [path] if path else []
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for name, inner in items:
        found += places(inner, f"{path}/{name}" if path else str(name))
    return found


@settings(max_examples=150, deadline=None)
@given(data=st.data())
def test_a_damaged_document_is_refused_or_sound_and_never_more(written: dict[str, Any], data: st.DataObject) -> None:
    document = deepcopy(written)
    for _ in range(data.draw(st.integers(1, 3))):
        put(data.draw(st.sampled_from(places(document))), data.draw(NASTY | st.just(...)))(document)
    try:
        plan = plan_from(document, "plan.json")
    except BadFileError:
        return
    if plan.problems:
        assert all(one.path.startswith("$") and one.text for one in plan.problems)
        return
    for one in plan.scenarios:
        assert set(one.scenario.values) == set(INPUTS)
        for name, value in one.scenario.values.items():
            assert INPUTS[name].check(value) == value


@settings(max_examples=100, deadline=None)
@given(st.recursive(NASTY, lambda inner: st.dictionaries(st.text(max_size=6), inner, max_size=3), max_leaves=8))
def test_any_document_is_refused_or_has_problems(value: object) -> None:
    plan = plan_from({"format": 1, "scenarios": [value], "catalogue": {"model": [value]}}, "plan.json")
    assert plan.problems
