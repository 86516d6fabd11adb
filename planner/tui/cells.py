"""What a cell shows: its text, its tone and a mark, and the sentence that says where the value comes from."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

from planner.analysis.verdict import Answer
from planner.model.display import (
    display_of,
    percent_text,
    show_field,
    show_field_with_unit,
    show_in_cell,
    show_with_unit,
    with_currency,
)
from planner.model.explain import fact_origin
from planner.model.facts import FACT_FIELDS
from planner.model.fields import MINUS, Field, FieldValue, show_number
from planner.model.inputs import INPUTS
from planner.model.rows import SHEET
from planner.tui.book import Book
from planner.tui.lines import Line
from planner.tui.text import one_line

Tone = Literal["default", "set", "changed", "fact", "result", "blank", "problem", "same", "better", "worse", "delta"]
View = Literal["off", "percent", "absolute", "range"]
"""What the cells show: values, the difference to the baseline in percent or in units, or low and high of results."""

BLANK, SAME, BETTER, WORSE, OVERRIDDEN, DOUBTFUL, INSTEAD = "—", "·", "✓", "✗", "•", "~", "→"
_EQUAL = 1e-12
NEXT_TO_NOTHING = 1e-4
"""The size below which the end of a range says only that it is hardly anything."""


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


_ANSWERS: dict[Answer, tuple[str, Tone, str]] = {
    "cheapest": ("cheapest", "better", BETTER), "served": ("served", "result", " "),
    "too slow": ("too slow", "worse", WORSE), "not served": ("not served", "worse", WORSE),
    "unknown": (BLANK, "blank", " "),
}  # fmt: skip


def show_cell(book: Book, place: int, line: Line, view: View = "off") -> Shown:
    """The cell of ``line`` in the column at ``place``: its value, its difference to the baseline, or low and high."""
    if line.kind == "name":
        return Shown(one_line(book.columns[place].name), "set")
    if line.kind == "verdict":
        return _show_verdict(book, place)
    if view in ("percent", "absolute") and place != book.baseline:
        return _against(book, place, line, view)
    if view == "range" and line.kind == "result":
        text = range_text(book, place, line)
        if text:
            return Shown(text, "result")
    return _show_value(book, place, line)


def _show_verdict(book: Book, place: int) -> Shown:
    verdict = book.verdict(place)
    text, tone, mark = _ANSWERS[verdict.answer]
    if verdict.answer == "served":
        text = "API" if verdict.by_api else text
        if verdict.above:
            many = verdict.above >= 1
            text += f" ×{show_number(1 + verdict.above, 2)}" if many else f" {percent_text(verdict.above)}"
    return Shown(text, tone, mark)


def range_text(book: Book, place: int, line: Line, digits: int = 3) -> str:
    """Low and high of a result as ``24.4–38.1``; empty where it has no band or both ends are shown alike."""
    if line.row is None:
        return ""
    band, factor = book.band(place, line.name), display_of(line.row).factor
    if band.low is None and band.high is None:
        return ""
    low, high = ("none" if end is None else _short(end * factor, digits) for end in (band.low, band.high))
    return f"{low}–{high}" if low != high else ""


def _short(value: float, digits: int) -> str:
    """A number in few cells: a digit less below 1, thousands as k, M, G or T where they would take more."""
    if 0 < abs(value) < NEXT_TO_NOTHING:
        return "≈0"
    text = show_number(value, digits if abs(value) >= 1 else digits - 1)
    for scale, suffix in ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k")):
        if len(text) > digits + 2 and abs(value) >= scale:
            return show_number(value / scale, digits) + suffix
    return text


def _show_value(book: Book, place: int, line: Line) -> Shown:
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
    if line.kind == "verdict":
        return book.verdict(place).cost
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
    if line.kind == "verdict":
        return book.verdict(place).sentence
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
    if line.kind == "verdict":
        return book.verdict(place).answer
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


def _against(book: Book, place: int, line: Line, view: View) -> Shown:
    """The difference to the baseline; a value that stands instead of the baseline's, where there is none, after an
    arrow.
    """
    value = _show_value(book, place, line)
    if value.tone == "problem":
        return value
    if not differs(book, place, line):
        is_blank = _plain(book, place, line) is None
        return Shown(BLANK, "blank") if is_blank else Shown(SAME, "same")
    return _delta(book, place, line, view) or Shown(f"{INSTEAD} {value.text}", "delta", value.mark)


def _delta(book: Book, place: int, line: Line, view: View) -> Shown | None:
    """The difference of two numbers; None where one is blank or a word."""
    mine, base = number_of(book, place, line), number_of(book, book.baseline, line)
    if mine is None or base is None:
        return None
    change = mine - base
    text = percent_text(change / abs(base)) if view == "percent" and base else _signed(change, line)
    better = line.row.better if line.row is not None else ""
    if not better:
        return Shown(text, "delta")
    good = (change < 0) == (better == "lower")
    return Shown(text, "better" if good else "worse", BETTER if good else WORSE)


def _signed(change: float, line: Line) -> str:
    sign, size = ("+" if change > 0 else MINUS), abs(change)
    if line.row is not None:
        return sign + show_in_cell(line.row, size)
    field = INPUTS.get(line.name) or FACT_FIELDS[line.name]
    return sign + field_text(field, size)


def describe(book: Book, place: int, line: Line) -> tuple[str, str]:
    """A cell in full for the formula bar: ``label = value unit``, and where the value comes from."""
    unit = f" {with_currency(line.unit, book.currency_of(place))}" if line.unit else ""
    if line.kind == "name":
        return "the baseline" if place == book.baseline else "a scenario", _about(book, place)
    if line.kind == "verdict":
        return f"{line.label}: {one_line(book.verdict(place).sentence)}", ""
    if line.kind == "result":
        result = book.result(place, line.name)
        if result.value is None:
            return f"{line.label} is blank", result.reason
        shown = with_currency(show_with_unit(SHEET.rows[line.name], result), book.currency_of(place))
        band = range_text(book, place, line, 4)
        return f"{line.label} = {one_line(shown)}{f' ({band})' if band else ''}", _against_baseline(book, place, line)
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
        return f"instead of the baseline's {base}" if base != BLANK else "blank in the baseline"
    verdict = {"better": ", better", "worse": ", worse"}.get(delta.tone, "")
    return f"{delta.text} to the baseline's {base}{verdict}"
