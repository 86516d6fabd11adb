"""S11: no control character of a name, a note, a file or a database reaches the terminal."""

from __future__ import annotations

import re
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.faults.support import planner, revisions
from tests.faults.terminal import Terminal
from tests.security.payloads import TERMINAL

# What Textual itself sends: cursor, colours, modes, and questions about what the terminal can do.
OWN = re.compile(
    r"\x1b(?:\[[0-9;:]*[mHJKABCDGdfsuq]|\[\?[0-9;]+(?:[hl]|\$p)|\[[<>=?]?[0-9;]*[uctnq]|\[!p|[=>78]|P\+q[0-9a-fA-F;]*\x1b\\|\]22;[a-z-]*\x07)"
)
ALLOWED = set("\r\n")


def foreign(raw: str) -> set[str]:
    """Control and bidirectional characters that are not of the program's own sequences."""
    return {one for one in OWN.sub("", raw) if not one.isprintable()} - ALLOWED


@pytest.fixture
def hostile(database: Path) -> Path:
    """A library that a stranger wrote escape sequences into, wherever a text is kept."""
    every = "".join(TERMINAL)
    with closing(sqlite3.connect(database)) as connection:
        for number, payload in enumerate(TERMINAL[:5], 1):
            connection.execute(
                "UPDATE scenario SET name = ?, notes = ? WHERE id = ?", (f"{number}{payload}", every, number)
            )
        connection.execute("UPDATE scenario SET tags = json_array(?), currency = ?", (every, TERMINAL[0][:40]))
        connection.execute("UPDATE workspace SET name = ?, notes = ?", (every, every))
        connection.execute(
            "UPDATE revision SET who = ?, subject = ?, why = ?, action = ?", (every, every, every, "edit" + every[:20])
        )
        connection.execute("UPDATE revision_change SET name = ?", (every[:100],))
        connection.commit()
    return database


@pytest.mark.parametrize("payload", TERMINAL)
def test_s11_refused_where_it_is_entered(database: Path, payload: str) -> None:
    hidden, before = f"a{payload}b", revisions(database)
    commands = [
        ("rename", "Toy 7B", hidden),
        ("tag", "Toy 7B", hidden),
        ("set", "Toy 7B", f"currency={hidden}"),
        ("workspace", "new", hidden),
        ("snapshot", hidden),
    ]
    if payload != "\r":
        # In notes that is the end of a line.
        commands.append(("notes", "Toy 7B", hidden))
    for command in commands:
        ended = planner(*command, "--db", database)
        assert ended.code == 2, (command, ended.err)
        assert not foreign(ended.err + ended.out)
    assert revisions(database) == before


def test_s11_on_the_screen(hostile: Path) -> None:
    with Terminal("--db", hostile, size=(200, 45)) as terminal:
        terminal.wait_for("Accelerator")
        terminal.settle()
        # Along the names, through help, explanation, palette, history and search.
        for keys in (
            "\x1b[C\x1b[C\x1b[C",
            "\x1bOP",
            "\x1b",
            "\x1bOS",
            "\x1b",
            "\x10hist\r",
            "\x1b",
            "/x\r",
            "\x1b",
            "\x1b[17~",
            "\x1b[18~",
            "\x1b",
        ):
            terminal.send(keys)
            terminal.settle(0.15)
        assert terminal.process.poll() is None
        terminal.signal(15)
        assert terminal.wait() == 143
        raw = terminal.raw
    assert "\ufffd" in raw
    assert foreign(raw) == set()
    assert "\x1b]52" not in raw
    assert "\x1b]0;" not in raw


@pytest.mark.parametrize(
    "command",
    [
        (),
        ("list",),
        ("list", "--json"),
        ("history",),
        ("history", "--json"),
        ("compare",),
        ("compare", "--json"),
        ("workspace", "list"),
    ],
)
def test_s11_on_the_command_line(hostile: Path, command: tuple[str, ...]) -> None:
    ended = planner(*command, "--db", hostile)
    assert "Traceback" not in ended.err
    assert foreign(ended.out + ended.err) == set()


@pytest.mark.parametrize("payload", TERMINAL[:10:2])
def test_s11_in_names_of_files_and_options(tmp_path: Path, payload: str) -> None:
    for command in (
        ("list", "--db", tmp_path / f"{payload}.db" / "x"),
        ("import", tmp_path / payload),
        ("eval", "--set", f"model=./{payload}.json"),
        (f"--{payload}",),
        ("export", tmp_path / payload / "x.csv"),
    ):
        ended = planner(*command, "--db", tmp_path / "x.db") if command[0] == "export" else planner(*command)
        assert ended.code != 0
        assert foreign(ended.out + ended.err) == set()
