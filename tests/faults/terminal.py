"""The program on a terminal of its own: what it is sent, what it paints, and how it leaves the terminal behind."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import threading
import time
from pathlib import Path
from typing import Any, Self

from tests.faults.support import PATIENCE, REPOSITORY, wait_until

_SEQUENCE = re.compile(
    r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[PX^_].*?\x1b\\|[@-Z\\^_=>])", re.DOTALL
)
ALTERNATE, MAIN, SHOW_CURSOR = "\x1b[?1049h", "\x1b[?1049l", "\x1b[?25h"


class Terminal:
    """A pseudo-terminal with the program on it; at the end of the context it is killed."""

    def __init__(
        self, *arguments: object, size: tuple[int, int] = (100, 30), code: str = "", **environment: str
    ) -> None:
        """Run ``python -m planner`` with ``arguments``, or the Python program ``code`` with them."""
        self.master, slave = pty.openpty()
        self.name = os.ttyname(slave)
        # Held open, so that what the program left of the terminal's settings can be read.
        self.slave = slave
        self.resize(*size)
        self.before = termios.tcgetattr(slave)
        program = ["-c", code] if code else ["-P", "-m", "planner"]
        self.process = subprocess.Popen(
            # Opened by the leader of a session, it becomes its terminal.
            ["sh", "-c", 'exec "$@" <>"$0" >&0 2>&0', self.name, sys.executable, *program, *map(str, arguments)],
            env={**os.environ, "PYTHONPATH": str(REPOSITORY), "TERM": "xterm-256color", **environment},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        self._painted = bytearray()
        self._closed = threading.Event()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.poll() is None:
            os.kill(self.process.pid, signal.SIGKILL)
            self.process.wait(PATIENCE)
        self.hang_up()
        if self.slave >= 0:
            os.close(self.slave)
            self.slave = -1

    def _read(self) -> None:
        while not self._closed.is_set():
            if select.select([self.master], [], [], 0.05)[0]:
                try:
                    data = os.read(self.master, 65_536)
                except OSError:
                    return
                self._painted += data

    def hang_up(self) -> None:
        """Close the terminal, as by closing its window."""
        if self.master < 0:
            return
        self._closed.set()
        self._reader.join(PATIENCE)
        os.close(self.master)
        self.master = -1

    @property
    def raw(self) -> str:
        """Everything that was sent to the terminal."""
        return self._painted.decode("utf-8", "replace")

    @property
    def text(self) -> str:
        """The same without its control sequences."""
        return _SEQUENCE.sub("", self.raw)

    def resize(self, columns: int, rows: int) -> None:
        """Give the terminal another size; the system tells the program."""
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def send(self, data: bytes | str) -> None:
        """Type ``data``."""
        content = data.encode() if isinstance(data, str) else data
        while content:
            if not select.select([], [self.master], [], PATIENCE)[1]:
                raise TimeoutError("the program does not read")
            content = content[os.write(self.master, content[:1024]) :]

    def wait_for(self, words: str, seconds: float = PATIENCE) -> None:
        """Wait until ``words`` were painted."""
        wait_until(lambda: words in self.text or self.process.poll() is not None, f"{words!r} on the screen", seconds)
        assert words in self.text, f"{words!r} is not in: {self.text[-2000:]}"

    def mark(self) -> None:
        """Forget what was painted so far."""
        self._painted.clear()

    def settle(self, seconds: float = 0.3) -> None:
        """Wait until nothing has been painted for a while."""
        size, deadline = -1, time.monotonic() + PATIENCE
        while size != len(self._painted) and time.monotonic() < deadline:
            size = len(self._painted)
            time.sleep(seconds)

    def signal(self, number: int) -> None:
        """Send the program a signal."""
        os.kill(self.process.pid, number)

    def wait(self, seconds: float = PATIENCE) -> int:
        """Wait for the end: the exit code, or minus the number of the signal."""
        code = self.process.wait(seconds)
        time.sleep(0.1)
        return code

    def settings(self) -> list[Any]:
        """The terminal's settings now."""
        return termios.tcgetattr(self.slave)

    def assert_restored(self) -> None:
        """Cursor, echo, line mode and main screen are back (pass criterion E)."""
        assert self.settings() == self.before
        if ALTERNATE in self.raw:
            assert self.raw.rindex(MAIN) > self.raw.rindex(ALTERNATE)
        assert self.raw.rfind(SHOW_CURSOR) > self.raw.rfind("\x1b[?25l")
        for mode in (1000, 1003, 1006, 2004):
            assert self.raw.rfind(f"\x1b[?{mode}l") >= self.raw.rfind(f"\x1b[?{mode}h")


def open_screen(path: Path, **options: Any) -> Terminal:
    """The screen on the library ``path``, painted."""
    terminal = Terminal("--db", path, **options)
    terminal.wait_for("Toy 7B")
    terminal.settle()
    return terminal
