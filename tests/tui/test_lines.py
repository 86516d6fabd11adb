from planner.model.facts import FACT_FIELDS
from planner.model.inputs import INPUTS
from planner.model.rows import SHEET
from planner.tui.lines import (
    MAIN_INPUTS,
    MAIN_RESULTS,
    PINNED,
    Heading,
    Line,
    Outline,
    all_lines,
    all_sections,
    pinned_lines,
)


def names(outline: Outline) -> list[str]:
    return [item.name for item in outline.items if isinstance(item, Line)]


def test_every_input_result_and_fact_has_one_line() -> None:
    assert list(all_lines()) == [*INPUTS, "verdict", *SHEET.rows, *FACT_FIELDS]
    assert len({section.title for section in all_sections()}) == len(all_sections())


def test_the_lists_of_main_lines_name_lines_that_exist() -> None:
    assert INPUTS.keys() >= MAIN_INPUTS
    assert SHEET.rows.keys() >= MAIN_RESULTS
    assert set(PINNED) <= {"verdict", *SHEET.rows}


def test_a_short_sheet_shows_what_a_planner_decides_and_the_key_results() -> None:
    outline = Outline()
    shown = names(outline)
    assert {"accelerator", "model", "prompt_tokens", "output_tokens"} <= set(shown)
    assert {name for name, row in SHEET.rows.items() if row.key} <= set(shown)
    assert "pue" not in shown
    assert "memory_bandwidth" not in shown
    assert shown[0] == "scenario_name"
    assert len(shown) < 60


def test_lines_in_use_are_shown_and_stay() -> None:
    outline = Outline()
    outline.use({"pue", "memory_bandwidth"})
    assert {"pue", "memory_bandwidth"} <= set(names(outline))
    outline.use(set())
    assert "pue" in names(outline)


def test_a_section_shows_more_step_by_step_and_comes_round() -> None:
    outline = Outline()
    memory = next(section for section in outline.sections if section.title == "Memory")
    counts = {}
    for _ in range(4):
        fold = outline.cycle(memory)
        counts[fold] = sum(1 for item in outline.items if isinstance(item, Line) and item in memory.lines)
    assert list(counts) == ["more", "full", "closed", "short"]
    assert counts["closed"] == 0 < counts["short"] < counts["more"] < counts["full"] == len(memory.lines)


def test_a_section_with_nothing_more_to_show_only_closes() -> None:
    outline = Outline()
    model = next(section for section in outline.sections if section.title == "Model")
    assert outline.cycle(model) == "closed"
    assert outline.cycle(model) == "short"


def test_headings_count_what_they_hide() -> None:
    outline = Outline()
    for item in outline.items:
        if isinstance(item, Heading):
            shown = [line for line in item.section.lines if outline.place(line.name) is not None]
            assert item.hidden == len(item.section.lines) - len(shown)


def test_a_hidden_line_is_revealed() -> None:
    outline = Outline()
    outline.fold_all("closed")
    row = outline.reveal("kv_lora_rank")
    assert outline.items[row].name == "kv_lora_rank"
    outline.only = lambda line: line.name == "pue"
    outline.rebuild()
    assert names(outline) == ["scenario_name", "pue"]
    row = outline.reveal("tpot_s")
    assert outline.items[row].name == "tpot_s"


def test_as_many_results_are_pinned_as_there_is_room_for() -> None:
    assert [line.name for line in pinned_lines(4)] == ["verdict", "ttft_s", "tpot_s", "devices"]
    assert pinned_lines(0) == []
    everything = [line.name for line in pinned_lines(99)]
    assert len(everything) == len(set(everything))
    assert {name for name, row in SHEET.rows.items() if row.key} <= set(everything)
