"""F26: the terminal is closed; the program ends, what was saved is saved, and an open cell is never half saved."""

from __future__ import annotations

import time
from pathlib import Path

from tests.faults.support import assert_sound, first_tokens, revisions
from tests.faults.terminal import open_screen


def test_f26_the_window_is_closed_while_a_cell_is_open(database: Path) -> None:
    noted = revisions(database)
    with open_screen(database) as terminal:
        terminal.send("/prompt tok\r")
        terminal.send("4001\r")
        terminal.wait_for("→ 4,001")
        # Enter went one cell down.
        terminal.send("\x1b[A98")
        terminal.settle()
        begun = time.monotonic()
        terminal.hang_up()
        code = terminal.wait()
        took = time.monotonic() - begun
    print(f"ended {took:.2f} s after its terminal")
    assert code == 129
    assert took < 4, "2 s on a machine that does nothing else"
    assert first_tokens(database) == 4001
    assert revisions(database) == noted + 1
    assert_sound(database)
