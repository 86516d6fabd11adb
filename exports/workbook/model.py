"""The Model and Solver sheets: one line, one formula, copied across the scenarios."""

from __future__ import annotations

from collections.abc import Sequence

from exports.workbook import styles as look
from exports.workbook.book import Book
from exports.workbook.formats import FLAG, WHOLE, WORD, NumberFormat, number_format
from exports.workbook.layout import Item
from exports.workbook.page import CONSTANT_COLUMN, HEADING_ALONE, IDS_ROW, Page
from exports.workbook.stored import Stored
from exports.workbook.tree import WORD_SUFFIX

_LABELS = {"detail": look.LABEL_DETAIL, "link": look.LABEL, "constant": look.LABEL}


def write_model(book: Book) -> None:
    """The Model sheet: every row of the planner, with what it is made of above it."""
    page = book.page("Model")
    page.heading(
        "Model",
        "Every quantity of the planner by section: links to inputs and constants first, then one formula a line, "
        f"the same for every scenario. {HEADING_ALONE}",
    )
    _write(book, page, book.layout.model)
    page.print_rows(1, IDS_ROW)


def write_solver(book: Book) -> None:
    """The Solver sheet: the quantities that take many steps."""
    page = book.page("Solver")
    page.heading(
        "Solver",
        "Quantities that are solved for in a fixed number of steps, each step a line; the Model sheet takes the "
        f"result. {HEADING_ALONE}",
    )
    _write(book, page, book.layout.solver)
    page.print_rows(1, IDS_ROW)


def _write(book: Book, page: Page, items: Sequence[Item]) -> None:
    page.scenario_header(book.names, "Constant")
    if page.title == "Model":
        page.master_check(book.master)
    for item in items:
        if item.role == "section":
            page.section(item.row, item.label)
            continue
        label_style = _LABELS.get(item.role, look.LABEL)
        row = book.layout.sheet.rows.get(item.key.removesuffix(WORD_SUFFIX))
        is_key = item.main and row is not None and row.key
        page.label(
            item.row, item.label, book.unit(_unit(book, item)), item.ref, look.LABEL_KEY if is_key else label_style
        )
        if item.constant is not None:
            value = float(item.constant)
            shown = number_format("", [value])
            page.formula(item.row, CONSTANT_COLUMN, item.formula, value, look.CALC, shown)
            continue
        values, shown = _values(book, item)
        style = look.CALC_KEY if is_key else look.CALC_DETAIL if item.role == "detail" else look.CALC
        page.across(item.row, item.formula, values, style, shown)
        if item.role == "detail":
            page.sheet.row_dimensions[item.row].outlineLevel = 1
            page.sheet.sheet_format.outlineLevelRow = 1
    page.finish(header_text=book.header_text)


def _unit(book: Book, item: Item) -> str:
    """The unit of a line: what the planner says, or the kind of number it is."""
    row = book.layout.sheet.rows.get(item.key)
    if row is not None and row.kind == "flag":
        return "1 = yes"
    return item.unit or "number"


def _values(book: Book, item: Item) -> tuple[Sequence[Stored], NumberFormat]:
    """The results of a line, and how they are shown."""
    row = book.layout.sheet.rows.get(item.key.removesuffix(WORD_SUFFIX))
    if row is not None and item.key.endswith(WORD_SUFFIX):
        return book.words(row), WORD
    cell = book.layout.cells.get(item.key)
    if cell is not None and not cell.is_number:
        return book.cell_words(cell), WORD
    numbers = book.numbers[item.key]
    if item.unit in ("1 = yes", "code") or (row is not None and row.kind == "word"):
        return numbers, WHOLE
    if row is not None and row.kind == "flag":
        return numbers, FLAG
    return numbers, book.number_format(item.unit, numbers)
