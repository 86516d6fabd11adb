"""The sheet on arrays: the operations that are left of it when everything that does not vary has been folded in.

NumPy is imported when this module is.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from planner.model.folding import ANYWHERE, Array, Folder, Quantity, Span, Step
from planner.model.sheet import Sheet


class Program:
    """The operations that give ``outputs`` of ``sheet`` where some cells vary.

    ``numbers`` are the cells that do not and the rows that need none of those that do; ``varying`` says of each other
    cell whether it is blank at some point, and ``spans`` between which bounds it lies otherwise, where that is known.
    """

    def __init__(
        self,
        sheet: Sheet,
        outputs: Sequence[str],
        numbers: Mapping[str, float],
        varying: Mapping[str, bool],
        spans: Mapping[str, Span] | None = None,
    ) -> None:
        folder = Folder({name: Quantity(value) for name, value in numbers.items()})
        self._cells = {
            name: folder.cell(name, is_ever_blank, (spans or {}).get(name, ANYWHERE))
            for name, is_ever_blank in varying.items()
        }
        for name in sheet.upstream(outputs):
            if name not in numbers:
                folder.fold_row(sheet.rows[name], partial(sheet.trace, name))
        self._results = [folder.masked(folder.known[name]) for name in outputs]
        self._steps = _reached(folder.steps.values(), self._results)
        self._last_uses = {arg: step for step in self._steps for arg in step.args if isinstance(arg, Step)}

    @property
    def operations(self) -> int:
        """How many operations on arrays one run takes."""
        return sum(step.function is not None for step in self._steps)

    def run(self, cells: Mapping[str, Array]) -> list[Array | float]:
        """The outputs at the points of ``cells``, one array of each varying cell; an output may be one number."""
        arrays: dict[Step, Any] = {self._cells[name]: array for name, array in cells.items()}
        spare: dict[bool, list[Array]] = {True: [], False: []}
        kept = {*self._cells.values(), *self._results}
        for step in self._steps:
            function = step.function
            if function is None:
                continue
            args = [arrays[arg] if isinstance(arg, Step) else arg for arg in step.args]
            free = spare[step.is_condition]
            arrays[step] = (
                function(*args, out=free.pop()) if free and isinstance(function, np.ufunc) else function(*args)
            )
            for arg in step.args:
                if isinstance(arg, Step) and self._last_uses[arg] is step and arg not in kept and arg in arrays:
                    spent = arrays.pop(arg)
                    spare[spent.dtype == np.bool_].append(spent)
        return [arrays[result] if isinstance(result, Step) else result for result in self._results]


def _reached(steps: Iterable[Step], results: Iterable[Step | float]) -> list[Step]:
    """Those of ``steps`` that ``results`` need, in order."""
    needed: set[Step] = set()
    stack = [result for result in results if isinstance(result, Step)]
    while stack:
        step = stack.pop()
        if step not in needed:
            needed.add(step)
            stack.extend(arg for arg in step.args if isinstance(arg, Step))
    return [step for step in steps if step in needed]
