"""A comparison as a JSON document and as a table: differing inputs, then results, each beside the baseline's."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from planner.analysis.verdict import Verdict, verdicts
from planner.cli.output import Column, write_line, write_table
from planner.cli.results import chosen_rows, field_unit, inputs_document, unit_of, value_text, write_reasons
from planner.model.bands import Band
from planner.model.display import percent_text, show_result, show_value, with_currency
from planner.model.evaluation import Evaluated
from planner.model.facts import FACT_FIELDS
from planner.model.fields import FieldValue
from planner.model.inputs import INPUTS
from planner.model.rows import SHEET
from planner.model.sheet import Row

_EQUAL = 1e-12
_MOST_VERDICTS = 12
"""Scenarios up to which each gets a line of its own."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """Evaluated scenarios, the place of the baseline among them, and why others could not be evaluated."""

    workspace: str
    scenarios: Sequence[Evaluated]
    baseline: int
    left_out: Mapping[str, str] = field(default_factory=dict)
    bands: Sequence[Mapping[str, Band]] | None = None
    """Low and high of every result by scenario, where they are asked for."""

    @property
    def base(self) -> Evaluated:
        """The scenario that the others are compared with."""
        return self.scenarios[self.baseline]

    def value(self, place: int, name: str) -> FieldValue:
        """An input's value, or a fact's, of the scenario at ``place``."""
        evaluated = self.scenarios[place]
        return evaluated.scenario.values[name] if name in INPUTS else evaluated.facts[name].value

    def differing(self, names: Sequence[str]) -> list[str]:
        """Those of the inputs or facts ``names`` that are not the same in all scenarios."""
        places = range(len(self.scenarios))
        return [name for name in names if any(self.value(place, name) != self.value(0, name) for place in places)]


def change(mine: object, base: object) -> float | None:
    """The difference of two numbers; None where one of them is none."""
    if isinstance(mine, bool) or isinstance(base, bool):
        return None
    if not isinstance(mine, (int, float)) or not isinstance(base, (int, float)):
        return None
    return 0.0 if math.isclose(mine, base, rel_tol=_EQUAL, abs_tol=0) else float(mine - base)


def relative(mine: object, base: object) -> float | None:
    """The difference as a share of the base; None where there is none."""
    difference = change(mine, base)
    if difference is None or not isinstance(base, (int, float)):
        return None
    return difference / abs(base) if base else (0.0 if difference == 0 else None)


def comparison_document(comparison: Comparison) -> dict[str, Any]:
    """Every row's values in the order of the scenarios, with absolute and relative differences to the baseline."""
    every = comparison.scenarios
    names = [evaluated.scenario.name for evaluated in every]
    rows: dict[str, Any] = {}
    for name, row in SHEET.rows.items():
        values = [evaluated.results[name].value for evaluated in every]
        base = values[comparison.baseline]
        rows[name] = {
            "unit": with_currency(row.unit, str(comparison.base.scenario.values["currency"])),
            "better": row.better,
            "values": values,
            "differences": [change(value, base) for value in values],
            "relative": [relative(value, base) for value in values],
            "reasons": [evaluated.results[name].reason for evaluated in every],
        }
        if comparison.bands is not None:
            rows[name] |= {end: [getattr(band[name], end) for band in comparison.bands] for end in ("low", "high")}
    places = range(len(every))
    return {
        "workspace": comparison.workspace,
        "scenarios": names,
        "baseline": names[comparison.baseline],
        "inputs": [inputs_document(evaluated.scenario) for evaluated in every],
        "differing_inputs": {
            name: [comparison.value(place, name) for place in places] for name in comparison.differing(list(INPUTS))
        },
        "rows": rows,
        "verdicts": [_verdict_document(one) for one in verdicts(every)],
        "left_out": dict(comparison.left_out),
    }


def _verdict_document(verdict: Verdict) -> dict[str, Any]:
    return {
        "answer": verdict.answer,
        "row": verdict.row or None,
        "cost": verdict.cost,
        "above_cheapest": verdict.above,
        "reason": verdict.why or None,
    }


def write_comparison(comparison: Comparison, *, everything: bool) -> None:
    """The comparison as tables, blanks explained below."""
    every, places = comparison.scenarios, range(len(comparison.scenarios))
    heads = [
        evaluated.scenario.name + (" (baseline)" if place == comparison.baseline and len(every) > 1 else "")
        for place, evaluated in enumerate(every)
    ]
    columns = [Column(""), Column("Unit"), *(Column(head, "right") for head in heads)]
    overridden = {name for evaluated in every for name, fact in evaluated.facts.items() if fact.overridden}
    names = comparison.differing([*INPUTS, *(name for name in FACT_FIELDS if name in overridden)])
    lines = [
        [
            one.label,
            field_unit(one, comparison.base.scenario),
            *(value_text(one, comparison.value(p, name)) for p in places),
        ]
        for name in names
        for one in [INPUTS.get(name) or FACT_FIELDS[name]]
    ]
    if lines:
        write_table(columns, lines, title=f"{comparison.workspace}: inputs that differ", keep=2)
        write_line()
    rows = chosen_rows(everything=everything)
    lines = [
        [row.label, unit_of(row, comparison.base.scenario), *(_cell(comparison, place, row) for place in places)]
        for row in rows
    ]
    write_table(columns, lines, title=f"{comparison.workspace}: results", keep=2)
    for evaluated in every:
        write_reasons([(row, evaluated.results[row.name]) for row in rows], whose=evaluated.scenario.name)
    for name, sentence in comparison.left_out.items():
        write_line(f"Left out: {sentence}" if sentence.startswith(name) else f"Left out: {name}: {sentence}")
    _write_verdicts(comparison)


def _write_verdicts(comparison: Comparison) -> None:
    """Which scenario is cheapest of those that meet their targets, and what is to be said of the others."""
    found = verdicts(comparison.scenarios)
    names = [evaluated.scenario.name for evaluated in comparison.scenarios]
    write_line()
    if len(found) > _MOST_VERDICTS:
        counted = Counter(verdict.answer for verdict in found)
        write_line(f"Verdict on {len(found)}: {', '.join(f'{count} {answer}' for answer, count in counted.items())}.")
    else:
        write_line("Verdict:")
    for name, verdict in zip(names, found, strict=True):
        if verdict.answer == "cheapest" or len(found) <= _MOST_VERDICTS:
            write_line(f"  {name}: {verdict.sentence}")


def _cell(comparison: Comparison, place: int, row: Row) -> str:
    """A result, with its low and high behind it where asked for, else its relative difference to the baseline."""
    result = comparison.scenarios[place].results[row.name]
    text = show_result(row, result)
    if comparison.bands is not None:
        band = comparison.bands[place][row.name]
        same = band.low == band.high
        return text if same else f"{text} ({show_value(row, band.low)} to {show_value(row, band.high)})"
    share = relative(result.value, comparison.base.results[row.name].value)
    return f"{text} ({percent_text(share)})" if share else text
