import pytest

from planner.tui.text import fit, folded, one_line, shorten, shorter_label, width, wrapped


@pytest.mark.parametrize(
    ("text", "cells", "align", "shown"),
    [
        ("abc", 5, "left", "abc  "),
        ("abc", 5, "right", "  abc"),
        ("abc", 6, "middle", " abc  "),
        ("abcdef", 4, "left", "abc…"),
        ("日本語", 4, "left", "日… "),
        ("日本語", 6, "right", "日本語"),
        ("abc", 1, "left", "…"),
        ("abc", 0, "left", ""),
    ],
)
def test_fit_measures_in_cells(text: str, cells: int, align: str, shown: str) -> None:
    assert fit(text, cells, align) == shown  # type: ignore[arg-type]
    assert width(fit(text, cells, align)) == cells  # type: ignore[arg-type]


def test_shorten_in_the_middle_keeps_both_ends() -> None:
    assert shorten("h100-sxm-80gb", 11, middle=True) == "h100-…-80gb"
    assert shorten("short", 11, middle=True) == "short"
    assert width(shorten("名前の長いシナリオ", 10, middle=True)) <= 10


def test_labels_are_cut_by_words_before_they_are_cut_off() -> None:
    assert shorter_label("Self-hosted cost per month", 25) == "Self-hosted cost/month"
    assert shorter_label("Self-hosted cost per million output tokens", 25) == "Self-host cost/M out tok"
    assert shorter_label("Self-hosted cost per month", 20, "$/mo") == "Self-hosted cost"
    assert shorter_label("Self-hosted cost per month", 26, "$/mo") == "Self-hosted cost per month"
    assert shorter_label("Self-hosted cost per million output tokens", 18) == "Self-host/M out"
    assert shorter_label("Peak factor", 25) == "Peak factor"
    assert shorter_label("Attention data parallel degree", 12) == "Attention d…"


def test_control_and_bidirectional_characters_never_pass() -> None:
    shown = one_line("a\x1b]52;c;eA==\x07\u202eb\nc\x9b31m")
    assert "\x1b" not in shown
    assert "\x07" not in shown
    assert "\u202e" not in shown
    assert "\x9b" not in shown
    assert shown.isprintable()


@pytest.mark.parametrize("cells", [1, 2, 3, 7, 20])
def test_wrapped_lines_fit_and_lose_nothing(cells: int) -> None:
    text = "the quick 日本語の brown-fox_jumps_over the lazy dog"
    lines = wrapped(text, cells)
    if cells > 1:
        assert all(width(line) <= cells for line in lines)
    assert "".join(lines).replace(" ", "") == text.replace(" ", "")


def test_a_name_goes_on_on_the_second_line() -> None:
    assert folded("70B fp8, 2 x H100", 11, 2) == ["70B fp8,", "2 x H100"]
    assert folded("Toy 7B", 11, 2) == ["Toy 7B", ""]
    assert folded("Toy 7B", 11, 1) == ["Toy 7B"]
    assert folded("Llama 3.3 70B, 2 x H100", 11, 2) == ["Llama 3.3", "70B,… H100"]
    assert folded("x" * 30, 11, 2) == ["x" * 11, "xxxxx…xxxxx"]
    assert all(width(line) <= 11 for line in folded("日本語の名前はとても長いです", 11, 2))
