"""The answer of the comparison: every scenario with its verdict, the cheapest first; Enter goes to one."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from planner.tui.panels.panel import Panel, PanelLine, PanelTone, text_line
from planner.tui.text import wrapped

if TYPE_CHECKING:
    from planner.tui.desk import Desk

ABOUT = (
    "A scenario is served when its model fits, its load is carried and mean TTFT and TPOT are within their targets. "
    "Where no price of a device is given, the tokens are bought from the API. Costs are compared per month where all "
    "scenarios have the same load, else per million output tokens; of more than 1,000 scenarios none are compared."
)
_RANKS = {"cheapest": 0, "served": 1, "too slow": 2, "not served": 3, "unknown": 4}


class AnswerPanel(Panel):
    """The scenarios in the order of their verdicts."""

    def __init__(self, desk: Desk) -> None:
        super().__init__()
        self.desk = desk

    def heading(self) -> str:
        """What its border says."""
        return "Which scenario answers"

    def hints(self) -> tuple[tuple[str, str], ...]:
        """Its keys for the bar of keys."""
        return (("↑↓", "Choose"), ("Enter", "Go to the scenario"), ("Esc", "Close"))

    def build(self, width: int) -> Sequence[PanelLine]:
        """The page."""
        book = self.desk.book
        found = [(book.verdict(place), place) for place in range(len(book))]
        found.sort(key=lambda one: (_RANKS[one[0].answer], math.inf if one[0].cost is None else one[0].cost, one[1]))
        lines: list[PanelLine] = []
        for verdict, place in found:
            bad: PanelTone = "error" if verdict.answer in ("too slow", "not served") else "plain"
            lines.append(PanelLine(((self.desk.scenario_name(place), "strong"),), str(book.columns[place].id)))
            tone: PanelTone = "value" if verdict.answer == "cheapest" else bad
            lines += [text_line(f"  {line}", tone) for line in wrapped(verdict.sentence, width - 2)]
        return [*lines, PanelLine(), *(text_line(line, "muted") for line in wrapped(ABOUT, width))]

    def follow(self, desk: Desk, target: str) -> None:
        """Go to a scenario."""
        place = desk.book.place_of(int(target))
        desk.close()
        if place is not None:
            desk.go_to("verdict", place)
