"""Saving scenarios and finding them again."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from planner.model.fields import InputError
from planner.model.scenario import Scenario
from planner.store import Change, Library, NotFoundError, StoreError, open_library
from planner.store.examples import example_scenarios

Make = Callable[..., Scenario]


def names(library: Library) -> list[str]:
    return [stored.name for stored in library.scenarios()]


def test_a_new_library_holds_the_examples(library: Library) -> None:
    found = library.scenarios()
    assert [stored.scenario for stored in found] == example_scenarios()
    assert [stored.position for stored in found] == [0, 1, 2, 3, 4]
    assert [stored.is_baseline for stored in found] == [True, False, False, False, False]
    assert not any(stored.damaged for stored in found)
    assert library.workspace.name == "Examples"


def test_what_is_saved_is_there_after_a_restart(where: str, scenario: Make) -> None:
    shares = tuple([1 / 24] * 24)
    with open_library(where) as library:
        first = library.create(scenario("service", "two\nlines", hourly_profile=shares, batch=2.5, users=None))
        library.edit([Change(first.id, "weight_bytes", 7.5e10), Change(first.id, "prompt_tokens", 123)])
        library.tag(first.id, "prod", "Prod", "eu")
    with open_library(where, create=False) as library:
        again = library.find("SERVICE")
        assert again.scenario.values["hourly_profile"] == shares
        assert again.scenario.values["prompt_tokens"] == 123
        assert again.scenario.values["batch"] == 2.5
        assert again.scenario.overrides == {"measured_weight_bytes": 7.5e10}
        assert again.scenario.notes == "two\nlines"
        assert again.tags == ("eu", "prod")
        assert again.version == first.version + 2


def test_a_refused_value_changes_nothing(library: Library) -> None:
    first = library.scenarios()[0]
    with pytest.raises(InputError, match="Fixed batch"):
        library.edit([Change(first.id, "prompt_tokens", 7), Change(first.id, "batch", -1)])
    with pytest.raises(InputError, match="must be at least 1 token"):
        library.edit([Change(first.id, "output_tokens", 0)])
    with pytest.raises(InputError, match="prompt_tokens"):
        library.edit([Change(first.id, "promt_tokens", 7)])
    assert library.scenarios()[0] == first


def test_an_edit_that_changes_nothing_leaves_no_trace(library: Library) -> None:
    first = library.scenarios()[0]
    before = library.last_revision()
    assert library.edit([Change(first.id, "batch", first.scenario.values["batch"])]) == [first]
    assert library.last_revision() == before


def test_one_edit_of_several_scenarios_is_one_revision(library: Library) -> None:
    one, two, *_ = library.scenarios()
    changed = library.edit([Change(one.id, "batch", 4), Change(two.id, "batch", 8)], why="try batches")
    assert [stored.scenario.values["batch"] for stored in changed] == [4, 8]
    (revision, *_) = library.history()
    assert revision.why == "try batches"
    assert revision.scenario_id is None
    assert revision.before == {one.id: {"batch": 1}, two.id: {"batch": 1}}
    assert revision.after == {one.id: {"batch": 4}, two.id: {"batch": 8}}


def test_names_are_unique_whatever_their_case(library: Library, scenario: Make) -> None:
    library.create(scenario("Straße"))
    with pytest.raises(StoreError, match="already a scenario 'Straße'"):
        library.create(scenario("STRASSE"))
    other = library.create(scenario("other"))
    with pytest.raises(StoreError, match="already"):
        library.rename(other.id, "strasse")
    library.rename(other.id, "Other")
    library.delete(other.id)
    library.create(scenario("other"))


@pytest.mark.parametrize("name", ["", "  ", "\u200b", "a\x1b[31m", "a\nb", "a\u202eb", "x" * 121, "a\0b"])
def test_names_that_are_refused(library: Library, scenario: Make, name: str) -> None:
    with pytest.raises(InputError):
        library.create(scenario(name))
    assert len(library.scenarios()) == 5


@pytest.mark.parametrize("name", ["'); DROP TABLE scenario;--", "100%_\\", "=1+1", "模型 [b]x[/b]", "x" * 120, "🙂/é"])
def test_names_that_are_kept_as_they_are(library: Library, scenario: Make, name: str) -> None:
    library.create(scenario(name))
    assert library.find(name).name == name


def test_order_copy_and_delete(library: Library, scenario: Make) -> None:
    one, two, *rest = library.scenarios()
    library.copy(one.id, "copy")
    assert names(library)[:3] == [one.name, "copy", two.name]
    library.create(scenario("late"), after=two.id)
    library.reorder([rest[0].id, one.id])
    assert names(library)[:4] == [rest[0].name, one.name, "copy", two.name]
    library.delete(one.id)
    assert names(library)[0] == rest[0].name
    assert [stored.is_baseline for stored in library.scenarios()].index(True) == 0
    assert [stored.name for stored in library.deleted_scenarios()] == [one.name]


def test_a_copy_with_other_values_is_one_action(library: Library) -> None:
    first = library.scenarios()[0]
    copied = library.copy(first.id, "mine", {"batch": 9, "weight_bytes": 1e10})
    assert copied.scenario.values["batch"] == 9
    assert copied.scenario.overrides == {"measured_weight_bytes": 1e10}
    assert library.get(first.id) == first
    with pytest.raises(InputError):
        library.copy(first.id, "other", {"batch": -1})
    library.undo()
    assert len(library.scenarios()) == 5


def test_many_insertions_at_one_place(library: Library, scenario: Make) -> None:
    first = library.scenarios()[0]
    for number in range(30):
        library.create(scenario(f"n{number}"), after=first.id)
    assert names(library)[1:31] == [f"n{number}" for number in reversed(range(30))]


def test_find_names_the_nearest(library: Library) -> None:
    with pytest.raises(NotFoundError, match="nearest: Toy 7B") as caught:
        library.find("Toy 8B")
    assert caught.value.exit_code == 66
    assert library.find("examples/toy 7b").name == "Toy 7B"


def test_workspaces(where: str, scenario: Make) -> None:
    with open_library(where) as library:
        library.create_workspace("Budget 2027")
        with pytest.raises(StoreError, match="already a workspace"):
            library.create_workspace("BUDGET 2027")
        library.use_workspace("budget 2027")
        library.create(scenario("Toy 7B"))
        assert library.find("Toy 7B").is_baseline
        assert [(one.name, one.scenarios) for one in library.workspaces()] == [("Budget 2027", 1), ("Examples", 5)]
    with open_library(where) as library:
        assert library.workspace.name == "Budget 2027"
        library.delete_workspace("Budget 2027")
        assert library.workspace.name == "Examples"
        with pytest.raises(StoreError, match="only workspace"):
            library.delete_workspace("Examples")
        library.undelete_workspace("Budget 2027")
        assert library.find("Budget 2027/Toy 7B").workspace == "Budget 2027"


def test_search(library: Library) -> None:
    first, second, *_ = library.scenarios()
    library.tag(first.id, "seed")
    library.tag(second.id, "seed", "h100")
    assert [stored.name for stored in library.search("ARTICLES")] == []
    assert [stored.name for stored in library.search("llama h200")] == ["70B fp8, 1 x H200"]
    assert len(library.search(tags=["Seed"])) == 2
    assert len(library.search("h100", tags=["seed"])) == 1


def test_snapshots_do_not_change(library: Library) -> None:
    before = [stored.scenario for stored in library.scenarios()]
    snapshot = library.snapshot("sent to finance", notes="first offer")
    library.edit([Change(library.scenarios()[0].id, "batch", 99)])
    assert library.snapshot_scenarios("Sent to Finance") == before
    assert library.snapshots() == [snapshot]
    assert snapshot.scenarios == 5
    with pytest.raises(StoreError, match="already a snapshot"):
        library.snapshot("Sent To Finance")


def test_own_catalogue_entries(library: Library) -> None:
    library.put_entry("accelerator", "my-gpu", {"memory_gib": 80})
    changed = library.put_entry("accelerator", "My-GPU", {"memory_gib": 96})
    assert library.entries() == [changed]
    assert changed.document == {"memory_gib": 96}
    with pytest.raises(InputError, match="cannot be saved"):
        library.put_entry("model", "m", {"x": float("nan")})
    library.delete_entry("accelerator", "my-gpu")
    assert library.entries("accelerator") == []


def test_what_did_not_change_is_not_read_again(library: Library, scenario: Callable[..., Scenario]) -> None:
    library.create_many([scenario(f"s{number}") for number in range(20)])
    known = library.scenarios()
    first, second, *_, last = known
    for act in (
        lambda: library.edit([Change(first.id, "batch", 3)]),
        lambda: library.reorder([last.id]),
        lambda: library.set_baseline(second.id),
        lambda: library.delete(first.id, last.id),
        library.undo,
        lambda: library.tag(last.id, "blue"),
        lambda: library.create(scenario("new"), after=first.id),
        lambda: library.rename_workspace("Examples", "Other"),
        lambda: library.delete(*[one.id for one in library.scenarios()]),
    ):
        act()
        again = library.scenarios(known)
        assert again == library.scenarios()
        known = again
    assert known == []
    library.undo()
    known = library.scenarios()
    (edited,) = library.edit([Change(known[3].id, "batch", 5)])
    again = library.scenarios(known)
    assert again[3] == edited
    assert [one is other for one, other in zip(again, known, strict=True)].count(False) == 1
