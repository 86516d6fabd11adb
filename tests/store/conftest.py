"""A real library on each back end: a SQLite file, and a PostgreSQL server that the tests start themselves."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from planner.model.inputs import default_values
from planner.model.scenario import Scenario
from planner.store import Library, open_library
from tests.store.postgres import Server, running_server


@pytest.fixture(scope="session")
def server() -> Iterator[Server]:
    """A PostgreSQL server; what asks for it is marked postgres."""
    with running_server() as started:
        yield started


@pytest.fixture(scope="session")
def template(server: Server) -> str:
    """A database with the examples, that others are copied from."""
    name = server.new_database()
    open_library(server.url(name)).close()
    return name


@pytest.fixture
def server_address(server: Server, template: str) -> Iterator[str]:
    """The address of a library with the examples on the server."""
    name = server.new_database(template)
    yield server.url(name)
    server.drop_database(name)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Where a library file is to be made."""
    return tmp_path / "plan.db"


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def where(request: pytest.FixtureRequest, file: Path) -> str:
    """A library with the examples on each back end: its path or its address."""
    if request.param == "sqlite":
        open_library(file).close()
        return str(file)
    address: str = request.getfixturevalue("server_address")
    return address


@pytest.fixture
def library(where: str) -> Iterator[Library]:
    """That library, open."""
    with open_library(where, create=False) as opened:
        yield opened


@pytest.fixture
def scenario() -> Callable[..., Scenario]:
    """Makes a scenario of default values and those given."""

    def make(name: str = "one", notes: str = "", **values: object) -> Scenario:
        return Scenario(name, {**default_values(), **values}, {}, notes)  # type: ignore[dict-item]

    return make
