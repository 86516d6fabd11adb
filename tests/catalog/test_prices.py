"""Picking device hours and token prices from dated snapshots."""

from __future__ import annotations

from typing import Any

import pytest

from catalog import Catalog, load_catalog
from catalog.errors import CatalogError, UnknownNameError
from catalog.price_book import COMMITMENT, DEVICE_PRICES
from catalog.price_entries import PLANS, TokenPrice
from catalog.prices import offers, pick_device_price, pick_token_price, sellers, token_offers, token_values
from planner.model.inputs import INPUTS
from tests.catalog.test_book import layer

CATALOG = load_catalog()


def snapshot(date: str, *rows: dict[str, Any], seller: str = "acme") -> tuple[str, dict[str, Any]]:
    """A snapshot of device prices of an own seller."""
    return "device_prices", {
        "id": f"{seller}-{date}", "name": f"{seller} {date}", "seller": seller, "date": date,
        "sources": [f"price list of {date}"], "rows": list(rows),
    }  # fmt: skip


def row(usd_h: float, market: str = "on_demand", device: str = "l40s", **more: Any) -> dict[str, Any]:
    """One price of one device."""
    return {"device": device, "usd_h": usd_h, "market": market, **more}


BOOK: Catalog = load_catalog(
    [
        layer(
            snapshot("2026-09-01", row(2.0), row(1.0, "spot"), row(1.5, "reserved")),
            snapshot("2026-12-01", row(1.8), row(1.9, sku="large"), row(0.9, "spot")),
            snapshot("2026-12-02", row(3.0, "community"), seller="other"),
            (
                "commitment",
                {
                    "id": "acme-2026-10-01", "name": "acme", "seller": "acme", "date": "2026-10-01",
                    "scope": "all devices",
                    "discounts": [
                        {"plan": "3_years", "payment": "all upfront", "discount": 0.6},
                        {"plan": "3_years", "payment": "no upfront", "discount": 0.5},
                        {"plan": "3_years", "discount": 0.4, "device": "h100-sxm-80gb"},
                    ],
                },
            ),
        )
    ]
)  # fmt: skip


def test_the_newest_and_cheapest_price_of_a_seller() -> None:
    pick = pick_device_price(BOOK, "L40S", "ACME")
    assert pick.values == {
        "device_price_per_hour": 1.8,
        "price_plan": "on_demand",
        "plan_price_ratio": 1.0,
        "currency": "USD",
    }
    assert pick.date == "2026-12-01"
    assert pick.source == "mine: price list of 2026-12-01"


def test_an_earlier_day_leaves_later_snapshots_out() -> None:
    pick = pick_device_price(BOOK, "l40s", "acme", on="2026-10-31")
    assert (pick.values["device_price_per_hour"], pick.date) == (2.0, "2026-09-01")
    with pytest.raises(UnknownNameError, match="'acme' has no price"):
        pick_device_price(BOOK, "l40s", "acme", on="2026-08-01")


def test_a_plan_is_a_ratio_to_the_price_on_demand() -> None:
    assert pick_device_price(BOOK, "l40s", "acme", "spot").values["plan_price_ratio"] == 0.5
    three = pick_device_price(BOOK, "l40s", "acme", "3_years")
    assert three.values["plan_price_ratio"] == 0.5
    assert "discount of 50.0% of 2026-10-01" in three.doubts
    one = pick_device_price(BOOK, "l40s", "acme", "1_year")
    assert one.values["plan_price_ratio"] == pytest.approx(1.5 / 1.8, abs=1e-6)
    assert "the reserved price states no term" in one.doubts


def test_what_a_seller_does_not_offer_is_refused_by_name() -> None:
    with pytest.raises(CatalogError, match="No spot price of other for l40s"):
        pick_device_price(BOOK, "l40s", "other", "spot")
    with pytest.raises(UnknownNameError, match="Seller 'akme' has no price for l40s; nearest: acme"):
        pick_device_price(BOOK, "l40s", "akme")
    with pytest.raises(CatalogError, match="'hourly' is not one of on_demand, spot, 1_year, 3_years"):
        pick_device_price(BOOK, "l40s", "acme", "hourly")
    with pytest.raises(UnknownNameError, match="'l4000' is not in the catalogue"):
        pick_device_price(BOOK, "l4000", "acme")
    with pytest.raises(CatalogError, match="No price of toy-gpu is in the catalogue"):
        pick_device_price(BOOK, "toy-gpu", "acme")


def test_another_market_in_the_place_of_one_on_demand_is_a_doubt() -> None:
    pick = pick_device_price(BOOK, "l40s", "other")
    assert pick.values["device_price_per_hour"] == 3.0
    assert "community price in the place of one on demand" in pick.doubts


def test_shipped_prices_of_a_device() -> None:
    assert {"aws", "azure", "gcp", "lambda", "nebius", "runpod"} <= set(sellers(CATALOG, "H100"))
    pick = pick_device_price(CATALOG, "h100", "aws", "3_years")
    assert pick.values["device_price_per_hour"] == 6.88
    assert pick.values["plan_price_ratio"] == 0.52
    assert "not stated for accelerators" in pick.doubts
    unsure = pick_device_price(CATALOG, "h100", "coreweave")
    assert "the source does not say which variant of the device this is" in unsure.doubts


def test_every_shipped_price_can_be_picked_and_entered() -> None:
    devices = {row.device for found in CATALOG.all(DEVICE_PRICES) for row in found.entry.rows}
    picked = 0
    for device in devices - {"h100-unspecified", "v100-pcie-16gb"}:
        for seller in sellers(CATALOG, device):
            for plan in PLANS:
                try:
                    values = pick_device_price(CATALOG, device, seller, plan).values
                except CatalogError as error:
                    # What is not sold is said so; a seller without any price on demand too.
                    known = "is in the catalogue" in str(error) or "has no price on demand" in str(error)
                    assert known, error  # noqa: PT017 - many outcomes, one by one
                    continue
                picked += 1
                for name, value in values.items():
                    INPUTS[name].check(value)
    assert picked > 100


def test_offers_are_newest_first() -> None:
    dates = [one.date for one in offers(CATALOG, "h100-sxm-80gb") if len(one.date) == 10]
    assert dates == sorted(dates, reverse=True)


def test_commitments_are_dated() -> None:
    assert all(found.entry.date for found in CATALOG.all(COMMITMENT))


def test_token_prices_as_values_of_inputs() -> None:
    pick = pick_token_price(CATALOG, "openai/gpt-5.4")
    assert pick.values["input_price_per_million"] == 2.5
    assert pick.values["output_price_ratio"] == 6
    assert pick.values["cached_price_ratio"] == 0.1
    assert pick.values["batch_price_ratio"] == 0.5
    assert pick.values["long_context_threshold_tokens"] == 272_000
    assert pick.values["long_context_input_ratio"] == 2
    assert pick.values["long_context_output_ratio"] == 4.5
    assert pick.date == "2026-11-29"


def test_every_token_price_can_be_entered() -> None:
    for offer in token_offers(CATALOG):
        for name, value in token_values(offer.price).items():
            INPUTS[name].check(value)


def test_what_is_not_sold_costs_the_ordinary_price() -> None:
    values = token_values(TokenPrice(provider="p", model="m", input=2.0, output=8.0))
    assert values["cached_price_ratio"] == values["cache_write_price_ratio"] == values["batch_price_ratio"] == 1
    assert values["long_context_threshold_tokens"] is None


def test_a_free_input_leaves_no_ratio() -> None:
    assert token_values(TokenPrice(provider="p", model="m", input=0.0, output=8.0))["output_price_ratio"] is None


def test_two_sellers_of_one_model_must_be_told_apart() -> None:
    with pytest.raises(UnknownNameError, match=r"say which: .*fireworks/gpt-oss-120b"):
        pick_token_price(CATALOG, "gpt-oss-120b")
    with pytest.raises(UnknownNameError, match=r"nearest: .*openai/gpt-5\.4"):
        pick_token_price(CATALOG, "openai/gpt5.4")


def test_disagreement_of_sources_is_a_doubt() -> None:
    doubts = pick_token_price(CATALOG, "mistral/mistral-nemo").doubts
    assert any("litellm gives input 0.3" in one for one in doubts)
