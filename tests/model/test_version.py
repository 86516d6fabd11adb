"""The model's version rises with its results: what a person saw under one version can be compared with another's."""

import json
import math

from planner.model.version import MODEL_VERSION
from tests.model.figures import FILE, present


def _same(one: object, other: object) -> bool:
    if isinstance(one, float) and isinstance(other, (int, float)):
        return math.isclose(one, other, rel_tol=2e-9, abs_tol=0)
    return one == other


def test_the_version_stands_for_these_figures() -> None:
    kept = json.loads(FILE.read_text(encoding="utf-8"))
    now = present()
    moved = [
        f"{scenario}: {row} was {before}, is {now[scenario].get(row)}"
        for scenario, rows in kept["figures"].items()
        for row, before in rows.items()
        if row in now[scenario] and not _same(now[scenario][row], before)
    ]
    assert not moved, (
        f"{len(moved)} results moved, the first: {'; '.join(moved[:5])}. Where that is meant, raise MODEL_VERSION in "
        "planner/model/version.py and run `python -m tests.model.figures`."
    )
    assert kept["version"] == MODEL_VERSION, "The version rose: run `python -m tests.model.figures`."


def test_the_version_fits_where_it_is_noted() -> None:
    assert 0 < len(MODEL_VERSION) <= 40
    assert MODEL_VERSION.isprintable()
