"""What was last seen of results: kept beside the scenario, of no use to anything else, never waited for."""

from __future__ import annotations

import contextlib
import sqlite3
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from planner.model.scenario import Scenario
from planner.store import Change, Library, Stored, Witness, maintenance, open_library

SEEN: dict[str, float | str | bool | None] = {"ttft_s": 0.25, "bound_by": "memory", "fits": True, "devices": None}


def witness(stored: Stored, **results: float | str | bool | None) -> Witness:
    return Witness(stored.id, stored.version, "2026-01-01+1234", "7", {**SEEN, **results})


def test_what_was_seen_comes_back_with_its_versions(library: Library) -> None:
    assert library.witnesses() == {}
    first, second, *_ = library.scenarios()
    assert library.note_seen([witness(first), witness(second, ttft_s=2.0)])
    found = library.witnesses()
    assert found.keys() == {first.id, second.id}
    assert replace(found[first.id], at=None) == witness(first)
    assert found[first.id].at is not None
    assert found[second.id].results["ttft_s"] == 2.0


def test_the_later_one_takes_the_place_of_the_earlier(library: Library) -> None:
    first = library.scenarios()[0]
    assert library.note_seen([witness(first)])
    assert library.note_seen([replace(witness(first, devices=4.0), model_version="8")])
    found = library.witnesses()[first.id]
    assert (found.model_version, found.results["devices"]) == ("8", 4.0)


def test_what_was_seen_of_an_earlier_state_is_dropped(library: Library) -> None:
    first = library.scenarios()[0]
    library.edit([Change(first.id, "prompt_tokens", 777)])
    assert library.note_seen([witness(first)])
    assert library.witnesses() == {}


def test_it_is_no_action_and_undo_passes_it_by(library: Library) -> None:
    first = library.scenarios()[0]
    (edited,) = library.edit([Change(first.id, "prompt_tokens", 777)])
    revision = library.last_revision()
    assert library.note_seen([witness(edited)])
    assert library.last_revision() == revision
    assert library.get(first.id) == edited
    undone = library.undo()
    assert undone is not None
    assert "777" in undone.description
    assert library.witnesses()[first.id].scenario_version == edited.version


def test_only_the_present_workspace_and_what_is_not_in_the_bin(
    library: Library, scenario: Callable[..., Scenario]
) -> None:
    first, second, *_ = library.scenarios()
    library.create_workspace("other")
    library.use_workspace("other")
    other = library.create(scenario("there"))
    assert library.note_seen([witness(first), witness(second), witness(other)])
    assert library.witnesses().keys() == {other.id}
    library.use_workspace("Examples")
    library.delete(second.id)
    assert library.witnesses().keys() == {first.id}


def test_it_goes_with_the_scenario_when_the_bin_is_emptied(library: Library) -> None:
    first = library.scenarios()[0]
    assert library.note_seen([witness(first)])
    library.delete(first.id)
    present = library.database.clock
    library.database.clock = lambda: present() + timedelta(days=60)
    assert maintenance.purge(library)["scenarios"] == 1
    assert library.witnesses() == {}


def test_a_copy_of_the_workspace_takes_it_along(file: Path, tmp_path: Path) -> None:
    with open_library(file) as library:
        first, second, *_ = library.scenarios()
        (edited,) = library.edit([Change(first.id, "prompt_tokens", 777)])
        assert library.note_seen([witness(edited), witness(second)])
        library.edit([Change(second.id, "prompt_tokens", 778)])
    target = tmp_path / "copy.db"
    maintenance.copy(file, target, "Examples", "copied")
    with open_library(target) as copied:
        copied.use_workspace("copied")
        scenarios = copied.scenarios()
        (kept,) = copied.witnesses().values()
        assert kept.scenario_id == scenarios[0].id
        assert kept.scenario_version == scenarios[0].version
        assert kept.results == SEEN


@pytest.mark.parametrize("content", ["not JSON", "[]", "7"])
def test_a_damaged_one_counts_as_none(file: Path, content: str) -> None:
    with open_library(file) as library:
        first = library.scenarios()[0]
        assert library.note_seen([witness(first)])
        with contextlib.closing(sqlite3.connect(file)) as raw:
            raw.execute("UPDATE witness SET results = ?", (content,))
            raw.commit()
        assert library.witnesses() == {}
        assert library.note_seen([witness(first)])
        assert library.witnesses()[first.id].results == SEEN


def test_a_library_that_is_read_only_or_locked_is_left_alone_at_once(file: Path) -> None:
    with open_library(file) as library:
        first = library.scenarios()[0]
        with contextlib.closing(sqlite3.connect(file, isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            start = time.monotonic()
            assert not library.note_seen([witness(first)])
            assert time.monotonic() - start < 2
            other.execute("ROLLBACK")
        assert library.note_seen([witness(first)])
        library.database.read_only_reason = "the file may not be written."
        assert not library.note_seen([witness(first, devices=9.0)])
        assert library.witnesses()[first.id].results["devices"] is None


def test_edits_still_wait_for_their_turn_after_noting(file: Path) -> None:
    """What is noted impatiently leaves no impatience behind in the connections that edits use."""
    with open_library(file) as library:
        first = library.scenarios()[0]
        assert library.note_seen([witness(first)])
        with contextlib.closing(sqlite3.connect(file, isolation_level=None, check_same_thread=False)) as other:
            other.execute("BEGIN IMMEDIATE")
            timer = threading.Timer(0.8, other.execute, ("ROLLBACK",))
            timer.start()
            (edited,) = library.edit([Change(first.id, "prompt_tokens", 777)])
            timer.join()
        assert edited.scenario.values["prompt_tokens"] == 777


def test_the_tables_of_another_version_are_left_alone(file: Path) -> None:
    with open_library(file) as library:
        first = library.scenarios()[0]
        with contextlib.closing(sqlite3.connect(file)) as raw:
            raw.execute("PRAGMA user_version = 99")
        assert not library.note_seen([witness(first)])


def test_what_is_to_be_looked_at_is_found_without_reading_the_rest(library: Library) -> None:
    known = library.scenarios()
    assert library.unseen(3) == (known[:3], {})
    assert library.outdated("1", "1", 9) == ([], {})
    seen = [Witness(one.id, one.version, "1", "1", {"tpot_s": 0.5}) for one in known]
    assert library.note_seen(seen)
    assert library.unseen(9) == ([], {})
    assert library.outdated("1", "1", 9) == ([], {})
    for catalogue, model in (("2", "1"), ("1", "2")):
        due, witnesses = library.outdated(catalogue, model, 2)
        assert due == known[:2]
        assert {one.scenario_id: one.results["tpot_s"] for one in witnesses.values()} == {1: 0.5, 2: 0.5}
    (changed,) = library.edit([Change(known[0].id, "batch", 3)])
    assert library.outdated("2", "1", 1)[0] == [known[1]]
    found, witnesses = library.unseen(9)
    assert found == [changed]
    assert witnesses[changed.id].scenario_version == changed.version - 1
    library.delete(known[1].id)
    assert library.outdated("2", "1", 9)[0] == library.scenarios()[1:]
