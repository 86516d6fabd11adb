"""Reading the terminal without giving up: a byte that is no UTF-8 is shown as U+FFFD, a closed terminal ends the
program in order. Textual's own reader stops the program at the first such byte, and keeps reading a closed terminal.
"""

from __future__ import annotations

import contextlib
import os
import selectors
from codecs import getincrementaldecoder
from typing import Any, TextIO

from textual._parser import ParseError
from textual._xterm_parser import XTermParser
from textual.app import App
from textual.drivers.linux_driver import LinuxDriver

CHUNK = 4096
WAIT = 0.1
HUNG_UP = 129


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

    def run_input_thread(self) -> None:
        """Read keys until the program ends or the terminal is gone."""
        decode = getincrementaldecoder("utf-8")(errors="replace").decode
        parser = XTermParser(self._debug)
        with selectors.SelectSelector() as selector:
            selector.register(self.fileno, selectors.EVENT_READ)
            while not self.exit_event.is_set():
                if selector.select(WAIT):
                    data = self._read()
                    if not data:
                        # Not waited for: who ends the program waits for this thread.
                        self._loop.call_soon_threadsafe(self._app.exit, None, HUNG_UP)
                        return
                    for event in parser.feed(decode(data)):
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
