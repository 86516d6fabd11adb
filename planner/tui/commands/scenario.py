"""Scenarios: new, copied, renamed, deleted, moved, the baseline, notes."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from planner.model.inputs import default_values
from planner.model.scenario import Scenario
from planner.tui.actions import action
from planner.tui.book import Edit
from planner.tui.cells import number_of, show_cell
from planner.tui.commands.edit import pick_price
from planner.tui.panels.history import HistoryPanel
from planner.tui.prompts.cell import NamePrompt
from planner.tui.prompts.palette import WorkspacePrompt, open_workspace
from planner.tui.prompts.price import API
from planner.tui.prompts.scenario import NamingPrompt
from planner.tui.text import one_line

if TYPE_CHECKING:
    from planner.tui.desk import Desk


def _none(desk: Desk) -> bool:
    """Whether there is no scenario under the cursor; says so."""
    if not len(desk.book):
        desk.say("There is no scenario here: ^N makes one.", error=True)
    return not len(desk.book)


@action("new", "New scenario", "A copy of the scenario under the cursor, beside it, under a name of its own.",
        "Scenario", "ctrl+n", footer="New", order=6, writes=True)  # fmt: skip
def new(desk: Desk) -> None:
    """^N."""
    if not len(desk.book):
        new_default(desk)
        return
    place = desk.column

    def accept(name: str) -> None:
        at = desk.book.copy(place, name)
        desk.reloaded(at)
        desk.saved(f"{desk.scenario_name(at)} is a copy of {desk.scenario_name(place)}; ^Z takes it back")

    name = desk.book.free_name(f"{desk.scenario_name()} copy")
    desk.open(NamingPrompt("Name of the new scenario", "Create", name, accept))


@action("new_default", "New scenario from the defaults", "A scenario whose inputs are all at their defaults.",
        "Scenario", writes=True)  # fmt: skip
def new_default(desk: Desk) -> None:
    """From the palette."""

    def accept(name: str) -> None:
        at = desk.book.create(Scenario(name, default_values()))
        desk.reloaded(at)
        desk.saved(f"{desk.scenario_name(at)} is new; ^Z takes it back")

    desk.open(NamingPrompt("Name of the new scenario", "Create", desk.book.free_name("Scenario"), accept))


@action("new_api", "New scenario bought from an API", "A copy without a price of a device; pick an API for it.",
        "Scenario", writes=True)  # fmt: skip
def new_api(desk: Desk) -> None:
    """From the palette."""
    if _none(desk):
        return
    place = desk.column

    def accept(name: str) -> None:
        at = desk.book.copy(place, name)
        desk.reloaded(at)
        edits: list[Edit] = [(at, price, None) for price in ("device_price_per_hour", "owned_device_price")]
        if desk.save(edits, f"{desk.scenario_name(at)} pays for no hardware"):
            desk.go_to(API, at)
            pick_price(desk, None)

    desk.open(
        NamingPrompt("Name of the new scenario", "Create", desk.book.free_name(f"{desk.scenario_name()} API"), accept)
    )


@action("rename", "Rename scenario", "Edits the scenario's name in the header.", "Scenario", writes=True)
def rename(desk: Desk) -> None:
    """From the palette, or by typing in the header."""
    if not _none(desk):
        desk.cursor.go(0, desk.column)
        desk.open(NamePrompt(desk, None, caret_mode=True))


@action("delete", "Delete scenario", "Deletes the scenario under the cursor; ^Z brings it back.", "Scenario",
        "ctrl+delete", writes=True)  # fmt: skip
def delete(desk: Desk) -> None:
    """^Del."""
    if not _none(desk):
        name = desk.scenario_name()
        desk.book.delete(desk.column)
        desk.reloaded()
        desk.cursor.go(desk.cursor.row, desk.column)
        desk.saved(f"Deleted {name}; ^Z brings it back")


@action("baseline", "Make it the baseline", "Compares every scenario with the one under the cursor.", "Scenario",
        "ctrl+b", writes=True)  # fmt: skip
def baseline(desk: Desk) -> None:
    """^B."""
    if not _none(desk):
        desk.book.set_baseline(desk.column)
        desk.reloaded()
        desk.saved(f"{desk.scenario_name()} is the baseline")


def _move(desk: Desk, step: int) -> None:
    if _none(desk):
        return
    place = desk.book.move(desk.column, step)
    if place == desk.column:
        desk.say(f"{desk.scenario_name()} is at the end already.")
        return
    desk.reloaded(place)
    desk.saved(f"{desk.scenario_name()} is now number {place + 1}")


@action("move_scenario_left", "Move scenario left", "Swaps the scenario with its left neighbour.", "Scenario",
        "alt+left", writes=True)  # fmt: skip
def move_scenario_left(desk: Desk) -> None:
    """Alt+Left."""
    _move(desk, -1)


@action("move_scenario_right", "Move scenario right", "Swaps the scenario with its right neighbour.", "Scenario",
        "alt+right", writes=True)  # fmt: skip
def move_scenario_right(desk: Desk) -> None:
    """Alt+Right."""
    _move(desk, 1)


@action("sort", "Order by this line", "Orders the scenarios by the line under the cursor; again, the other way round.",
        "Scenario", writes=True)  # fmt: skip
def sort(desk: Desk) -> None:
    """From the palette."""
    line = desk.line
    if _none(desk) or line is None:
        return
    places = range(len(desk.book))
    texts = {place: show_cell(desk.book, place, line).text.casefold() for place in places}
    numbers = {place: number_of(desk.book, place, line) for place in places}

    def rank(place: int) -> tuple[float, str]:
        number = numbers[place]
        return (math.inf if number is None else number, texts[place])

    order = sorted(places, key=rank)
    if order == list(places):
        order = sorted(places, key=lambda place: (numbers[place] is None, -(numbers[place] or 0.0)))
    if order == list(places):
        desk.say(f"The scenarios stand in the order of {line.label} already.")
        return
    here = desk.book.columns[desk.column].id
    desk.book.reorder(order)
    desk.reloaded(desk.book.place_of(here))
    desk.saved(f"Ordered by {line.label}; ^Z takes it back")


@action("tags", "Tags", "Words, with commas between them, by which scenarios are found.", "Scenario", writes=True)
def tags(desk: Desk) -> None:
    """From the palette."""
    if _none(desk):
        return
    place = desk.column

    def accept(text: str) -> None:
        desk.book.library.tag(desk.book.columns[place].id, *(tag for tag in text.split(",") if tag.strip()))
        desk.book.reload()
        desk.reloaded()
        desk.saved(f"Tags of {desk.scenario_name(place)}: {', '.join(desk.book.columns[place].stored.tags) or 'none'}")

    prompt = NamingPrompt("Tags", "Save", one_line(", ".join(desk.book.columns[place].stored.tags)), accept)
    prompt.buffer.replace = False
    desk.open(prompt)


@action("notes", "Notes", "A line about the scenario: why it is as it is.", "Scenario", writes=True)
def notes(desk: Desk) -> None:
    """From the palette."""
    if _none(desk):
        return
    place = desk.column

    def accept(text: str) -> None:
        desk.book.library.set_notes(desk.book.columns[place].id, text)
        desk.book.reload()
        desk.reloaded()
        desk.saved(f"Notes of {desk.scenario_name(place)}: {text}")

    prompt = NamingPrompt("Notes", "Save", one_line(desk.book.columns[place].scenario.notes), accept)
    prompt.buffer.replace = False
    desk.open(prompt)


@action("history", "History", "Every change, last first; Enter puts everything back to right after it.", "File")
def history(desk: Desk) -> None:
    """From the palette."""
    desk.panel = HistoryPanel(desk)


@action("workspace", "Open a workspace", "Another set of scenarios of this library, or a new one.", "File", "ctrl+o")
def workspace(desk: Desk) -> None:
    """^O."""
    desk.open(WorkspacePrompt(desk))


@action("new-workspace", "New workspace", "An empty set of scenarios of this library.", "File", writes=True)
def new_workspace(desk: Desk) -> None:
    """From the palette."""

    def accept(name: str) -> None:
        open_workspace(desk, desk.book.library.create_workspace(name).name)

    desk.open(NamingPrompt("Name of the workspace", "Make", "", accept))


@action("snapshot", "Name a snapshot", "Keeps the workspace as it is now under a name; edits are saved anyway.", "File",
        "ctrl+s", writes=True)  # fmt: skip
def snapshot(desk: Desk) -> None:
    """^S."""

    def accept(name: str) -> None:
        desk.book.library.snapshot(name)
        desk.book.reload()
        desk.reloaded()
        desk.saved(f"Snapshot {name}")

    name = f"{desk.clock():%Y-%m-%d %H:%M}"
    desk.open(NamingPrompt("Name of the snapshot", "Keep", name, accept))
