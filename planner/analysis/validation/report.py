"""How far predictions are off: medians, 90th percentiles and bias, overall and by group, and what was left out."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from planner.analysis.validation.ablation import Term
from planner.analysis.validation.predicting import METRICS, Prediction
from planner.analysis.validation.reading import LeftOut

EXAMPLES = 3


@dataclass(frozen=True, slots=True)
class Errors:
    """Errors of one metric over ``n`` measurements, as shares of the measured value.

    ``median_abs_error`` and ``p90_abs_error`` are of |predicted/measured - 1|, ``bias`` is the median of
    predicted/measured - 1: above 0 the prediction is too high.
    """

    n: int
    median_abs_error: float
    p90_abs_error: float
    bias: float


def errors_of(shares: Iterable[float]) -> Errors | None:
    """The errors of ``shares`` = predicted/measured - 1; None where there are none."""
    ordered = sorted(shares)
    if not ordered:
        return None
    sizes = sorted(map(abs, ordered))
    return Errors(len(ordered), quantile(sizes, 0.5), quantile(sizes, 0.9), quantile(ordered, 0.5))


def quantile(ordered: Sequence[float], share: float) -> float:
    """The ``share`` quantile of sorted numbers, between neighbors in a straight line."""
    place = share * (len(ordered) - 1)
    low = math.floor(place)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (ordered[high] - ordered[low]) * (place - low)


@dataclass(frozen=True, slots=True)
class Group:
    """Errors of one model on one device with one engine."""

    model: str
    accelerator: str
    engine: str
    errors: Mapping[str, Errors]


@dataclass(frozen=True, slots=True)
class Reason:
    """Why some rows were not predicted: how many, and where a few of them stand."""

    reason: str
    rows: int
    examples: tuple[str, ...]


def by_metric(predictions: Iterable[Prediction]) -> dict[str, Errors]:
    """Errors of every metric that was measured, in the order of METRICS."""
    listed = list(predictions)
    found = {name: errors_of(one.error(name) for one in listed if name in one.pairs) for name in METRICS}
    return {name: errors for name, errors in found.items() if errors is not None}


@dataclass(frozen=True, slots=True)
class Report:
    """Predicted against measured: every prediction, and every row left out with its reason."""

    term: Term
    rows: int
    predictions: tuple[Prediction, ...]
    not_predicted: tuple[LeftOut, ...]

    @property
    def predicted_rows(self) -> int:
        """Rows of the tables that the predictions stand for."""
        return sum(one.mapped.measured.rows for one in self.predictions)

    def overall(self) -> dict[str, Errors]:
        """Errors by metric over all predictions."""
        return by_metric(self.predictions)

    def groups(self) -> tuple[Group, ...]:
        """Errors by model, device and engine, the largest groups first."""
        members: dict[tuple[str, str, str], list[Prediction]] = {}
        for one in self.predictions:
            members.setdefault(one.mapped.group, []).append(one)
        largest = sorted(members.items(), key=lambda item: (-len(item[1]), item[0]))
        return tuple(Group(*labels, by_metric(ones)) for labels, ones in largest)

    def left_out(self) -> tuple[Reason, ...]:
        """Why rows were left out, the most frequent reason first."""
        found: dict[str, list[LeftOut]] = {}
        for one in self.not_predicted:
            found.setdefault(one.reason, []).append(one)
        listed = [
            Reason(reason, sum(one.rows for one in ones), tuple(one.where for one in ones[:EXAMPLES]))
            for reason, ones in found.items()
        ]
        return tuple(sorted(listed, key=lambda one: -one.rows))
