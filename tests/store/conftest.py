"""A real library on each back end: a SQLite file, and a PostgreSQL server that the tests start themselves."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from planner.model.inputs import default_values
from planner.model.scenario import Scenario
from planner.store import Library, open_library


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Where a library is to be made."""
    return tmp_path / "plan.db"


@pytest.fixture
def library(file: Path) -> Iterator[Library]:
    """A new library with the examples, on each back end."""
    with open_library(file) as opened:
        yield opened


@pytest.fixture
def scenario() -> Callable[..., Scenario]:
    """Makes a scenario of default values and those given."""

    def make(name: str = "one", notes: str = "", **values: object) -> Scenario:
        return Scenario(name, {**default_values(), **values}, {}, notes)  # type: ignore[dict-item]

    return make
