"""How far a long command is: one line on stderr, once the work has taken longer than a second."""

from __future__ import annotations

import sys
import time
from typing import Self

from planner.cli.diagnostics import say
from planner.model.fields import printable

QUIET_SECONDS = 1.0
_RENEWED_SECONDS = 0.2


class Progress:
    """A line that counts; a terminal sees it renewed, a log gets a line a second unless ``terminal_only``."""

    def __init__(self, what: str, *, terminal_only: bool = False) -> None:
        self.what = printable(what)
        self.last = time.monotonic()
        self.is_terminal = sys.stderr is not None and sys.stderr.isatty()
        self.is_quiet = terminal_only and not self.is_terminal
        self.shown = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self.shown and self.is_terminal:
            sys.stderr.write("\n")

    def count(self, done: int, whole: int) -> None:
        """``done`` of ``whole`` pieces are ready."""
        self._show(f"{done:,} of {whole:,}")

    def share(self, done: float) -> None:
        """The part ``done`` of the work, 0 to 1, is ready."""
        self._show(f"{done:4.0%}")

    def _show(self, how_far: str) -> None:
        now = time.monotonic()
        wait = _RENEWED_SECONDS if self.shown and self.is_terminal else QUIET_SECONDS
        if self.is_quiet or now - self.last < wait:
            return
        self.last, self.shown = now, True
        text = f"{self.what}: {how_far}"
        if self.is_terminal:
            sys.stderr.write(f"\r{text}")
            sys.stderr.flush()
        else:
            say(text)
