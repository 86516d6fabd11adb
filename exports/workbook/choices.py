"""Lines: a plain one, one that chooses between two values, one that names the largest."""

from __future__ import annotations

from exports.workbook.lines import Line, Role
from exports.workbook.parts import BRANCH_LENGTH, Choice, Parts, Scope
from exports.workbook.tree import BOOLEANS, leaf
from planner.model.expression import Value


class LineMaker(Parts):
    """Makes the lines of one row."""

    def make(self, node: Value, scope: Scope, key: str, label: str, role: Role, tests: tuple[Value, ...]) -> None:
        """The line of ``node`` and, above it, those it needs; it is blank where one of ``tests`` fails."""
        if node.op == "where":
            self.make_choice(node, scope, key, label, role, tests)
        elif node.op == "argmax":
            self.make_position(node, scope, key, label, role, tests)
        else:
            self.make_plain(node, scope, key, label, role, tests)

    def make_plain(self, node: Value, scope: Scope, key: str, label: str, role: Role, tests: tuple[Value, ...]) -> None:
        """A line without a choice."""
        room = self.room(tests)
        while True:
            body = self.embed(node, scope, room, root=True)
            line_tests = self.joined(self.shortened(tests, body, scope), self.blank_parts(body, scope))
            if scope.knowledge.is_undefined(node):
                line_tests += (_domain(body),)
            if room < BRANCH_LENGTH or self.fits(Line(key, label, "", role, body, line_tests)):
                break
            room -= 10
        self.add(key, label, role, body, line_tests)

    def make_position(
        self, node: Value, scope: Scope, key: str, label: str, role: Role, tests: tuple[Value, ...]
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
        self, node: Value, scope: Scope, key: str, label: str, role: Role, tests: tuple[Value, ...]
    ) -> None:
        """A line that takes one of two values."""
        condition, yes, no = node.args
        choice = Choice(condition, scope, tests)
        taken = Scope(scope.knowledge.within(condition, True), choice, True)
        other = Scope(scope.knowledge.within(condition, False), choice, False)
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
        self, node: Value, choice: Choice, taken: Scope, other: Scope, key: str, label: str, role: Role
    ) -> None:
        """A choice in a line that is never blank for want of a part: one IF over both values."""
        condition, yes, no = node.args
        bodies = [self.branch(yes, taken), self.branch(no, other)]
        while True:
            test = self.embed(condition, choice.scope, BRANCH_LENGTH)
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
        self, node: Value, scope: Scope, key: str, label: str, role: Role, tests: tuple[Value, ...]
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

    def flag(self, choice: Choice) -> Value:
        """The line that says which branch of ``choice`` is taken: 1, 0, or blank where neither is."""
        if choice.flag is None:
            key = self.new_key("if")
            body = self.embed(choice.condition, choice.scope, self.room(choice.tests))
            if body.op in ("input", "row"):
                body = Value("nonzero", (body,))
            self.add(key, "Whether ", "detail", body, self.shortened(choice.tests, body, choice.scope))
            choice.flag = leaf(key)
        return choice.flag

    def flag_test(self, scope: Scope) -> Value:
        """The test that the branch of ``scope`` is taken."""
        if scope.choice is None:
            raise ValueError("the whole row is no branch")
        return Value("equal", (self.flag(scope.choice),), number=float(scope.taken))


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
