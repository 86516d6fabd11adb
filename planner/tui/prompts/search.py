"""Finding a line by what it says, and going to a line or scenario by its name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from planner.tui.choices import Option
from planner.tui.lines import Line, all_lines
from planner.tui.prompts.prompt import Prompt
from planner.tui.text import one_line

if TYPE_CHECKING:
    from planner.tui.desk import Desk

WHAT = {"input": "input", "fact": "fact", "result": "result", "verdict": "result"}


def matches(line: Line, words: list[str]) -> bool:
    """Whether every word stands in the line's label, name or section."""
    text = f"{line.label} {line.name} {line.name.replace('_', ' ')} {line.section}".casefold()
    return all(word in text for word in words)


def find_next(desk: Desk, text: str, *, start: int = 1) -> bool:
    """Put the cursor on the next line, hidden ones included, that ``text`` matches. False where there is none."""
    words = text.casefold().split()
    order = list(all_lines().values())
    if not words or not order:
        return False
    names = [line.name for line in order]
    here = names.index(desk.item.name) if desk.item.name in names else -1
    for step in range(start, len(order) + start):
        line = order[(here + step) % len(order)]
        if matches(line, words):
            desk.go_to(line.name)
            return True
    return False


class FindPrompt(Prompt):
    """A search that goes to the first match while it is typed."""

    title = "Find"
    verb = "Stay here"

    def __init__(self, desk: Desk) -> None:
        super().__init__()
        self.came_from = (desk.item.name, desk.column)

    def edited(self, desk: Desk) -> None:
        """Go to the first match at or below where the search began."""
        name, column = self.came_from
        place = desk.outline.place(name)
        if place is not None:
            desk.cursor.go(place, column)
        found = find_next(desk, self.buffer.text, start=0)
        desk.say("" if found or not self.buffer.text else f"Nothing is called '{self.buffer.text}'.", error=not found)
        desk.stale.everything = True

    def submit(self, desk: Desk) -> None:
        """Stay where the search led."""
        if self.buffer.text:
            desk.sought = self.buffer.text
        desk.close()
        desk.say("F3 finds the next one." if desk.sought else "")

    def cancel(self, desk: Desk) -> None:
        """Go back to where the search began."""
        desk.close()
        place = desk.outline.place(self.came_from[0])
        desk.cursor.go(place if place is not None else desk.cursor.row, self.came_from[1])
        desk.stale.everything = True
        desk.say("")


class GoToPrompt(Prompt):
    """Going to an input, fact, result or scenario by its name."""

    title = "Go to"
    verb = "Go"

    def __init__(self, desk: Desk) -> None:
        scenarios = [
            Option(one_line(column.name), "scenario", value=place) for place, column in enumerate(desk.book.columns)
        ]
        lines = [
            Option(line.label, f"{WHAT[line.kind]} in {line.section} · {line.name}", value=line.name)
            for line in all_lines().values()
        ]
        super().__init__("", [*scenarios, *lines])

    def submit(self, desk: Desk) -> None:
        """Go there."""
        option = self.option
        if option is None:
            desk.say(f"Nothing is called '{self.buffer.text}'.", error=True)
            return
        desk.close()
        if isinstance(option.value, int):
            desk.cursor.go(desk.cursor.row, option.value)
        else:
            desk.go_to(str(option.value))
