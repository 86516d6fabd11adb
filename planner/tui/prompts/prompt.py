"""The base of everything that is typed into."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import TYPE_CHECKING, Literal

from planner.tui.choices import Choices, Option
from planner.tui.editing import Buffer

if TYPE_CHECKING:
    from planner.tui.desk import Desk

Place = Literal["cell", "line"]


class Prompt(ABC):
    """An edit buffer with a title and, where there is something to choose, a list.

    ``place`` says where it is painted: in its cell, or on the message line with its list above.
    """

    place: Place = "line"
    title = ""
    verb = "Accept"

    def __init__(self, text: str = "", options: Iterable[Option] | None = None, *, current: str = "") -> None:
        self.buffer = Buffer(text, caret_mode=True)
        self.choices = Choices(options, current=current) if options is not None else None
        self.touched = False

    # ---- what a prompt is for

    def hints(self) -> tuple[tuple[str, str], ...]:
        """Its keys for the bar of keys."""
        choose = (("↑↓", "Choose"), ("Tab", "Complete")) if self.choices is not None else ()
        return (("Enter", self.verb), *choose, ("Esc", "Cancel"))

    def opened(self, desk: Desk) -> None:
        """It was opened just now: an older message is gone."""
        desk.say("")

    @abstractmethod
    def submit(self, desk: Desk) -> None:
        """Enter was pressed."""

    def commit(self, desk: Desk) -> bool:
        """Save what was typed since the cursor goes elsewhere; False when it was refused."""
        desk.close()
        return True

    def cancel(self, desk: Desk) -> None:
        """Escape was pressed."""
        desk.close()

    def edited(self, desk: Desk) -> None:  # noqa: ARG002 - prompts say things on the desk
        """The text changed."""
        if self.choices is not None:
            self.choices.narrow(self.buffer.text)
        self.touched = False

    def moved(self, desk: Desk) -> None:
        """Another option is highlighted: an older message is gone."""
        desk.say("")

    @property
    def option(self) -> Option | None:
        """The highlighted option."""
        return self.choices.current if self.choices is not None else None

    @property
    def ghost(self) -> str:
        """What the highlighted option would add behind the text."""
        option = self.option
        text = self.buffer.text
        if option is None or not text or not option.text.casefold().startswith(text.casefold()):
            return ""
        return option.text[len(text) :]

    # ---- keys

    def press(self, desk: Desk, key: str, character: str | None) -> None:
        """Act on a key."""
        if key == "escape":
            self.cancel(desk)
        elif key == "enter":
            self.submit(desk)
        elif key in ("tab", "shift+tab"):
            self.tab(desk, key)
        elif self.navigate(desk, key) or key == "ctrl+q":
            if key == "ctrl+q":
                desk.host.leave()
        elif character is not None:
            self.buffer.insert(character)
            self.edited(desk)
        else:
            before = self.buffer.text
            if self.buffer.press(key) and self.buffer.text != before:
                self.edited(desk)

    def navigate(self, desk: Desk, key: str) -> bool:
        """Move in the list. False when ``key`` does not."""
        steps = {"up": -1, "down": 1, "pageup": -8, "pagedown": 8}
        if self.choices is None or not self.choices.shown or key not in steps:
            return False
        self.choices.move(steps[key])
        self.touched = True
        self.moved(desk)
        return True

    def tab(self, desk: Desk, key: str) -> None:  # noqa: ARG002 - a cell goes left and right
        """Tab completes to the highlighted option."""
        if self.option is not None:
            self.buffer.set(self.option.text)
            self.edited(desk)

    def paste(self, desk: Desk, text: str) -> None:
        """Put pasted text into the buffer."""
        self.buffer.insert(text)
        self.edited(desk)

    def click(self, desk: Desk, index: int) -> None:
        """An option of the list was clicked."""
        if self.choices is not None and 0 <= index < len(self.choices.shown):
            self.choices.index = index
            self.touched = True
            self.submit(desk)
