"""How numbers look: a number format by unit and size, and the text that it makes, which sets a column's width."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

MAX_DECIMALS: Final = 9
_SCIENTIFIC_FROM: Final = 1e13
_SCIENTIFIC_BELOW: Final = 1e-6
_SPREAD: Final = 1e9
_DIGITS: Final = 4
_SHARE_UNITS: Final = ("share", "%")


@dataclass(frozen=True, slots=True)
class NumberFormat:
    """A number format of the workbook."""

    code: str
    decimals: int = 0
    kind: str = "number"
    symbol: str = ""

    def text(self, value: float) -> str:
        """``value`` as the spreadsheet shows it, spaces for alignment included."""
        if math.isnan(value):
            return ""
        if self.kind == "scientific":
            return f"{value:.2E} "
        if self.kind == "flag":
            return "yes" if value else "no"
        body = f"{abs(value):.{self.decimals}%}" if self.kind == "share" else f"{abs(value):,.{self.decimals}f}"
        return f"({self.symbol}{body})" if value < 0 else f"{self.symbol}{body} "


def _format(kind: str, decimals: int, symbol: str = "") -> NumberFormat:
    tail = "." + "0" * decimals if decimals else ""
    if kind == "share":
        return NumberFormat(f"0{tail}%_);(0{tail}%)", decimals, kind)
    shown = f'"{symbol}"' if symbol and symbol != "$" else symbol
    zero = ';"-"_)' if symbol else ""
    return NumberFormat(f"{shown}#,##0{tail}_);({shown}#,##0{tail}){zero}", decimals, kind, symbol)


SCIENTIFIC: Final = NumberFormat("0.00E+00_)", kind="scientific")
WHOLE: Final = _format("number", 0)
FLAG: Final = NumberFormat('[=1]"yes"_);[=0]"no"_);General_)', kind="flag")
CHECK: Final = NumberFormat('[=1]"ok"_);[=0]"look here"_);General_)', kind="flag")
GENERAL: Final = NumberFormat("General")
WORD: Final = NumberFormat("General_);General_);General_);@_)")
"""A word set as far from the cell's edge as numbers are."""
PERCENT_CHANGE: Final = NumberFormat("+0.0%_);-0.0%_);0.0%_)", 1, "share")


def symbol_of(currency: str) -> str:
    """What stands before an amount in ``currency``: $ for the dollar, else the code and a space."""
    code = currency.strip().replace('"', "")[:8]
    return "$" if code in ("USD", "$") else f"{code} "


def is_share(unit: str) -> bool:
    """Whether a number in ``unit`` is shown as a percentage."""
    return unit in _SHARE_UNITS


def number_format(unit: str, values: Iterable[float], currency: str = "USD") -> NumberFormat:
    """The format for numbers in ``unit``: enough decimals that the smallest of ``values`` shows four digits."""
    sizes = [abs(value) for value in values if math.isfinite(value) and value != 0]
    low, high = (min(sizes), max(sizes)) if sizes else (1.0, 1.0)
    if is_share(unit):
        return _format("share", max(1, min(4, -math.floor(math.log10(low)) - 1)))
    money = unit.startswith("$")
    if high >= _SCIENTIFIC_FROM or high < _SCIENTIFIC_BELOW or (high / low > _SPREAD and not money):
        return SCIENTIFIC
    if money:
        decimals = 0 if low >= 100 else 2 if high >= 1 else _decimals(low, 6)
        return _format("money", decimals, symbol_of(currency))
    if all(size == int(size) for size in sizes):
        return WHOLE
    return _format("number", _decimals(low, MAX_DECIMALS))


def _decimals(low: float, most: int) -> int:
    return max(0, min(most, _DIGITS - 1 - math.floor(math.log10(low))))


def change_format(like: NumberFormat) -> NumberFormat:
    """The format of a difference between numbers in the format ``like``: a sign instead of parentheses."""
    if like.kind == "scientific":
        return NumberFormat("+0.00E+00_);-0.00E+00_);0_)", kind="scientific")
    tail = "." + "0" * like.decimals if like.decimals else ""
    percent = "%" if like.kind == "share" else ""
    whole = "0" if like.kind == "share" else "#,##0"
    symbol = f'"{like.symbol}"' if like.symbol and like.symbol != "$" else like.symbol
    body = f"{symbol}{whole}{tail}{percent}_)"
    return NumberFormat(f'+{body};-{body};"-"_)', like.decimals, like.kind, f"+{like.symbol}")
