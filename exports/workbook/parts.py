"""Parts of a formula: what is written where it stands, and what becomes a line of its own."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from exports.workbook.draft import Draft
from exports.workbook.formula import Measuring
from exports.workbook.lines import Role
from exports.workbook.ranges import Knowledge, Range
from exports.workbook.tree import BOOLEANS, WORD_SUFFIX, Tree, leaf, leaf_names, postorder
from exports.workbook.wording import plain
from planner.model.expression import Value
from planner.model.sheet import Row

BRANCH_LENGTH: Final = 60
"""Characters that one value of a choice may take."""

_TESTED_PART: Final = {"divide": 1, "log": 0, "sqrt": 0}
"""The part of an operation whose value says whether there is a result."""


@dataclass(eq=False, slots=True)
class Choice:
    """One ``where``: its two branches share a line that says which is taken, made when a branch needs lines."""

    condition: Value
    scope: Scope
    tests: tuple[Value, ...]
    flag: Value | None = None


@dataclass(eq=False, slots=True)
class Scope:
    """Where a line is computed: for the whole row, or in one branch of a choice."""

    knowledge: Knowledge
    choice: Choice | None = None
    taken: bool = True


class Parts(Draft):
    """The lines of one row, as far as parts of formulas go; how a line is made is left to the class below."""

    def __init__(
        self,
        row: Row,
        traced: Value,
        word_rows: frozenset[str],
        ranges: Mapping[str, Range],
        blankable: Mapping[str, bool],
        needs: Mapping[str, frozenset[str]],
        units: Mapping[str, str],
        measuring: Measuring,
    ) -> None:
        super().__init__(row, needs, units, measuring)
        self.tree = Tree(traced, word_rows)
        self.strict = frozenset(name for name in row.strict if blankable[name])
        self.root = Scope(Knowledge(self.tree, ranges, blankable))
        self.root.knowledge.assume_given(self.strict | {name + WORD_SUFFIX for name in self.strict})
        self.hoisted: dict[int, Value] = {}
        self.leaves = {part.name: part for part in postorder(self.tree.root) if part.op in ("input", "row")}
        self.strict_bits = [
            (plain(name), self.tree.parts_of(part)) for name, part in self.leaves.items() if plain(name) in self.strict
        ]

    @abstractmethod
    def make(self, node: Value, scope: Scope, key: str, label: str, role: Role, tests: tuple[Value, ...]) -> None:
        """Adds the line of ``node`` and, above it, those it needs; it is blank where one of ``tests`` fails."""

    # Parts of a formula

    def branch(self, node: Value, scope: Scope) -> Value:
        """One value of a choice: it must not fail where it may be blank."""
        body = self.embed(node, scope, BRANCH_LENGTH)
        if body.args and self.blank_parts(body, scope):
            return self.hoist(node)
        return body

    def embed(self, node: Value, scope: Scope, room: int, *, root: bool = False) -> Value:
        """``node`` as part of a formula of at most ``room`` characters; what must or has to is a line of its own."""
        if not node.args:
            return node
        if not root and self.must_hoist(node, scope):
            return self.hoisted_part(node)
        if node.op == "chosen":
            return node
        if node.op == "given" and node.args[0].args:
            return Value("given", (self.hoist(node.args[0]),))
        args = [self.embed(arg, scope, room) for arg in node.args]
        if node.op in ("less", "less_equal"):
            for position, arg in enumerate(node.args):
                if args[position].args and scope.knowledge.may_be_blank(arg):
                    args[position] = self.hoist(arg)
        elif node.op in _TESTED_PART and scope.knowledge.is_undefined(node):
            position = _TESTED_PART[node.op]
            args[position] = self.hoist(node.args[position])
        return self.within_room(node, args, scope, room)

    def within_room(self, node: Value, args: list[Value], scope: Scope, room: int) -> Value:
        """``node`` over ``args``, of which the longest are given lines until the text has room."""
        while True:
            body = self.assemble(node, args, scope)
            if self.length(body) <= room:
                return body
            candidates = [
                position
                for position, arg in enumerate(node.args)
                if args[position].args and not self.is_reference(args[position]) and arg.args
            ]
            if not candidates:
                return body
            longest = max(candidates, key=lambda position: self.length(args[position]))
            args[longest] = self.hoisted_part(node.args[longest])

    def assemble(self, node: Value, args: list[Value], scope: Scope) -> Value:
        """``node`` over its written parts, in the form a spreadsheet computes it in."""
        if node.op in ("less", "less_equal"):
            compared = Value(node.op, tuple(args))
            blank = [arg.name for arg in args if not arg.args and self.is_blankable(arg, scope)]
            tests = self.given(blank)
            return Value("both", (*tests, compared)) if tests else compared
        if node.op == "ceiling" and not scope.knowledge.range_of(node.args[0]).not_negative:
            return Value("negate", (Value("floor", (Value("negate", tuple(args)),)),))
        return Value(node.op, tuple(args), name=node.name, number=node.number, word=node.word)

    def must_hoist(self, node: Value, scope: Scope) -> bool:
        """Whether ``node`` is a line of its own in ``scope``."""
        return self.has_own_line(node) or scope.knowledge.is_undefined(node)

    def has_own_line(self, node: Value) -> bool:
        """Whether ``node`` is a line of its own wherever it stands: named, a choice, or used twice."""
        if id(node) in self.tree.names or node.op in ("where", "argmax"):
            return True
        simple = node.op in BOOLEANS or node.op == "negate"
        trivial = simple and not any(arg.args for arg in node.args)
        return self.tree.uses[id(node)] > 1 and not trivial

    def hoisted_part(self, node: Value) -> Value:
        """A reference to the line of ``node``; where it is a condition, the test that it holds."""
        found = self.hoist(node)
        return Value("equal", (found,), number=1.0) if node.op in BOOLEANS else found

    def hoist(self, node: Value) -> Value:
        """A reference to the line of ``node``.

        The line is computed whichever branch is taken, so one serves all branches; it is blank where it has no value.
        """
        if not node.args:
            return node
        if id(node) in self.hoisted:
            return self.hoisted[id(node)]
        name = self.tree.names.get(id(node), "")
        key = self.new_key(name or "step")
        label = name.replace("_", " ").capitalize() if name else ""
        parts = self.tree.parts_of(node)
        tests = self.given(name for name, bit in self.strict_bits if parts & bit)
        self.make(node, self.root, key, label, "detail", tests)
        self.origins[key] = node
        found = self.hoisted[id(node)] = leaf(key)
        return found

    # Tests

    def shortened(self, tests: tuple[Value, ...], body: Value, scope: Scope) -> tuple[Value, ...]:
        """``tests`` without those parts that a line of the row in ``body`` implies."""
        if len(tests) != 1 or tests[0].op != "given":
            return tests
        wanted = set(leaf_names(tests[0]))
        kept = set(wanted)
        for name in leaf_names(body):
            covered = self.covered(name) & kept
            if len(covered) > 1 and not self.is_blankable(leaf(name), scope):
                kept = (kept - covered) | {name}
        return self.given(kept) if len(kept) < len(wanted) else tests

    def blank_parts(self, body: Value, scope: Scope) -> list[str]:
        """The lines that must hold numbers for the arithmetic of ``body`` not to fail."""
        if body.op in BOOLEANS:
            return []
        if not body.args:
            return [body.name] if body.name and self.is_blankable(body, scope) else []
        return list(dict.fromkeys(name for arg in body.args for name in self.blank_parts(arg, scope)))

    def is_blankable(self, reference: Value, scope: Scope) -> bool:
        """Whether the line that ``reference`` names may be blank although its tests hold."""
        origin = self.origins.get(reference.name, self.leaves.get(reference.name))
        return origin is not None and scope.knowledge.may_be_blank(origin)

    def is_reference(self, body: Value) -> bool:
        """Whether ``body`` only names a line."""
        return body.op == "equal" or not body.args
