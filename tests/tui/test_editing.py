from hypothesis import given
from hypothesis import strategies as st

from planner.tui.editing import MAX_LENGTH, Buffer


def typed(*keys: str, start: str = "", caret_mode: bool = True) -> Buffer:
    buffer = Buffer(start, caret_mode=caret_mode)
    for key in keys:
        if not buffer.press(key):
            buffer.insert(key)
    return buffer


def test_keys_act_in_the_order_in_which_they_come() -> None:
    assert typed("1", "2", "left", "3").text == "132"
    assert typed("a", "b", "backspace", "c").text == "ac"
    assert typed("home", "x", start="abc").text == "xabc"
    assert typed("home", "delete", start="abc").text == "bc"
    assert typed("left", "left", "ctrl+k", start="abcd").text == "ab"
    assert typed("left", "ctrl+u", start="abcd").text == "d"
    assert typed("ctrl+w", start="llama-3.3-70b").text == "llama-3.3-"
    assert typed("ctrl+w", start="one two ").text == "one "
    assert typed("ctrl+w", start="word").text == ""
    assert typed("ctrl+left", "x", start="one two").text == "one xtwo"
    assert typed("home", "ctrl+right", "x", start="one two").text == "one xtwo"


def test_the_first_character_replaces_what_was_marked() -> None:
    assert typed("5", start="").text == "5"
    buffer = Buffer("old", replace=True)
    buffer.insert("n")
    assert buffer.text == "n"
    buffer = Buffer("old", replace=True)
    buffer.press("backspace")
    assert buffer.text == ""
    buffer = Buffer("old", replace=True)
    buffer.press("home")
    buffer.insert("c")
    assert buffer.text == "cold"


def test_only_the_first_line_of_a_paste_is_taken() -> None:
    buffer = Buffer()
    buffer.insert("12\t3\r\n4")
    assert buffer.text == "12 3"
    buffer = Buffer()
    buffer.insert("\n5\x1b[31m\x00")
    assert buffer.text == "5[31m"


def test_the_buffer_is_bounded() -> None:
    buffer = Buffer()
    buffer.insert("x" * 1_000_000)
    buffer.insert("y")
    assert len(buffer.text) == MAX_LENGTH


@given(st.lists(st.sampled_from(["a", "日", " ", "backspace", "delete", "left", "right", "home", "end", "ctrl+w",
                                 "ctrl+u", "ctrl+k", "ctrl+left", "ctrl+right"]), max_size=40))  # fmt: skip
def test_the_caret_stays_in_the_text(keys: list[str]) -> None:
    buffer = typed(*keys)
    assert 0 <= buffer.caret <= len(buffer.text)
    assert buffer.text.isprintable()
