"""Pictures: a quantity of every scenario as a bar, with low and high where the estimate has them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from planner.tui.cells import number_of, range_text, show_cell
from planner.tui.lines import Line, all_lines, pinned_lines
from planner.tui.panels.panel import Panel, PanelLine, PanelTone, text_line
from planner.tui.text import fit, one_line, width

if TYPE_CHECKING:
    from planner.tui.desk import Desk

_EIGHTHS = " ▏▎▍▌▋▊▉█"
SHADE = "░"
MOST = 500


def bar(value: float, high: float, top: float, cells: int) -> str:
    """A bar from 0 to ``value`` and a shade on to ``high``, where ``top`` would fill ``cells`` cells."""
    if not top > 0 or not math.isfinite(value) or value < 0:
        return ""
    eighths = round(min(value / top, 1) * cells * 8)
    text = "█" * (eighths // 8) + (_EIGHTHS[eighths % 8] if eighths % 8 else "")
    reach = round(min(max(high, value) / top, 1) * cells)
    return text + SHADE * max(0, reach - len(text))


class PicturesPanel(Panel):
    """Bars for the line under the cursor, then for the pinned results; Enter goes to the cell."""

    def __init__(self, desk: Desk) -> None:
        super().__init__()
        self.desk = desk
        first = desk.line
        pinned = [line for line in pinned_lines(9, desk.pins) if line.kind == "result"]
        wanted = [first, *pinned] if first is not None and _is_number(first) else pinned
        self.shown = list({line.name: line for line in wanted}.values())

    def heading(self) -> str:
        """What its border says."""
        return "Scenarios side by side"

    def hints(self) -> tuple[tuple[str, str], ...]:
        """Its keys for the bar of keys."""
        return (("↑↓", "Choose"), ("Enter", "Go to the cell"), ("Esc", "Close"))

    def build(self, width: int) -> Sequence[PanelLine]:
        """The page."""
        lines: list[PanelLine] = [text_line(f"The shade {SHADE} goes from the value to its high end.", "muted")]
        for line in self.shown:
            lines += self._bars(line, width)
        return lines

    def _bars(self, line: Line, cells: int) -> list[PanelLine]:
        book = self.desk.book
        places = range(min(len(book), MOST))
        values = {place: number_of(book, place, line) for place in places}
        highs = {place: _high(self.desk, place, line, values[place]) for place in places}
        top = max((high for high in highs.values()), default=0.0)
        names = max((width(self.desk.scenario_name(place)) for place in places), default=0)
        name_cells = min(names, max(8, cells // 4))
        texts = {place: one_line(show_cell(book, place, line).text) for place in places}
        bands = {place: range_text(book, place, line) if line.kind == "result" else "" for place in places}
        text_cells, band_cells = (max((width(one) for one in found.values()), default=0) for found in (texts, bands))
        room = max(4, cells - name_cells - text_cells - band_cells - (6 if band_cells else 4))
        unit = f"  {line.short_unit}" if line.short_unit else ""
        lines = [PanelLine(), PanelLine(((line.label, "heading"), (unit, "muted")))]
        for place in places:
            value = values[place]
            drawn = bar(value, highs[place], top, room) if value is not None else ""
            tone: PanelTone = "value" if place == self.desk.column else "plain"
            pieces: tuple[tuple[str, PanelTone], ...] = (
                (fit(self.desk.scenario_name(place), name_cells, middle=True) + "  ", tone),
                (fit(drawn, room), "name"),
                ("  " + fit(texts[place], text_cells, "right"), tone),
                (f"  {bands[place]}" if band_cells else "", "muted"),
            )
            lines.append(PanelLine(pieces, f"{line.name} {book.columns[place].id}"))
        return lines

    def follow(self, desk: Desk, target: str) -> None:
        """Go to a cell."""
        name, _, scenario = target.partition(" ")
        place = desk.book.place_of(int(scenario))
        desk.close()
        if place is not None and name in all_lines():
            desk.go_to(name, place)


def _is_number(line: Line) -> bool:
    if line.field is not None:
        return line.field.is_number
    return line.row is not None and line.row.kind == "number"


def _high(desk: Desk, place: int, line: Line, value: float | None) -> float:
    if value is None:
        return 0.0
    high = desk.book.band(place, line.name).high if line.kind == "result" else None
    return max(value, high) if high is not None else value
