"""The functions a row may call. Each works on floats and on expression nodes; arrays are computed from the nodes.

Blank is NaN in floats. Floors and ceilings act on the argument rounded to 9 decimals, here and in a
spreadsheet alike, because spreadsheets snap numbers that are almost whole and Python does not.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, cast

from planner.model.expression import Value, lift

NUMBER_DECIMALS = 9


def _combine(op: str, values: Sequence[Value | float], scalar: Callable[..., Any]) -> Value:
    """``op`` as a node if any value is one, else what ``scalar`` makes of the floats."""
    if any(isinstance(value, Value) for value in values):
        return Value(op, tuple(lift(value) for value in values))
    return cast(Value, scalar(*values))


def maximum(*values: Value | float) -> Value:
    """The largest of ``values``; rows with a blank argument never get here."""
    return _combine("maximum", values, max)


def minimum(*values: Value | float) -> Value:
    """The smallest of ``values``."""
    return _combine("minimum", values, min)


def where(condition: Value | float, yes: Value | float, no: Value | float) -> Value:
    """``yes`` where ``condition`` holds, else ``no``."""
    if not isinstance(condition, Value):
        return cast(Value, yes if condition else no)
    return Value("where", (condition, lift(yes), lift(no)))


def ceiling(value: Value | float) -> Value:
    """The smallest whole number not below ``value`` rounded to 9 decimals."""
    return _combine("ceiling", (value,), ceil9)


def floor(value: Value | float) -> Value:
    """The largest whole number not above ``value`` rounded to 9 decimals."""
    return _combine("floor", (value,), floor9)


def ceil9(value: float) -> float:
    """ceiling() of one float; infinity and NaN stay what they are."""
    return float(math.ceil(round(value, NUMBER_DECIMALS))) if math.isfinite(value) else value


def floor9(value: float) -> float:
    """floor() of one float; infinity and NaN stay what they are."""
    return float(math.floor(round(value, NUMBER_DECIMALS))) if math.isfinite(value) else value


def exp(value: Value | float) -> Value:
    """e to the power of ``value``."""
    return _combine("exp", (value,), math.exp)


def log(value: Value | float) -> Value:
    """The natural logarithm of ``value``, which must be positive."""
    return _combine("log", (value,), math.log)


def sqrt(value: Value | float) -> Value:
    """The square root of ``value``, which must not be negative."""
    return _combine("sqrt", (value,), math.sqrt)


def both(first: Value | float, second: Value | float) -> Value:
    """Whether both conditions hold."""
    return _combine("both", (first, second), lambda a, b: bool(a) and bool(b))


def either(first: Value | float, second: Value | float) -> Value:
    """Whether at least one of the conditions holds."""
    return _combine("either", (first, second), lambda a, b: bool(a) or bool(b))


def opposite(condition: Value | float) -> Value:
    """Whether ``condition`` does not hold."""
    return _combine("opposite", (condition,), lambda a: not a)


def given(value: Value | float) -> Value:
    """Whether ``value`` is not blank."""
    return _combine("given", (value,), lambda x: not math.isnan(x))


def otherwise(value: Value | float, substitute: Value | float) -> Value:
    """``value``, or ``substitute`` where it is blank."""
    return _combine("otherwise", (value, substitute), lambda x, y: y if math.isnan(x) else x)


def argmax(*values: Value | float) -> Value:
    """The position (from 1) of the largest of ``values``; the first of equals wins."""
    return _combine("argmax", values, argmax_scalar)


def argmax_scalar(*values: float) -> float:
    """argmax() of floats."""
    return float(values.index(max(values)) + 1)


def chosen(value: Value | float, words: Sequence[str], word: str) -> Value:
    """Whether the choice ``value`` is ``word``, one of ``words``. A choice counts from 1, a switch is 0 or 1."""
    code = float(words.index(word) + 1)
    if isinstance(value, Value):
        return Value("chosen", (value,), number=code, word=word)
    return cast(Value, value == code)


def is_on(value: Value | float) -> Value:
    """Whether the switch ``value`` is on."""
    if isinstance(value, Value):
        return Value("chosen", (value,), number=1.0, word="yes")
    return cast(Value, value == 1.0)


def plain(number: float) -> Value:
    """``number`` (0 or 1, or a Constant) where the type asks for a Value."""
    return cast(Value, number)


def blank() -> Value:
    """A blank result."""
    return Value("blank")


def let(name: str, value: Value) -> Value:
    """``value``, named: a formula sheet gives it a line of its own."""
    node: object = value
    return Value("let", (value,), name=name) if isinstance(node, Value) else value
