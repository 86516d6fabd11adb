"""Picking prices: a seller's device hour with its plan, and an API's token prices, as values of a scenario's inputs.

Prices come from dated snapshots; the newest one of a seller that holds the device is taken, or the newest not after a
given day. Nothing here changes a saved scenario: a caller shows the values and sets them where a person agrees.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from catalog.book import ACCELERATOR, Catalog, Found
from catalog.errors import CatalogError, UnknownNameError
from catalog.price_book import API_PRICES, COMMITMENT, DEVICE_PRICES
from catalog.price_entries import PLANS, Commitment, DevicePrice, DevicePrices, Discount, TokenPrice
from catalog.resolve import origin
from catalog.schema import key
from planner.model.fields import FieldValue, nearest, printable

_STAND_INS = ("on_demand", "average", "community", "market", "list")
"""Markets that may stand for a price on demand, best first."""
_UNSPECIFIED = {"h100-unspecified": ("h100-sxm-80gb", "h100-pcie-80gb", "h100-nvl-94gb")}
"""Prices of a device whose variant the source does not name, and the variants they may be of."""


@dataclass(frozen=True, slots=True)
class Offer:
    """One row of one snapshot: what a seller asked for one device and hour at a date."""

    seller: str
    date: str
    price: DevicePrice
    snapshot: Found[DevicePrices]
    other_device: bool = False
    """The source does not say which variant of the device this is."""


@dataclass(frozen=True, slots=True)
class Pick:
    """Values of inputs that a choice of price fills, with where they come from and what is weak about them."""

    values: dict[str, FieldValue]
    source: str
    date: str
    doubts: tuple[str, ...] = ()


def offers(catalog: Catalog, device: str, *, on: str | None = None) -> tuple[Offer, ...]:
    """All offers for a device, newest first; ``on`` (ISO date) leaves out later snapshots.

    Raises UnknownNameError when the device is neither in the catalogue nor named by any price.
    """
    wanted = catalog.find(ACCELERATOR, device).entry.id if catalog.has(ACCELERATOR, device) else key(device)
    found = [
        Offer(snapshot.entry.seller, snapshot.entry.date or "", row, snapshot, row.device != wanted)
        for snapshot in catalog.all(DEVICE_PRICES)
        for row in snapshot.entry.rows
        if row.device == wanted or wanted in _UNSPECIFIED.get(row.device, ())
    ]
    if not found and not catalog.has(ACCELERATOR, device):
        catalog.find(ACCELERATOR, device)
    if on is not None:
        found = [one for one in found if one.date <= on]
    return tuple(sorted(found, key=lambda one: (_full(one.date), -one.price.usd_h), reverse=True))


def sellers(catalog: Catalog, device: str, *, on: str | None = None) -> tuple[str, ...]:
    """Sellers that have a price for a device, by name."""
    return tuple(sorted({one.seller for one in offers(catalog, device, on=on)}))


def pick_device_price(
    catalog: Catalog, device: str, seller: str, plan: str = "on_demand", *, on: str | None = None
) -> Pick:
    """Price per hour on demand, the plan and its ratio to that price, from one seller's newest snapshots.

    Raises UnknownNameError for an unknown seller and CatalogError when the seller has no price for the plan.
    """
    if plan not in PLANS:
        raise CatalogError(f"Price plan '{printable(plan)[:40]}' is not one of {', '.join(PLANS)}.")
    mine = _of_seller(catalog, device, seller, on)
    base = _best(mine, _STAND_INS)
    if base is None:
        markets = ", ".join(sorted({one.price.market for one in mine}))
        raise CatalogError(f"{seller} has no price on demand for {device}, only {markets}.")
    doubts = _doubts(base)
    ratio = 1.0
    used = [base]
    if plan == "spot":
        spot = _best(mine, ("spot",))
        if spot is None:
            ratio, words = _committed(catalog, base.seller, base.price.device, plan, on)
            doubts += words
        else:
            ratio = _ratio(spot, base)
            doubts += _doubts(spot)
            used.append(spot)
    elif plan != "on_demand":
        ratio, words = _term(catalog, mine, base, plan, on)
        doubts += words
    source, date = _origins(catalog, used)
    values: dict[str, FieldValue] = {
        "device_price_per_hour": base.price.usd_h,
        "price_plan": plan,
        "plan_price_ratio": ratio,
        "currency": base.snapshot.entry.currency,
    }
    return Pick(values, source, date, tuple(dict.fromkeys(doubts)))


def _of_seller(catalog: Catalog, device: str, seller: str, on: str | None) -> list[Offer]:
    every = offers(catalog, device, on=on)
    mine = [one for one in every if key(one.seller) == key(seller)]
    if not mine:
        known = sorted({one.seller for one in every})
        if not known:
            raise CatalogError(f"No price of {printable(device)[:80]} is in the catalogue.")
        raise UnknownNameError(
            f"Seller '{printable(seller)[:60]}' has no price for {printable(device)[:80]}"
            f"{nearest(seller, known) or '; sellers: ' + ', '.join(known)}."
        )
    return mine


def _best(mine: Iterable[Offer], markets: tuple[str, ...]) -> Offer | None:
    """The newest offer of the best market there is, the cheapest of that day; one that names the variant first."""
    for market in markets:
        found = [one for one in mine if one.price.market == market]
        if found:
            sure = [one for one in found if not one.other_device] or found
            newest = max(_full(one.date) for one in sure)
            return min((one for one in sure if _full(one.date) == newest), key=lambda one: one.price.usd_h)
    return None


def _ratio(offer: Offer, base: Offer) -> float:
    if base.price.usd_h == 0:
        raise CatalogError(f"{base.seller} lists a price of 0 on demand, which no ratio can be taken to.")
    return round(offer.price.usd_h / base.price.usd_h, 6)


def _term(catalog: Catalog, mine: list[Offer], base: Offer, plan: str, on: str | None) -> tuple[float, tuple[str, ...]]:
    """Ratio of a plan with a term: a stated discount, else a reserved price whose term is not stated."""
    try:
        return _committed(catalog, base.seller, base.price.device, plan, on)
    except CatalogError:
        reserved = _best(mine, ("reserved",))
        if reserved is None or plan != "1_year":
            raise
        return _ratio(reserved, base), ("the reserved price states no term", *_doubts(reserved))


def _committed(catalog: Catalog, seller: str, device: str, plan: str, on: str | None) -> tuple[float, tuple[str, ...]]:
    """Ratio from the seller's newest discounts: one for the device before one for all, no upfront payment first."""
    best: tuple[tuple[bool, str, bool], Discount, Found[Commitment]] | None = None
    for found in catalog.all(COMMITMENT):
        entry = found.entry
        if key(entry.seller) != key(seller) or (on is not None and (entry.date or "") > on):
            continue
        for one in entry.discounts:
            wanted = one.plan == plan or (one.plan == "reserved" and plan == "1_year")
            if not wanted or (one.device is not None and one.device != device):
                continue
            rank = (one.device is not None, _full(entry.date or ""), one.payment in (None, "no upfront"))
            if best is None or rank > best[0]:
                best = (rank, one, found)
    if best is None:
        raise CatalogError(f"No {plan} price of {seller} for {device} is in the catalogue.")
    _, discount, found = best
    doubts = [found.entry.doubt("discounts")] if discount.device is None else []
    if discount.plan == "reserved":
        doubts.append("the reserved price states no term")
    if discount.payment not in (None, "no upfront"):
        doubts.append(f"paid {discount.payment}")
    doubts.append(f"discount of {discount.discount:.1%} of {found.entry.date}")
    return round(1 - discount.discount, 6), tuple(one for one in doubts if one)


def _doubts(offer: Offer) -> tuple[str, ...]:
    price, entry = offer.price, offer.snapshot.entry
    words = [entry.doubt("rows")]
    if offer.other_device:
        words.append("the source does not say which variant of the device this is")
    if price.market not in ("on_demand", "spot", "reserved"):
        words.append(f"{price.market} price in the place of one on demand")
    if price.regions > 1 and price.max_usd_h is not None:
        words.append(f"cheapest of {price.regions} regions ({price.region}); up to {price.max_usd_h:g} elsewhere")
    if price.note:
        words.append(price.note)
    return tuple(word for word in words if word)


def _origins(catalog: Catalog, used: Iterable[Offer]) -> tuple[str, str]:
    made = [origin(catalog, one.snapshot, "rows") for one in used]
    return "; ".join(dict.fromkeys(text for text, _ in made)), min(one.date for one in used)


def _full(date: str) -> str:
    """A date that sorts: a year or a month alone counts as its start, so that an exact day beats it."""
    return (date + "-00-00")[:10]


@dataclass(frozen=True, slots=True)
class TokenOffer:
    """Token prices of one model at one provider in the newest snapshot that has them."""

    date: str
    price: TokenPrice
    source: str

    @property
    def name(self) -> str:
        """``provider/model``."""
        return f"{self.price.provider}/{self.price.model}"


def token_offers(catalog: Catalog, *, on: str | None = None) -> tuple[TokenOffer, ...]:
    """The newest token prices of every provider and model; ``on`` (ISO date) leaves out later snapshots."""
    newest: dict[tuple[str, str], TokenOffer] = {}
    for found in catalog.all(API_PRICES):
        date = found.entry.date or ""
        if on is not None and date > on:
            continue
        source, _ = origin(catalog, found, "rows")
        for row in found.entry.rows:
            place = (row.provider, row.model)
            if place not in newest or _full(newest[place].date) < _full(date):
                newest[place] = TokenOffer(date, row, source)
    return tuple(newest.values())


def pick_token_price(catalog: Catalog, name: str, *, on: str | None = None) -> Pick:
    """Token prices of ``provider/model``, or of a model that one provider alone sells, as values of inputs.

    Raises UnknownNameError.
    """
    every = token_offers(catalog, on=on)
    wanted = key(name)
    found = [one for one in every if key(one.name) == wanted] or [
        one for one in every if key(one.price.model) == wanted
    ]
    if len(found) != 1:
        names = [one.name for one in (found or every)]
        tail = f"; say which: {', '.join(names)}" if found else nearest(name, names)
        raise UnknownNameError(
            f"API price '{printable(name)[:80]}' is not {'one of a kind' if found else 'known'}{tail}."
        )
    return pick_of(found[0])


def pick_of(offer: TokenOffer) -> Pick:
    """The values of inputs that ``offer`` fills."""
    return Pick(token_values(offer.price), offer.source, offer.date, _token_doubts(offer.price))


def token_values(price: TokenPrice) -> dict[str, FieldValue]:
    """Values of a scenario's API inputs for one set of token prices.

    What is not sold costs the ordinary price: cached and written tokens as input, batch calls as others.
    """
    free = price.input == 0
    values: dict[str, FieldValue] = {
        "input_price_per_million": price.input,
        "output_price_ratio": None if free else round(price.output / price.input, 9),
        "cached_price_ratio": 1.0 if price.cached is None or free else round(price.cached / price.input, 9),
        "cache_write_price_ratio": 1.0
        if price.cache_write is None or free
        else round(price.cache_write / price.input, 9),
        "batch_price_ratio": 1.0 if price.batch_input is None or free else round(price.batch_input / price.input, 9),
        "reasoning_price_ratio": None,
        "long_context_threshold_tokens": None,
        "long_context_input_ratio": 1.0,
        "long_context_output_ratio": None,
    }
    if price.tier is not None and not free:
        values["long_context_threshold_tokens"] = price.tier.above
        values["long_context_input_ratio"] = round(price.tier.input / price.input, 9)
        if price.tier.output is not None and price.tier.input:
            values["long_context_output_ratio"] = round(price.tier.output / price.tier.input, 9)
    return values


def _token_doubts(price: TokenPrice) -> tuple[str, ...]:
    words = [price.note] if price.note else []
    words += [f"{one.source} gives {one.figure} {one.value:g}: {one.why}" for one in price.others]
    if price.tier is not None and price.tier.output is None:
        words.append("the output price of the long-context tier is not known")
    if price.batch_input is not None and price.batch_output is not None and price.input and price.output:
        spread = abs(price.batch_input / price.input - price.batch_output / price.output)
        if spread > 0.01:
            words.append("batch discounts of input and output differ; the input's is taken")
    return tuple(words)
