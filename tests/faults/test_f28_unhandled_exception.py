"""F28: a fault of the program itself while a key is handled: exit code 70, a report in a file, nothing lost."""

from __future__ import annotations

import re
import stat
from pathlib import Path

from tests.faults.support import assert_sound, first_tokens
from tests.faults.terminal import Terminal

BROKEN = """
import sys
from planner.tui.desk import Desk
from planner.__main__ import main

press = Desk.press

def broken(desk, key, character=None):
    if character == "!":
        raise ZeroDivisionError("the test's own fault")
    return press(desk, key, character)

Desk.press = broken
sys.exit(main())
"""


def test_f28_a_fault_in_a_handler(database: Path, tmp_path: Path) -> None:
    with Terminal("--db", database, code=BROKEN, XDG_STATE_HOME=str(tmp_path), size=(200, 30)) as terminal:
        terminal.wait_for("Toy 7B")
        terminal.send("/prompt tok\r")
        terminal.send("4001\r")
        terminal.wait_for("→ 4,001")
        terminal.send("!")
        assert terminal.wait() == 70
        terminal.assert_restored()
        after = terminal.raw[terminal.raw.rindex("\x1b[?1049l") :]
    assert "Traceback" not in after
    assert "saved" in after
    found = re.search(r"(/\S+\.log)", after)
    assert found, after
    report = Path(found[1])
    assert "ZeroDivisionError: the test's own fault" in report.read_text()
    assert stat.S_IMODE(report.stat().st_mode) == 0o600
    assert first_tokens(database) == 4001
    assert_sound(database)


def test_f28_a_fault_in_a_command(database: Path, tmp_path: Path) -> None:
    # The folder of the log cannot be made either: still one sentence.
    (tmp_path / "state").touch()
    with Terminal("list", "--db", database, code=COMMAND, XDG_STATE_HOME=str(tmp_path / "state")) as terminal:
        assert terminal.wait() == 70
        assert "Traceback" not in terminal.text
        assert "An error inside the planner (ZeroDivisionError)" in terminal.text
    assert [entry.name for entry in database.parent.iterdir()] == ["plan.db"]


COMMAND = """
import sys
from planner.store.library import Library
from planner.__main__ import main

Library.search = lambda *_, **__: 1 // 0
sys.exit(main())
"""
