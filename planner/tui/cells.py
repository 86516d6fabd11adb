"""What a cell shows: its text, its tone and a mark, and the sentence that says where the value comes from."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

from planner.model.display import (
    show_field,
    show_field_with_unit,
    show_in_cell,
    show_with_unit,
    with_currency,
)
from planner.model.explain import fact_origin
from planner.model.facts import FACT_FIELDS
from planner.model.fields import Field, FieldValue, show_number
from planner.model.inputs import INPUTS
from planner.model.rows import SHEET
from planner.tui.book import Book
from planner.tui.lines import Line
from planner.tui.text import one_line

Tone = Literal["default", "set", "changed", "fact", "result", "blank", "problem", "same", "better", "worse", "delta"]
Difference = Literal["off", "percent", "absolute"]

BLANK, SAME, BETTER, WORSE, OVERRIDDEN, DOUBTFUL = "—", "·", "✓", "✗", "•", "~"
_EQUAL = 1e-12


@dataclass(frozen=True, slots=True)
class Shown:
    """``text`` in its ``tone``; ``mark`` (one character) stands behind it and says the same without colour."""

    text: str
    tone: Tone
    mark: str = " "


def unit_in_cell(line: Line) -> bool:
    """Whether the cells of ``line`` carry their own unit, since its size varies too much for one."""
    return line.kind == "fact" and line.unit in ("B", "B/s", "FLOP/s")


def field_text(field: Field, value: FieldValue) -> str:
    """``value`` of an input or fact as a cell shows it."""
    return one_line(show_field(field, value))


def show_cell(book: Book, place: int, line: Line, difference: Difference = "off") -> Shown:
    """The cell of ``line`` in the column at ``place``, or its difference to the baseline."""
    if difference != "off" and place != book.baseline:
        delta = None if line.kind == "name" else _delta(book, place, line, difference)
        if delta is not None:
            return delta
    if line.kind == "name":
        return Shown(one_line(book.columns[place].name), "set")
    if line.kind == "result":
        return _show_result(book, place, line)
    damage = book.damage(place, line.name)
    if damage:
        return Shown("damaged", "problem", "!")
    if line.kind == "fact":
        return _show_fact(book, place, line)
    field, value = INPUTS[line.name], book.value(place, line.name)
    text = field_text(field, value)
    if place != book.baseline and value != book.value(book.baseline, line.name):
        return Shown(text, "changed")
    if value is None:
        return Shown(text, "blank")
    return Shown(text, "default" if value == field.default else "set")


def _show_result(book: Book, place: int, line: Line) -> Shown:
    result = book.result(place, line.name)
    if result.value is None:
        return Shown("#ERR" if book.look(place).problem else BLANK, "problem" if book.look(place).problem else "blank")
    text = one_line(show_in_cell(SHEET.rows[line.name], result.value))
    bad = result.value is False and SHEET.rows[line.name].better == "higher"
    return Shown(text, "problem", "!") if bad else Shown(text, "result")


def _show_fact(book: Book, place: int, line: Line) -> Shown:
    fact, field = book.fact(place, line.name), FACT_FIELDS[line.name]
    if fact is None:
        own = book.value(place, line.name)
        return Shown(BLANK if own is None else field_text(field, own), "problem")
    text = field_text(field, fact.value)
    if fact.overridden:
        return Shown(text, "changed", OVERRIDDEN)
    return Shown(text, "fact" if fact.value is not None else "blank", DOUBTFUL if fact.doubt else " ")


def number_of(book: Book, place: int, line: Line) -> float | None:
    """The number in a cell; None for words and blanks."""
    value: object
    if line.kind == "result":
        value = book.result(place, line.name).value
    elif line.kind == "fact":
        fact = book.fact(place, line.name)
        value = fact.value if fact is not None else None
    else:
        value = book.value(place, line.name)
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    return float(value)


def raw_text(book: Book, place: int, line: Line) -> str:
    """A cell's value in full, as a spreadsheet reads it back: plain digits, empty for blank."""
    if line.kind == "name":
        return book.columns[place].name
    if line.kind == "result":
        value = book.result(place, line.name).value
        if value is None:
            return ""
        return "yes" if value is True else "no" if value is False else str(value)
    if line.kind == "fact":
        fact = book.fact(place, line.name)
        return FACT_FIELDS[line.name].edit_text(fact.value if fact is not None else None)
    return INPUTS[line.name].edit_text(book.value(place, line.name))


def _plain(book: Book, place: int, line: Line) -> object:
    if line.kind == "result":
        return book.result(place, line.name).value
    if line.kind == "fact":
        fact = book.fact(place, line.name)
        return fact.value if fact is not None else None
    return book.value(place, line.name)


def differs(book: Book, place: int, line: Line) -> bool:
    """Whether a cell differs from the baseline's."""
    mine, base = _plain(book, place, line), _plain(book, book.baseline, line)
    if isinstance(mine, float) and isinstance(base, float):
        return not math.isclose(mine, base, rel_tol=_EQUAL, abs_tol=0)
    return mine != base


def _delta(book: Book, place: int, line: Line, difference: Difference) -> Shown | None:
    """The difference to the baseline; None where the value itself says more."""
    if not differs(book, place, line):
        return Shown(SAME, "same")
    mine, base = number_of(book, place, line), number_of(book, book.baseline, line)
    if mine is None or base is None:
        return None
    change = mine - base
    if difference == "percent" and base:
        text = percent_text(change / abs(base))
    else:
        text = _signed(change, line)
    better = line.row.better if line.row is not None else ""
    if not better:
        return Shown(text, "delta")
    good = (change < 0) == (better == "lower")
    return Shown(text, "better" if good else "worse", BETTER if good else WORSE)


def percent_text(share: float) -> str:
    """A relative change with its sign: ``+12.5%``, ``−50%``, ``×21`` where a percentage stops being readable."""
    if share >= 20:
        return f"×{show_number(share + 1, 3)}"
    size = abs(share) * 100
    digits = 0 if size >= 99.95 else 1 if size >= 0.05 else 4
    text = f"{size:.{digits}f}".rstrip("0").rstrip(".") if digits else f"{size:,.0f}"
    return f"{'+' if share > 0 else '−'}{text}%"


def _signed(change: float, line: Line) -> str:
    sign, size = ("+" if change > 0 else "−"), abs(change)
    if line.row is not None:
        return sign + show_in_cell(line.row, size)
    field = INPUTS.get(line.name) or FACT_FIELDS[line.name]
    return sign + field_text(field, size)


def describe(book: Book, place: int, line: Line) -> tuple[str, str]:
    """A cell in full for the formula bar: ``label = value unit``, and where the value comes from."""
    unit = f" {with_currency(line.unit, book.currency_of(place))}" if line.unit else ""
    if line.kind == "name":
        return "the baseline" if place == book.baseline else "a scenario", _about(book, place)
    if line.kind == "result":
        result = book.result(place, line.name)
        if result.value is None:
            return f"{line.label} is blank", result.reason
        shown = with_currency(show_with_unit(SHEET.rows[line.name], result), book.currency_of(place))
        return f"{line.label} = {one_line(shown)}", _against_baseline(book, place, line)
    damage = book.damage(place, line.name)
    if damage:
        return f"{line.label} is damaged", damage
    if line.kind == "fact":
        fact = book.fact(place, line.name)
        if fact is None:
            return f"{line.label}", book.look(place).problem
        value = show_field_with_unit(FACT_FIELDS[line.name], fact.value)
        return f"{line.label} = {value}", one_line(fact_origin(fact))
    field, own = INPUTS[line.name], book.value(place, line.name)
    if own is None:
        return f"{line.label} is blank", field.blank
    origin = "default" if own == field.default else _against_baseline(book, place, line) or "set here"
    return f"{line.label} = {one_line(field.show(own))}{unit}", origin


def _about(book: Book, place: int) -> str:
    column = book.columns[place]
    parts = [column.problem, ", ".join(column.stored.tags), column.scenario.notes.partition("\n")[0]]
    return one_line("; ".join(part for part in parts if part))


def _against_baseline(book: Book, place: int, line: Line) -> str:
    if place == book.baseline or not differs(book, place, line):
        return ""
    delta = _delta(book, place, line, "percent")
    base = show_cell(book, book.baseline, line).text
    if delta is None:
        return f"baseline {base}"
    verdict = {"better": ", better", "worse": ", worse"}.get(delta.tone, "")
    return f"{delta.text} to the baseline's {base}{verdict}"
