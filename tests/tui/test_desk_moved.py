"""What moved since the workspace was last opened: listed first of all, kept until it was seen."""

from __future__ import annotations

import contextlib
import json
import sqlite3
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from catalog import Catalog
from planner.store import Library, open_library
from planner.tui import watch
from planner.tui.book import Book
from planner.tui.desk import Desk
from planner.tui.panels.moved import MovedPanel
from tests.tui.conftest import NOON, RecordingHost
from tests.tui.terminal import Terminal

Keys = Callable[..., None]


def all_seen(library: Library, catalog: Catalog) -> None:
    """Keep the present results of all scenarios as seen."""
    watching = watch.Watch(Book(library, catalog))
    watching.open()
    while due := watching.due():
        watching.take(watching.look(due), due)
    assert library.note_seen(watching.ready())


def seen_before(database: Path, factor: float, *places: int, catalogue: str = "2026-01-01+0") -> None:
    """Make what was seen that of an older catalogue, and TTFT at ``places`` ``factor`` times the present one."""
    with open_library(database) as library:
        ids = [stored.id for stored in library.scenarios()]
    with contextlib.closing(sqlite3.connect(database)) as raw:
        raw.execute("UPDATE witness SET catalogue_version = ?", (catalogue,))
        for place in places:
            (text,) = raw.execute("SELECT results FROM witness WHERE scenario_id = ?", (ids[place],)).fetchone()
            results = json.loads(text)
            results["ttft_s"] *= factor
            raw.execute("UPDATE witness SET results = ? WHERE scenario_id = ?", (json.dumps(results), ids[place]))
        raw.commit()


def versions(database: Path) -> set[str]:
    with contextlib.closing(sqlite3.connect(database)) as raw:
        return {version for (version,) in raw.execute("SELECT catalogue_version FROM witness")}


@pytest.fixture
def noted(database: Path, catalog: Catalog) -> Path:
    """A library that was opened once by this program."""
    with open_library(database) as library:
        all_seen(library, catalog)
    return database


def opened(library: Library, catalog: Catalog) -> Desk:
    desk = Desk(Book(library, catalog), RecordingHost(), clock=lambda: NOON)
    desk.look_for_moves()
    return desk


def tick(desk: Desk) -> None:
    """What the program does every few seconds."""
    desk.put_away()
    due, ready = desk.watch.due(), desk.watch.ready()
    found = desk.watch.look(due)
    if desk.book.library.note_seen(ready):
        desk.watch.kept(ready)
    if desk.watch.take(found, due):
        desk.list_moves()


def no_panel(desk: Desk) -> bool:
    return desk.panel is None


def page(desk: Desk, cells: int = 100) -> str:
    assert desk.panel is not None
    return "\n".join("".join(text for text, _ in line.pieces) for line in desk.panel.lines(cells))


def test_a_library_of_this_version_opens_without_a_word(noted: Path, catalog: Catalog) -> None:
    with open_library(noted) as library:
        desk = opened(library, catalog)
        assert no_panel(desk)
        assert desk.message.text == ""


def test_what_moved_is_listed_before_and_after(noted: Path, catalog: Catalog) -> None:
    seen_before(noted, 0.5, 1, 4)
    with open_library(noted) as library:
        desk = opened(library, catalog)
        assert isinstance(desk.panel, MovedPanel)
        assert desk.panel.heading() == "Results moved since this workspace was last opened"
        text = page(desk)
        assert f"Catalogue 2026-01-01+0 → {catalog.version}" in text
        assert "No scenario was changed" in text
        lines = [line for line in text.splitlines() if " → " in line and " ms" in line]
        assert len(lines) == 2
        assert all("+100%" in line for line in lines)
        assert {"fp8", "日本語 の名"} <= set(text.splitlines())
        assert "H200" not in text
        for cells in (40, 60, 140):
            assert page(desk, cells)


def test_it_is_listed_until_it_was_seen(noted: Path, catalog: Catalog) -> None:
    seen_before(noted, 0.5, 1)
    with open_library(noted) as library:
        desk = opened(library, catalog)
        tick(desk)
        tick(desk)
        assert isinstance(desk.panel, MovedPanel)
        desk.put_away()
        desk.watch.finish()
    assert versions(noted) == {"2026-01-01+0", catalog.version}
    with open_library(noted) as library:
        desk = opened(library, catalog)
        assert isinstance(desk.panel, MovedPanel)
        desk.press("escape")
        assert no_panel(desk)
        tick(desk)
        assert desk.watch.ready() == []
    assert versions(noted) == {catalog.version}
    with open_library(noted) as library:
        assert opened(library, catalog).panel is None


def test_the_list_can_be_opened_again_and_leads_to_the_result(noted: Path, catalog: Catalog) -> None:
    seen_before(noted, 0.5, 1)
    with open_library(noted) as library:
        desk = opened(library, catalog)
        desk.press("escape")
        for key in ("ctrl+p", *"results that moved", "enter"):
            desk.press(key, key if len(key) == 1 else None)
        assert isinstance(desk.panel, MovedPanel)
        page(desk)
        desk.press("down")
        desk.press("enter")
        assert no_panel(desk)
        assert (desk.item.name, desk.column) == ("ttft_s", 1)


def test_less_than_one_percent_is_kept_silently(noted: Path, catalog: Catalog) -> None:
    seen_before(noted, 1.005, 0, 1)
    with open_library(noted) as library:
        desk = opened(library, catalog)
        assert no_panel(desk)
        tick(desk)
    assert versions(noted) == {catalog.version}


def test_an_edit_is_kept_as_seen_and_undo_has_nothing_to_do_with_it(noted: Path, catalog: Catalog) -> None:
    with open_library(noted) as library:
        desk = opened(library, catalog)
        desk.go_to("prompt_tokens")
        for key in ("9", "9", "9", "enter"):
            desk.press(key, key if len(key) == 1 else None)
        revision = library.last_revision()
        tick(desk)
        tick(desk)
        stored = library.scenarios()[0]
        kept = library.witnesses()[stored.id]
        assert kept.scenario_version == stored.version
        assert kept.results["ttft_s"] == desk.book.result(0, "ttft_s").value
        assert library.last_revision() == revision
        desk.press("ctrl+z")
        assert desk.book.value(0, "prompt_tokens") == 1000
        desk.watch.finish()
        assert library.witnesses()[stored.id].scenario_version == library.scenarios()[0].version


def test_many_scenarios_follow_behind_the_first_paint(
    noted: Path, catalog: Catalog, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watch, "AT_ONCE", 1)
    monkeypatch.setattr(watch, "A_FEW", 2)
    seen_before(noted, 0.5, 1, 4)
    with open_library(noted) as library:
        desk = opened(library, catalog)
        assert no_panel(desk)
        desk.press("slash", "/")
        tick(desk)
        assert no_panel(desk)
        assert "Results moved: catalogue" in desk.message.text
        desk.press("escape")
        tick(desk)
        tick(desk)
        assert isinstance(desk.panel, MovedPanel)
        assert {"fp8", "日本語 の名"} <= set(page(desk).splitlines())


def test_another_workspace_is_compared_when_it_is_opened(noted: Path, catalog: Catalog) -> None:
    seen_before(noted, 0.5, 1)
    with open_library(noted) as library:
        library.create_workspace("other")
        library.use_workspace("other")
        desk = opened(library, catalog)
        assert no_panel(desk)
        desk.press("ctrl+o")
        for key in (*"tests", "enter"):
            desk.press(key, key if len(key) == 1 else None)
        assert desk.book.workspace == "tests"
        assert isinstance(desk.panel, MovedPanel)


def test_a_read_only_library_lists_it_and_keeps_nothing(noted: Path, catalog: Catalog) -> None:
    seen_before(noted, 0.5, 1)
    with open_library(noted) as library:
        library.database.read_only_reason = "the file may not be written."
        desk = opened(library, catalog)
        assert isinstance(desk.panel, MovedPanel)
        desk.press("escape")
        tick(desk)
        desk.watch.finish()
    assert versions(noted) == {"2026-01-01+0"}


def test_a_model_of_another_version_is_named(noted: Path, catalog: Catalog) -> None:
    with open_library(noted) as library:
        earlier = [
            replace(one, model_version="0", results={**one.results, "bound_by": "luck"})
            for one in library.witnesses().values()
        ]
        assert library.note_seen(earlier)
        text = page(opened(library, catalog))
        assert "Model 0 → " in text
        assert "luck" in text


def test_in_a_real_terminal_from_the_first_paint_to_the_file(noted: Path, catalog: Catalog) -> None:
    seen_before(noted, 0.5, 1)
    with Terminal(noted, size=(100, 30)) as terminal:
        terminal.wait_for(lambda: b"Results moved since" in terminal.output, "the list")
        terminal.write(b"\x1b")
        terminal.wait_for(lambda: b"Explain" in terminal.output, "the grid")
        terminal.write(b"\x11")
        assert terminal.wait_for_end() == 0
    assert versions(noted) == {catalog.version}
