"""Evaluated scenarios as JSON documents, and as tables for people."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from planner.cli.output import Column, write_line, write_table
from planner.model.display import BLANK, display_of, show_result, show_value, with_currency
from planner.model.evaluation import Evaluated
from planner.model.explain import fact_origin
from planner.model.facts import FACT_FIELDS
from planner.model.fields import Field, FieldValue, printable
from planner.model.inputs import INPUTS
from planner.model.rows import SHEET
from planner.model.scenario import Result, Scenario
from planner.model.sheet import Row

if TYPE_CHECKING:
    from planner.model.bands import Band

Bands = Mapping[str, "Band"]
_LISTED = 6


def currency_of(scenario: Scenario) -> str:
    """The currency of the scenario's prices."""
    return str(scenario.values["currency"])


def inputs_document(scenario: Scenario) -> dict[str, FieldValue]:
    """Every input by name; a switch is true or false, the hourly profile a list."""
    return {name: scenario.values[name] for name in INPUTS}


def evaluated_document(evaluated: Evaluated, bands: Bands | None = None) -> dict[str, Any]:
    """Inputs, facts with their sources, and rows in their own units; a blank row says why."""
    currency = currency_of(evaluated.scenario)
    return {
        "scenario": evaluated.scenario.name,
        "inputs": inputs_document(evaluated.scenario),
        "facts": {
            name: {
                "value": fact.value,
                "unit": with_currency(FACT_FIELDS[name].unit, currency),
                "source": fact.source,
                "date": fact.date,
                "doubt": fact.doubt,
                "overridden": fact.overridden,
            }
            for name, fact in evaluated.facts.items()
        },
        "rows": {
            name: _row_document(row, evaluated.results[name], currency, bands) for name, row in SHEET.rows.items()
        },
        "remarks": evaluated.notes,
    }


def _row_document(row: Row, result: Result, currency: str, bands: Bands | None) -> dict[str, Any]:
    band = bands[row.name] if bands is not None else None
    document: dict[str, Any] = {
        "value": result.value,
        "unit": with_currency(row.unit, currency),
        "low": band.low if band is not None else None,
        "high": band.high if band is not None else None,
    }
    if result.value is None:
        document["reason"] = result.reason
    return document


def chosen_rows(*, everything: bool) -> list[Row]:
    """The rows to show: the chief ones, or all with the chief ones first."""
    key = [row for row in SHEET.rows.values() if row.key]
    return key + [row for row in SHEET.rows.values() if not row.key] if everything else key


def write_results(evaluated: Evaluated, *, everything: bool, bands: Bands | None = None, titled: bool = True) -> None:
    """The results as a table, blanks explained below it."""
    scenario, results = evaluated.scenario, evaluated.results
    columns = [Column("Result"), Column("Value", "right"), Column("Unit")]
    if bands is not None:
        columns += [Column("Low", "right"), Column("High", "right")]
    columns.append(Column("Name"))
    rows: list[list[str]] = []
    section = ""
    for row in chosen_rows(everything=everything):
        if everything and not row.key and row.section != section:
            section = row.section
            rows.append([f"{section}:", *[""] * (len(columns) - 1)])
        shown = [row.label, show_result(row, results[row.name]), unit_of(row, scenario)]
        if bands is not None:
            band = bands[row.name]
            shown += [show_value(row, band.low), show_value(row, band.high)]
        rows.append([*shown, row.name])
    write_table(columns, rows, title=scenario.name if titled else "", keep=2)
    write_reasons([(row, results[row.name]) for row in chosen_rows(everything=everything)])
    for note in evaluated.notes:
        write_line(f"Note: {note}")


def unit_of(row: Row, scenario: Scenario) -> str:
    """The unit that results of ``row`` are shown in, with the scenario's currency."""
    return with_currency(display_of(row).unit, currency_of(scenario))


def write_reasons(blanks: Iterable[tuple[Row, Result]], *, whose: str = "") -> None:
    """Why results are blank, one line a reason."""
    by_reason: dict[str, list[str]] = {}
    for row, result in blanks:
        if result.value is None:
            by_reason.setdefault(result.reason, []).append(row.label)
    if by_reason:
        write_line()
        write_line(f"{BLANK} is blank{f' in {whose}' if whose else ''}:")
    for reason, labels in by_reason.items():
        more = f" and {len(labels) - _LISTED} more" if len(labels) > _LISTED else ""
        write_line(f"  {reason}: {', '.join(labels[:_LISTED])}{more}")


def write_inputs(scenario: Scenario, *, everything: bool) -> None:
    """The inputs that differ from their defaults, or all of them."""
    names = [name for name, field in INPUTS.items() if everything or scenario.values[name] != field.default]
    if not names:
        write_line("Every input is at its default.")
        return
    rows = [
        [field.label, value_text(field, scenario.values[field.name]), field_unit(field, scenario), field.name]
        for field in (INPUTS[name] for name in names)
    ]
    write_table([Column("Input"), Column("Value", "right"), Column("Unit"), Column("Name")], rows, keep=2)


def field_unit(field: Field, scenario: Scenario) -> str:
    """The unit of an input or fact with the scenario's currency."""
    return with_currency(field.unit, currency_of(scenario))


def value_text(field: Field, value: FieldValue) -> str:
    """A value of an input or fact for people; a blank says what it stands for."""
    if value is None:
        return f"{BLANK} ({field.blank})" if field.blank else BLANK
    return printable(field.show(value))


def write_facts(evaluated: Evaluated, names: Sequence[str] | None = None) -> None:
    """Facts with where each comes from: all, or those called ``names``."""
    shown = [name for name in evaluated.facts if names is None or name in names]
    rows = [
        [field.label, value_text(field, fact.value), field_unit(field, evaluated.scenario), name, fact_origin(fact)]
        for name in shown
        for field, fact in [(FACT_FIELDS[name], evaluated.facts[name])]
    ]
    if rows:
        columns = [Column("Fact"), Column("Value", "right"), Column("Unit"), Column("Name"), Column("From", wraps=True)]
        write_table(columns, rows, keep=2)
