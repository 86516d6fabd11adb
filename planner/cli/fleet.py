"""Several scenarios as one fleet: what adds up, as a JSON document and as a table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from planner.analysis.fleet_total import fleet_total
from planner.cli.output import Column, write_line, write_table
from planner.cli.results import currency_of, unit_of
from planner.model.display import show_result, show_value, with_currency
from planner.model.evaluation import Evaluated
from planner.model.rows import SHEET


def fleet_document(members: Sequence[Evaluated]) -> dict[str, Any]:
    """The members' values and the totals; a total that is null names the scenarios that stand in its way."""
    currency = currency_of(members[0].scenario) if members else "USD"
    return {
        "scenarios": [one.scenario.name for one in members],
        "rows": {
            name: {
                "unit": with_currency(SHEET.rows[name].unit, currency),
                "values": [one.results[name].value for one in members],
                "total": total.value,
                "missing": total.missing,
            }
            for name, total in fleet_total(members).items()
        },
    }


def write_fleet(members: Sequence[Evaluated]) -> None:
    """The members side by side with the totals."""
    if not members:
        write_line("No scenario of this workspace is part of the fleet: `planner fleet --add SCENARIO` adds one.")
        return
    first = members[0].scenario
    totals = fleet_total(members)
    columns = [Column(""), Column("Unit"), Column("Fleet", "right")]
    columns += [Column(one.scenario.name, "right") for one in members]
    lines = [
        [row.label, unit_of(row, first), show_value(row, totals[row.name].value)]
        + [show_result(row, one.results[row.name]) for one in members]
        for row in (SHEET.rows[name] for name in totals)
    ]
    write_table(columns, lines, keep=3)
    for name, total in totals.items():
        if total.missing:
            write_line(
                f"{SHEET.rows[name].label} has no total: blank or in another currency in {', '.join(total.missing)}"
            )
