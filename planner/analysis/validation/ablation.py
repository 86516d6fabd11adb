"""The sheet with one term left out, to see what the term is worth.

A term is removed by the neutral value of a fact, or where no fact has one by a row that gives its neutral value.
Nothing is fitted anew, so a term that another one trades with shows its whole size.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cache

from planner.model.constants import SMALLEST
from planner.model.expression import Value, lift
from planner.model.fields import InputError, nearest
from planner.model.rows import SHEET
from planner.model.sheet import Sheet


@dataclass(frozen=True, slots=True)
class Term:
    """One term: its name, what stands in its place, and how it is removed.

    ``facts`` take their neutral values and ``rows`` give theirs. ``capped`` is whether the KV pool caps the batch,
    ``bunched`` whether the closed loop's prompts bunch; ``profile`` replaces the whole profile.
    """

    name: str
    title: str
    facts: Mapping[str, float] = field(default_factory=dict)
    rows: Mapping[str, float] = field(default_factory=dict)
    capped: bool = True
    bunched: bool = True
    profile: str = ""


_KINDS = dict.fromkeys(
    ("moe_layer_overhead_us", "mla_layer_overhead_us", "linear_layer_overhead_us", "sparse_layer_overhead_us"), 0.0
)
WHOLE = Term("", "every term")

TERMS: dict[str, Term] = {
    term.name: term
    for term in (
        Term("experts", "every expert read at any batch", rows={"expert_miss_share": SMALLEST}),
        Term("kv-reads", "no KV cache read", rows={"kv_read_bytes_per_sequence": 0.0}),
        Term(
            "layer-overhead",
            "no overhead per layer",
            facts={"layer_overhead_us": 0.0, "step_overhead_us": 0.0, **_KINDS},
        ),
        Term("layer-kinds", "one overhead for all kinds of layers", facts=_KINDS),
        Term("sequence-overhead", "no overhead per sequence", facts={"sequence_overhead_us": 0.0}),
        Term("interconnect", "no interconnect", facts={"link_is_ideal": 1.0}),
        Term("link-rate", "all-reduce latency without the link's rate", rows={"pass_link_s_per_token": 0.0}),
        Term("prefill-interference", "prompts take nothing from decoding", rows={"decode_prefill_work_s": 0.0}),
        Term("expert-prefill", "experts prefill as dense layers do", facts={"expert_prefill_efficiency": 1.0}),
        Term("kv-cap", "batch not capped by the KV pool", capped=False),
        Term(
            "engine-ttft",
            "no constants of the engine in TTFT",
            facts={"ttft_constant_ms": 0.0, "ttft_prefill_factor": 1.0, "first_steps": 0.0},
        ),
        Term("bunching", "prompts do not bunch", bunched=False),
        Term("profile", "the bare roofline", profile="ideal", bunched=False),
    )
}
"""Terms that can be left out, by name."""


def term_called(name: str) -> Term:
    """The term ``name``. Raises InputError that names the nearest ones."""
    found = TERMS.get(name)
    if found is None:
        close = nearest(name, TERMS)
        raise InputError(f"There is no term '{name}'{close or '; known: ' + ', '.join(TERMS)}.")
    return found


@cache
def sheet_without(name: str) -> Sheet:
    """The sheet in which the rows of the term ``name`` give their neutral values; the sheet itself without any."""
    rows = TERMS[name].rows if name else {}
    if not rows:
        return SHEET

    def constant(number: float) -> Value:
        return lift(number)

    replaced = [
        replace(row, function=lambda number=rows[row.name], **_: constant(number)) if row.name in rows else row
        for row in SHEET.rows.values()
    ]
    return Sheet(replaced, SHEET.inputs)
