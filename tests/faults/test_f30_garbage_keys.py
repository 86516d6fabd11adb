"""F30: ten thousand random keys and pastes, then random bytes; the program lives and the library is what it shows."""

from __future__ import annotations

import asyncio
import random
from pathlib import Path
from typing import Any

import pytest
from textual import events

from catalog import load_catalog
from planner.model.inputs import INPUTS
from planner.store import Library, Stored, open_library
from planner.tui.actions import KEYS
from planner.tui.app import PlannerApp
from tests.faults.support import SEED, assert_sound, dice, long_run, query
from tests.faults.terminal import Terminal

MOVES = [
    "up",
    "down",
    "left",
    "right",
    "tab",
    "shift+tab",
    "home",
    "end",
    "pageup",
    "pagedown",
    "shift+down",
    "shift+right",
]
CLOSES = ["enter", "escape", "f2", "backspace", "delete"]
TYPED = "0123456789.,%kMe-+ abcxyz/?:'\"[]{}@=<>\\|éß漢字\u202e\u200b"
PASTES = [
    "12\t13\n14\t15",
    "=cmd|' /C calc'!A0",
    "\x1b]52;c;AAAA\x07\x1b[2J",
    "[@click=app.quit]x[/]",
    "9" * 5000,
    "\t\n" * 300,
    "\x00\ud800",
]

NUMBERS = ["1", "2", "16", "0.5", "100", "2k", "1e6", "50%", "yes", "no", "-1", "1e309", "nan"]
Event = events.Key | events.Paste


@pytest.fixture
def undisturbed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The program without its two ways out: quitting, and writing exports wherever a random path leads."""
    monkeypatch.setattr(PlannerApp, "leave", lambda app: app.desk.say(""))
    monkeypatch.setattr(PlannerApp, "export", lambda app, *_, **__: app.desk.say(""))


def typed(text: str) -> list[Event]:
    return [events.Key(one if one.isalnum() else "unknown", one) for one in text]


def phrase(chance: random.Random, commands: list[str]) -> list[Event]:
    """A few keys, half of them with some sense."""
    kind = chance.random()
    if kind < 0.4:
        return [events.Key(chance.choice(MOVES), None)] * chance.randint(1, 8)
    if kind < 0.6:
        label = chance.choice(tuple(INPUTS.values())).label
        ready = [events.Key("escape", None)] * 2
        there = [events.Key("slash", "/"), *typed(label[:6]), events.Key("enter", None)]
        # A number that is refused stays open until it is given up.
        ends = [events.Key("enter", None), events.Key("escape", None)]
        cells = [[*typed(chance.choice(NUMBERS)), *ends] for _ in range(6)]
        return [*ready, *there, *(key for cell in cells for key in cell)]
    if kind < 0.75:
        return typed("".join(chance.choices(TYPED, k=chance.randint(1, 8))))
    if kind < 0.85:
        return [events.Key(chance.choice(CLOSES), None)]
    if kind < 0.98:
        return [events.Key(chance.choice(commands), chr(chance.randint(0, 31)))]
    return [events.Paste(chance.choice(PASTES))]


def replayed(library: Library) -> dict[int, dict[str, Any]]:
    """What the scenarios must be: every revision's changes, one after another."""
    state: dict[int, dict[str, Any]] = {}
    for revision in reversed(library.history()):
        for identifier, after in revision.after.items():
            state.setdefault(identifier, {}).update(after)
    return state


def content(stored: list[Stored]) -> list[tuple[Any, ...]]:
    return [(one.id, one.is_baseline, one.tags, one.in_fleet, one.scenario) for one in stored]


def check(path: Path, app: PlannerApp) -> None:
    """The file holds what the history says, and the screen shows what the file holds."""
    with open_library(path, create=False) as library:
        stored = library.scenarios()
        state = replayed(library)
    assert content([column.stored for column in app.desk.book.columns]) == content(stored)
    for one in stored:
        document = state[one.id]
        assert not one.damaged
        assert one.name == document["name"]
        for name, value in one.scenario.values.items():
            expected = document[name]
            assert value == (tuple(expected) if isinstance(expected, list) else expected), name
    assert sum(doc.get("deleted_at") is None for identifier, doc in state.items() if identifier) == len(stored)


async def play(path: Path, keys: int) -> int:
    chance = dice()
    with open_library(path) as library:
        app = PlannerApp(library, load_catalog())
        commands = sorted(KEYS)
        assert len(commands) > 20
        async with app.run_test(size=(100, 30)) as pilot:
            await pilot.pause()
            pressed, checked = 0, 0
            while pressed < keys:
                for event in phrase(chance, commands):
                    if isinstance(event, events.Key):
                        app.desk_screen.on_key(event)
                    else:
                        app.desk_screen.on_paste(event)
                    assert app.crash is None
                    pressed += 1
                if pressed - checked >= 50:
                    await pilot.pause()
                    assert app.is_running
                    check(path, app)
                    checked = pressed
        return len(library.history())


@long_run("keys", 10_000)
def test_f30_random_keys(database: Path, undisturbed: None, keys: int) -> None:
    with open_library(database) as library:
        before = content(library.scenarios())
        start = library.last_revision()
    revisions = asyncio.run(play(database, keys))
    with open_library(database) as library:
        changed = content(library.scenarios()) != before
        undone = 0
        # Nothing that a key does is beyond undo.
        while (revision := library.undo()) is not None and undone < 50_000:
            undone += 1
            if revision.undoes is not None and revision.undoes <= start:
                library.redo()
                break
        assert content(library.scenarios()) == before
    print(f"{keys} keys (seed {SEED}), {revisions} revisions, {undone} undone")
    assert changed
    assert_sound(database)


BYTES = """
import sys
from planner.tui.app import PlannerApp
from planner.__main__ import main

PlannerApp.leave = lambda app: None
PlannerApp.export = lambda app, *_, **__: None
sys.exit(main())
"""


def test_f30_random_bytes(database: Path) -> None:
    chance = dice("bytes")
    halves = [
        b"\x1b[",
        b"\x1b]",
        b"\x1b[1;",
        b"\x1bP",
        b"\xc3",
        b"\xff\xfe",
        b"\x1b[<0;10;",
        b"\x1b[200~",
        b"\x1b[201~",
        b"\x00",
    ]
    with Terminal("--db", database, code=BYTES) as terminal:
        terminal.wait_for("Toy 7B")
        for _ in range(40):
            terminal.send(chance.choice(halves) + chance.randbytes(chance.randint(1, 200)))
        # A paste that was begun ends, and so does every sequence.
        terminal.send(b"\x1b[201~\x1b\\\x07\x1b\x1b")
        terminal.settle()
        terminal.send(b"\x1b[200~" + b"x1\t" * 333_333 + b"\x1b[201~")
        terminal.settle()
        assert terminal.process.poll() is None
        terminal.send(b"\x1b\x1b")
        terminal.settle()
        terminal.mark()
        terminal.send(b"\x1b\x1b/prompt tok\r")
        terminal.send(b"4001\r")
        terminal.wait_for("4,001")
        terminal.signal(15)
        assert terminal.wait() == 143
        terminal.assert_restored()
        assert "Traceback" not in terminal.text
    assert query(database, "SELECT count(*) FROM scenario WHERE prompt_tokens = 4001") == [(1,)]
    assert_sound(database)
