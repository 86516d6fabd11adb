"""Scenarios and own entries brought in as one action: all or none, one revision, undone and redone whole."""

from __future__ import annotations

from typing import Any

import pytest

from planner.model.fields import InputError
from planner.model.inputs import default_values
from planner.model.scenario import Scenario
from planner.store import ConflictError, Library, StoreError
from planner.store.importing import Incoming

Entries = list[tuple[str, str, dict[str, Any]]]
CARD: dict[str, Any] = {"id": "card", "memory": [80, 2.5, None]}


def incoming(name: str, batch: int = 2) -> Incoming:
    return Incoming(Scenario(name, default_values() | {"batch": batch}, {"layers": 12.0}, "why"), ("a", "b"), True)


def held(library: Library) -> dict[str, object]:
    return {f"{one.kind} {one.name}": dict(one.document) for one in library.entries()}


def test_all_of_it_is_one_revision_that_is_undone_whole(library: Library) -> None:
    library.put_entry("model", "old", {"size": 1})
    old = library.create(Scenario("Old", default_values(), {"heads": 8.0}))
    before = len(library.history())
    entries: Entries = [("accelerator", "card", CARD), ("model", "old", {"size": 2})]
    taking = Incoming(incoming("Old", 5).scenario, ("t",), False, replaces=old)
    made, replaced = library.bring_in([incoming("New"), taking], entries, why="agreed")
    assert len(library.history()) == before + 1
    assert (made.tags, made.in_fleet, made.scenario.values["batch"]) == (("a", "b"), True, 2)
    assert (replaced.id, replaced.scenario.overrides, replaced.tags) == (old.id, {"layers": 12.0}, ("t",))
    after = {"accelerator card": CARD, "model old": {"size": 2}}
    assert held(library) == after
    revision = library.history(limit=1)[0]
    assert (revision.action, revision.why) == ("import", "agreed")
    assert "accelerator card, model old" in revision.description

    assert library.undo() is not None
    assert held(library) == {"model old": {"size": 1}}
    assert library.get(old.id).scenario == old.scenario
    with pytest.raises(StoreError):
        library.find("New")
    assert library.redo() is not None
    assert held(library) == after
    assert library.find("New").scenario.values["batch"] == 2
    assert library.undo() is not None
    assert held(library) == {"model old": {"size": 1}}


def test_entries_alone_are_undone_too(library: Library) -> None:
    library.bring_in([], [("accelerator", "card", CARD)])
    assert "card" in library.history(limit=1)[0].description
    library.undo()
    assert held(library) == {}
    library.redo()
    assert held(library) == {"accelerator card": CARD}


def test_an_undo_minds_what_became_of_an_entry_since(library: Library) -> None:
    library.bring_in([incoming("New")], [("accelerator", "card", CARD)])
    me, library.database.who = library.who, "somebody else"
    library.put_entry("accelerator", "card", {"id": "card"})
    library.database.who = me
    with pytest.raises(ConflictError, match="accelerator card was changed since"):
        library.undo()
    assert library.find("New").name == "New"
    assert library.undo(force=True) is not None
    assert held(library) == {}


def test_one_that_is_refused_leaves_nothing_behind(library: Library) -> None:
    before = len(library.history()), len(library.scenarios())
    entries: Entries = [("accelerator", "card", CARD)]
    taken = library.scenarios()[0].name
    with pytest.raises(StoreError, match="already a scenario"):
        library.bring_in([incoming("New"), incoming(taken)], entries)
    with pytest.raises(InputError, match="cannot be saved"):
        library.bring_in([incoming("New")], [*entries, ("model", "m", {"x": float("nan")})])
    with pytest.raises(InputError):
        library.bring_in([incoming("New", 0)], entries)
    stale = library.create(Scenario("Stale", default_values()))
    library.set_notes(stale.id, "newer")
    with pytest.raises(StoreError, match="changed meanwhile"):
        library.bring_in([Incoming(incoming("Stale").scenario, replaces=stale)], entries)
    assert held(library) == {}
    assert (len(library.history()), len(library.scenarios())) == (before[0] + 2, before[1] + 1)


def test_several_entries_are_saved_as_one_revision(library: Library) -> None:
    made = library.put_entries([("accelerator", "card", CARD), ("model", "m", {"size": 1})])
    assert [(one.kind, one.name, one.version) for one in made] == [("accelerator", "card", 1), ("model", "m", 1)]
    with pytest.raises(InputError):
        library.put_entries([("accelerator", "other", CARD), ("device", "m", {})])
    assert set(held(library)) == {"accelerator card", "model m"}


def test_several_scenarios_join_the_fleet_in_one_revision(library: Library) -> None:
    first, second, third = library.scenarios()[:3]
    library.set_fleet(third.id, True)
    before = len(library.history())
    library.set_fleets({first.id: True, second.id: True, third.id: False})
    assert [one.in_fleet for one in library.scenarios()[:3]] == [True, True, False]
    assert len(library.history()) == before + 1
    library.undo()
    assert [one.in_fleet for one in library.scenarios()[:3]] == [False, False, True]
    assert library.set_fleets({}) == []
