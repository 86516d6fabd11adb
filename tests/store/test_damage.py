"""Stored values that cannot be right are named, never computed with; the rest stays usable."""

from __future__ import annotations

import contextlib
import pickle
import sqlite3
from pathlib import Path

import pytest

from planner.model.fields import InputError
from planner.model.inputs import INPUTS, check_values
from planner.store import Change, Stored, maintenance, open_library
from planner.store.reading import scenario_columns, to_stored
from planner.store.tables import ScenarioRow

# What a flipped bit may leave in a cell: another number, another type, bytes that are no text.
DAMAGE = {
    "integer": ["-1", "1e30", "2.5", "'text'", "x'ff'", "9223372036854775807"],
    "real": ["-1e9", "1e300", "9e999", "'text'", "x'00ff'"],
    "choice": ["'vlmm'", "''", "7", "x'ff'", "CAST(x'ff41' AS TEXT)"],
    "switch": ["2", "-1", "'yes'", "x'01'"],
    "name": ["''", "CAST(x'68ff31' AS TEXT)", "'a' || char(27) || '[31m'", "x'ff'", "' '"],
    "shares": ["'[1, 2'", "'[0.5, 0.5]'", "'{}'", "7", "'\"x\"'", "CAST(x'ff' AS TEXT)"],
}
CASES = [(name, value) for name, field in INPUTS.items() for value in DAMAGE[field.kind]]


def spoil(path: Path, column: str, value: str, identifier: int = 1) -> None:
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA ignore_check_constraints = ON")
        connection.execute(f"UPDATE scenario SET {column} = {value} WHERE id = {identifier}")  # noqa: S608 - ours


def refuses(stored: Stored, name: str) -> None:
    assert name in stored.damaged
    for read in (
        lambda: stored.scenario.values[name],
        lambda: stored.scenario.values.get(name),
        lambda: dict(stored.scenario.values),
        lambda: list(stored.scenario.values.items()),
        lambda: check_values(stored.scenario.values),
        lambda: {**stored.scenario.values},
        lambda: pickle.loads(pickle.dumps(stored.scenario.values))[name],  # noqa: S301 - made on the spot
    ):
        with pytest.raises(InputError, match="is damaged and not used"):
            read()


def test_every_kind_of_damage_to_every_input_is_named(file: Path) -> None:
    with open_library(file) as library, library.database.engine.connect() as connection:
        connection.exec_driver_sql("PRAGMA ignore_check_constraints = ON")
        query = scenario_columns(ScenarioRow.id == 1)
        wrong = []
        for name, value in CASES:
            connection.exec_driver_sql("SAVEPOINT sound")
            connection.exec_driver_sql(f"UPDATE scenario SET {name} = {value} WHERE id = 1")  # noqa: S608 - ours
            found = to_stored(connection.execute(query).one(), "Examples", 0)
            connection.exec_driver_sql("ROLLBACK TO sound")
            if set(found.damaged) != {name}:
                wrong.append((name, value, dict(found.damaged)))
        assert not wrong
        assert not to_stored(connection.execute(query).one(), "Examples", 0).damaged


def test_a_damaged_value_cannot_be_read_and_can_be_entered_anew(file: Path) -> None:
    open_library(file).close()
    spoil(file, "batch", "-5")
    with open_library(file) as library:
        one, *rest = library.scenarios()
        refuses(one, "batch")
        assert "Fixed batch (batch) of 'Toy 7B' is damaged" in one.damaged["batch"]
        assert one.scenario.values["prompt_tokens"] == 500
        assert not any(other.damaged for other in rest)
        with pytest.raises(InputError):
            library.copy(1, "copy")
        library.edit([Change(1, "prompt_tokens", 600)])
        (repaired,) = library.edit([Change(1, "batch", 2)])
        assert not repaired.damaged
        assert library.history(1)[0].description.startswith("'Toy 7B': Fixed batch −5 sequences → 2 sequences")


def test_damaged_facts_names_notes_and_times(file: Path) -> None:
    open_library(file).close()
    for identifier, (column, value) in enumerate(
        [
            ("overrides", "'{\"peak_flops\": -1}'"),
            ("overrides", "'{\"peak_flop\": 1}'"),
            ("overrides", "'['"),
            ("name", "'x' || char(27) || ']0;title' || char(7)"),
            ("modified_at", "'yesterday'"),
        ],
        start=1,
    ):
        spoil(file, column, value, identifier)
    spoil(file, "notes", "'a' || char(27) || '[2J' || char(10) || 'b'", 5)
    with open_library(file) as library:
        first, second, third, fourth, fifth = library.scenarios()
        assert set(first.damaged) == {"peak_flops"}
        with pytest.raises(InputError, match="is damaged"):
            first.scenario.overrides.get("peak_flops")
        assert set(second.damaged) == {"peak_flop"}
        assert set(third.damaged) == {"overrides"}
        with pytest.raises(InputError, match="are damaged"):
            dict(third.scenario.overrides)
        assert fourth.name == "x\ufffd]0;title\ufffd"
        assert set(fourth.damaged) == {"name"}
        assert fourth.scenario.values["batch"] is None
        assert fifth.scenario.notes == "a\ufffd[2J\nb"
        assert fifth.modified_at is not None
        assert fifth.modified_at.year == 1970
        assert library.rename(fourth.id, "mended").damaged == {}


def test_damaged_history_is_told_and_not_used(file: Path) -> None:
    with open_library(file) as library:
        library.edit([Change(1, "batch", 3)])
        with contextlib.closing(sqlite3.connect(file, isolation_level=None)) as connection:
            connection.execute("UPDATE revision_change SET after = '{\"batch\": ' WHERE scenario_id = 1")
            connection.execute("UPDATE revision SET who = CAST(x'ff' AS TEXT), at = 7 WHERE action = 'examples'")
        assert len(library.history(1)) == 2
        assert library.get(1).scenario.values["batch"] == 3
        for act in (library.undo, lambda: library.restore(library.history(1)[0].id)):
            with pytest.raises(Exception, match="is damaged"):
                act()


def test_a_value_that_is_wrong_within_its_bounds_contradicts_the_history(where: str, file: Path) -> None:
    """SQLite does not see it and no bound is broken: only what was noted of every change tells."""
    with open_library(where) as library:
        library.edit([Change(2, "batch", 3), Change(2, "peak_flops", 1e15)])
        library.undo()
        library.redo()
        library.reorder([4, 2])
        library.set_notes(3, "n")
        library.delete(5)
        assert maintenance.examine(where).problems == []
        with library.database.engine.begin() as connection:
            for statement in (
                "UPDATE scenario SET prompt_tokens = 501 WHERE id = 1",
                "UPDATE scenario SET overrides = '{\"memory_bandwidth\": 1e12}', notes = 'x' WHERE id = 2",
                "UPDATE scenario SET in_fleet = NOT in_fleet WHERE id = 3"
                if not library.database.is_sqlite
                else "UPDATE scenario SET in_fleet = 1 - in_fleet WHERE id = 3",
            ):
                connection.exec_driver_sql(statement)
        problems = maintenance.examine(where).problems
    notes = next(line for line in problems if "notes" in line)
    assert notes.startswith("Scenario 2: notes of '70B ideal, 2 x H100' is 'x', its history says '140 GB of weights")
    peak = "Scenario 2: Peak FLOP/s of the weights' arithmetic of '70B ideal, 2 x H100' is the catalogue's, its history"
    assert [line for line in problems if line != notes] == [
        "Scenario 1: Prompt tokens of 'Toy 7B' is 501 tokens, its history says 500 tokens.",
        "Scenario 2: Memory bandwidth of '70B ideal, 2 x H100' is 1T B/s, its history says the catalogue's.",
        f"{peak} says 1,000T FLOP/s.",
        "Scenario 3: part of the fleet of 'Llama 3.3 70B, 2 x H100' is yes, its history says no.",
    ]


def test_a_column_that_has_lost_its_name_is_found(file: Path) -> None:
    open_library(file).close()
    with contextlib.closing(sqlite3.connect(file, isolation_level=None)) as connection:
        connection.execute("ALTER TABLE revision RENAME COLUMN catalogue_version TO cbtalogue_version")
    (problem,) = maintenance.examine(file).problems
    assert problem == (
        f"{file} is not what a planner database should be (no such column: revision.catalogue_version); nothing was "
        "changed."
    )
