import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from planner.model.display import percent_text, show_field_with_unit
from planner.model.facts import FACT_FIELDS
from planner.model.fields import FieldValue
from planner.model.inputs import INPUTS
from planner.tui.book import Book
from planner.tui.cells import View, describe, field_text, range_text, raw_text, show_cell
from planner.tui.lines import all_lines

LINES = all_lines()


@pytest.mark.parametrize(
    ("share", "text"),
    [(0.125, "+12.5%"), (-0.5, "−50%"), (0.071, "+7.1%"), (16.5, "+1,650%"), (31.0, "×32"), (0.0002, "+0.02%"),
     (-0.999, "−99.9%"), (1e-7, "+0%")],
)  # fmt: skip
def test_percentages(share: float, text: str) -> None:
    assert percent_text(share) == text


def test_large_facts_take_a_decimal_prefix_and_their_unit() -> None:
    assert field_text(FACT_FIELDS["memory_bandwidth"], 3.35e12) == "3.35 TB/s"
    assert field_text(FACT_FIELDS["measured_weight_bytes"], 70_553_706_496.0) == "70.55 GB"
    assert field_text(FACT_FIELDS["parameters"], 70_553_706_496.0) == "70.55G"
    assert show_field_with_unit(FACT_FIELDS["peak_flops"], 989e12) == "989 TFLOP/s"
    assert show_field_with_unit(INPUTS["ttft_target_ms"], 2000.0) == "2,000 ms"
    assert show_field_with_unit(INPUTS["ttft_target_ms"], None) == "—"


@pytest.mark.parametrize(
    ("name", "value", "text"),
    [("requests_per_day", 100_000.0, "100,000"), ("requests_per_day", 1e12, "1T"), ("flash_attention", True, "yes"),
     ("ttft_target_ms", None, "—"), ("model", "a\x1bb", "a\ufffdb"), ("pue", 1.3, "1.3")],
)  # fmt: skip
def test_inputs_as_cells(name: str, value: FieldValue, text: str) -> None:
    assert field_text(INPUTS[name], value) == text


def test_tones_say_where_a_value_comes_from(book: Book) -> None:
    assert show_cell(book, 0, LINES["prompt_tokens"]).tone == "default"
    assert show_cell(book, 0, LINES["tensor_parallel"]).tone == "set"
    assert show_cell(book, 1, LINES["weight_format"]).tone == "changed"
    assert show_cell(book, 0, LINES["ttft_target_ms"]).tone == "blank"
    assert show_cell(book, 0, LINES["memory_bandwidth"]).text == "3.35 TB/s"
    assert show_cell(book, 0, LINES["memory_bandwidth"]).tone == "fact"
    assert show_cell(book, 0, LINES["tpot_s"]).tone == "result"
    misfit = show_cell(book, 3, LINES["fits"])
    assert (misfit.text, misfit.tone, misfit.mark) == ("no", "problem", "!")
    assert show_cell(book, 3, LINES["tpot_s"]).text == "—"


def test_an_overridden_fact_is_marked(book: Book) -> None:
    book.edit([(1, "memory_bandwidth", 4e12)])
    shown = show_cell(book, 1, LINES["memory_bandwidth"])
    assert (shown.text, shown.mark) == ("4 TB/s", "•")
    assert describe(book, 1, LINES["memory_bandwidth"])[1] == "set in this scenario"


def test_differences_have_a_sign_and_a_verdict_beside_the_colour(book: Book) -> None:
    faster = show_cell(book, 1, LINES["tpot_s"], "percent")
    assert faster.text.startswith("−")
    assert (faster.tone, faster.mark) == ("better", "✓")
    slower = show_cell(book, 4, LINES["ttft_s"], "percent")
    assert slower.text.startswith(("+", "×"))
    assert (slower.tone, slower.mark) == ("worse", "✗")
    more = show_cell(book, 4, LINES["prompt_tokens"], "percent")
    assert (more.text, more.tone, more.mark) == ("+700%", "delta", " ")
    assert show_cell(book, 4, LINES["prompt_tokens"], "absolute").text == "+7,000"
    assert show_cell(book, 1, LINES["prompt_tokens"], "percent").text == "·"
    assert show_cell(book, 1, LINES["weight_format"], "percent").text == "→ fp8"
    assert show_cell(book, 3, LINES["tpot_s"], "percent").text == "→ —"


@pytest.mark.parametrize("view", ["percent", "absolute"])
def test_a_difference_cell_is_never_taken_for_a_value(book: Book, view: View) -> None:
    book.set_baseline(3)
    value = show_cell(book, 1, LINES["tpot_s"])
    assert show_cell(book, 1, LINES["tpot_s"], view).text == f"→ {value.text}"
    assert show_cell(book, 1, LINES["prompt_tokens"], view).text == "·"
    assert show_cell(book, 1, LINES["ttft_target_ms"], view).text == "—"
    for line in LINES.values():
        shown = show_cell(book, 1, line, view)
        assert line.kind == "verdict" or shown.text[:1] in "·—→+−×", line.name


def test_low_and_high_stand_in_the_cell_and_in_the_formula_bar(book: Book) -> None:
    shown = show_cell(book, 1, LINES["tpot_s"], "range").text
    low, high = (float(end) for end in shown.split("–"))
    assert low < float(show_cell(book, 1, LINES["tpot_s"]).text) < high
    assert show_cell(book, 1, LINES["prompt_tokens"], "range").text == "1,000"
    assert show_cell(book, 1, LINES["weight_bytes"], "range") == show_cell(book, 1, LINES["weight_bytes"])
    assert show_cell(book, 3, LINES["tpot_s"], "range").text == "—"
    for line in LINES.values():
        assert len(range_text(book, 1, line)) <= 11, line.name


def test_a_damaged_currency_leaves_the_other_verdicts(book: Book, database: Path) -> None:
    with closing(sqlite3.connect(database)) as raw:
        raw.execute("PRAGMA ignore_check_constraints = ON")
        raw.execute("UPDATE scenario SET currency = ? WHERE name = 'fp8'", ("\x1b[31m",))
        raw.commit()
    book.columns.clear()
    book.reload()
    book.settle(60)
    assert show_cell(book, 1, LINES["verdict"]).text == "—"
    assert "damaged" in describe(book, 1, LINES["verdict"])[0]
    assert "cheapest" in [show_cell(book, place, LINES["verdict"]).text for place in range(len(book))]


def test_one_verdict_a_scenario(book: Book) -> None:
    book.settle(60)
    texts = [show_cell(book, place, LINES["verdict"]).text for place in range(len(book))]
    assert {book.verdict(place).cost for place, text in enumerate(texts) if text == "cheapest"} == {
        min(cost for place in range(len(book)) if (cost := book.verdict(place).cost) is not None)
    }
    assert texts[3] == "not served"
    assert all(text.startswith(("cheapest", "served ", "not served")) for text in texts)
    best = show_cell(book, texts.index("cheapest"), LINES["verdict"])
    assert (best.tone, best.mark) == ("better", "✓")
    assert "does not fit" in describe(book, 3, LINES["verdict"])[0]


def test_the_baseline_shows_its_own_values_among_differences(book: Book) -> None:
    assert show_cell(book, 0, LINES["prompt_tokens"], "percent").text == "1,000"
    book.set_baseline(4)
    assert show_cell(book, 4, LINES["prompt_tokens"], "percent").text == "8,000"
    assert show_cell(book, 0, LINES["prompt_tokens"], "percent").text == "−87.5%"


def test_better_is_not_always_less(book: Book) -> None:
    shown = show_cell(book, 1, LINES["tokens_per_second_per_user"], "percent")
    assert shown.text.startswith("+")
    assert shown.tone == "better"


def test_the_formula_bar_says_value_unit_and_origin(book: Book) -> None:
    assert describe(book, 0, LINES["prompt_tokens"]) == ("Prompt tokens = 1,000 tokens", "default")
    assert describe(book, 4, LINES["prompt_tokens"]) == (
        "Prompt tokens = 8,000 tokens",
        "+700% to the baseline's 1,000",
    )
    text, origin = describe(book, 1, LINES["tpot_s"])
    assert text.startswith("TPOT = ")
    assert " ms (" in text
    assert origin.endswith("better")
    text, origin = describe(book, 3, LINES["tpot_s"])
    assert text == "TPOT is blank"
    assert "does not fit" in origin
    text, origin = describe(book, 0, LINES["memory_bandwidth"])
    assert "2026" in origin


def test_money_is_shown_in_the_scenarios_currency(book: Book) -> None:
    assert book.currency == "USD"
    assert describe(book, 0, LINES["device_price_per_hour"])[0] == "Device price per hour = 2.5 $/h"
    book.edit([(0, "currency", "EUR")])
    assert book.currency == "¤"
    assert describe(book, 0, LINES["device_price_per_hour"])[0] == "Device price per hour = 2.5 EUR/h"
    assert "EUR" in describe(book, 0, LINES["self_host_cost_per_month"])[0]


def test_copied_cells_carry_full_precision(book: Book) -> None:
    assert raw_text(book, 0, LINES["requests_per_day"]) == "100000"
    assert float(raw_text(book, 0, LINES["tpot_s"])) == book.result(0, "tpot_s").value
    assert raw_text(book, 3, LINES["tpot_s"]) == ""
    assert raw_text(book, 0, LINES["flash_attention"]) == "yes"


def test_a_scenario_that_cannot_be_evaluated_says_why(book: Book) -> None:
    column = book.columns[1]
    broken = replace(column.scenario, values={**column.scenario.values, "model": "llama-9"})
    column.stored = replace(column.stored, scenario=broken)
    shown = show_cell(book, 1, LINES["tpot_s"])
    assert (shown.text, shown.tone) == ("#ERR", "problem")
    assert "llama-9" in describe(book, 1, LINES["tpot_s"])[1]
    assert show_cell(book, 1, LINES["memory_bandwidth"]).text == "—"
    assert show_cell(book, 1, LINES["memory_bandwidth"], "percent").tone == "problem"
