"""The numbers of the lines, computed as the planner computes them: what is stored beside every formula.

Blank is NaN. A branch that is not taken is not computed, and a test on a blank fails, as in the spreadsheet.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Final

from exports.workbook.lines import Line
from planner.model.expression import Value
from planner.model.functions import argmax_scalar, ceil9, floor9

_BINARY: Final[dict[str, Callable[[float, float], float]]] = {
    "add": lambda a, b: a + b,
    "subtract": lambda a, b: a - b,
    "multiply": lambda a, b: a * b,
    "divide": lambda a, b: a / b,
    "power": lambda a, b: a**b,
    "less": lambda a, b: a < b,
    "less_equal": lambda a, b: a <= b,
}
_UNARY: Final[dict[str, Callable[[float], float]]] = {
    "negate": lambda a: -a,
    "ceiling": ceil9,
    "floor": floor9,
    "exp": math.exp,
    "log": math.log,
    "sqrt": math.sqrt,
    "opposite": lambda a: not a,
    "given": lambda a: not math.isnan(a),
    "nonzero": lambda a: a != 0,
}


def line_number(line: Line, numbers: Mapping[str, float]) -> float:
    """The number of ``line`` from the numbers of the lines that it reads."""
    for test in line.tests:
        if not number_of(test, numbers):
            return math.nan if line.no is None else float(number_of(line.no, numbers))
    return float(number_of(line.yes, numbers))


def _computes(node: Value, numbers: Mapping[str, float]) -> bool:
    """Whether ``node`` has a real and finite value."""
    try:
        found = number_of(node, numbers)
    except (ArithmeticError, ValueError):
        return False
    return not isinstance(found, complex) and math.isfinite(found)


def number_of(node: Value, numbers: Mapping[str, float]) -> float:
    """The number of one expression; a condition is true or false."""
    op = node.op
    if op in ("input", "row"):
        return numbers[node.name]
    if op in _BINARY:
        left, right = node.args
        return _BINARY[op](number_of(left, numbers), number_of(right, numbers))
    if op == "constant" and node.constant is not None:
        return float(node.constant)
    if op == "number":
        return node.number
    if op == "blank":
        return math.nan
    if op == "both":
        return all(number_of(arg, numbers) for arg in node.args)
    if op == "either":
        return any(number_of(arg, numbers) for arg in node.args)
    if op == "computes":
        return _computes(node.args[0], numbers)
    args = [number_of(arg, numbers) for arg in node.args]
    if op in _UNARY:
        return _UNARY[op](args[0])
    if op in ("chosen", "equal"):
        return args[0] == node.number
    if op == "maximum":
        return max(args)
    if op == "minimum":
        return min(args)
    if op == "argmax":
        return argmax_scalar(*args)
    raise TypeError(f"there is no number for {op} within a line")
