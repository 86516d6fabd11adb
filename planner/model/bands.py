"""Low, mid and high of every result: the sheet at the ends of the efficiency profile's band."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from planner.model.evaluation import Evaluated, Results
from planner.model.rows import CELLS, SHEET

_POSITION = {name: position for position, name in enumerate(CELLS)}


@dataclass(frozen=True, slots=True)
class Band:
    """The ends of one result's band in the row's unit; None where that end is blank or the row is a word.

    The result itself lies between them: where fewer or more replicas at an end turn it round, it is an end itself.
    """

    low: float | None
    high: float | None


def band_of(evaluated: Evaluated) -> Mapping[str, Band]:
    """The band of every row.

    TPOT's band scales the software factor and with it prefill; TTFT's own band is wider, so the TTFT factor takes
    what is left of it. An end that would beat the roofline is held at it by the sheet.
    """
    results = evaluated.results
    ends = [
        _scaled(results, results.cell(f"tpot_band_{end}"), results.cell(f"ttft_band_{end}")) for end in ("low", "high")
    ]
    bands: dict[str, Band] = {}
    for name, row in SHEET.rows.items():
        numbers = [end.number(name) for end in ends]
        if row.kind != "number" or any(math.isnan(number) for number in numbers):
            known = [None if row.kind != "number" or math.isnan(number) else number for number in numbers]
            bands[name] = Band(*known)
        else:
            middle = results.number(name)
            numbers += [] if math.isnan(middle) else [middle]
            bands[name] = Band(min(numbers), max(numbers))
    return bands


def _scaled(results: Results, tpot: float, ttft: float) -> Results:
    cells = list(results.cells)
    cells[_POSITION["software_factor"]] *= tpot
    cells[_POSITION["ttft_factor"]] *= ttft / tpot
    return Results(cells)
