"""Moving and selecting."""

from __future__ import annotations

from typing import TYPE_CHECKING

from planner.tui.actions import action

if TYPE_CHECKING:
    from planner.tui.desk import Desk

_ARROWS = {"up": (-1, 0), "down": (1, 0), "left": (0, -1), "right": (0, 1)}


def _register_arrows() -> None:
    for name, (down, right) in _ARROWS.items():

        def move(desk: Desk, down: int = down, right: int = right) -> None:
            desk.cursor.move(down, right)

        def extend(desk: Desk, down: int = down, right: int = right) -> None:
            desk.cursor.move(down, right, select=True)

        action(f"move_{name}", f"Move {name}", f"One cell {name}.", "Move", name, listed=False)(move)
        action(f"select_{name}", f"Select {name}", f"Extends the selection {name}.", "Select", f"shift+{name}",
               listed=False)(extend)  # fmt: skip


_register_arrows()


@action("next_cell", "Next scenario", "One cell to the right.", "Move", "tab", listed=False)
def next_cell(desk: Desk) -> None:
    """Tab."""
    desk.cursor.tab(1)


@action("previous_cell", "Previous scenario", "One cell to the left.", "Move", "shift+tab", listed=False)
def previous_cell(desk: Desk) -> None:
    """Shift+Tab."""
    desk.cursor.tab(-1)


@action("page_up", "Page up", "One page up.", "Move", "pageup", listed=False)
def page_up(desk: Desk) -> None:
    """PgUp."""
    desk.cursor.move(-max(1, desk.page[0] - 1), 0)


@action("page_down", "Page down", "One page down.", "Move", "pagedown", listed=False)
def page_down(desk: Desk) -> None:
    """PgDn."""
    desk.cursor.move(max(1, desk.page[0] - 1), 0)


@action("first_scenario", "First scenario", "To the first scenario.", "Move", "home", "ctrl+left", listed=False)
def first_scenario(desk: Desk) -> None:
    """Home."""
    desk.cursor.go(desk.cursor.row, 0)


@action("last_scenario", "Last scenario", "To the last scenario.", "Move", "end", "ctrl+right", listed=False)
def last_scenario(desk: Desk) -> None:
    """End."""
    desk.cursor.go(desk.cursor.row, len(desk.book) - 1)


@action("top", "Top", "To the first line of the first scenario.", "Move", "ctrl+home", listed=False)
def top(desk: Desk) -> None:
    """^Home."""
    desk.cursor.go(1, 0)


@action("bottom", "Bottom", "To the last line of the last scenario.", "Move", "ctrl+end", listed=False)
def bottom(desk: Desk) -> None:
    """^End."""
    desk.cursor.go(len(desk.items) - 1, len(desk.book) - 1)


@action("select_all", "Select all", "Selects every cell.", "Select", "ctrl+a")
def select_all(desk: Desk) -> None:
    """^A."""
    desk.cursor.select_all()
    desk.stale.everything = True


@action("deselect", "End the selection", "Back to one cell, or stops an export.", "Select", "escape", listed=False)
def deselect(desk: Desk) -> None:
    """Escape."""
    if desk.host.stop_export():
        return
    desk.cursor.corner = None
    desk.stale.everything = True
