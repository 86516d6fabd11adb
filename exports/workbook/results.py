"""The Results sheet of a large workbook: one scenario a line, one key result a column, to sort and filter."""

from __future__ import annotations

from collections.abc import Sequence

from openpyxl.utils import get_column_letter

from exports.workbook import styles as look
from exports.workbook.book import Book
from exports.workbook.formats import FLAG, WHOLE, WORD, NumberFormat
from exports.workbook.layout import FIRST_ROW
from exports.workbook.page import FIRST_SCENARIO, IDS_ROW, NAMES_ROW, clean
from exports.workbook.stored import Stored
from exports.workbook.tree import WORD_SUFFIX
from planner.model.sheet import Row

FROM_SCENARIOS = 13
"""With more than a dozen scenarios beside one another a table reads better."""


def write_results(book: Book) -> None:
    """The Results sheet."""
    page = book.page("Results")
    page.heading("Results", "One scenario a line and one key result a column: filter it, or build a pivot table on it.")
    keys = [row for row in book.layout.sheet.rows.values() if row.key and row.name in book.layout.model_rows]
    page.header(NAMES_ROW, {1: "Scenario", 2: "Number"}, frozenset({2}))
    page.header(IDS_ROW, {1: "Unit", 2: "number"}, frozenset({2}))
    columns = {row.name: 3 + position for position, row in enumerate(keys)}
    results = {row.name: _values(book, row) for row in keys}
    for row in keys:
        column = columns[row.name]
        page.text(NAMES_ROW, column, row.label, look.HEADER_NUMBER)
        unit = "word" if row.kind == "word" else "1 = yes" if row.kind == "flag" else book.unit(row.unit or "number")
        page.text(IDS_ROW, column, unit, look.HEADER_NUMBER)
        page.widths[column] = max(11, min(20, max(len(part) for part in row.label.split()) + 2))
    first, last = get_column_letter(FIRST_SCENARIO), get_column_letter(page.last_column)
    for position, name in enumerate(book.names):
        at = FIRST_ROW + position
        number = float(position + 1)
        page.formula(at, 1, _pick("Inputs", first, last, NAMES_ROW, at), clean(name), look.LINK_TEXT)
        page.formula(at, 2, f"=ROWS(Lists!$A${FIRST_ROW}:$A{at})", number, look.CALC, WHOLE)
        for row in keys:
            key, values, shown = results[row.name]
            text = _pick("Model", first, last, book.layout.model_rows[key], at)
            page.formula(at, columns[row.name], text, values[position], look.CALC, shown)
    last_row = FIRST_ROW + len(book.scenarios) - 1
    last_column = get_column_letter(2 + len(keys))
    page.sheet.auto_filter.ref = f"A{IDS_ROW}:{last_column}{last_row}"
    page.sheet.row_dimensions[NAMES_ROW].height = 44
    wide = {1: 34, 2: 9} | {c: page.widths.get(c, 12) for c in columns.values()}
    page.finish(header_text=book.header_text, wide=wide, frozen=f"B{FIRST_ROW}", landscape_columns=2 * len(keys) // 3)


def _pick(sheet: str, first: str, last: str, row: int, at: int) -> str:
    return f"=INDEX({sheet}!${first}${row}:${last}${row},$B{at})"


def _values(book: Book, row: Row) -> tuple[str, Sequence[Stored], NumberFormat]:
    """The key of the line, its values and how they look."""
    if row.kind == "word":
        return row.name + WORD_SUFFIX, book.words(row), WORD
    numbers = book.numbers[row.name]
    return row.name, numbers, FLAG if row.kind == "flag" else book.number_format(row.unit, numbers)
