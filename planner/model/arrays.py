"""NumPy's part of the generated source."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

# What the generated code makes a blank with: one object, so that a row that is blank at every point is known by it.
BLANK = math.nan


def _argmax(*values: Any) -> Any:
    position: Any
    largest, position = values[0], np.float64(1)
    for number, value in enumerate(values[1:], start=2):
        position = np.where(value > largest, float(number), position)
        largest = np.maximum(largest, value)
    return position


def _filled(values: Any, substitute: Any) -> Any:
    return substitute if values is BLANK else np.where(values == values, values, substitute)  # noqa: PLR0124


def _masked(known: Any, values: Any) -> Any:
    return values if values is BLANK or known is True else np.where(known, values, math.nan)


ARRAY_FUNCTIONS: dict[str, Any] = {
    "where": np.where, "maximum": np.maximum, "minimum": np.minimum, "np_ceil": np.ceil, "np_floor": np.floor,
    "np_round": np.round, "np_exp": np.exp, "np_log": np.log, "np_sqrt": np.sqrt, "np_argmax": _argmax,
    "logical_not": np.logical_not, "filled": _filled, "masked": _masked,
}  # fmt: skip
