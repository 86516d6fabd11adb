"""The kinds of price entries and the documents that hold them."""

from __future__ import annotations

from typing import Any

from catalog.price_entries import (
    ApiPrices,
    Commitment,
    DevicePrices,
    Electricity,
    Ownership,
    PriceRatio,
    Pue,
    ServerPower,
)
from catalog.schema import Kind

DEVICE_PRICES = Kind("device_prices", DevicePrices, "device_prices", "device price list")
API_PRICES = Kind("api_prices", ApiPrices, "api_prices", "API price list")
PRICE_RATIO = Kind("price_ratio", PriceRatio, "api_prices", "price ratio")
COMMITMENT = Kind("commitment", Commitment, "commitments", "commitment")
PUE = Kind("pue", Pue, "energy", "PUE")
ELECTRICITY = Kind("electricity", Electricity, "energy", "electricity price")
SERVER_POWER = Kind("server", ServerPower, "energy", "server power")
OWNERSHIP = Kind("ownership", Ownership, "energy", "ownership cost")

PRICE_KINDS: tuple[Kind[Any], ...] = (
    DEVICE_PRICES,
    API_PRICES,
    PRICE_RATIO,
    COMMITMENT,
    PUE,
    ELECTRICITY,
    SERVER_POWER,
    OWNERSHIP,
)
