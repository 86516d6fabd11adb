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
from planner.analysis.validation.report import Report
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


def validate(prepared: Prepared, catalog: Catalog, progress: Progress = _silent) -> Report:
    """Predicts every prepared measurement with the whole sheet and reports the errors."""
    return _compare(prepared.mapped, prepared.left_out, prepared.rows, catalog, WHOLE, progress)


def without(whole: Report, catalog: Catalog, term: Term, progress: Progress = _silent) -> Report:
    """Predicts without ``term`` what ``whole`` predicts with it: the same measurements, so that errors compare."""
    mapped = [one.mapped for one in whole.predictions]
    return _compare(mapped, whole.not_predicted, whole.rows, catalog, term, progress)


def _compare(
    mapped: Sequence[Mapped], left_out: Sequence[LeftOut], rows: int, catalog: Catalog, term: Term, progress: Progress
) -> Report:
    predictor = Predictor(catalog, term)
    predictions: list[Prediction] = []
    not_predicted = list(left_out)
    for done, one in enumerate(mapped, start=1):
        found = predictor.predict(one)
        if isinstance(found, LeftOut):
            not_predicted.append(found)
        else:
            predictions.append(found)
        progress(done, len(mapped))
    return Report(term, rows, tuple(predictions), tuple(not_predicted))
