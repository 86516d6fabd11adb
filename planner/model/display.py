"""How results are shown: a fixed display unit per row, sensible digits, words for flags and blanks.

Results stay SI inside; the display unit is fixed per row so that scenarios side by side compare at a glance. Only a
time of 10,000 ms or more is shown in seconds wherever its unit stands beside it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from planner.model.fields import MINUS, Field, FieldValue, show_number
from planner.model.scenario import Result
from planner.model.sheet import Row

BLANK = "—"
GIB = float(2**30)
LONG_S = 10.0
"""Seconds from which a time that is usually shown in ms reads better in s."""

_SLOW = frozenset({"latency_s", "latency_user_s", "decode_time_s", "closed_loop_response_s"})
_PER_TOKEN = frozenset({"kv_bytes_per_token", "kv_bytes_per_token_layer", "kv_bytes_per_token_per_device",
                        "index_bytes_per_token", "link_bytes_per_token"})  # fmt: skip
_SCALED = {"s": ("ms", 1e3), "B": ("GiB", 1 / GIB), "B/s": ("GB/s", 1e-9), "FLOP": ("GFLOP", 1e-9),
           "FLOP/s": ("TFLOP/s", 1e-12), "share": ("%", 1e2), "s/B": ("ns/B", 1e9)}  # fmt: skip

_PREFIXED = ("B", "B/s", "FLOP/s")
_PREFIXES = ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k"))


@dataclass(frozen=True, slots=True)
class Display:
    """A display unit and the factor from the row's own unit to it."""

    unit: str
    factor: float = 1.0


def display_of(row: Row) -> Display:
    """The display unit of ``row``: ms for short times, GiB for sizes, B per token, % for shares."""
    if (row.unit == "s" and row.name in _SLOW) or (row.unit == "B" and row.name in _PER_TOKEN):
        return Display(row.unit)
    unit, factor = _SCALED.get(row.unit, (row.unit, 1.0))
    return Display(unit, factor)


def unit_for(row: Row, value: float) -> Display:
    """The display unit of a ``value`` of ``row`` that carries its unit: the row's, but s from 10,000 ms on."""
    usual = display_of(row)
    is_long = usual.unit == "ms" and abs(value) >= LONG_S
    return Display("s") if is_long else usual


def show_in_cell(row: Row, value: float | str | bool | None) -> str:
    """A value of ``row`` as show_value() has it; one in another unit than the row's is short and carries its own."""
    if isinstance(value, float):
        unit = unit_for(row, value)
        if unit != display_of(row):
            return f"{show_number(value * unit.factor, 3)} {unit.unit}"
    return show_value(row, value)


def show_result(row: Row, result: Result) -> str:
    """``result`` in the row's display unit, without the unit; blank is an em dash."""
    return show_value(row, result.value)


def show_value(row: Row, value: float | str | bool | None) -> str:
    """A value of ``row`` in its display unit, without the unit."""
    if value is None:
        return BLANK
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, str):
        return value
    shown = value * display_of(row).factor
    return show_money(shown) if row.unit.startswith("$") else show_number(shown)


def show_money(value: float) -> str:
    """Money: whole from 1,000 up, two decimals from 1 up, else four significant digits."""
    if not math.isfinite(value):
        return BLANK
    if abs(value) < 1:
        return show_number(value)
    return f"{value:,.0f}".replace("-", MINUS) if abs(value) >= 1000 else f"{value:,.2f}".replace("-", MINUS)


def percent_text(share: float) -> str:
    """A relative change with its sign: ``+12.5%``, ``−50%``, ``×21`` where a percentage stops being readable."""
    if share >= 20:
        return f"×{show_number(share + 1, 3)}"
    size = abs(share) * 100
    digits = 0 if size >= 99.95 else 1 if size >= 0.05 else 4
    text = f"{size:.{digits}f}".rstrip("0").rstrip(".") if digits else f"{size:,.0f}"
    return f"{'+' if share > 0 else MINUS}{text}%"


def show_with_unit(row: Row, result: Result) -> str:
    """``result`` with its unit; a size in GiB also says GB, because the two differ by 7 %; a long time is in s."""
    text = show_result(row, result)
    if not isinstance(result.value, float) or isinstance(result.value, bool):
        return text
    display = unit_for(row, result.value)
    if display.unit == "GiB":
        return f"{text} GiB ({show_number(result.value / 1e9)} GB)"
    if display != display_of(row):
        text = show_number(result.value * display.factor)
    return f"{text} {display.unit}".rstrip()


def show_field(field: Field, value: FieldValue) -> str:
    """``value`` of an input or fact, without its unit; bytes and FLOP, whose sizes vary, with a prefix and theirs."""
    large = isinstance(value, (int, float)) and abs(value) >= 1000
    if field.unit not in _PREFIXED or not isinstance(value, (int, float)) or not large:
        return field.show(value)
    scale, prefix = next((scale, prefix) for scale, prefix in _PREFIXES if abs(value) >= scale)
    return f"{show_number(value / scale)} {prefix}{field.unit}"


def show_field_with_unit(field: Field, value: FieldValue) -> str:
    """``value`` of an input or fact with its unit."""
    text = show_field(field, value)
    return text if value is None or text.endswith(field.unit) else f"{text} {field.unit}"


def with_currency(unit: str, currency: str) -> str:
    """``unit`` with the scenario's currency in place of the dollar sign, unless it is the dollar."""
    return unit if currency in ("USD", "$") else unit.replace("$", currency)
