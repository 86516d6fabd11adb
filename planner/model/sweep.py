"""Many scenarios at once: the sheet's rows on arrays, in chunks that stay in the processor's cache.

A sweep evaluates only the rows that the outputs need, and a row that depends on nothing that varies is computed once.
NumPy is imported when this module is.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from planner.model.evaluation import compute, encode_all
from planner.model.fields import Field, FieldValue, InputError, nearest
from planner.model.folding import Span
from planner.model.inputs import field_of
from planner.model.program import Program
from planner.model.rows import CELLS, SHEET
from planner.model.scenario import Fact

Floats = NDArray[np.float64]
Progress = Callable[[int, int], None]

CHUNK = 16_384
"""Points evaluated at once: a few dozen arrays of them fit a core's cache."""

_POSITIONS = {name: position for position, name in enumerate(CELLS)}


class SweepCancelled(Exception):  # noqa: N818 - asked for, no error
    """The sweep was cancelled: ``cancelled`` returned True between two chunks."""


def evaluate_many(
    values: Mapping[str, FieldValue],
    facts: Mapping[str, Fact],
    varying: Mapping[str, ArrayLike],
    outputs: Sequence[str],
    *,
    progress: Progress | None = None,
    cancelled: Callable[[], bool] | None = None,
    chunk: int = CHUNK,
) -> dict[str, Floats]:
    """``outputs`` by row name at every point: ``values`` and ``facts``, with the cells of ``varying`` laid over them.

    ``varying`` maps inputs and facts to one-dimensional arrays of one length, in the cell's own unit: numbers, words
    of a choice, or booleans of a switch; NaN is blank where a blank is allowed. Results are float64 in the rows' units,
    a word as its code from 1, a flag as 0 or 1, blank as NaN. ``progress`` is told the points done and their total after
    each chunk; SweepCancelled is raised when ``cancelled`` returns True before one.

    Rules that join several inputs (check_together) are not checked at every point. Raises InputError for an unknown
    name, a value out of bounds, or arrays of different lengths.
    """
    columns = {name: _column(name, array) for name, array in varying.items()}
    sizes = {len(column) for column in columns.values()}
    if len(sizes) != 1:
        raise InputError("A sweep needs one or more varying cells, all of the same length.")
    cells: list[float | Floats] = [*encode_all(values, facts)]
    for name, column in columns.items():
        cells[_POSITIONS[name]] = column
    return _in_chunks(cells, frozenset(columns), sizes.pop(), outputs, progress, cancelled, chunk)


def evaluate_cells(
    scenarios: Sequence[Sequence[float]],
    outputs: Sequence[str],
    *,
    progress: Progress | None = None,
    cancelled: Callable[[], bool] | None = None,
    chunk: int = CHUNK,
) -> dict[str, Floats]:
    """``outputs`` by row name for many scenarios, each given as its encoded cells (evaluation.encode_all()).

    Results, ``progress`` and ``cancelled`` as in evaluate_many(). Raises InputError for an unknown row.
    """
    if not scenarios:
        return {name: np.empty(0) for name in _checked(outputs)}
    table = np.ascontiguousarray(np.array(scenarios, dtype=np.float64).T)
    first = table[:, :1]
    differs = np.any((table != first) & ~(np.isnan(table) & np.isnan(first)), axis=1)
    cells: list[float | Floats] = [
        column if varies else float(column[0]) for column, varies in zip(table, differs, strict=True)
    ]
    varying = frozenset(name for name, varies in zip(CELLS, differs, strict=True) if varies)
    return _in_chunks(cells, varying, len(scenarios), outputs, progress, cancelled, chunk)


def _checked(outputs: Sequence[str]) -> tuple[str, ...]:
    for name in outputs:
        if name not in SHEET.rows:
            raise InputError(f"There is no row '{name}'{nearest(name, SHEET.rows)}.")
    return tuple(outputs)


def _column(name: str, array: ArrayLike) -> Floats:
    """The cell's values, checked and encoded as the sheet sees them."""
    field = field_of(name, CELLS, kind="input or fact")
    try:
        given = np.asarray(array)
    except ValueError:
        given = np.empty((0, 0))
    if given.ndim != 1 or not given.size:
        raise InputError(f"{field.label} ({name}) must vary over a list of values.")
    if not field.is_number:
        codes: dict[Any, float] = {}
        try:
            return np.array(
                [codes[one] if one in codes else codes.setdefault(one, _code(field, one)) for one in given.tolist()]
            )
        except TypeError as error:
            raise InputError(f"{field.label} ({name}) must vary over single values, {field.bounds()}.") from error
    column = _numbers(given)
    if column is None:
        raise InputError(f"{field.label} ({name}) must vary over numbers, {field.bounds()}.")
    if np.ma.isMaskedArray(array):
        column = np.where(np.ma.getmaskarray(array), math.nan, column)
    _check_range(field, column)
    return column


def _numbers(given: NDArray[Any]) -> Floats | None:
    """``given`` as numbers, None as blank; None where it holds anything else, as text, dates or truth values."""
    if given.dtype.kind in "iuf":
        return given.astype(np.float64)
    if given.dtype.kind != "O":
        return None
    values = [math.nan if one is None else one for one in given.tolist()]
    if any(isinstance(one, bool) or not isinstance(one, (int, float)) for one in values):
        return None
    try:
        return np.array([float(one) for one in values])
    except OverflowError:
        return None


def _code(field: Field, value: Any) -> float:
    """A word or a switch as the sheet sees it."""
    checked = field.check(value)
    return float(field.choices.index(str(checked)) + 1 if field.choices else bool(checked))


def _check_range(field: Field, column: Floats) -> None:
    """Refuse what field.check() would: the extremes stand for all."""
    blank = np.isnan(column)
    if blank.any() and not field.optional:
        field.check(None)
    numbers = column[~blank]
    if not numbers.size:
        return
    odd = numbers[numbers != np.round(numbers)] if field.kind == "integer" else numbers[:0]
    for value in (numbers.min(), numbers.max(), *odd[:1]):
        field.check(float(value))


@lru_cache(maxsize=16)
def _program(
    outputs: tuple[str, ...], varying: tuple[tuple[str, bool], ...], cells: tuple[float | None, ...]
) -> Program:
    """The program of a sweep: by name which cells vary and whether each is ever blank, and the others' numbers."""
    blanks = dict(varying)
    numbers = [math.nan if cell is None else cell for cell in cells]
    known = {name: number for name, number in zip(CELLS, numbers, strict=True) if name not in blanks}
    for row, number in zip(SHEET.rows.values(), compute(numbers), strict=True):
        if all(parameter in known for parameter in row.parameters):
            known[row.name] = number
    return Program(SHEET, outputs, known, blanks, {name: _span(CELLS[name]) for name in blanks})


def _span(field: Field) -> Span:
    """Between which bounds a cell lies as the sheet sees it."""
    if field.choices:
        return 1.0, float(len(field.choices))
    low, high = (0.0, 1.0) if field.kind == "switch" else (field.low, field.high)
    return -math.inf if low is None else low, math.inf if high is None else high


def _chunks(size: int, chunk: int) -> Iterator[slice]:
    return (slice(start, min(start + chunk, size)) for start in range(0, size, chunk))


def _in_chunks(
    cells: Sequence[Any],
    varying: frozenset[str],
    size: int,
    outputs: Sequence[str],
    progress: Progress | None,
    cancelled: Callable[[], bool] | None,
    chunk: int,
) -> dict[str, Floats]:
    names = _checked(outputs)
    if chunk < 1:
        raise InputError(f"A chunk must have 1 point or more, not {chunk}.")
    program = _program(
        names,
        tuple((name, bool(np.isnan(cells[_POSITIONS[name]]).any())) for name in sorted(varying)),
        tuple(None if name in varying or math.isnan(cell) else cell for name, cell in zip(CELLS, cells, strict=True)),
    )
    results = [np.empty(size) for _ in names]
    # Both branches of a condition are computed, and the one that is not taken may divide by zero.
    with np.errstate(all="ignore"):
        for points in _chunks(size, chunk):
            if cancelled is not None and cancelled():
                raise SweepCancelled
            found = program.run({name: cells[_POSITIONS[name]][points] for name in varying})
            for result, array in zip(results, found, strict=True):
                result[points] = array
            if progress is not None:
                progress(points.stop, size)
    return dict(zip(names, results, strict=True))
