"""Predictions of the sheet for measured runs and pools, and the closed loop that a benchmark adds.

A benchmark keeps C requests in flight. The sheet gives the step, TPOT, TTFT and throughput at the batch
B = min(C, sequences that fit); two terms belong to the closed loop alone and not to open arrivals: prompts bunch
(burst x prefill work x (B - 1) / 2 on top of TTFT), and what is above the KV pool waits for its turn.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from catalog.book import PROFILE as PROFILES
from catalog.book import Catalog
from catalog.measurements import Pool, Run
from catalog.resolve import resolve
from planner.analysis.validation.ablation import WHOLE, Term, sheet_without
from planner.analysis.validation.reading import LeftOut
from planner.analysis.validation.scenarios import Mapped
from planner.model.compiler import compiled
from planner.model.evaluation import encode_all, number
from planner.model.fields import FieldValue, InputError
from planner.model.rows import CELLS
from planner.model.scenario import Fact

METRICS = ("tpot", "throughput", "ttft", "kv_capacity")
OUTPUTS = (
    "tpot_s", "ttft_s", "tokens_per_second_per_replica", "prefill_work_s", "sequences_that_fit", "kv_pool_tokens",
    "kv_pool_bytes_per_device", "bound_step_time_s", "bound_prefill_s",
)  # fmt: skip
"""Rows that a prediction reads."""
VARYING = ("prompt_tokens", "output_tokens", "batch", "max_batch")
"""Inputs that no fact depends on, so that scenarios which differ only in them are looked up once."""

_PLACE = {name: place for place, name in enumerate(CELLS)}


@dataclass(frozen=True, slots=True)
class Prediction:
    """Predicted and measured values of one measurement by metric, in s, tokens/s, and bytes or tokens."""

    mapped: Mapped
    pairs: Mapping[str, tuple[float, float]]
    batch: float | None = None

    def error(self, metric: str) -> float:
        """Predicted over measured, less 1. Raises KeyError where the metric was not measured."""
        predicted, measured = self.pairs[metric]
        return predicted / measured - 1


@dataclass(frozen=True, slots=True)
class _Base:
    """Facts of a configuration and its encoded cells."""

    facts: Mapping[str, Fact]
    cells: Sequence[float]


@cache
def _computed(without: str) -> Callable[[Sequence[float]], tuple[float, ...]]:
    """OUTPUTS from the encoded cells, by the sheet without the rows of a term."""
    return compiled(sheet_without(without), OUTPUTS, careful=True)


class Predictor:
    """Evaluates scenarios of measurements, perhaps without one ``term``.

    With every term, a run that beats the roofline at efficiency 1 is left out as mislabelled; without one the roofline
    is another and says nothing of labels.
    """

    def __init__(self, catalog: Catalog, term: Term = WHOLE) -> None:
        self.catalog = catalog
        self.term = term
        self._bases: dict[tuple[Any, ...], _Base] = {}
        self._compute = _computed(term.name if term.rows else "")

    def predict(self, mapped: Mapped) -> Prediction | LeftOut:
        """What the sheet says of one measurement, or why it says nothing."""
        measured = mapped.measured
        try:
            base = self._base(mapped)
        except InputError as error:
            return LeftOut(measured.where, str(error), measured.rows)
        answer = self._run(measured, mapped, base) if isinstance(measured, Run) else self._pool(measured, mapped, base)
        return LeftOut(measured.where, answer, measured.rows) if isinstance(answer, str) else answer

    def _base(self, mapped: Mapped) -> _Base:
        key = (
            *(value for name, value in mapped.values.items() if name not in VARYING),
            *mapped.overrides.items(),
        )
        base = self._bases.get(key)
        if base is None:
            values = dict(mapped.values)
            if self.term.profile:
                values["efficiency_profile"] = self.term.profile
            facts = resolve(values, self.catalog, {**mapped.overrides, **self.term.facts}).facts
            base = self._bases[key] = _Base(facts, encode_all(values, facts))
        return base

    def _evaluate(self, base: _Base, values: Mapping[str, FieldValue]) -> dict[str, float]:
        cells = list(base.cells)
        for name, value in values.items():
            cells[_PLACE[name]] = number(value)
        return dict(zip(OUTPUTS, self._compute(cells), strict=True))

    def _run(self, run: Run, mapped: Mapped, base: _Base) -> Prediction | str:
        inputs = {name: mapped.values[name] for name in VARYING}
        rows = self._evaluate(base, inputs)
        fits = rows["sequences_that_fit"]
        if fits < 1:
            return "by the sheet not even one sequence fits the KV pool"
        batch = run.concurrency if not self.term.capped or math.isnan(fits) else min(run.concurrency, fits)
        if batch < run.concurrency:
            rows = self._evaluate(base, {**inputs, "batch": batch})
        doubt = "" if self.term.name else _beats_bound(run, rows)
        if doubt:
            return doubt
        predicted = self._closed_loop(run, mapped, rows, batch)
        measured = {"tpot": run.tpot_s, "throughput": run.output_tokens_per_second, "ttft": run.ttft_s}
        pairs = {
            name: (predicted[name], value)
            for name, value in measured.items()
            if value is not None and math.isfinite(predicted[name])
        }
        return Prediction(mapped, pairs, batch) if pairs else "the sheet leaves TPOT and TTFT blank"

    def _closed_loop(self, run: Run, mapped: Mapped, rows: Mapping[str, float], batch: float) -> dict[str, float]:
        """TPOT, throughput and TTFT of a run that keeps ``run.concurrency`` requests in flight."""
        tokens = number(mapped.values["output_tokens"])
        burst = self._burst(mapped) * rows["prefill_work_s"] * (batch - 1) / 2
        ttft = rows["ttft_s"] + burst
        waiting = run.concurrency / batch - 1
        return {
            "tpot": rows["tpot_s"],
            "throughput": rows["tokens_per_second_per_replica"],
            "ttft": ttft + waiting * (tokens * rows["tpot_s"] + ttft),
        }

    def _burst(self, mapped: Mapped) -> float:
        if not self.term.bunched:
            return 0.0
        profile = self.catalog.find(PROFILES, str(mapped.values["efficiency_profile"])).entry
        return profile.closed_loop_burst.get(str(mapped.values["engine"]), 0.0)

    def _pool(self, pool: Pool, mapped: Mapped, base: _Base) -> Prediction | str:
        rows = self._evaluate(base, {})
        if pool.pool_bytes is not None:
            pair = rows["kv_pool_bytes_per_device"], pool.pool_bytes
        else:
            other = {name: base.facts[name].value or 0 for name in ("window_layers", "linear_layers")}
            if any(other.values()) or pool.pool_tokens is None:
                return "tokens of a pool with windows or states depend on the engine's accounting"
            pair = rows["kv_pool_tokens"], pool.pool_tokens
        if pair[0] <= 0:
            return "by the sheet the weights leave no memory for a KV pool"
        return Prediction(mapped, {"kv_capacity": pair})


def _beats_bound(run: Run, rows: Mapping[str, float]) -> str:
    """Why a run cannot be what its labels say: it beats the roofline at efficiency 1; empty where it does not."""
    if run.tpot_s is not None and run.tpot_s < rows["bound_step_time_s"]:
        return "mislabelled: its TPOT beats the roofline at efficiency 1"
    if run.ttft_s is not None and run.ttft_s < rows["bound_prefill_s"]:
        return "mislabelled: its TTFT beats the roofline at efficiency 1"
    return ""
