"""Undo, redo, restore, conflicts: nothing that was done is ever lost, and undo then redo changes nothing."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

import catalog.load
import planner
from planner.model.fields import InputError
from planner.model.scenario import Scenario
from planner.store import Change, ConflictError, Library, NotFoundError, Stored, StoreError, open_library
from planner.store.maintenance import purge

Make = Callable[..., Scenario]
State = list[tuple[int, bool, Scenario, tuple[str, ...], bool]]


def state(library: Library) -> State:
    """All that a person can see of a workspace."""
    return [(one.id, one.is_baseline, one.scenario, one.tags, one.in_fleet) for one in library.scenarios()]


def test_everything_can_be_undone_and_redone_across_restarts(where: str, scenario: Make) -> None:
    with open_library(where) as library:
        first, second, third, *_ = library.scenarios()
    shares = tuple([0.5, 0.5] + [0.0] * 22)
    deeds: list[Callable[[Library], object]] = [
        lambda x: x.create(scenario("new", "notes", batch=3)),
        lambda x: x.edit([Change(first.id, "batch", 4), Change(second.id, "weight_bytes", 1e11)]),
        lambda x: x.edit([Change(first.id, "hourly_profile", shares)]),
        lambda x: x.edit([Change(second.id, "measured_weight_bytes", None), Change(first.id, "batch", None)]),
        lambda x: x.rename(second.id, "second"),
        lambda x: x.copy(second.id, "another"),
        lambda x: x.set_notes(first.id, "new notes"),
        lambda x: x.tag(first.id, "a", "b"),
        lambda x: x.set_fleet(first.id, True),
        lambda x: x.set_baseline(third.id),
        lambda x: x.reorder([third.id, second.id]),
        lambda x: x.delete(third.id),
        lambda x: x.delete(first.id, second.id),
        lambda x: x.undelete(second.id),
    ]
    seen = []
    for deed in deeds:
        with open_library(where) as library:
            seen.append(state(library))
            deed(library)
    with open_library(where) as library:
        seen.append(state(library))
    for expected in reversed(seen[:-1]):
        with open_library(where) as library:
            assert library.undo() is not None
            assert state(library) == expected
    with open_library(where) as library:
        assert library.undo() is None
    for expected in seen[1:]:
        with open_library(where) as library:
            assert library.redo() is not None
            assert state(library) == expected
    with open_library(where) as library:
        assert library.redo() is None


def test_a_new_action_ends_redo(library: Library) -> None:
    first = library.scenarios()[0]
    library.edit([Change(first.id, "batch", 2)])
    library.edit([Change(first.id, "batch", 3)])
    library.undo()
    library.edit([Change(first.id, "batch", 5)])
    assert library.redo() is None
    library.undo()
    library.undo()
    assert library.get(first.id).scenario.values["batch"] == 1
    assert library.undo() is None
    assert len(library.history(first.id)) == 7


def test_history_says_what_was_and_is(library: Library) -> None:
    first = library.scenarios()[0]
    library.edit([Change(first.id, "batch", 4)], why="measured")
    library.edit([Change(first.id, "weight_bytes", 1.5e10)])
    library.undo()
    undo, fact, edit, created = library.history(first.id)
    assert edit.description == "'Toy 7B': Fixed batch 1 sequences → 4 sequences"
    assert (edit.before, edit.after) == ({first.id: {"batch": 1.0}}, {first.id: {"batch": 4.0}})
    assert (edit.scenario_id, edit.why, edit.action) == (first.id, "measured", "edit")
    assert fact.description.startswith("'Toy 7B': Measured weight bytes the catalogue's → 15")
    assert undo.description == f"Undo: {fact.description}"
    assert undo.undoes == fact.id
    assert created.action == "examples"
    assert (edit.program_version, edit.catalogue_version) == (planner.__version__, catalog.load.version())
    assert [one.sequence for one in library.history(limit=2)] == [undo.sequence, fact.sequence]
    assert [one.id for one in library.history(before=edit.sequence, limit=1)] == [created.id]


def test_restore_brings_back_any_revision(library: Library) -> None:
    first = library.scenarios()[0]
    library.edit([Change(first.id, "batch", 4)])
    (wanted, *_) = library.history(first.id)
    library.edit([Change(first.id, "batch", 9), Change(first.id, "weight_bytes", 1.5e10)])
    library.rename(first.id, "other")
    library.delete(first.id)
    revision = library.restore(wanted.id)
    assert revision.action == "restore"
    restored = library.find("Toy 7B")
    assert restored.scenario.values["batch"] == 4
    assert restored.scenario.overrides == {}
    library.undo()
    with pytest.raises(NotFoundError):
        library.find("Toy 7B")
    library.redo()
    with pytest.raises(StoreError, match="already what they were"):
        library.restore(wanted.id)
    with pytest.raises(NotFoundError, match="no revision 999"):
        library.restore(999)


def test_diff_of_revisions(library: Library) -> None:
    first = library.scenarios()[0]
    created = library.history(first.id)[0]
    library.edit([Change(first.id, "batch", 4), Change(first.id, "weight_bytes", 1.5e10)])
    then = library.scenario_at(first.id, created.id)
    assert then == first.scenario
    found = library.diff(then, library.get(first.id).scenario)
    assert [(one.name, one.first, one.second) for one in found] == [
        ("batch", 1.0, 4.0),
        ("measured_weight_bytes", None, 1.5e10),
    ]


def as_other(where: str) -> Library:
    """The same library as another person has it open."""
    library = open_library(where)
    library.database.who = "other"
    return library


def test_different_fields_merge_and_the_same_field_conflicts(where: str) -> None:
    with open_library(where) as mine, as_other(where) as theirs:
        seen = mine.scenarios()[0]
        theirs.edit([Change(seen.id, "prompt_tokens", 700, seen.version)])
        (merged,) = mine.edit([Change(seen.id, "output_tokens", 70, seen.version)])
        assert (merged.scenario.values["prompt_tokens"], merged.scenario.values["output_tokens"]) == (700, 70)
        before = mine.last_revision()
        with pytest.raises(ConflictError, match=r"mine 900 tokens, theirs 700 tokens, before 500 tokens") as caught:
            mine.edit([Change(seen.id, "batch", 3), Change(seen.id, "prompt_tokens", 900, seen.version)])
        (conflict,) = caught.value.conflicts
        assert (conflict.mine, conflict.theirs, conflict.base, conflict.who) == (900, 700, 500, "other")
        assert caught.value.exit_code == 75
        assert mine.last_revision() == before
        # The person chooses mine: the same change, on the version that the conflict showed.
        (chosen,) = mine.edit([Change(seen.id, "prompt_tokens", 900, conflict.version)])
        assert chosen.scenario.values["prompt_tokens"] == 900


def test_the_same_value_from_two_people_is_no_conflict(where: str) -> None:
    with open_library(where) as mine, as_other(where) as theirs:
        seen = mine.scenarios()[0]
        theirs.edit([Change(seen.id, "prompt_tokens", 700, seen.version)])
        mine.edit([Change(seen.id, "prompt_tokens", 700, seen.version)])
        theirs.edit([Change(seen.id, "batch", 7)])
        theirs.undo()
        mine.edit([Change(seen.id, "batch", 9, seen.version)])


def test_undo_takes_back_ones_own_and_asks_where_others_changed_it(where: str) -> None:
    with open_library(where) as mine, as_other(where) as theirs:
        first, second, *_ = mine.scenarios()
        mine.edit([Change(first.id, "batch", 4)])
        theirs.edit([Change(second.id, "batch", 8)])
        theirs.edit([Change(first.id, "prompt_tokens", 77)])
        undone = mine.undo()
        assert undone is not None
        assert undone.scenario_id == first.id
        assert mine.get(first.id).scenario.values["prompt_tokens"] == 77
        assert mine.get(second.id).scenario.values["batch"] == 8
        mine.redo()
        theirs.edit([Change(first.id, "batch", 5)])
        with pytest.raises(ConflictError, match="was changed by other since") as caught:
            mine.undo()
        (conflict,) = caught.value.conflicts
        assert (conflict.mine, conflict.theirs, conflict.base) == (1, 5, 4)
        assert mine.undo(force=True) is not None
        assert mine.get(first.id).scenario.values["batch"] == 1
        assert theirs.get(first.id).scenario.values["batch"] == 1


def test_undo_of_a_deletion_whose_name_is_taken_says_so(where: str, scenario: Make) -> None:
    with open_library(where) as mine, as_other(where) as theirs:
        first = mine.scenarios()[0]
        mine.delete(first.id)
        theirs.create(scenario("TOY 7b"))
        with pytest.raises(StoreError, match="already a scenario 'TOY 7b'"):
            mine.undo()


def test_an_edit_of_what_was_deleted_says_so(where: str) -> None:
    with open_library(where) as mine, as_other(where) as theirs:
        first = mine.scenarios()[0]
        theirs.delete(first.id)
        with pytest.raises(NotFoundError, match="'Toy 7B' was deleted; nothing was changed"):
            mine.edit([Change(first.id, "batch", 4)])


class Editing(RuleBasedStateMachine):
    """Random actions, undone and redone, against a list of the states that were seen."""

    @initialize()
    def start(self) -> None:
        self.folder = tempfile.TemporaryDirectory()
        self.library = open_library(Path(self.folder.name) / "plan.db")
        self.done = [state(self.library)]
        self.at = 0
        self.names = 0

    def teardown(self) -> None:
        if hasattr(self, "library"):
            self.library.close()
            self.folder.cleanup()

    def act(self, deed: Callable[[], object]) -> None:
        before = self.library.last_revision()
        deed()
        if self.library.last_revision() != before:
            self.done[self.at + 1 :] = [state(self.library)]
            self.at += 1

    def pick(self, number: int) -> Stored:
        found = self.library.scenarios()
        return found[number % len(found)]

    def name(self) -> str:
        self.names += 1
        return f"name {self.names}"

    def any_left(self) -> bool:
        return bool(self.library.scenarios())

    @precondition(any_left)
    @rule(which=st.integers(0, 9), value=st.one_of(st.none(), st.floats(1, 1e6)), other=st.integers(1, 10_000))
    def edit(self, which: int, value: float | None, other: int) -> None:
        one = self.pick(which)
        self.act(
            lambda: self.library.edit([Change(one.id, "batch", value), Change(self.pick(other).id, "max_batch", other)])
        )

    @precondition(any_left)
    @rule(which=st.integers(0, 9), value=st.one_of(st.none(), st.floats(1, 1e14)))
    def override(self, which: int, value: float | None) -> None:
        self.act(lambda: self.library.edit([Change(self.pick(which).id, "peak_flops", value)]))

    @precondition(any_left)
    @rule(which=st.integers(0, 9))
    def copy(self, which: int) -> None:
        self.act(lambda: self.library.copy(self.pick(which).id, self.name()))

    @precondition(any_left)
    @rule(which=st.integers(0, 9))
    def rename(self, which: int) -> None:
        self.act(lambda: self.library.rename(self.pick(which).id, self.name()))

    @precondition(any_left)
    @rule(which=st.lists(st.integers(0, 9), min_size=1, max_size=3))
    def delete(self, which: list[int]) -> None:
        ids = {self.pick(one).id for one in which}
        self.act(lambda: self.library.delete(*ids))

    @precondition(any_left)
    @rule(which=st.integers(0, 9))
    def baseline(self, which: int) -> None:
        self.act(lambda: self.library.set_baseline(self.pick(which).id))

    @precondition(any_left)
    @rule(which=st.lists(st.integers(0, 9), max_size=4))
    def reorder(self, which: list[int]) -> None:
        self.act(lambda: self.library.reorder([self.pick(one).id for one in which]))

    @precondition(any_left)
    @rule(which=st.integers(0, 9), notes=st.text(alphabet="abÜ🙂\n", max_size=9))
    def notes(self, which: int, notes: str) -> None:
        self.act(lambda: self.library.set_notes(self.pick(which).id, notes))

    @precondition(any_left)
    @rule(which=st.integers(0, 9))
    def refused(self, which: int) -> None:
        with pytest.raises(InputError):
            self.library.edit([Change(self.pick(which).id, "pue", 2), Change(self.pick(which).id, "batch", -1)])

    @rule()
    def undo(self) -> None:
        assert (self.library.undo() is not None) == (self.at > 0)
        self.at = max(0, self.at - 1)

    @rule()
    def redo(self) -> None:
        assert (self.library.redo() is not None) == (self.at < len(self.done) - 1)
        self.at = min(len(self.done) - 1, self.at + 1)

    @rule()
    def restart(self) -> None:
        self.library.close()
        self.library = open_library(Path(self.folder.name) / "plan.db", create=False)

    @invariant()
    def is_what_it_was(self) -> None:
        if hasattr(self, "library"):
            assert state(self.library) == self.done[self.at]
            if self.done[self.at]:
                assert [baseline for _, baseline, *_ in self.done[self.at]].count(True) == 1


TestEditing = Editing.TestCase
TestEditing.settings = settings(max_examples=8, stateful_step_count=25, deadline=None)


def test_what_is_done_to_workspaces_is_undone_and_redone_across_restarts(where: str) -> None:
    def names() -> list[str]:
        with open_library(where) as library:
            return [one.name for one in library.workspaces()]

    def step(direction: str) -> str | None:
        with open_library(where) as library:
            library.use_workspace("Examples")
            revision = getattr(library, direction)()
            assert library.workspace.name in [one.name for one in library.workspaces()]
            return revision.description if revision is not None else None

    with open_library(where) as library:
        library.create_workspace("B", notes="first")
        library.rename_workspace("B", "C")
        library.set_workspace_notes("C", "second")
        library.edit([Change(1, "batch", 3)])
        library.use_workspace("C")
        library.delete_workspace("C")
        library.create_workspace("D")
        library.use_workspace("D")
        at_the_end = library.workspaces()
    told = [
        "Created workspace 'D'",
        "Deleted workspace 'C'",
        "'Toy 7B': Fixed batch 1 sequences → 3 sequences",
        "Changed the notes of workspace 'C'",
        "Renamed workspace 'B' to 'C'",
        "Created workspace 'B'",
    ]
    after = [["C", "Examples"], ["B", "Examples"], ["Examples"]]
    assert step("undo") == f"Undo: {told[0]}"
    assert names() == ["Examples"]
    assert step("undo") == f"Undo: {told[1]}"
    assert names() == ["C", "Examples"]
    with open_library(where) as library:
        assert (library.workspace.name, library.workspaces()[0].notes) == ("Examples", "second")
    assert [step("undo") for _ in told[2:]] == [f"Undo: {one}" for one in told[2:]]
    assert names() == after[-1]
    assert step("undo") is None
    assert [step("redo") for _ in told] == [f"Redo: {one}" for one in reversed(told)]
    assert step("redo") is None
    with open_library(where) as library:
        assert [(one.name, one.notes) for one in library.workspaces()] == [(one.name, one.notes) for one in at_the_end]
        assert library.get(1).scenario.values["batch"] == 3


def test_a_workspace_that_holds_scenarios_is_not_taken_back(where: str, scenario: Make) -> None:
    with open_library(where) as library:
        library.create_workspace("B")
        library.use_workspace("B")
        library.create(scenario("one"))
        library.use_workspace("Examples")
        # Its scenario would go with it, which was made later and elsewhere.
        assert library.undo() is None
        library.use_workspace("B")
        for words in ("Undo: Created 'one'", "Undo: Created workspace 'B'"):
            undone = library.undo()
            assert undone is not None
            assert undone.description == words
        assert library.workspace.name == "Examples"
        assert library.undo() is None


def test_undo_of_a_workspace_that_others_changed_asks(where: str) -> None:
    with open_library(where) as mine, open_library(where) as theirs:
        theirs.database.who = "somebody"
        mine.create_workspace("B")
        mine.rename_workspace("B", "C")
        theirs.rename_workspace("C", "D")
        with pytest.raises(ConflictError, match="The name of workspace 'D' was changed since") as caught:
            mine.undo()
        (conflict,) = caught.value.conflicts
        assert (conflict.mine, conflict.theirs, conflict.base) == ("B", "D", "C")
        assert mine.undo(force=True) is not None
        assert [one.name for one in theirs.workspaces()] == ["B", "Examples"]
        theirs.delete_workspace("B")
        mine.create_workspace("b")
        undone = theirs.undo
        with pytest.raises(StoreError, match="already a workspace 'b'"):
            undone()
        mine.rename_workspace("b", "other")
        assert undone() is not None
        assert [one.name for one in mine.workspaces()] == ["B", "Examples", "other"]


def test_own_entries_are_undone_and_redone(where: str) -> None:
    with open_library(where) as library:
        library.put_entry("accelerator", "card", {"gb": 1})
        library.put_entry("accelerator", "card", {"gb": 2})
        library.put_entries([("model", "m", {"a": 1}), ("model", "n", {"a": 2})])
        library.delete_entry("accelerator", "card")

    def state() -> dict[str, object]:
        with open_library(where) as library:
            return {one.name: dict(one.document) for one in library.entries()}

    states = [state()]
    for _ in range(4):
        with open_library(where) as library:
            assert library.undo() is not None
        states.append(state())
    cards = [{"card": {"gb": 1}}, {"card": {"gb": 2}}]
    both = {"m": {"a": 1}, "n": {"a": 2}}
    assert states == [both, {**cards[1], **both}, cards[1], cards[0], {}]
    with open_library(where) as library:
        assert library.undo() is None
    for expected in reversed(states[:-1]):
        with open_library(where) as library:
            assert library.redo() is not None
        assert state() == expected


def test_a_purge_is_not_undone(where: str) -> None:
    with open_library(where) as library:
        library.edit([Change(5, "batch", 3)])
        library.delete(5)
        assert purge(library, 0)["scenarios"] == 1
        assert library.undo() is None
        assert library.deleted_scenarios() == []
        assert len(library.scenarios()) == 4


def test_what_a_later_rule_calls_contradictory_stays_readable(library: Library) -> None:
    """Rules that join inputs come with later versions; what was saved before them is shown as it was."""
    library.edit([Change(1, "prompt_tokens", 600)])
    with library.database.engine.begin() as connection:
        connection.exec_driver_sql("UPDATE scenario SET cached_share = 0.9, cache_write_share = 0.9 WHERE id = 1")
    library.snapshot("kept")
    stored = library.get(1)
    assert not stored.damaged
    assert library.snapshot_scenarios("kept")[0] == stored.scenario
    with pytest.raises(InputError, match="Cached share"):
        library.edit([Change(1, "prompt_tokens", 700)])
    (mended,) = library.edit([Change(1, "prompt_tokens", 700), Change(1, "cached_share", 0.1)])
    assert mended.scenario.values["cached_share"] == 0.1
    assert library.scenario_at(1, library.last_revision()).values["prompt_tokens"] == 700
