"""F21: two people edit the same scenario; what they do to different fields merges, for the same field the second one
is asked, and nothing of either is lost."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from catalog import load_catalog
from planner.store import Change, ConflictError, open_library
from planner.tui.book import Book
from planner.tui.desk import Desk
from planner.tui.prompts.conflict import ConflictPrompt
from tests.store.postgres import Server, running_server
from tests.tui.conftest import RecordingHost


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with running_server() as started:
        yield started


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def where(request: pytest.FixtureRequest, database: Path) -> str:
    """A library with the examples, on each back end."""
    if request.param == "sqlite":
        return str(database)
    server: Server = request.getfixturevalue("server")
    address = server.url(server.new_database())
    open_library(address).close()
    return address


def test_f21_different_fields_merge(where: str) -> None:
    with open_library(where) as mine, open_library(where) as theirs:
        one = mine.scenarios()[0]
        theirs.edit([Change(one.id, "output_tokens", 77, one.version)])
        mine.edit([Change(one.id, "prompt_tokens", 88, one.version)])
        values = mine.get(one.id).scenario.values
        assert (values["output_tokens"], values["prompt_tokens"]) == (77, 88)
        assert len(mine.history(one.id, limit=2)) == 2


def test_f21_the_same_field_is_a_conflict_with_mine_theirs_and_base(where: str) -> None:
    with open_library(where) as mine, open_library(where) as theirs:
        one = mine.scenarios()[0]
        before = one.scenario.values["prompt_tokens"]
        theirs.edit([Change(one.id, "prompt_tokens", 77, one.version)])
        with pytest.raises(ConflictError) as caught:
            mine.edit(
                [Change(one.id, "prompt_tokens", 88, one.version), Change(one.id, "output_tokens", 9, one.version)]
            )
        assert caught.value.exit_code == 75
        assert str(caught.value).endswith("choose one.")
        (conflict,) = caught.value.conflicts
        assert (conflict.mine, conflict.theirs, conflict.base) == (88, 77, before)
        assert conflict.who == theirs.who
        # All of the second action or nothing of it.
        assert mine.get(one.id).scenario.values["prompt_tokens"] == 77
        assert mine.get(one.id).scenario.values["output_tokens"] == one.scenario.values["output_tokens"]


CHOICES = ("mine", "theirs", "copy")


@pytest.mark.parametrize(("choice", "kept", "scenarios"), [("mine", 88, 5), ("theirs", 77, 5), ("copy", 77, 6)])
def test_f21_the_screen_asks(where: str, choice: str, kept: int, scenarios: int) -> None:
    with open_library(where) as mine, open_library(where) as theirs:
        desk = Desk(Book(mine, load_catalog()), RecordingHost())
        one = mine.scenarios()[0]
        desk.go_to("prompt_tokens", 0)
        theirs.edit([Change(one.id, "prompt_tokens", 77)])
        for key in "88":
            desk.press(key, key)
        desk.press("enter")
        prompt = desk.prompt
        assert isinstance(prompt, ConflictPrompt)
        assert prompt.choices is not None
        assert "Prompt tokens" in desk.message.text
        assert "500" in desk.message.text
        offered = " ".join(f"{option.text} {option.detail}" for option in prompt.choices.shown)
        assert "= 88" in offered
        assert "= 77" in offered
        for _ in range(CHOICES.index(choice)):
            desk.press("down")
        desk.press("enter")
        assert not (desk.prompt and desk.panel)
        stored = mine.scenarios()
        assert len(stored) == scenarios
        assert mine.get(one.id).scenario.values["prompt_tokens"] == kept
        values = {other.scenario.values["prompt_tokens"] for other in stored}
        assert (88 in values) == (choice != "theirs")
