"""Views: differences, folds, finding, explanations, help, colours."""

from __future__ import annotations

from typing import TYPE_CHECKING

from planner.tui.actions import action
from planner.tui.cells import View, differs
from planner.tui.lines import Fold, Heading, Line
from planner.tui.panels.answer import AnswerPanel
from planner.tui.panels.explain import ExplainPanel
from planner.tui.panels.help import HelpPanel
from planner.tui.panels.moved import MovedPanel
from planner.tui.panels.pictures import PicturesPanel
from planner.tui.prompts.goal import GoalPrompt
from planner.tui.prompts.palette import PalettePrompt, ThemePrompt
from planner.tui.prompts.search import FindPrompt, GoToPrompt, find_next

if TYPE_CHECKING:
    from planner.tui.desk import Desk

_FOLDS: dict[Fold, str] = {
    "closed": "folded", "short": "main lines", "more": "all but the steps on the way", "full": "all lines",
}  # fmt: skip
_NEXT: dict[View, View] = {"off": "percent", "percent": "absolute", "absolute": "off", "range": "percent"}


@action("difference", "Difference to the baseline", "Shows every cell as its difference: in percent, then absolute.",
        "View", "f6", footer="Δ Base", order=5)  # fmt: skip
def difference(desk: Desk) -> None:
    """F6."""
    desk.view = _NEXT[desk.view]
    desk.stale.everything = True
    base = desk.scenario_name(desk.book.baseline)
    signs = "✓ better ✗ worse · same → another value"
    desk.say({
        "percent": f"Δ to {base}: {signs}; F6: in units",
        "absolute": f"Δ to {base} in units: {signs}; F6: values",
    }.get(desk.view, "Values."))  # fmt: skip


@action("low_high", "Low and high of the results", "Shows every result as the range its estimate may err in.", "View",
        "ctrl+t", footer="Low–high", order=9)  # fmt: skip
def low_high(desk: Desk) -> None:
    """^T."""
    desk.view = "off" if desk.view == "range" else "range"
    desk.stale.everything = True
    text = "Results from low to high, the efficiency profile's band; ^T: values"
    desk.say(text if desk.view == "range" else "Values.")


@action("only_differences", "Only lines that differ", "Hides every line in which all scenarios agree.", "View")
def only_differences(desk: Desk) -> None:
    """From the palette."""
    if desk.outline.only is not None:
        desk.outline.only = None
        desk.say("All lines.")
    else:
        places = range(len(desk.book))
        desk.outline.only = lambda line: any(differs(desk.book, place, line) for place in places)
        desk.say("Only lines in which a scenario differs from the baseline.")
    desk.outline.rebuild()
    desk.refresh_all()


@action("fold", "Show more or less of the section", "Shows all lines of the section, its main ones, or none.", "View",
        "f5", footer="More", order=8)  # fmt: skip
def fold(desk: Desk) -> None:
    """F5."""
    item, column = desk.item, desk.column
    section = desk.outline.section_of(item)
    if section is None:
        desk.say("Move to a section first.")
        return
    now = desk.outline.cycle(section)
    desk.refresh_all()
    row = desk.outline.place(item.name)
    desk.cursor.go(row if row is not None else desk.outline.place(section.key) or 0, column)
    desk.say(f"{section.title}: " + _FOLDS[now])


def _fold_all(desk: Desk, how: Fold) -> None:
    name = desk.item.name
    desk.outline.only = None
    desk.outline.fold_all(how)
    desk.refresh_all()
    section = desk.outline.section_of(desk.item)
    row = desk.outline.place(name)
    desk.cursor.go(row if row is not None else desk.outline.place(section.key if section else "") or 1, desk.column)


@action("show_all", "Show all lines", "Unfolds every section.", "View")
def show_all(desk: Desk) -> None:
    """From the palette."""
    _fold_all(desk, "full")


@action("show_main", "Show the main lines", "Every section with its main lines only.", "View")
def show_main(desk: Desk) -> None:
    """From the palette."""
    _fold_all(desk, "short")


@action("fold_all", "Fold all sections", "Shows the headings only.", "View")
def fold_all(desk: Desk) -> None:
    """From the palette."""
    _fold_all(desk, "closed")


@action("pin", "Pin or unpin the result", "Keeps the result under the cursor in sight below the grid.", "View")
def pin(desk: Desk) -> None:
    """From the palette."""
    line = desk.line
    if line is None or line.kind != "result":
        desk.say("Move to a result: it is pinned below the grid.", error=True)
        return
    if line.name in desk.pins:
        desk.pins.remove(line.name)
        desk.say(f"{line.label} is no longer pinned.")
    else:
        desk.pins.insert(0, line.name)
        desk.say(f"{line.label} is pinned.")
    desk.stale.everything = True


@action("find", "Find", "Goes to the next line that holds what you type.", "View", "slash", "ctrl+f",
        footer="Find", order=11)  # fmt: skip
def find(desk: Desk) -> None:
    """/ and ^F."""
    desk.open(FindPrompt(desk))


@action("find_next", "Find next", "Goes to the next line with the same words.", "View", "f3")
def find_again(desk: Desk) -> None:
    """F3."""
    if not desk.sought:
        desk.open(FindPrompt(desk))
    elif not find_next(desk, desk.sought):
        desk.say(f"Nothing is called '{desk.sought}'.", error=True)


@action("go_to", "Go to", "Goes to an input, fact, result or scenario by its name.", "View", "ctrl+g")
def go_to(desk: Desk) -> None:
    """^G."""
    desk.open(GoToPrompt(desk))


@action("explain", "Explain the cell", "Its formula, the numbers in it, where each comes from, and why it is blank.",
        "View", "f4", footer="Explain", order=4)  # fmt: skip
def explain(desk: Desk) -> None:
    """F4."""
    line = desk.line
    if not isinstance(line, Line) or line.kind == "name" or not len(desk.book):
        desk.say("Move to an input, a fact or a result: F4 explains it.")
        return
    desk.panel = AnswerPanel(desk) if line.kind == "verdict" else ExplainPanel(desk, line.name)


@action("pictures", "Bars", "The line under the cursor and the pinned results as bars, scenario by scenario.", "View",
        "f7", footer="Bars", order=9)  # fmt: skip
def pictures(desk: Desk) -> None:
    """F7."""
    if len(desk.book):
        desk.panel = PicturesPanel(desk)


@action("goal", "Goal seek", "Finds the input's value that makes the result under the cursor what it should be.",
        "Edit", "f8", footer="Goal", order=9, writes=True)  # fmt: skip
def goal(desk: Desk) -> None:
    """F8."""
    line = desk.line
    if line is None or line.row is None or line.row.kind != "number" or not len(desk.book):
        desk.say("Move to a result that is a number: F8 finds the input that brings it to a value.", error=True)
        return
    with desk.sentences():
        desk.book.evaluated([desk.column])
        desk.open(GoalPrompt(desk, line.name))


@action("answer", "Which scenario answers", "Every scenario with its verdict, the cheapest that serves first.", "View")
def answer(desk: Desk) -> None:
    """From the palette."""
    desk.panel = AnswerPanel(desk)


@action("help", "Help", "What this cell is, and every key.", "Help", "f1", "question_mark", footer="Help", order=1)
def show_help(desk: Desk) -> None:
    """F1 and ?."""
    desk.panel = HelpPanel(desk)


@action("moved", "Results that moved", "What another catalogue or model has moved since the workspace was last opened.",
        "View")  # fmt: skip
def moved(desk: Desk) -> None:
    """From the palette."""
    desk.panel = MovedPanel(desk)


@action("palette", "Commands", "Every command by its name.", "Help", "ctrl+p", "colon", footer="Commands", order=2,
        listed=False)  # fmt: skip
def palette(desk: Desk) -> None:
    """^P and the colon."""
    desk.open(PalettePrompt())


@action("theme", "Colours", "Another colour theme; the terminal's own colours among them.", "View")
def theme(desk: Desk) -> None:
    """From the palette."""
    desk.open(ThemePrompt(desk))


@action("redraw", "Redraw", "Paints the screen again.", "View", "ctrl+l")
def redraw(desk: Desk) -> None:
    """^L."""
    desk.host.redraw()


@action("reload", "Read again", "Reads the scenarios again, with what others changed.", "File")
def reload(desk: Desk) -> None:
    """From the palette."""
    desk.book.reload()
    desk.reloaded()
    desk.say("Read again.")


def heading_text(item: Heading) -> str:
    """What the formula bar says about a heading."""
    shown = len(item.section.lines) - item.hidden
    more = "Enter shows more" if item.hidden else "Enter folds it"
    return f"{item.section.title}: {shown} of {len(item.section.lines)} lines shown; {more}"
