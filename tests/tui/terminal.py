"""A real terminal for the real program: a pseudo-terminal, written to and read from like a person's."""

from __future__ import annotations

import contextlib
import fcntl
import os
import pty
import select
import signal
import struct
import sys
import termios
import time
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Self

REPOSITORY = Path(__file__).absolute().parent.parent.parent
PROGRAM = """
import sys
from pathlib import Path
from planner.store import open_library
from planner.tui.app import run
with open_library(sys.argv[1]) as library:
    code = run(library, crash_log=Path(sys.argv[2]))
sys.exit(code)
"""
DEADLINE = 20.0


class Terminal:
    """The screen on the library at ``database``, in a pseudo-terminal of ``size`` (columns, lines)."""

    def __init__(self, database: Path, *, size: tuple[int, int] = (80, 24), program: str = PROGRAM) -> None:
        self.output = b""
        self.closed = False
        self.status: int | None = None
        self.crash_log = database.with_name("crash.log")
        self.pid, self.master = pty.fork()
        if self.pid == 0:
            environment = {
                **os.environ,
                "TERM": "xterm-256color",
                "PYTHONPATH": str(REPOSITORY),
                "COLORTERM": "truecolor",
            }
            arguments = [sys.executable, "-c", program, str(database), str(self.crash_log)]
            os.execve(sys.executable, arguments, environment)  # noqa: S606 - the program under test
        self.resize(*size)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.status is None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
        if not self.closed:
            os.close(self.master)

    def resize(self, columns: int, lines: int) -> None:
        """Change the terminal's size, as a window does."""
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))

    def write(self, keys: bytes) -> None:
        """Send ``keys`` at once."""
        left = keys
        while left:
            sent = os.write(self.master, left[:4096])
            left = left[sent:]
            self.read(0.0)

    def read(self, seconds: float) -> bytes:
        """What was painted within ``seconds``."""
        end = time.monotonic() + seconds
        found = b""
        while not self.closed:
            ready, _, _ = select.select([self.master], [], [], max(0.0, end - time.monotonic()))
            if not ready:
                break
            try:
                data = os.read(self.master, 65536)
            except OSError:
                break
            if not data:
                break
            found += data
        self.output += found
        return found

    def wait_for(self, condition: Callable[[], bool], what: str) -> None:
        """Read until ``condition`` holds. Raises AssertionError after the deadline."""
        end = time.monotonic() + DEADLINE
        while not condition():
            self.read(0.02)
            assert time.monotonic() < end, f"{what} did not happen; the last of the screen: {self.output[-400:]!r}"

    def wait_until_ready(self) -> None:
        """Wait for the first paint."""
        self.wait_for(lambda: b"Explain" in self.output and b"TTFT" in self.output, "the first paint")
        self.read(0.2)

    def wait_for_end(self, seconds: float = DEADLINE) -> int:
        """The exit code; minus the number of a signal that ended the program."""
        end = time.monotonic() + seconds
        while self.status is None:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                self.status = os.waitstatus_to_exitcode(status)
                break
            assert time.monotonic() < end, f"the program did not end within {seconds} s"
            self.read(0.02)
        self.read(0.05)
        return self.status

    def kill(self, number: int) -> None:
        """Send a signal."""
        os.kill(self.pid, number)

    def close(self) -> None:
        """Close the terminal's window."""
        os.close(self.master)
        self.closed = True
