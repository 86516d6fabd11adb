"""F29: the window is resized a thousand times, from nothing to 300 by 100; the program lives, and so does the cell."""

from __future__ import annotations

import time
from pathlib import Path

from tests.faults.support import assert_sound, dice, first_tokens, long_run
from tests.faults.terminal import open_screen


@long_run("times", 1000)
def test_f29_resized_again_and_again(database: Path, times: int) -> None:
    chance = dice()
    with open_screen(database) as terminal:
        terminal.send("/prompt tok\r")
        terminal.send("40")
        for number in range(times):
            size = (0, 0) if number % 50 == 0 else (chance.randint(1, 300), chance.randint(1, 100))
            terminal.resize(*size)
            time.sleep(chance.choice((0, 0.001, 0.01)))
        terminal.resize(120, 40)
        terminal.settle()
        assert terminal.process.poll() is None
        terminal.mark()
        terminal.send("01\r")
        terminal.wait_for("→ 4,001")
        terminal.send("\x11")
        assert terminal.wait() == 0
        assert "Traceback" not in terminal.text
        terminal.assert_restored()
    assert first_tokens(database) == 4001
    assert_sound(database)
