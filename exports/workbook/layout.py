"""Where every line of the workbook stands, and the formulas that follow from it. The same for every export."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Final, Literal

from exports.workbook.conditions import SHARES_TOLERANCE, check_sheet
from exports.workbook.formula import COLUMN, SAMPLE_CELL, formula
from exports.workbook.lines import ROUND_DIGITS, Line, RowPlan
from exports.workbook.planning import Plans, plan_sheet
from exports.workbook.tree import WORD_SUFFIX
from planner.model.constants import GIB, MS_PER_S
from planner.model.expression import Constant
from planner.model.facts import FACT_FIELDS
from planner.model.fields import Field
from planner.model.inputs import INPUTS
from planner.model.rows import CELLS, HOUR_NAMES, SHEET
from planner.model.rules import CHECK_TOLERANCE
from planner.model.sheet import Sheet

FIRST_ROW: Final = 7
"""Below the title, what the sheet holds, the master check, two lines of settings, and the scenarios' names."""

CONSTANTS: Final = "Constants of the model"

Role = Literal["section", "link", "constant", "row", "detail", "solved", "label"]


@dataclass(frozen=True, slots=True)
class Item:
    """One line of the Model or Solver sheet.

    ``key`` is what the numbers are found under, ``ref`` what stands in the Ref column. ``formula`` has an open column;
    a constant's has none to fill.
    """

    row: int
    role: Role
    ref: str
    key: str
    label: str
    unit: str = ""
    formula: str = ""
    constant: Constant | None = None
    words: tuple[str, ...] = ()
    main: bool = False


@dataclass(frozen=True, slots=True)
class InputItem:
    """One line of the Inputs sheet: a section, a field, or a constant."""

    row: int
    label: str
    field: Field | None = None
    constant: Constant | None = None


@dataclass(slots=True)
class Layout:
    """Every line of Inputs, Lists, Model and Solver."""

    sheet: Sheet
    cells: Mapping[str, Field]
    plans: Plans
    inputs: list[InputItem] = field(default_factory=list)
    input_rows: dict[str, int] = field(default_factory=dict)
    constant_rows: dict[str, int] = field(default_factory=dict)
    constants: dict[str, Constant] = field(default_factory=dict)
    lists: dict[str, tuple[str, ...]] = field(default_factory=dict)
    list_rows: dict[str, int] = field(default_factory=dict)
    model: list[Item] = field(default_factory=list)
    model_rows: dict[str, int] = field(default_factory=dict)
    solver: list[Item] = field(default_factory=list)
    bounds_row: int = 0
    checks: list[RowPlan] = field(default_factory=list)

    def list_range(self, name: str) -> str:
        """The cells of the Lists sheet that hold the words of ``name``."""
        first = self.list_rows[name]
        return f"Lists!$D${first}:$D${first + len(self.lists[name]) - 1}"

    def constant_cell(self, constant: Constant) -> str:
        """The cell of the Inputs sheet that holds ``constant``."""
        return f"Inputs!$D${self.constant_rows[constant.name]}"

    def bound_cell(self, column: str, name: str) -> str:
        """The cell of the Lists sheet that holds the lowest (column D) or highest (E) number ``name`` may have."""
        return f"Lists!${column}${self.input_rows[name] + self.bounds_row - FIRST_ROW}"


@cache
def planner_layout() -> Layout:
    """The layout of the planner's own sheet."""
    return make_layout(SHEET, CELLS, [*INPUTS.values(), *FACT_FIELDS.values()], check_sheet())


def make_layout(
    sheet: Sheet, cells: Mapping[str, Field], fields: Sequence[Field], checks: Sheet | None = None
) -> Layout:
    """The layout for ``sheet``, whose inputs are shown as ``fields``; a field of shares is a line for each hour.

    ``checks`` are conditions over its cells and rows.
    """
    layout = Layout(sheet, cells, plan_sheet(sheet, cells))
    if checks is not None:
        layout.checks = plan_sheet(checks, cells, known=layout.plans.ranges, sample=f"Inputs!{SAMPLE_CELL}").rows
    used = [constant for plan in [*layout.plans.rows, *layout.checks] for constant in plan.constants()]
    for constant in [*used, ROUND_DIGITS, CHECK_TOLERANCE, SHARES_TOLERANCE, GIB, MS_PER_S]:
        layout.constants.setdefault(constant.name, constant)
    _place_inputs(layout, fields)
    _place_lists(layout)
    _place_lines(layout)
    return layout


def _place_inputs(layout: Layout, fields: Sequence[Field]) -> None:
    row = FIRST_ROW
    group = ""
    for shown in [line for part in fields for line in _lines_of(part, layout.cells)]:
        heading = group_title(shown)
        if heading != group:
            group = heading
            layout.inputs.append(InputItem(row, group))
            row += 1
        layout.inputs.append(InputItem(row, shown.label, shown))
        layout.input_rows[shown.name] = row
        row += 1
    layout.inputs.append(InputItem(row, CONSTANTS))
    for constant in layout.constants.values():
        row += 1
        layout.inputs.append(InputItem(row, constant.label, constant=constant))
        layout.constant_rows[constant.name] = row


def _lines_of(shown: Field, cells: Mapping[str, Field]) -> Iterator[Field]:
    if shown.kind == "shares":
        yield from (cells[name] for name in HOUR_NAMES)
    else:
        yield shown


def group_title(shown: Field) -> str:
    """The heading under which a field stands."""
    if shown.name in FACT_FIELDS and "facts" not in shown.group:
        return f"{shown.group} factors"
    return shown.group


def _place_lists(layout: Layout) -> None:
    layout.lists["yes or no"] = ("yes", "no")
    for name, cell in layout.cells.items():
        if cell.kind == "choice":
            layout.lists[name] = cell.choices
    for plan in layout.plans.rows:
        if plan.row.words:
            layout.lists[plan.row.name] = plan.row.words
    row = FIRST_ROW
    for name, words in layout.lists.items():
        layout.list_rows[name] = row + 1
        row += 1 + len(words)
    layout.bounds_row = row + 1


class _Places:
    """Where the lines stand that a formula of one sheet, or of one block of it, may name."""

    def __init__(self, layout: Layout, rows: Mapping[str, int], constants: Mapping[str, int]) -> None:
        self.layout, self.rows, self.constants = layout, rows, constants

    def cell(self, key: str) -> str:
        """See formula.Places."""
        return f"{COLUMN}{self.rows[key]}"

    def span(self, keys: Sequence[str]) -> str:
        """See formula.Places."""
        rows = [self.rows[key] for key in keys]
        together = rows == list(range(rows[0], rows[0] + len(rows)))
        return f"{COLUMN}{rows[0]}:{COLUMN}{rows[-1]}" if together else ""

    def constant(self, constant: Constant) -> str:
        """See formula.Places."""
        return f"$D${self.constants[constant.name]}"

    def is_switch(self, key: str) -> bool:
        """See formula.Places."""
        return key in self.layout.cells and self.layout.cells[key].kind == "switch"

    def holds_word(self, key: str) -> bool:
        """See formula.Places."""
        return key.endswith(WORD_SUFFIX) or (key in self.layout.cells and self.layout.cells[key].kind == "choice")


def _place_lines(layout: Layout) -> None:
    """Model and Solver, section by section: what a section reads first, then its rows."""
    plans = layout.plans.rows
    model = _Block(layout, layout.model, layout.model_rows, FIRST_ROW)
    solver_row = FIRST_ROW
    start = 0
    while start < len(plans):
        end = start
        while end < len(plans) and plans[end].row.section == plans[start].row.section:
            end += 1
        section = plans[start:end]
        model.add("section", "", "", section[0].row.section)
        here = [plan for plan in section if not plan.solver]
        model.link_inputs({key for plan in here for key in plan.outside()})
        for constant in {c.name: c for plan in here for c in plan.constants()}.values():
            model.link_constant(constant)
        for plan in section:
            if plan.solver:
                solver_row = _place_solver(layout, plan, model, solver_row)
            else:
                model.add_lines(plan.lines, plan)
        start = end


def _place_solver(layout: Layout, plan: RowPlan, model: _Block, row: int) -> int:
    """The block of one row on the Solver sheet and the link to its result on Model; gives the next free row."""
    block = _Block(layout, layout.solver, {}, row, prefix=f"{plan.row.name}.")
    block.add("section", "", "", plan.row.label)
    outside = plan.outside()
    block.link_inputs(set(outside))
    for key in outside:
        if key not in layout.cells:
            source = f"=Model!{COLUMN}{layout.model_rows[key]}"
            block.add("link", key.replace(WORD_SUFFIX, ""), key, _label_of(layout, key), _unit_of(layout, key), source)
    for constant in plan.constants():
        block.link_constant(constant)
    lines = [line for line in plan.lines if line.role != "label"]
    block.add_lines(lines, plan)
    solved = lines[-1]
    source = f"=Solver!{COLUMN}{block.rows[solved.key]}"
    ref = f"{solved.key}.code" if plan.row.words else solved.key
    model.add("solved", ref, solved.key, solved.label, solved.unit, source, main=not plan.row.words)
    model.add_lines([line for line in plan.lines if line.role == "label"], plan)
    return block.next_row


class CheckPlaces(_Places):
    """Places for a formula on the Checks sheet: lines of its own, else cells of Model and Inputs."""

    def __init__(self, layout: Layout, own: Mapping[str, int]) -> None:
        super().__init__(layout, own, layout.constant_rows)

    def cell(self, key: str) -> str:
        """See formula.Places."""
        if key in self.rows:
            return super().cell(key)
        if key in self.layout.input_rows:
            return f"Inputs!{COLUMN}{self.layout.input_rows[key]}"
        return f"Model!{COLUMN}{self.layout.model_rows[key]}"

    def span(self, keys: Sequence[str]) -> str:  # noqa: ARG002
        """Lines of other sheets are named one by one."""
        return ""

    def constant(self, constant: Constant) -> str:
        """See formula.Places."""
        return self.layout.constant_cell(constant)


class _Block:
    """Items of one sheet that follow one another."""

    def __init__(self, layout: Layout, items: list[Item], rows: dict[str, int], first: int, prefix: str = "") -> None:
        self.layout, self.items, self.rows, self.next_row, self.prefix = layout, items, rows, first, prefix
        self.constants: dict[str, int] = {}
        self.places = _Places(layout, self.rows, self.constants)

    def add(
        self,
        role: Role,
        ref: str,
        key: str,
        label: str,
        unit: str = "",
        formula: str = "",
        constant: Constant | None = None,
        words: tuple[str, ...] = (),
        main: bool = False,
    ) -> None:
        """The next line."""
        if ref and not ref.startswith(self.prefix):
            ref = self.prefix + ref
        self.items.append(Item(self.next_row, role, ref, key, label, unit, formula, constant, words, main))
        if constant is not None:
            self.constants[constant.name] = self.next_row
        elif key:
            self.rows[key] = self.next_row
        self.next_row += 1

    def link_inputs(self, keys: set[str]) -> None:
        """Links to those of ``keys`` that are inputs and not linked above, in the order of the Inputs sheet."""
        for name, cell in self.layout.cells.items():
            if name in keys and name not in self.rows:
                source = f"Inputs!{COLUMN}{self.layout.input_rows[name]}"
                link = f'=IF(ISNUMBER({source}),{source},"")' if cell.optional else f"={source}"
                self.add("link", name, name, cell.label, shown_unit(cell), link)

    def link_constant(self, constant: Constant) -> None:
        """A link to ``constant``, unless there is one above."""
        if constant.name not in self.constants:
            source = f"={self.layout.constant_cell(constant)}"
            self.add("constant", constant.name, "", constant.label, constant.unit, source, constant)

    def add_lines(self, lines: Sequence[Line], plan: RowPlan) -> None:
        """The lines of a row, each with its formula."""
        for line in lines:
            if line.role == "label":
                text = self._word_formula(plan)
                self.add("label", plan.row.name, line.key, line.label, "word", text, words=line.words, main=True)
                continue
            is_code = line.key == plan.row.name and bool(plan.row.words)
            ref = f"{line.key}.code" if is_code else line.key
            role: Role = "detail" if line.role == "detail" else "row"
            self.add(role, ref, line.key, line.label, line.unit, "", main=role == "row")
            self.items[-1] = _with_formula(self.items[-1], formula(line, self.places))

    def _word_formula(self, plan: RowPlan) -> str:
        code = f"{COLUMN}{self.rows[plan.row.name]}"
        word = f"INDEX({self.layout.list_range(plan.row.name)},{code})"
        return f'=IF(ISNUMBER({code}),{word},"")' if self.layout.plans.blankable[plan.row.name] else f"={word}"


def _with_formula(item: Item, text: str) -> Item:
    return Item(item.row, item.role, item.ref, item.key, item.label, item.unit, text, None, item.words, item.main)


def _label_of(layout: Layout, key: str) -> str:
    return layout.sheet.rows[key.removesuffix(WORD_SUFFIX)].label


def _unit_of(layout: Layout, key: str) -> str:
    row = layout.sheet.rows[key.removesuffix(WORD_SUFFIX)]
    return "word" if key.endswith(WORD_SUFFIX) else unit_of_row(row.kind, row.unit)


def unit_of_row(kind: str, unit: str) -> str:
    """The unit shown for a row's number."""
    return "1 = yes" if kind == "flag" else "code" if kind == "word" else unit


def shown_unit(cell: Field) -> str:
    """The unit shown for an input: never empty."""
    if cell.kind == "switch":
        return "yes / no"
    if cell.kind in ("choice", "name"):
        return "word"
    if cell.unit:
        return cell.unit
    if is_share_field(cell):
        return "share"
    return "count" if cell.kind == "integer" else "number"


def is_share_field(cell: Field) -> bool:
    """Whether an input is a part of a whole, or a growth, which people write as a percentage."""
    return (
        cell.kind == "real"
        and not cell.unit
        and (
            (cell.low is not None and cell.low >= 0 and cell.high == 1)
            or "growth" in cell.name
            or "decline" in cell.name
        )
    )
