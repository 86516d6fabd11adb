"""A line as the text of a spreadsheet formula.

The column is left open: ``COLUMN`` stands where its letter goes, so one text serves every scenario.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, Protocol

from exports.workbook.lines import ROUND_DIGITS, Line
from exports.workbook.tree import BOOLEANS
from planner.model.expression import Constant, Value

COLUMN: Final = "\0"

SAMPLE_CELL: Final = "AA1234"
"""A cell in a two-letter column and a row of up to four digits."""

_COMPARE, _ADD, _MULTIPLY, _ATOM = 1, 2, 3, 9
_INFIX: Final = {"add": ("+", _ADD), "subtract": ("-", _ADD), "multiply": ("*", _MULTIPLY), "divide": ("/", _MULTIPLY)}
_COMPARISONS: Final = {"less": "<", "less_equal": "<="}
_MIRRORED: Final = {"less": ">", "less_equal": ">="}
_FUNCTIONS: Final = {"exp": "EXP", "log": "LN", "sqrt": "SQRT", "maximum": "MAX", "minimum": "MIN"}
_RANGE_FROM: Final = 4


class Places(Protocol):
    """Where lines stand."""

    def cell(self, key: str) -> str:
        """The reference to the line called ``key``, its column open."""

    def span(self, keys: Sequence[str]) -> str:
        """The range over lines that stand directly below one another, empty where they do not."""

    def constant(self, constant: Constant) -> str:
        """The reference to a constant's cell."""

    def is_switch(self, key: str) -> bool:
        """Whether the cell holds yes or no."""

    def holds_word(self, key: str) -> bool:
        """Whether the cell holds a word."""


def formula(line: Line, places: Places) -> str:
    """The formula of ``line`` with its equals sign and an open column."""
    writer = _Writer(places)
    if not line.tests:
        return f"={writer.number(line.yes)}"
    tests = [text for test in line.tests for text in writer.joined(test, "both")]
    test = tests[0] if len(tests) == 1 else f"AND({','.join(tests)})"
    no = '""' if line.no is None else writer.number(line.no)
    return f"=IF({test},{writer.number(line.yes)},{no})"


def expression(node: Value, places: Places) -> str:
    """The text of one expression."""
    return _Writer(places).text(node)


class _Writer:
    def __init__(self, places: Places) -> None:
        self.places = places

    def number(self, node: Value) -> str:
        """``node`` as a number: a condition counts 1 or 0."""
        if not self.is_boolean(node):
            return self.text(node)
        return f"{self.wrapped(node, _MULTIPLY)}*1"

    def is_boolean(self, node: Value) -> bool:
        """Whether the text of ``node`` gives TRUE or FALSE."""
        return node.op in BOOLEANS or (node.op in ("input", "row") and self.places.is_switch(node.name))

    def text(self, node: Value) -> str:
        return self._text(node)[0]

    def wrapped(self, node: Value, level: int) -> str:
        """``node`` in parentheses unless it binds at least as tightly as ``level``."""
        text, binds = self._text(node)
        return text if binds >= level else f"({text})"

    def joined(self, node: Value, op: str) -> list[str]:
        """The parts of a chain of the same connective."""
        if node.op == op:
            return [text for arg in node.args for text in self.joined(arg, op)]
        return [self._condition(node)]

    def _condition(self, node: Value) -> str:
        """``node`` where a condition is needed; a number holds when it is not 0."""
        text = self.text(node)
        return text if self.is_boolean(node) or node.op == "number" else f"{self.wrapped(node, _ADD)}<>0"

    def _text(self, node: Value) -> tuple[str, int]:
        """The text of ``node`` and how tightly it binds."""
        op = node.op
        if not node.args:
            return self._leaf(node)
        if op in _INFIX:
            sign, level = _INFIX[op]
            return f"{self.wrapped(node.args[0], level)}{sign}{self.wrapped(node.args[1], level + 1)}", level
        if op == "power":
            return f"({self.wrapped(node.args[0], _ATOM)}^{self.wrapped(node.args[1], _ATOM)})", _ATOM
        if op == "negate":
            return f"(-{self.wrapped(node.args[0], _ATOM)})", _ATOM
        if op in _COMPARISONS:
            return self._comparison(node), _COMPARE
        if op in ("equal", "nonzero", "chosen"):
            return self._leaf_test(node), _COMPARE
        return self._call(node), _ATOM

    def _leaf(self, node: Value) -> tuple[str, int]:
        if node.op == "number":
            return f"{node.number:g}", _ATOM
        if node.op == "blank":
            return '""', _ATOM
        if node.constant is not None:
            return self.places.constant(node.constant), _ATOM
        cell = self.places.cell(node.name)
        if self.places.is_switch(node.name):
            return f'{cell}="yes"', _COMPARE
        if self.places.holds_word(node.name):
            raise TypeError(f"{node.name} is a word and is used as a number")
        return cell, _ATOM

    def _comparison(self, node: Value) -> str:
        """A literal goes to the right of the sign."""
        left, right = node.args
        sign = _COMPARISONS[node.op]
        if left.op in ("number", "constant") and right.op not in ("number", "constant"):
            left, right, sign = right, left, _MIRRORED[node.op]
        return f"{self.wrapped(left, _ADD)}{sign}{self.wrapped(right, _ADD)}"

    def _leaf_test(self, node: Value) -> str:
        name = node.args[0].name
        cell = self.places.cell(name)
        if node.op == "nonzero":
            return f"{cell}<>0"
        if node.op == "equal" or not (self.places.is_switch(name) or self.places.holds_word(name)):
            return f"{cell}={node.number:g}"
        word = node.word.replace('"', '""')
        return f'{cell}="{word}"'

    def _call(self, node: Value) -> str:
        op, args = node.op, node.args
        if op == "both":
            return f"AND({','.join(self.joined(node, op))})"
        if op == "either":
            return f"OR({','.join(self.joined(node, op))})"
        if op == "opposite":
            return f"NOT({self._condition(args[0])})"
        if op in ("given", "computes"):
            return f"ISNUMBER({self.text(args[0])})"
        if op in ("ceiling", "floor"):
            rounded = f"ROUND({self.number(args[0])},{self.places.constant(ROUND_DIGITS)})"
            return f"ROUNDUP({rounded},0)" if op == "ceiling" else f"INT({rounded})"
        if op == "argmax":
            span = self.places.span([arg.name for arg in args])
            return f"MATCH(MAX({span}),{span},0)"
        if op not in _FUNCTIONS:
            raise TypeError(f"there is no formula for {op} within a formula")
        span = self.places.span([arg.name for arg in args]) if self._may_span(args) else ""
        return f"{_FUNCTIONS[op]}({span or ','.join(self.number(arg) for arg in args)})"

    @staticmethod
    def _may_span(args: Sequence[Value]) -> bool:
        return len(args) >= _RANGE_FROM and all(arg.op in ("input", "row") for arg in args)


class Measuring:
    """Places of an average size, to tell how long a formula will be before its lines have a place."""

    def __init__(
        self,
        switches: Callable[[str], bool],
        words: Callable[[str], bool],
        spans: Callable[[Sequence[str]], bool],
        sample: str = SAMPLE_CELL,
    ) -> None:
        self._switches, self._words, self._spans, self._sample = switches, words, spans, sample

    def cell(self, key: str) -> str:  # noqa: ARG002
        """A reference of the usual length."""
        return self._sample

    def span(self, keys: Sequence[str]) -> str:
        """A range, where the lines will stand together."""
        return f"{self._sample}:{SAMPLE_CELL}" if self._spans(keys) else ""

    def constant(self, constant: Constant) -> str:  # noqa: ARG002
        """A cell of the constants' column."""
        return f"{self._sample.removesuffix(SAMPLE_CELL)}$D$1234"

    def is_switch(self, key: str) -> bool:
        """See Places."""
        return self._switches(key)

    def holds_word(self, key: str) -> bool:
        """See Places."""
        return self._words(key)
