"""Folding: the traced rows of a sweep become a few steps on arrays.

What depends on no varying cell becomes a number there and then, and takes its branches with it; the rest becomes steps,
each distinct one once. A step knows between which bounds its values lie, so that a question with one answer is not
asked. Blanks are no numbers here: beside its array a quantity carries the conditions under which it is given, which are
joined once, at the results.

NumPy is imported when this module is.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from planner.model.expression import Value
from planner.model.functions import NUMBER_DECIMALS, argmax_scalar, ceil9, floor9
from planner.model.sheet import Row

Array = NDArray[Any]
Function = Callable[..., Any]
_Operands = tuple["Step | float", ...]


Span = tuple[float, float]
ANYWHERE: Span = (-math.inf, math.inf)


class Step:
    """An operation over steps and numbers; one without a function is a varying cell. ``number`` counts the steps.

    Its values lie within ``span`` where it is given.
    """

    __slots__ = ("args", "function", "is_condition", "number", "span")

    def __init__(
        self,
        number: int,
        function: Function | None = None,
        args: _Operands = (),
        *,
        is_condition: bool = False,
        span: Span = ANYWHERE,
    ) -> None:
        self.number: Final = number
        self.span: Final = span
        self.function: Final = function
        self.args: Final = args
        self.is_condition: Final = is_condition


_Given = frozenset[Step]
_ALWAYS: _Given = frozenset()


class Quantity(NamedTuple):
    """A number or a step, and the conditions that must all hold for it to be given. NaN is blank everywhere."""

    value: Step | float
    given: _Given = _ALWAYS

    @property
    def is_blank(self) -> bool:
        """Whether there is no number at any point."""
        return self.value != self.value


_BLANK = Quantity(math.nan)


def _given_if(condition: Step | bool) -> _Given:
    """What must hold for something to be given where ``condition`` does, which is not known to fail."""
    return frozenset([condition]) if isinstance(condition, Step) else _ALWAYS


def _ceiling(value: Array) -> Array:
    return np.ceil(np.round(value, NUMBER_DECIMALS))


def _floor(value: Array) -> Array:
    return np.floor(np.round(value, NUMBER_DECIMALS))


def _argmax(*values: Array | float) -> Array:
    largest: Any = values[0]
    position: Any = 1.0
    for place, value in enumerate(values[1:], start=2):
        position = np.where(value > largest, float(place), position)
        largest = np.maximum(largest, value)
    return np.asarray(position)


def _span(value: Step | float) -> Span:
    return value.span if isinstance(value, Step) else (value, value)


def _anywhere(*_: Span) -> Span:
    return ANYWHERE


def _between(low: float, high: float) -> Span:
    """A span of which an end may be unknown, as infinity less infinity is."""
    return (low if low == low else -math.inf), (high if high == high else math.inf)  # noqa: PLR0124


def _around(values: Iterable[float]) -> Span:
    """The smallest span around what the ends of two spans give; where they give nothing, as 0 x infinity, 0 does."""
    ends = [0.0 if value != value else value for value in values]  # noqa: PLR0124
    return min(ends), max(ends)


def _quotient(one: Span, other: Span) -> Span:
    return _around(a / b for a in one for b in other) if other[0] > 0 else ANYWHERE


def _known(op: str, one: Span, other: Span) -> bool | None:
    """The answer to a comparison of two spans, None where there are two."""
    if op == "less":
        return True if one[1] < other[0] else False if one[0] >= other[1] else None
    if op == "less_equal":
        return True if one[1] <= other[0] else False if one[0] > other[1] else None
    return None


_SPANS: dict[Function, Callable[..., Span]] = {
    np.add: lambda a, b: _between(a[0] + b[0], a[1] + b[1]),
    np.subtract: lambda a, b: _between(a[0] - b[1], a[1] - b[0]),
    np.multiply: lambda a, b: _around(x * y for x in a for y in b),
    np.divide: _quotient,
    np.negative: lambda a: (-a[1], -a[0]),
    np.maximum: lambda a, b: (max(a[0], b[0]), max(a[1], b[1])),
    np.minimum: lambda a, b: (min(a[0], b[0]), min(a[1], b[1])),
    np.where: lambda _, a, b: (min(a[0], b[0]), max(a[1], b[1])),
    _ceiling: lambda a: (ceil9(a[0]), ceil9(a[1])),
    _floor: lambda a: (floor9(a[0]), floor9(a[1])),
}
"""Between which bounds an operation's results lie; rounding keeps order, so the ends are exact."""

# On floats as the generated code of one scenario has them, and on arrays.
_ARITHMETIC: dict[str, tuple[Function, Function]] = {
    "add": (lambda a, b: a + b, np.add),
    "subtract": (lambda a, b: a - b, np.subtract),
    "multiply": (lambda a, b: a * b, np.multiply),
    "divide": (lambda a, b: a / b, np.divide),
    "power": (math.pow, np.power),
    "negate": (lambda a: -a, np.negative),
    "ceiling": (ceil9, _ceiling),
    "floor": (floor9, _floor),
    "exp": (math.exp, np.exp),
    "log": (math.log, np.log),
    "sqrt": (math.sqrt, np.sqrt),
    "argmax": (argmax_scalar, _argmax),
}
_COMPARISONS: dict[str, tuple[Function, Function]] = {
    "less": (lambda a, b: a < b, np.less),
    "less_equal": (lambda a, b: a <= b, np.less_equal),
    "chosen": (lambda a, b: a == b, np.equal),
}
_EXTREMES: dict[str, tuple[Function, Function]] = {"maximum": (max, np.maximum), "minimum": (min, np.minimum)}
# The argument at a place that leaves the other one as it is.
_NEUTRAL: dict[str, tuple[tuple[int, float], ...]] = {
    "add": ((0, 0.0), (1, 0.0)), "subtract": ((1, 0.0),), "multiply": ((0, 1.0), (1, 1.0)), "divide": ((1, 1.0),),
    "power": ((1, 1.0),),
}  # fmt: skip


class Folder:
    """Folds rows in sheet order over the cells' quantities."""

    def __init__(self, cells: Mapping[str, Quantity]) -> None:
        self.known: dict[str, Quantity] = dict(cells)
        self.steps: dict[tuple[Any, ...], Step] = {}
        self.made: dict[int, Quantity] = {}
        self.maybe: frozenset[str] = frozenset()

    def cell(self, name: str, is_ever_blank: bool, span: Span) -> Step:
        """The step of a varying cell."""
        step = self.steps[(name,)] = Step(len(self.steps), span=span)
        given = [self.step(np.equal, step, step, is_condition=True)] if is_ever_blank else []
        self.known[name] = Quantity(step, frozenset(given))
        return step

    def masked(self, quantity: Quantity) -> Step | float:
        """``quantity`` as one array, NaN where it is blank."""
        is_given = self.all_of(quantity.given)
        return self.step(np.where, is_given, quantity.value, math.nan) if quantity.given else quantity.value

    def fold_row(self, row: Row, trace: Callable[[], Value]) -> None:
        """The quantity of ``row``; it is given where what it needs is, and its own formula gives something."""
        needed = [self.known[name] for name in row.strict]
        if any(quantity.is_blank for quantity in needed):
            self.known[row.name] = _BLANK
            return
        self.maybe = row.maybe
        self.made = {}
        found = self._fold(trace())
        self.known[row.name] = Quantity(found.value, found.given.union(*(quantity.given for quantity in needed)))

    def step(self, function: Function, *args: Step | float, is_condition: bool = False) -> Step:
        """The one step that applies ``function`` to ``args``."""
        key = (function, *args)
        found = self.steps.get(key)
        if found is None:
            span = _SPANS.get(function, _anywhere)(*map(_span, args))
            found = self.steps[key] = Step(len(self.steps), function, args, is_condition=is_condition, span=span)
        return found

    def all_of(self, conditions: _Given) -> Step | bool:
        """Whether all ``conditions`` hold."""
        joined: Step | bool = True
        for condition in sorted(conditions, key=lambda step: step.number):
            joined = self._both(joined, condition)
        return joined

    def _both(self, one: Step | float, other: Step | float) -> Step | bool:
        if not isinstance(one, Step):
            one, other = other, one
        if not isinstance(one, Step):
            return bool(one) and bool(other)
        if not isinstance(other, Step):
            return one if other else False
        return one if one is other else self.step(np.logical_and, one, other, is_condition=True)

    def _opposite(self, condition: Step | float) -> Step | bool:
        if not isinstance(condition, Step):
            return not condition
        if condition.function is np.logical_not:
            return condition.args[0]  # type: ignore[return-value]
        return self.step(np.logical_not, condition, is_condition=True)

    def _either(self, one: Step | float, other: Step | float) -> Step | bool:
        if not isinstance(one, Step):
            one, other = other, one
        if not isinstance(one, Step):
            return bool(one) or bool(other)
        if not isinstance(other, Step):
            return True if other else one
        return one if one is other else self.step(np.logical_or, one, other, is_condition=True)

    def _fold(self, node: Value) -> Quantity:
        found = self.made.get(id(node))
        if found is None:
            found = self.made[id(node)] = self._folded(node)
        return found

    def _folded(self, node: Value) -> Quantity:
        own = _OWN_WAYS.get(node.op)
        if own is not None:
            return own(self, node)
        args = [self._fold(arg) for arg in node.args]
        if node.op in _COMPARISONS:
            return self._comparison(node.op, [*args, Quantity(node.number)] if node.op == "chosen" else args)
        if any(arg.is_blank for arg in args):
            return _BLANK
        given = _ALWAYS.union(*[arg.given for arg in args])
        values = [arg.value for arg in args]
        return Quantity((self._extreme if node.op in _EXTREMES else self._arithmetic)(node.op, values), given)

    def _leaf(self, node: Value) -> Quantity:
        return _BLANK if node.op == "blank" else Quantity(node.literal)

    def _parameter(self, node: Value) -> Quantity:
        quantity = self.known[node.name]
        # Where a strict parameter is blank the row is: within its formula it is a number.
        return quantity if node.name in self.maybe else Quantity(quantity.value)

    def _let(self, node: Value) -> Quantity:
        return self._fold(node.args[0])

    def _condition(self, node: Value) -> Quantity:
        first, *others = [self._fold(arg) for arg in node.args]
        if node.op == "given":
            return Quantity(False if first.is_blank else self.all_of(first.given))
        if node.op == "opposite":
            return Quantity(self._opposite(first.value))
        join = self._both if node.op == "both" else self._either
        return Quantity(join(first.value, others[0].value))

    def _where(self, node: Value) -> Quantity:
        condition, yes, no = node.args
        asked = self._fold(condition).value
        if not isinstance(asked, Step):
            return self._fold(yes if asked else no)
        one, other = self._fold(yes), self._fold(no)
        if one.is_blank and other.is_blank:
            return _BLANK
        if other.is_blank:
            return Quantity(one.value, one.given | {asked})
        if one.is_blank:
            return Quantity(other.value, other.given | _given_if(self._opposite(asked)))
        common = one.given & other.given
        same = one.value is other.value
        value = one.value if same else self.step(np.where, asked, one.value, other.value)
        holds = self._both(
            self._either(self._opposite(asked), self.all_of(one.given - common)),
            self._either(asked, self.all_of(other.given - common)),
        )
        return Quantity(value, common | _given_if(holds))

    def _otherwise(self, node: Value) -> Quantity:
        value, substitute = node.args
        one = self._fold(value)
        if one.is_blank:
            return self._fold(substitute)
        if not one.given:
            return one
        other = self._fold(substitute)
        if other.is_blank:
            return one
        is_given = self.all_of(one.given)
        holds = self._either(is_given, self.all_of(other.given))
        return Quantity(self.step(np.where, is_given, one.value, other.value), _given_if(holds))

    def _comparison(self, op: str, args: Sequence[Quantity]) -> Quantity:
        """Nothing compares with a blank."""
        if any(arg.is_blank for arg in args):
            return Quantity(False)
        on_floats, on_arrays = _COMPARISONS[op]
        values = [arg.value for arg in args]
        compared: Step | bool
        known = _known(op, *map(_span, values))
        if known is not None or values[0] is values[1]:
            compared = op != "less" if known is None else known
        elif any(isinstance(value, Step) for value in values):
            compared = self.step(on_arrays, *values, is_condition=True)
        else:
            compared = on_floats(*values)
        return Quantity(self._both(self.all_of(_ALWAYS.union(*(arg.given for arg in args))), compared))

    def _arithmetic(self, op: str, values: Sequence[Step | float]) -> Step | float:
        on_floats, on_arrays = _ARITHMETIC[op]
        if not any(isinstance(value, Step) for value in values):
            try:
                return float(on_floats(*values))
            except (ArithmeticError, ValueError):
                # In a branch that is not taken; where it is, the row is blank.
                return math.nan
        for place, neutral in _NEUTRAL.get(op, ()):
            if values[place] == neutral:
                return values[1 - place]
        # Where a result is given, what it is made of is finite.
        if (op == "multiply" and 0.0 in values) or (op == "subtract" and values[0] is values[1]):
            return 0.0
        return self.step(on_arrays, *values)

    def _extreme(self, op: str, values: Sequence[Step | float]) -> Step | float:
        on_floats, on_arrays = _EXTREMES[op]
        numbers = [value for value in values if not isinstance(value, Step)]
        found: list[Step | float] = [on_floats(numbers)] if numbers else []
        found += dict.fromkeys(value for value in values if isinstance(value, Step))
        result, *others = found
        for other in others:
            order = _known("less_equal", _span(result), _span(other))
            if order is None:
                result = self.step(on_arrays, result, other)
            elif order == (op == "maximum"):
                result = other
        return result


_OWN_WAYS: dict[str, Callable[[Folder, Value], Quantity]] = {
    **dict.fromkeys(("input", "row"), Folder._parameter),
    **dict.fromkeys(("number", "constant", "blank"), Folder._leaf),
    **dict.fromkeys(("given", "both", "either", "opposite"), Folder._condition),
    "let": Folder._let, "where": Folder._where, "otherwise": Folder._otherwise,
}  # fmt: skip
