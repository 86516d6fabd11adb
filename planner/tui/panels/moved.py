"""What moved since the workspace was last opened: every result with what it was and what it is; Enter goes there."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from planner.analysis.moved import THRESHOLD, Moved, Value
from planner.model.display import percent_text, show_with_unit, with_currency
from planner.model.rows import SHEET
from planner.model.scenario import Result
from planner.tui.panels.panel import Panel, PanelLine, text_line
from planner.tui.text import fit, one_line, shorter_label, wrapped

if TYPE_CHECKING:
    from planner.tui.desk import Desk

MOST = 2000


class MovedPanel(Panel):
    """The results that moved, scenario by scenario."""

    def __init__(self, desk: Desk) -> None:
        super().__init__()
        self.desk = desk
        self.watch = desk.watch
        self.watch.shown = True

    def heading(self) -> str:
        """What its border says."""
        return "Results moved since this workspace was last opened"

    def hints(self) -> tuple[tuple[str, str], ...]:
        """Its keys for the bar of keys."""
        return (("↑↓", "Choose"), ("Enter", "Go to the result"), ("Esc", "Close"))

    def build(self, width: int) -> Sequence[PanelLine]:
        """The page."""
        moved = self.watch.moved
        if not moved:
            return [text_line(f"No result has moved by more than {THRESHOLD:.0%}.", "muted")]
        why = f"{self.watch.versions}. " if self.watch.versions else ""
        about = f"{why}No scenario was changed: these results are more than {THRESHOLD:.0%} from what was seen last."
        lines = [text_line(line, "muted") for line in wrapped(about[:1].upper() + about[1:], width)]
        last = ""
        for one in moved[:MOST]:
            if one.scenario != last:
                lines += [PanelLine(), text_line(one_line(one.scenario), "heading")]
                last = one.scenario
            if one.problem:
                lines += [text_line(f"  {line}", "error") for line in wrapped(one_line(one.problem), width - 2)]
            else:
                lines.append(self._line(one, width))
        if len(moved) > MOST:
            lines.append(text_line(f"and {len(moved) - MOST:,} more", "muted"))
        return lines

    def _line(self, one: Moved, cells: int) -> PanelLine:
        label = max(12, cells * 2 // 5)
        value = max(8, (cells - label - 14) // 2)
        change = percent_text(one.relative) if one.relative is not None else ""
        return PanelLine(
            (
                (fit("  " + shorter_label(SHEET.rows[one.row].label, label - 2), label), "plain"),
                (fit(self._shown(one, one.before), value, "right"), "muted"),
                (" → ", "muted"),
                (fit(self._shown(one, one.after), value, "right"), "value"),
                ("  " + fit(change, 9, "right"), "plain"),
            ),
            f"{one.row} {one.scenario}",
        )

    def _shown(self, one: Moved, value: Value) -> str:
        place = self._place(one.scenario)
        currency = self.desk.book.currency_of(place) if place is not None else "$"
        return one_line(with_currency(show_with_unit(SHEET.rows[one.row], Result(value)), currency))

    def _place(self, scenario: str) -> int | None:
        columns = self.desk.book.columns
        return next((place for place, column in enumerate(columns) if column.name == scenario), None)

    def follow(self, desk: Desk, target: str) -> None:
        """Go to a result."""
        row, _, scenario = target.partition(" ")
        desk.close()
        place = self._place(scenario)
        if place is not None:
            desk.go_to(row, place)
