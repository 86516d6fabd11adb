"""The Inputs sheet: everything a scenario is made of, typed numbers in blue, each held to its bounds."""

from __future__ import annotations

import math

from openpyxl.formatting.rule import FormulaRule
from openpyxl.styles import Font, PatternFill
from openpyxl.utils import get_column_letter
from openpyxl.workbook.defined_name import DefinedName
from openpyxl.worksheet.datavalidation import DataValidation

from exports.workbook import styles as look
from exports.workbook.book import Book
from exports.workbook.formats import GENERAL, WORD, NumberFormat, number_format
from exports.workbook.layout import CONSTANTS, InputItem, shown_unit
from exports.workbook.page import (
    CONSTANT_COLUMN,
    FIRST_SCENARIO,
    IDS_ROW,
    NAMES_ROW,
    Page,
)
from planner.model.fields import Field

LOCKED_CHOICES = frozenset({"weight_format", "kv_format"})
"""Choices whose facts come from the catalogue: a new word alone would not bring them."""

TITLE_LENGTH, MESSAGE_LENGTH = 32, 255


def is_locked(cell: Field) -> bool:
    """Whether a value is only shown, because changing it takes the catalogue."""
    return cell.kind == "name" or cell.name in LOCKED_CHOICES


def write_inputs(book: Book) -> None:
    """The Inputs sheet."""
    page = book.page("Inputs")
    page.heading(
        "Inputs",
        "Blue on yellow is yours to change, and everything recalculates. Grey names come from the planner's catalogue: "
        "the facts they stand for are listed below them and may be changed. Constants, last, are not printed.",
    )
    page.master_check(book.master)
    page.header(NAMES_ROW, {1: "Line", 2: "Unit", 3: "Ref", 4: "Constant"}, frozenset({4}))
    page.header(IDS_ROW, {1: "Scenario id", 2: "", 3: "scenario_id", 4: ""})
    for position, (name, identity) in enumerate(zip(book.names, book.ids, strict=True)):
        page.text(NAMES_ROW, FIRST_SCENARIO + position, name, look.HEADER_INPUT)
        page.text(IDS_ROW, FIRST_SCENARIO + position, identity, look.HEADER_ID)
    page.name_height(book.names)
    for item in book.layout.inputs:
        _write_item(book, page, item)
    page.finish(header_text=book.header_text)
    constants = next(item.row for item in book.layout.inputs if item.field is None and item.label == CONSTANTS)
    page.print_rows(1, constants - 1)


def _write_item(book: Book, page: Page, item: InputItem) -> None:
    if item.constant is not None:
        constant = item.constant
        page.label(item.row, constant.label, constant.unit, constant.name)
        shown = number_format("", [float(constant)])
        page.number(item.row, CONSTANT_COLUMN, float(constant), look.CONSTANT, shown)
        _define(book, constant.name, f"Inputs!$D${item.row}")
    elif item.field is None:
        page.section(item.row, item.label)
    else:
        _write_field(book, page, item.row, item.field)


def _write_field(book: Book, page: Page, row: int, cell: Field) -> None:
    page.label(row, cell.label, book.unit(shown_unit(cell)), cell.name)
    page.empty(row, CONSTANT_COLUMN, look.UNIT)
    shown = GENERAL
    if cell.is_number:
        values = [book.value(cell.name, evaluated) for evaluated in book.scenarios]
        shown = book.number_format(shown_unit(cell), [float(v) for v in values if isinstance(v, (int, float))])
    for position, evaluated in enumerate(book.scenarios):
        _write_value(page, row, FIRST_SCENARIO + position, cell, book.value(cell.name, evaluated), shown)
    _define(book, cell.name, f"Inputs!{_absolute(page, row)}")
    if not is_locked(cell):
        rule = _rule(book, cell, row)
        if rule is not None:
            page.validate(rule, page.scenario_span(row))
        if cell.is_number:
            _mark_out_of_bounds(page, cell, row)


def _write_value(page: Page, row: int, column: int, cell: Field, value: object, shown: NumberFormat) -> None:
    if cell.is_number:
        if isinstance(value, (int, float)):
            page.number(row, column, float(value), look.INPUT, shown)
        else:
            page.empty(row, column, look.INPUT, shown)
        return
    style = look.LOCKED if is_locked(cell) else look.INPUT_WORD
    if value is None:
        page.empty(row, column, style, WORD)
        return
    text = ("yes" if value else "no") if isinstance(value, bool) else str(value)
    page.text(row, column, text, style, WORD)
    page.fit(column, f"{text} ")


def _absolute(page: Page, row: int) -> str:
    first, last = get_column_letter(FIRST_SCENARIO), get_column_letter(page.last_column)
    return f"${first}${row}:${last}${row}"


def _define(book: Book, name: str, target: str) -> None:
    """A name for reading and for the way back; formulas do not use it."""
    book.workbook.defined_names[name] = DefinedName(name, attr_text=target)


def _rule(book: Book, cell: Field, row: int) -> DataValidation | None:
    """The validation of one line; words are chosen from a list."""
    if cell.kind in ("switch", "choice"):
        source = "yes or no" if cell.kind == "switch" else cell.name
        rule = DataValidation("list", formula1=book.layout.list_range(source), allow_blank=False)
    else:
        first = f"{get_column_letter(FIRST_SCENARIO)}{row}"
        if cell.above_low:
            formula = f"AND(ISNUMBER({first}),{first}>{number_text(cell.low)},{first}<={number_text(cell.high)})"
            rule = DataValidation("custom", formula1=formula, allow_blank=cell.optional)
        else:
            rule = DataValidation(
                "whole" if cell.kind == "integer" else "decimal",
                operator="between",
                formula1=number_text(cell.low),
                formula2=number_text(cell.high),
                allow_blank=cell.optional,
            )
    allowed = _allowed(cell)
    rule.errorStyle = "stop"
    rule.showErrorMessage = rule.showInputMessage = True
    rule.promptTitle = rule.errorTitle = shorten(cell.label, TITLE_LENGTH)
    rule.prompt = shorten(f"{allowed[:1].upper()}{allowed[1:]}. {cell.help}", MESSAGE_LENGTH)
    rule.error = shorten(f"{cell.label} must be {allowed}.", MESSAGE_LENGTH)
    return rule


def _allowed(cell: Field) -> str:
    """The bounds in words, with the unit and what a blank stands for."""
    whole = "a whole number, " if cell.kind == "integer" else ""
    blank = f", or blank ({cell.blank})" if cell.optional and cell.blank else ", or blank" if cell.optional else ""
    return f"{whole}{cell.bounds()}{blank}"


def number_text(value: float | None) -> str:
    """A bound as a validation's formula takes it."""
    if value is None or math.isinf(value):
        return "1E+300"
    return str(int(value)) if float(value).is_integer() and abs(value) < 1e15 else repr(float(value))


def shorten(text: str, length: int) -> str:
    """``text`` in at most ``length`` characters."""
    return text if len(text) <= length else text[: length - 1].rstrip() + "…"


def _mark_out_of_bounds(page: Page, cell: Field, row: int) -> None:
    """A number out of bounds turns red wherever it came from; validation only sees what is typed."""
    first = f"{get_column_letter(FIRST_SCENARIO)}{row}"
    below = f"{first}{'<=' if cell.above_low else '<'}{number_text(cell.low)}"
    outside = f"{below},{first}>{number_text(cell.high)}"
    number = f"ISNUMBER({first})"
    formula = f"AND({number},OR({outside}))" if cell.optional else f"OR(NOT({number}),{outside})"
    rule = FormulaRule(
        formula=[formula],
        font=Font(color=f"FF{look.BAD_FONT}", bold=True),
        fill=PatternFill(bgColor=f"FF{look.BAD_FILL}", fill_type="solid"),
    )
    page.sheet.conditional_formatting.add(page.scenario_span(row), rule)
