"""One sheet being written: texts, typed numbers, formulas with their results, columns and print set-up."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from copy import copy
from typing import Final

from openpyxl.utils import get_column_letter
from openpyxl.workbook import Workbook
from openpyxl.worksheet.datavalidation import DataValidation
from openpyxl.worksheet.pagebreak import Break
from openpyxl.worksheet.properties import PageSetupProperties
from openpyxl.worksheet.worksheet import Worksheet

from exports.workbook import styles as look
from exports.workbook.formats import CHECK, GENERAL, WHOLE, NumberFormat
from exports.workbook.formula import COLUMN
from exports.workbook.layout import FIRST_ROW
from exports.workbook.stored import Across, Stored, StoredValues, as_written
from exports.workbook.styles import LINKED, Styles
from planner.model.fields import printable

LABEL_COLUMN, UNIT_COLUMN, REF_COLUMN, CONSTANT_COLUMN, FIRST_SCENARIO = 1, 2, 3, 4, 5
MAX_SCENARIOS: Final = 16_384 - FIRST_SCENARIO + 1
NAMES_ROW, IDS_ROW = 5, 6
PER_PAGE: Final = 8
"""Scenarios that fit on one page beside one another."""

HEADING_ALONE: Final = "Only this heading is printed; clear the print area to print it all."
"""Said where a sheet is long and nobody reads it on paper."""

_FORMULA_LIKE = ("=", "+", "-", "@", "\t", "\r", "'")
_WIDEST, _NARROWEST = 24, 13


class Page:
    """A sheet of the workbook and how it is filled."""

    def __init__(self, workbook: Workbook, styles: Styles, stored: StoredValues, title: str, scenarios: int) -> None:
        self.sheet: Worksheet = workbook.create_sheet(title)
        self.styles, self.stored, self.title, self.scenarios = styles, stored, title, scenarios
        self.widths: dict[int, int] = {}
        self.last_row = 1

    def text(self, row: int, column: int, text: str, style: str, shown: NumberFormat = GENERAL) -> None:
        """``text`` as text, whatever it looks like."""
        cell = self.sheet.cell(row, column)
        content = clean(text)
        cell.value = as_written(content)
        cell.data_type = "s"
        quoted = content.startswith(_FORMULA_LIKE)
        cell._style = copy(self.styles.quoted(style, shown) if quoted else self.styles.array(style, shown))
        self.last_row = max(self.last_row, row)

    def empty(self, row: int, column: int, style: str, shown: NumberFormat = GENERAL) -> None:
        """A cell without content, styled."""
        self.sheet.cell(row, column)._style = copy(self.styles.array(style, shown))

    def number(self, row: int, column: int, value: float, style: str, shown: NumberFormat = GENERAL) -> None:
        """A typed number."""
        cell = self.sheet.cell(row, column)
        cell.value = int(value) if float(value).is_integer() and abs(value) < 1e15 else value
        cell._style = copy(self.styles.array(style, shown))
        self.fit(column, shown.text(value))
        self.last_row = max(self.last_row, row)

    def formula(
        self, row: int, column: int, formula: str, value: Stored, style: str, shown: NumberFormat = GENERAL
    ) -> None:
        """A formula with its result."""
        cell = self.sheet.cell(row, column)
        cell.value = formula
        cell._style = copy(self.styles.array(_coloured(style, formula), shown))
        self.stored.cells[self.title, cell.coordinate] = value
        self.fit(column, value if isinstance(value, str) else shown.text(value))
        self.last_row = max(self.last_row, row)

    def across(
        self, row: int, formula: str, values: Sequence[Stored], style: str, shown: NumberFormat = GENERAL
    ) -> None:
        """A formula with an open column, copied across the scenarios, with its results."""
        if self.sheet.cell(row, CONSTANT_COLUMN).value is None:
            self.empty(row, CONSTANT_COLUMN, look.UNIT)
        number = self.styles.number(_coloured(style, formula), shown)
        self.stored.rows.setdefault(self.title, {})[row] = Across(formula, values, number)
        numbers = [value for value in values if not isinstance(value, str)]
        if numbers and not all(math.isnan(value) for value in numbers):
            finite = [value for value in numbers if not math.isnan(value)]
            for value in (max(finite), min(finite)):
                self.fit(FIRST_SCENARIO, shown.text(value))
        for word in {value for value in values if isinstance(value, str)}:
            self.fit(FIRST_SCENARIO, f"{word} ")
        self.last_row = max(self.last_row, row)

    def label(self, row: int, label: str, unit: str, ref: str, style: str = look.LABEL) -> None:
        """The first three columns of a line."""
        self.text(row, LABEL_COLUMN, label, style)
        self.text(row, UNIT_COLUMN, unit or "number", look.UNIT)
        self.text(row, REF_COLUMN, ref, look.REF)
        self.fit(LABEL_COLUMN, label)
        self.fit(UNIT_COLUMN, unit)
        self.fit(REF_COLUMN, ref, scale=0.85)

    def section(self, row: int, title: str, last_column: int = 0) -> None:
        """A band with a heading across the table."""
        self.text(row, 1, title, look.SECTION)
        for column in range(2, (last_column or self.last_column) + 1):
            self.empty(row, column, look.SECTION)
        self.sheet.row_dimensions[row].height = 17

    def heading(self, title: str, sentence: str) -> None:
        """The sheet's title and, below it, what it holds."""
        self.text(1, 1, title, look.TITLE)
        self.text(2, 1, sentence, look.NOTE)
        self.sheet.row_dimensions[1].height = 26

    def header(self, row: int, names: Mapping[int, str], right: frozenset[int] = frozenset()) -> None:
        """Column headings."""
        for column, name in names.items():
            self.text(row, column, name, look.HEADER_NUMBER if column in right else look.HEADER)

    def scenario_header(self, names: Sequence[str], constant: str, *, is_text: bool = False) -> None:
        """The two rows with the scenarios' names, linked to the Inputs sheet, and their numbers.

        ``constant`` heads column D, which holds texts where ``is_text``.
        """
        right = frozenset[int]() if is_text else frozenset({4})
        self.header(NAMES_ROW, {1: "Line", 2: "Unit", 3: "Ref", 4: constant}, right)
        self.header(IDS_ROW, {1: "Scenario number", 2: "number", 3: "", 4: ""})
        self.across(NAMES_ROW, f"=Inputs!{COLUMN}${NAMES_ROW}", [clean(name) for name in names], look.HEADER_LINK)
        counted = f"=COLUMNS($E${NAMES_ROW}:{COLUMN}${NAMES_ROW})"
        self.across(IDS_ROW, counted, [float(number + 1) for number in range(len(names))], look.HEADER_CALC, WHOLE)
        self.name_height(names)

    def name_height(self, names: Sequence[str]) -> None:
        """Makes room for scenario names that need more than one line."""
        longest = max(len(name) for name in names)
        lines = min(5, max(1, math.ceil(longest / 15)))
        self.sheet.row_dimensions[NAMES_ROW].height = 13.5 * lines + 3

    def master_check(self, value: float) -> None:
        """Row 3: whether all checks of the Checks sheet pass."""
        self.text(3, 1, "All checks pass (see Checks)", look.LABEL)
        self.formula(3, CONSTANT_COLUMN, "=Checks!$D$3", value, look.CALC_KEY, CHECK)

    def break_before(self, row: int) -> None:
        """Begins a new printed page at ``row``."""
        self.sheet.row_breaks.append(Break(id=row - 1))

    def print_rows(self, first: int, last: int) -> None:
        """Prints rows ``first`` to ``last`` alone, below the title rows where these come before."""
        self.sheet.print_area = f"A{first}:{get_column_letter(self.last_column)}{last}"

    def validate(self, rule: DataValidation, cells: str) -> None:
        """Attaches a validation to ``cells``."""
        rule.add(cells)
        self.sheet.add_data_validation(rule)

    @property
    def last_column(self) -> int:
        """The column of the last scenario."""
        return FIRST_SCENARIO + self.scenarios - 1

    def scenario_span(self, row: int, last_row: int = 0) -> str:
        """The scenarios' cells of a row, or of several."""
        first, last = get_column_letter(FIRST_SCENARIO), get_column_letter(self.last_column)
        return f"{first}{row}:{last}{last_row or row}"

    def fit(self, column: int, text: str, scale: float = 1.0) -> None:
        """Widens ``column`` to hold ``text``."""
        self.widths[column] = max(self.widths.get(column, 0), math.ceil(len(text) * scale) + 2)

    def finish(
        self,
        *,
        header_text: str,
        wide: Mapping[int, int] | None = None,
        frozen: str = f"E{FIRST_ROW}",
        title_rows: str = f"1:{IDS_ROW}",
        landscape_columns: int = 0,
        pages_high: int = 0,
    ) -> None:
        """Sets widths, frozen panes and print set-up. ``wide`` overrides the width of columns."""
        self._set_widths(dict(wide or {}))
        sheet = self.sheet
        look.frame(sheet)
        if frozen:
            sheet.freeze_panes = frozen
        sheet.page_setup.orientation = "landscape"
        sheet.page_setup.paperSize = sheet.PAPERSIZE_A4
        sheet.sheet_properties.pageSetUpPr = PageSetupProperties(fitToPage=True)
        sheet.sheet_properties.outlinePr.summaryBelow = True
        sheet.page_setup.fitToWidth = max(1, math.ceil((landscape_columns or self.scenarios) / PER_PAGE))
        sheet.page_setup.fitToHeight = pages_high
        if title_rows:
            sheet.print_title_rows = title_rows
        if landscape_columns == 0:
            sheet.print_title_cols = "A:D"
        sheet.page_margins.left = sheet.page_margins.right = 0.4
        sheet.page_margins.top, sheet.page_margins.bottom = 0.7, 0.6
        sheet.oddHeader.right.text = header_text
        sheet.oddFooter.left.text = "&F"
        sheet.oddFooter.center.text = "&A"
        sheet.oddFooter.right.text = "Page &P of &N"
        for part in (sheet.oddHeader.right, *(getattr(sheet.oddFooter, side) for side in ("left", "center", "right"))):
            part.size = 8
            part.font = f"{look.FONT},Regular"

    def _set_widths(self, wide: dict[int, int]) -> None:
        limits = {LABEL_COLUMN: (24, 58), UNIT_COLUMN: (8, 16), REF_COLUMN: (8, 30), CONSTANT_COLUMN: (11, 32)}
        scenario = max(_NARROWEST, min(_WIDEST, self.widths.get(FIRST_SCENARIO, 0)))
        for column in range(FIRST_SCENARIO, self.last_column + 1):
            wide.setdefault(column, max(scenario, min(_WIDEST, self.widths.get(column, 0))))
        for column, (least, most) in limits.items():
            wide.setdefault(column, max(least, min(most, self.widths.get(column, 0))))
        for column, width in wide.items():
            self.sheet.column_dimensions[get_column_letter(column)].width = width + 0.7


def _coloured(style: str, formula: str) -> str:
    """The style in the colour of a formula that reads another sheet, where it does."""
    return LINKED.get(style, style) if "!" in formula else style


def clean(text: str) -> str:
    """``text`` with line ends as they are and every other character that a file may not hold as U+FFFD."""
    if text.isprintable():
        return text
    lines = re.split(r"\r\n|\r|\n", text)
    return "\n".join(printable(line) for line in lines)
