"""F20: another program holds the lock and does not let go; one waits five seconds, says so, and nothing is changed."""

from __future__ import annotations

import time
from pathlib import Path

from tests.faults import children
from tests.faults.support import Child, assert_sound, first_tokens, planner, says, wait_for_lines
from tests.faults.terminal import open_screen


def test_f20_after_the_timeout_a_sentence(database: Path, tmp_path: Path) -> None:
    before = first_tokens(database)
    acknowledgements = tmp_path / "acks"
    with Child(tmp_path, children.hold_exclusively, str(database), str(acknowledgements)) as holder:
        wait_for_lines(acknowledgements, 1, holder)
        begun = time.monotonic()
        ended = planner("set", "Toy 7B", "prompt_tokens=7", "--db", database)
        took = time.monotonic() - begun
        says(ended, 75, str(database), f"Another program, process {holder.pid} (", "nothing was changed", "try again")
        assert 5 <= took < 20
    assert first_tokens(database) == before
    assert planner("set", "Toy 7B", "prompt_tokens=7", "--db", database).code == 0
    assert first_tokens(database) == 7
    assert_sound(database)


def test_f20_looking_through_and_saving_wait_too(database: Path, tmp_path: Path) -> None:
    """A file that is locked is not called damaged by what looks for damage, and no backup of it waits for ever."""
    acknowledgements = tmp_path / "acks"
    target = tmp_path / "saved.db"
    with Child(tmp_path, children.hold_exclusively, str(database), str(acknowledgements)) as holder:
        wait_for_lines(acknowledgements, 1, holder)
        for words in (
            ("doctor",),
            ("doctor", "--json"),
            ("doctor", "--salvage", target),
            ("backup", target),
            ("upgrade",),
        ):
            ended = planner("db", *words, "--db", database)
            assert "damaged" not in says(ended, 75, f"process {holder.pid} (", "locked for 5 seconds"), words
            assert ended.out == ""
        says(planner("db", "restore", "--yes", "--db", database), 66, "no sound backup")
        says(planner("db", "copy", database, target), 75, f"process {holder.pid} (")
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(("saved", ".saved"))] == []
    assert planner("db", "doctor", "--db", database).code == 0


def test_f20_the_screen_goes_on(database: Path, tmp_path: Path) -> None:
    acknowledgements = tmp_path / "acks"
    with open_screen(database, size=(250, 40)) as terminal:
        terminal.send("/prompt tok\r")
        terminal.settle()
        with Child(tmp_path, children.hold_exclusively, str(database), str(acknowledgements)) as holder:
            wait_for_lines(acknowledgements, 1, holder)
            begun = time.monotonic()
            terminal.send("4001\r")
            terminal.wait_for(f"process {holder.pid}")
            took = time.monotonic() - begun
            terminal.settle()
        # What was typed is still there, and saved once the lock is gone.
        terminal.mark()
        terminal.send("\r")
        terminal.wait_for("→ 4,001")
        terminal.signal(15)
        assert terminal.wait() == 143
    print(f"the screen stood still for {took:.2f} s")
    assert took < 4, "half a second on a machine that does nothing else"
    assert first_tokens(database) == 4001
    assert_sound(database)
