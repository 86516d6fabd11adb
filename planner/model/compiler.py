"""Python source for rows of the sheet, from their traced expressions.

The source is made of our own rows alone, never of a user's text, and computes one scenario on floats. Blank is NaN. A
shared node is computed once; a branch of ``where`` only when it is taken, and a long one that few scenarios take is
compiled only then. Many scenarios at once are computed by program.py.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from planner.model.expression import Value, bottom_up, walk
from planner.model.functions import argmax_scalar, ceil9, floor9
from planner.model.sheet import Row, Sheet

_Numbers = tuple[float, ...]

LONG_BRANCH = 120
"""Nodes from which on a branch is compiled only when it is taken."""

_TRANSPARENT = frozenset("add subtract multiply divide negate exp log sqrt input row constant number let".split())
_INFIX = {
    "add": "+", "subtract": "-", "multiply": "*", "power": "**", "less": "<", "less_equal": "<=", "both": "and",
    "either": "or",
}  # fmt: skip
_PREFIX = {"negate": "-", "opposite": "not "}
_FUNCTIONS = {"ceiling": "ceil9", "floor": "floor9"}


def careful_divide(a: float, b: float) -> float:
    """a / b, NaN (blank) where b is 0."""
    return a / b if b else math.nan


class _Later:
    """A branch that is compiled when it is first taken; it takes the values of its leaves in order."""

    __slots__ = ("careful", "function", "leaves", "trace")

    def __init__(self, trace: Callable[[], Value], leaves: Sequence[str], careful: bool) -> None:
        self.trace, self.leaves, self.careful = trace, leaves, careful
        self.function: Callable[..., Any] | None = None

    def __call__(self, *values: Any) -> Any:
        if self.function is None:
            writer = _Writer(self.careful)
            tree = self.trace()
            writer.begin(tree)
            writer.line(f"return {writer.emit(tree)}")
            head = f"def compute({', '.join(self.leaves)}):"
            self.function = _executed(head, writer)
        return self.function(*values)


class _Writer:
    """Writes the body of one function over variables that have the names of inputs and rows."""

    def __init__(self, careful: bool) -> None:
        self.lines: list[str] = []
        self.indent = 1
        self.temporary = 0
        self.careful = careful
        self.later: list[_Later] = []
        # What makes each row blank when it is blank: its strict parameters and theirs.
        self.implied: dict[str, frozenset[str]] = {}
        self.uses: Counter[int] = Counter()
        self.scopes: list[dict[int, str]] = [{}]

    def line(self, text: str) -> None:
        self.lines.append("    " * self.indent + text)

    def fresh(self) -> str:
        self.temporary += 1
        return f"t{self.temporary}"

    def begin(self, tree: Value) -> None:
        """Forget the tree before and count the uses in this one."""
        self.uses = Counter()
        self.scopes = [{}]
        # A frame of thousands of variables would be allocated anew at every call: each row uses the same few.
        self.temporary = 0
        self._count(tree)

    def row(self, row: Row, trace: Callable[[], Value], blankable: Mapping[str, bool]) -> None:
        """Lines that compute the variable of ``row``."""
        name = row.name
        self.implied[name] = frozenset(row.strict).union(*(self.implied.get(p, frozenset()) for p in row.strict))
        guards = [p for p in row.strict if blankable[p]]
        if not row.iterative:
            tree = trace()
            self.begin(tree)
            if _transparent(tree):
                read = _leaves(tree)
                guards = [p for p in guards if p not in read]
        asked = [f"{p} == {p}" for p in self._needed(guards)]
        if asked:
            self.line(f"if {' and '.join(asked)}:")
            self.indent += 1
        result = self._apart(trace, row.parameters) if row.iterative else self.emit(trace())
        self.line(f"{name} = {result}")
        if asked:
            self.indent -= 1
            self.line("else:")
            self.indent += 1
            self.line(f"{name} = nan")
            self.indent -= 1

    def _needed(self, guards: Sequence[str]) -> list[str]:
        """The ``guards`` that have to be asked: those that no other one makes blank."""
        known = frozenset().union(*(self.implied.get(p, frozenset()) for p in guards))
        return [p for p in guards if p not in known]

    def _count(self, node: Value) -> None:
        self.uses[id(node)] += 1
        if self.uses[id(node)] > 1:
            return
        for arg in node.args:
            self._count(arg)

    def emit(self, node: Value) -> str:
        """An expression for ``node``; what is shared or has branches goes into a temporary first."""
        for scope in reversed(self.scopes):
            if id(node) in scope:
                return scope[id(node)]
        text = self._text(node)
        shared = self.uses[id(node)] > 1 and node.args
        if shared and not text.isidentifier():
            text = self._hold(text)
        self.scopes[-1][id(node)] = text
        return text

    def _hold(self, text: str) -> str:
        if text.isidentifier() or text.replace(".", "").isdigit():
            return text
        name = self.fresh()
        self.line(f"{name} = {text}")
        return name

    def _text(self, node: Value) -> str:
        op = node.op
        if op in ("input", "row"):
            return node.name
        if op == "constant":
            return repr(node.literal)
        if op == "number":
            return repr(node.number)
        if op == "blank":
            return "nan"
        if op == "let":
            return self.emit(node.args[0])
        if op == "where":
            return self._where(node)
        args = [self.emit(arg) for arg in node.args]
        if op in _INFIX:
            return f"({args[0]} {_INFIX[op]} {args[1]})"
        if op == "divide":
            return f"careful_divide({args[0]}, {args[1]})" if self.careful else f"({args[0]} / {args[1]})"
        if op in ("negate", "opposite"):
            return f"({_PREFIX[op]}{args[0]})"
        if op in ("maximum", "minimum"):
            return self._extreme(op, args)
        if op == "chosen":
            return f"({args[0]} == {node.number!r})"
        if op in ("given", "otherwise"):
            held = self._hold(args[0])
            return f"({held} == {held})" if op == "given" else f"({held} if {held} == {held} else {args[1]})"
        return f"{_FUNCTIONS.get(op, op)}({', '.join(args)})"

    def _extreme(self, op: str, args: Sequence[str]) -> str:
        """By comparison, which is faster than a call; NaN never reaches this."""
        sign = ">=" if op == "maximum" else "<="
        result, *others = args
        for text in others:
            left, right = self._hold(result), self._hold(text)
            result = f"({left} if {left} {sign} {right} else {right})"
        return result

    def _where(self, node: Value) -> str:
        condition, yes, no = node.args
        if condition.op == "given" and condition.args[0] is yes and no.op == "blank":
            return self.emit(yes)
        test = self.emit(condition)
        if not yes.args and not no.args:
            return f"({self.emit(yes)} if {test} else {self.emit(no)})"
        own = [self._own(branch) for branch in (yes, no)]
        apart = [len(nodes) > LONG_BRANCH for nodes in own]
        for branch, nodes, is_apart in zip((yes, no), own, apart, strict=True):
            if not nodes and branch.args:
                self.emit(branch)
            elif not is_apart:
                self._hoist(nodes)
        name = self.fresh()
        for branch, is_apart, opening in zip((yes, no), apart, (f"if {test}:", "else:"), strict=True):
            self.line(opening)
            self.indent += 1
            self.scopes.append({})
            before = self.temporary
            text = self._apart(_held(branch), sorted(_leaves(branch))) if is_apart else self.emit(branch)
            self.line(f"{name} = {text}")
            self.temporary = before
            self.scopes.pop()
            self.indent -= 1
        return name

    def _own(self, branch: Value) -> list[Value]:
        """The nodes that only ``branch`` uses: what may wait until it is taken. Parents stand before arguments."""
        if self.uses[id(branch)] > 1:
            return []
        own: list[Value] = []
        inside: Counter[int] = Counter({id(branch): 1})
        for node in reversed(bottom_up(branch)):
            if inside[id(node)] == self.uses[id(node)]:
                own.append(node)
                inside.update(id(arg) for arg in node.args)
        return own

    def _hoist(self, own: Sequence[Value]) -> None:
        """Emit here what nodes of a branch share with others, so that it is written once and not in every branch."""
        inside = {id(node) for node in own}
        for node in own:
            for arg in node.args:
                if id(arg) not in inside and arg.args:
                    self.emit(arg)

    def _apart(self, trace: Callable[[], Value], leaves: Sequence[str]) -> str:
        """A call of what is traced and compiled when it is first called."""
        self.later.append(_Later(trace, leaves, self.careful))
        return f"later[{len(self.later) - 1}]({', '.join(leaves)})"


def _held(tree: Value) -> Callable[[], Value]:
    return lambda: tree


def _transparent(node: Value) -> bool:
    """Whether a NaN in any leaf of ``node`` makes it NaN by arithmetic alone."""
    return all(part.op in _TRANSPARENT for part in walk(node))


def _leaves(node: Value) -> set[str]:
    return {part.name for part in walk(node) if part.op in ("input", "row")}


def _written(sheet: Sheet, outputs: Sequence[str], careful: bool) -> _Writer:
    writer = _Writer(careful)
    needed = sheet.upstream(outputs)
    used = {p for name in needed for p in sheet.rows[name].parameters} | set(outputs)
    for position, name in enumerate(sheet.inputs):
        if name in used:
            writer.line(f"{name} = values[{position}]")
    blankable = sheet.may_be_blank()
    for name in needed:
        writer.row(sheet.rows[name], partial(sheet.trace, name), blankable)
    writer.line(f"return ({', '.join(outputs)},)")
    return writer


def compiled(sheet: Sheet, outputs: Sequence[str], *, careful: bool = False) -> Callable[[Sequence[float]], _Numbers]:
    """``compute(values)``: the ``outputs`` as a tuple from the inputs' values in the sheet's order.

    With ``careful`` a division by zero gives blank instead of an error.
    """
    function: Callable[[Sequence[float]], _Numbers] = _executed(
        "def compute(values):", _written(sheet, outputs, careful)
    )
    return function


def _executed(head: str, writer: _Writer) -> Callable[..., Any]:
    names: dict[str, Any] = {
        "nan": math.nan, "ceil9": ceil9, "floor9": floor9, "exp": math.exp, "log": math.log, "sqrt": math.sqrt,
        "argmax": argmax_scalar, "careful_divide": careful_divide, "later": writer.later,
    }  # fmt: skip
    source = "\n".join([head, *writer.lines, ""])
    exec(compile(source, "<sheet>", "exec"), names)  # noqa: S102
    function: Callable[..., Any] = names["compute"]
    return function
