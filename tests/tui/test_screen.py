"""The screen itself, on a real library: what is painted, and that keys and the mouse reach the desk."""

import asyncio
import contextlib
from collections.abc import Callable, Coroutine
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from rich.cells import cell_len
from textual.events import MouseScrollDown
from textual.pilot import Pilot

from catalog import Catalog
from planner.store import Library, open_library
from planner.tui.app import PlannerApp
from planner.tui.desk import Desk
from planner.tui.exporting import gather

PAYLOADS = (
    "[bold red]x[/]",
    "[@click=app.quit]quit[/]",
    "[/]",
    "[",
    "a]b[c",
    "=1+1",
    "日本語のとても長い名前です",
    "é́́́́",
    "👩‍👩‍👧 family".replace("\u200d", ""),
    "'); DROP TABLE scenario;--",
    "%s %d {0} \\n",
)


def painted(app: PlannerApp) -> list[str]:
    """Every line of the screen as text."""
    screen = app.desk_screen
    return [
        widget.render_line(y).text
        for widget in (screen.formula, screen.grid, screen.message, screen.keys)
        for y in range(widget.size.height)
    ]


def run(app: PlannerApp, size: tuple[int, int], story: Callable[[Pilot[None]], Coroutine[Any, Any, None]]) -> None:
    async def tell() -> None:
        async with app.run_test(size=size) as pilot:
            await story(pilot)

    asyncio.run(tell())


@pytest.fixture
def app(library: Library, catalog: Catalog) -> PlannerApp:
    return PlannerApp(library, catalog)


def test_eighty_by_twenty_four(app: PlannerApp) -> None:
    async def story(pilot: Pilot[None]) -> None:
        lines = painted(app)
        assert len(lines) == 24
        assert all(cell_len(line) <= 80 for line in lines)
        assert lines[0].startswith(" base ▸ Accelerator = h100-sxm-80gb")
        assert lines[1].split() == ["1–4", "of", "5", "▸", "◆", "base", "fp8", "H200", "too", "small"]
        assert lines[2].startswith(" ▾ HARDWARE")
        assert lines[3].split() == ["Accelerator", "h100-…-80gb", "h100-…-80gb", "h200-…141gb", "h100-…-80gb"]
        pinned = [line.split()[0] for line in lines[16:22]]
        assert pinned == ["Verdict", "TTFT", "TPOT", "Devices", "Self-hosted", "API"]
        assert lines[20][:27].split()[-1] == lines[21][:27].split()[-1] == "$/mo"
        assert lines[22].rstrip().endswith("tests · saved")
        assert lines[23].rstrip() == (" F1 Help  ^P Commands  F2 Edit  F4 Explain  F6 Δ Base  ^N New  ^Z Undo  F5 More")

    run(app, (80, 24), story)


def test_long_names_are_whole_on_two_lines_of_eighty_by_twenty_four(app: PlannerApp) -> None:
    async def story(pilot: Pilot[None]) -> None:
        app.desk.book.rename(1, "70B fp8, 2 x H100")
        app.desk.reloaded()
        app.desk_screen.sync()
        lines = painted(app)
        assert "70B fp8," in lines[1]
        assert "2 x H100" in lines[2]
        await pilot.click("#grid", offset=(5, 2))
        assert app.desk.item.name == "input:Hardware"

    run(app, (80, 24), story)


def test_labels_header_and_pinned_results_stay_while_scrolling(app: PlannerApp) -> None:
    async def story(pilot: Pilot[None]) -> None:
        before = painted(app)
        await pilot.press("ctrl+end")
        after = painted(app)
        assert after[1].split()[:4] == ["◂", "2–5", "of", "5"]
        assert "日本" in after[1]
        assert [line[:20] for line in after[18:22]] == [line[:20] for line in before[18:22]]

    run(app, (80, 24), story)


@pytest.mark.parametrize("size", [(160, 50), (120, 36), (80, 24), (60, 15), (45, 10), (30, 8), (10, 3), (2, 1)])
def test_every_size_is_painted_whole(app: PlannerApp, size: tuple[int, int]) -> None:
    async def story(pilot: Pilot[None]) -> None:
        for key in ("down", "f6", "ctrl+end", "f1", "escape", "f4", "escape", "ctrl+p", "escape", "ctrl+home", "down"):
            app.desk.press(key)
            app.desk_screen.sync()
            assert all(cell_len(line) <= size[0] for line in painted(app))
        if size[0] < 40 or size[1] < 10:
            assert any(line.strip().startswith(("Too", "…", "To")) for line in painted(app)) or size[1] < 4

    run(app, size, story)


def test_an_edit_shows_everywhere_at_once(app: PlannerApp) -> None:
    async def story(pilot: Pilot[None]) -> None:
        app.desk.go_to("prompt_tokens")
        app.desk_screen.sync()
        before = painted(app)
        await pilot.press("9", "0", "0", "0")
        editing = painted(app)
        assert any("9000" in line for line in editing)
        assert "Accept" in editing[23]
        await pilot.press("enter")
        after = painted(app)
        assert any("9,000" in line for line in after)
        assert before[18] != after[18]
        assert "saved " in after[22]
        assert "1,000 → 9,000" in after[22]

    run(app, (80, 24), story)


@pytest.mark.parametrize("columns", range(56, 64))
def test_a_message_stands_there_once(app: PlannerApp, columns: int) -> None:
    async def story(pilot: Pilot[None]) -> None:
        app.desk.say("words of a message that is just about as long as the line is")
        app.desk_screen.sync()
        assert " ".join(painted(app)).count("about as long") == 1

    run(app, (columns, 15), story)


def test_a_page_is_what_the_grid_shows(app: PlannerApp) -> None:
    async def story(pilot: Pilot[None]) -> None:
        await pilot.press("ctrl+home", "pagedown")
        assert app.desk.cursor.row == 1 + 13

    run(app, (80, 24), story)


def test_a_long_refusal_is_shown_whole(app: PlannerApp) -> None:
    async def story(pilot: Pilot[None]) -> None:
        app.desk.go_to("prompt_tokens")
        await pilot.press("x", "enter")
        text = " ".join(" ".join(painted(app)[21:23]).split())
        assert "it must be a whole number, 1 to 100,000,000 tokens." in text
        await pilot.press("escape")
        assert "100,000,000 tokens." not in painted(app)[21]

    run(app, (80, 24), story)


def test_the_list_of_a_name_lies_over_the_grid(app: PlannerApp) -> None:
    async def story(pilot: Pilot[None]) -> None:
        await pilot.press("enter")
        lines = painted(app)
        assert any("h100-sxm-80gb " in line and "3.35 TB/s" in line for line in lines[4:14])
        await pilot.press(*"h200-s")
        assert "h200-sxm-141gb" in painted(app)[3]
        await pilot.press("escape")
        assert "TB/s" not in " ".join(painted(app))

    run(app, (80, 24), story)


@pytest.mark.parametrize("name", PAYLOADS)
def test_a_name_is_plain_text_everywhere(app: PlannerApp, name: str) -> None:
    async def story(pilot: Pilot[None]) -> None:
        app.desk.book.rename(0, name)
        app.desk.book.library.set_notes(app.desk.book.columns[0].id, name)
        app.desk.book.reload()
        app.desk.reloaded()
        for key in ("f6", "f6", "f6", "f1", "escape", "f4", "escape", "ctrl+g", "escape", "ctrl+o", "escape", "ctrl+e",
                    "escape", "up", "up", "f2", "escape", "ctrl+n", "enter", "ctrl+delete"):  # fmt: skip
            app.desk.press(key)
            app.desk_screen.sync()
            lines = painted(app)
            assert all(cell_len(line) <= 120 for line in lines)
            assert all(line.isprintable() for line in lines)
        await pilot.pause()
        app.export_screenshot()
        assert app.is_running
        assert app.desk.scenario_name(0) == name.strip()

    run(app, (120, 30), story)


def test_clicks_move_select_fold_and_edit(app: PlannerApp) -> None:
    async def story(pilot: Pilot[None]) -> None:
        desk = app.desk
        await pilot.click("#grid", offset=(45, 2))
        assert (desk.item.name, desk.column) == ("accelerator", 1)
        await pilot.click("#grid", offset=(70, 3), shift=True)
        assert len(list(desk.cursor.block)) == 6
        await pilot.click("#grid", offset=(45, 3), times=2)
        assert desk.prompt is not None
        await pilot.press("8")
        await pilot.click("#grid", offset=(30, 2))
        assert desk.book.value(1, "tensor_parallel") == 48
        assert desk.column == 0
        shown = len(desk.items)
        await pilot.click("#grid", offset=(5, 1))
        assert len(desk.items) > shown
        await pilot.click("#grid", offset=(5, 17))
        assert desk.item.name == "tpot_s"
        await pilot.click("#keys", offset=(2, 0))
        assert desk.panel is not None or desk.prompt is not None

    run(app, (80, 24), story)


def test_a_click_does_not_leave_a_refused_cell(app: PlannerApp) -> None:
    async def story(pilot: Pilot[None]) -> None:
        app.desk.go_to("prompt_tokens")
        await pilot.press("x")
        await pilot.click("#grid", offset=(45, 2))
        assert app.desk.prompt is not None
        assert app.desk.item.name == "prompt_tokens"
        assert app.desk.message.error

    run(app, (80, 24), story)


def test_a_click_chooses_from_a_list(app: PlannerApp) -> None:
    async def story(pilot: Pilot[None]) -> None:
        await pilot.press("enter", *"sxm")
        lines = painted(app)
        row = next(y for y, line in enumerate(lines) if "h200-sxm-141gb" in line and "TB/s" in line)
        await pilot.click("#grid", offset=(35, row - 1))
        assert app.desk.book.value(0, "accelerator") == "h200-sxm-141gb"

    run(app, (80, 24), story)


def test_the_wheel_scrolls_without_moving_the_cursor(app: PlannerApp) -> None:
    async def story(pilot: Pilot[None]) -> None:
        event = MouseScrollDown(None, 10, 5, 0, 1, 0, False, False, False, 10, 6)
        for _ in range(3):
            app.desk_screen.grid.post_message(event)
        await pilot.pause()
        assert app.desk_screen.grid.scroll_offset.y > 0
        assert app.desk.item.name == "accelerator"
        await pilot.press("right")
        assert app.desk_screen.grid.scroll_offset.y <= 1

    run(app, (80, 24), story)


@pytest.mark.parametrize("theme", ["textual-dark", "textual-light", "nord", "gruvbox", "ansi-dark"])
def test_themes_keep_cursor_and_text_apart(library: Library, catalog: Catalog, theme: str) -> None:
    app = PlannerApp(library, catalog, theme=theme)

    async def story(pilot: Pilot[None]) -> None:
        if theme not in app.available_themes:
            pytest.skip(f"this Textual has no theme {theme}")
        assert app.theme == theme
        grid = app.desk_screen.grid
        for name in (
            "cursor",
            "selected",
            "edit",
            "edit-bad",
            "head",
            "section-input",
            "list-current",
            "default",
            "set",
        ):
            style = grid.style_of(name)
            assert style.reverse or style.color != style.bgcolor, name
        assert grid.style_of("cursor").bgcolor != grid.style_of("body").bgcolor

    run(app, (80, 24), story)


def test_five_hundred_scenarios_are_no_slower_to_paint(library: Library, catalog: Catalog) -> None:
    from tests.tui.conftest import scenario

    library.create_many([scenario(f"sweep {number}", requests_per_day=1000.0 * number) for number in range(1, 500)])
    app = PlannerApp(library, catalog)
    first = sum(column.evaluated is not None for column in app.desk.book.columns)

    async def story(pilot: Pilot[None]) -> None:
        await pilot.press("end")
        lines = painted(app)
        assert "501–504 of 504" in lines[1]
        assert first < 60
        for _ in range(200):
            if app.desk.book.compared:
                break
            await pilot.pause(0.05)
        verdicts = next(line for line in painted(app) if line.startswith(" Verdict"))
        assert "cheapest" in verdicts or "served +" in verdicts

    run(app, (80, 24), story)


def test_a_read_only_library_says_so_and_refuses(database: Path, catalog: Catalog) -> None:
    with open_library(database) as library:
        library.database.read_only_reason = "plan.db is read-only here: nothing can be saved."
        app = PlannerApp(library, catalog)

        async def story(pilot: Pilot[None]) -> None:
            assert "READ-ONLY" in " ".join(painted(app)) or "read-only" in " ".join(painted(app))
            await pilot.press("down")
            assert "READ-ONLY" in painted(app)[22]
            for key in ("5", "f2", "delete", "ctrl+n", "ctrl+delete", "ctrl+z", "ctrl+v", "alt+right", "ctrl+b"):
                app.desk.press(key, key if len(key) == 1 else None)
                assert app.desk.prompt is None
                assert "read-only" in app.desk.message.text
            await pilot.press("f6", "f4")
            assert app.desk.panel is not None

        run(app, (80, 24), story)


@pytest.mark.parametrize("ending", [".xlsx", ".csv", ".md", ".json"])
def test_export_writes_in_the_background_and_says_where(app: PlannerApp, tmp_path: Path, ending: str) -> None:
    target = tmp_path / f"plan{ending}"

    async def story(pilot: Pilot[None]) -> None:
        await pilot.press("ctrl+e", "ctrl+u")
        app.desk.paste(str(target))
        await pilot.press("enter")
        for _ in range(600):
            if "Wrote" in app.desk.message.text or app.desk.message.error:
                break
            await pilot.pause(0.05)
        assert app.desk.message.text == f"Wrote 5 scenarios to {target}"
        assert target.stat().st_size > 500
        first = target.read_bytes()
        target.write_bytes(b"precious")
        await pilot.press("ctrl+e", "ctrl+u")
        app.desk.paste(str(target))
        await pilot.press("enter", "enter", "escape")
        assert target.read_bytes() == b"precious"
        await pilot.press("ctrl+e", "ctrl+u")
        app.desk.paste(str(target))
        await pilot.press("enter", "y")
        for _ in range(600):
            if "Wrote" in app.desk.message.text or app.desk.message.error:
                break
            await pilot.pause(0.05)
        assert target.read_bytes()[:4] == first[:4]

    run(app, (100, 30), story)


def test_an_export_that_fails_says_so(app: PlannerApp, tmp_path: Path) -> None:
    target = tmp_path / "plan.csv"
    target.write_text("precious")

    async def story(pilot: Pilot[None]) -> None:
        app.export(gather(app.desk.book, target, [0, 1], replace=False))
        for _ in range(200):
            if app.desk.message.error:
                break
            await pilot.pause(0.05)
        assert "plan.csv" in app.desk.message.text
        assert target.read_text() == "precious"

    run(app, (100, 30), story)


def test_an_export_is_counted_and_can_be_stopped(app: PlannerApp, tmp_path: Path) -> None:
    target = tmp_path / "plan.xlsx"
    target.write_bytes(b"")

    async def story(pilot: Pilot[None]) -> None:
        job = gather(app.desk.book, target, [0, 1, 2, 3] * 25, replace=True)
        app.export(replace(job, ids=[""]))
        for _ in range(1200):
            if "Esc stops" in app.desk.message.text:
                break
            await pilot.pause(0.05)
        assert "%  Esc stops" in app.desk.message.text
        await pilot.press("escape")
        for _ in range(1200):
            if "Stopped" in app.desk.message.text:
                break
            await pilot.pause(0.05)
        assert app.desk.message.text == f"Stopped; {target} was not written."
        assert [one.name for one in tmp_path.iterdir() if one.name.startswith((".", "plan.xlsx"))] == ["plan.xlsx"]
        assert target.read_bytes() == b""
        assert not app.stop_export(), "there is none"

    run(app, (100, 30), story)


def test_a_fault_of_the_program_ends_with_70_and_a_report(app: PlannerApp, monkeypatch: pytest.MonkeyPatch) -> None:
    def fault(self: Desk, key: str, character: str | None = None) -> None:
        raise ZeroDivisionError("in a handler")

    async def story(pilot: Pilot[None]) -> None:
        monkeypatch.setattr(Desk, "press", fault)
        await pilot.press("x")

    with contextlib.suppress(ZeroDivisionError):
        run(app, (80, 24), story)
    assert isinstance(app.crash, ZeroDivisionError)
    assert app.return_code == 70
