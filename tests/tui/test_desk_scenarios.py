"""Scenarios from the keyboard: new, copied, renamed, deleted, moved, compared, exported; on a real library."""

from collections.abc import Callable
from pathlib import Path

import pytest

from catalog import Catalog
from planner.store import open_library
from planner.tui.book import Book
from planner.tui.desk import Desk
from planner.tui.prompts.conflict import ConflictPrompt, StepConflictPrompt
from planner.tui.prompts.export import ENDINGS, slug
from planner.tui.prompts.price import PricePrompt
from tests.tui.conftest import RecordingHost

Keys = Callable[..., None]


def names(desk: Desk) -> list[str]:
    return [column.name for column in desk.book.columns]


FIVE = ["base", "fp8", "H200", "too small", "日本語 の名"]


def test_a_new_scenario_is_a_copy_beside_the_current_one(desk: Desk, keys: Keys) -> None:
    desk.go_to("prompt_tokens", 1)
    keys("ctrl+n", "enter")
    assert names(desk) == ["base", "fp8", "fp8 copy", "H200", "too small", "日本語 の名"]
    assert desk.column == 2
    assert desk.book.value(2, "weight_format") == "fp8"
    keys("ctrl+z")
    assert names(desk) == FIVE
    keys("ctrl+y")
    assert "fp8 copy" in names(desk)


def test_a_new_scenario_is_named_while_it_is_made(desk: Desk, keys: Keys) -> None:
    keys("ctrl+n", "=mine", "enter")
    assert names(desk)[1] == "mine"
    keys("ctrl+n", "=BASE", "enter")
    assert desk.message.error
    assert desk.prompt is not None
    keys("escape")
    assert len(desk.book) == 6


def test_renaming_in_the_header(desk: Desk, keys: Keys) -> None:
    desk.cursor.go(0, 1)
    keys("f2", "=-new", "enter")
    assert names(desk)[1] == "fp8-new"
    keys("=quick", "right", "=other", "enter")
    assert names(desk)[1:3] == ["quick", "other"]
    keys("=base", "enter")
    assert desk.message.error
    keys("escape")
    assert names(desk)[2] == "other"
    for _ in range(3):
        keys("ctrl+z")
    assert names(desk) == FIVE


def test_deleting_and_bringing_back(desk: Desk, keys: Keys) -> None:
    desk.go_to("prompt_tokens", 4)
    keys("ctrl+delete")
    assert names(desk) == FIVE[:-1]
    assert desk.column == 3
    keys("ctrl+z")
    assert names(desk) == FIVE
    assert desk.book.value(4, "prompt_tokens") == 8000


def test_the_last_scenario_may_go_too(desk: Desk, keys: Keys) -> None:
    for _ in range(5):
        keys("ctrl+delete")
    assert len(desk.book) == 0
    keys("ctrl+delete", "ctrl+b", "alt+left", "f6", "f4", "ctrl+c", "ctrl+e", "f2", "5", "delete", "ctrl+d", "ctrl+r")
    assert "^N" in desk.message.text or desk.message.text
    keys("escape", "ctrl+n", "enter")
    assert names(desk) == ["Scenario"]
    keys("ctrl+z", "ctrl+z")
    assert len(desk.book) == 1


def test_moving_and_the_baseline(desk: Desk, keys: Keys) -> None:
    desk.go_to("prompt_tokens", 1)
    keys("alt+right")
    assert names(desk)[:3] == ["base", "H200", "fp8"]
    assert desk.column == 2
    keys("ctrl+b")
    assert desk.book.baseline == 2
    keys("ctrl+z", "ctrl+z")
    assert names(desk) == FIVE
    assert desk.book.baseline == 0
    desk.cursor.go(2, 0)
    keys("alt+left")
    assert "at the end" in desk.message.text


def test_ordering_by_a_line(desk: Desk, keys: Keys) -> None:
    desk.go_to("prompt_tokens", 4)
    keys("ctrl+p", "=order", "enter")
    assert names(desk)[0] == "日本語 の名"
    assert desk.column == 0
    desk.go_to("tpot_s", 1)
    keys("ctrl+p", "=order", "enter")
    shown = [desk.book.result(place, "tpot_s").value for place in range(5)]
    numbers = [number for number in shown if isinstance(number, float)]
    assert numbers == sorted(numbers)
    assert shown[-1] is None
    assert desk.scenario_name() == "base"
    keys("ctrl+p", "=order", "enter")
    assert [desk.book.result(place, "tpot_s").value for place in range(4)] == numbers[::-1]
    keys("ctrl+z", "ctrl+z", "ctrl+z")
    assert names(desk) == FIVE


def test_tags(desk: Desk, keys: Keys) -> None:
    keys("ctrl+p", "=tags", "enter", "=review, may", "enter")
    assert desk.book.columns[0].stored.tags == ("may", "review")
    keys("ctrl+p", "=tags", "enter", "ctrl+u", "enter")
    assert not desk.book.columns[0].stored.tags


def test_the_history_puts_everything_back(desk: Desk, keys: Keys) -> None:
    desk.go_to("prompt_tokens", 0)
    keys("=11", "enter", "=22", "enter", "ctrl+delete")
    keys("ctrl+p", "=history", "enter")
    assert desk.panel is not None
    texts = ["".join(text for text, _ in line.pieces) for line in desk.panel.lines(100)]
    assert "Deleted" in texts[0] or "deleted" in texts[0]
    assert "1,000" in texts[2]
    keys("down", "down", "down", "enter")
    assert len(desk.book) == 5
    assert (desk.book.value(0, "prompt_tokens"), desk.book.value(0, "output_tokens")) == (11, 300)
    keys("ctrl+z")
    assert len(desk.book) == 4


def test_notes_and_a_snapshot(desk: Desk, keys: Keys) -> None:
    keys("ctrl+p", "=notes", "enter", "=as quoted in May", "enter")
    assert desk.book.columns[0].scenario.notes == "as quoted in May"
    keys("ctrl+s", "=before the review", "enter")
    assert [snapshot.name for snapshot in desk.book.library.snapshots()] == ["before the review"]
    assert not desk.look_for_others(), "one's own snapshot is nobody else's change"


def test_workspaces(desk: Desk, keys: Keys) -> None:
    keys("ctrl+o", "=second plan", "enter")
    assert desk.book.workspace == "second plan"
    assert len(desk.book) == 0
    keys("ctrl+o", "=Exam", "enter")
    assert desk.book.workspace == "Examples", "the highlighted one, no new one"
    keys("ctrl+p", "=new workspace", "enter", "=Exam", "enter")
    assert desk.book.workspace == "Exam"
    keys("ctrl+o", "=tests", "enter")
    assert names(desk) == FIVE


def test_a_conflict_is_a_choice_and_loses_nothing(desk: Desk, keys: Keys, database: Path, catalog: Catalog) -> None:
    def elsewhere(tokens: int) -> None:
        with open_library(database) as other:
            Book(other, catalog).edit([(0, "output_tokens", tokens)])

    desk.go_to("output_tokens", 0)
    elsewhere(111)
    keys("=222", "enter")
    assert isinstance(desk.prompt, ConflictPrompt)
    details = [option.detail for option in desk.prompt.choices.options] if desk.prompt.choices else []
    assert "222" in details[0]
    assert "111" in details[1]
    assert "300" in desk.message.text
    keys("down", "enter")
    assert desk.book.value(0, "output_tokens") == 111

    elsewhere(112)
    keys("=333", "enter", "enter")
    assert desk.book.value(0, "output_tokens") == 333

    elsewhere(113)
    desk.go_to("output_tokens", 0)
    keys("=444", "enter", "up", "enter")
    assert desk.book.value(0, "output_tokens") == 113
    assert desk.book.value(desk.column, "output_tokens") == 444
    assert desk.scenario_name() == "base (mine)"

    elsewhere(114)
    desk.go_to("output_tokens", 0)
    keys("=555", "enter", "escape")
    assert desk.book.value(0, "output_tokens") == 114


def test_undoing_what_somebody_else_changed_since_asks_first(
    desk: Desk, keys: Keys, database: Path, catalog: Catalog, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk.go_to("output_tokens", 0)
    keys("=222", "enter")
    monkeypatch.setenv("LOGNAME", "somebody-else")
    with open_library(database) as other:
        other.use_workspace("tests")
        Book(other, catalog).edit([(0, "output_tokens", 111)])
    keys("ctrl+z")
    assert isinstance(desk.prompt, StepConflictPrompt)
    assert desk.message.error
    keys("enter")
    assert desk.book.value(0, "output_tokens") == 111
    keys("ctrl+z", "down", "enter")
    assert desk.book.value(0, "output_tokens") == 300


def test_what_others_changed_is_read_when_nothing_is_open(
    desk: Desk, keys: Keys, database: Path, catalog: Catalog
) -> None:
    assert not desk.look_for_others()
    with open_library(database) as other:
        Book(other, catalog).edit([(2, "output_tokens", 111)])
    keys("=5")
    assert not desk.look_for_others()
    keys("escape")
    assert desk.look_for_others()
    assert desk.book.value(2, "output_tokens") == 111


def test_export_takes_the_ending_and_asks_before_it_replaces(
    desk: Desk, keys: Keys, host: RecordingHost, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    keys("ctrl+e", "enter")
    assert host.exports == [(Path("tests.xlsx"), FIVE, 0, False)]
    (tmp_path / "old.csv").write_text("precious")
    keys("ctrl+e", "ctrl+u", "=old.csv", "enter", "n", "escape")
    assert len(host.exports) == 1
    keys("ctrl+e", "ctrl+u", "=old.csv", "enter", "enter", "enter", "y")
    assert host.exports[-1] == (Path("old.csv"), FIVE, 0, True)


def test_every_form_is_offered_for_the_stem_that_was_typed(desk: Desk, keys: Keys) -> None:
    keys("ctrl+e")
    assert desk.prompt is not None
    assert desk.prompt.choices is not None
    assert [option.text for option in desk.prompt.choices.shown] == [
        "tests.xlsx",
        "tests.csv",
        "tests.md",
        "tests.json",
    ]
    keys("ctrl+u", "=q3.m")
    assert [option.text for option in desk.prompt.choices.shown] == ["q3.md"]
    keys("tab")
    assert desk.prompt.buffer.text == "q3.md"
    keys("down")
    assert desk.prompt.option is not None
    assert desk.prompt.option.text == "q3.json"


def test_export_of_a_selection(desk: Desk, keys: Keys, host: RecordingHost, tmp_path: Path) -> None:
    desk.go_to("prompt_tokens", 1)
    keys("shift+right", "ctrl+e", "ctrl+u", f"={tmp_path}/two.md", "enter")
    assert host.exports == [(tmp_path / "two.md", ["fp8", "H200"], 0, False)]


@pytest.mark.parametrize(
    ("typed", "said"),
    [("plan.pdf", "must end in .xlsx, .csv, .md, .json"), ("nowhere/plan.xlsx", "There is no folder"),
     (" ", "Give the path"), (".", "is a folder"), ("/", "is a folder"),
     ("x" * 300 + ".csv", "too long"), ("~nobody-of-that-name/x.csv", "There is no folder")],
)  # fmt: skip
def test_a_path_that_cannot_be_written_is_refused_and_stays(
    desk: Desk, keys: Keys, host: RecordingHost, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, typed: str, said: str
) -> None:
    monkeypatch.chdir(tmp_path)
    keys("ctrl+e", "ctrl+u", f"={typed}", "enter")
    assert said in desk.message.text
    assert desk.prompt is not None
    assert host.exports == []


def test_a_workspace_name_makes_a_safe_file_name() -> None:
    assert slug("Q3 / Plan: ../../etc") == "q3-plan-etc"
    assert slug("日本") == "scenarios"
    assert len(slug("x" * 500)) == 80


def test_every_form_of_export_is_offered() -> None:
    from exports.by_ending import ENDINGS as WRITTEN

    assert set(ENDINGS) == set(WRITTEN)


def test_a_scenario_bought_from_an_api_in_one_command(desk: Desk, keys: Keys) -> None:
    before = len(desk.book)
    keys("ctrl+p", "=bought from", "enter", "enter")
    assert isinstance(desk.prompt, PricePrompt)
    assert desk.item.name == "input_price_per_million"
    assert len(desk.book) == before + 1
    assert desk.scenario_name() == "base API"
    keys("down", "down", "enter")
    place = desk.column
    assert desk.book.value(place, "device_price_per_hour") is None
    assert desk.book.value(place, "input_price_per_million") is not None
    verdict = desk.book.verdict(place)
    assert verdict.by_api
    assert verdict.cost is not None
    keys("ctrl+z", "ctrl+z", "ctrl+z")
    assert len(desk.book) == before
