"""S1: no text of a person becomes a formula of the workbook, or of a CSV file that a spreadsheet opens."""

from __future__ import annotations

import csv
import io
import re
import zipfile
from pathlib import Path

import openpyxl
import pytest

from planner.store import Change, open_library
from tests.faults.support import planner
from tests.security.payloads import FORMULAS

FORMULA = re.compile(rb"<f[ >].*?</f>|<f/>", re.DOTALL)


def formulas(path: Path) -> dict[str, list[bytes]]:
    """The formulas of every sheet, as they stand in the file."""
    with zipfile.ZipFile(path) as archive:
        names = [name for name in archive.namelist() if name.startswith("xl/worksheets/sheet")]
        return {name: FORMULA.findall(archive.read(name)) for name in names}


@pytest.fixture(scope="module")
def hostile(pristine: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A library whose five scenarios have a formula wherever a text goes."""
    path = tmp_path_factory.mktemp("hostile") / "plan.db"
    path.write_bytes(pristine.read_bytes())
    with open_library(path) as library:
        for number, stored in enumerate(library.scenarios()):
            library.rename(stored.id, FORMULAS[number])
            library.set_notes(stored.id, "\n".join(FORMULAS) + "\t=1\n\t@x")
            library.tag(stored.id, *FORMULAS)
            library.edit([Change(stored.id, "currency", FORMULAS[-number - 1])])
        library.rename_workspace(library.workspace.name, "=1+1")
    return path


def test_s01_the_formulas_are_those_of_a_harmless_plan(hostile: Path, exported: Path, tmp_path: Path) -> None:
    target = tmp_path / "plan.xlsx"
    ended = planner("export", target, "--title", "=cmd|' /C calc'!A0", "--db", hostile)
    assert ended.code == 0, ended.err
    assert formulas(target) == formulas(exported)
    book = openpyxl.load_workbook(target)
    texts = {
        cell.value: cell.data_type
        for sheet in book
        for row in sheet.iter_rows()
        for cell in row
        if isinstance(cell.value, str) and cell.data_type != "f"
    }
    for payload in FORMULAS[:5]:
        assert texts[payload] == "s"
    assert set(texts.values()) == {"s"}
    assert not any(name.startswith(("xl/externalLinks", "xl/vba")) for name in zipfile.ZipFile(target).namelist())


def test_s01_a_csv_field_never_begins_like_a_formula(hostile: Path, tmp_path: Path) -> None:
    target = tmp_path / "plan.csv"
    assert planner("export", target, "--db", hostile).code == 0
    rows = list(csv.reader(io.StringIO(target.read_bytes().decode())))
    assert len(rows) > 100
    for row in rows:
        for field in row:
            if not re.fullmatch(r"-?[0-9.]+(e[+-]?[0-9]+)?", field):
                assert not field.startswith(("=", "+", "-", "@", "\t", "\r")), field
    assert any("'=1+1" in row for row in rows)


def test_s01_other_forms_hold_the_text_itself(hostile: Path, tmp_path: Path) -> None:
    assert planner("export", tmp_path / "plan.json", "--db", hostile).code == 0
    assert '"=1+1"' in (tmp_path / "plan.json").read_text()
    assert planner("export", tmp_path / "plan.md", "--db", hostile).code == 0
