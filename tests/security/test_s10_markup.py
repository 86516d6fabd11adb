"""S10: whatever a name holds, it is painted as it is: no markup, nothing to click, no crash."""

from __future__ import annotations

import ast
import asyncio
from pathlib import Path

import pytest
from textual import events

from catalog import load_catalog
from planner.store import Change, open_library
from planner.tui.app import PlannerApp
from tests.faults.support import REPOSITORY, planner
from tests.security.payloads import MARKUP

KEYS = [
    "f1", "escape", "f4", "escape", "ctrl+p", "escape", "f6", "f6", "f5", "escape", "slash", "escape", "f2", "escape",
    "f7", "escape", "f8", "escape", "f3", "escape", "ctrl+e", "escape", "right", "ctrl+n", "escape", "ctrl+delete",
    "ctrl+z", "ctrl+y", "ctrl+z",
]  # fmt: skip


@pytest.fixture
def hostile(database: Path) -> Path:
    """A library full of markup."""
    with open_library(database) as library:
        stored = library.scenarios()
        for number, payload in enumerate(MARKUP):
            one = stored[number] if number < len(stored) else library.copy(stored[0].id, f"c{number}")
            library.rename(one.id, payload)
            library.set_notes(one.id, payload)
            library.tag(one.id, payload)
            library.edit([Change(one.id, "currency", payload)], why=payload)
        library.rename_workspace(library.workspace.name, MARKUP[1])
        library.snapshot(MARKUP[1])
    return database


async def look(path: Path) -> tuple[str, int]:
    """What the screen shows, and how many things of it can be clicked by markup."""
    shown, clicks = "", 0
    with open_library(path) as library:
        app = PlannerApp(library, load_catalog())
        async with app.run_test(size=(230, 50)) as pilot:
            await pilot.pause()
            for key in KEYS:
                app.desk_screen.on_key(events.Key(key, "/" if key == "slash" else None))
                await pilot.pause()
                assert app.crash is None
                assert app.is_running
                for strip in app.screen._compositor.render_strips():
                    shown += strip.text + "\n"
                    clicks += sum("@click" in (segment.style.meta if segment.style else {}) for segment in strip)
    return shown, clicks


def test_s10_the_screen_paints_markup_as_text(hostile: Path) -> None:
    shown, clicks = asyncio.run(look(hostile))
    assert clicks == 0
    for payload in ("[bold]x[/bold]", "[/]", "\\[x", ":skull:", "[not closed", "<b>x</b>"):
        assert payload in shown


@pytest.mark.parametrize("command", [("list",), ("history",), ("compare",), ("workspace", "list"), ("snapshot",)])
def test_s10_so_does_the_command_line(hostile: Path, command: tuple[str, ...]) -> None:
    ended = planner(*command, "--db", hostile)
    assert ended.code == 0, ended.err
    assert "[@click=app.quit]x[/]" in ended.out
    assert "\U0001f480" not in ended.out
    assert "\x1b" not in ended.out


def test_s10_no_widget_is_given_a_text_that_it_would_read_as_markup() -> None:
    """The screen paints cells itself; Textual's widgets that read markup are not used, nor its notices."""
    readers = {"Static", "Label", "Markdown", "RichLog", "Log", "Button", "DataTable", "OptionList", "SelectionList"}
    calls = {"from_markup", "notify", "render_markup", "render_str"}
    found = set()
    for path in sorted((REPOSITORY / "planner" / "tui").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom):
                found |= {(path.name, alias.name) for alias in node.names if alias.name in readers}
            elif isinstance(node, ast.Call):
                name = getattr(node.func, "attr", getattr(node.func, "id", ""))
                if name in calls or any(word.arg == "markup" for word in node.keywords):
                    found.add((path.name, name))
    assert found == set()
