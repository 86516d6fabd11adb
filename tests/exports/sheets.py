"""Small sheets made for tests: random rows over a few inputs, and workbooks with nothing but their lines."""

from __future__ import annotations

import io
import math
import random
from collections.abc import Callable, Mapping, Sequence

from openpyxl import Workbook
from openpyxl.utils import get_column_letter

from exports.workbook.formula import COLUMN
from exports.workbook.layout import Layout, make_layout
from exports.workbook.numbers import line_number
from planner.model.compiler import compiled
from planner.model.expression import Constant, Value, lift
from planner.model.fields import Field
from planner.model.functions import (
    both,
    ceiling,
    chosen,
    either,
    floor,
    given,
    let,
    maximum,
    minimum,
    opposite,
    otherwise,
    where,
)
from planner.model.sheet import Row, Sheet

WORDS = ("small", "large", "other")
QUARTER, TWO, THREE = (
    Constant(0.25, "quarter", "A quarter"),
    Constant(2, "two", "Two"),
    Constant(3, "three", "Three"),
)


def number_field(name: str, *, optional: bool = False) -> Field:
    return Field(
        name=name, label=f"Field {name}", group="Test", kind="real", low=-64, high=64, default=None, optional=optional
    )


FIELDS: dict[str, Field] = {
    field.name: field
    for field in [
        *(number_field(name) for name in "abc"),
        *(number_field(name, optional=True) for name in ("u", "v", "w")),
        Field(name="mode", label="Mode", group="Test", kind="choice", choices=WORDS, default="small"),
        Field(name="on", label="On", group="Test", kind="switch", default=True),
    ]
}

Cells = Mapping[str, Value]


class Chance:
    """Random expressions whose arithmetic is exact in binary, so that every engine must agree to the last bit."""

    def __init__(self, seed: int, numbers: Sequence[str], blankable: Sequence[str]) -> None:
        self.random = random.Random(seed)  # noqa: S311
        self.numbers, self.blankable = list(numbers), list(blankable)

    def row(self, cells: Cells) -> Value:
        """A whole row: now and then blank in a branch, a condition, or a division that may fail."""
        kind = self.random.random()
        body = self.number(cells, 4)
        if kind < 0.2:
            return where(self.condition(cells, 2), body, Value("blank"))
        if kind < 0.3:
            return where(self.condition(cells, 2), Value("blank"), body)
        if kind < 0.4:
            return where(self.condition(cells, 3), lift(1), lift(0))
        if kind < 0.5:
            return (body - body * 1) + self.number(cells, 1) / self.power_of_two(cells)
        return body

    def power_of_two(self, cells: Cells) -> Value:
        """A divisor that keeps quotients exact and is 0 now and then."""
        return where(self.condition(cells, 1), lift(TWO), where(self.condition(cells, 0), lift(0), lift(1)))

    def leaf(self, cells: Cells) -> Value:
        pick = self.random.random()
        if pick < 0.15:
            return lift(self.random.choice([0, 1]))
        if pick < 0.35:
            return lift(self.random.choice([QUARTER, TWO, THREE]))
        if pick < 0.5 and self.blankable:
            return otherwise(cells[self.random.choice(self.blankable)], lift(self.random.choice([0, 1, TWO])))
        return cells[self.random.choice(self.numbers)]

    def number(self, cells: Cells, depth: int) -> Value:
        if depth == 0:
            return self.leaf(cells)
        make = self.random.choice(
            [
                self.sum,
                self.sum,
                self.product,
                self.extreme,
                self.rounded,
                self.choice,
                self.choice,
                self.shared,
                self.minus,
            ]
        )
        return make(cells, depth - 1)

    def sum(self, cells: Cells, depth: int) -> Value:
        left, right = self.number(cells, depth), self.number(cells, depth)
        return left + right if self.random.random() < 0.5 else left - right

    def product(self, cells: Cells, depth: int) -> Value:
        return self.number(cells, depth) * self.leaf(cells)

    def extreme(self, cells: Cells, depth: int) -> Value:
        parts = [self.number(cells, depth) for _ in range(self.random.choice([2, 2, 3, 5]))]
        return maximum(*parts) if self.random.random() < 0.5 else minimum(*parts)

    def rounded(self, cells: Cells, depth: int) -> Value:
        part = self.number(cells, depth) * QUARTER
        return ceiling(part) if self.random.random() < 0.5 else floor(part)

    def choice(self, cells: Cells, depth: int) -> Value:
        return where(self.condition(cells, depth), self.number(cells, depth), self.number(cells, depth))

    def shared(self, cells: Cells, depth: int) -> Value:
        part = self.number(cells, depth)
        if self.random.random() < 0.3:
            part = let(f"part {self.random.randrange(3)}", part)
        return part * part if self.random.random() < 0.3 else part + maximum(part, self.leaf(cells))

    def minus(self, cells: Cells, depth: int) -> Value:
        return -self.number(cells, depth)

    def condition(self, cells: Cells, depth: int) -> Value:
        pick = self.random.random()
        if pick < 0.12 and self.blankable:
            return given(cells[self.random.choice(self.blankable)])
        if pick < 0.2 and self.blankable:
            return cells[self.random.choice(self.blankable)] < self.number(cells, min(depth, 1))
        if pick < 0.3 and "mode" in cells:
            return chosen(cells["mode"], WORDS, self.random.choice(WORDS))
        if pick < 0.36 and "on" in cells:
            return Value("chosen", (cells["on"],), number=1.0, word="yes")
        if pick < 0.6 and depth:
            first, second = self.condition(cells, depth - 1), self.condition(cells, depth - 1)
            return self.random.choice([both(first, second), either(first, second), opposite(first)])
        left, right = self.number(cells, min(depth, 1)), self.number(cells, min(depth, 1))
        return left < right if self.random.random() < 0.5 else left <= right


def make_row(name: str, parameters: Sequence[str], maybe: Sequence[str], function: Callable[..., Value]) -> Row:
    """A row of the given function, as the decorator would make it."""
    return Row(
        name=name, label=f"Row {name}", unit="", section="Test", function=function,
        arguments=tuple((parameter, None) for parameter in parameters), parameters=tuple(parameters),
        maybe=frozenset(maybe),
    )  # fmt: skip


def random_sheet(seed: int, count: int) -> Sheet:
    """A sheet of ``count`` random rows, each over inputs and rows above it."""
    chance = random.Random(seed)  # noqa: S311
    rows: list[Row] = []
    for number in range(count):
        above = [row.name for row in rows[-4:]]
        strict = chance.sample(["a", "b", "c", "u", *above], 3)
        maybe = [name for name in chance.sample(["v", "w", *above], 2) if name not in strict]
        parameters = [*strict, *maybe, "mode", "on"]
        maker = Chance(seed * 1000 + number, strict, maybe)
        rows.append(make_row(f"r{number}", parameters, maybe, lambda maker=maker, **cells: maker.row(cells)))
    return Sheet(rows, {name: field.optional for name, field in FIELDS.items()})


def layout_of(sheet: Sheet, fields: Mapping[str, Field] = FIELDS) -> Layout:
    """The layout of a small sheet."""
    return make_layout(sheet, fields, list(fields.values()))


def random_cells(seed: int) -> list[float]:
    """Encoded inputs: exact fractions, some blank."""
    chance = random.Random(seed)  # noqa: S311
    numbers = [chance.randrange(-16, 17) / 4 for _ in range(3)]
    optional = [math.nan if chance.random() < 0.4 else chance.randrange(-16, 17) / 4 for _ in range(3)]
    return [*numbers, *optional, float(chance.randrange(1, 4)), float(chance.randrange(2))]


def computed(sheet: Sheet, cells: Sequence[float]) -> list[float]:
    """Every row as the planner computes it."""
    return [float(number) for number in compiled(sheet, tuple(sheet.rows), careful=True)(cells)]


def line_numbers(layout: Layout, cells: Sequence[float]) -> dict[str, float]:
    """Every line as it is computed for the workbook."""
    numbers = dict(zip(layout.cells, cells, strict=True))
    for plan in layout.plans.rows:
        for line in plan.lines:
            numbers[line.key] = line_number(line, numbers) if line.role != "label" else numbers[plan.row.name]
    return numbers


def bare_workbook(layout: Layout, columns: Sequence[Sequence[float]]) -> bytes:
    """Inputs, Model and Solver without styles or results, one column for each set of encoded inputs."""
    book = Workbook()
    inputs, model, solver, lists = (book.create_sheet(title) for title in ("Inputs", "Model", "Solver", "Lists"))
    book.remove(book.worksheets[0])
    for name, words in layout.lists.items():
        for position, word in enumerate(words):
            lists.cell(layout.list_rows[name] + position, 4, word)
    for name, constant in layout.constants.items():
        inputs.cell(layout.constant_rows[name], 4, float(constant))
    for number, cells in enumerate(columns):
        column = 5 + number
        for (name, field), code in zip(layout.cells.items(), cells, strict=True):
            value: float | str | None = None if math.isnan(code) else code
            if field.kind == "choice":
                value = field.choices[int(code) - 1]
            elif field.kind == "switch":
                value = "yes" if code else "no"
            inputs.cell(layout.input_rows[name], column, value)
        for sheet, items in ((model, layout.model), (solver, layout.solver)):
            for item in items:
                if item.constant is not None:
                    sheet.cell(item.row, 4, item.formula)
                elif item.formula:
                    sheet.cell(item.row, column, item.formula.replace(COLUMN, get_column_letter(column)))
    buffer = io.BytesIO()
    book.save(buffer)
    return buffer.getvalue()
