"""The Checks sheet: one line a check, 1 where it holds, and one cell that says whether all do."""

from __future__ import annotations

import math
from collections.abc import Sequence

from openpyxl.formatting.rule import FormulaRule
from openpyxl.styles import Font, PatternFill
from openpyxl.utils import get_column_letter

from exports.workbook import styles as look
from exports.workbook.book import Book
from exports.workbook.conditions import SHARES_TOLERANCE
from exports.workbook.formats import CHECK, WHOLE
from exports.workbook.formula import COLUMN, formula
from exports.workbook.inputs import is_locked
from exports.workbook.layout import FIRST_ROW, CheckPlaces
from exports.workbook.lines import RowPlan
from exports.workbook.numbers import line_number
from exports.workbook.page import CONSTANT_COLUMN, FIRST_SCENARIO, Page
from planner.model.bands import band_of
from planner.model.fields import Field
from planner.model.rows import HOUR_NAMES
from planner.model.rules import CHECK_TOLERANCE

OK = "1 = ok"
CHIEF = (
    *("ttft_s", "tpot_s", "latency_s", "replicas"),
    *("self_host_cost_per_month", "self_host_cost_per_million_output_tokens"),
)
"""Results whose low and high are shown."""


def write_checks(book: Book) -> None:
    """The Checks sheet."""
    page = book.page("Checks")
    page.heading(
        "Checks",
        "Each line is a question that every scenario must answer with ok. The last block only informs: it shows which "
        "results have changed since the planner exported them, and is what is printed.",
    )
    page.scenario_header(book.names, "All")
    writer = _Writer(book, page)
    writer.inputs()
    writer.conditions()
    last = writer.row - 1
    page.text(3, 1, "All checks pass", look.LABEL_KEY)
    page.formula(3, CONSTANT_COLUMN, f"=MIN(D{FIRST_ROW}:D{last})", writer.worst, look.CALC_KEY, CHECK)
    book.master = writer.worst
    exported = writer.row
    writer.exported()
    mark_verdicts(page, "D3", "D3")
    mark_verdicts(page, writer.spans(), f"D{writer.rows[0]}")
    page.finish(header_text=book.header_text)
    page.print_rows(exported, writer.row - 1)


def mark_verdicts(page: Page, cells: str, first: str) -> None:
    """Green where a check holds, red where it does not; the word says so too. ``first`` is the first of ``cells``."""
    for number, font, fill in (("1", look.GOOD_FONT, look.GOOD_FILL), ("0", look.BAD_FONT, look.BAD_FILL)):
        rule = FormulaRule(
            formula=[f"AND(ISNUMBER({first}),{first}={number})"],
            font=Font(color=f"FF{font}"),
            fill=PatternFill(bgColor=f"FF{fill}", fill_type="solid"),
        )
        page.sheet.conditional_formatting.add(cells, rule)


class _Writer:
    def __init__(self, book: Book, page: Page) -> None:
        self.book, self.page, self.row = book, page, FIRST_ROW
        self.worst = 1.0
        self.rows: list[int] = []

    def spans(self) -> str:
        """The verdicts of all checks: ranges over rows that follow one another."""
        last = get_column_letter(self.page.last_column)
        starts = [row for row in self.rows if row - 1 not in self.rows]
        ends = [row for row in self.rows if row + 1 not in self.rows]
        return " ".join(f"D{start}:{last}{end}" for start, end in zip(starts, ends, strict=True))

    def check(self, label: str, ref: str, text: str, values: Sequence[float], *, counts: bool = True) -> None:
        """One line and its smallest value over the scenarios."""
        self.page.label(self.row, label, OK, ref)
        self.page.across(self.row, text, values, look.CALC, CHECK)
        smallest = min(values)
        self.rows.append(self.row)
        self.page.formula(
            self.row, CONSTANT_COLUMN, f"=MIN({self.page.scenario_span(self.row)})", smallest, look.CALC_KEY, CHECK
        )
        if counts:
            self.worst = min(self.worst, smallest)
        self.row += 1

    def section(self, title: str) -> None:
        self.page.section(self.row, title)
        self.row += 1

    # Inputs

    def inputs(self) -> None:
        """Every number that is needed is there and within its bounds, and every word is one of its list."""
        for group, fields in self.groups():
            numeric = [cell for cell in fields if cell.is_number]
            if numeric:
                self.section(f"{group}: within bounds")
                for cell in numeric:
                    self.bounds(cell)
        self.section("Words are ones the model knows")
        for cell in (cell for _, fields in self.groups() for cell in fields):
            if cell.kind in ("choice", "switch") and not is_locked(cell):
                self.word(cell)
        if HOUR_NAMES[0] in self.book.layout.input_rows:
            self.shares()

    def groups(self) -> list[tuple[str, list[Field]]]:
        """The sections of the Inputs sheet with their fields."""
        found: list[tuple[str, list[Field]]] = []
        for item in self.book.layout.inputs:
            if item.field is not None:
                found[-1][1].append(item.field)
            elif item.constant is None:
                found.append((item.label, []))
        return [(group, fields) for group, fields in found if fields]

    def bounds(self, cell: Field) -> None:
        """A number within its bounds, whole where it has to be; blank only where it may be."""
        layout = self.book.layout
        value = f"Inputs!{COLUMN}{layout.input_rows[cell.name]}"
        whole = f"INT({value})" if cell.kind == "integer" else value
        held = f"MAX({layout.bound_cell('D', cell.name)},MIN({layout.bound_cell('E', cell.name)},{whole}))"
        blank = f'({value}="")*1' if cell.optional else "0"
        text = f"=IF(ISNUMBER({value}),({held}={value})*1,{blank})"
        self.check(cell.label, f"{cell.name}.bounds", text, self.ones())

    def ones(self) -> list[float]:
        """What a check of checked values gives."""
        return [1.0] * len(self.book.scenarios)

    def word(self, cell: Field) -> None:
        """A word of the list."""
        source = "yes or no" if cell.kind == "switch" else cell.name
        words = self.book.layout.list_range(source)
        text = f"=SUMPRODUCT(({words}=Inputs!{COLUMN}{self.book.layout.input_rows[cell.name]})*1)"
        self.check(f"{cell.label} is in its list", f"{cell.name}.word", text, self.ones())

    def shares(self) -> None:
        """The 24 shares together."""
        rows = self.book.layout.input_rows
        cells = f"Inputs!{COLUMN}{rows[HOUR_NAMES[0]]}:{COLUMN}{rows[HOUR_NAMES[-1]]}"
        tolerance = self.book.layout.constant_cell(SHARES_TOLERANCE)
        text = f"=OR(COUNTA({cells})=0,ABS(SUM({cells})-1)<={tolerance})*1"
        self.check("The hours' shares sum to 1, or all are blank", "hourly_profile.sum", text, self.ones())

    # Conditions

    def conditions(self) -> None:
        """The conditions of conditions.py."""
        section = ""
        for plan in self.book.layout.checks:
            if plan.row.section != section:
                section = plan.row.section
                self.section(section)
            self.condition(plan)

    def condition(self, plan: RowPlan) -> None:
        """One condition, its details above it."""
        layout, start = self.book.layout, self.row
        own = {line.key: start + position for position, line in enumerate(plan.lines)}
        places = CheckPlaces(layout, own)
        columns = [dict[str, float]() for _ in self.book.scenarios]
        outside = plan.outside()
        for position, numbers in enumerate(columns):
            numbers.update({key: self.book.numbers[key][position] for key in outside})
        for line in plan.lines:
            for numbers in columns:
                numbers[line.key] = line_number(line, numbers)
            values = [numbers[line.key] for numbers in columns]
            text = formula(line, places)
            if line.role == "row":
                self.check(line.label, line.key, text, values)
                continue
            self.page.label(self.row, line.label, line.unit, line.key, look.LABEL_DETAIL)
            shown = WHOLE if line.unit == OK else self.book.number_format(line.unit, values)
            self.page.across(self.row, text, values, look.CALC_DETAIL, shown)
            self.row += 1

    # As exported

    def exported(self) -> None:
        """The key results as they were exported, and whether each still is what it was."""
        keys = [
            row
            for row in self.book.layout.sheet.rows.values()
            if row.key and row.kind == "number" and row.name in self.book.layout.model_rows
        ]
        tolerance = self.book.layout.constant_cell(CHECK_TOLERANCE)
        self.section("Key results as exported")
        first = self.row
        for row in keys:
            values = self.book.numbers[row.name]
            shown = self.book.number_format(row.unit, values)
            self.page.label(self.row, row.label, self.book.unit(row.unit), f"{row.name}.exported")
            for position, value in enumerate(values):
                if not math.isnan(value):
                    self.page.number(self.row, 5 + position, value, look.CONSTANT, shown)
            self.row += 1
        self.ends()
        self.section("Key results still as exported (for information)")
        self.book.unchanged = f"{self.row}:{self.row + len(keys) - 1}"
        for position, row in enumerate(keys):
            now = f"Model!{COLUMN}{self.book.layout.model_rows[row.name]}"
            then = f"{COLUMN}{first + position}"
            self.unchanged(row.label, f"{row.name}.unchanged", now, then, tolerance)

    def ends(self) -> None:
        """Low and high of chief results as the planner computed them at the export."""
        self.section("Low and high as exported, from the efficiency profile's band")
        bands = [band_of(evaluated) for evaluated in self.book.scenarios]
        for name in CHIEF:
            row = self.book.layout.sheet.rows[name]
            for end in ("low", "high"):
                found = [getattr(band[name], end) for band in bands]
                values = [math.nan if value is None else value for value in found]
                self.page.label(self.row, f"{row.label}, {end}", self.book.unit(row.unit), f"{name}.{end}")
                shown = self.book.number_format(row.unit, values)
                for position, value in enumerate(values):
                    if not math.isnan(value):
                        self.page.number(self.row, FIRST_SCENARIO + position, value, look.CONSTANT, shown)
                self.book.ends[name, end] = (self.row, values)
                self.row += 1

    def unchanged(self, label: str, ref: str, now: str, then: str, tolerance: str) -> None:
        """1 where a result is what it was: both numbers and equal, or neither a number."""
        same = f"(ABS({now}-{then})<={tolerance}*ABS({then}))*1"
        text = f"=IF(ISNUMBER({now}+{then}),{same},(ISNUMBER({now})=ISNUMBER({then}))*1)"
        self.check(label, ref, text, self.ones(), counts=False)
