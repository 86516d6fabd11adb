"""A person's own keys: taken from a file, refused in a sentence, and documented by the names they go by."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from planner.tui import keymap, reference
from planner.tui.actions import ACTIONS, KEYS
from planner.tui.bars import key_pieces
from planner.tui.desk import Desk


@pytest.fixture(autouse=True)
def usual_keys() -> Iterator[None]:
    actions, keys = dict(ACTIONS), dict(KEYS)
    yield
    ACTIONS.update(actions)
    KEYS.clear()
    KEYS.update(keys)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "keys.toml"


def test_commands_take_the_keys_of_the_file(desk: Desk, file: Path) -> None:
    file.write_text('difference = ["alt+d"]\nlow_high = ["f6", "f9"]\n')
    assert keymap.use(file) == ""
    for key, view in (("f6", "range"), ("alt+d", "percent"), ("f9", "range"), ("ctrl+t", "range")):
        desk.press(key)
        assert desk.view == view
    shown = "".join(text for text, _ in key_pieces(desk, 200))
    assert "Alt+D Δ Base" in shown
    assert "F6 Low–high" in shown


def test_a_command_without_a_key_is_still_found_by_its_name(desk: Desk, file: Path) -> None:
    file.write_text("fold = []\n")
    assert keymap.use(file) == ""
    assert "More" not in "".join(text for text, _ in key_pieces(desk, 200))
    desk.press("ctrl+p")
    assert desk.prompt is not None
    assert desk.prompt.choices is not None
    assert any(option.value == "fold" for option in desk.prompt.choices.options)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b'diference = ["f9"]', "nearest: difference"),
        (b'difference = ["d"]', "'d' is no key for a command"),
        (b'difference = ["ctrl+ctrl+d"]', "is no key"),
        (b'difference = ["ctrl+\xc3\xa9"]', "is no key"),
        (b'difference = "f9"', "takes a list"),
        (b"difference = [1]", "takes a list"),
        (b'difference = ["f9"]\nfold = ["f9"]', "f9 is given to difference and to fold"),
        (b'quit = []\npalette = []', "Neither Quit nor Commands"),
        (b"difference = [", "no TOML"),
        (b"\xff", "cannot be read"),
        (b"#" * 70_000, "larger than 64,000 bytes"),
        (b"a = " + b"[" * 30_000, "no TOML"),
    ],
)  # fmt: skip
def test_a_file_that_cannot_be_used_changes_nothing(file: Path, content: bytes, said: str) -> None:
    before = dict(KEYS)
    file.write_bytes(content)
    sentence = keymap.use(file)
    assert said in sentence
    assert sentence.endswith(("hold.", "hold."))
    assert before == KEYS


def test_without_a_file_the_usual_keys_hold(file: Path) -> None:
    before = dict(KEYS)
    assert keymap.use(file) == ""
    assert before == KEYS
    assert all(keymap.is_key(key) or key in {"slash", "colon", "question_mark"} for key in KEYS)


def test_the_page_is_what_the_registry_says() -> None:
    page = (Path(__file__).parent.parent.parent / "docs" / "screen.md").read_text(encoding="utf-8")
    assert page == reference.updated(page), "write it anew: python -m planner.tui.reference docs/screen.md"


def test_a_pipe_is_not_waited_for(file: Path) -> None:
    os.mkfifo(file)
    assert "not a regular file" in keymap.use(file)
