"""The pages as they are printed."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from exports.workbook.formats import PERCENT_CHANGE, SCIENTIFIC, NumberFormat, change_format, number_format
from tests.exports.office import LibreOffice


def pages_of(data: bytes, office: LibreOffice, folder: Path) -> list[str]:
    """The text of every printed page."""
    path = folder / "printed.xlsx"
    path.write_bytes(data)
    (printed,) = office.convert([path], "pdf")
    done = subprocess.run(["pdftotext", "-layout", str(printed), "-"], capture_output=True, text=True, check=True)
    return done.stdout.split("\f")


@pytest.mark.libreoffice
@pytest.mark.skipif(shutil.which("pdftotext") is None, reason="pdftotext is not installed (Debian: poppler-utils)")
@pytest.mark.parametrize("which", ["example_workbook", "large_workbook"])
def test_no_number_is_too_wide_and_every_page_says_where_it_belongs(
    which: str, request: pytest.FixtureRequest, office: LibreOffice, tmp_path: Path
) -> None:
    pages = pages_of(request.getfixturevalue(which), office, tmp_path)
    assert not [page for page in pages if "###" in page]
    most = 16 if which == "example_workbook" else 50
    assert len(pages) - 1 <= most
    for number, page in enumerate(pages[:-1], start=1):
        assert re.search(rf"Page {number} of {len(pages) - 1}", page)
        assert "UTC" in page
    assert sum("Only this heading is printed" in page for page in pages) >= 3
    titles = [re.search(r"printed\.xlsx\s+(\w+)\s+Page", page) for page in pages[:-1]]
    shown = list(dict.fromkeys(title[1] for title in titles if title))
    wanted = ["About", "Comparison", "Results", "Inputs", "Model", "Solver", "Assumptions", "Checks", "Lists"]
    assert shown == [title for title in wanted if title != "Results" or which == "large_workbook"]


@pytest.mark.parametrize(("unit", "values", "code", "texts"), [
    ("s", [0.0233, 0.5], "#,##0.00000_);(#,##0.00000)", ["0.02330 ", "0.50000 "]),
    ("tokens", [1500.0, 0.0], "#,##0_);(#,##0)", ["1,500 ", "0 "]),
    ("$/month", [8856.0], '$#,##0_);($#,##0);"-"_)', ["$8,856 "]),
    ("$/h", [2.5], '$#,##0.00_);($#,##0.00);"-"_)', ["$2.50 "]),
    ("share", [0.25, 1.0], "0.0%_);(0.0%)", ["25.0% ", "100.0% "]),
    ("FLOP/s", [9.89e14], "0.00E+00_)", ["9.89E+14 "]),
    ("B", [-1.5e10], "#,##0_);(#,##0)", ["(15,000,000,000)"]),
    ("x", [], "#,##0_);(#,##0)", []),
])  # fmt: skip
def test_number_formats(unit: str, values: list[float], code: str, texts: list[str]) -> None:
    shown = number_format(unit, values)
    assert shown.code == code
    assert [shown.text(value) for value in values] == texts


def test_amounts_in_another_currency() -> None:
    shown = number_format("$/month", [1234.5], "EUR")
    assert shown.code == '"EUR "#,##0_);("EUR "#,##0);"-"_)'
    assert shown.text(1234.5) == "EUR 1,234 "


@pytest.mark.parametrize("like", [number_format("s", [0.1]), number_format("$/h", [3.0]), SCIENTIFIC, PERCENT_CHANGE])
def test_changes_have_a_sign_and_no_colour(like: NumberFormat) -> None:
    code = change_format(like).code
    assert code.startswith("+")
    assert code.split(";")[1].startswith("-")
    assert "[Red]" not in code
