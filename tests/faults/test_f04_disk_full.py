"""F04: no space is left for a write of the database; nothing is lost, and editing goes on when there is space again."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.faults import children
from tests.faults.support import (
    Child,
    assert_sound,
    first_tokens,
    fresh_planner,
    injecting,
    lines_of,
    planner,
    says,
    wait_for_lines,
)
from tests.faults.terminal import open_screen


@pytest.mark.strace
@pytest.mark.parametrize("first", [1, 2, 4, 6])
def test_f04_from_the_nth_write_on_there_is_no_space(database: Path, tmp_path: Path, first: int) -> None:
    acknowledgements, requests = tmp_path / "acks", tmp_path / "requests"
    arguments = (str(database), str(acknowledgements), str(requests), True)
    with Child(tmp_path, children.edit_on_request, *arguments) as child:
        with injecting(child, acknowledgements, "pwrite64", f"error=ENOSPC:when={first}+"):
            requests.write_text("4001\n")
            code, _, sentence = wait_for_lines(acknowledgements, 3, child)[2].partition(" ")
        assert code == "74"
        assert "full" in sentence
        assert "nothing was changed" in sentence
        requests.write_text("4001\n4002\nend\n")
        ended = child.wait()
    assert (ended.code, ended.err) == (0, "")
    assert lines_of(acknowledgements)[3:] == ["ok"]
    assert first_tokens(database) == 4002
    assert_sound(database)


@pytest.mark.strace
def test_f04_the_command_ends_with_74(database: Path) -> None:
    before = first_tokens(database)
    under = ("strace", "-f", "-qq", "-o", "/dev/null", "-e", "trace=pwrite64", "-e", "inject=pwrite64:error=ENOSPC")
    ended = fresh_planner("set", "Toy 7B", f"prompt_tokens={before + 1}", "--db", database, under=under)
    lines = ended.err.splitlines()
    # The day's backup could not be taken either, which is no reason not to work.
    says(type(ended)(ended.code, ended.out, lines[-1]), 74, str(database), "full", "nothing was changed")
    assert first_tokens(database) == before
    assert_sound(database)


@pytest.mark.root
def test_f04_a_disk_that_is_really_full(database: Path, tmp_path: Path, small_disk: Path) -> None:
    path = small_disk / "plan.db"
    shutil.copy2(database, path)
    ballast = small_disk / "ballast"
    free = shutil.disk_usage(small_disk).free
    ballast.write_bytes(bytes(free))
    before = first_tokens(path)
    acknowledgements, requests = tmp_path / "acks", tmp_path / "requests"
    with Child(tmp_path, children.edit_on_request, str(path), str(acknowledgements), str(requests)) as child:
        requests.write_text("4001\n")
        code, _, sentence = wait_for_lines(acknowledgements, 2, child)[1].partition(" ")
        assert code == "74"
        assert str(path) in sentence
        assert "full" in sentence
        assert first_tokens(path) == before
        says(planner("new", "one more", "--db", small_disk / "second.db"), 74, "full")
        assert sorted(entry.name for entry in small_disk.iterdir()) == ["backups", "ballast", "plan.db"]
        ballast.unlink()
        requests.write_text("4001\n4002\nend\n")
        assert child.wait().code == 0
    assert lines_of(acknowledgements)[2:] == ["ok"]
    assert first_tokens(path) == 4002
    assert_sound(path)


@pytest.mark.root
def test_f04_the_screen_says_so_and_keeps_what_was_typed(database: Path, small_disk: Path) -> None:
    path = small_disk / "plan.db"
    shutil.copy2(database, path)
    with open_screen(path, size=(250, 40)) as terminal:
        ballast = small_disk / "ballast"
        ballast.write_bytes(bytes(shutil.disk_usage(small_disk).free))
        terminal.send("/prompt tok\r4001\r")
        terminal.wait_for("is full; nothing was changed")
        ballast.unlink()
        terminal.mark()
        terminal.send("\r")
        terminal.wait_for("→ 4,001")
        terminal.signal(15)
        assert terminal.wait() == 143
    assert first_tokens(path) == 4001
    assert_sound(path)
