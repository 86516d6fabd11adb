"""Expressions in the form the workbook's lines are made from: equal parts are one object, names stand beside them.

Three operators join those of the sheet: ``equal`` (a leaf is a given number), ``nonzero`` (a leaf is not 0) and
``computes`` (an expression has a value).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator
from typing import Final

from planner.model.expression import Value

BOOLEANS: Final = frozenset("less less_equal both either opposite given chosen equal nonzero computes".split())
"""Operators whose result is a condition; used as a number, it is 1 or 0."""

LEAVES: Final = frozenset("input row constant number blank".split())

WORD_SUFFIX: Final = ":word"
"""Ends the key of the line that shows the word of a word row, whose code stands under the row's own key."""


class Tree:
    """A traced expression without repeated parts.

    ``root`` is the expression; ``uses`` counts the parents of each part; ``names`` holds what ``let`` called a part.
    Keys are the parts' identities.
    """

    def __init__(self, root: Value, word_rows: Collection[str] = ()) -> None:
        self._word_rows = word_rows
        self._known: dict[tuple[object, ...], Value] = {}
        self._converted: dict[int, Value] = {}
        self._keep = root
        self.names: dict[int, str] = {}
        self.root = self.convert(root)
        self.uses: Counter[int] = Counter(id(arg) for node in postorder(self.root) for arg in node.args)
        choices = sum(node.op == "where" for node in postorder(self.root))
        self.large = choices > 8
        self.depth_to_look_ahead = 8 if choices <= 8 else 2 if choices <= 30 else 1
        self._parts: dict[int, int] = {}
        for node in postorder(self.root):
            self._parts[id(node)] = self._bits(node)

    def parts_of(self, node: Value) -> int:
        """The parts of ``node``, itself included, as a set of bits: two nodes share a part where their bits meet."""
        found = self._parts.get(id(node))
        if found is None:
            for arg in node.args:
                self.parts_of(arg)
            found = self._parts[id(node)] = self._bits(node)
        return found

    def _bits(self, node: Value) -> int:
        """A new bit for ``node`` and those of its parts, which have theirs."""
        bits = 1 << len(self._parts)
        for arg in node.args:
            bits |= self._parts[id(arg)]
        return bits

    def bit_of(self, node: Value) -> int:
        """The bit of ``node`` itself."""
        bits = self.parts_of(node)
        for arg in node.args:
            bits &= ~self._parts[id(arg)]
        return bits

    def convert(self, node: Value) -> Value:
        """The one object that stands for ``node``."""
        for part in postorder(node):
            if id(part) not in self._converted:
                self._converted[id(part)] = self._convert(part)
        return self._converted[id(node)]

    def _convert(self, node: Value) -> Value:
        args = tuple(self._converted[id(arg)] for arg in node.args)
        if node.op == "let":
            self.names.setdefault(id(args[0]), node.name)
            return args[0]
        if node.op == "otherwise":
            return self.part("where", (self.part("given", (args[0],)), args[0], args[1]))
        if node.op == "where":
            return self._where(args)
        if node.op in ("add", "subtract", "multiply", "divide", "power"):
            return self._arithmetic(node.op, args)
        if node.op in ("maximum", "minimum"):
            args = tuple({id(arg): arg for arg in args}.values())
            return args[0] if len(args) == 1 else self.part(node.op, args)
        if node.op == "chosen" and args[0].op == "row" and args[0].name in self._word_rows:
            args = (self.part("row", name=args[0].name + WORD_SUFFIX),)
        return self.part(node.op, args, name=node.name, number=node.number, like=node)

    def _where(self, args: tuple[Value, ...]) -> Value:
        """A choice between 1 and 0 is its condition."""
        condition, yes, no = args
        if condition.op in BOOLEANS and (yes.op, no.op) == ("number", "number") and yes.number != no.number:
            return condition if yes.number == 1 else self.part("opposite", (condition,))
        return self.part("where", args)

    def _arithmetic(self, op: str, args: tuple[Value, ...]) -> Value:
        """A sum with 0, or a product with 1 or a power of 1, is its other part, to the last bit."""
        left, right = args
        neutral = 0.0 if op in ("add", "subtract") else 1.0
        if right.op == "number" and right.number == neutral:
            return left
        if op == "power":
            return self.part(op, args)
        if op in ("add", "multiply") and left.op == "number" and left.number == neutral:
            return right
        return self.part(op, args)

    def part(
        self,
        op: str,
        args: tuple[Value, ...] = (),
        *,
        name: str = "",
        number: float = 0.0,
        like: Value | None = None,
    ) -> Value:
        """The one object for this operator over these parts."""
        constant = like.constant if like is not None else None
        word = like.word if like is not None else ""
        key = (op, *map(id, args), name, number, constant.name if constant is not None else "", word)
        found = self._known.get(key)
        if found is None:
            found = self._known[key] = Value(op, args, name=name, number=number, constant=constant, word=word)
        return found


def postorder(node: Value) -> Iterator[Value]:
    """Every part of ``node``, each once and after its own parts."""
    done: set[int] = set()
    stack: list[tuple[Value, bool]] = [(node, False)]
    while stack:
        current, expanded = stack.pop()
        if expanded:
            yield current
        elif id(current) not in done:
            done.add(id(current))
            stack.append((current, True))
            stack.extend((arg, False) for arg in reversed(current.args))


def leaf(key: str) -> Value:
    """A reference to the line called ``key``."""
    return Value("row", name=key)


def leaf_names(node: Value) -> list[str]:
    """The names of the lines that ``node`` refers to, in reading order."""
    return list(dict.fromkeys(part.name for part in postorder(node) if part.op in ("input", "row")))
