"""What the keys do to cells, on a real library."""

import time
from collections.abc import Callable
from pathlib import Path

import pytest

from catalog import Catalog
from planner.store import open_library
from planner.tui.book import Book
from planner.tui.desk import Desk
from planner.tui.editing import MAX_LENGTH
from planner.tui.lines import Heading
from planner.tui.prompts.cell import CellPrompt
from tests.tui.conftest import RecordingHost

Keys = Callable[..., None]


def value(desk: Desk, name: str, place: int = 0) -> object:
    return desk.book.value(place, name)


def test_typing_replaces_and_enter_goes_down(desk: Desk, keys: Keys) -> None:
    desk.go_to("prompt_tokens")
    keys("=2500", "enter")
    assert value(desk, "prompt_tokens") == 2500
    assert desk.item.name == "output_tokens"
    assert desk.message.text == "base ▸ Prompt tokens: 1,000 → 2,500"
    assert desk.saved_at == "12:04:31"


def test_an_edit_is_in_the_file_before_the_next_key(desk: Desk, keys: Keys, database: Path, catalog: Catalog) -> None:
    desk.go_to("prompt_tokens")
    keys("=7k", "enter")
    with open_library(database) as again:
        assert Book(again, catalog).value(0, "prompt_tokens") == 7000


def test_every_result_follows_at_once(desk: Desk, keys: Keys) -> None:
    before = desk.book.result(0, "ttft_s").value
    desk.go_to("prompt_tokens")
    keys("=9000", "enter")
    after = desk.book.result(0, "ttft_s").value
    assert isinstance(before, float)
    assert isinstance(after, float)
    assert after > before
    keys("ctrl+z")
    assert desk.book.result(0, "ttft_s").value == before


def test_f2_edits_with_a_caret(desk: Desk, keys: Keys) -> None:
    desk.go_to("prompt_tokens")
    keys("f2", "home", "right", "=5", "enter")
    assert value(desk, "prompt_tokens") == 15000
    desk.go_to("prompt_tokens")
    keys("f2", "left", "backspace", "enter")
    assert value(desk, "prompt_tokens") == 1500


def test_escape_leaves_the_cell_as_it_was(desk: Desk, keys: Keys) -> None:
    desk.go_to("prompt_tokens")
    keys("=99", "escape")
    assert value(desk, "prompt_tokens") == 1000
    assert desk.prompt is None


def test_arrows_accept_and_move_unless_the_caret_is_on(desk: Desk, keys: Keys) -> None:
    desk.go_to("prompt_tokens")
    keys("=2000", "right", "=3000", "down", "=400", "up")
    assert value(desk, "prompt_tokens", 0) == 2000
    assert value(desk, "prompt_tokens", 1) == 3000
    assert value(desk, "output_tokens", 1) == 400
    assert desk.item.name == "prompt_tokens"


def test_enter_after_tabs_returns_to_the_first_column(desk: Desk, keys: Keys) -> None:
    desk.go_to("prompt_tokens")
    keys("=1", "tab", "=2", "tab", "=3", "enter", "=4", "enter")
    assert [value(desk, "prompt_tokens", place) for place in range(3)] == [1, 2, 3]
    assert value(desk, "output_tokens", 0) == 4


@pytest.mark.parametrize(
    ("name", "typed", "said"),
    [
        ("prompt_tokens", "abc", "whole number"),
        ("prompt_tokens", "0", "1 to 100,000,000 tokens"),
        ("prompt_tokens", "1.5", "whole number"),
        ("prompt_tokens", "nan", "1 to 100,000,000 tokens"),
        ("memory_utilization", "1.5", "0.05 to 1"),
        ("weight_format", "fp99", "one of"),
        ("model", "gpt-unknown-9", "nearest"),
        ("accelerator", "h100-sxn", "nearest"),
        ("cached_share", "2", "0 to 1"),
        ("flash_attention", "perhaps", "yes or no"),
        ("memory_bandwidth", "-5", "B/s"),
    ],
)
def test_a_bad_value_is_refused_in_a_sentence_and_stays(
    desk: Desk, keys: Keys, name: str, typed: str, said: str
) -> None:
    revision = desk.book.library.last_revision()
    desk.go_to(name)
    before = value(desk, name)
    keys(f"={typed}", "enter")
    assert desk.message.error
    assert said in desk.message.text
    assert isinstance(desk.prompt, CellPrompt)
    assert desk.prompt.buffer.text == typed
    assert desk.item.name == name
    assert value(desk, name) == before
    assert desk.book.library.last_revision() == revision
    keys("escape")
    assert desk.prompt is None


def test_a_contradiction_is_refused_like_a_bad_value(desk: Desk, keys: Keys) -> None:
    desk.go_to("reasoning_tokens")
    desk.go_to("output_tokens")
    keys("=0", "enter")
    assert "at least 1 token" in desk.message.text
    assert desk.prompt is not None
    keys("backspace", "=5", "enter")
    assert value(desk, "output_tokens") == 5


def test_a_mistake_shows_while_it_is_typed(desk: Desk, keys: Keys) -> None:
    desk.go_to("prompt_tokens")
    keys("=12x")
    assert isinstance(desk.prompt, CellPrompt)
    assert desk.prompt.error
    keys("backspace")
    assert not desk.prompt.error


def test_names_are_completed_while_typing(desk: Desk, keys: Keys) -> None:
    desk.go_to("accelerator")
    keys("=h200-s")
    assert desk.prompt is not None
    assert desk.prompt.ghost == "xm-141gb"
    keys("enter")
    assert value(desk, "accelerator") == "h200-sxm-141gb"


def test_the_list_of_a_name_is_searched_and_chosen_from(desk: Desk, keys: Keys) -> None:
    desk.go_to("accelerator")
    keys("enter")
    assert desk.prompt is not None
    assert desk.prompt.option is not None
    assert desk.prompt.option.text == "h100-sxm-80gb"
    keys("=141gb", "enter")
    assert "choose with ↓" in desk.message.text
    assert value(desk, "accelerator") == "h100-sxm-80gb"
    keys("down", "down", "up", "enter")
    assert value(desk, "accelerator") == "h200-sxm-141gb"
    keys("up", "alt+down", "=a100 sxm 80", "tab")
    assert value(desk, "accelerator") == "a100-sxm-80gb"
    assert desk.column == 1


@pytest.mark.parametrize("typed", ["7", "70", "4090", "80"])
def test_a_bare_number_on_a_name_picks_nothing(desk: Desk, keys: Keys, typed: str) -> None:
    for name in ("model", "accelerator"):
        before = value(desk, name)
        desk.go_to(name)
        keys(f"={typed}", "enter")
        assert desk.message.error
        assert "enter" not in desk.message.text
        assert value(desk, name) == before
        keys("escape")
    desk.go_to("model")
    keys("=7", "down", "enter")
    assert "7" in str(value(desk, "model"))


def test_part_of_a_name_picks_only_when_no_other_holds_it(desk: Desk, keys: Keys) -> None:
    desk.go_to("accelerator")
    keys("=sxm 141", "enter")
    assert value(desk, "accelerator") == "h200-sxm-141gb"
    keys("up", "=sxm", "enter")
    assert desk.message.error
    assert "entries of the list hold 'sxm'" in desk.message.text


def test_a_choice_and_a_switch(desk: Desk, keys: Keys) -> None:
    desk.go_to("weight_format")
    keys("=fp8", "enter")
    assert value(desk, "weight_format") == "fp8"
    desk.go_to("flash_attention")
    desk.press("space", " ")
    assert value(desk, "flash_attention") is False
    keys("=y", "enter")
    assert value(desk, "flash_attention") is True


def test_delete_returns_to_the_default_or_the_catalogue(desk: Desk, keys: Keys) -> None:
    desk.go_to("tensor_parallel")
    keys("delete")
    assert value(desk, "tensor_parallel") == 1
    assert "default 1" in desk.message.text
    desk.go_to("device_price_per_hour")
    keys("delete")
    assert value(desk, "device_price_per_hour") is None
    assert "blank (not rented)" in desk.message.text
    desk.go_to("memory_bandwidth")
    keys("=4e12", "enter")
    assert value(desk, "memory_bandwidth") == 4e12
    keys("up", "delete")
    assert value(desk, "memory_bandwidth") is None
    assert "the catalogue's" in desk.message.text


def test_an_emptied_cell_is_blank_where_it_may_be(desk: Desk, keys: Keys) -> None:
    desk.go_to("device_price_per_hour")
    keys("f2", "ctrl+u", "enter")
    assert value(desk, "device_price_per_hour") is None
    desk.go_to("prompt_tokens")
    keys("f2", "ctrl+u", "enter")
    assert "must not be blank" in desk.message.text


def test_a_result_is_explained_not_edited(desk: Desk, keys: Keys) -> None:
    desk.go_to("tpot_s")
    keys("=5")
    assert desk.prompt is None
    assert "is computed" in desk.message.text
    keys("enter")
    assert desk.panel is not None


def test_undo_and_redo_go_where_it_happened(desk: Desk, keys: Keys) -> None:
    desk.go_to("prompt_tokens", 2)
    keys("=5000", "enter", "home", "up", "up", "up", "ctrl+z")
    assert value(desk, "prompt_tokens", 2) == 1000
    assert (desk.item.name, desk.column) == ("prompt_tokens", 2)
    assert "5,000" in desk.message.text
    keys("ctrl+y")
    assert value(desk, "prompt_tokens", 2) == 5000


def test_there_is_an_end_to_undoing(desk: Desk, keys: Keys) -> None:
    for _ in range(20):
        keys("ctrl+z")
    assert desk.message.text == "Nothing to undo."
    for _ in range(20):
        keys("ctrl+y")
    assert desk.message.text == "Nothing to redo."


def test_undo_reaches_back_to_an_earlier_session(desk: Desk, keys: Keys, database: Path, catalog: Catalog) -> None:
    desk.go_to("prompt_tokens")
    keys("=4321", "enter")
    with open_library(database) as again:
        later = Desk(Book(again, catalog), RecordingHost())
        later.press("ctrl+z")
        assert later.book.value(0, "prompt_tokens") == 1000


def test_copy_and_paste_a_block(desk: Desk, keys: Keys, host: RecordingHost) -> None:
    desk.go_to("prompt_tokens", 3)
    keys("shift+right", "shift+down", "ctrl+c")
    assert host.copied == "1000\t8000\n300\t300\n"
    assert "Copied 4 cells" in desk.message.text
    desk.go_to("prompt_tokens", 0)
    keys("ctrl+v")
    assert value(desk, "prompt_tokens", 1) == 8000
    keys("ctrl+z")
    assert value(desk, "prompt_tokens", 1) == 1000


def test_the_terminals_paste_fills_cells_all_or_none(desk: Desk) -> None:
    desk.go_to("prompt_tokens", 0)
    desk.paste("10\t20\t30\r\n40\t50\t60\r\n")
    assert [value(desk, "prompt_tokens", place) for place in range(3)] == [10, 20, 30]
    assert [value(desk, "output_tokens", place) for place in range(3)] == [40, 50, 60]
    desk.paste("11\t-5\t12")
    assert value(desk, "prompt_tokens", 0) == 10
    assert "Nothing was changed" in desk.message.text
    assert "fp8" in desk.message.text


def test_one_value_pasted_on_a_selection_fills_it(desk: Desk, keys: Keys) -> None:
    desk.go_to("prompt_tokens", 0)
    keys("shift+right", "shift+right")
    desk.paste("77\n")
    assert [value(desk, "prompt_tokens", place) for place in range(4)] == [77, 77, 77, 1000]


def test_a_paste_into_an_open_cell_goes_into_the_buffer(desk: Desk, keys: Keys) -> None:
    desk.go_to("prompt_tokens", 0)
    keys("=1")
    desk.paste("23\n99")
    keys("enter")
    assert value(desk, "prompt_tokens") == 123


def test_a_monstrous_paste_is_refused(desk: Desk) -> None:
    desk.go_to("prompt_tokens", 0)
    desk.paste("1\t" * 200_000)
    assert "100,000 cells" in desk.message.text
    assert value(desk, "prompt_tokens") == 1000


def test_pasting_over_results_is_refused(desk: Desk) -> None:
    desk.go_to("tpot_s", 0)
    desk.paste("5")
    assert "cannot be pasted into" in desk.message.text


def test_fill_right_and_fill_down(desk: Desk, keys: Keys) -> None:
    desk.go_to("prompt_tokens", 3)
    keys("ctrl+r")
    assert "nothing changed" in desk.message.text
    keys("right", "ctrl+r")
    assert value(desk, "prompt_tokens", 4) == 1000
    keys("home", "=456", "tab", "left", "shift+right", "shift+right", "ctrl+r")
    assert [value(desk, "prompt_tokens", place) for place in range(5)] == [456, 456, 456, 1000, 1000]
    desk.go_to("prompt_tokens", 0)
    keys("shift+down", "ctrl+d")
    assert value(desk, "output_tokens") == 456
    keys("ctrl+z")
    assert value(desk, "output_tokens") == 300


def test_cut_copies_and_clears(desk: Desk, keys: Keys, host: RecordingHost) -> None:
    desk.go_to("tensor_parallel", 0)
    keys("ctrl+x")
    assert host.copied == "4\n"
    assert value(desk, "tensor_parallel") == 1


def test_headings_fold_and_refuse_text(desk: Desk, keys: Keys) -> None:
    desk.cursor.go(1, 0)
    assert isinstance(desk.item, Heading)
    shown = len(desk.items)
    keys("enter")
    assert len(desk.items) > shown
    keys("=5")
    assert desk.prompt is None
    assert "heading" in desk.message.text


def test_quitting_while_typing_keeps_a_good_value(desk: Desk, keys: Keys, host: RecordingHost) -> None:
    desk.go_to("prompt_tokens", 0)
    keys("=3333", "ctrl+q")
    assert host.left
    assert value(desk, "prompt_tokens") == 3333


@pytest.mark.parametrize("name", ["model", "requests_per_day", "accelerator"])
def test_no_key_costs_more_the_more_were_typed_before(desk: Desk, name: str) -> None:
    def seconds(count: int) -> float:
        start = time.perf_counter()
        for _ in range(count):
            desk.press("1", "1")
        return time.perf_counter() - start

    desk.go_to(name)
    seconds(4500)
    early = min(seconds(300) for _ in range(3))
    seconds(6_000)
    late = min(seconds(300) for _ in range(3))
    assert late < 3 * early
    assert desk.prompt is not None
    assert len(desk.prompt.buffer.text) == MAX_LENGTH
