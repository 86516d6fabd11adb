from planner.tui.choices import Choices, Option

NAMES = ("h100-sxm-80gb", "h200-sxm-141gb", "a100-sxm-80gb", "gh200-96gb", "toy-gpu")
OPTIONS = [Option(name, f"about {name[:4]}") for name in NAMES]


def shown(query: str) -> list[str]:
    choices = Choices(OPTIONS)
    choices.narrow(query)
    return [option.text for option in choices.shown]


def test_what_matches_best_comes_first() -> None:
    assert shown("h2") == ["h200-sxm-141gb", "gh200-96gb"]
    assert shown("80gb") == ["h100-sxm-80gb", "a100-sxm-80gb"]
    assert shown("sxm 141") == ["h200-sxm-141gb"]
    assert shown("toy-gpu")[0] == "toy-gpu"
    assert shown("ABOUT toy") == ["toy-gpu"]
    assert shown("nothing") == []
    assert shown("  ") == list(NAMES)


def test_the_current_one_is_highlighted_and_an_unknown_one_is_not() -> None:
    assert Choices(OPTIONS, current="toy-gpu").current == OPTIONS[-1]
    assert Choices(OPTIONS, current="./device.toml").current is None
    assert Choices([]).current is None


def test_moving_comes_round_by_steps_and_stops_by_pages() -> None:
    choices = Choices(OPTIONS)
    choices.move(-1)
    assert choices.index == 4
    choices.move(1)
    assert choices.index == 0
    choices.move(8)
    assert choices.index == 4
    choices.move(-8)
    assert choices.index == 0


def test_the_window_follows_the_highlight() -> None:
    choices = Choices(OPTIONS)
    assert choices.window(3) == (0, OPTIONS[:3])
    choices.move(-1)
    assert choices.window(3) == (2, OPTIONS[2:])
    assert choices.window(99) == (0, OPTIONS)
