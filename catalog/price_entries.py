"""The kinds of price entries: dated snapshots of device hours and tokens, commitments, energy and ownership.

A snapshot is what one source said at one date. It is added to the catalogue and never overwritten: a newer figure is
a newer snapshot. All money is in US dollars unless ``currency`` says otherwise.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated

from annotated_types import Interval

from catalog.schema import Count, Entry, Note, Other, Positive, Price, Share, Strict, Text

MARKETS = ("on_demand", "spot", "reserved", "community", "average", "market", "list")
"""Kinds of device-hour prices: ``average`` over a seller's variants, ``market`` an auction, ``list`` a tool's table."""
PLANS = ("on_demand", "spot", "1_year", "3_years")


@dataclass(frozen=True, slots=True, kw_only=True)
class DevicePrice(Strict):
    """Price of one device for one hour; ``usd_h`` is the cheapest region's, with the spread over regions beside it."""

    device: Text
    sku: Text = "—"
    devices: Positive = 1
    market: Text = "on_demand"
    usd_h: Price
    region: Text | None = None
    median_usd_h: Price | None = None
    max_usd_h: Price | None = None
    regions: Positive = 1
    note: Note = ""

    def __post_init__(self) -> None:
        if self.market not in MARKETS:
            raise ValueError(f"market = {self.market[:40]!r} is not one of {', '.join(MARKETS)}")


@dataclass(frozen=True, slots=True, kw_only=True)
class DevicePrices(Entry):
    """Device-hour prices of one seller as one source gave them at one date."""

    seller: Text
    currency: Text = "USD"
    rows: tuple[DevicePrice, ...]

    def __post_init__(self) -> None:
        super(DevicePrices, self).__post_init__()
        if self.date is None:
            raise ValueError("a price snapshot needs a date")


@dataclass(frozen=True, slots=True, kw_only=True)
class Tier(Strict):
    """Prices per million tokens of a call whose whole prompt is longer than ``above`` tokens."""

    above: Positive
    input: Price
    output: Price | None = None
    cached: Price | None = None
    cache_write: Price | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenPrice(Strict):
    """Prices per million tokens of one model at one provider; absent: not sold, which is not free."""

    provider: Text
    model: Text
    input: Price
    output: Price
    cached: Price | None = None
    cache_write: Price | None = None
    batch_input: Price | None = None
    batch_output: Price | None = None
    tier: Tier | None = None
    context: Count | None = None
    checked: Text | None = None
    others: tuple[Other, ...] = ()
    note: Note = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ApiPrices(Entry):
    """Token prices as one source gave them at one date."""

    currency: Text = "USD"
    rows: tuple[TokenPrice, ...]

    def __post_init__(self) -> None:
        super(ApiPrices, self).__post_init__()
        if self.date is None:
            raise ValueError("a price snapshot needs a date")


@dataclass(frozen=True, slots=True, kw_only=True)
class Discount(Strict):
    """Discount on the price on demand for a commitment; ``device`` where it holds for that device alone."""

    plan: Text
    payment: Text | None = None
    discount: Share
    device: Text | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Commitment(Entry):
    """Discounts of one seller for commitments, as one source gave them at one date."""

    seller: Text
    scope: Text
    discounts: tuple[Discount, ...]

    def __post_init__(self) -> None:
        super(Commitment, self).__post_init__()
        if self.date is None:
            raise ValueError("a price snapshot needs a date")


@dataclass(frozen=True, slots=True, kw_only=True)
class Pue(Entry):
    """Power usage effectiveness: power of the site over power of its servers."""

    value: Annotated[float, Interval(ge=1, le=5)]
    high: Annotated[float, Interval(ge=1, le=5)] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Electricity(Entry):
    """Price of a kilowatt-hour; ``by_place`` and ``by_month`` where the source splits it."""

    usd_kwh: Annotated[float, Interval(ge=0, le=10)] | None = None
    low: Annotated[float, Interval(ge=0, le=10)] | None = None
    high: Annotated[float, Interval(ge=0, le=10)] | None = None
    by_place: dict[str, Price] = field(default_factory=dict)
    by_month: dict[str, Price] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerPower(Entry):
    """Power of a server or rack in watts: name plate or measured, and what is not its accelerators'.

    A measured run names its workload and, where tokens were counted, the joules each took.
    """

    device: Text | None = None
    devices: Positive
    measured: bool = False
    max_w: Price | None = None
    steady_w: Price | None = None
    idle_w: Price | None = None
    device_w: Price | None = None
    other_w: Price | None = None
    workload: Text | None = None
    joules_per_token: Price | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Ownership(Entry):
    """Cost of ownership in dollars per device and hour, or provisioned kilowatts per device, by device."""

    unit: Text
    by_device: dict[str, Price]


@dataclass(frozen=True, slots=True, kw_only=True)
class PriceRatio(Entry):
    """How a ratio of token prices is spread over a population: quantiles and how often it is 1."""

    count: Positive
    p10: Price
    lower_quartile: Price
    median: Price
    upper_quartile: Price
    p90: Price
    mean: Price
    share_of_one: Share
