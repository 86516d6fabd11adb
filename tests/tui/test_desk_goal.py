"""Goal seek from the keyboard, on a real library."""

from collections.abc import Callable

import pytest

from planner.tui.desk import Desk
from planner.tui.prompts.goal import ByChangingPrompt, GoalPrompt, SetGoalPrompt
from planner.tui.prompts.prompt import Prompt

Keys = Callable[..., None]


def asked(desk: Desk) -> Prompt | None:
    return desk.prompt


def test_a_result_is_brought_to_a_value_as_one_action(desk: Desk, keys: Keys) -> None:
    desk.go_to("tpot_s", 1)
    revision = desk.book.library.last_revision()
    before = desk.book.value(1, "requests_per_day")
    keys("f8")
    first = asked(desk)
    assert isinstance(first, GoalPrompt)
    assert first.title == "TPOT should be (ms)"
    keys("=16", "enter")
    assert isinstance(asked(desk), ByChangingPrompt)
    keys("=requests per day", "enter")
    assert isinstance(asked(desk), SetGoalPrompt)
    assert "gives TPOT" in desk.message.text
    assert desk.book.library.last_revision() == revision
    keys("enter")
    assert asked(desk) is None
    assert "TPOT is" in desk.message.text
    reached = desk.book.result(1, "tpot_s").value
    assert isinstance(reached, float)
    assert reached == pytest.approx(0.016, rel=1e-3)
    assert reached <= 0.016
    assert desk.book.library.last_revision() == revision + 1
    keys("ctrl+z")
    assert desk.book.value(1, "requests_per_day") == before


def test_what_is_no_numeric_result_has_no_goal(desk: Desk, keys: Keys) -> None:
    for name in ("prompt_tokens", "serving_limit", "verdict"):
        desk.go_to(name)
        keys("f8")
        assert asked(desk) is None
        assert "F8" in desk.message.text


def test_refusals_are_sentences_and_the_question_stays(desk: Desk, keys: Keys) -> None:
    desk.go_to("tpot_s")
    revision = desk.book.library.last_revision()
    keys("f8", "=soon", "enter")
    assert "must be a number" in desk.message.text
    keys("ctrl+u", "=0.001", "enter", "=prompt tokens", "enter")
    assert isinstance(asked(desk), ByChangingPrompt)
    assert "the nearest is" in desk.message.text
    keys("ctrl+u", "=device price", "enter")
    assert "rests on nothing called" in desk.message.text
    keys("escape")
    assert asked(desk) is None
    assert desk.book.library.last_revision() == revision
