"""Hostile texts stay texts, a workbook without results is refused, and nobody's edits are overwritten."""

from __future__ import annotations

import io
import re
import zipfile
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from openpyxl import load_workbook
from openpyxl.utils.escape import unescape
from openpyxl.workbook import Workbook

import exports.workbook.stored as stored_module
from exports.files import ExportError
from exports.workbook import render_workbook, write_workbook
from exports.workbook.formats import GENERAL
from exports.workbook.page import Page
from exports.workbook.stored import Across, StoredValues, is_untouched, render
from exports.workbook.styles import Styles
from exports.workbook.wording import pruned
from planner.model.evaluation import Evaluated, Results
from tests.exports.conftest import MOMENT
from tests.exports.office import LibreOffice, read_values, without_results
from tests.exports.plans import examples, renamed

HOSTILE = (
    '=HYPERLINK("http://example.invalid","click")', "=cmd|' /C calc'!A0", "+1+1", "-2+3", "@SUM(1)", "\t=1", "#N/A",
    "#REF!", "'quoted'", ">5", "H* wild~?", "[red]", "a;b,c|d", "<b>&amp;</b>", "名前 Ünïcode", "Zoë & Söhne",
    "x" * 200, "TRUE", "1e5", "2026-01-01", "{=1}", "]]>", "%s %d", "--", "A\u202eB",
    "_x0041_bc", "a_x000D_b", "_x005F_x0041_", "_x0041", "a_X0041_", "__x0041__",
)  # fmt: skip


def hostile() -> list[Evaluated]:
    return [renamed(examples()[n % 5], name, notes=f"={name}"[:2000]) for n, name in enumerate(HOSTILE)]


@pytest.fixture(scope="module")
def hostile_workbook() -> bytes:
    return render_workbook(hostile(), exported_at=MOMENT, title="=1+1")


def test_hostile_names_stay_what_they_are(hostile_workbook: bytes) -> None:
    book = load_workbook(io.BytesIO(hostile_workbook))
    names = [book["Inputs"].cell(5, 5 + n) for n in range(len(HOSTILE))]
    assert [cell.data_type for cell in names] == ["s"] * len(HOSTILE)
    expected = [name.replace("\t", "\ufffd").replace("\u202e", "\ufffd") for name in HOSTILE]
    assert [unescape(str(cell.value)) for cell in names] == expected
    assert all(cell.quotePrefix for cell in names if str(cell.value)[0] in "=+-@'")
    assert book["About"]["A1"].value == "=1+1"
    assert book["About"]["A1"].data_type == "s"


def test_hostile_texts_add_no_formula(hostile_workbook: bytes) -> None:
    plain = render_workbook([renamed(e, f"n{i}") for i, e in enumerate(hostile())], exported_at=MOMENT)

    def formulas(data: bytes) -> list[str]:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            return [
                text
                for name in archive.namelist()
                if name.startswith("xl/worksheets/")
                for text in re.findall(r"<f>([^<]*)</f>", archive.read(name).decode())
            ]

    assert formulas(hostile_workbook) == formulas(plain)


@pytest.mark.libreoffice
def test_hostile_names_reach_every_sheet(hostile_workbook: bytes, office: LibreOffice, tmp_path: Path) -> None:
    path = tmp_path / "hostile.xlsx"
    path.write_bytes(without_results(hostile_workbook))
    (found,) = office.convert([path], "ods")
    values, stored = read_values(found), read_values(hostile_workbook)
    for title in ("Inputs", "Model", "Comparison", "Checks", "Solver"):
        row = {c: v for c, v in values[title].items() if re.fullmatch(r"([E-Z]|A[A-Z])5", c)}
        assert row == {c: v for c, v in stored[title].items() if re.fullmatch(r"([E-Z]|A[A-Z])5", c)}
        assert len(row) == len(HOSTILE)
        assert list(row.values()) == [name.replace("\t", "\ufffd").replace("\u202e", "\ufffd") for name in HOSTILE]


@pytest.mark.parametrize(("name", "notes"), [("n" * 201, ""), ("n", "x" * 2001)])
def test_texts_that_a_cell_would_cut_are_refused(name: str, notes: str) -> None:
    with pytest.raises(ExportError) as caught:
        render_workbook([renamed(examples()[0], name, notes)])
    assert caught.value.exit_code == 65
    assert "characters" in str(caught.value)


@pytest.mark.parametrize("arguments", [
    {"scenarios": []}, {"baseline": 5}, {"baseline": -1}, {"ids": ["a"] * 5}, {"ids": ["a"]},
    {"exported_at": datetime(1999, 12, 31, tzinfo=UTC)},
])  # fmt: skip
def test_arguments_that_make_no_workbook(arguments: dict[str, object]) -> None:
    call: dict[str, object] = {"scenarios": examples(), **arguments}
    with pytest.raises(ExportError) as caught:
        render_workbook(**call)  # type: ignore[arg-type]
    assert caught.value.exit_code == 65


def test_more_scenarios_than_columns() -> None:
    with pytest.raises(ExportError) as caught:
        render_workbook([examples()[0]] * 16_381)
    assert "16,380" in str(caught.value)
    assert caught.value.exit_code == 73


# Stored results


def book_with(values: StoredValues) -> Workbook:
    workbook = Workbook()
    sheet = workbook.active
    assert sheet is not None
    sheet.title = "One"
    sheet["A1"] = "=1+1"
    sheet["B1"] = 7
    values.cells["One", "A1"] = 2.0
    return workbook


def test_a_formula_without_a_result_is_refused() -> None:
    values = StoredValues(first_column=5)
    workbook = book_with(values)
    workbook.active["C1"] = "=2+2"
    with pytest.raises(ExportError, match=r"One!C1 has no result") as caught:
        render(workbook, values, datetime(2026, 1, 1))  # noqa: DTZ001
    assert caught.value.exit_code == 70


@pytest.mark.parametrize("where", ["cell", "row"])
def test_an_infinite_result_is_refused(where: str) -> None:
    values = StoredValues(first_column=5)
    workbook = book_with(values)
    if where == "cell":
        values.cells["One", "A1"] = float("inf")
    else:
        values.rows["One"] = {1: Across("=1/0", [float("inf")], 0)}
    with pytest.raises(ExportError, match="not a finite number"):
        render(workbook, values, datetime(2026, 1, 1))  # noqa: DTZ001


def test_results_keep_every_bit() -> None:
    values = StoredValues(first_column=5)
    workbook = book_with(values)
    numbers = [0.1 + 0.2, 1 / 3, 1e-300, 123456789012345680.0, -5.0, 2.0**53 + 2, float("nan")]
    values.rows["One"] = {1: Across("=\0$9", numbers, 0)}
    found = read_values(render(workbook, values, datetime(2026, 1, 1)))["One"]  # noqa: DTZ001
    assert [found.get(f"{column}1") for column in "EFGHIJK"] == [*numbers[:-1], None]


def test_a_disagreement_between_lines_and_planner_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    honest = Results.number

    def wrong(self: Results, name: str) -> float:
        return honest(self, name) * (1.001 if name == "tpot_s" else 1.0)

    monkeypatch.setattr(Results, "number", wrong)
    with pytest.raises(ExportError, match=r"TPOT \(tpot_s\) in scenario 'Toy 7B'") as caught:
        render_workbook(examples(), exported_at=MOMENT)
    assert caught.value.exit_code == 70


# Files


def test_the_same_plan_gives_the_same_bytes(example_workbook: bytes) -> None:
    assert render_workbook(examples(), baseline=3, exported_at=MOMENT) == example_workbook


def test_another_time_changes_what_states_it_and_nothing_else(example_workbook: bytes) -> None:
    later = render_workbook(examples(), baseline=3, exported_at=MOMENT + timedelta(hours=1))
    with zipfile.ZipFile(io.BytesIO(example_workbook)) as one, zipfile.ZipFile(io.BytesIO(later)) as two:
        assert one.namelist() == two.namelist()
        for name in ("xl/styles.xml", "xl/charts/chart1.xml", "xl/workbook.xml", "xl/drawings/drawing1.xml"):
            assert one.read(name) == two.read(name)
        for number in range(2, 10):
            part = f"xl/worksheets/sheet{number}.xml"
            if part in one.namelist():
                assert one.read(part).replace(b"12:00 UTC", b"") == two.read(part).replace(b"13:00 UTC", b"")


def test_an_untouched_export_is_replaced_and_an_edited_one_is_not(tmp_path: Path) -> None:
    path = tmp_path / "plan.xlsx"
    assert write_workbook(path, examples(), exported_at=MOMENT) == path
    assert is_untouched(path.read_bytes())
    write_workbook(path, examples(), baseline=1, exported_at=MOMENT)
    book = load_workbook(path)
    book["Inputs"]["E20"] = 5
    book.save(path)
    edited = path.read_bytes()
    assert not is_untouched(edited)
    with pytest.raises(ExportError) as caught:
        write_workbook(path, examples(), exported_at=MOMENT)
    assert caught.value.exit_code == 73
    assert path.read_bytes() == edited
    write_workbook(path, examples(), exported_at=MOMENT, force=True)
    assert is_untouched(path.read_bytes())


@pytest.mark.parametrize("content", [b"", b"not a zip", b"PK\x03\x04 broken"])
def test_another_file_of_that_name_is_not_replaced(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "plan.xlsx"
    path.write_bytes(content)
    with pytest.raises(ExportError):
        write_workbook(path, examples()[:1], exported_at=MOMENT)
    assert path.read_bytes() == content


def test_a_failure_in_the_middle_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "plan.xlsx"
    write_workbook(path, examples()[:1], exported_at=MOMENT)
    before = path.read_bytes()
    calls = 0
    honest = stored_module.result_xml

    def failing(*arguments: object) -> tuple[str, str]:
        nonlocal calls
        calls += 1
        if calls == 500:
            raise ExportError("The disk is full.", 74)
        return honest(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(stored_module, "result_xml", failing)
    with pytest.raises(ExportError):
        write_workbook(path, examples(), exported_at=MOMENT)
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


def test_protection_is_there_when_asked_for() -> None:
    open_book = load_workbook(io.BytesIO(render_workbook(examples()[:1], exported_at=MOMENT)))
    closed = load_workbook(io.BytesIO(render_workbook(examples()[:1], exported_at=MOMENT, protect=True)))
    assert not any(sheet.protection.sheet for sheet in open_book.worksheets)
    for sheet in closed.worksheets:
        assert sheet.protection.sheet
        assert not sheet.protection.password
    assert not closed["Inputs"]["E9"].protection.locked
    assert closed["Model"]["E9"].protection.locked


def test_a_currency_stands_where_the_dollar_stood() -> None:
    euro = [
        replace(e, scenario=replace(e.scenario, values={**e.scenario.values, "currency": "EUR"})) for e in examples()
    ]
    book = load_workbook(io.BytesIO(render_workbook(euro, exported_at=MOMENT)))
    units = {cell.value for (cell,) in book["Comparison"].iter_rows(min_row=7, min_col=2, max_col=2)}
    assert "EUR/month" in units
    assert not any("$" in str(unit) for unit in units)
    formats = {cell.number_format for row in book["Comparison"].iter_rows(min_row=7, min_col=5) for cell in row}
    assert any('"EUR "' in text for text in formats)
    assert not any("$" in text for text in formats)


def test_text_goes_through_one_door(tmp_path: Path) -> None:
    workbook = Workbook()
    page = Page(workbook, Styles(workbook), StoredValues(5), "Door", 1)
    page.text(1, 1, "=1+1", "Planner label", GENERAL)
    cell = page.sheet.cell(1, 1)
    assert (cell.data_type, cell.value, cell.quotePrefix) == ("s", "=1+1", True)


def test_lines_that_nothing_reads_are_left_out() -> None:
    from exports.workbook.lines import Line
    from exports.workbook.tree import leaf

    lines = [Line(key, key, "", "detail", leaf(read)) for key, read in (("a", "x"), ("b", "x"), ("c", "a"))]
    assert [line.key for line in pruned(lines)] == ["a", "c"]


def test_the_archive_is_one_that_every_program_reads(example_workbook: bytes) -> None:
    """No ZIP64, which Excel offers to repair, and no part whose size stands behind it."""
    with zipfile.ZipFile(io.BytesIO(example_workbook)) as archive:
        for info in archive.infolist():
            assert info.extract_version < 45, info.filename
            assert not info.flag_bits & 0x08, info.filename
            assert info.file_size > 0
