"""What is known while a workbook is written: the scenarios, every line's numbers, and where things are."""

from __future__ import annotations

import math
from array import array
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from openpyxl.workbook import Workbook

from exports.files import INTERNAL, ExportError
from exports.workbook.formats import NumberFormat, number_format
from exports.workbook.layout import Layout
from exports.workbook.numbers import line_number
from exports.workbook.page import Page
from exports.workbook.stored import Stored, StoredValues
from exports.workbook.styles import Styles
from exports.workbook.tree import WORD_SUFFIX
from planner.model.evaluation import Evaluated
from planner.model.fields import Field, FieldValue
from planner.model.rows import HOUR_NAMES
from planner.model.sheet import Row

_EQUAL_WITHIN = 1e-12


@dataclass(frozen=True, slots=True)
class Provenance:
    """Where a workbook comes from; all of it is shown on About and kept in the file's properties."""

    workspace: str = ""
    program_version: str = ""
    model_version: str = ""
    catalogue_version: str = ""
    exported_by: str = ""
    revision: str = ""

    def as_mapping(self) -> dict[str, str]:
        """The provenance as labels and texts, empty ones left out."""
        labels = {
            "Workspace": self.workspace,
            "Revision": self.revision,
            "Exported by": self.exported_by,
            "Program version": self.program_version,
            "Model version": self.model_version,
            "Catalogue version": self.catalogue_version,
        }
        return {label: text for label, text in labels.items() if text}


@dataclass(frozen=True, slots=True)
class ShownLine:
    """A line of the Comparison sheet: its row, what it is called, and how it looks there."""

    at: int
    label: str
    unit: str
    values: Sequence[Stored]
    shown: NumberFormat


@dataclass(slots=True)
class Book:
    """One export under way."""

    scenarios: Sequence[Evaluated]
    ids: Sequence[str]
    baseline: int
    title: str
    moment: datetime
    provenance: Provenance
    layout: Layout
    workbook: Workbook
    styles: Styles
    stored: StoredValues
    numbers: dict[str, Sequence[float]] = field(default_factory=dict)
    pages: dict[str, Page] = field(default_factory=dict)
    master: float = 1.0
    ends: dict[tuple[str, str], tuple[int, Sequence[float]]] = field(default_factory=dict)
    """Low and high as exported, by result and end: the row of the Checks sheet and the numbers."""
    compared: dict[str, ShownLine] = field(default_factory=dict)
    """Key results and the verdict's lines on the Comparison sheet, by row or ref."""
    unchanged: str = ""
    """The rows of the Checks sheet that say whether key results are as exported, as first:last."""

    @property
    def names(self) -> list[str]:
        """The scenarios' names."""
        return [evaluated.scenario.name for evaluated in self.scenarios]

    @property
    def currency(self) -> str:
        """The currency of the baseline's prices."""
        return str(self.scenarios[self.baseline].scenario.values["currency"])

    @property
    def header_text(self) -> str:
        """What stands at the top of every printed page."""
        return f"Exported {self.moment:%Y-%m-%d %H:%M} UTC"

    def page(self, title: str) -> Page:
        """A new sheet."""
        found = self.pages[title] = Page(self.workbook, self.styles, self.stored, title, len(self.scenarios))
        return found

    def number_format(self, unit: str, values: Sequence[float]) -> NumberFormat:
        """The format for a line."""
        return number_format(unit, values, self.currency)

    def unit(self, unit: str) -> str:
        """A unit with the currency in place of the dollar sign."""
        return unit if self.currency in ("USD", "$") else unit.replace("$", self.currency)

    def value(self, name: str, evaluated: Evaluated) -> FieldValue:
        """The value of an input, an hour's share or a fact as the scenario holds it."""
        if name in HOUR_NAMES:
            shares = evaluated.scenario.values["hourly_profile"]
            return shares[HOUR_NAMES.index(name)] if isinstance(shares, tuple) else None
        fact = evaluated.facts.get(name)
        return fact.value if fact is not None else evaluated.scenario.values.get(name)

    def words(self, row: Row) -> list[Stored]:
        """The words of a word row, one a scenario."""
        return ["" if math.isnan(code) else row.words[int(code) - 1] for code in self.numbers[row.name]]

    def cell_words(self, cell: Field) -> list[Stored]:
        """The words of a choice or a switch, one a scenario."""
        if cell.kind == "switch":
            return ["yes" if code == 1 else "no" for code in self.numbers[cell.name]]
        return [cell.choices[int(code) - 1] for code in self.numbers[cell.name]]


def compute(
    layout: Layout, scenarios: Sequence[Evaluated], progress: Callable[[float], None]
) -> dict[str, Sequence[float]]:
    """The numbers of every line, a row's own being the planner's; ``progress`` is told the share that is done.

    Raises ExportError when the lines do not give what the planner computed: the file would contradict it.
    """
    found: dict[str, array[float]] = {name: array("d") for name in layout.cells}
    for plan in layout.plans.rows:
        found |= {line.key: array("d") for line in plan.lines}
    for position, evaluated in enumerate(scenarios):
        progress(position / len(scenarios))
        numbers: dict[str, float] = dict(zip(layout.cells, evaluated.results.cells, strict=True))
        for plan in layout.plans.rows:
            name = plan.row.name
            for line in plan.lines:
                numbers[line.key] = line_number(line, numbers) if line.role != "label" else numbers[name]
            computed, result = numbers[name], evaluated.results.number(name)
            if not _same(computed, result):
                raise ExportError(
                    f"The formulas for {plan.row.label} ({name}) in scenario '{evaluated.scenario.name}' give "
                    f"{computed!r} where the planner computed {result!r}; the workbook was not written.",
                    INTERNAL,
                )
            numbers[name] = result
            if plan.row.kind == "word":
                numbers[name + WORD_SUFFIX] = result
        for key, values in found.items():
            values.append(numbers[key])
    return dict(found)


def _same(computed: float, result: float) -> bool:
    if math.isnan(computed) or math.isnan(result):
        return math.isnan(computed) and math.isnan(result)
    return math.isclose(computed, result, rel_tol=_EQUAL_WITHIN, abs_tol=0.0)
