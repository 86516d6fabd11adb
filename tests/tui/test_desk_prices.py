"""Picking a seller or an API fills all its prices in one step; a number is still a number."""

from collections.abc import Callable
from pathlib import Path

import pytest

from catalog import Catalog, load_catalog
from catalog.picking import api_picks, device_picks
from planner.tui.desk import Desk
from planner.tui.prompts.cell import CellPrompt
from planner.tui.prompts.price import PricePrompt

Keys = Callable[..., None]


def values(desk: Desk, *names: str, place: int = 0) -> list[object]:
    return [desk.book.value(place, name) for name in names]


def closed(desk: Desk) -> bool:
    return desk.prompt is None


DEVICE = ("device_price_per_hour", "price_plan", "plan_price_ratio")
API = ("input_price_per_million", "output_price_ratio", "cached_price_ratio", "batch_price_ratio")


@pytest.mark.parametrize("key", ["enter", "alt+down"])
def test_a_seller_fills_price_and_plan_as_one_action(desk: Desk, keys: Keys, catalog: Catalog, key: str) -> None:
    wanted = next(one for one in device_picks(catalog, "h100-sxm-80gb") if (one.seller, one.plan) == ("aws", "1_year"))
    before = values(desk, *DEVICE)
    revision = desk.book.library.last_revision()
    desk.go_to("device_price_per_hour")
    keys(key)
    assert isinstance(desk.prompt, PricePrompt)
    assert "in one step" in desk.message.text
    keys("=aws 1_year", "enter")
    assert closed(desk)
    assert values(desk, *DEVICE) == [6.88, "1_year", 0.68]
    assert "aws 1 year of 2026-11-09" in desk.message.text
    assert "6.88" in desk.message.text
    assert "not stated for accelerators" in desk.message.text
    last = desk.book.library.history(limit=1)[0]
    assert last.id == revision + 1
    assert wanted.pick.source in last.why
    keys("ctrl+z")
    assert values(desk, *DEVICE) == before


def test_the_list_is_that_of_the_scenarios_own_device(desk: Desk, keys: Keys, catalog: Catalog) -> None:
    desk.go_to("device_price_per_hour", 2)
    keys("enter", "down", "down", "enter")
    first = device_picks(catalog, "h200-sxm-141gb")[0]
    assert values(desk, *DEVICE, place=2) == [
        first.pick.values["device_price_per_hour"], "on_demand", first.pick.values["plan_price_ratio"],
    ]  # fmt: skip
    assert values(desk, "device_price_per_hour", place=0) == [2.5]


@pytest.mark.parametrize("typed", ["3.25", "3.25 "])
def test_a_number_typed_over_the_list_is_the_price(desk: Desk, keys: Keys, typed: str) -> None:
    desk.go_to("device_price_per_hour")
    keys("enter", f"={typed}", "enter")
    assert values(desk, *DEVICE) == [3.25, "on_demand", 1.0]
    assert desk.item.name != "device_price_per_hour"


def test_a_number_typed_on_the_cell_needs_no_list(desk: Desk, keys: Keys) -> None:
    desk.go_to("device_price_per_hour")
    keys("3")
    assert isinstance(desk.prompt, CellPrompt)
    assert not isinstance(desk.prompt, PricePrompt)
    keys("right")
    assert values(desk, "device_price_per_hour") == [3.0]


def test_a_word_typed_on_the_cell_looks_for_a_seller(desk: Desk, keys: Keys) -> None:
    desk.go_to("device_price_per_hour")
    keys("=runpod", "enter")
    assert values(desk, *DEVICE) == [3.99, "on_demand", 1.0]


def test_enter_twice_or_escape_leaves_the_price(desk: Desk, keys: Keys) -> None:
    revision = desk.book.library.last_revision()
    desk.go_to("device_price_per_hour")
    keys("enter", "enter")
    desk.go_to("device_price_per_hour")
    keys("enter", "down", "down", "down", "escape")
    assert values(desk, *DEVICE) == [2.5, "on_demand", 1.0]
    assert desk.book.library.last_revision() == revision


def test_what_is_neither_a_number_nor_a_seller_is_refused(desk: Desk, keys: Keys) -> None:
    desk.go_to("device_price_per_hour")
    keys("enter", "=nobody at all", "enter")
    assert desk.message.error
    assert values(desk, *DEVICE) == [2.5, "on_demand", 1.0]
    keys("escape")
    desk.go_to("device_price_per_hour")
    keys("enter", "=-5", "enter")
    assert desk.message.error
    assert "0 to 100,000" in desk.message.text
    keys("escape")


def test_a_plan_alone_or_with_its_price(desk: Desk, keys: Keys) -> None:
    desk.go_to("price_plan")
    keys("enter", "=spot", "enter")
    assert values(desk, *DEVICE) == [2.5, "spot", 1.0]
    desk.go_to("price_plan")
    keys("enter", "=gcp spot", "enter")
    assert values(desk, *DEVICE) == [10.9791, "spot", 0.598501]


def test_an_api_fills_all_token_prices_with_the_same_model_first(desk: Desk, keys: Keys, catalog: Catalog) -> None:
    first = api_picks(catalog, "llama-3.3-70b")[0]
    assert first.same
    desk.go_to("input_price_per_million")
    keys("enter")
    assert isinstance(desk.prompt, PricePrompt)
    assert desk.prompt.choices is not None
    option = desk.prompt.choices.options[1]
    assert option.text == first.offer.name
    assert option.detail.startswith("this model: ")
    keys("down", "down", "enter")
    assert values(desk, *API) == [first.pick.values[name] for name in API]
    assert first.offer.name in desk.message.text
    keys("ctrl+z")
    assert values(desk, *API)[:2] == [0.6, 4.0]
    desk.go_to("input_price_per_million")
    keys("enter", "=anthropic/claude-haiku-4-5", "enter")
    assert "anthropic/claude-haiku-4-5" in desk.message.text
    assert values(desk, "input_price_per_million") == [1.0]


def test_a_device_without_prices_is_edited_as_any_cell(desk: Desk, keys: Keys) -> None:
    desk.go_to("accelerator")
    keys("=toy-gpu", "enter")
    desk.go_to("device_price_per_hour")
    keys("enter")
    assert not isinstance(desk.prompt, PricePrompt)
    keys("ctrl+u", "=4", "enter")
    assert values(desk, "device_price_per_hour") == [4.0]


def test_a_click_on_a_seller_picks_it(desk: Desk, keys: Keys) -> None:
    desk.go_to("device_price_per_hour")
    keys("enter")
    assert desk.prompt is not None
    desk.prompt.click(desk, 1)
    assert closed(desk)
    assert values(desk, "device_price_per_hour") != [2.5]


def test_a_read_only_library_opens_no_list(desk: Desk, keys: Keys) -> None:
    desk.book.library.database.read_only_reason = "the file may not be written."
    desk.go_to("device_price_per_hour")
    keys("enter")
    assert closed(desk)
    assert desk.message.error


def test_every_price_of_the_list_can_be_picked(desk: Desk, keys: Keys, catalog: Catalog, tmp_path: Path) -> None:
    assert load_catalog() is catalog
    for name, number in (("device_price_per_hour", len(device_picks(catalog, "h100-sxm-80gb"))), (API[0], 12)):
        for place in range(number):
            desk.go_to(name)
            keys("enter")
            assert isinstance(desk.prompt, PricePrompt)
            desk.prompt.click(desk, place + 1)
            assert closed(desk), desk.message.text
            assert not desk.message.error
