"""The edit buffer: what is being typed, with its caret. Pure; no key is ever lost between two widgets."""

from __future__ import annotations

from dataclasses import dataclass

MAX_LENGTH = 4096


@dataclass(slots=True)
class Buffer:
    """A line of text and a caret in it.

    In caret mode the arrows move the caret; otherwise they end the edit and move to the next cell, as in a
    spreadsheet. ``fresh`` says that the text is still what the edit began with; with ``replace`` the first character
    typed then takes the place of all of it.
    """

    text: str = ""
    caret: int = -1
    caret_mode: bool = False
    fresh: bool = True
    replace: bool = False

    def __post_init__(self) -> None:
        if self.caret < 0:
            self.caret = len(self.text)

    def insert(self, text: str) -> None:
        """Put the printable characters of the first line of ``text`` at the caret, as far as there is room."""
        if self.fresh and self.replace:
            self.text, self.caret = "", 0
        line = text.replace("\t", " ").lstrip("\r\n").partition("\n")[0].partition("\r")[0]
        clean = "".join(character for character in line if character.isprintable())
        clean = clean[: MAX_LENGTH - len(self.text)]
        self.text = self.text[: self.caret] + clean + self.text[self.caret :]
        self.caret += len(clean)
        self.fresh = False

    def set(self, text: str) -> None:
        """Make ``text`` the whole of the buffer, the caret behind it."""
        self.text, self.caret, self.fresh = text[:MAX_LENGTH], len(text[:MAX_LENGTH]), False

    def press(self, key: str) -> bool:
        """Act on an editing key. False when ``key`` is none."""
        before, after = self.text[: self.caret], self.text[self.caret :]
        if key == "backspace":
            if self.fresh and self.replace:
                before = after = ""
            before = before[:-1]
        elif key == "delete":
            after = after[1:]
        elif key == "ctrl+u":
            before = ""
        elif key == "ctrl+k":
            after = ""
        elif key == "ctrl+w":
            kept = before.rstrip(" -_/.:")
            before = kept[: max(kept.rfind(separator) for separator in " -_/.:") + 1]
        elif key in ("left", "right", "home", "end", "ctrl+left", "ctrl+right"):
            self._move(key)
            return True
        else:
            return False
        self.text, self.caret, self.fresh = before + after, len(before), False
        return True

    def _move(self, key: str) -> None:
        if key in ("home", "end"):
            self.caret = 0 if key == "home" else len(self.text)
        elif key in ("left", "right"):
            self.caret = max(0, min(len(self.text), self.caret + (1 if key == "right" else -1)))
        elif key == "ctrl+left":
            self.caret = self.text.rstrip(" ").rfind(" ", 0, max(0, self.caret - 1)) + 1
        else:
            space = self.text.find(" ", self.caret + 1)
            self.caret = len(self.text) if space < 0 else space + 1
        self.replace = False
