"""The lines of one row while they are being made: their keys, units and lengths, and tests for what may be blank."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from exports.workbook.formula import Measuring, expression, formula
from exports.workbook.lines import MAX_FORMULA_LENGTH, Line, Role
from exports.workbook.tree import BOOLEANS, leaf, leaf_names
from exports.workbook.wording import plain
from planner.model.expression import Value
from planner.model.sheet import Row

_TESTED_AT_ONCE: Final = 9


class Draft:
    """Lines of ``row``, in their order.

    ``needs`` says of every row what must be given for it to hold a number; ``origins`` holds the part of the row's
    expression that a line of its own stands for.
    """

    def __init__(
        self, row: Row, needs: Mapping[str, frozenset[str]], units: Mapping[str, str], measuring: Measuring
    ) -> None:
        self.row = row
        self.needs = dict(needs)
        self.units = dict(units)
        self.measuring = measuring
        self.lines: list[Line] = []
        self.by_key: dict[str, Line] = {}
        self.keys: Counter[str] = Counter()
        self.origins: dict[str, Value] = {}

    def add(
        self,
        key: str,
        label: str,
        role: Role,
        yes: Value,
        tests: tuple[Value, ...],
        no: Value | None = None,
    ) -> None:
        """Appends a line. A label that is empty or ends in a blank will go on with what the line computes."""
        unit = self.row.unit if role == "row" else self.unit_of(yes)
        self.units[key] = unit
        line = self.by_key[key] = Line(key, label, unit, role, yes, tests, no)
        self.lines.append(line)

    def given(self, names: Iterable[str]) -> tuple[Value, ...]:
        """The test that all lines called ``names`` hold numbers, if there are any; in pieces when they are many."""
        wanted = list(dict.fromkeys(plain(name) for name in names))
        implied = {other for name in wanted for other in self.needs.get(name, frozenset()) if other != name}
        kept = [name for name in self.in_order(wanted) if name not in implied]
        while len(kept) > _TESTED_AT_ONCE:
            some, kept = kept[:_TESTED_AT_ONCE], kept[_TESTED_AT_ONCE:]
            kept.append(self.checked(some))
        if not kept:
            return ()
        total = leaf(kept[0])
        for name in kept[1:]:
            total = Value("add", (total, leaf(name)))
        return (Value("given", (total,)),)

    def joined(self, tests: tuple[Value, ...], names: Sequence[str]) -> tuple[Value, ...]:
        """``tests`` and the test that ``names`` hold numbers, in one where they ask the same kind of thing."""
        if not names:
            return tests
        if len(tests) != 1 or tests[0].op != "given":
            return tests + self.given(names)
        implied = frozenset[str]().union(*(self.covered(name) for name in names))
        return self.given([*(name for name in leaf_names(tests[0]) if name not in implied), *names])

    def checked(self, names: Sequence[str]) -> str:
        """The key of a line that is 1 where all of ``names`` hold numbers."""
        key = next((line.key for line in self.lines if self.needs.get(line.key) == frozenset(names)), "")
        if not key:
            key = self.new_key("given")
            self.needs[key] = frozenset(names)
            total = leaf(names[0])
            for name in names[1:]:
                total = Value("add", (total, leaf(name)))
            one = Value("number", number=1.0)
            self.add(key, "Whether all that is needed is given", "detail", one, (Value("given", (total,)),))
        return key

    def in_order(self, names: Iterable[str]) -> list[str]:
        """``names`` in the order of the row's parameters, lines of the row last."""
        position = {name: number for number, name in enumerate(self.row.parameters)}
        return sorted(names, key=lambda name: (position.get(name, len(position)), name))

    def covered(self, key: str) -> frozenset[str]:
        """The lines that must hold numbers for the row's own line ``key`` to hold one."""
        if key not in self.origins:
            return frozenset()
        line = self.by_key[key]
        if line.no is not None:
            return frozenset()
        named = [name for test in line.tests if test.op == "given" for name in leaf_names(test)]
        return frozenset(named).union(*(self.needs.get(name, frozenset()) for name in named))

    def new_key(self, what: str, owner: str = "") -> str:
        """A key for a detail line, unique in the row: ``row.what`` or ``row.what.2``."""
        base = f"{owner or self.row.name}.{what.lower().replace(' ', '_')}"
        self.keys[base] += 1
        return base if self.keys[base] == 1 else f"{base}.{self.keys[base]}"

    def unit_of(self, node: Value) -> str:
        """The unit of a detail line, where it is plain."""
        op = node.op
        if op in ("input", "row"):
            return self.units.get(plain(node.name), "")
        if op in BOOLEANS:
            return "1 = yes"
        if op in ("add", "subtract", "maximum", "minimum"):
            found = [self.unit_of(arg) for arg in node.args if arg.op != "number"]
            return found[0] if len(set(found)) == 1 else ""
        return self.unit_of(node.args[0]) if op == "negate" else ""

    def length(self, node: Value) -> int:
        """How long the text of ``node`` will be."""
        return len(expression(node, self.measuring)) if node.op != "number" else 1

    def room(self, tests: tuple[Value, ...]) -> int:
        """What ``tests`` leave of a formula's length."""
        if not tests:
            return MAX_FORMULA_LENGTH - 1
        empty = Line("", "", "", "detail", Value("number"), tests)
        return MAX_FORMULA_LENGTH - len(formula(empty, self.measuring)) + 1

    def fits(self, line: Line) -> bool:
        """Whether the formula of ``line`` is short enough."""
        return len(formula(line, self.measuring)) <= MAX_FORMULA_LENGTH
