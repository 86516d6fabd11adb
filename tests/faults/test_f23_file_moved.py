"""F23: the file is renamed, deleted or replaced while the library is open; nothing is written anywhere then."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from planner.store import open_library
from tests.faults import children
from tests.faults.support import (
    Child,
    assert_sound,
    digest,
    first_tokens,
    lines_of,
    planner,
    untouched,
    wait_for_lines,
    wait_until,
)
from tests.faults.terminal import open_screen


def moved(path: Path) -> None:
    path.rename(path.with_name("moved.db"))


def deleted(path: Path) -> None:
    path.unlink()


def replaced(path: Path) -> None:
    copy = path.with_name("copy.db")
    shutil.copy2(path, copy)
    copy.replace(path)


def emptied(path: Path) -> None:
    path.unlink()
    path.touch()


@pytest.mark.parametrize(
    ("happen", "words"),
    [(moved, "deleted or moved"), (deleted, "deleted or moved"), (replaced, "replaced"), (emptied, "replaced")],
)
def test_f23_the_next_edit_is_refused(
    database: Path, tmp_path: Path, happen: Callable[[Path], None], words: str
) -> None:
    acknowledgements, requests = tmp_path / "acks", tmp_path / "requests"
    with Child(tmp_path, children.edit_on_request, str(database), str(acknowledgements), str(requests)) as child:
        requests.write_text("4001\n")
        wait_for_lines(acknowledgements, 2, child)
        happen(database)
        left = [path for path in database.parent.iterdir() if path.is_file()]
        with untouched(*left):
            requests.write_text("4001\n4002\nend\n")
            assert child.wait().code == 0
    code, _, sentence = lines_of(acknowledgements)[2].partition(" ")
    assert code == "74"
    assert str(database) in sentence
    assert words in sentence
    assert "nothing was changed" in sentence


def test_f23_moved_back_it_goes_on(database: Path, tmp_path: Path) -> None:
    acknowledgements, requests = tmp_path / "acks", tmp_path / "requests"
    away = database.with_name("moved.db")
    with Child(tmp_path, children.edit_on_request, str(database), str(acknowledgements), str(requests)) as child:
        wait_for_lines(acknowledgements, 1, child)
        database.rename(away)
        requests.write_text("4001\n")
        wait_for_lines(acknowledgements, 2, child)
        away.rename(database)
        requests.write_text("4001\n4002\nend\n")
        assert child.wait().code == 0
    assert lines_of(acknowledgements)[2:] == ["ok"]
    assert first_tokens(database) == 4002
    assert_sound(database)


def test_f23_the_screen_keeps_what_was_typed(database: Path) -> None:
    away = database.with_name("moved.db")
    with open_screen(database, size=(250, 40)) as terminal:
        terminal.send("/prompt tok\r")
        terminal.send("4001\r")
        terminal.wait_for("→ 4,001")
        database.rename(away)
        before = digest(away)
        # Enter went one cell down.
        terminal.send("\x1b[A4002\r")
        terminal.wait_for("deleted or moved")
        assert digest(away) == before
        away.rename(database)
        # The cell is still open with what was typed.
        terminal.mark()
        terminal.send("\r")
        terminal.wait_for("→ 4,002")
        terminal.signal(15)
        assert terminal.wait() == 143
    assert first_tokens(database) == 4002
    assert_sound(database)


@pytest.mark.parametrize("happen", [moved, deleted, replaced])
def test_f23_a_copy_is_saved_from_the_screen(database: Path, tmp_path: Path, happen: Callable[[Path], None]) -> None:
    """All that was on the screen can be written elsewhere, and taken into another library."""
    target, other = tmp_path / "plan.json", tmp_path / "other.db"
    with open_screen(database, size=(250, 40)) as terminal:
        terminal.send("/prompt tok\r")
        terminal.send("4001\r")
        terminal.wait_for("→ 4,001")
        happen(database)
        terminal.send("\x1b[A4002\r")
        terminal.wait_for("nothing was changed")
        terminal.send("\x1b\x1b")
        terminal.settle()
        terminal.send(f"\x05\x15{target}\r")
        wait_until(target.exists, "the export is there")
        terminal.signal(15)
        assert terminal.wait() == 143
    assert planner("import", target, "--apply", "--replace", "--db", other).code == 0
    with open_library(other) as library:
        assert library.find("Toy 7B").scenario.values["prompt_tokens"] == 4001
        assert len(library.scenarios()) == 5
