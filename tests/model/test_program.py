"""Folding: whatever varies and whatever is blank, a program gives what the generated code of one scenario gives."""

from __future__ import annotations

import math
import sys

import numpy as np
from hypothesis import example, given, settings
from hypothesis import strategies as st

from planner.model.compiler import compiled
from planner.model.expression import Value
from planner.model.functions import (
    argmax,
    blank,
    both,
    ceiling,
    chosen,
    either,
    exp,
    floor,
    log,
    maximum,
    minimum,
    opposite,
    otherwise,
    plain,
    sqrt,
    where,
)
from planner.model.functions import (
    given as is_given,
)
from planner.model.program import Program
from planner.model.sheet import Maybe, Sheet, row, rows_of

WORDS = ("one", "two", "three")
CELLS = {"a": False, "b": False, "choice": False, "extra": True, "limit": True}


@row(label="Sum", section="S")
def total(a: Value, b: Value, extra: Maybe) -> Value:
    """Neutral where extra is 0 or blank."""
    return (a + otherwise(extra, plain(0))) * where(b > 0, plain(1), b)


@row(label="Strict", section="S")
def strict(total: Value, extra: Value) -> Value:
    """Blank where extra is."""
    return total - extra * plain(0)


@row(label="Half open", section="S")
def half_open(strict: Maybe, limit: Maybe, a: Value) -> Value:
    """Blank on one side, and a comparison with what may be blank."""
    return where(both(is_given(limit), a <= limit), strict, where(strict < a, blank(), -a))


@row(label="Extremes", section="S")
def extremes(half_open: Maybe, a: Value, b: Value, limit: Maybe) -> Value:
    """The largest of what is given."""
    return maximum(a, minimum(b, plain(1)), otherwise(half_open, otherwise(limit, -b)))


@row(label="Curves", section="S")
def curves(a: Value, b: Value, choice: Value) -> Value:
    """Every function, each where it is defined."""
    size = maximum(plain(1), a * a)
    way = where(chosen(choice, WORDS, "two"), log(size), where(chosen(choice, WORDS, "one"), sqrt(size), size ** (-a)))
    return way + exp(minimum(plain(1), b)) + ceiling(a) - floor(b) / size


@row(label="Which", section="S", words=WORDS)
def which(curves: Maybe, extremes: Maybe, strict: Maybe) -> Value:
    """A position."""
    return argmax(otherwise(curves, plain(0)), otherwise(extremes, plain(0)), otherwise(strict, plain(1)))


@row(label="Served", section="S", kind="flag")
def flag(which: Value, half_open: Maybe, limit: Maybe) -> Value:
    """Conditions joined."""
    no = either(opposite(is_given(half_open)), chosen(which, WORDS, "three"))
    return where(both(opposite(no), limit > 0), plain(1), plain(0))


SHEET = Sheet(rows_of(sys.modules[__name__]), CELLS)
ROWS = tuple(SHEET.rows)
ONE_BY_ONE = compiled(SHEET, ROWS, careful=True)

NUMBERS = st.sampled_from([-2.5, -1.0, 0.0, 0.3, 1.0, 2.0, 7.75])
POINT = st.fixed_dictionaries(
    {
        "a": NUMBERS, "b": NUMBERS, "choice": st.sampled_from([1.0, 2.0, 3.0]),
        "extra": NUMBERS | st.just(math.nan), "limit": NUMBERS | st.just(math.nan),
    }
)  # fmt: skip


# A comparison of numbers, one of which is blank at some points.
@example(
    points=[{"a": 0.3, "b": 0.0, "choice": 3.0, "extra": extra, "limit": math.nan} for extra in (7.75, math.nan)],
    varying={"extra"},
    outputs=["half_open"],
)
@settings(max_examples=300)
@given(
    points=st.lists(POINT, min_size=1, max_size=6),
    varying=st.sets(st.sampled_from(list(CELLS)), min_size=1),
    outputs=st.lists(st.sampled_from(ROWS), min_size=1, unique=True),
)
def test_a_program_is_the_generated_code(points: list[dict[str, float]], varying: set[str], outputs: list[str]) -> None:
    points = [{**points[0], **{name: point[name] for name in varying}} for point in points]
    columns = {name: np.array([point[name] for point in points]) for name in varying}
    fixed = {name: value for name, value in points[0].items() if name not in varying}
    program = Program(SHEET, outputs, fixed, {name: bool(np.isnan(columns[name]).any()) for name in columns})
    with np.errstate(all="ignore"):
        found = dict(zip(outputs, program.run(columns), strict=True))
    for at, point in enumerate(points):
        wanted = dict(zip(ROWS, ONE_BY_ONE([point[name] for name in CELLS]), strict=True))
        for name, result in found.items():
            value = float(np.broadcast_to(result, (len(points),))[at])
            assert math.isclose(value, wanted[name], rel_tol=1e-12, abs_tol=1e-15) or (
                math.isnan(value) and math.isnan(wanted[name])
            ), (name, point)


def test_what_does_not_vary_costs_nothing() -> None:
    """Neutral terms, rows without varying cells and branches that are known leave no operation behind."""
    fixed = {"b": 1.0, "choice": 2.0, "extra": 0.0, "limit": math.nan}
    assert Program(SHEET, ["total"], fixed, {"a": False}).operations == 0
    assert Program(SHEET, ["half_open"], fixed, {"a": False}).operations == 1, "the sign alone"
    assert Program(SHEET, ["strict", "strict", "total"], {**fixed, "extra": 2.0}, {"a": False}).operations == 1


def test_a_question_with_one_answer_is_not_asked() -> None:
    """Bounds of a cell reach what is made of it: extremes and conditions that they decide take no operation."""
    fixed = {"b": 1.0, "choice": 2.0, "extra": 0.0, "limit": 3.0}
    for span, operations in (((-1.0, 2.0), 0), ((-1.0, 4.0), 3)):
        program = Program(SHEET, ["half_open"], fixed, {"a": False}, {"a": span})
        assert program.operations == operations, span
    assert Program(SHEET, ["extremes"], {**fixed, "b": -9.0}, {"a": False}, {"a": (5.0, 7.0)}).operations == 0


def test_runs_do_not_disturb_each_other() -> None:
    """Arrays that are spent are written again, never those of a cell or a result."""
    program = Program(SHEET, ROWS, {"b": 0.3, "choice": 1.0, "extra": 2.0}, {"a": False, "limit": True})
    cells = {"a": np.array([0.5, 2.0, -1.0]), "limit": np.array([1.0, math.nan, 3.0])}
    kept = {name: column.copy() for name, column in cells.items()}
    first = [np.copy(result) for result in program.run(cells)]
    again = program.run({name: column.copy() for name, column in cells.items()})
    for one, other in zip(first, again, strict=True):
        np.testing.assert_array_equal(one, other)
    for name, column in cells.items():
        np.testing.assert_array_equal(column, kept[name])
