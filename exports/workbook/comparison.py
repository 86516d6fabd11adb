"""The Comparison sheet: a verdict, key results side by side, their change to a baseline chosen in a cell, one chart."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from openpyxl.formatting.rule import FormulaRule
from openpyxl.styles import Font, PatternFill
from openpyxl.utils import get_column_letter
from openpyxl.worksheet.datavalidation import DataValidation

from exports.workbook import styles as look
from exports.workbook.book import Book, ShownLine
from exports.workbook.chart import add_chart
from exports.workbook.formats import FLAG, PERCENT_CHANGE, WHOLE, WORD, NumberFormat, change_format, is_share
from exports.workbook.formula import COLUMN
from exports.workbook.layout import FIRST_ROW
from exports.workbook.page import CONSTANT_COLUMN, FIRST_SCENARIO, IDS_ROW, Page, clean
from exports.workbook.stored import Stored
from exports.workbook.tree import WORD_SUFFIX
from exports.workbook.verdict import HEAD_LINES, STEP_LINES, Verdict
from planner.model.constants import GIB, MS_PER_S
from planner.model.display import display_of
from planner.model.sheet import Row

CHART_ROWS = 16
_FIRST_CHOICES = ("self_host_cost_per_month", "tpot_s", "api_cost_per_month")


@dataclass(slots=True)
class Result:
    """One key result: its row on this sheet, its values in the unit shown, and how they look."""

    row: Row
    at: int
    unit: str
    values: Sequence[float]
    shown: NumberFormat


def write_comparison(book: Book) -> None:
    """The Comparison sheet."""
    page = book.page("Comparison")
    page.heading(
        "Comparison",
        "The verdict, then key results side by side. Choose the baseline by its scenario number, and the result that "
        "the chart shows, in the yellow cells.",
    )
    page.master_check(book.master)
    page.text(4, 1, "Baseline: scenario number", look.LABEL_KEY)
    page.number(4, CONSTANT_COLUMN, book.baseline + 1, look.INPUT, WHOLE)
    page.scenario_header(book.names, "Baseline")
    baseline_name = f"=INDEX({_absolute(page, 5)},$D$4)"
    page.formula(6, CONSTANT_COLUMN, baseline_name, clean(book.names[book.baseline]), look.HEADER_CALC)
    writer = _Writer(book, page)
    writer.choose_baseline()
    verdict = writer.reserve_verdict()
    writer.results()
    writer.chart()
    writer.words()
    writer.low_to_high()
    writer.changes()
    writer.verdict_lines(verdict)
    writer.reasons()
    _mark_baseline(page, writer.tables)
    page.finish(header_text=book.header_text)


def _absolute(page: Page, row: int) -> str:
    first, last = get_column_letter(FIRST_SCENARIO), get_column_letter(page.last_column)
    return f"${first}{row}:${last}{row}"


def _mark_baseline(page: Page, tables: Sequence[tuple[int, int]]) -> None:
    """A fill for the column of the baseline."""
    rule = FormulaRule(
        formula=[f"E${IDS_ROW}=$D$4"], fill=PatternFill(bgColor=f"FF{look.BASE_FILL}", fill_type="solid")
    )
    cells = " ".join(page.scenario_span(first, last) for first, last in [(IDS_ROW, IDS_ROW), *tables])
    page.sheet.conditional_formatting.add(cells, rule)


class _Writer:
    def __init__(self, book: Book, page: Page) -> None:
        self.book, self.page = book, page
        self.row = FIRST_ROW
        self.found: list[Result] = []
        self.tables: list[tuple[int, int]] = []

    def section(self, title: str) -> None:
        self.page.section(self.row, title)
        self.row += 1

    def choose_baseline(self) -> None:
        """The baseline is chosen by the number of its scenario."""
        rule = DataValidation("list", formula1=_absolute(self.page, IDS_ROW), allow_blank=False)
        rule.showErrorMessage = rule.showInputMessage = True
        rule.promptTitle, rule.errorTitle = "Baseline", "Baseline"
        rule.prompt = "The number of the scenario that all others are compared with."
        rule.error = f"The baseline must be the number of a scenario, 1 to {len(self.book.scenarios)}."
        self.page.validate(rule, "D4")

    def reserve_verdict(self) -> Verdict:
        """Leaves room for the verdict, which reads lines below it."""
        self.section("Verdict")
        self.tables.append((self.row, self.row + HEAD_LINES - 1))
        verdict = Verdict(self.book, self.page, self.row)
        self.row += HEAD_LINES
        return verdict

    def verdict_lines(self, verdict: Verdict) -> None:
        """The verdict, and the steps that lead to it."""
        self.page.break_before(self.row)
        self.section("How the verdict is reached")
        verdict.steps = self.row
        self.row += STEP_LINES
        verdict.write_steps()
        verdict.write_head()

    @property
    def keys(self) -> list[Row]:
        """The rows that lead a short comparison."""
        return [row for row in self.book.layout.sheet.rows.values() if row.key and _known(self.book, row)]

    def results(self) -> None:
        """The key results that are numbers."""
        self.section("Key results")
        first = self.row
        for row in self.keys:
            if row.kind == "number":
                self.number(row)
        self.tables.append((first, self.row - 1))

    def words(self) -> None:
        """The key results that are words, or yes and no."""
        self.section("Key results in words")
        first = self.row
        for row in self.keys:
            if row.kind != "number":
                self.word(row)
        self.tables.append((first, self.row - 1))

    def number(self, row: Row) -> None:
        """One numeric result, in the unit that people read it in."""
        source = f"Model!{COLUMN}{self.book.layout.model_rows[row.name]}"
        unit, factor, scale = self.shown_in(row)
        formula = f'=IF(ISNUMBER({source}),{source}{factor},"")' if factor else f"={source}"
        values = [scale(value) for value in self.book.numbers[row.name]]
        result = Result(row, self.row, unit, values, self.book.number_format(unit, values))
        self.found.append(result)
        unit = self.book.unit(unit or "number")
        self.book.compared[row.name] = ShownLine(self.row, row.label, unit, values, result.shown)
        self.page.label(self.row, row.label, unit, row.name, look.LABEL_KEY)
        self.page.across(self.row, formula, values, look.CALC, result.shown)
        self.baseline(values, result.shown)

    def shown_in(self, row: Row) -> tuple[str, str, Callable[[float], float]]:
        """The unit that people read ``row`` in, what a formula does to get there, and the same on a number."""
        display = display_of(row).unit
        if display == "GiB":
            return display, f"/{self.book.layout.constant_cell(GIB)}", _in_gib
        if display == "ms":
            return display, f"*{self.book.layout.constant_cell(MS_PER_S)}", _in_ms
        return row.unit, "", _as_is

    def low_to_high(self) -> None:
        """Both ends of chief results, as exported; blank once a key result of the scenario has moved since."""
        self.page.break_before(self.row)
        self.section("Low and high as exported: the ends of the efficiency profile's band; blank once an input moves")
        first = self.row
        span = self.book.unchanged.replace(":", f":{COLUMN}")
        unmoved = f"(MIN(Checks!{COLUMN}{span})=1)"
        for (name, end), (at, numbers) in self.book.ends.items():
            row = self.book.layout.sheet.rows[name]
            unit, factor, scale = self.shown_in(row)
            source = f"Checks!{COLUMN}{at}"
            values = [scale(value) for value in numbers]
            shown = self.book.number_format(unit, [*values, *(scale(v) for v in self.book.numbers[name])])
            self.page.label(self.row, f"{row.label}, {end}", self.book.unit(unit or "number"), f"{name}.{end}")
            text = f'=IF({unmoved}*ISNUMBER({source}),{source}{factor},"")'
            self.page.across(self.row, text, values, look.CALC, shown)
            self.baseline(values, shown)
        self.tables.append((first, self.row - 1))

    def baseline(self, values: Sequence[Stored], shown: NumberFormat) -> None:
        """Column D: the baseline's own value."""
        span = _absolute(self.page, self.row)
        value = values[self.book.baseline]
        self.page.formula(self.row, CONSTANT_COLUMN, f"=INDEX({span},$D$4)", value, look.CALC, shown)
        self.row += 1

    def word(self, row: Row) -> None:
        """A word, or yes and no."""
        if row.kind == "word":
            values: Sequence[Stored] = self.book.words(row)
            key, shown, unit = row.name + WORD_SUFFIX, WORD, "word"
        else:
            values, key, shown, unit = self.book.numbers[row.name], row.name, FLAG, "1 = yes"
        self.book.compared[row.name] = ShownLine(self.row, row.label, unit, values, shown)
        self.page.label(self.row, row.label, unit, row.name, look.LABEL_KEY)
        source = f"=Model!{COLUMN}{self.book.layout.model_rows[key]}"
        self.page.across(self.row, source, values, look.CALC, shown)
        self.baseline(values, shown)

    # The chart

    def chart(self) -> None:
        """The result that is chosen in a cell, as bars, on a page of its own where it is printed."""
        self.page.break_before(self.row)
        self.section("Chart")
        first, last = self.found[0].at, self.found[-1].at
        chosen = self.first_choice()
        at = self.row
        self.page.text(at, 1, "Result shown in the chart", look.LABEL_KEY)
        self.page.empty(at, 2, look.UNIT)
        self.page.text(at, 3, "chart_result", look.REF)
        self.page.text(at, CONSTANT_COLUMN, chosen.row.label, look.INPUT_WORD)
        self.page.fit(CONSTANT_COLUMN, chosen.row.label)
        rule = DataValidation("list", formula1=f"$A${first}:$A${last}", allow_blank=False)
        rule.showErrorMessage = rule.showInputMessage = True
        rule.promptTitle = rule.errorTitle = "Chart"
        rule.prompt = "The key result that the chart shows."
        rule.error = "Choose one of the key results above."
        self.page.validate(rule, f"D{at}")
        self.page.label(at + 1, "Its number among the key results", "number", "chart_number")
        position = float(chosen.at - first + 1)
        self.page.formula(
            at + 1, CONSTANT_COLUMN, f"=MATCH($D${at},$A${first}:$A${last},0)", position, look.CALC, WHOLE
        )
        self.page.label(at + 2, "Value in the chart", "as above", "chart_value")
        picked = f"=INDEX({COLUMN}${first}:{COLUMN}${last},$D${at + 1})"
        self.page.across(at + 2, picked, chosen.values, look.CALC, chosen.shown)
        unit = f"=INDEX($B${first}:$B${last},$D${at + 1})"
        self.page.formula(at + 2, CONSTANT_COLUMN, unit, self.book.unit(chosen.unit or "number"), look.CALC)
        add_chart(self.page, self.book, chosen.row.label, at, chosen.values)
        self.row = at + 3 + CHART_ROWS

    def first_choice(self) -> Result:
        """The result the chart starts with: a cost where there is one, else TPOT, else the first."""
        named = {result.row.name: result for result in self.found}
        wanted = [named[name] for name in _FIRST_CHOICES if name in named] + self.found
        return next((r for r in wanted if sum(not math.isnan(v) for v in r.values) * 2 > len(r.values)), wanted[0])

    # Changes

    def changes(self) -> None:
        """Difference to the baseline, then the same relative to it."""
        self.section("Change to the baseline")
        for result in self.found:
            base = result.values[self.book.baseline]
            values = [value - base for value in result.values]
            text = f'=IF(ISNUMBER({COLUMN}{result.at}+$D{result.at}),{COLUMN}{result.at}-$D{result.at},"")'
            unit = "% points" if is_share(result.unit) else self.book.unit(result.unit or "number")
            self.change(result, "change", unit, text, values, change_format(result.shown))
        self.section("Change to the baseline, relative")
        for result in self.found:
            if is_share(result.unit):
                continue
            base = result.values[self.book.baseline]
            values = [value / base - 1 if base else math.nan for value in result.values]
            text = f'=IF(ISNUMBER({COLUMN}{result.at}/$D{result.at}),{COLUMN}{result.at}/$D{result.at}-1,"")'
            self.change(result, "relative", "%", text, values, PERCENT_CHANGE)

    def change(
        self, result: Result, what: str, unit: str, text: str, values: Sequence[float], shown: NumberFormat
    ) -> None:
        """One line of changes, coloured by whether the change is wanted."""
        self.page.label(self.row, result.row.label, unit, f"{result.row.name}.{what}")
        self.page.across(self.row, text, values, look.CALC, shown)
        if result.row.better:
            good = "<" if result.row.better == "lower" else ">"
            bad = ">" if good == "<" else "<"
            first = f"{get_column_letter(FIRST_SCENARIO)}{self.row}"
            for sign, font, fill in ((good, look.GOOD_FONT, look.GOOD_FILL), (bad, look.BAD_FONT, look.BAD_FILL)):
                rule = FormulaRule(
                    formula=[f"AND(ISNUMBER({first}),{first}{sign}0)"],
                    font=Font(color=f"FF{font}"),
                    fill=PatternFill(bgColor=f"FF{fill}", fill_type="solid"),
                )
                self.page.sheet.conditional_formatting.add(self.page.scenario_span(self.row), rule)
        self.row += 1

    # Blanks

    def reasons(self) -> None:
        """Why a key result was blank when the workbook was written."""
        lines = []
        for row in self.book.layout.sheet.rows.values():
            if row.key and _known(self.book, row):
                reasons = [evaluated.results[row.name].reason for evaluated in self.book.scenarios]
                if any(reasons):
                    lines.append((row, reasons))
        if not lines:
            return
        self.section("Why a result is blank, as exported")
        for row, reasons in lines:
            self.page.label(self.row, row.label, "reason", f"{row.name}.reason")
            for position, reason in enumerate(reasons):
                if reason:
                    self.page.text(self.row, FIRST_SCENARIO + position, reason, look.TEXT)
            longest = max(len(reason) for reason in reasons)
            self.page.sheet.row_dimensions[self.row].height = 12.8 * min(6, math.ceil(longest / 19)) + 4
            self.row += 1


def _known(book: Book, row: Row) -> bool:
    return row.name in book.layout.model_rows


_as_is: Callable[[float], float] = float


def _in_gib(value: float) -> float:
    return value / float(GIB)


def _in_ms(value: float) -> float:
    return value * float(MS_PER_S)
