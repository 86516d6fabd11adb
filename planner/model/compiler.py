"""Python source for rows of the sheet, from their traced expressions.

The source is made of our own rows alone, never of a user's text. One generator serves both uses: with no varying
input every operation is on floats and the branches of ``where`` are lazy; a row that depends on a varying input is
computed on NumPy arrays. Blank is NaN. A shared node is computed once. A long branch that few scenarios take is
compiled when it is first taken.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from typing import Any

from planner.model.expression import Value, bottom_up, walk
from planner.model.functions import NUMBER_DECIMALS, argmax_scalar, ceil9, floor9
from planner.model.sheet import Row, Sheet

LONG_BRANCH = 120
"""Nodes from which on a branch is compiled only when it is taken."""

_TRANSPARENT = frozenset("add subtract multiply divide negate exp log sqrt input row constant number let".split())
_NAN_KEEPING = _TRANSPARENT | frozenset("maximum minimum ceiling floor".split())
"""Operators whose result on arrays is NaN where an argument is."""
_INFIX = {
    "add": "+", "subtract": "-", "multiply": "*", "power": "**", "less": "<", "less_equal": "<=",
}  # fmt: skip


def careful_divide(a: float, b: float) -> float:
    """a / b, NaN (blank) where b is 0."""
    return a / b if b else math.nan


class _Later:
    """A branch that is compiled when it is first taken; it takes the values of its leaves in order."""

    __slots__ = ("careful", "function", "leaves", "trace", "varying")

    def __init__(
        self, trace: Callable[[], Value], leaves: Sequence[str], varying: frozenset[str], careful: bool
    ) -> None:
        self.trace, self.leaves, self.varying, self.careful = trace, leaves, varying, careful
        self.function: Callable[..., Any] | None = None

    def __call__(self, *values: Any) -> Any:
        if self.function is None:
            writer = _Writer(dict.fromkeys(self.leaves, False) | dict.fromkeys(self.varying, True), self.careful)
            tree = self.trace()
            writer.begin(tree)
            writer.line(f"return {writer.emit(tree)}")
            head = f"def compute({', '.join(self.leaves)}):"
            self.function = _executed(head, writer, bool(self.varying))
        return self.function(*values)


class _Writer:
    """Writes the body of one function over variables of which ``array`` says whether each is an array."""

    def __init__(self, array: dict[str, bool], careful: bool) -> None:
        self.lines: list[str] = []
        self.indent = 1
        self.temporary = 0
        self.careful = careful
        self.array = array
        self.later: list[_Later] = []
        # What makes each row blank when it is blank: its strict parameters and theirs.
        self.implied: dict[str, frozenset[str]] = {}
        self.varies: dict[int, bool] = {}
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
        self.varies = {}
        # A frame of thousands of variables would be allocated anew at every call: each row uses the same few.
        self.temporary = 0
        self._count(tree)

    def row(self, row: Row, trace: Callable[[], Value], blankable: Mapping[str, bool]) -> None:
        """Lines that compute the variable of ``row``."""
        name = row.name
        self.array[name] = any(self.array[parameter] for parameter in row.parameters)
        self.implied[name] = frozenset(row.strict).union(*(self.implied.get(p, frozenset()) for p in row.strict))
        guards = [p for p in row.strict if blankable[p]]
        reaching: frozenset[str] = frozenset()
        if not row.iterative:
            tree = trace()
            self.begin(tree)
            if self.array[name]:
                reaching = self._reaching(tree)
            elif _transparent(tree):
                read = _leaves(tree)
                guards = [p for p in guards if p not in read]
        scalars = self._needed([p for p in guards if not self.array[p]])
        arrays = self._needed([p for p in guards if self.array[p]], reaching)
        asked = [f"{p} == {p}" for p in scalars]
        if self.array[name]:
            # Blank at every point, a row of arrays is the one NaN that all share.
            asked += [f"{p} is not nan" for p in row.strict if self.array[p] and blankable[p]]
        if asked:
            self.line(f"if {' and '.join(asked)}:")
            self.indent += 1
        result = self._apart(trace, row.parameters) if row.iterative else self.emit(trace())
        if arrays:
            result = f"masked({' & '.join(f'({p} == {p})' for p in arrays)}, {result})"
        self.line(f"{name} = {result}")
        if asked:
            self.indent -= 1
            self.line("else:")
            self.indent += 1
            self.line(f"{name} = nan")
            self.indent -= 1

    def _needed(self, guards: Sequence[str], reaching: Collection[str] = ()) -> list[str]:
        """The ``guards`` that have to be asked: neither reach the result nor make blank what is asked or reaches it."""
        known = set(reaching).union(*(self.implied.get(p, frozenset()) for p in (*guards, *reaching)))
        return [p for p in guards if p not in known]

    def _reaching(self, node: Value) -> frozenset[str]:
        """The arrays whose NaN reaches the result of ``node`` by arithmetic alone, so that no mask is needed for it."""
        found: dict[int, frozenset[str]] = {}
        for part in bottom_up(node):
            below = [found[id(arg)] for arg in part.args]
            if part.op in ("input", "row"):
                found[id(part)] = frozenset([part.name] if self.array[part.name] else [])
            elif part.op == "where":
                found[id(part)] = below[1] & below[2]
            else:
                found[id(part)] = frozenset().union(*below) if part.op in _NAN_KEEPING else frozenset()
        return found[id(node)]

    def _count(self, node: Value) -> None:
        self.uses[id(node)] += 1
        if self.uses[id(node)] > 1:
            return
        for arg in node.args:
            self._count(arg)
        leaf = node.op in ("input", "row")
        self.varies[id(node)] = self.array[node.name] if leaf else any(self.varies[id(arg)] for arg in node.args)

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
        varies = self.varies[id(node)]
        if op in _INFIX:
            return f"({args[0]} {_INFIX[op]} {args[1]})"
        if op == "divide":
            safe = self.careful and not varies
            return f"careful_divide({args[0]}, {args[1]})" if safe else f"({args[0]} / {args[1]})"
        if op == "negate":
            return f"(-{args[0]})"
        if op in ("maximum", "minimum"):
            return self._extreme(op, node, args)
        return self._call(node, args, varies)

    def _call(self, node: Value, args: Sequence[str], varies: bool) -> str:
        op = node.op
        if op == "chosen":
            return f"({args[0]} == {node.number!r})"
        if op == "given":
            held = self._hold(args[0])
            return f"({held} == {held})"
        if op == "otherwise":
            held = self._hold(args[0])
            test = f"{held} == {held}"
            if self.varies[id(node.args[0])]:
                return f"filled({held}, {args[1]})"
            return f"({held} if {test} else {args[1]})"
        if op == "both":
            return f"({args[0]} & {args[1]})" if varies else f"({args[0]} and {args[1]})"
        if op == "either":
            return f"({args[0]} | {args[1]})" if varies else f"({args[0]} or {args[1]})"
        if op == "opposite":
            return f"logical_not({args[0]})" if varies else f"(not {args[0]})"
        if op == "ceiling":
            return f"np_ceil(np_round({args[0]}, {NUMBER_DECIMALS}))" if varies else f"ceil9({args[0]})"
        if op == "floor":
            return f"np_floor(np_round({args[0]}, {NUMBER_DECIMALS}))" if varies else f"floor9({args[0]})"
        prefix = "np_" if varies else ""
        return f"{prefix}{op}({', '.join(args)})"

    def _extreme(self, op: str, node: Value, args: Sequence[str]) -> str:
        """Scalars by comparison (faster than a call), then arrays by NumPy; NaN never reaches this."""
        pairs = list(zip(node.args, args, strict=True))
        scalars = [text for arg, text in pairs if not self.varies[id(arg)]]
        arrays = [text for arg, text in pairs if self.varies[id(arg)]]
        sign = ">=" if op == "maximum" else "<="
        result = ""
        for text in scalars:
            if not result:
                result = text
                continue
            left, right = self._hold(result), self._hold(text)
            result = f"({left} if {left} {sign} {right} else {right})"
        for text in arrays:
            result = f"{op}({result}, {text})" if result else text
        return result

    def _where(self, node: Value) -> str:
        condition, yes, no = node.args
        if condition.op == "given" and condition.args[0] is yes and no.op == "blank":
            return self.emit(yes)
        test = self.emit(condition)
        if self.varies[id(condition)]:
            return f"where({test}, {self.emit(yes)}, {self.emit(no)})"
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
        varying = frozenset(name for name in leaves if self.array[name])
        self.later.append(_Later(trace, leaves, varying, self.careful))
        return f"later[{len(self.later) - 1}]({', '.join(leaves)})"


def _held(tree: Value) -> Callable[[], Value]:
    return lambda: tree


def _transparent(node: Value) -> bool:
    """Whether a NaN in any leaf of ``node`` makes it NaN by arithmetic alone."""
    return all(part.op in _TRANSPARENT for part in walk(node))


def _leaves(node: Value) -> set[str]:
    return {part.name for part in walk(node) if part.op in ("input", "row")}


def _written(sheet: Sheet, outputs: Sequence[str], varying: Collection[str], careful: bool) -> _Writer:
    writer = _Writer({name: name in varying for name in sheet.inputs}, careful)
    needed = sheet.upstream(outputs)
    used = {p for name in needed for p in sheet.rows[name].parameters} | set(outputs)
    for position, name in enumerate(sheet.inputs):
        if name in used:
            writer.line(f"{name} = values[{position}]")
    blankable = sheet.may_be_blank()
    last_use = {parameter: name for name in needed for parameter in sheet.rows[name].parameters}
    for name in needed:
        writer.row(sheet.rows[name], partial(sheet.trace, name), blankable)
        spent = [p for p in sheet.rows[name].parameters if last_use[p] == name and p not in outputs and writer.array[p]]
        if spent:
            # The next arrays take the memory of these while it is in the cache.
            writer.line(f"del {', '.join(dict.fromkeys(spent))}")
    writer.line(f"return ({', '.join(outputs)},)")
    return writer


def _source(head: str, writer: _Writer) -> str:
    return "\n".join([head, *writer.lines, ""])


def source(sheet: Sheet, outputs: Sequence[str], varying: Collection[str] = (), *, careful: bool = False) -> str:
    """Source of ``compute(values)``: a tuple of ``outputs`` from the inputs' values in the sheet's order.

    Inputs named in ``varying`` are arrays. With ``careful`` a division by zero gives blank instead of an error.
    """
    return _source("def compute(values):", _written(sheet, outputs, varying, careful))


def compiled(
    sheet: Sheet, outputs: Sequence[str], varying: Collection[str] = (), *, careful: bool = False
) -> Callable[[Sequence[Any]], tuple[Any, ...]]:
    """The function of source()."""
    return _executed("def compute(values):", _written(sheet, outputs, varying, careful), bool(varying))


def _executed(head: str, writer: _Writer, with_arrays: bool) -> Callable[..., Any]:
    names: dict[str, Any] = {
        "nan": math.nan, "ceil9": ceil9, "floor9": floor9, "exp": math.exp, "log": math.log, "sqrt": math.sqrt,
        "argmax": argmax_scalar, "careful_divide": careful_divide, "later": writer.later,
    }  # fmt: skip
    if with_arrays:
        # NumPy is slow to import and a single scenario needs none of it.
        from planner.model.arrays import ARRAY_FUNCTIONS  # noqa: PLC0415

        names.update(ARRAY_FUNCTIONS)
    exec(compile(_source(head, writer), "<sheet>", "exec"), names)  # noqa: S102
    function: Callable[..., Any] = names["compute"]
    return function
