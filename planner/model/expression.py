"""The expression tree that tracing a row gives.

A row is a plain function. Called with floats or arrays it computes; called with ``Value`` leaves its operators
build a tree, from which the evaluator's source, the workbook's formula and the explanation of a cell are made.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, Self


class Constant(float):
    """A named literal of the model: a float with a name, a label, a unit and a source.

    Every literal in a row but 0 and 1 is one of these, so that the workbook can show it as a cell of its own.
    """

    name: str
    label: str
    unit: str
    source: str

    def __new__(cls, value: float, name: str, label: str, unit: str = "", source: str = "definition") -> Self:
        """A constant ``value`` in ``unit``."""
        self = super().__new__(cls, value)
        self.name, self.label, self.unit, self.source = name, label, unit, source
        return self


class Value:
    """A node of the tree: an operator over nodes, or a leaf.

    ``op`` is one of the OPERATORS or a leaf kind: ``input``, ``row`` (``name`` says which), ``constant``
    (``constant``), ``number`` (0 or 1 in ``number``), ``blank``. ``chosen`` compares a choice with ``word``, whose
    code is ``number``; ``let`` names its argument ``name`` so that a formula sheet gives it a line of its own.
    """

    __slots__ = ("args", "constant", "name", "number", "op", "word")

    def __init__(
        self,
        op: str,
        args: tuple[Value, ...] = (),
        *,
        name: str = "",
        number: float = 0.0,
        constant: Constant | None = None,
        word: str = "",
    ) -> None:
        self.op: Final = op
        self.args: Final = args
        self.name: Final = name
        self.number: Final = number
        self.constant: Final = constant
        self.word: Final = word

    def __repr__(self) -> str:
        leaf = self.name or (self.constant.name if self.constant is not None else "")
        return f"Value({self.op}{' ' + leaf if leaf else ''}{', ' + repr(self.args) if self.args else ''})"

    @property
    def literal(self) -> float:
        """The number of a ``constant`` or ``number`` leaf."""
        return self.number if self.constant is None else float(self.constant)

    def __bool__(self) -> bool:
        raise TypeError("a row's value does not steer Python: write where(condition, a, b)")

    def __add__(self, other: Value | float) -> Value:
        return Value("add", (self, lift(other)))

    def __radd__(self, other: float) -> Value:
        return Value("add", (lift(other), self))

    def __sub__(self, other: Value | float) -> Value:
        return Value("subtract", (self, lift(other)))

    def __rsub__(self, other: float) -> Value:
        return Value("subtract", (lift(other), self))

    def __mul__(self, other: Value | float) -> Value:
        return Value("multiply", (self, lift(other)))

    def __rmul__(self, other: float) -> Value:
        return Value("multiply", (lift(other), self))

    def __truediv__(self, other: Value | float) -> Value:
        return Value("divide", (self, lift(other)))

    def __rtruediv__(self, other: float) -> Value:
        return Value("divide", (lift(other), self))

    def __pow__(self, other: Value | float) -> Value:
        return Value("power", (self, lift(other)))

    def __rpow__(self, other: float) -> Value:
        return Value("power", (lift(other), self))

    def __neg__(self) -> Value:
        return Value("negate", (self,))

    def __lt__(self, other: Value | float) -> Value:
        return Value("less", (self, lift(other)))

    def __le__(self, other: Value | float) -> Value:
        return Value("less_equal", (self, lift(other)))

    def __gt__(self, other: Value | float) -> Value:
        return Value("less", (lift(other), self))

    def __ge__(self, other: Value | float) -> Value:
        return Value("less_equal", (lift(other), self))


OPERATORS: Final = frozenset(
    "add subtract multiply divide power negate less less_equal both either opposite maximum minimum where ceiling "
    "floor exp log sqrt given otherwise argmax chosen let".split()
)
LEAVES: Final = frozenset("input row constant number blank".split())


def lift(value: Value | float) -> Value:
    """``value`` as a node. Raises TypeError for a literal that is neither 0 nor 1 and has no name."""
    if isinstance(value, Value):
        return value
    if isinstance(value, Constant):
        return Value("constant", constant=value)
    if value in (0, 1):
        return Value("number", number=float(value))
    if value == -1:
        return -lift(1)
    raise TypeError(f"the literal {value!r} has no name: make it a Constant")


def walk(node: Value) -> Iterator[Value]:
    """Every node of the tree under ``node``, itself included, each once."""
    seen: set[int] = set()
    stack = [node]
    while stack:
        current = stack.pop()
        if id(current) not in seen:
            seen.add(id(current))
            yield current
            stack.extend(current.args)


def bottom_up(node: Value) -> list[Value]:
    """Every node of the tree under ``node``, each once and after its arguments."""
    ordered: list[Value] = []
    seen: set[int] = set()
    stack = [(node, False)]
    while stack:
        current, done = stack.pop()
        if done:
            ordered.append(current)
        elif id(current) not in seen:
            seen.add(id(current))
            stack.append((current, True))
            stack.extend((arg, False) for arg in reversed(current.args))
    return ordered


def shared(node: Value) -> Value:
    """The same tree in which equal parts are one node, so that each is computed, and written, once."""
    known: dict[tuple[object, ...], Value] = {}
    made: dict[int, Value] = {}
    for part in bottom_up(node):
        args = tuple(made[id(arg)] for arg in part.args)
        constant = part.constant.name if part.constant is not None else None
        key = (part.op, *map(id, args), part.name, part.number, part.word, constant)
        if key not in known:
            same = all(one is other for one, other in zip(args, part.args, strict=True))
            known[key] = part if same else Value(part.op, args, name=part.name, number=part.number, word=part.word)
        made[id(part)] = known[key]
    return made[id(node)]
