"""NumPy's part of the generated source."""

from __future__ import annotations

from typing import Any

import numpy as np


def _argmax(*values: Any) -> Any:
    return np.argmax(np.stack(np.broadcast_arrays(*values)), axis=0) + 1.0


ARRAY_FUNCTIONS: dict[str, Any] = {
    "where": np.where, "maximum": np.maximum, "minimum": np.minimum, "np_ceil": np.ceil, "np_floor": np.floor,
    "np_round": np.round, "np_exp": np.exp, "np_log": np.log, "np_sqrt": np.sqrt, "np_argmax": _argmax,
    "logical_not": np.logical_not,
}  # fmt: skip
