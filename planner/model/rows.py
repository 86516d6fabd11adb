"""The planner's sheet: every cell it reads and every row it computes, in order."""

from __future__ import annotations

from types import ModuleType

from planner.model import (
    api_bill,
    batching,
    break_even,
    closed_loop,
    cost,
    decode,
    energy,
    estimates,
    fit,
    fleet,
    interconnect,
    latency,
    memory,
    mixing,
    operating,
    prefill,
    reads,
    software,
    speculative,
    traffic,
    ttft,
)
from planner.model.facts import FACT_FIELDS
from planner.model.fields import HOURS, Field
from planner.model.inputs import INPUTS, TRAFFIC
from planner.model.sheet import Sheet, rows_of

HOUR_NAMES = tuple(f"hour_share_{hour:02d}" for hour in range(HOURS))

_HOUR_FIELDS = [
    Field(
        name=name, label=f"Share of hour {name[-2:]}", group=TRAFFIC, kind="real", low=0, high=1, optional=True,
        blank="flat", help="Share of the day's requests that arrive in this hour.",
    )
    for name in HOUR_NAMES
]  # fmt: skip

CELLS: dict[str, Field] = {
    field.name: field
    for field in [
        *(f for f in INPUTS.values() if f.kind not in ("name", "shares")),
        *_HOUR_FIELDS,
        *FACT_FIELDS.values(),
    ]
}
"""The cells the sheet reads: inputs that are numbers, choices or switches, the hours' shares, and the facts."""

SECTIONS: tuple[ModuleType, ...] = (
    traffic,
    memory,
    fit,
    interconnect,
    reads,
    decode,
    software,
    prefill,
    batching,
    mixing,
    ttft,
    fleet,
    operating,
    latency,
    estimates,
    speculative,
    closed_loop,
    energy,
    cost,
    api_bill,
    break_even,
)

SHEET = Sheet(
    [row for module in SECTIONS for row in rows_of(module)],
    {name: field.optional for name, field in CELLS.items()},
)
