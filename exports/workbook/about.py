"""The About sheet: what the workbook is, how to use it, and where it comes from."""

from __future__ import annotations

from openpyxl.worksheet.hyperlink import Hyperlink

from exports.workbook import styles as look
from exports.workbook.book import Book
from exports.workbook.page import Page

SHEETS = {
    "About": "What this workbook is and how to use it.",
    "Comparison": "The verdict, key results side by side, low and high, and the change to a baseline you choose.",
    "Results": "The key results as a table with one scenario a line, to sort and filter.",
    "Inputs": "Every input and fact of every scenario, and the constants of the model.",
    "Model": "Every formula, one a line, section by section.",
    "Solver": "The quantities that take many steps, one step a line.",
    "Assumptions": "Where each value comes from, and how each result is computed.",
    "Checks": "Questions that every scenario must answer with ok.",
    "Lists": "The words and bounds that the other sheets use.",
}
_HOW = (
    "Change the yellow cells of the Inputs sheet: everything recalculates, as the planner would.",
    "Choose the baseline and the result in the chart in the yellow cells of the Comparison sheet.",
    (
        "The verdict names the cheapest of the scenarios that serve their load within their targets: per month where "
        "all have the same load, else per million output tokens. It follows what you change."
    ),
    (
        "Low and high are the ends of the efficiency profile's band as the planner computed them at the export; they "
        "are blank once a key result of the scenario has changed."
    ),
    "A cell that turns red is out of its bounds; the Checks sheet and row 3 of the main sheets say so too.",
    (
        "Accelerator, model, formats, engine and profile are names of the planner's catalogue. A name alone brings no "
        "facts here: change the facts below it, or change the name in the planner and export again."
    ),
    "A blank result needs an input that is not given; the last block of the Comparison sheet says which.",
    "The program may ask to save the file when you close it without a change: it recalculates what it opens.",
    (
        "The planner reads the Inputs sheet back (planner import FILE). A line keeps its identity by the Ref column, a "
        "scenario by its id in row 6 of Inputs; leave both in place."
    ),
)
_ON_ONE_PAGE = 20
_COLOURS = (
    (look.INPUT, "A typed number or word: yours to change."),
    (look.LOCKED, "A name of the catalogue: change it in the planner."),
    (look.CONSTANT, "A constant of the model, a bound, or a result as exported."),
    (look.CALC, "A formula on the same sheet."),
    (look.LINK, "A formula that reads another sheet."),
)


def write_about(book: Book, titles: list[str]) -> None:
    """The About sheet; ``titles`` are the sheets there are, in their order."""
    page = book.page("About")
    page.heading(
        book.title, "A live model of the cost and speed of serving language models, exported from the planner."
    )
    row = _table(page, 4, "This file", _facts(book))
    row = _table(page, row + 1, "How to use it", [(str(n), text) for n, text in enumerate(_HOW, start=1)])
    row = _colours(page, row + 1)
    row = _sheets(page, row + 1, titles)
    _scenarios(book, page, row + 1)
    page.finish(
        header_text=book.header_text,
        wide={1: 26, 2: 100, 3: 10, 4: 10},
        frozen="",
        title_rows="",
        landscape_columns=1,
        pages_high=1 if len(book.scenarios) <= _ON_ONE_PAGE else 0,
    )
    page.sheet.print_area = f"A1:B{page.last_row}"


def _facts(book: Book) -> list[tuple[str, str]]:
    count = len(book.scenarios)
    return [
        ("Exported", f"{book.moment:%Y-%m-%d %H:%M} UTC"),
        ("Scenarios", f"{count}; baseline: {book.names[book.baseline]}"),
        ("Currency", ", ".join(sorted({str(e.scenario.values["currency"]) for e in book.scenarios}))),
        *book.provenance.as_mapping().items(),
    ]


def _heading(page: Page, row: int, title: str) -> None:
    page.section(row, title, 2)


def _table(page: Page, row: int, title: str, lines: list[tuple[str, str]]) -> int:
    _heading(page, row, title)
    for label, text in lines:
        row += 1
        page.text(row, 1, label, look.LABEL)
        page.text(row, 2, text, look.TEXT)
        page.sheet.row_dimensions[row].height = 13.5 * (1 + len(text) // 105) + 2
    return row + 1


def _colours(page: Page, row: int) -> int:
    _heading(page, row, "Colours")
    for style, text in _COLOURS:
        row += 1
        page.text(row, 1, "1,234", style)
        page.sheet.row_dimensions[row].height = 15
        page.text(row, 2, text, look.TEXT)
    return row + 1


def _sheets(page: Page, row: int, titles: list[str]) -> int:
    _heading(page, row, "Sheets")
    for title in titles:
        row += 1
        page.text(row, 1, title, look.LABEL_KEY)
        cell = page.sheet.cell(row, 1)
        cell.hyperlink = Hyperlink(ref=cell.coordinate, location=f"'{title}'!A1", display=title)
        page.text(row, 2, SHEETS[title], look.TEXT)
    return row + 1


def _scenarios(book: Book, page: Page, row: int) -> None:
    _heading(page, row, "Scenarios: number and name")
    for number, name in enumerate(book.names, start=1):
        row += 1
        page.text(row, 1, str(number), look.LABEL)
        page.text(row, 2, name, look.TEXT)
