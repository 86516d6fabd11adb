"""Names and labels of the lines that a row is taken apart into."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from exports.workbook.lines import Line
from exports.workbook.tree import WORD_SUFFIX, leaf
from planner.model.explain import formula_text
from planner.model.expression import Value
from planner.model.fields import show_number

_LABEL_LENGTH: Final = 58


def pruned(lines: Sequence[Line]) -> list[Line]:
    """``lines`` without those that the last does not need."""
    needed = {lines[-1].key}
    kept = []
    for line in reversed(lines):
        if line.key in needed:
            kept.append(line)
            needed.update(line.references())
    return kept[::-1]


def renumbered(lines: Sequence[Line], row: str) -> list[Line]:
    """``lines`` with unnamed steps and conditions numbered in their order, and labels that say what each computes."""
    names: dict[str, str] = {}
    counts: Counter[str] = Counter()
    for line in lines:
        what, _, last = line.key.removeprefix(f"{row}.").partition(".")
        if what in ("step", "if") and (not last or last.isdigit()):
            counts[what] += 1
            names[line.key] = f"{row}.{'if_' if what == 'if' else ''}{counts[what]}"
    for line in lines:
        owner, _, part = line.key.rpartition(".")
        if owner in names and line.key not in names:
            names[line.key] = f"{names[owner]}.{part}"
    found = []
    for line in lines:
        key = names.get(line.key, line.key)
        tests = tuple(_renamed(test, names) for test in line.tests)
        yes, no = _renamed(line.yes, names), None if line.no is None else _renamed(line.no, names)
        label = line.label
        if not label or label.endswith(" "):
            label = _shortened(label + described(yes, no, tests))
        found.append(replace(line, key=key, label=label, tests=tests, yes=yes, no=no))
    return found


def _renamed(node: Value, names: Mapping[str, str]) -> Value:
    """``node`` with references to lines under their new names."""
    if node.op in ("input", "row"):
        return leaf(names[node.name]) if node.name in names else node
    if not node.args:
        return node
    args = tuple(_renamed(arg, names) for arg in node.args)
    return Value(node.op, args, name=node.name, number=node.number, word=node.word)


def described(yes: Value, no: Value | None, tests: Sequence[Value]) -> str:
    """What a line computes, in words; tests for what may be blank are left out."""
    text = formula_text(_readable(yes), _named)
    if no is None:
        return text
    return f"{text} if {formula_text(_readable(tests[-1]), _named)}, else {formula_text(_readable(no), _named)}"


def _readable(node: Value) -> Value:
    """``node`` with the operators of lines put back into those of the sheet."""
    if node.op == "equal":
        return node.args[0] if node.number else Value("opposite", node.args)
    if node.op in ("nonzero", "computes"):
        return node.args[0]
    if not node.args:
        return node
    args = tuple(_readable(arg) for arg in node.args)
    return Value(node.op, args, name=node.name, number=node.number, word=node.word)


def _shortened(text: str) -> str:
    return text if len(text) <= _LABEL_LENGTH else text[: _LABEL_LENGTH - 1].rstrip() + "…"


def plain(name: str) -> str:
    """The key of the row whose word, or number, ``name`` stands for."""
    return name.removesuffix(WORD_SUFFIX)


def _named(node: Value) -> str:
    if node.constant is not None:
        return show_number(float(node.constant))
    if node.op == "number":
        return f"{node.number:g}"
    row, dot, part = plain(node.name).partition(".")
    return (f"({part})" if part.isdigit() else part) if dot else row or node.op
