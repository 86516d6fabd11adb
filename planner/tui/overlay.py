"""What lies over the grid: the list of a prompt, or a panel. Lines of named styles, for the grid to paint."""

from __future__ import annotations

from dataclasses import dataclass

from textual.geometry import Region

from planner.tui.choices import Choices, Option
from planner.tui.desk import Desk
from planner.tui.geometry import Geometry
from planner.tui.messages import split_message
from planner.tui.panels.panel import Panel
from planner.tui.text import fit, one_line, shorten, width

Piece = tuple[str, str]
LIST_HEIGHT = 10
WIDEST_LIST = 100


@dataclass(frozen=True, slots=True)
class Overlay:
    """A rectangle of painted lines. ``first`` is the number of the list's or page's entry on line ``top``."""

    region: Region
    lines: tuple[tuple[Piece, ...], ...]
    first: int
    top: int

    def entry_at(self, x: int, y: int) -> int | None:
        """The entry under a point of the grid."""
        if not self.region.contains(x, y):
            return None
        entry = y - self.region.y - self.top
        return self.first + entry if entry >= 0 else None


def overlays_of(desk: Desk, geometry: Geometry, scroll: tuple[int, int]) -> tuple[Overlay, ...]:
    """What lies over the grid now, the uppermost first."""
    if geometry.too_small:
        return ()
    if desk.panel is not None:
        return (_panel(desk.panel, geometry),)
    note = _note(desk, geometry)
    above = note.region.height if note is not None else 0
    choices = desk.prompt.choices if desk.prompt is not None else None
    found = None
    if desk.prompt is not None and choices is not None and geometry.height - above >= 4:
        at_cell = desk.prompt.place == "cell"
        found = _list_at_cell(desk, choices, geometry, scroll) if at_cell else _list_below(choices, geometry, above)
    return tuple(overlay for overlay in (note, found) if overlay is not None)


def _note(desk: Desk, geometry: Geometry) -> Overlay | None:
    """The lines of a message for which the message line has no room."""
    lines = split_message(desk)[0][-max(0, geometry.height - 2) :]
    if not lines:
        return None
    tone = "note-error" if desk.message.error else "note"
    painted = tuple(((f" {fit(line, geometry.width - 2)} ", tone),) for line in lines)
    return Overlay(Region(0, geometry.height - len(lines), geometry.width, len(lines)), painted, 0, len(lines))


def _panel(panel: Panel, geometry: Geometry) -> Overlay:
    cells = geometry.width if geometry.width < panel.preferred_width + 12 else panel.preferred_width + 4
    cells = max(8, cells)
    whole = geometry.height < 26 or cells == geometry.width
    rows = geometry.height if whole else geometry.height - 2
    inner = cells - 4
    panel.height = max(1, rows - 2)
    lines = panel.lines(inner)
    panel.scroll_by(0)
    region = Region((geometry.width - cells) // 2, (geometry.height - rows) // 2, cells, rows)
    shown: list[tuple[Piece, ...]] = [_edge("╭", "╮", f" {one_line(panel.heading())} ", cells)]
    for place in range(panel.scroll, panel.scroll + panel.height):
        chosen = place == panel.chosen
        pieces: list[Piece] = [("│ ", "panel-border")]
        used = 0
        if place < len(lines):
            for text, tone in lines[place].pieces:
                part = shorten(text, max(0, inner - used))
                used += width(part)
                pieces.append((part, "panel-chosen" if chosen else f"panel-{tone}"))
        pieces.append((" " * (inner - used), "panel-chosen" if chosen else "panel-plain"))
        shown.append((*pieces, (" │", "panel-border")))
    below = len(lines) - panel.scroll - panel.height
    note = f" {below} more line{'s' if below > 1 else ''} ↓ " if below > 0 else ""
    shown.append(_edge("╰", "╯", note, cells, right=True))
    return Overlay(region, tuple(shown), panel.scroll, 1)


def _edge(left: str, right_end: str, text: str, cells: int, *, right: bool = False) -> tuple[Piece, ...]:
    text = shorten(text, cells - 4)
    rest = "─" * (cells - 3 - width(text))
    middle: tuple[Piece, ...] = ((rest, "panel-border"), (text, "panel-muted"), ("─", "panel-border"))
    if not right:
        middle = (("─", "panel-border"), (text, "panel-title"), (rest, "panel-border"))
    return ((left, "panel-border"), *middle, (right_end, "panel-border"))


def _list_below(choices: Choices, geometry: Geometry, above: int) -> Overlay:
    """A list at the bottom, ``above`` lines of a message."""
    cells = geometry.width
    most = min(LIST_HEIGHT * 2 if geometry.height > 30 else LIST_HEIGHT, geometry.height - above - 1)
    rows = min(most, max(1, len(choices.shown)))
    first, options = choices.window(rows)
    lines = _options(choices, options, cells, rows, first)
    region = Region(0, geometry.height - above - rows, cells, rows)
    return Overlay(region, lines, first, 0)


def _list_at_cell(desk: Desk, choices: Choices, geometry: Geometry, scroll: tuple[int, int]) -> Overlay | None:
    x = geometry.x_of(desk.column, scroll[0])
    y = geometry.y_of(desk.cursor.row, scroll[1])
    below, above = geometry.height - y - 1, y - 1
    wanted = min(LIST_HEIGHT, max(1, len(choices.shown)))
    rows = min(wanted, max(below, above))
    if rows < 1:
        return None
    options = choices.options
    text = max((width(option.text) for option in options), default=0)
    detail = max((width(option.detail) for option in options), default=0)
    cells = min(geometry.width, WIDEST_LIST, max(geometry.cell, text + 2 + (detail + 2 if detail else 0)))
    x = max(0, min(x, geometry.width - cells))
    top = y + 1 if below >= rows else y - rows
    first, shown = choices.window(rows)
    return Overlay(Region(x, top, cells, rows), _options(choices, shown, cells, rows, first), first, 0)


def _options(
    choices: Choices, options: list[Option], cells: int, rows: int, first: int
) -> tuple[tuple[Piece, ...], ...]:
    every = choices.options
    keys = max((width(option.keys) for option in every), default=0)
    # Names that are too long are cut, so that what tells them apart is not.
    most = cells - keys - 4 if not any(option.detail for option in every) else min(cells - keys - 4, cells * 9 // 20)
    text = min(max((width(option.text) for option in every), default=0), max(8, most))
    rest = max(0, cells - text - keys - (4 if keys else 3))
    lines: list[tuple[Piece, ...]] = []
    for place, option in enumerate(options):
        chosen = "-current" if first + place == choices.index else ""
        pieces: list[Piece] = [
            (f" {fit(one_line(option.text), text, middle=True)} ", f"list{chosen or '-text'}"),
            (fit(one_line(option.detail), rest), f"list{chosen or '-detail'}"),
        ]
        if keys:
            pieces.append((f" {fit(option.keys, keys)}", f"list{chosen or '-keys'}"))
        pieces.append((" ", f"list{chosen or '-text'}"))
        lines.append(tuple(pieces))
    if not options:
        lines.append(((fit(" nothing matches", cells), "list-detail"),))
    blank: tuple[Piece, ...] = ((" " * cells, "list-text"),)
    lines += [blank] * (rows - len(lines))
    return tuple(lines[:rows])
