"""Time to write the workbook, beside a plain openpyxl workbook with as many cells written in the same run."""

from __future__ import annotations

import io
import time
import zipfile
from collections.abc import Callable

import pytest
from openpyxl import Workbook

from exports.workbook import render_workbook
from exports.workbook.layout import planner_layout
from tests.exports.conftest import MOMENT
from tests.exports.plans import many

ROUNDS = 3
MOST_TIMES_PLAIN = 3
"""Measured: 1.4 to 1.8 with 5 scenarios, 0.9 with 100; the rest is for a busy machine."""
MOST_SECONDS_OF_PLANNING = 10


def cells_in(data: bytes) -> tuple[int, int]:
    """Cells and formulas of a workbook."""
    cells = formulas = 0
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        for name in archive.namelist():
            if name.startswith("xl/worksheets/sheet"):
                part = archive.read(name)
                cells, formulas = cells + part.count(b"<c "), formulas + part.count(b"<f>")
    return cells, formulas


def plain_workbook(cells: int, formulas: int, columns: int) -> bytes:
    """As many cells as plain openpyxl writes them: no styles, no results, formulas of middling length."""
    book = Workbook()
    sheet = book.active
    assert sheet is not None
    for number in range(cells):
        row, column = divmod(number, columns)
        value = f"=IF(ISNUMBER(A{row + 1}+B1),A{row + 1}*B1+0.5,0)" if number < formulas else 1234.5678
        sheet.cell(row + 1, column + 1, value)
    buffer = io.BytesIO()
    book.save(buffer)
    return buffer.getvalue()


def seconds(call: Callable[[], object]) -> float:
    """Processor time of the quickest of a few calls."""
    found = []
    for _ in range(ROUNDS):
        start = time.process_time()
        call()
        found.append(time.process_time() - start)
    return min(found)


@pytest.mark.benchmark
@pytest.mark.parametrize("count", [5, 100])
def test_time_beside_plain_openpyxl(count: int, capsys: pytest.CaptureFixture[str]) -> None:
    plans = many(count)
    planner_layout()
    data = render_workbook(plans, exported_at=MOMENT)
    cells, formulas = cells_in(data)
    ours = seconds(lambda: render_workbook(plans, exported_at=MOMENT))
    plain = seconds(lambda: plain_workbook(cells, formulas, count + 4))
    with capsys.disabled():
        print(
            f"\n{count} scenarios: {cells:,} cells, {formulas:,} formulas, {len(data) / 1e6:.1f} MB: "
            f"{ours:.2f} s, plain openpyxl {plain:.2f} s, ratio {ours / plain:.2f}"
        )
    assert ours < MOST_TIMES_PLAIN * plain


@pytest.mark.benchmark
def test_planning_the_formulas(capsys: pytest.CaptureFixture[str]) -> None:
    """What the first export of a process adds: the lines of every row."""
    start = time.process_time()
    planner_layout.__wrapped__()
    took = time.process_time() - start
    with capsys.disabled():
        print(f"\nlines of all rows planned in {took:.2f} s")
    assert took < MOST_SECONDS_OF_PLANNING
