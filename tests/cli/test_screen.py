"""`planner` in a terminal: the screen opens on the library and closes without a trace."""

import os
import pty
import re
import select
import sqlite3
import subprocess
import time
from pathlib import Path

from tests.cli.conftest import REPOSITORY, command

QUIT = b"\x11"


def test_the_screen_opens_where_there_is_a_terminal(database: Path) -> None:
    import fcntl
    import struct
    import termios

    main, side = pty.openpty()
    fcntl.ioctl(side, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    before = termios.tcgetattr(side)
    running = subprocess.Popen(
        command(), cwd=REPOSITORY, env={**os.environ, "TERM": "xterm-256color"}, stdin=side, stdout=side, stderr=side,
        start_new_session=True,
    )  # fmt: skip
    screen = b""
    deadline = time.monotonic() + 60
    quitting = False
    while time.monotonic() < deadline and running.poll() is None:
        if select.select([main], [], [], 0.2)[0]:
            screen += os.read(main, 65536)
        if not quitting and b"Toy 7B" in re.sub(rb"\x1b\[[0-9;?]*[a-zA-Z]", b"", screen):
            os.write(main, QUIT)
            quitting = True
    assert quitting, screen[-2000:]
    assert running.wait(timeout=30) == 0
    assert termios.tcgetattr(side) == before
    os.close(main)
    os.close(side)
    connection = sqlite3.connect(database)
    assert connection.execute("SELECT count(*) FROM instance").fetchone() == (0,)
    connection.close()
