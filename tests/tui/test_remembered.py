"""What the screen remembers: kept across starts, bounded, and never in the way."""

import asyncio
import os
from pathlib import Path

import pytest

from catalog import Catalog
from planner.store import Library
from planner.tui.app import PlannerApp
from planner.tui.remembered import MAX_BYTES, MAX_PINS, Remembered, load, save


def test_what_is_saved_is_loaded(tmp_path: Path) -> None:
    path = tmp_path / "state" / "screen.json"
    kept = Remembered("nord", ("latency_s", "devices"), {"input:Traffic": "closed"})
    save(path, kept)
    assert load(path) == (kept, "")
    assert path.stat().st_mode & 0o077 == 0
    assert [file.name for file in path.parent.iterdir()] == [path.name]
    assert load(tmp_path / "nothing.json") == (Remembered(), "")


@pytest.mark.parametrize(
    "content",
    [b"", b"{", b"[]", b"{}", b"\xff\x00", b'{"theme": 3, "pins": [], "folds": {}}', b"[" * 50_000, b" " * 70_000,
     b'{"theme": "", "pins": {}, "folds": []}', b'{"theme": "nord", "pins": [1e999]}'],
)  # fmt: skip
def test_a_damaged_file_is_told_of_and_ignored(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "screen.json"
    path.write_bytes(content)
    found, sentence = load(path)
    assert found == Remembered()
    assert sentence.endswith("cannot be read.")
    assert "screen.json" in sentence
    assert path.read_bytes() == content


def test_what_there_is_no_longer_is_left_out_and_lists_are_bounded(tmp_path: Path) -> None:
    path = tmp_path / "screen.json"
    path.write_text(
        '{"theme": "x", "pins": ["gone", "tpot_s", "tpot_s", 7, "prompt_tokens"],'
        ' "folds": {"gone": "full", "input:Traffic": "sideways", "input:Model": "full"}}'
    )
    assert load(path)[0] == Remembered("x", ("tpot_s",), {"input:Model": "full"})
    path.write_text(f'{{"theme": "", "pins": {["tpot_s"] * 500}, "folds": {{}}}}'.replace("'", '"'))
    assert path.stat().st_size < MAX_BYTES
    assert len(load(path)[0].pins) <= MAX_PINS


def test_a_folder_that_cannot_be_written_changes_nothing(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("")
    save(blocked / "screen.json", Remembered("nord"))
    assert blocked.read_text() == ""


def test_colours_pins_and_folds_come_back(library: Library, catalog: Catalog, tmp_path: Path) -> None:
    path = tmp_path / "screen.json"

    async def first() -> None:
        app = PlannerApp(library, catalog, memory=path)
        async with app.run_test(size=(80, 24)):
            app.use_theme("gruvbox")
            app.desk.go_to("accelerator")
            for _ in range(2):
                app.desk.press("f5")
            app.desk.go_to("kv_lora_rank")
            app.desk.pins.insert(0, "latency_s")
            app.remember()

    async def second() -> None:
        app = PlannerApp(library, catalog, memory=path)
        async with app.run_test(size=(80, 24)):
            assert app.theme == "gruvbox"
            assert app.desk.pins == ["latency_s"]
            assert app.desk.outline.place("accelerator") is None
            assert app.desk.outline.place("kv_lora_rank") is None

    asyncio.run(first())
    asyncio.run(second())


def test_a_damaged_file_is_told_of_on_the_screen(library: Library, catalog: Catalog, tmp_path: Path) -> None:
    path = tmp_path / "screen.json"
    path.write_text("nonsense")

    async def story() -> None:
        app = PlannerApp(library, catalog, memory=path)
        async with app.run_test(size=(80, 24)):
            assert "Colours, pins and folds are as at first" in app.desk.message.text

    asyncio.run(story())


def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    path = tmp_path / "screen.json"
    os.mkfifo(path)
    remembered, said = load(path)
    assert remembered == Remembered()
    assert "cannot be read" in said
