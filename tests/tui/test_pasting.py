"""What is pasted is told from what is typed, whatever it holds and wherever the terminal cuts it."""

import itertools
import time

from hypothesis import given
from hypothesis import strategies as st

from planner.tui.pasting import END, MOST, START, PasteSplitter
from planner.tui.terminal import MOST_COLUMNS, MOST_LINES, bounded_size


def fed(*chunks: str) -> list[tuple[bool, str]]:
    splitter = PasteSplitter()
    return [piece for chunk in chunks for piece in splitter.feed(chunk)]


def test_keys_and_pastes_come_in_their_order() -> None:
    assert fed(f"12{START}a\tb{END}\r") == [(False, "12"), (True, "a\tb"), (False, "\r")]
    assert fed(f"{START}{END}") == [(True, "")]
    assert fed("\x1b", "[A") == [(False, "\x1b"), (False, "[A")]
    assert fed("") == []


def test_escape_sequences_in_a_paste_are_text() -> None:
    assert fed(f"{START}\x1b[31m1\x1b[A\x1b[200~{END}") == [(True, "\x1b[31m1\x1b[A\x1b[200~")]


@given(st.lists(st.sampled_from(["1", "\x1b", "[", "\x1b[20", "\x1b[201", "x"]), max_size=12),
       st.lists(st.integers(0, 60), max_size=6))  # fmt: skip
def test_a_paste_is_whole_wherever_it_is_cut(parts: list[str], cuts: list[int]) -> None:
    pasted = "".join(parts)
    text = f"{pasted}{END}2"
    places = sorted({min(cut, len(text)) for cut in cuts} | {0, len(text)})
    chunks = [text[first:last] for first, last in itertools.pairwise(places)]
    assert fed(START, *chunks) == [(True, pasted), (False, "2")] or END in pasted


def test_a_paste_is_bounded() -> None:
    pieces = fed(START, *["x" * 1_000_000] * 12, END + "1")
    assert [(is_paste, len(text)) for is_paste, text in pieces] == [(True, MOST), (False, 1)]


def test_escape_sequences_cost_no_more_than_letters() -> None:
    def seconds(text: str) -> float:
        times = []
        for _ in range(5):
            start = time.perf_counter()
            fed(START, *[text[place : place + 4096] for place in range(0, len(text), 4096)], END)
            times.append(time.perf_counter() - start)
        return min(times)

    letters = seconds("x" * 400_000)
    assert seconds("\x1b[31m" * 80_000) < 10 * letters
    assert seconds("x" * 1_600_000) < 20 * letters


def test_a_terminal_of_a_size_that_none_has_is_painted_in_part() -> None:
    assert bounded_size(80, 24) == (80, 24)
    assert bounded_size(65535, 65535) == (MOST_COLUMNS, MOST_LINES)
    assert bounded_size(65535, 1) == (MOST_COLUMNS, 1)
