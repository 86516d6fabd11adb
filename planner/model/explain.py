"""Explaining a cell: its formula in words and in numbers, its terms with where each comes from, and what it rests on.

The formula is the traced row itself, so what is explained is what was computed.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from planner.model import facts as fact_groups
from planner.model.display import show_field_with_unit, show_with_unit
from planner.model.evaluation import Evaluated
from planner.model.expression import Value, walk
from planner.model.facts import FACT_FIELDS
from planner.model.fields import Field, FieldValue, nearest
from planner.model.inputs import INPUTS
from planner.model.rows import CELLS, HOUR_NAMES, SHEET
from planner.model.scenario import Fact

MOST_PARTS = 30
"""A formula with more parts is one that iterates: a workbook's Solver sheet has its steps, here the words of its row."""
DEFAULT, SET_HERE = "default", "set in this scenario"
TermKind = Literal["input", "fact", "row", "constant"]

_INFIX = {
    "either": (" or ", 1), "both": (" and ", 2), "add": (" + ", 5), "subtract": (" − ", 5), "multiply": (" × ", 6),
    "divide": (" / ", 6), "power": (" ^ ", 8),
}  # fmt: skip
_COMPARISONS = {"less": "<", "less_equal": "≤"}
_TURNED = {"less": "≥", "less_equal": ">"}
_MIRRORED = {"<": ">", "≤": "≥", ">": "<", "≥": "≤"}
_NOT, _COMPARES, _NEGATE, _ATOM = 3, 4, 7, 9
_NAMES = {
    "maximum": "max", "minimum": "min", "ceiling": "round up", "floor": "round down", "exp": "exp", "log": "ln",
    "sqrt": "sqrt", "argmax": "position of the largest of",
}  # fmt: skip
_FILLED_BY = {
    "accelerator": fact_groups.DEVICE,
    "interconnect": fact_groups.DEVICE,
    "model": fact_groups.ARCHITECTURE,
    "weight_format": fact_groups.FORMATS,
    "kv_format": fact_groups.FORMATS,
    "engine": fact_groups.ENGINE,
    "efficiency_profile": fact_groups.EFFICIENCY,
}


@dataclass(frozen=True, slots=True)
class Term:
    """One quantity of a formula: its value as text (with its unit) and where the value comes from: for a row what it is."""

    name: str
    label: str
    kind: TermKind
    text: str
    origin: str


@dataclass(frozen=True, slots=True)
class Formula:
    """``name`` = the formula with names, and the same with numbers put in."""

    name: str
    symbols: str
    numbers: str


@dataclass(frozen=True, slots=True)
class Explanation:
    """All there is to say about one cell of one scenario.

    ``formulas`` begins with the cell's own, followed by those of its named parts; an input has none. ``terms`` are
    what stands in the formulas, ``rests_on`` the inputs and facts at the end of every path, ``feeds`` the rows that
    use the cell directly. ``reason`` says why the cell is blank.
    """

    name: str
    label: str
    unit: str
    doc: str
    text: str
    origin: str
    reason: str
    formulas: tuple[Formula, ...]
    terms: tuple[Term, ...]
    rests_on: tuple[Term, ...]
    feeds: tuple[Term, ...]


def number_text(value: float) -> str:
    """``value`` as it stands inside a formula: no thousands separators, five significant digits."""
    if math.isnan(value):
        return "blank"
    if value == int(value) and abs(value) < 1e7:
        return str(int(value)) if value >= 0 else f"−{-int(value)}"
    text = f"{value:.5g}".replace("e+0", "e").replace("e+", "e").replace("e-0", "e−").replace("e-", "e−")
    return text.replace("-", "−")


def formula_text(node: Value, leaf: Callable[[Value], str], parts: Mapping[int, str] | None = None) -> str:
    """``node`` as readable text with as few parentheses as its meaning allows.

    ``leaf`` names the leaves; ``parts`` names, by identity, the nodes inside that have a line of their own.
    """
    return _Speller(leaf, parts or {}).made_of(node)[0]


class _Speller:
    """Spells nodes; every text comes with how tightly it binds."""

    def __init__(self, leaf: Callable[[Value], str], parts: Mapping[int, str]) -> None:
        self.leaf = leaf
        self.parts = parts

    def text(self, node: Value) -> tuple[str, int]:
        """The name of ``node`` where it has a line of its own, else what it is made of."""
        return (self.parts[id(node)], _ATOM) if id(node) in self.parts else self.made_of(node)

    def made_of(self, node: Value) -> tuple[str, int]:
        """The text of the operator of ``node`` over its arguments."""
        op = node.op
        if op == "let":
            return self.text(node.args[0])
        if not node.args:
            name = self.leaf(node)
            return name, _NEGATE if name.startswith("−") else _ATOM
        if op in _COMPARISONS:
            return self.compared(node, _COMPARISONS[op]), _COMPARES
        if op in _INFIX:
            joiner, level = _INFIX[op]
            left = self.wrapped(node.args[0], level + (op == "power"))
            right = self.wrapped(node.args[1], level + (op in ("subtract", "divide", "power")))
            return f"{left}{joiner}{right}", level
        if op in ("negate", "opposite", "chosen", "given"):
            return self.of_one(node)
        if op == "otherwise":
            return f"first given of({', '.join(self.text(part)[0] for part in _substitutes(node))})", _ATOM
        inner = [self.text(arg)[0] for arg in node.args]
        if op == "where":
            return f"if({inner[0]}, {inner[1]}, else {inner[2]})", _ATOM
        return f"{_NAMES.get(op, op)}({', '.join(inner)})", _ATOM

    def of_one(self, node: Value) -> tuple[str, int]:
        """An operator of one argument."""
        argument = node.args[0]
        if node.op == "negate":
            return f"−{self.wrapped(argument, _NEGATE)}", _NEGATE
        if node.op == "opposite":
            turned = None if id(argument) in self.parts else _TURNED.get(argument.op)
            if turned is not None:
                return self.compared(argument, turned), _COMPARES
            return f"not {self.wrapped(argument, _NOT + 1)}", _NOT
        said = f"is {node.word}" if node.op == "chosen" else "is given"
        return f"{self.wrapped(argument, _COMPARES + 1)} {said}", _COMPARES

    def compared(self, node: Value, sign: str) -> str:
        """A comparison with a literal on its right: ``x > 0``, whichever way round the row wrote it."""
        left, right = node.args
        if left.op in ("number", "constant") and right.op not in ("number", "constant"):
            left, right, sign = right, left, _MIRRORED[sign]
        return f"{self.wrapped(left, _COMPARES + 1)} {sign} {self.wrapped(right, _COMPARES + 1)}"

    def wrapped(self, node: Value, level: int) -> str:
        """The text of ``node``, in parentheses where it binds less than ``level``."""
        text, binds = self.text(node)
        return text if binds >= level else f"({text})"


def _substitutes(node: Value) -> Iterator[Value]:
    """What a chain of ``otherwise`` tries, in order."""
    if node.op == "otherwise":
        yield from _substitutes(node.args[0])
        yield from _substitutes(node.args[1])
    else:
        yield node


def explain(name: str, evaluated: Evaluated) -> Explanation:
    """Everything about the row, input or fact called ``name``. Raises KeyError that names the nearest ones."""
    if name in SHEET.rows:
        return _explain_row(name, evaluated)
    field = INPUTS.get(name) or FACT_FIELDS.get(name)
    if field is None:
        raise KeyError(f"there is no '{name}'{nearest(name, [*SHEET.rows, *INPUTS, *FACT_FIELDS])}")
    own = _cell_term(name, evaluated)
    group = _FILLED_BY.get(name)
    filled = [fact.name for fact in FACT_FIELDS.values() if fact.group == group]
    return Explanation(
        name=name, label=field.label, unit=field.unit, doc=field.help, text=own.text, origin=own.origin, reason="",
        formulas=(), terms=tuple(_cell_term(fact, evaluated) for fact in filled), rests_on=(),
        feeds=_feeds(name, evaluated),
    )  # fmt: skip


def _explain_row(name: str, evaluated: Evaluated) -> Explanation:
    row, tree, result = SHEET.rows[name], SHEET.trace(name), evaluated.results[name]
    parts = _parts(tree)
    if len(parts) > MOST_PARTS:
        formulas = [Formula(name, f"solved in {len(parts)} steps", show_with_unit(row, result))]
    else:
        formulas = [Formula(name, *_both_ways(tree, parts, evaluated))]
        formulas += [Formula(label, *_both_ways(part, parts, evaluated)) for part, label in parts.values()]
    terms = [_term(parameter, evaluated) for parameter in row.parameters] + _constants(tree)
    return Explanation(
        name=name, label=row.label, unit=row.unit, doc=row.doc, text=show_with_unit(row, result), origin="computed",
        reason=result.reason, formulas=tuple(formulas), terms=tuple(terms),
        rests_on=tuple(_cell_term(root, evaluated) for root in roots(name)), feeds=_feeds(name, evaluated),
    )  # fmt: skip


def roots(name: str) -> list[str]:
    """The inputs and facts that row ``name`` rests on, in the sheet's order."""
    used = {parameter for row in SHEET.upstream([name]) for parameter in SHEET.rows[row].parameters}
    cells = [cell for cell in CELLS if cell in used and cell not in HOUR_NAMES[1:]]
    return ["hourly_profile" if cell in HOUR_NAMES else cell for cell in cells]


_Parts = Mapping[int, tuple[Value, str]]


def _parts(tree: Value) -> _Parts:
    """The parts of a formula that get a line of their own, in reading order: named ones, and those used twice."""
    uses = Counter(id(arg) for node in walk(tree) for arg in node.args)
    labels: Counter[str] = Counter()
    found: dict[int, tuple[Value, str]] = {}
    seen: set[int] = set()

    def visit(node: Value) -> None:
        if id(node) in seen:
            return
        seen.add(id(node))
        for arg in node.args:
            visit(arg)
        shared = uses[id(node)] > 1 and any(arg.args for arg in node.args)
        if node is not tree and (node.op == "let" or shared):
            label = node.name if node.op == "let" else "part"
            labels[label] += 1
            again = f" ({labels[label]})" if node.op == "let" and labels[label] > 1 else ""
            found[id(node)] = (node, f"{label}{again}" if node.op == "let" else f"part {labels[label]}")

    visit(tree)
    return found


def _both_ways(tree: Value, parts: _Parts, evaluated: Evaluated) -> tuple[str, str]:
    names = {key: label for key, (_, label) in parts.items()}
    in_numbers = formula_text(tree, lambda leaf: _number(leaf, evaluated), names)
    return formula_text(tree, _symbol, names), in_numbers


def _symbol(leaf: Value) -> str:
    if leaf.constant is not None:
        return number_text(float(leaf.constant))
    if leaf.op == "number":
        return number_text(leaf.number)
    return leaf.name or leaf.op


def _number(leaf: Value, evaluated: Evaluated) -> str:
    if leaf.op == "row":
        return number_text(evaluated.results.number(leaf.name))
    if leaf.op == "input":
        field, code = CELLS[leaf.name], evaluated.results.cell(leaf.name)
        return number_text(code) if math.isnan(code) else _cell_text(field, _decode(field, code), unit=False)
    return _symbol(leaf)


def _decode(field: Field, code: float) -> FieldValue:
    if math.isnan(code):
        return None
    if field.kind == "choice":
        return field.choices[int(code) - 1]
    if field.kind == "switch":
        return code == 1.0
    return int(code) if field.kind == "integer" else code


def _cell_text(field: Field, value: FieldValue, *, unit: bool = True) -> str:
    if not unit and isinstance(value, (int, float)) and not isinstance(value, bool):
        return number_text(float(value))
    if value is None:
        return f"blank ({field.blank})" if field.blank else "blank"
    return show_field_with_unit(field, value) if unit else field.show(value)


def _term(name: str, evaluated: Evaluated) -> Term:
    if name not in SHEET.rows:
        return _cell_term(name, evaluated)
    row, result = SHEET.rows[name], evaluated.results[name]
    text = f"blank: {result.reason}" if result.value is None else show_with_unit(row, result)
    return Term(name, row.label, "row", text, row.doc.partition("\n")[0])


def _cell_term(name: str, evaluated: Evaluated) -> Term:
    fact = evaluated.facts.get(name)
    if fact is not None:
        field = FACT_FIELDS[name]
        return Term(name, field.label, "fact", _cell_text(field, fact.value), fact_origin(fact))
    if name in INPUTS:
        field = INPUTS[name]
        value = evaluated.scenario.values[name]
        origin = DEFAULT if value == field.default else SET_HERE
        return Term(name, field.label, "input", _cell_text(field, value), origin)
    field = CELLS[name]
    text = _cell_text(field, _decode(field, evaluated.results.cell(name)))
    kind: TermKind = "input" if name in HOUR_NAMES else "fact"
    return Term(name, field.label, kind, text, INPUTS["hourly_profile"].label if kind == "input" else "not given")


def fact_origin(fact: Fact) -> str:
    """Where a fact comes from, in one line: the scenario, or the source, its date and what is weak about it."""
    if fact.overridden:
        return SET_HERE
    parts = [fact.source or "catalogue", fact.date]
    origin = ", ".join(part for part in parts if part)
    return f"{origin}; {fact.doubt}" if fact.doubt else origin


def _constants(tree: Value) -> list[Term]:
    found: dict[str, Term] = {}
    for node in walk(tree):
        constant = node.constant
        if constant is not None:
            text = number_text(float(constant)) + (f" {constant.unit}" if constant.unit else "")
            found[constant.name] = Term(constant.name, constant.label, "constant", text, constant.source)
    return [found[name] for name in sorted(found)]


def _feeds(name: str, evaluated: Evaluated) -> tuple[Term, ...]:
    return tuple(_term(user, evaluated) for user in users_of(name))


def users_of(name: str) -> Iterator[str]:
    """The rows whose formula uses ``name`` directly, in the sheet's order."""
    wanted = set(HOUR_NAMES) if name == "hourly_profile" else {name}
    return (row.name for row in SHEET.rows.values() if not wanted.isdisjoint(row.parameters))
