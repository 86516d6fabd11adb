"""CSV, JSON and Markdown say what the planner computed, and do nothing that a reader does not expect."""

from __future__ import annotations

import csv
import io
import json
import re
from datetime import UTC, datetime
from pathlib import Path

import pytest

from exports.by_ending import ENDINGS, write_export
from exports.csv import render_csv
from exports.files import ExportError
from exports.json import render_json
from exports.markdown import escaped, render_markdown
from exports.workbook import Provenance
from planner.model.facts import FACT_FIELDS
from planner.model.inputs import INPUTS
from planner.model.rows import SHEET
from tests.exports.plans import examples, renamed, unusual
from tests.exports.test_workbook_safety import HOSTILE

MOMENT = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
ALL = [*examples(), *unusual()]


def csv_rows() -> dict[str, dict[str, str]]:
    reader = csv.DictReader(io.StringIO(render_csv(ALL).decode()))
    return {row["name"]: row for row in reader}


def test_csv_holds_every_quantity_of_every_scenario() -> None:
    rows = csv_rows()
    assert set(rows) == set(INPUTS) | set(FACT_FIELDS) | set(SHEET.rows)
    for evaluated in ALL:
        column = evaluated.scenario.name
        for name in SHEET.rows:
            value, text = evaluated.results[name].value, rows[name][column]
            if value is None:
                assert text == ""
            elif isinstance(value, bool):
                assert text == ("yes" if value else "no")
            elif isinstance(value, str):
                assert text == value
            else:
                assert float(text) == value
        assert rows["model"][column] == evaluated.scenario.values["model"]
    shares = rows["hourly_profile"]["Profile and autoscaling"].split()
    assert sum(map(float, shares)) == pytest.approx(1)


def test_csv_defuses_texts_that_look_like_formulas() -> None:
    plans = [renamed(examples()[0], name) for name in HOSTILE]
    header = next(csv.reader(io.StringIO(render_csv(plans).decode())))[5:]
    assert len(header) == len(HOSTILE)
    assert not any(name.startswith(("=", "+", "-", "@", "\t", "\r")) for name in header)
    assert header[0] == f"'{HOSTILE[0]}"
    assert "名前 Ünïcode" in header


def test_json_can_be_read_back_and_holds_sources_and_reasons() -> None:
    provenance = {"workspace": "Examples"}
    data = render_json(
        ALL, baseline=2, ids=[str(n) for n in range(len(ALL))], provenance=provenance, exported_at=MOMENT
    )
    content = json.loads(data, parse_constant=lambda text: pytest.fail(f"{text} is no JSON"))
    assert content["baseline"] == examples()[2].scenario.name
    assert content["exported_at"] == "2026-11-30T12:00:00+00:00"
    assert content["provenance"] == provenance
    for evaluated, found in zip(ALL, content["scenarios"], strict=True):
        assert found["name"] == evaluated.scenario.name
        assert set(found["inputs"]) == set(INPUTS)
        assert found["facts"]["layers"]["value"] == evaluated.facts["layers"].value
        assert found["facts"]["memory_bandwidth"]["source"]
        for name in SHEET.rows:
            result = evaluated.results[name]
            assert found["rows"][name]["value"] == result.value
            assert found["rows"][name]["unit"] == SHEET.rows[name].unit
            assert ("reason" in found["rows"][name]) == (result.value is None)


def test_markdown_is_a_table_with_changes_to_the_baseline() -> None:
    text = render_markdown(examples(), baseline=3, exported_at=MOMENT).decode()
    lines = [line for line in text.splitlines() if line.startswith("|")]
    assert {line.count(" | ") for line in lines} == {6}
    assert len(lines) == 2 + sum(row.key for row in SHEET.rows.values())
    tpot = next(line for line in lines if line.startswith("| TPOT |"))
    assert re.search(r"\| 7 \([−+]\d+(\.\d)?%\) \|", tpot)
    assert "2026-11-30 12:00 UTC" in text
    assert "## Why a result is blank" in text
    assert "neither a device price per hour" in text


@pytest.mark.parametrize("name", HOSTILE)
def test_markdown_shows_names_and_obeys_none(name: str) -> None:
    text = render_markdown([renamed(examples()[0], name), examples()[1]], exported_at=MOMENT).decode()
    assert not re.search(r"(?<!\\)<", text)
    table = [line for line in text.splitlines() if line.startswith("|")]
    assert {len(re.findall(r"(?<!\\)\|", line)) for line in table} == {5}
    assert escaped(name) in text


@pytest.mark.parametrize("ending", ENDINGS)
def test_the_ending_decides(ending: str, tmp_path: Path) -> None:
    path = tmp_path / f"plan{ending}"
    provenance = Provenance(workspace="Examples", program_version="0.1.0")
    assert write_export(path, examples(), baseline=1, provenance=provenance, exported_at=MOMENT) == path
    start = {".xlsx": b"PK", ".csv": b"kind,section", ".json": b"{\n", ".md": b"# LLM"}[ending]
    data = path.read_bytes()
    assert data.startswith(start)
    write_export(path, examples(), baseline=1, provenance=provenance, exported_at=MOMENT)
    assert path.read_bytes() == data


@pytest.mark.parametrize("ending", [".csv", ".json", ".md"])
def test_another_content_is_replaced_only_by_force(ending: str, tmp_path: Path) -> None:
    path = tmp_path / f"plan{ending}"
    path.write_bytes(b"mine")
    with pytest.raises(ExportError) as caught:
        write_export(path, examples(), exported_at=MOMENT)
    assert caught.value.exit_code == 73
    assert path.read_bytes() == b"mine"
    write_export(path, examples(), exported_at=MOMENT, force=True)
    assert path.read_bytes() != b"mine"


@pytest.mark.parametrize("name", ["plan.pdf", "plan", "plan.xls", "plan.xlsm"])
def test_another_ending_is_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(ExportError) as caught:
        write_export(tmp_path / name, examples())
    assert caught.value.exit_code == 73
    assert ".xlsx, .csv, .json, .md" in str(caught.value)


@pytest.mark.parametrize("render", [render_csv, render_json, render_markdown])
def test_nothing_to_export(render: object) -> None:
    assert callable(render)
    with pytest.raises(ExportError) as caught:
        render([])
    assert caught.value.exit_code == 65
    with pytest.raises(ExportError):
        render(examples(), baseline=9)
