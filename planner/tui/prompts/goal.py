"""Goal seek in three questions on the message line: which value, by changing what, and whether to set it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from planner.analysis.goal import Goal, changeable, seek
from planner.model.display import display_of, show_field_with_unit, show_with_unit
from planner.model.fields import Field
from planner.model.rows import SHEET
from planner.model.scenario import Result
from planner.tui.cells import field_text
from planner.tui.choices import Option
from planner.tui.lines import MAIN_INPUTS
from planner.tui.prompts.prompt import Prompt
from planner.tui.text import one_line

if TYPE_CHECKING:
    from planner.tui.desk import Desk


class GoalPrompt(Prompt):
    """What a result should be, in its display unit."""

    verb = "Go on"

    def __init__(self, desk: Desk, row: str) -> None:
        super().__init__()
        self.row = SHEET.rows[row]
        self.column = desk.column
        self.unit = display_of(self.row)
        self.title = f"{self.row.label} should be{f' ({self.unit.unit})' if self.unit.unit else ''}"

    def opened(self, desk: Desk) -> None:
        """Say what it is now."""
        desk.say(f"now {one_line(show_with_unit(self.row, desk.book.result(self.column, self.row.name)))}")

    def submit(self, desk: Desk) -> None:
        """Ask what may be changed."""
        wanted = Field(name=self.row.name, label=self.row.label, group="", kind="real", unit=self.unit.unit)
        with desk.sentences():
            value = wanted.parse(self.buffer.text)
            if isinstance(value, (int, float)):
                desk.open(ByChangingPrompt(desk, self, float(value) / self.unit.factor))


class ByChangingPrompt(Prompt):
    """Which input may change."""

    title = "By changing"
    verb = "Find it"

    def __init__(self, desk: Desk, goal: GoalPrompt, target: float) -> None:
        self.goal = goal
        self.target = target
        fields = sorted(changeable(goal.row.name), key=lambda field: field.name not in MAIN_INPUTS)
        now = {field.name: desk.book.present(goal.column, field.name) for field in fields}
        details = {field.name: one_line(show_field_with_unit(field, now[field.name])) for field in fields}
        super().__init__("", [Option(field.label, f"now {details[field.name]}", value=field) for field in fields])

    def opened(self, desk: Desk) -> None:
        """Say what the list is."""
        desk.say(f"the inputs and facts that {self.goal.row.label} rests on")

    def submit(self, desk: Desk) -> None:
        """Look for the value and propose it."""
        option = self.option
        if option is None or not isinstance(option.value, Field):
            desk.say(f"{self.goal.row.label} rests on nothing called '{self.buffer.text}'.", error=True)
            return
        with desk.sentences():
            scenario = desk.book.columns[self.goal.column].scenario
            found = seek(scenario, self.goal.row.name, self.target, option.value, desk.book.catalog)
            desk.open(SetGoalPrompt(self.goal, found))


class SetGoalPrompt(Prompt):
    """The value that was found, to be set as one action, changed, or left."""

    verb = "Set it"

    def __init__(self, goal: GoalPrompt, found: Goal) -> None:
        super().__init__(found.field.edit_text(found.value))
        self.goal = goal
        self.found = found
        self.title = f"{found.field.label}{f' ({found.field.unit})' if found.field.unit else ''}"

    def opened(self, desk: Desk) -> None:
        """Say what the value brings."""
        shown = show_with_unit(self.goal.row, Result(self.found.reached))
        desk.say(one_line(f"gives {self.goal.row.label} {shown}"))

    def edited(self, desk: Desk) -> None:
        """Another value was typed: what was found no longer holds."""
        desk.say("")

    def submit(self, desk: Desk) -> None:
        """Set the value."""
        field, column = self.found.field, self.goal.column
        with desk.sentences():
            value = field.parse(self.buffer.text)
            text = f"{desk.scenario_name(column)} ▸ {field.label}: {field_text(field, value)}"
            if desk.save([(column, field.name, value)], text) and desk.prompt is self:
                desk.close()
                result = desk.book.result(column, self.goal.row.name)
                desk.say(f"{text}; {self.goal.row.label} is {show_with_unit(self.goal.row, result)}")
