"""F27: signals end the program in order, with the terminal as it was; a stopped one comes back and paints."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest

from tests.faults.support import assert_sound, first_tokens, query
from tests.faults.terminal import open_screen


@pytest.mark.parametrize(
    "number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT, signal.SIGQUIT], ids=lambda one: one.name
)
def test_f27_the_terminal_is_restored_and_the_code_tells_the_signal(database: Path, number: signal.Signals) -> None:
    with open_screen(database) as terminal:
        terminal.send("/prompt tok\r")
        terminal.send("4001\r")
        terminal.wait_for("→ 4,001")
        # Enter went one cell down.
        terminal.send("\x1b[A98")
        terminal.settle()
        terminal.signal(number)
        assert terminal.wait() == 128 + number
        terminal.assert_restored()
        assert "Traceback" not in terminal.text
    assert first_tokens(database) == 4001
    assert query(database, "SELECT count(*) FROM instance") == [(0,)]
    assert_sound(database)


def test_f27_stopped_and_continued(database: Path) -> None:
    with open_screen(database) as terminal:
        terminal.signal(signal.SIGTSTP)
        terminal.settle()
        terminal.mark()
        terminal.signal(signal.SIGCONT)
        terminal.wait_for("Toy 7B")
        terminal.send("/prompt tok\r")
        terminal.send("4001\r")
        terminal.wait_for("→ 4,001")
        terminal.signal(signal.SIGTERM)
        assert terminal.wait() == 143
        terminal.assert_restored()
    assert first_tokens(database) == 4001
    assert_sound(database)
