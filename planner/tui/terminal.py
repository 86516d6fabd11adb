"""Reading the terminal without giving up: a byte that is no UTF-8 is shown as U+FFFD, a closed terminal ends the
program in order, a terminal of a size that none has is painted in part. Textual's own reader stops the program at the
first such byte, keeps reading a closed terminal, and paints as many lines as it is told.
"""

from __future__ import annotations

import contextlib
import os
import selectors
from codecs import getincrementaldecoder
from typing import Any, TextIO

from textual import events
from textual._parser import ParseError
from textual._xterm_parser import XTermParser
from textual.app import App
from textual.drivers.linux_driver import LinuxDriver
from textual.message import Message

from planner.tui.pasting import PasteSplitter

CHUNK = 4096
WAIT = 0.1
HUNG_UP = 129
MOST_COLUMNS, MOST_LINES = 1000, 400
"""The part of a terminal that is painted; the largest screens with the smallest letters have fewer."""


def bounded_size(columns: int, lines: int) -> tuple[int, int]:
    """A terminal's size, as far as it is painted."""
    return min(columns, MOST_COLUMNS), min(lines, MOST_LINES)


class LastingFile:
    """The terminal as a file that is still there to write to when the terminal is gone; nothing comes of it then.

    Textual's writer would end at the first error, and the program wait for it for ever.
    """

    def __init__(self, file: TextIO) -> None:
        self._file = file

    def write(self, text: str) -> int:
        """Write, if there is a terminal."""
        with contextlib.suppress(OSError):
            self._file.write(text)
        return len(text)

    def flush(self) -> None:
        """Flush, if there is a terminal."""
        with contextlib.suppress(OSError):
            self._file.flush()

    def fileno(self) -> int:
        """The terminal's file number."""
        return self._file.fileno()

    def isatty(self) -> bool:
        """Whether it is a terminal."""
        return self._file.isatty()


class PatientDriver(LinuxDriver):
    """Textual's driver for Linux and macOS with a reader of its own."""

    def __init__(
        self, app: App[Any], *, debug: bool = False, mouse: bool = True, size: tuple[int, int] | None = None
    ) -> None:
        super().__init__(app, debug=debug, mouse=mouse, size=size)
        self._file: Any = LastingFile(self._file)

    def _get_terminal_size(self) -> tuple[int, int]:
        """The terminal's size, as far as it is painted."""
        return bounded_size(*super()._get_terminal_size())

    def process_message(self, message: Message) -> None:
        """Pass on what the terminal said, a size as far as it is painted."""
        if isinstance(message, events.Resize):
            size = bounded_size(*message.size)
            if size != tuple(message.size):
                message = events.Resize.from_dimensions(size, None)
        super().process_message(message)

    def run_input_thread(self) -> None:
        """Read keys until the program ends or the terminal is gone."""
        decode = getincrementaldecoder("utf-8")(errors="replace").decode
        parser, splitter = XTermParser(self._debug), PasteSplitter()
        with selectors.SelectSelector() as selector:
            selector.register(self.fileno, selectors.EVENT_READ)
            while not self.exit_event.is_set():
                if selector.select(WAIT):
                    data = self._read()
                    if not data:
                        # Not waited for: who ends the program waits for this thread.
                        self._loop.call_soon_threadsafe(self._app.exit, None, HUNG_UP)
                        return
                    for is_paste, text in splitter.feed(decode(data)):
                        if is_paste:
                            self.process_message(events.Paste(text.replace("\x00", "")))
                            continue
                        for event in parser.feed(text):
                            self.process_message(event)
                for event in parser.tick():
                    self.process_message(event)
        try:
            for _ in parser.feed(""):
                pass
        except (EOFError, ParseError):
            return

    def _read(self) -> bytes:
        """What was typed; nothing where the terminal is gone."""
        try:
            return os.read(self.fileno, CHUNK)
        except OSError:
            return b""
