"""The sheet on arrays: a list of NumPy operations into which everything that does not vary has been folded.

Folding walks the traced rows once for a sweep. What depends on no varying cell becomes a number there and then, and
takes its branches with it; the rest becomes steps, each distinct one once. Blanks are no numbers here: beside its array
a quantity carries the conditions under which it is given, so that they are joined once, at the results.

NumPy is imported when this module is.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from planner.model.expression import Value
from planner.model.functions import NUMBER_DECIMALS, argmax_scalar, ceil9, floor9
from planner.model.sheet import Row, Sheet

Array = NDArray[Any]
Function = Callable[..., Any]
_Operands = tuple["_Step | float", ...]


class _Step:
    """An operation over steps and numbers; one without a function is a varying cell. ``number`` counts the steps."""

    __slots__ = ("args", "function", "is_condition", "number")

    def __init__(
        self, number: int, function: Function | None = None, args: _Operands = (), *, is_condition: bool = False
    ) -> None:
        self.number: Final = number
        self.function: Final = function
        self.args: Final = args
        self.is_condition: Final = is_condition


_Given = frozenset[_Step]
_ALWAYS: _Given = frozenset()


class _Quantity(NamedTuple):
    """A number or a step, and the conditions that must all hold for it to be given. NaN is blank everywhere."""

    value: _Step | float
    given: _Given = _ALWAYS

    @property
    def is_blank(self) -> bool:
        return self.value != self.value


_BLANK = _Quantity(math.nan)


def _given_if(condition: _Step | bool) -> _Given:
    """What must hold for something to be given where ``condition`` does, which is not known to fail."""
    return frozenset([condition]) if isinstance(condition, _Step) else _ALWAYS


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


class _Folder:
    """Folds rows in sheet order over the cells' quantities."""

    def __init__(self, cells: Mapping[str, _Quantity]) -> None:
        self.known: dict[str, _Quantity] = dict(cells)
        self.steps: dict[tuple[Any, ...], _Step] = {}
        self.made: dict[int, _Quantity] = {}
        self.maybe: frozenset[str] = frozenset()

    def cell(self, name: str, is_ever_blank: bool) -> _Step:
        """The step of a varying cell."""
        step = self.steps[(name,)] = _Step(len(self.steps))
        given = [self.step(np.equal, step, step, is_condition=True)] if is_ever_blank else []
        self.known[name] = _Quantity(step, frozenset(given))
        return step

    def masked(self, quantity: _Quantity) -> _Step | float:
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
        self.known[row.name] = _Quantity(found.value, found.given.union(*(quantity.given for quantity in needed)))

    def step(self, function: Function, *args: _Step | float, is_condition: bool = False) -> _Step:
        """The one step that applies ``function`` to ``args``."""
        key = (function, *args)
        found = self.steps.get(key)
        if found is None:
            found = self.steps[key] = _Step(len(self.steps), function, args, is_condition=is_condition)
        return found

    def all_of(self, conditions: _Given) -> _Step | bool:
        """Whether all ``conditions`` hold."""
        joined: _Step | bool = True
        for condition in sorted(conditions, key=lambda step: step.number):
            joined = self._both(joined, condition)
        return joined

    def _both(self, one: _Step | float, other: _Step | float) -> _Step | bool:
        if not isinstance(one, _Step):
            one, other = other, one
        if not isinstance(one, _Step):
            return bool(one) and bool(other)
        if not isinstance(other, _Step):
            return one if other else False
        return one if one is other else self.step(np.logical_and, one, other, is_condition=True)

    def _opposite(self, condition: _Step | float) -> _Step | bool:
        if not isinstance(condition, _Step):
            return not condition
        if condition.function is np.logical_not:
            return condition.args[0]  # type: ignore[return-value]
        return self.step(np.logical_not, condition, is_condition=True)

    def _either(self, one: _Step | float, other: _Step | float) -> _Step | bool:
        if not isinstance(one, _Step):
            one, other = other, one
        if not isinstance(one, _Step):
            return bool(one) or bool(other)
        if not isinstance(other, _Step):
            return True if other else one
        return one if one is other else self.step(np.logical_or, one, other, is_condition=True)

    def _fold(self, node: Value) -> _Quantity:
        found = self.made.get(id(node))
        if found is None:
            found = self.made[id(node)] = self._folded(node)
        return found

    def _folded(self, node: Value) -> _Quantity:
        own = _OWN_WAYS.get(node.op)
        if own is not None:
            return own(self, node)
        args = [self._fold(arg) for arg in node.args]
        if node.op in _COMPARISONS:
            return self._comparison(node.op, [*args, _Quantity(node.number)] if node.op == "chosen" else args)
        if any(arg.is_blank for arg in args):
            return _BLANK
        given = _ALWAYS.union(*[arg.given for arg in args])
        values = [arg.value for arg in args]
        return _Quantity((self._extreme if node.op in _EXTREMES else self._arithmetic)(node.op, values), given)

    def _leaf(self, node: Value) -> _Quantity:
        return _BLANK if node.op == "blank" else _Quantity(node.literal)

    def _parameter(self, node: Value) -> _Quantity:
        quantity = self.known[node.name]
        # Where a strict parameter is blank the row is: within its formula it is a number.
        return quantity if node.name in self.maybe else _Quantity(quantity.value)

    def _let(self, node: Value) -> _Quantity:
        return self._fold(node.args[0])

    def _condition(self, node: Value) -> _Quantity:
        first, *others = [self._fold(arg) for arg in node.args]
        if node.op == "given":
            return _Quantity(False if first.is_blank else self.all_of(first.given))
        if node.op == "opposite":
            return _Quantity(self._opposite(first.value))
        join = self._both if node.op == "both" else self._either
        return _Quantity(join(first.value, others[0].value))

    def _where(self, node: Value) -> _Quantity:
        condition, yes, no = node.args
        asked = self._fold(condition).value
        if not isinstance(asked, _Step):
            return self._fold(yes if asked else no)
        one, other = self._fold(yes), self._fold(no)
        if one.is_blank and other.is_blank:
            return _BLANK
        if other.is_blank:
            return _Quantity(one.value, one.given | {asked})
        if one.is_blank:
            return _Quantity(other.value, other.given | _given_if(self._opposite(asked)))
        common = one.given & other.given
        same = one.value is other.value
        value = one.value if same else self.step(np.where, asked, one.value, other.value)
        holds = self._both(
            self._either(self._opposite(asked), self.all_of(one.given - common)),
            self._either(asked, self.all_of(other.given - common)),
        )
        return _Quantity(value, common | _given_if(holds))

    def _otherwise(self, node: Value) -> _Quantity:
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
        return _Quantity(self.step(np.where, is_given, one.value, other.value), _given_if(holds))

    def _comparison(self, op: str, args: Sequence[_Quantity]) -> _Quantity:
        """Nothing compares with a blank."""
        if any(arg.is_blank for arg in args):
            return _Quantity(False)
        on_floats, on_arrays = _COMPARISONS[op]
        values = [arg.value for arg in args]
        compared: _Step | bool
        if values[0] is values[1]:
            compared = op != "less"
        elif any(isinstance(value, _Step) for value in values):
            compared = self.step(on_arrays, *values, is_condition=True)
        else:
            compared = on_floats(*values)
        return _Quantity(self._both(self.all_of(_ALWAYS.union(*(arg.given for arg in args))), compared))

    def _arithmetic(self, op: str, values: Sequence[_Step | float]) -> _Step | float:
        on_floats, on_arrays = _ARITHMETIC[op]
        if not any(isinstance(value, _Step) for value in values):
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

    def _extreme(self, op: str, values: Sequence[_Step | float]) -> _Step | float:
        on_floats, on_arrays = _EXTREMES[op]
        numbers = [value for value in values if not isinstance(value, _Step)]
        found: list[_Step | float] = [on_floats(numbers)] if numbers else []
        found += dict.fromkeys(value for value in values if isinstance(value, _Step))
        result, *others = found
        for other in others:
            result = self.step(on_arrays, result, other)
        return result


_OWN_WAYS: dict[str, Callable[[_Folder, Value], _Quantity]] = {
    **dict.fromkeys(("input", "row"), _Folder._parameter),
    **dict.fromkeys(("number", "constant", "blank"), _Folder._leaf),
    **dict.fromkeys(("given", "both", "either", "opposite"), _Folder._condition),
    "let": _Folder._let, "where": _Folder._where, "otherwise": _Folder._otherwise,
}  # fmt: skip


class Program:
    """The operations that give ``outputs`` of ``sheet`` where some cells vary.

    ``numbers`` are the cells that do not and the rows that need none of those that do; ``varying`` says of each other
    cell whether it is blank at some point.
    """

    def __init__(
        self, sheet: Sheet, outputs: Sequence[str], numbers: Mapping[str, float], varying: Mapping[str, bool]
    ) -> None:
        folder = _Folder({name: _Quantity(value) for name, value in numbers.items()})
        self._cells = {name: folder.cell(name, is_ever_blank) for name, is_ever_blank in varying.items()}
        for name in sheet.upstream(outputs):
            if name not in numbers:
                folder.fold_row(sheet.rows[name], partial(sheet.trace, name))
        self._results = [folder.masked(folder.known[name]) for name in outputs]
        self._steps = _reached(folder.steps.values(), self._results)
        self._last_uses = {arg: step for step in self._steps for arg in step.args if isinstance(arg, _Step)}

    @property
    def operations(self) -> int:
        """How many operations on arrays one run takes."""
        return sum(step.function is not None for step in self._steps)

    def run(self, cells: Mapping[str, Array]) -> list[Array | float]:
        """The outputs at the points of ``cells``, one array of each varying cell; an output may be one number."""
        arrays: dict[_Step, Any] = {self._cells[name]: array for name, array in cells.items()}
        spare: dict[bool, list[Array]] = {True: [], False: []}
        kept = {*self._cells.values(), *self._results}
        for step in self._steps:
            function = step.function
            if function is None:
                continue
            args = [arrays[arg] if isinstance(arg, _Step) else arg for arg in step.args]
            free = spare[step.is_condition]
            arrays[step] = (
                function(*args, out=free.pop()) if free and isinstance(function, np.ufunc) else function(*args)
            )
            for arg in step.args:
                if isinstance(arg, _Step) and self._last_uses[arg] is step and arg not in kept and arg in arrays:
                    spent = arrays.pop(arg)
                    spare[spent.dtype == np.bool_].append(spent)
        return [arrays[result] if isinstance(result, _Step) else result for result in self._results]


def _reached(steps: Iterable[_Step], results: Iterable[_Step | float]) -> list[_Step]:
    """Those of ``steps`` that ``results`` need, in order."""
    needed: set[_Step] = set()
    stack = [result for result in results if isinstance(result, _Step)]
    while stack:
        step = stack.pop()
        if step not in needed:
            needed.add(step)
            stack.extend(arg for arg in step.args if isinstance(arg, _Step))
    return [step for step in steps if step in needed]
