"""What can be said of a part's value before any number is known: its range, and whether it may be blank.

Bounds of inputs give ranges of rows, and a condition narrows them within its branch. With them the workbook divides
without a test where a divisor cannot be 0, and tests where it can.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Final

from exports.workbook.tree import BOOLEANS, Tree
from planner.model.expression import Value

INF: Final = math.inf


@dataclass(frozen=True, slots=True)
class Range:
    """All numbers from ``low`` to ``high``; an end that is ``open`` is not among them."""

    low: float = -INF
    high: float = INF
    low_open: bool = False
    high_open: bool = False

    @property
    def without_zero(self) -> bool:
        """Whether 0 is outside."""
        return self.positive or self.high < 0 or (self.high == 0 and self.high_open)

    @property
    def positive(self) -> bool:
        """Whether every number is above 0."""
        return self.low > 0 or (self.low == 0 and self.low_open)

    @property
    def not_negative(self) -> bool:
        """Whether no number is below 0."""
        return self.low >= 0


_LARGEST_EXPONENT: Final = 700.0
"""e to this power is still a number."""

_PARTIAL: Final = frozenset("divide log sqrt exp power".split())
"""Operations that have no value for some numbers."""

ANY: Final = Range()
SHARE: Final = Range(0, 1)


def _join(a: Range, b: Range) -> Range:
    """The smallest range that holds both."""
    low, low_open = min((a.low, a.low_open), (b.low, b.low_open))
    high, closed = max((a.high, not a.high_open), (b.high, not b.high_open))
    return Range(low, high, low_open, not closed)


def _meet(a: Range, b: Range) -> Range:
    """What both ranges hold."""
    low, low_open = max((a.low, a.low_open), (b.low, b.low_open))
    high, closed = min((a.high, not a.high_open), (b.high, not b.high_open))
    return Range(low, high, low_open, not closed)


def _negated(a: Range) -> Range:
    return Range(-a.high, -a.low, a.high_open, a.low_open)


def _added(a: Range, b: Range) -> Range:
    low, high = a.low + b.low, a.high + b.high
    return Range(
        -INF if math.isnan(low) else low,
        INF if math.isnan(high) else high,
        a.low_open or b.low_open,
        a.high_open or b.high_open,
    )


def _times(x: float, y: float) -> float:
    return 0.0 if x == 0 or y == 0 else x * y


def _multiplied(a: Range, b: Range) -> Range:
    corners = [_times(x, y) for x in (a.low, a.high) for y in (b.low, b.high)]
    found = Range(min(corners), max(corners))
    above_zero = found.low == 0 and a.positive and b.positive
    return replace(found, low_open=True) if above_zero else found


def _divided(a: Range, b: Range) -> Range:
    if not (a.not_negative and b.not_negative):
        return ANY
    low = 0.0 if math.isinf(b.high) else a.low / b.high if b.high else 0.0
    high = INF if b.low == 0 or math.isinf(a.high) else a.high / b.low
    return Range(low, high, low_open=low == 0 and a.positive)


def _power(base: Range, exponent: Range) -> Range:
    if not base.not_negative:
        return ANY
    positive = base.positive
    if base.high <= 1 and exponent.not_negative:
        below_one = (base.high < 1 or base.high_open) and exponent.positive
        return Range(0, 1, positive, below_one)
    if base.low >= 1 and exponent.not_negative:
        return Range(1, INF)
    return Range(0, INF, positive)


def _has_power(base: Range, exponent: Range) -> bool:
    """Whether every power is a real and finite number."""
    if not base.not_negative or (base.low == 0 and not exponent.not_negative):
        return False
    if base.low == 0 and not (base.positive or exponent.positive):
        return False
    logarithms = [math.log(end) if end > 0 else 0.0 for end in (base.low, base.high)]
    corners = [_times(end, log) for end in (exponent.low, exponent.high) for log in logarithms]
    return max(corners) < _LARGEST_EXPONENT


def _largest(ranges: list[Range]) -> Range:
    low, low_open = max((r.low, r.low_open) for r in ranges)
    high, closed = max((r.high, not r.high_open) for r in ranges)
    return Range(low, high, low_open, not closed)


def _whole(a: Range, *, up: bool) -> Range:
    """Range of a rounded number: an end moves outwards by less than one."""
    low = a.low if math.isinf(a.low) else (math.ceil(a.low - 1e-9) if up else math.floor(a.low))
    high = a.high if math.isinf(a.high) else (math.ceil(a.high) if up else math.floor(a.high + 1e-9))
    return Range(low, high)


class Knowledge:
    """What holds in one branch of a formula: parts that are given, and ranges narrowed by the branch's conditions."""

    def __init__(self, tree: Tree, ranges: Mapping[str, Range], blankable: Mapping[str, bool]) -> None:
        self.tree = tree
        self._leaves = ranges
        self._blankable = blankable
        self._given: set[int] = set()
        self._narrowed: dict[int, Range] = {}
        self._ranges: dict[int, Range] = {}
        self._blank: dict[int, bool] = {}
        self._branches: dict[tuple[int, bool], Knowledge] = {}
        self._defined: dict[int, bool] = {}
        self._depth = 0
        self._parent: Knowledge | None = None
        self._touched = 0

    def assume_given(self, names: frozenset[str]) -> None:
        """From here on the lines called ``names`` are known to hold numbers."""
        self._blankable = {name: name not in names and may for name, may in self._blankable.items()}
        self._blank.clear()

    def within(self, condition: Value, holds: bool) -> Knowledge:
        """What is known where ``condition`` holds, or does not."""
        found = self._branches.get((id(condition), holds))
        if found is None:
            found = Knowledge(self.tree, self._leaves, self._blankable)
            found._depth = self._depth + 1
            found._parent = self
            found._given = set(self._given)
            found._narrowed = dict(self._narrowed)
            found._learn(condition, holds)
            found._ranges.clear()
            found._blank.clear()
            found._branches.clear()
            self._branches[id(condition), holds] = found
        return found

    def _ahead(self, condition: Value, holds: bool) -> Knowledge:
        """within(), but not so deep that a long chain of choices would be looked at in every combination."""
        return self if self._depth >= self.tree.depth_to_look_ahead else self.within(condition, holds)

    def _outside(self, node: Value) -> Knowledge | None:
        """Where ``node`` is to be looked at when nothing in it is known better in this branch.

        In a large tree a part that is used twice, and so has a line of its own, is always looked at outside: a branch
        is then a matter of its own few operators. What holds outside holds inside, it is only less precise.
        """
        if self._parent is None:
            return None
        if node.args and self.tree.large and self.tree.uses[id(node)] > 1:
            return self._parent
        return None if self.tree.parts_of(node) & self._touched else self._parent

    def _note_given(self, node: Value) -> None:
        self._given.add(id(node))
        self._touched |= self.tree.bit_of(node)

    def _learn(self, condition: Value, holds: bool) -> None:
        op, args = condition.op, condition.args
        if op == "opposite":
            self._learn(args[0], not holds)
        elif op == ("both" if holds else "either"):
            self._learn(args[0], holds)
            self._learn(args[1], holds)
        elif op == "given" and holds:
            self._note_given(args[0])
        elif op in ("less", "less_equal"):
            self._learn_order(args[0], args[1], holds, strict=(op == "less") == holds)

    def _learn_order(self, left: Value, right: Value, holds: bool, strict: bool) -> None:
        """``left`` is below ``right``, or where it is not, at least as large: that holds of numbers alone."""
        if holds:
            self._note_given(left)
            self._note_given(right)
        elif self.may_be_blank(left) or self.may_be_blank(right):
            return
        small, large = (left, right) if holds else (right, left)
        small_range, large_range = self.range_of(small), self.range_of(large)
        self._narrow(small, Range(high=large_range.high, high_open=strict or large_range.high_open))
        self._narrow(large, Range(low=small_range.low, low_open=strict or small_range.low_open))
        difference = self.tree.part("subtract", (large, small))
        self._narrow(difference, Range(low=0, low_open=strict))

    def _narrow(self, node: Value, to: Range) -> None:
        known = self._narrowed.get(id(node))
        self._narrowed[id(node)] = _meet(known, to) if known is not None else to
        self._touched |= self.tree.bit_of(node)
        self._ranges.clear()

    def range_of(self, node: Value) -> Range:
        """The range of ``node`` where it is not blank."""
        found = self._ranges.get(id(node))
        if found is None:
            outside = self._outside(node)
            found = self._range(node) if outside is None else outside.range_of(node)
            narrowed = self._narrowed.get(id(node))
            if narrowed is not None:
                found = _meet(found, narrowed)
            self._ranges[id(node)] = found
        return found

    def _range(self, node: Value) -> Range:
        op = node.op
        if op in ("input", "row"):
            return self._leaves.get(node.name, ANY)
        if op == "constant" and node.constant is not None:
            return Range(float(node.constant), float(node.constant))
        if op == "number":
            return Range(node.number, node.number)
        if op == "where":
            return self._range_of_choice(node)
        if op in BOOLEANS:
            return SHARE
        ranges = [self.range_of(arg) for arg in node.args]
        if op == "multiply" and node.args[0] is node.args[1]:
            return _meet(_multiplied(ranges[0], ranges[0]), Range(low=0, low_open=ranges[0].without_zero))
        if op in _UNARY:
            return _UNARY[op](ranges[0])
        if op in _BINARY:
            return _BINARY[op](ranges[0], ranges[1])
        if op == "maximum":
            return _largest(ranges)
        if op == "minimum":
            return _negated(_largest([_negated(r) for r in ranges]))
        return Range(1, INF) if op == "argmax" else ANY

    def _range_of_choice(self, node: Value) -> Range:
        condition, yes, no = node.args
        found = [
            self._ahead(condition, holds).range_of(branch)
            for branch, holds in ((yes, True), (no, False))
            if branch.op != "blank"
        ]
        return ANY if not found else found[0] if len(found) == 1 else _join(found[0], found[1])

    def may_be_blank(self, node: Value) -> bool:
        """Whether ``node`` can be blank: a part that may be missing, or a division by what may be 0."""
        if id(node) in self._given or not (node.args or node.name or node.op == "blank"):
            return False
        found = self._blank.get(id(node))
        if found is None:
            outside = self._outside(node)
            found = self._may_be_blank(node) if outside is None else outside.may_be_blank(node)
            self._blank[id(node)] = found
        return found

    def _may_be_blank(self, node: Value) -> bool:
        op = node.op
        if op in ("input", "row"):
            return self._blankable.get(node.name, False)
        if op == "blank":
            return True
        if op in BOOLEANS:
            return False
        if op == "where":
            condition, yes, no = node.args
            return self._ahead(condition, True).may_be_blank(yes) or self._ahead(condition, False).may_be_blank(no)
        return self.is_undefined(node) or any(self.may_be_blank(arg) for arg in node.args)

    def is_undefined(self, node: Value) -> bool:
        """Whether ``node`` may have no value although its parts do, such as a quotient whose divisor may be 0."""
        return node.op in _PARTIAL and not self.defined(node)

    def defined(self, node: Value) -> bool:
        """Whether ``node`` itself, its parts apart, has a value for all that its parts may be."""
        if node.op == "log":
            return self.range_of(node.args[0]).positive
        if node.op == "sqrt":
            return self.range_of(node.args[0]).not_negative
        if node.op == "exp":
            return self.range_of(node.args[0]).high < _LARGEST_EXPONENT
        if node.op == "power":
            return _has_power(self.range_of(node.args[0]), self.range_of(node.args[1]))
        return node.op != "divide" or self.range_of(node.args[1]).without_zero

    def all_defined(self, node: Value) -> bool:
        """Whether ``node`` and all its parts have a value whatever the inputs; a branch only where it is taken."""
        found = self._defined.get(id(node))
        if found is None:
            outside = self._outside(node)
            found = self._all_defined(node) if outside is None else outside.all_defined(node)
            self._defined[id(node)] = found
        return found

    def _all_defined(self, node: Value) -> bool:
        if node.op == "where":
            condition, yes, no = node.args
            return (
                self.all_defined(condition)
                and self._ahead(condition, True).all_defined(yes)
                and self._ahead(condition, False).all_defined(no)
            )
        return self.defined(node) and all(self.all_defined(arg) for arg in node.args)


_UNARY: Final[dict[str, Callable[[Range], Range]]] = {
    "negate": _negated,
    "ceiling": lambda a: _whole(a, up=True),
    "floor": lambda a: _whole(a, up=False),
    "exp": lambda _: Range(0, INF, low_open=True),
    "log": lambda _: ANY,
    "sqrt": lambda a: Range(math.sqrt(a.low) if a.low > 0 else 0.0, INF, a.low_open and a.low >= 0),
}
_BINARY: Final[dict[str, Callable[[Range, Range], Range]]] = {
    "add": _added,
    "subtract": lambda a, b: _added(a, _negated(b)),
    "multiply": _multiplied,
    "divide": _divided,
    "power": _power,
}
