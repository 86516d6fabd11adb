"""A workbook comes back: untouched it changes nothing, edited it brings the edits, and what is wrong has its cell."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from functools import cache
from pathlib import Path

import pytest
from openpyxl import load_workbook
from openpyxl.worksheet.worksheet import Worksheet

from catalog import load_catalog
from catalog.errors import BadFileError, MissingFileError
from exports.json_plan import Plan
from exports.workbook import render_workbook
from exports.workbook.layout import planner_layout
from exports.workbook.reading import Known, read_workbook
from planner.analysis.evaluated import evaluate_scenario
from planner.model.evaluation import Evaluated
from planner.model.fields import FieldValue
from planner.model.inputs import INPUTS
from planner.model.scenario import Scenario
from tests.exports.conftest import MOMENT
from tests.exports.office import LibreOffice
from tests.exports.plans import examples, unusual

IDS = [f"id-{number}" for number in range(10)]


def known_of(plans: list[Evaluated]) -> dict[str, Known]:
    return {uid: Known(one.scenario, ("a tag",), True) for uid, one in zip(IDS, plans, strict=False)}


@cache
def slim() -> bytes:
    """The Inputs sheet of the examples' workbook alone, which is quick to edit."""
    book = load_workbook(io.BytesIO(written(list(examples()))))
    for title in book.sheetnames:
        if title != "Inputs":
            del book[title]
    buffer = io.BytesIO()
    book.save(buffer)
    return buffer.getvalue()


def written(plans: list[Evaluated]) -> bytes:
    return render_workbook(plans, ids=IDS[: len(plans)], exported_at=MOMENT)


def read(path: Path, plans: list[Evaluated]) -> Plan:
    return read_workbook(path, load_catalog(), known_of(plans))


def edited(path: Path, edit: Callable[[Worksheet], object]) -> Path:
    book = load_workbook(io.BytesIO(slim()))
    edit(book["Inputs"])
    book.save(path)
    return path


def overridden() -> list[Evaluated]:
    catalog = load_catalog()
    changed = replace(examples()[3].scenario, overrides={"memory_bandwidth": 3.0e12, "weights_efficiency": 0.7})
    return [evaluate_scenario(changed, catalog), *unusual()[:3], examples()[4]]


@pytest.mark.parametrize("plans", [list(examples()), list(unusual()), overridden()], ids=["plain", "odd", "own facts"])
def test_an_untouched_workbook_changes_nothing(plans: list[Evaluated], tmp_path: Path) -> None:
    path = tmp_path / "plan.xlsx"
    path.write_bytes(written(plans))
    found = read(path, plans)
    assert found.problems == ()
    assert [one.scenario for one in found.scenarios] == [one.scenario for one in plans]
    assert all(one.tags == ("a tag",) and one.in_fleet for one in found.scenarios)
    assert found.provenance["moved_on"] == ""


@pytest.mark.libreoffice
@pytest.mark.parametrize("plans", [list(examples()), overridden()], ids=["plain", "own facts"])
def test_what_libreoffice_saves_changes_nothing(plans: list[Evaluated], office: LibreOffice, tmp_path: Path) -> None:
    path = tmp_path / "plan.xlsx"
    path.write_bytes(written(plans))
    (saved,) = office.convert([path], "xlsx")
    found = read(saved, plans)
    assert found.problems == ()
    assert [one.scenario for one in found.scenarios] == [one.scenario for one in plans]


def test_a_stranger_gets_the_scenarios_as_new_ones(tmp_path: Path) -> None:
    path = tmp_path / "plan.xlsx"
    path.write_bytes(written(list(examples())))
    found = read_workbook(path, load_catalog(), {})
    assert found.problems == ()
    for one, old in zip(found.scenarios, examples(), strict=True):
        assert (one.uid, one.tags, one.in_fleet) == ("", (), False)
        assert one.scenario == replace(old.scenario, notes="")


def test_edits_come_back_and_lines_may_move(tmp_path: Path) -> None:
    rows, plans = planner_layout().input_rows, list(examples())

    def edit(sheet: Worksheet) -> None:
        sheet.cell(rows["output_tokens"], 8).value = 900
        sheet.cell(rows["autoscale"], 8).value = "yes"
        sheet.cell(rows["memory_bandwidth"], 9).value = 4.0e12
        sheet.cell(5, 9).value = "Another name"
        sheet.cell(rows["tpot_target_ms"], 9).value = None
        sheet.insert_rows(4, 3)
        sheet.delete_cols(6)

    found = read(edited(tmp_path / "edited.xlsx", edit), plans)
    assert found.problems == ()
    assert len(found.scenarios) == 4
    first, second = found.scenarios[2], found.scenarios[3]
    assert first.scenario.values == {**plans[3].scenario.values, "output_tokens": 900, "autoscale": True}
    assert (first.uid, first.scenario.overrides) == (IDS[3], {})
    assert second.scenario.name == plans[4].scenario.name
    assert second.scenario.overrides == {"memory_bandwidth": 4.0e12}
    assert second.scenario.values["tpot_target_ms"] is None
    assert second.scenario.notes == plans[4].scenario.notes


@pytest.mark.parametrize(("name", "value", "words"), [
    ("prompt_tokens", "4,99", "is the text '4,99', not a number; it must be 1 to 100,000,000 tokens"),
    ("prompt_tokens", None, "must not be blank"), ("prompt_tokens", 0, "1 to 100,000,000 tokens"),
    ("prompt_tokens", 10.5, "whole number"), ("prompt_tokens", "#REF!", "is the error #REF!"),
    ("prompt_tokens", datetime(2026, 5, 4), "is the date 2026-05-04"),  # noqa: DTZ001
    ("prompt_tokens", "=1+1", "a formula without a result"), ("prompt_tokens", True, "is TRUE"),
    ("scheduling", "sometimes", "one of mixed"), ("autoscale", "perhaps", "yes or no"),
    ("hour_share_00", 0.5, "hour 1"), ("model", "qwen3-32b", "its facts do not follow in a workbook"),
    ("weight_format", "fp16", "its facts do not follow"), ("runtime_memory_gib", None, "can only be replaced"),
    ("spare_replicas", 100, ""), ("cached_share", 1.5, "0 to 1"), ("layers", -1, "0 to 1,000"),
])  # fmt: skip
def test_what_is_wrong_is_named_by_its_cell(name: str, value: FieldValue, words: str, tmp_path: Path) -> None:
    plans = list(examples())
    row = planner_layout().input_rows[name]

    def edit(sheet: Worksheet) -> None:
        sheet.cell(row, 8).value = value
        sheet.cell(planner_layout().input_rows["days_per_month"], 5).value = 400

    found = read(edited(tmp_path / "edited.xlsx", edit), plans)
    told = {one.path: one.text for one in found.problems}
    assert "0 and at most 31 days" in told["Inputs!E" + str(planner_layout().input_rows["days_per_month"])]
    if words:
        assert words in told[f"Inputs!H{planner_layout().input_rows[name]}"]
        assert len(told) == 2


def test_a_scenario_that_was_added_in_a_free_column(tmp_path: Path) -> None:
    rows, plans = planner_layout().input_rows, list(examples())

    def add(sheet: Worksheet) -> None:
        for name in INPUTS:
            if name in rows:
                sheet.cell(rows[name], 10).value = sheet.cell(rows[name], 8).value
        sheet.cell(rows["output_tokens"], 10).value = 900
        sheet.cell(5, 10).value = "Another service"

    found = read(edited(tmp_path / "added.xlsx", add), plans)
    assert found.problems == ()
    *_, added = found.scenarios
    assert (added.uid, added.scenario.name, added.scenario.overrides) == ("", "Another service", {})
    assert added.scenario.values["output_tokens"] == 900
    assert added.scenario.values["model"] == plans[3].scenario.values["model"]
    assert found.provenance.get("moved_on", "") == ""


def test_more_columns_than_are_read(tmp_path: Path) -> None:
    def widen(sheet: Worksheet) -> None:
        sheet.cell(6, 2001).value = "id"

    with pytest.raises(BadFileError, match="2,000 columns"):
        read(edited(tmp_path / "wide.xlsx", widen), list(examples()))


def test_rules_and_missing_lines(tmp_path: Path) -> None:
    rows, plans = planner_layout().input_rows, list(examples())

    def break_rule(sheet: Worksheet) -> None:
        sheet.cell(rows["cached_share"], 6).value = 0.9
        sheet.cell(rows["cache_write_share"], 6).value = 0.9

    (problem,) = read(edited(tmp_path / "rule.xlsx", break_rule), plans).problems
    assert str(problem).startswith("Inputs!F: Cached share + written share")
    missing = edited(tmp_path / "missing.xlsx", lambda sheet: sheet.delete_rows(rows["peak_factor"]))
    (problem,) = read(missing, plans).problems
    assert "peak_factor" in problem.text


def test_a_fact_without_a_line_is_the_catalogues(tmp_path: Path) -> None:
    plans, row = list(examples()), planner_layout().input_rows["memory_bandwidth"]
    found = read(edited(tmp_path / "older.xlsx", lambda sheet: sheet.delete_rows(row)), plans)
    assert found.problems == ()
    assert [one.scenario for one in found.scenarios] == [one.scenario for one in plans]


def test_a_plan_that_has_moved_on_is_noticed(tmp_path: Path) -> None:
    plans = list(examples())
    path = tmp_path / "plan.xlsx"
    path.write_bytes(written(plans))
    later = known_of(plans)
    values = {**plans[0].scenario.values, "output_tokens": 77}
    later[IDS[0]] = Known(Scenario(plans[0].scenario.name, values))
    assert read_workbook(path, load_catalog(), later).provenance["moved_on"] == "yes"


def zipped(**parts: bytes) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(name.replace("__", "/"), content)
    return buffer.getvalue()


def test_files_that_are_no_export(tmp_path: Path) -> None:
    whole = written(list(examples()))
    other = io.BytesIO()
    book = load_workbook(io.BytesIO(slim()))
    book["Inputs"].title = "Other"
    book.save(other)
    for number, content in enumerate(
        (b"", b"no archive", whole[: len(whole) // 2], zipped(a=b"b"), other.getvalue(),
         zipped(**{"xl__workbook.xml": b"<a/>", "[Content_Types].xml": b"<!DOCTYPE x [<!ENTITY a 'b'>]><x>&a;</x>"}))
    ):  # fmt: skip
        path = tmp_path / f"bad{number}.xlsx"
        path.write_bytes(content)
        with pytest.raises(BadFileError) as refused:
            read(path, [])
        assert str(refused.value).endswith(".")
        assert "\n" not in str(refused.value)
    with pytest.raises(MissingFileError):
        read(tmp_path / "none.xlsx", [])


def test_a_newer_form_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "newer.xlsx"
    buffer = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(written(list(examples())))) as old, zipfile.ZipFile(buffer, "w") as new:
        for info in old.infolist():
            part = old.read(info)
            if info.filename == "docProps/custom.xml":
                part = part.replace(b">1</vt:lpwstr>", b">2</vt:lpwstr>", 1)
            new.writestr(info.filename, part)
    path.write_bytes(buffer.getvalue())
    with pytest.raises(BadFileError, match="format 2"):
        read(path, list(examples()))
