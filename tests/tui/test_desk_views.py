"""Differences, folds, search, explanations, help and the palette, on a real library."""

import math
from collections.abc import Callable

import pytest

from planner.model.explain import explain
from planner.tui.actions import ACTIONS, GROUPS, KEYS, action, key_name
from planner.tui.desk import Desk
from planner.tui.lines import Heading, Line, pinned_lines
from planner.tui.panels.explain import ExplainPanel
from planner.tui.panels.help import HelpPanel
from planner.tui.panels.panel import Panel
from planner.tui.panels.pictures import bar
from planner.tui.prompts.palette import PalettePrompt
from tests.tui.conftest import RecordingHost

Keys = Callable[..., None]


def page(panel: Panel | None, width: int = 90) -> str:
    assert panel is not None
    return "\n".join("".join(text for text, _ in line.pieces) for line in panel.lines(width))


def followed(desk: Desk) -> list[str]:
    assert isinstance(desk.panel, ExplainPanel)
    return desk.panel.path


def test_f6_shows_percent_then_units_then_values(desk: Desk, keys: Keys) -> None:
    seen = []
    for _ in range(4):
        seen.append(desk.view)
        keys("f6")
    assert seen == ["off", "percent", "absolute", "off"]


def test_f5_folds_the_section_and_keeps_the_cursor_on_it(desk: Desk, keys: Keys) -> None:
    desk.go_to("accelerator")
    shown = len(desk.items)
    keys("f5")
    assert len(desk.items) > shown
    assert desk.item.name == "accelerator"
    keys("f5")
    assert isinstance(desk.item, Heading)
    assert desk.item.section.title == "Hardware"
    keys("f5")
    assert len(desk.items) == shown


def test_folding_everything(desk: Desk, keys: Keys) -> None:
    keys("ctrl+p", "=fold all", "enter")
    assert all(isinstance(item, Heading) for item in desk.items[1:])
    keys("ctrl+p", "=show all lines", "enter")
    assert desk.outline.place("kv_lora_rank") is not None
    keys("ctrl+p", "=show the main", "enter")
    assert desk.outline.place("kv_lora_rank") is None


def test_a_result_is_pinned_and_unpinned(desk: Desk, keys: Keys) -> None:
    desk.go_to("latency_s")
    keys("ctrl+p", "=pin or", "enter")
    assert [line.name for line in pinned_lines(2, desk.pins)] == ["latency_s", "verdict"]
    keys("ctrl+p", "=pin or", "enter")
    assert desk.pins == []
    desk.go_to("prompt_tokens")
    keys("ctrl+p", "=pin or", "enter")
    assert desk.message.error


def test_only_lines_that_differ(desk: Desk, keys: Keys) -> None:
    keys("ctrl+p", "=only lines", "enter")
    shown = {item.name for item in desk.items if isinstance(item, Line)}
    assert {"weight_format", "accelerator", "tensor_parallel", "prompt_tokens", "tpot_s", "memory_bandwidth"} <= shown
    assert "output_tokens" not in shown
    desk.go_to("output_tokens")
    assert desk.item.name == "output_tokens"


def test_find_goes_to_hidden_lines_too(desk: Desk, keys: Keys) -> None:
    keys("/", "=kv lora")
    assert desk.item.name == "kv_lora_rank"
    keys("enter", "f3")
    assert desk.item.name == "kv_lora_rank"
    keys("ctrl+f", "=target", "enter")
    first = desk.item.name
    keys("f3")
    assert desk.item.name != first
    assert "target" in desk.item.name


def test_find_that_is_cancelled_goes_back(desk: Desk, keys: Keys) -> None:
    desk.go_to("prompt_tokens", 2)
    keys("slash", "=tpot")
    assert desk.item.name != "prompt_tokens"
    keys("escape")
    assert (desk.item.name, desk.column) == ("prompt_tokens", 2)
    keys("slash", "=zzzz")
    assert "Nothing is called" in desk.message.text


def test_go_to_by_name(desk: Desk, keys: Keys) -> None:
    keys("ctrl+g", "=H200", "enter")
    assert desk.scenario_name() == "H200"
    keys("ctrl+g", "=bits of the experts", "enter")
    assert desk.item.name == "expert_bits"
    keys("ctrl+g", "=zzzz", "enter")
    assert desk.message.error


def test_f4_explains_down_to_inputs_and_sources(desk: Desk, keys: Keys) -> None:
    desk.go_to("step_time_s")
    keys("f4")
    text = page(desk.panel)
    assert "step_time_s = max(memory_time_s, compute_time_s)" in text
    assert "= max(0.0" in text
    assert "MADE OF" in text
    assert "RESTS ON THESE INPUTS AND FACTS" in text
    assert "set in this scenario" in text
    keys("down", "down", "enter")
    assert followed(desk)[-1] in {"memory_time_s", "compute_time_s", "interconnect_time_s", "overhead_time_s"}
    page(desk.panel)
    keys("backspace")
    assert followed(desk) == ["step_time_s"]
    page(desk.panel)
    keys("down", "enter", "g")
    assert desk.panel is None
    assert desk.item.name in {"memory_time_s", "compute_time_s"}


def unfolded(panel: Panel | None, desk: Desk, keys: Keys) -> str:
    """The page after every fold on it was opened with the keys."""
    for _ in range(6):
        page(panel)
        assert panel is not None
        folds = [at for at, line in enumerate(panel.lines(90)) if line.target.startswith("fold:")]
        closed = [at for at in folds if "▸" in panel.lines(90)[at].pieces[0][0]]
        if not closed:
            break
        panel.chosen = closed[0]
        keys("enter")
    return page(panel)


@pytest.mark.parametrize("name", ["serving_limit", "ttft_limit_requests_per_second", "model", "latency_s", "layers"])
def test_f4_is_short_at_first_and_unfolds_to_everything(desk: Desk, keys: Keys, name: str) -> None:
    desk.go_to(name)
    keys("f4")
    first = page(desk.panel)
    assert len(first.splitlines()) <= 50
    assert "first given of(" not in first
    whole = unfolded(desk.panel, desk, keys)
    evaluated = desk.book.look(desk.column).evaluated
    assert evaluated is not None
    found = explain(name, evaluated)
    shown = whole.replace("\n", " ")
    for term in (*found.terms, *found.rests_on, *found.feeds):
        assert term.label[:30] in shown, term.label
    keys("escape")
    assert desk.panel is None


def test_f4_on_a_word_lists_what_it_may_be(desk: Desk, keys: Keys) -> None:
    desk.go_to("serving_limit", 3)
    keys("f4")
    lines = page(desk.panel).splitlines()
    assert "→ the model does not fit on the devices" in lines
    assert "  can be served" in lines


def test_low_and_high_of_every_result_and_back(desk: Desk, keys: Keys) -> None:
    seen = []
    for key in ("ctrl+t", "f6", "ctrl+t", "ctrl+t"):
        keys(key)
        seen.append(desk.view)
    assert seen == ["range", "percent", "range", "off"]


def test_the_answer_lists_the_cheapest_first_and_goes_there(desk: Desk, keys: Keys) -> None:
    desk.book.settle(60)
    desk.go_to("verdict", 3)
    keys("f4")
    lines = page(desk.panel).splitlines()
    assert "the cheapest that meets its targets, self-hosted at" in lines[1]
    assert any("not served: the model does not fit" in line for line in lines)
    keys("down", "enter")
    assert desk.panel is None
    assert desk.item.name == "verdict"
    assert desk.book.verdict(desk.column).answer == "cheapest"
    keys("=5")
    assert desk.prompt is None
    assert desk.panel is not None


def test_f4_says_why_a_result_is_blank(desk: Desk, keys: Keys) -> None:
    desk.go_to("tpot_s", 3)
    keys("f4")
    assert isinstance(desk.panel, ExplainPanel)
    assert "Blank:" in page(desk.panel)
    assert "does not fit" in page(desk.panel)


def test_f4_on_a_name_shows_the_facts_it_fills(desk: Desk, keys: Keys) -> None:
    desk.go_to("accelerator")
    keys("f4")
    assert isinstance(desk.panel, ExplainPanel)
    assert "FILLS THESE FACTS" in page(desk.panel)
    assert "Memory bandwidth" in page(desk.panel)


def test_f1_helps_with_this_cell_and_lists_every_key(desk: Desk, keys: Keys) -> None:
    desk.go_to("prompt_tokens")
    keys("f1")
    assert isinstance(desk.panel, HelpPanel)
    text = page(desk.panel)
    assert "Prompt of one call, cached part included." in text
    assert "1 to 100,000,000 tokens." in text
    for found in ACTIONS.values():
        assert found.help.split()[0] in text
        for key in found.keys:
            assert key_name(key) in text
    keys("escape")
    assert desk.panel is None


def test_panels_scroll_and_close(desk: Desk, keys: Keys) -> None:
    keys("f1")
    assert desk.panel is not None
    desk.panel.lines(80)
    desk.panel.height = 10
    keys("pagedown", "down")
    assert desk.panel.scroll == 11
    keys("end", "down")
    assert desk.panel.scroll == len(desk.panel.lines(80)) - 10
    keys("home", "up")
    assert desk.panel.scroll == 0
    keys("q")
    assert desk.panel is None


def test_the_palette_runs_every_command_by_name(desk: Desk, keys: Keys) -> None:
    keys("ctrl+p")
    assert isinstance(desk.prompt, PalettePrompt)
    assert desk.prompt.choices is not None
    listed = [option.text for option in desk.prompt.choices.options]
    assert listed == [
        found.label for group in GROUPS for found in ACTIONS.values() if found.listed and found.group == group
    ]
    keys("=delete sc", "enter")
    assert len(desk.book) == 4
    keys(":", "=zzzzzz", "enter")
    assert "No command" in desk.message.text


def test_every_key_belongs_to_one_command_and_every_command_has_help() -> None:
    assert {key for found in ACTIONS.values() for key in found.keys} == KEYS.keys()
    assert len(KEYS) == sum(len(found.keys) for found in ACTIONS.values())
    for found in ACTIONS.values():
        assert found.label
        assert found.help.endswith(".")
        assert found.keys or found.listed
    with pytest.raises(ValueError, match="ctrl\\+z"):
        action("another", "Another", "Help.", "Help", "ctrl+z")(lambda _: None)
    del ACTIONS["another"]


def test_keys_have_the_names_that_people_write() -> None:
    names = [key_name(key) for key in ("ctrl+z", "f6", "shift+right", "ctrl+delete", "question_mark", "alt+left")]
    assert names == ["^Z", "F6", "Shift+→", "^Del", "?", "Alt+←"]


def test_colours_are_seen_while_they_are_chosen(desk: Desk, keys: Keys, host: RecordingHost) -> None:
    keys("ctrl+p", "=colours", "enter", "down")
    assert host.theme_name == "textual-light"
    keys("escape")
    assert host.theme_name == "nord"
    keys("ctrl+p", "=colours", "enter", "=gruv", "enter")
    assert host.theme_name == "gruvbox"


def test_quit_redraw_and_selecting_everything(desk: Desk, keys: Keys, host: RecordingHost) -> None:
    keys("ctrl+l")
    assert host.redrawn == 1
    keys("ctrl+a")
    assert len(desk.cursor.block.rows) == len(desk.items)
    keys("escape")
    assert desk.cursor.block.is_one_cell
    assert not host.left
    keys("ctrl+q")
    assert host.left


def test_moving_by_pages_and_to_the_ends(desk: Desk, keys: Keys) -> None:
    desk.page = (10, 4)
    keys("ctrl+end")
    assert (desk.cursor.row, desk.column) == (len(desk.items) - 1, 4)
    keys("home", "pageup")
    assert (desk.cursor.row, desk.column) == (len(desk.items) - 10, 0)
    keys("end", "pagedown", "ctrl+left", "ctrl+right", "ctrl+home")
    assert (desk.cursor.row, desk.column) == (1, 0)


def test_bars_show_the_line_under_the_cursor_first_and_lead_to_cells(desk: Desk, keys: Keys) -> None:
    desk.go_to("prompt_tokens", 4)
    keys("f7")
    lines = page(desk.panel).splitlines()
    first = next(at for at, line in enumerate(lines) if line.startswith("Prompt tokens"))
    drawn = {line.split()[0]: line.count("█") for line in lines[first + 1 : first + 6]}
    assert drawn["日本語"] > 6 * drawn["base"] > 0
    assert any(line.startswith("TPOT") for line in lines)
    assert all(len(line) <= 90 for line in lines)
    keys("down", "down", "enter")
    assert (desk.item.name, desk.column) == ("prompt_tokens", 1)
    assert desk.panel is None


@pytest.mark.parametrize(
    ("value", "high", "cells"), [(0, 0, 0), (50, 50, 10), (100, 100, 20), (50, 100, 20), (-5, 3, 0), (math.nan, 1, 0)]
)
def test_a_bar_is_as_long_as_its_value(value: float, high: float, cells: int) -> None:
    assert len(bar(value, high, 100, 20)) == cells
    assert bar(value, high, 0, 20) == ""
