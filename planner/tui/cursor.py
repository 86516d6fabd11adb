"""Where the cursor stands, what is selected, and where a run of Tab began. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Block:
    """A rectangle of cells: rows ``top`` to ``bottom`` and columns ``left`` to ``right``, all inclusive."""

    top: int
    left: int
    bottom: int
    right: int

    @property
    def rows(self) -> range:
        """Its rows."""
        return range(self.top, self.bottom + 1)

    @property
    def columns(self) -> range:
        """Its columns."""
        return range(self.left, self.right + 1)

    @property
    def is_one_cell(self) -> bool:
        """Whether it is a single cell."""
        return self.top == self.bottom and self.left == self.right

    def __contains__(self, place: object) -> bool:
        if not isinstance(place, tuple):
            return False
        row, column = place
        return row in self.rows and column in self.columns

    def __iter__(self) -> Iterator[tuple[int, int]]:
        return ((row, column) for row in self.rows for column in self.columns)


@dataclass(slots=True)
class Cursor:
    """The cursor over ``rows`` visible lines and ``columns`` scenarios."""

    rows: int = 0
    columns: int = 0
    row: int = 0
    column: int = 0
    corner: tuple[int, int] | None = None
    run_start: int | None = None

    @property
    def block(self) -> Block:
        """What is selected: the cell of the cursor, or the rectangle from the other corner to it."""
        row, column = self.corner or (self.row, self.column)
        top, bottom = sorted((row, self.row))
        left, right = sorted((column, self.column))
        return Block(top, left, bottom, right)

    def resize(self, rows: int, columns: int) -> None:
        """Take a new size; the cursor and the selection stay inside."""
        self.rows, self.columns = rows, columns
        self.row, self.column = self._inside(self.row, self.column)
        if self.corner is not None:
            self.corner = self._inside(*self.corner)

    def _inside(self, row: int, column: int) -> tuple[int, int]:
        return max(0, min(row, self.rows - 1)), max(0, min(column, self.columns - 1))

    def go(self, row: int, column: int, *, select: bool = False, keep_run: bool = False) -> None:
        """Move to ``row`` and ``column``, as near as there are any; with ``select`` the selection grows to there."""
        if select:
            self.corner = self.corner or (self.row, self.column)
        else:
            self.corner = None
        if not keep_run:
            self.run_start = None
        self.row, self.column = self._inside(row, column)

    def move(self, down: int, right: int, *, select: bool = False) -> None:
        """Move by so many rows and columns."""
        self.go(self.row + down, self.column + right, select=select)

    def tab(self, step: int) -> None:
        """Move right (or left) and remember the column in which the run began."""
        start = self.column if self.run_start is None else self.run_start
        self.go(self.row, self.column + step, keep_run=True)
        self.run_start = start

    def enter(self, row: int) -> None:
        """Move to ``row``, into the column in which a run of Tab began."""
        self.go(row, self.column if self.run_start is None else self.run_start)

    def select_all(self) -> None:
        """Select every cell."""
        self.corner = (self.rows - 1, self.columns - 1)
        self.row = self.column = 0
