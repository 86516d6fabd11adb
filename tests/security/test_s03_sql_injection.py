"""S3: names, searches and tags are values, never SQL; every statement is written by the program."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from planner.model.inputs import default_values
from planner.model.scenario import Scenario
from planner.store import open_library
from tests.faults.support import REPOSITORY, assert_sound, planner, query
from tests.security.payloads import SQL


def test_s03_every_name_is_kept_and_found_as_it_is(database: Path) -> None:
    tables = query(database, "SELECT name, sql FROM sqlite_master ORDER BY name")
    with open_library(database) as library:
        library.create_many([Scenario(name, default_values(), {}, name) for name in SQL])
        for name in SQL:
            stored = library.find(name)
            assert stored.name == name
            library.tag(stored.id, name)
            library.rename(stored.id, f"{name} x")
            library.rename(stored.id, name)
            library.snapshot(name)
            assert library.find_snapshot(name).name == name
            library.create_workspace(name)
            assert library.find(f"{library.workspace.name}/{name}").id == stored.id
        # A percent sign, an underscore and a backslash are themselves in a search.
        for word in ("%", "_", "\\", "a%b"):
            assert [one.name for one in library.search(word)] == [name for name in SQL if word in name]
        for name in SQL:
            assert [one.name for one in library.search(tags=[name])] == [name]
        library.delete(*[library.find(name).id for name in SQL])
    assert query(database, "SELECT name, sql FROM sqlite_master ORDER BY name") == tables
    assert query(database, "SELECT count(*) FROM scenario WHERE deleted_at IS NULL") == [(5,)]
    assert_sound(database)


@pytest.mark.parametrize("name", SQL[:4])
def test_s03_on_the_command_line(database: Path, name: str) -> None:
    assert planner("new", "--db", database, "--", name).code == 0
    assert name in planner("show", "--db", database, "--", name).out
    assert planner("list", "--tag", name, "--db", database).code == 0
    assert planner("delete", "--db", database, "--", name).code == 0
    assert query(database, "SELECT count(*) FROM scenario WHERE deleted_at IS NULL") == [(5,)]


def test_s03_the_linter_looks_for_queries_made_of_texts() -> None:
    with (REPOSITORY / "pyproject.toml").open("rb") as file:
        rules = tomllib.load(file)["tool"]["ruff"]["lint"]
    assert "S" in rules["select"]
    assert "S608" not in rules["ignore"]
    done = subprocess.run(
        [sys.executable, "-m", "ruff", "check", "--select", "S608", "planner", "exports", "catalog", "migrations"],
        cwd=REPOSITORY,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout
