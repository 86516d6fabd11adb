"""What is wrong with prices: unknown devices, implausible figures, spreads that contradict themselves."""

from __future__ import annotations

from collections.abc import Iterator

from catalog.book import ACCELERATOR, Catalog
from catalog.load import shipped
from catalog.price_book import API_PRICES, COMMITMENT, DEVICE_PRICES, ELECTRICITY, OWNERSHIP, PUE, SERVER_POWER
from catalog.price_entries import DevicePrice, ServerPower, TokenPrice

Problem = tuple[str, str]

_DERIVED_TOLERANCE = 0.02


def check_prices(book: Catalog) -> Iterator[Problem]:
    """Where and what, for every price, discount and energy figure that is wrong."""
    unlisted = shipped("device_prices").get("unlisted", {})
    for snapshot in book.all(DEVICE_PRICES):
        for row in snapshot.entry.rows:
            where = f"device_prices {snapshot.entry.id}, {row.device} {row.sku}"
            if row.device not in unlisted and not book.has(ACCELERATOR, row.device):
                yield where, f"the device {row.device!r} is not in the catalogue"
            yield from ((where, text) for text in _device_hour(row))
    for found in book.all(API_PRICES):
        seen: set[tuple[str, str]] = set()
        for price in found.entry.rows:
            where = f"api_prices {found.entry.id}, {price.provider}/{price.model}"
            if (price.provider, price.model) in seen:
                yield where, "the model is there twice"
            seen.add((price.provider, price.model))
            yield from ((where, text) for text in _tokens(price))
    for commitment in book.all(COMMITMENT):
        for discount in commitment.entry.discounts:
            where = f"commitment {commitment.entry.id}"
            if discount.device is not None and not book.has(ACCELERATOR, discount.device):
                yield where, f"the device {discount.device!r} is not in the catalogue"
            if not 0.01 <= discount.discount <= 0.9:
                yield where, f"a discount of {discount.discount:.0%} is not plausible"
    yield from _energy(book)


def _device_hour(row: DevicePrice) -> Iterator[str]:
    if not 0.01 <= row.usd_h <= 200:
        yield f"usd_h = {row.usd_h:g} is not within 0.01 to 200"
    middle = row.median_usd_h if row.median_usd_h is not None else row.usd_h
    top = row.max_usd_h if row.max_usd_h is not None else middle
    if not row.usd_h <= middle <= top:
        yield f"{row.usd_h:g}, {middle:g}, {top:g} are not in the order cheapest, median, highest"


def _tokens(price: TokenPrice) -> Iterator[str]:
    if price.input > 200 or price.output > 1000:
        yield f"input {price.input:g} and output {price.output:g} look like another unit than a million tokens"
    if price.input and not 0.2 <= price.output / price.input <= 50:
        yield f"output is {price.output / price.input:g} times input"
    if price.cached is not None and price.cached > price.input:
        yield f"cached {price.cached:g} is more than input {price.input:g}"
    for name, batch, standard in (
        ("input", price.batch_input, price.input),
        ("output", price.batch_output, price.output),
    ):
        if batch is not None and batch > standard:
            yield f"batch {name} {batch:g} is more than {standard:g}"
    tier = price.tier
    if tier is not None and tier.input < price.input:
        yield f"the long-context tier is cheaper: {tier.input:g} against {price.input:g}"
    if tier is not None and price.context and tier.above > price.context:
        yield f"the long-context tier begins at {tier.above}, beyond the context of {price.context}"


def _energy(book: Catalog) -> Iterator[Problem]:
    for pue in book.all(PUE):
        if not 1 <= pue.entry.value <= 2.5:
            yield f"pue {pue.entry.id}", f"{pue.entry.value:g} is not within 1 to 2.5"
    for price in book.all(ELECTRICITY):
        figures = [price.entry.usd_kwh, price.entry.low, price.entry.high]
        figures += [*price.entry.by_place.values(), *price.entry.by_month.values()]
        for value in figures:
            if value is not None and not 0.01 <= value <= 1:
                yield f"electricity {price.entry.id}", f"{value:g} $/kWh is not within 0.01 to 1"
    for server in book.all(SERVER_POWER):
        if server.entry.device is not None and not book.has(ACCELERATOR, server.entry.device):
            yield f"server {server.entry.id}", f"the device {server.entry.device!r} is not in the catalogue"
        yield from ((f"server {server.entry.id}", text) for text in _server(server.entry))
    for cost in book.all(OWNERSHIP):
        if cost.entry.unit in ("kW", "USD/h"):
            for device in cost.entry.by_device:
                if not book.has(ACCELERATOR, device):
                    yield f"ownership {cost.entry.id}", f"the device {device!r} is not in the catalogue"


def _server(server: ServerPower) -> Iterator[str]:
    if server.steady_w is not None and server.max_w is not None and server.steady_w > server.max_w:
        yield f"steady_w = {server.steady_w:g} is more than max_w = {server.max_w:g}"
    full = server.steady_w if server.measured else server.max_w
    if full is not None and server.device_w is not None and server.other_w is not None:
        rest = full - server.devices * server.device_w
        if abs(rest - server.other_w) > _DERIVED_TOLERANCE * full:
            yield f"other_w = {server.other_w:g}, but {rest:g} W remain beyond the devices"
