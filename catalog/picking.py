"""Lists to pick prices from: every seller and plan for a device, and API prices with those for a model first."""

from __future__ import annotations

import re
from dataclasses import dataclass

from catalog.book import MODEL, Catalog
from catalog.errors import CatalogError
from catalog.price_entries import PLANS
from catalog.prices import Pick, TokenOffer, pick_device_price, pick_of, sellers, token_offers

_NOT_IN_NAMES = re.compile(r"[^a-z0-9]+")
_NUMBER = re.compile(r"p?[0-9]")
_SHORTEST = 5
"""Characters of a name below which it says too little to be found in another."""


@dataclass(frozen=True, slots=True)
class SellerPick:
    """What one seller asks for a device under one plan, as values of inputs."""

    seller: str
    plan: str
    pick: Pick

    @property
    def paid_per_hour(self) -> float:
        """Price of a device and hour under the plan, in the pick's currency."""
        price, ratio = self.pick.values["device_price_per_hour"], self.pick.values["plan_price_ratio"]
        return float(price) * float(ratio)  # type: ignore[arg-type]


def device_picks(catalog: Catalog, device: str) -> tuple[SellerPick, ...]:
    """Every seller and plan that there is a price for, by plan and then the cheapest first.

    Raises UnknownNameError when the device is neither in the catalogue nor named by any price.
    """
    found = []
    for seller in sellers(catalog, device):
        for plan in PLANS:
            try:
                found.append(SellerPick(seller, plan, pick_device_price(catalog, device, seller, plan)))
            except CatalogError:
                continue
    return tuple(sorted(found, key=lambda one: (PLANS.index(one.plan), one.paid_per_hour)))


@dataclass(frozen=True, slots=True)
class ApiPick:
    """What an API asks for its tokens, as values of inputs; ``same``: it sells the model that was asked for."""

    offer: TokenOffer
    pick: Pick
    same: bool


def api_picks(catalog: Catalog, model: str) -> tuple[ApiPick, ...]:
    """The newest prices of every API model: those that are ``model`` by their name first, then by name."""
    wanted = _spellings(catalog, model)
    found = []
    for offer in token_offers(catalog):
        same = any(_is_of(offer.price.model, spelling) for spelling in wanted)
        found.append(ApiPick(offer, pick_of(offer), same))
    return tuple(
        sorted(found, key=lambda one: (not one.same, one.offer.price.input if one.same else 0, one.offer.name))
    )


def _spellings(catalog: Catalog, model: str) -> set[str]:
    names = [model]
    if catalog.has(MODEL, model):
        entry = catalog.find(MODEL, model).entry
        names = [entry.id, entry.name, *entry.aliases]
    plain = {_NOT_IN_NAMES.sub("", name.rpartition("/")[2].casefold()) for name in names}
    return {name.removesuffix("instruct") for name in plain if len(name.removesuffix("instruct")) >= _SHORTEST}


def _is_of(name: str, spelling: str) -> bool:
    """Whether an API's ``name`` is that of the model, with words around it but no further number, as in k2 and k2p5."""
    plain = _NOT_IN_NAMES.sub("", name.rpartition("/")[2].casefold())
    before, found, after = plain.partition(spelling)
    return bool(found) and not before[-1:].isdigit() and not _NUMBER.match(after)
