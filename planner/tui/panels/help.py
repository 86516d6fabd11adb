"""Help: what the cell under the cursor is, how to work with the grid, and every key."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from planner.tui.actions import ACTIONS, GROUPS, key_names
from planner.tui.lines import Heading
from planner.tui.panels.panel import Panel, PanelLine, text_line
from planner.tui.text import fit, wrapped

if TYPE_CHECKING:
    from planner.tui.desk import Desk

BASICS = (
    ("Type", "replaces a value; Enter accepts and goes down, Tab to the right, arrows where they point"),
    ("10k 1,500 5% 1e6", "are numbers; an empty cell is blank where it may be"),
    ("Enter on a name", "opens its list: type to narrow it, Enter takes what is highlighted"),
    ("Every change", "is saved at once and can be undone, also tomorrow"),
    ("Verdict", "names the cheapest scenario that meets its targets, and how far above it the others are"),
    ("Bold", "differs from the baseline ◆; • overrides the catalogue, ~ is an estimate, — is blank (F4 says why)"),
)
WHILE_EDITING = (
    ("F2", "switches between moving the caret and moving on"),
    ("^U ^K ^W", "delete to the start, to the end, a word"),
    ("Esc", "leaves the cell as it was"),
)


class HelpPanel(Panel):
    """The help page."""

    preferred_width = 92

    def __init__(self, desk: Desk) -> None:
        super().__init__()
        self.item = desk.item

    def heading(self) -> str:
        """What its border says."""
        return "Help"

    def build(self, width: int) -> Sequence[PanelLine]:
        """The page."""
        lines: list[PanelLine] = []
        item = self.item
        if isinstance(item, Heading):
            lines += [text_line(item.section.title, "strong"), text_line("A heading: Enter shows more or less of it.")]
        else:
            unit = f"   {item.unit}" if item.unit else ""
            lines.append(PanelLine(((item.label, "strong"), (f"   {item.name}{unit}", "muted"))))
            lines += [text_line(line) for line in wrapped(item.help, width)]
            if item.field is not None:
                lines += [text_line(line, "muted") for line in wrapped(_bounds(item.field.bounds()), width)]
                if item.field.optional and item.field.blank:
                    lines.append(text_line(f"Blank: {item.field.blank}.", "muted"))
        lines += [PanelLine(), text_line("THE GRID", "heading")]
        lines += _table(BASICS, width)
        lines += [PanelLine(), text_line("WHILE EDITING", "heading")]
        lines += _table(WHILE_EDITING, width)
        for group in GROUPS:
            rows = [(key_names(found), found.help) for found in ACTIONS.values() if found.group == group and found.keys]
            more = [("^P", f"{found.label}: {found.help}") for found in ACTIONS.values()
                    if found.group == group and not found.keys]  # fmt: skip
            lines += [PanelLine(), text_line(group.upper(), "heading"), *_table((*rows, *more), width)]
        return lines


def _bounds(text: str) -> str:
    return text[:1].upper() + text[1:] + "."


def _table(rows: Sequence[tuple[str, str]], cells: int) -> list[PanelLine]:
    first = 18
    lines: list[PanelLine] = []
    for name, text in rows:
        for place, line in enumerate(wrapped(text, cells - first - 1)):
            lines.append(PanelLine(((fit(name if place == 0 else "", first) + " ", "name"), (line, "plain"))))
    return lines
