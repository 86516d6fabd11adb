"""The whole comparison: measurements cleaned, mapped, predicted, and reported."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from catalog.book import Catalog
from catalog.measurements import remarks, shipped_measurements
from planner.analysis.validation.ablation import WHOLE, Term
from planner.analysis.validation.cleaning import with_remarks, without_repeats
from planner.analysis.validation.predicting import Prediction, Predictor
from planner.analysis.validation.reading import LeftOut, Table
from planner.analysis.validation.report import Report, by_metric, grouped, reasons
from planner.analysis.validation.scenarios import PROFILE, Mapped, Mapper, NoScenarioError

Progress = Callable[[int, int], None]
"""Told how many of how many are done."""


def _silent(_done: int, _whole: int) -> None:
    return None


def shipped_table() -> Table:
    """The measurements that come with the catalogue, as a table."""
    measurements = shipped_measurements()
    return Table(measurements, [], sum(one.rows for one in measurements))


@dataclass(frozen=True, slots=True)
class Prepared:
    """Measurements with their scenarios, and what was left out before any was evaluated."""

    mapped: Sequence[Mapped]
    left_out: Sequence[LeftOut]
    rows: int


def prepare(table: Table, catalog: Catalog, profile: str = PROFILE) -> Prepared:
    """Cleans ``table`` and maps what remains to scenarios."""
    kept, repeats = without_repeats(table.measurements)
    kept, aside = with_remarks(kept, remarks())
    left_out = [*table.left_out, *repeats, *aside]
    mapper = Mapper(catalog, profile)
    mapped: list[Mapped] = []
    for measured in kept:
        try:
            mapped.append(mapper.scenario(measured))
        except NoScenarioError as error:
            left_out.append(LeftOut(measured.where, str(error), measured.rows))
    return Prepared(mapped, left_out, table.rows)


def validate(prepared: Prepared, catalog: Catalog, term: Term = WHOLE, progress: Progress = _silent) -> Report:
    """Predicts every prepared measurement, without ``term`` where one is given, and reports the errors."""
    predictor = Predictor(catalog, term)
    predictions: list[Prediction] = []
    left_out = list(prepared.left_out)
    for done, mapped in enumerate(prepared.mapped, start=1):
        found = predictor.predict(mapped)
        if isinstance(found, LeftOut):
            left_out.append(found)
        else:
            predictions.append(found)
        progress(done, len(prepared.mapped))
    return Report(
        term=term,
        rows=prepared.rows,
        predicted_rows=sum(one.mapped.measured.rows for one in predictions),
        overall=by_metric(predictions),
        groups=grouped(predictions),
        left_out=reasons(left_out),
        predictions=tuple(predictions),
    )
