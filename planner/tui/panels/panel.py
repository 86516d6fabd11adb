"""A page of lines over the grid: it scrolls, and some of its lines can be followed."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from planner.tui.desk import Desk

PanelTone = Literal["plain", "strong", "muted", "heading", "name", "value", "error"]


@dataclass(frozen=True, slots=True)
class PanelLine:
    """One line: its pieces, each with a tone. ``target`` is what following the line leads to."""

    pieces: tuple[tuple[str, PanelTone], ...] = ()
    target: str = ""


def text_line(text: str, tone: PanelTone = "plain") -> PanelLine:
    """A line of one piece."""
    return PanelLine(((text, tone),))


class Panel(ABC):
    """The base of the pages. ``height`` is how many lines show; the widget keeps it up to date."""

    preferred_width = 100

    def __init__(self) -> None:
        self.scroll = 0
        self.chosen = -1
        self.height = 10
        self._width = 0
        self._lines: list[PanelLine] = []

    @abstractmethod
    def heading(self) -> str:
        """What its border says."""

    @abstractmethod
    def build(self, width: int) -> Sequence[PanelLine]:
        """The page's lines for that width."""

    def lines(self, width: int) -> list[PanelLine]:
        """The page's lines, built once for each width."""
        if width != self._width or not self._lines:
            self._width, self._lines = width, list(self.build(width))
        return self._lines

    def changed(self, *, keep_place: bool = False) -> None:
        """Forget the lines: what they show has changed."""
        self._lines = list(self.build(self._width)) if self._width else []
        if not keep_place:
            self.scroll = 0
            self.chosen = -1

    def hints(self) -> tuple[tuple[str, str], ...]:
        """Its keys for the bar of keys."""
        return (("↑↓ PgUp PgDn", "Scroll"), ("Esc", "Close"))

    # ---- keys

    def press(self, desk: Desk, key: str) -> None:
        """Act on a key."""
        steps = {"pageup": -self.height, "pagedown": self.height, "home": -(10**6), "end": 10**6}
        if key in ("escape", "q", "f1", "f4"):
            desk.close()
        elif key == "ctrl+q":
            desk.host.leave()
        elif key in ("up", "down"):
            self.step(1 if key == "down" else -1)
        elif key in steps:
            self.scroll_by(steps[key])
        elif key == "enter" and 0 <= self.chosen < len(self._lines) and self._lines[self.chosen].target:
            self.follow(desk, self._lines[self.chosen].target)

    def step(self, step: int) -> None:
        """Choose the next line that can be followed, if it is near; scroll otherwise."""
        places = [place for place, line in enumerate(self._lines) if line.target]
        ahead = [place for place in places if (place - self.chosen) * step > 0]
        near = (ahead[0] if step > 0 else ahead[-1]) if ahead else None
        if near is None or not self.scroll - 1 <= near <= self.scroll + self.height:
            self.scroll_by(step)
            if near is not None and self.scroll <= near < self.scroll + self.height:
                self.chosen = near
            return
        self.chosen = near
        self.scroll = max(min(self.scroll, near - 1), near - self.height + 2, 0)
        self.scroll_by(0)

    def scroll_by(self, lines: int) -> None:
        """Scroll by so many lines, as far as there are any."""
        self.scroll = max(0, min(self.scroll + lines, len(self._lines) - self.height))

    def follow(self, desk: Desk, target: str) -> None:
        """Follow a line."""
        desk.say(target)

    def click(self, desk: Desk, place: int) -> None:
        """A line was clicked."""
        if 0 <= place < len(self._lines) and self._lines[place].target:
            self.chosen = place
            self.follow(desk, self._lines[place].target)
