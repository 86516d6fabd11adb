"""Where the parts of the grid stand for a given size: widths, pinned lines, and what is under a point. Pure."""

from __future__ import annotations

from dataclasses import dataclass

NARROWEST_CELL, WIDEST_CELL = 13, 23
NARROWEST_LABEL, WIDEST_LABEL = 14, 44
LEAST_WIDTH, LEAST_HEIGHT = 40, 7
TALL = 16
"""Lines of the grid from which the header may take two."""
BARS = 3
"""Lines of the screen that are not the grid's: formula bar, message line, keys."""


@dataclass(frozen=True, slots=True)
class Geometry:
    """The layout of a grid ``width`` x ``height`` cells large, its scroll bar left out, with ``columns`` scenarios.

    The label column takes up to a third of the width; the scenarios share the rest. ``longest`` is the width of the
    longest of their names: the header takes two lines where one is too narrow for it.
    """

    width: int
    height: int
    columns: int
    longest: int = 0

    @property
    def too_small(self) -> bool:
        """Whether there is no room for a grid that can be read."""
        return self.width < LEAST_WIDTH or self.height < LEAST_HEIGHT

    @property
    def _room(self) -> int:
        """Cells beside the narrowest sensible label column and the scroll bar."""
        return max(1, self.width - max(NARROWEST_LABEL, min(self.width // 3, 28)))

    @property
    def visible(self) -> int:
        """Scenarios that are wholly visible at once."""
        return max(1, min(max(1, self.columns), self._room // NARROWEST_CELL))

    @property
    def cell(self) -> int:
        """The width of a scenario's column."""
        return max(4, min(WIDEST_CELL, self._room // self.visible))

    @property
    def label(self) -> int:
        """The width of the label column: what the visible scenarios leave, within reason."""
        left = self.width - self.visible * self.cell
        widest = max(NARROWEST_LABEL, min(WIDEST_LABEL, self.width // 3 + 4))
        return max(1, min(left, widest))

    @property
    def header(self) -> int:
        """Lines of the header."""
        return 2 if self.longest > self.cell - 2 and self.height >= TALL else 1

    @property
    def pins(self) -> int:
        """Lines pinned below the body: about three in ten, none where there are few."""
        return 0 if self.height < 10 else min(9, self.height * 3 // 10)

    @property
    def body(self) -> int:
        """Lines of the scrolling body."""
        return max(0, self.height - self.header - self.pins)

    def virtual_height(self, items: int) -> int:
        """The height of a widget that shows every one of ``items`` (header included) and the pinned lines."""
        return items - 1 + self.header + self.pins

    @property
    def virtual_width(self) -> int:
        """The width of a widget that shows every scenario, with room to scroll by whole columns."""
        return self.label + (self.columns + 1) * self.cell

    def x_of(self, column: int, scroll: int) -> int:
        """The left edge of ``column``."""
        return self.label + column * self.cell - scroll

    def y_of(self, item: int, scroll: int) -> int:
        """The line on which ``item`` is painted; the header is item 0 and never scrolls."""
        return 0 if item == 0 else self.header + item - 1 - scroll

    def column_at(self, x: int, scroll: int) -> int | None:
        """The column under ``x``; None over the labels or beyond the last one."""
        column = (x - self.label + scroll) // self.cell
        return column if x >= self.label and 0 <= column < self.columns else None

    def item_at(self, y: int, scroll: int) -> int | None:
        """The item under ``y``; None on a pinned line."""
        if y < self.header:
            return 0
        return y - self.header + 1 + scroll if y < self.header + self.body else None

    def pin_at(self, y: int) -> int | None:
        """The pinned line under ``y``."""
        place = y - self.header - self.body
        return place if 0 <= place < self.pins else None

    def scroll_to_show(self, item: int, column: int, scroll_x: int, scroll_y: int) -> tuple[int, int]:
        """The nearest scroll offsets at which the cell is wholly visible; a heading above it stays in sight."""
        x, room = column * self.cell, max(self.cell, self.width - self.label)
        if x < scroll_x:
            scroll_x = x
        elif x + self.cell > scroll_x + room:
            scroll_x = -(-(x + self.cell - room) // self.cell) * self.cell
        if item > 0 and self.body > 0:
            line = item - 1
            if line <= scroll_y:
                scroll_y = max(0, line - (1 if line == 1 else 0))
            elif line >= scroll_y + self.body:
                scroll_y = line - self.body + 1
        return scroll_x, scroll_y
