"""The straight line of latency: what a fit of latency over the answer's length recovers."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from planner.model.fields import InputError


@dataclass(frozen=True, slots=True)
class Line:
    """y = intercept + slope x: over an answer's tokens the slope is TPOT and the intercept TTFT."""

    slope: float
    intercept: float

    def at(self, x: float) -> float:
        """y at ``x``."""
        return self.intercept + self.slope * x


def fit_line(points: Iterable[tuple[float, float]]) -> Line:
    """Ordinary least squares of y over x through ``points`` (x, y), each in its own unit.

    Raises InputError when a coordinate is not finite or fewer than two different x are given.
    """
    pairs = [(float(x), float(y)) for x, y in points]
    if not all(math.isfinite(x) and math.isfinite(y) for x, y in pairs):
        raise InputError("A line needs points with finite coordinates.")
    if len({x for x, _ in pairs}) < 2:
        raise InputError(f"A line needs points at two or more different x, not {len({x for x, _ in pairs})}.")
    mean_x = math.fsum(x for x, _ in pairs) / len(pairs)
    mean_y = math.fsum(y for _, y in pairs) / len(pairs)
    spread = math.fsum((x - mean_x) ** 2 for x, _ in pairs)
    slope = math.fsum((x - mean_x) * (y - mean_y) for x, y in pairs) / spread
    return Line(slope, mean_y - slope * mean_x)
