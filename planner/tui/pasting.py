"""Telling bracketed pastes from keys in what a terminal sends. Pure.

Inside a paste Textual's own parser tries every escape sequence as a key, which takes milliseconds for each.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

START, END = "\x1b[200~", "\x1b[201~"
MOST = 10_000_000
"""Characters of one paste that are kept; a table of as many cells as the sheet takes is far smaller."""


@dataclass(slots=True)
class PasteSplitter:
    """Cuts the pastes out of the text that a terminal sends, chunk by chunk."""

    _parts: list[str] | None = None
    _tail: str = ""
    _kept: int = field(default=0)

    def feed(self, text: str) -> Iterator[tuple[bool, str]]:
        """The keys (False) and the finished pastes (True) of one more chunk, in their order.

        A start that two chunks share is left to whoever reads the keys: Escape must not wait for more.
        """
        while text:
            if self._parts is None:
                keys, start, text = text.partition(START)
                if keys:
                    yield False, keys
                if start:
                    self._parts, self._tail, self._kept = [], "", 0
                continue
            pasted, end, rest = (self._tail + text).partition(END)
            if end:
                self._keep(pasted)
                whole = "".join(self._parts)
                self._parts, self._tail, text = None, "", rest
                yield True, whole
                continue
            hold = _shared(pasted)
            self._keep(pasted[: len(pasted) - hold])
            self._tail, text = pasted[len(pasted) - hold :], ""

    def _keep(self, text: str) -> None:
        part = text[: MOST - self._kept]
        self._kept += len(part)
        if self._parts is not None and part:
            self._parts.append(part)


def _shared(text: str) -> int:
    """How many characters at the end of ``text`` may begin the end of a paste."""
    return next((size for size in range(len(END) - 1, 0, -1) if text.endswith(END[:size])), 0)
