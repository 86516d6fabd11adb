"""The Lists sheet: the words of choices and results, and the bounds of every input, for validation and checks."""

from __future__ import annotations

import math

from exports.workbook import styles as look
from exports.workbook.book import Book
from exports.workbook.formats import NumberFormat, number_format
from exports.workbook.layout import FIRST_ROW, shown_unit
from exports.workbook.page import HEADING_ALONE, NAMES_ROW, Page
from planner.model.fields import Field

_LAST_COLUMN = 5
_SMALLEST = 1e-300


def write_lists(book: Book) -> None:
    """The Lists sheet."""
    page = book.page("Lists")
    layout = book.layout
    page.heading(
        "Lists",
        f"The words a cell may hold, in the order of their codes, and the bounds of every input. {HEADING_ALONE}",
    )
    header = {1: "List", 2: "Unit", 3: "Ref", 4: "Word or lowest", 5: "Highest"}
    page.header(NAMES_ROW, header, frozenset({4, 5}))
    for name, words in layout.lists.items():
        first = layout.list_rows[name]
        cell, row = layout.cells.get(name), layout.sheet.rows.get(name)
        label = cell.label if cell is not None else row.label if row is not None else "Switches"
        page.section(first - 1, label, _LAST_COLUMN)
        for position, word in enumerate(words):
            page.label(first + position, f"{label}, word {position + 1}", "word", f"{name}.{position + 1}")
            page.text(first + position, 4, word, look.CALC)
            page.fit(4, word)
    page.section(layout.bounds_row - 1, "Bounds of the inputs", _LAST_COLUMN)
    shift = layout.bounds_row - FIRST_ROW
    for item in layout.inputs:
        if item.constant is not None:
            break
        if item.field is None:
            page.text(item.row + shift, 1, item.label, look.HEADER)
            for column in range(2, _LAST_COLUMN + 1):
                page.empty(item.row + shift, column, look.HEADER)
        else:
            _write_bounds(page, item.row + shift, item.field)
    page.finish(
        header_text=book.header_text,
        wide={4: 26, 5: 16},
        frozen=f"A{FIRST_ROW}",
        title_rows=f"1:{NAMES_ROW}",
        landscape_columns=1,
    )
    page.sheet.print_area = f"A1:E{NAMES_ROW}"


def _write_bounds(page: Page, row: int, cell: Field) -> None:
    page.label(row, cell.label, shown_unit(cell), f"{cell.name}.bounds")
    if not cell.is_number:
        page.empty(row, 4, look.CONSTANT)
        page.empty(row, 5, look.CONSTANT)
        return
    low, high = bounds_of(cell)
    shown = _bound_format(low, high)
    page.number(row, 4, low, look.CONSTANT, shown)
    page.number(row, 5, high, look.CONSTANT, shown)


def bounds_of(cell: Field) -> tuple[float, float]:
    """The lowest and the highest number that is allowed."""
    low = -math.inf if cell.low is None else float(cell.low)
    if cell.above_low:
        low = max(math.nextafter(low, math.inf), low * (1 + 1e-15), _SMALLEST)
    high = math.inf if cell.high is None else float(cell.high)
    return max(low, -1e300), min(high, 1e300)


def _bound_format(low: float, high: float) -> NumberFormat:
    return number_format("", [value for value in (low, high) if value > _SMALLEST * 2])
