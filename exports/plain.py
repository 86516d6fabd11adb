"""What the text exports share: every value as plain data, in the order of the sheet."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from exports.files import BAD_DATA, ExportError
from planner.model.evaluation import Evaluated
from planner.model.facts import FACT_FIELDS
from planner.model.fields import FieldValue
from planner.model.inputs import INPUTS
from planner.model.rows import SHEET

LineKind = Literal["input", "fact", "result"]
Plain = float | int | str | bool | list[float] | None


@dataclass(frozen=True, slots=True)
class PlainLine:
    """One quantity with its value in every scenario."""

    kind: LineKind
    section: str
    name: str
    label: str
    unit: str
    values: tuple[Plain, ...]


def plain(value: FieldValue) -> Plain:
    """``value`` as plain data: shares as a list."""
    return list(value) if isinstance(value, tuple) else value


def lines(scenarios: Sequence[Evaluated]) -> Iterator[PlainLine]:
    """Inputs, facts and results of ``scenarios``; a blank is None."""
    for cell in INPUTS.values():
        values = tuple(plain(evaluated.scenario.values.get(cell.name)) for evaluated in scenarios)
        yield PlainLine("input", cell.group, cell.name, cell.label, cell.unit, values)
    for cell in FACT_FIELDS.values():
        facts = [evaluated.facts.get(cell.name) for evaluated in scenarios]
        yield PlainLine(
            "fact", cell.group, cell.name, cell.label, cell.unit, tuple(fact.value if fact else None for fact in facts)
        )
    for row in SHEET.rows.values():
        results = tuple(evaluated.results[row.name].value for evaluated in scenarios)
        yield PlainLine("result", row.section, row.name, row.label, row.unit, results)


def check_scenarios(scenarios: Sequence[Evaluated], baseline: int) -> None:
    """Raises ExportError when there is nothing to export or the baseline is none of the scenarios."""
    if not scenarios:
        raise ExportError("There is no scenario to export.", BAD_DATA)
    if not 0 <= baseline < len(scenarios):
        raise ExportError(f"The baseline must be one of the {len(scenarios)} scenarios.", BAD_DATA)
