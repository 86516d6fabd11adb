"""The same cell changed here and elsewhere: mine, theirs, or a scenario of its own for mine."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from planner.model.facts import FACT_FIELDS
from planner.model.inputs import INPUTS
from planner.store.errors import ConflictError
from planner.store.records import Json
from planner.tui.book import Edit
from planner.tui.choices import Option
from planner.tui.prompts.prompt import Prompt
from planner.tui.text import one_line

if TYPE_CHECKING:
    from planner.tui.desk import Desk

MINE, THEIRS, COPY = "Keep mine", "Take theirs", "Mine as a new scenario"


def _shown(name: str, value: Json) -> str:
    field = INPUTS.get(name) or FACT_FIELDS.get(name)
    if value is None:
        return "blank"
    if isinstance(value, list):
        return " ".join(str(part) for part in value)
    known = isinstance(value, (bool, int, float, str)) and field is not None
    return one_line(field.show(value) if known and field is not None else str(value))  # type: ignore[arg-type]


class ConflictPrompt(Prompt):
    """Three ways out of a conflict, each with the value that it leads to. Nothing was saved yet."""

    title = "Changed elsewhere"
    verb = "Do so"

    def __init__(self, edits: Sequence[Edit], error: ConflictError) -> None:
        self.edits = list(edits)
        first = error.conflicts[0]
        self.scenario_id = first.scenario_id
        who = f" by {one_line(first.who)}" if first.who else ""
        label = (INPUTS.get(first.name) or FACT_FIELDS[first.name]).label
        base, more = _shown(first.name, first.base), len(error.conflicts) - 1
        others = f" and {more} more" if more else ""
        self.sentence = f"{label} of {first.scenario} was changed elsewhere{who}{others}; before, it was {base}."
        options = [
            Option(MINE, f"{label} = {_shown(first.name, first.mine)}"),
            Option(THEIRS, f"{label} = {_shown(first.name, first.theirs)}"),
            Option(COPY, f"a copy with {label} = {_shown(first.name, first.mine)}"),
        ]
        super().__init__("", options)

    def opened(self, desk: Desk) -> None:
        """Say what happened."""
        desk.say(self.sentence, error=True)

    def submit(self, desk: Desk) -> None:
        """Do what is highlighted."""
        option = self.option
        if option is None:
            return
        with desk.sentences():
            edits = self._after_reload(desk)
            desk.close()
            if option.text == MINE:
                desk.save(edits, "Kept mine", force=True)
            elif option.text == COPY:
                self._copy(desk, edits)
            else:
                desk.say("Took theirs.")

    def cancel(self, desk: Desk) -> None:
        """Nothing was saved: theirs stays."""
        with desk.sentences():
            self._after_reload(desk)
            desk.close()
            desk.say("Took theirs; nothing of yours was saved.")

    def _after_reload(self, desk: Desk) -> list[Edit]:
        """The edits at the columns where their scenarios stand after reading everything again."""
        ids = [desk.book.columns[place].id for place, _, _ in self.edits]
        desk.book.reload()
        desk.reloaded()
        places = [(desk.book.place_of(scenario_id), edit) for scenario_id, edit in zip(ids, self.edits, strict=True)]
        return [(place, name, value) for place, (_, name, value) in places if place is not None]

    def _copy(self, desk: Desk, edits: list[Edit]) -> None:
        for place in sorted({place for place, _, _ in edits}, reverse=True):
            changes = {name: value for at, name, value in edits if at == place}
            scenario = desk.book.attempt(place, changes).scenario
            name = desk.book.free_name(f"{scenario.name} (mine)")
            at = desk.book.create(replace(scenario, name=name))
            desk.reloaded(at)
            desk.saved(f"Saved yours as {name}")


class StepConflictPrompt(Prompt):
    """Undoing (or redoing) what somebody else has changed since."""

    title = "Changed elsewhere"
    verb = "Do so"

    def __init__(self, sentence: str, how: str, force: Callable[[], None]) -> None:
        self.sentence = sentence
        self.force = force
        options = [Option(THEIRS, f"do not {how}"), Option(f"{how.title()} all the same", "over their change")]
        super().__init__("", options)

    def opened(self, desk: Desk) -> None:
        """Say what happened."""
        desk.say(self.sentence, error=True)

    def submit(self, desk: Desk) -> None:
        """Do what is highlighted."""
        option = self.option
        if option is None:
            return
        desk.close()
        desk.say("")
        if option.text == THEIRS:
            desk.book.reload()
            desk.reloaded()
        else:
            with desk.sentences():
                self.force()
