"""The Results sheet of a large workbook: one scenario a line, one key result a column, to sort and filter."""

from __future__ import annotations

from openpyxl.utils import get_column_letter

from exports.workbook import styles as look
from exports.workbook.book import Book
from exports.workbook.formats import WHOLE
from exports.workbook.layout import FIRST_ROW
from exports.workbook.page import FIRST_SCENARIO, IDS_ROW, NAMES_ROW, clean

FROM_SCENARIOS = 13
"""With more than a dozen scenarios beside one another a table reads better."""

_VERDICT = ("verdict.cheapest", "verdict.meets", "verdict.per_month", "verdict.per_output", "verdict.above")


def write_results(book: Book) -> None:
    """The Results sheet: the verdict and the key results of the Comparison sheet, in its units."""
    page = book.page("Results")
    page.heading("Results", "One scenario a line and one key result a column: filter it, or build a pivot table on it.")
    keys = [row.name for row in book.layout.sheet.rows.values() if row.key and row.name in book.compared]
    columns = {name: 3 + position for position, name in enumerate((*_VERDICT, *keys))}
    page.header(NAMES_ROW, {1: "Scenario", 2: "Number"}, frozenset({2}))
    page.header(IDS_ROW, {1: "Unit", 2: "number"}, frozenset({2}))
    for name, column in columns.items():
        line = book.compared[name]
        page.text(NAMES_ROW, column, line.label, look.HEADER_NUMBER)
        page.text(IDS_ROW, column, line.unit, look.HEADER_NUMBER)
        page.widths[column] = max(11, min(20, max(len(part) for part in line.label.split()) + 2))
    first, last = get_column_letter(FIRST_SCENARIO), get_column_letter(page.last_column)

    def pick(sheet: str, row: int, at: int) -> str:
        return f"=INDEX({sheet}!${first}${row}:${last}${row},$B{at})"

    for position, name in enumerate(book.names):
        at = FIRST_ROW + position
        page.formula(at, 1, pick("Inputs", NAMES_ROW, at), clean(name), look.LINK_TEXT)
        page.formula(at, 2, f"=ROWS(Lists!$A${FIRST_ROW}:$A{at})", float(position + 1), look.CALC, WHOLE)
        for key, column in columns.items():
            line = book.compared[key]
            page.formula(at, column, pick("Comparison", line.at, at), line.values[position], look.CALC, line.shown)
    last_row = FIRST_ROW + len(book.scenarios) - 1
    page.sheet.auto_filter.ref = f"A{IDS_ROW}:{get_column_letter(2 + len(columns))}{last_row}"
    page.sheet.row_dimensions[NAMES_ROW].height = 44
    wide = {1: 34, 2: 9} | {column: page.widths.get(column, 12) for column in columns.values()}
    page.finish(
        header_text=book.header_text, wide=wide, frozen=f"B{FIRST_ROW}", landscape_columns=2 * len(columns) // 3
    )
    page.sheet.print_title_cols = "A:A"
