"""From a row's traced expression to formula lines that a person can follow.

Every line holds at most one IF, at its root. What is used twice, named by ``let``, chosen between, or too long is a
line of its own above. A line that cannot be computed where a part is blank, or outside the branch it belongs to, is
blank there: no formula ever shows an error.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from exports.workbook.draft import Draft
from exports.workbook.formula import SAMPLE_CELL, Measuring
from exports.workbook.lines import Line, Role, RowPlan
from exports.workbook.ranges import Knowledge, Range
from exports.workbook.tree import BOOLEANS, WORD_SUFFIX, Tree, leaf, leaf_names, postorder
from exports.workbook.wording import plain, pruned, renumbered
from planner.model.expression import Value
from planner.model.fields import Field
from planner.model.sheet import Row, Sheet

SOLVER_FROM: Final = 12
"""A row with more details than this is solved on the Solver sheet."""

_BRANCH_LENGTH: Final = 60
_TESTED_PART: Final = {"divide": 1, "log": 0, "sqrt": 0}
"""The part of an operation whose value says whether there is a result."""


@dataclass(eq=False, slots=True)
class _Choice:
    """One ``where``: its two branches share a line that says which is taken, made when a branch needs lines."""

    condition: Value
    scope: _Scope
    tests: tuple[Value, ...]
    flag: Value | None = None


@dataclass(eq=False, slots=True)
class _Scope:
    """Where a line is computed: for the whole row, or in one branch of a choice."""

    knowledge: Knowledge
    choice: _Choice | None = None
    taken: bool = True


@dataclass(slots=True)
class Plans:
    """The plans of every row of a sheet, and what is known of each line's value."""

    rows: list[RowPlan]
    ranges: dict[str, Range]
    blankable: dict[str, bool]


def plan_sheet(
    sheet: Sheet, cells: Mapping[str, Field], *, known: Mapping[str, Range] | None = None, sample: str = SAMPLE_CELL
) -> Plans:
    """Lines for every row of ``sheet`` over the input ``cells``.

    ``known`` are ranges of further inputs; ``sample`` is the longest reference to be reckoned with. Raises TypeError
    for a row that has no formula.
    """
    word_rows = frozenset(row.name for row in sheet.rows.values() if row.kind == "word")
    ranges = {name: _range_of_field(cell) for name, cell in cells.items()} | dict(known or {})
    blankable = dict(sheet.inputs)
    units = {name: cell.unit for name, cell in cells.items()} | {row.name: row.unit for row in sheet.rows.values()}
    needs: dict[str, frozenset[str]] = {}
    positions = {name: position for position, name in enumerate(sheet.inputs)}
    measuring = Measuring(
        lambda key: key in cells and cells[key].kind == "switch",
        lambda key: key.endswith(WORD_SUFFIX) or (key in cells and cells[key].kind == "choice"),
        lambda keys: _follow(keys, positions),
        sample,
    )
    plans = Plans([], ranges, blankable)
    for row in sheet.rows.values():
        planner = _RowPlanner(row, sheet.trace(row.name), word_rows, ranges, blankable, needs, units, measuring)
        plans.rows.append(planner.plan())
        ranges[row.name] = planner.root.knowledge.range_of(planner.tree.root)
        strict = frozenset(name for name in row.strict if blankable[name])
        blankable[row.name] = bool(strict) or planner.root.knowledge.may_be_blank(planner.tree.root)
        needs[row.name] = strict.union(*(needs.get(name, frozenset()) for name in row.strict))
        if row.kind == "word":
            ranges[row.name + WORD_SUFFIX], blankable[row.name + WORD_SUFFIX] = ranges[row.name], blankable[row.name]
    return plans


def _range_of_field(cell: Field) -> Range:
    if cell.kind == "choice":
        return Range(1, len(cell.choices))
    if cell.kind == "switch":
        return Range(0, 1)
    found = Range()
    if cell.low is not None:
        found = Range(low=cell.low, low_open=cell.above_low)
    return found if cell.high is None else Range(found.low, cell.high, found.low_open)


def _follow(keys: Sequence[str], positions: Mapping[str, int]) -> bool:
    """Whether ``keys`` are inputs that follow one another."""
    found = [positions.get(key, -1) for key in keys]
    return found[0] >= 0 and found == list(range(found[0], found[0] + len(found)))


class _RowPlanner(Draft):
    """Makes the lines of one row."""

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
        self.root = _Scope(Knowledge(self.tree, ranges, blankable))
        self.root.knowledge.assume_given(self.strict | {name + WORD_SUFFIX for name in self.strict})
        self.hoisted: dict[int, Value] = {}
        self.leaves = {part.name: part for part in postorder(self.tree.root) if part.op in ("input", "row")}
        self.strict_bits = [
            (plain(name), self.tree.parts_of(part)) for name, part in self.leaves.items() if plain(name) in self.strict
        ]

    def plan(self) -> RowPlan:
        """The row's lines, the row itself last (before the word it may stand for)."""
        row = self.row
        for part in postorder(self.tree.root):
            if part is not self.tree.root and part.args and self.has_own_line(part):
                self.hoist(part)
        self.make(self.tree.root, self.root, row.name, row.label, "row", self.given(self.strict))
        lines = renumbered(pruned(self.lines), row.name)
        details = len(lines) - 1
        if row.kind == "word":
            lines[-1] = replace(lines[-1], label=f"{row.label}: number in the list", unit="code", role="detail")
            lines.append(Line(row.name + WORD_SUFFIX, row.label, "word", "label", leaf(row.name), words=row.words))
        return RowPlan(row, tuple(lines), details > SOLVER_FROM)

    # Lines

    def make(self, node: Value, scope: _Scope, key: str, label: str, role: Role, tests: tuple[Value, ...]) -> None:
        """The line of ``node`` and, above it, those it needs; it is blank where one of ``tests`` fails."""
        if node.op == "where":
            self.make_choice(node, scope, key, label, role, tests)
        elif node.op == "argmax":
            self.make_position(node, scope, key, label, role, tests)
        else:
            self.makeplain(node, scope, key, label, role, tests)

    def makeplain(self, node: Value, scope: _Scope, key: str, label: str, role: Role, tests: tuple[Value, ...]) -> None:
        """A line without a choice."""
        room = self.room(tests)
        while True:
            body = self.embed(node, scope, room, root=True)
            line_tests = self.joined(self.shortened(tests, body, scope), self.blank_parts(body, scope))
            if scope.knowledge.is_undefined(node):
                line_tests += (_domain(body),)
            if room < _BRANCH_LENGTH or self.fits(Line(key, label, "", role, body, line_tests)):
                break
            room -= 10
        self.add(key, label, role, body, line_tests)

    def make_position(
        self, node: Value, scope: _Scope, key: str, label: str, role: Role, tests: tuple[Value, ...]
    ) -> None:
        """The position of the largest: candidates on lines that stand together, then the line that compares them."""
        bodies = [self.embed(arg, scope, self.room(tests)) for arg in node.args]
        candidates = []
        for number, (arg, body) in enumerate(zip(node.args, bodies, strict=True), start=1):
            name = self.new_key(f"candidate{number}", key)
            line_tests = self.joined(tests, self.blank_parts(body, scope))
            self.add(name, f"Candidate {number}: ", "detail", body, line_tests)
            candidates.append(leaf(name))
            self.origins[name] = arg
        line_tests = self.joined(tests, [name.name for name in candidates if self.is_blankable(name, scope)])
        self.add(key, label, role, Value("argmax", tuple(candidates)), line_tests)

    def make_choice(
        self, node: Value, scope: _Scope, key: str, label: str, role: Role, tests: tuple[Value, ...]
    ) -> None:
        """A line that takes one of two values."""
        condition, yes, no = node.args
        choice = _Choice(condition, scope, tests)
        taken = _Scope(scope.knowledge.within(condition, True), choice, True)
        other = _Scope(scope.knowledge.within(condition, False), choice, False)
        if not tests:
            self.make_open_choice(node, choice, taken, other, key, label, role)
        elif self.make_select(node, scope, key, label, role, tests):
            return
        elif "blank" in (yes.op, no.op):
            inside, value = (taken, yes) if no.op == "blank" else (other, no)
            body = self.branch(value, inside)
            test = self.embed(condition, scope, self.room(tests))
            if choice.flag is None and _compares_leaves(test):
                test = test if inside.taken else Value("opposite", (test,))
                if self.fits(Line(key, "", "", role, body, (*tests, test))):
                    self.add(key, label, role, body, (*tests, test))
                    return
            self.add(key, label, role, body, (self.flag_test(inside),))
        else:
            self.flag(choice)
            name = self.new_key("else", key)
            self.make(no, other, name, "Otherwise: ", "detail", (self.flag_test(other),))
            body = self.branch(yes, taken)
            self.add(key, label, role, body, (self.flag_test(taken),), leaf(name))

    def make_open_choice(
        self, node: Value, choice: _Choice, taken: _Scope, other: _Scope, key: str, label: str, role: Role
    ) -> None:
        """A choice in a line that is never blank for want of a part: one IF over both values."""
        condition, yes, no = node.args
        bodies = [self.branch(yes, taken), self.branch(no, other)]
        while True:
            test = self.embed(condition, choice.scope, _BRANCH_LENGTH)
            if choice.flag is not None:
                test = self.flag_test(taken)
            line = Line(key, label, "", role, bodies[0], (test,), bodies[1])
            if self.fits(line):
                break
            parts = [part for part in ([*bodies, test] if choice.flag is None else bodies) if part.args]
            if not parts:
                break
            longest = max(parts, key=self.length)
            if longest is test:
                self.flag(choice)
            else:
                at = 0 if longest is bodies[0] else 1
                bodies[at] = self.hoist((yes, no)[at])
        self.add(key, label, role, bodies[0], (test,), bodies[1])

    def make_select(
        self, node: Value, scope: _Scope, key: str, label: str, role: Role, tests: tuple[Value, ...]
    ) -> bool:
        """Condition x value + opposite x other value, in place of a second IF; whether that can be written.

        Both values must be computable whichever is taken, and the formula short.
        """
        condition, yes, no = node.args
        known = scope.knowledge
        values = [value for value in (yes, no) if not (value.op == "number" and value.number == 0)]
        if condition.op not in BOOLEANS or not all(known.all_defined(part) for part in (condition, *values)):
            return False
        if any(known.may_be_blank(value) for value in values) or not values:
            return False
        room = self.room(tests) // (2 * len(values))
        holds = self.embed(condition, scope, room)
        parts = []
        for value, test in ((yes, holds), (no, _opposite(holds))):
            if any(value is kept for kept in values):
                body = self.embed(value, scope, room)
                one = body.op == "number" and body.number == 1
                parts.append(test if one and len(values) > 1 else Value("multiply", (test, body)))
        body = parts[0] if len(parts) == 1 else Value("add", (parts[0], parts[1]))
        line_tests = self.shortened(tests, body, scope)
        if not self.fits(Line(key, "", "", role, body, line_tests)):
            return False
        self.add(key, label, role, body, line_tests)
        return True

    def flag(self, choice: _Choice) -> Value:
        """The line that says which branch of ``choice`` is taken: 1, 0, or blank where neither is."""
        if choice.flag is None:
            key = self.new_key("if")
            body = self.embed(choice.condition, choice.scope, self.room(choice.tests))
            if body.op in ("input", "row"):
                body = Value("nonzero", (body,))
            self.add(key, "Whether ", "detail", body, self.shortened(choice.tests, body, choice.scope))
            choice.flag = leaf(key)
        return choice.flag

    def flag_test(self, scope: _Scope) -> Value:
        """The test that the branch of ``scope`` is taken."""
        if scope.choice is None:
            raise ValueError("the whole row is no branch")
        return Value("equal", (self.flag(scope.choice),), number=float(scope.taken))

    # Parts of a formula

    def branch(self, node: Value, scope: _Scope) -> Value:
        """One value of a choice: it must not fail where it may be blank."""
        body = self.embed(node, scope, _BRANCH_LENGTH)
        if body.args and self.blank_parts(body, scope):
            return self.hoist(node)
        return body

    def embed(self, node: Value, scope: _Scope, room: int, *, root: bool = False) -> Value:
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

    def within_room(self, node: Value, args: list[Value], scope: _Scope, room: int) -> Value:
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

    def assemble(self, node: Value, args: list[Value], scope: _Scope) -> Value:
        """``node`` over its written parts, in the form a spreadsheet computes it in."""
        if node.op in ("less", "less_equal"):
            compared = Value(node.op, tuple(args))
            blank = [arg.name for arg in args if not arg.args and self.is_blankable(arg, scope)]
            tests = self.given(blank)
            return Value("both", (*tests, compared)) if tests else compared
        if node.op == "ceiling" and not scope.knowledge.range_of(node.args[0]).not_negative:
            return Value("negate", (Value("floor", (Value("negate", tuple(args)),)),))
        return Value(node.op, tuple(args), name=node.name, number=node.number, word=node.word)

    def must_hoist(self, node: Value, scope: _Scope) -> bool:
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

    def shortened(self, tests: tuple[Value, ...], body: Value, scope: _Scope) -> tuple[Value, ...]:
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

    def blank_parts(self, body: Value, scope: _Scope) -> list[str]:
        """The lines that must hold numbers for the arithmetic of ``body`` not to fail."""
        if body.op in BOOLEANS:
            return []
        if not body.args:
            return [body.name] if body.name and self.is_blankable(body, scope) else []
        return list(dict.fromkeys(name for arg in body.args for name in self.blank_parts(arg, scope)))

    def is_blankable(self, reference: Value, scope: _Scope) -> bool:
        """Whether the line that ``reference`` names may be blank although its tests hold."""
        origin = self.origins.get(reference.name, self.leaves.get(reference.name))
        return origin is not None and scope.knowledge.may_be_blank(origin)

    def is_reference(self, body: Value) -> bool:
        """Whether ``body`` only names a line."""
        return body.op == "equal" or not body.args


def _domain(body: Value) -> Value:
    """The test that ``body`` has a value: a divisor that is not 0, a positive logarithm's argument, or a result."""
    zero = Value("number", number=0.0)
    if body.op == "divide":
        return Value("nonzero", (body.args[1],))
    if body.op == "log":
        return Value("less", (zero, body.args[0]))
    if body.op == "sqrt":
        return Value("less_equal", (zero, body.args[0]))
    return Value("computes", (body,))


def _opposite(test: Value) -> Value:
    """The condition that holds where ``test`` does not; of numbers, which are not blank."""
    if test.op in ("less", "less_equal"):
        return Value("less_equal" if test.op == "less" else "less", (test.args[1], test.args[0]))
    if test.op == "equal":
        return Value("equal", test.args, number=1 - test.number)
    return test.args[0] if test.op == "opposite" else Value("opposite", (test,))


def _compares_leaves(test: Value) -> bool:
    """Whether ``test`` cannot fail where a part is blank: it computes nothing."""
    if test.op in ("both", "either", "opposite"):
        return all(_compares_leaves(arg) for arg in test.args)
    if test.op == "given":
        return True
    return not any(arg.args for arg in test.args)
