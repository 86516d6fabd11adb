"""The own catalogue entries that scenarios use, which travel with them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from catalog.book import (
    ACCELERATOR,
    ENGINE,
    FORMAT,
    INTERCONNECT,
    MODEL,
    PROFILE,
    SHIPPED,
    Catalog,
    Found,
    Overlay,
)
from catalog.entries import Model
from catalog.price_book import API_PRICES, COMMITMENT, DEVICE_PRICES, PRICE_KINDS
from catalog.price_entries import ApiPrices, Commitment, DevicePrices
from catalog.prices import token_values
from catalog.schema import Entry, Kind, Source, key
from planner.model.scenario import Scenario

NAMING: dict[str, Kind[Any]] = {
    "accelerator": ACCELERATOR,
    "interconnect": INTERCONNECT,
    "model": MODEL,
    "draft_model": MODEL,
    "engine": ENGINE,
    "efficiency_profile": PROFILE,
    "weight_format": FORMAT,
    "kv_format": FORMAT,
}
"""Inputs that name an entry, with its kind."""
LAYER = "own"


def own_entries(catalog: Catalog, scenarios: Sequence[Scenario]) -> Overlay:
    """The entries of ``catalog`` that are a person's own and that ``scenarios`` use, with the sources they cite.

    Those are what the scenarios name, the formats that their models are stored in, what sellers ask for their devices,
    and the token prices that they hold.
    """
    used = dict(_named(catalog, scenarios))
    devices = {found.entry.id for (kind, _), found in used.items() if kind == ACCELERATOR.name}
    used |= _prices(catalog, devices, scenarios)
    entries: dict[str, dict[str, Entry]] = {}
    for (kind, entry_id), found in used.items():
        if found.own:
            entries.setdefault(kind, {})[entry_id] = found.entry
    cited = {one for kind in entries.values() for entry in kind.values() for one in _cited(entry)}
    sources = {one.id: one for one in catalog.sources(sorted(cited)) if isinstance(one, Source)}
    own = {one for overlay in catalog.overlays if overlay.name != SHIPPED for one in overlay.sources}
    return Overlay(LAYER, entries, {name: source for name, source in sources.items() if name in own})


def _named(catalog: Catalog, scenarios: Iterable[Scenario]) -> dict[tuple[str, str], Found[Any]]:
    names = {(field, str(one.values.get(field))) for one in scenarios for field in NAMING}
    used = {}
    for field, name in sorted(names):
        for kind, found in _look(catalog, NAMING[field], name):
            used[kind.name, found.entry.id] = found
    return used


def _look(catalog: Catalog, kind: Kind[Any], name: str) -> Iterable[tuple[Kind[Any], Found[Any]]]:
    """The entry of that name, and the formats that it refers to."""
    if not catalog.has(kind, name):
        return
    found = catalog.find(kind, name)
    yield kind, found
    if isinstance(found.entry, Model):
        stored = found.entry.formats
        for word in (stored.attention, stored.dense, stored.experts, stored.embedding, stored.kv):
            yield from _look(catalog, FORMAT, word or "")


def _prices(catalog: Catalog, devices: set[str], scenarios: Sequence[Scenario]) -> dict[tuple[str, str], Found[Any]]:
    """Own prices of ``devices`` with their sellers' commitments, and lists whose token prices the scenarios hold."""
    found: dict[tuple[str, str], Found[Any]] = {}
    own = {
        kind.name: [
            catalog.find(kind, one) for overlay in catalog.overlays for one in overlay.entries.get(kind.name, ())
        ]
        for kind in PRICE_KINDS
    }
    sellers = set()
    for one in own[DEVICE_PRICES.name]:
        entry: DevicePrices = one.entry
        if any(row.device in devices for row in entry.rows):
            found[DEVICE_PRICES.name, entry.id] = one
            sellers.add(key(entry.seller))
    for one in own[COMMITMENT.name]:
        commitment: Commitment = one.entry
        if key(commitment.seller) in sellers:
            found[COMMITMENT.name, commitment.id] = one
    for one in own[API_PRICES.name]:
        if any(_holds(scenario, one.entry) for scenario in scenarios):
            found[API_PRICES.name, one.entry.id] = one
    for kind in ("server", "ownership"):
        for one in own[kind]:
            named = {getattr(one.entry, "device", None), *getattr(one.entry, "by_device", ())}
            if named & devices:
                found[kind, one.entry.id] = one
    return found


def _holds(scenario: Scenario, prices: ApiPrices) -> bool:
    """Whether the scenario holds the token prices of one of the rows."""
    return any(
        all(scenario.values.get(name) == value for name, value in token_values(row).items()) for row in prices.rows
    )


def _cited(entry: Entry) -> set[str]:
    """Ids of sources, and other words, that an entry gives as where its figures are from."""
    return {*entry.sources, *(one.source for one in entry.others), *" ".join(entry.origins.values()).split()}
