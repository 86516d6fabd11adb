"""The lists that prices are picked from."""

import pytest

from catalog import load_catalog
from catalog.book import ACCELERATOR
from catalog.errors import UnknownNameError
from catalog.picking import api_picks, device_picks
from catalog.price_entries import PLANS
from catalog.prices import pick_device_price, pick_token_price, sellers, token_offers
from planner.model.inputs import INPUTS

CATALOG = load_catalog()


def test_every_seller_and_plan_of_a_device_by_plan_and_price() -> None:
    found = device_picks(CATALOG, "h100-sxm-80gb")
    assert {one.seller for one in found} <= set(sellers(CATALOG, "h100-sxm-80gb"))
    assert len({one.seller for one in found}) > 15
    places = [(PLANS.index(one.plan), one.paid_per_hour) for one in found]
    assert places == sorted(places)
    for one in found:
        assert one.pick == pick_device_price(CATALOG, "h100-sxm-80gb", one.seller, one.plan)
    spot = next(one for one in found if (one.seller, one.plan) == ("aws", "spot"))
    assert spot.paid_per_hour == pytest.approx(1.28, abs=0.001)


def test_what_is_picked_fits_the_inputs() -> None:
    for device in CATALOG.ids(ACCELERATOR):
        for one in device_picks(CATALOG, device):
            for name, value in one.pick.values.items():
                INPUTS[name].check(value)
    for api in api_picks(CATALOG, "llama-3.3-70b"):
        for name, value in api.pick.values.items():
            INPUTS[name].check(value)


def test_a_device_without_prices_has_an_empty_list_and_an_unknown_one_is_named() -> None:
    assert device_picks(CATALOG, "toy-gpu") == ()
    with pytest.raises(UnknownNameError, match="nowhere-1"):
        device_picks(CATALOG, "nowhere-1")


@pytest.mark.parametrize(
    ("model", "same"),
    [
        (
            "llama-3.3-70b",
            {
                "groq/llama-3.3-70b-versatile",
                "cerebras/llama-3.3-70b",
                "together/meta-llama/Llama-3.3-70B-Instruct-Turbo",
            },
        ),
        ("meta-llama/Llama-3.3-70B-Instruct", None),
        ("gpt-oss-120b", {"fireworks/gpt-oss-120b", "groq/openai/gpt-oss-120b", "cerebras/gpt-oss-120b"}),
        ("deepseek-v3.2", {"deepseek/deepseek-v3.2"}),
        ("toy-7b", set()),
        ("generic-70b", set()),
        ("kimi-k2", set()),
    ],
)
def test_apis_of_the_same_model_come_first(model: str, same: set[str] | None) -> None:
    found = api_picks(CATALOG, model)
    assert len(found) == len(token_offers(CATALOG))
    first = [one.offer.name for one in found if one.same]
    if same is None:
        assert first == [one.offer.name for one in api_picks(CATALOG, "llama-3.3-70b") if one.same]
    else:
        assert set(first) == same
    assert [one.offer.name for one in found[: len(first)]] == first
    assert found[0].pick == pick_token_price(CATALOG, found[0].offer.name)
