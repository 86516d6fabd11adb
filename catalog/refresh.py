"""What newer token prices would change: the catalogue's beside those of the optional package genai-prices.

Nothing is written here. ``differences`` returns what differs and ``snapshot`` the dated snapshot that a caller may
add once a person has agreed; older snapshots stay.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal
from importlib import import_module, metadata
from typing import Any

from catalog.book import Catalog
from catalog.documents import plain
from catalog.errors import CatalogError
from catalog.price_entries import Tier, TokenPrice
from catalog.prices import token_offers

PACKAGE = "genai-prices"
OFF_PEAK_HOUR = 20
"""Hour of the day (UTC) outside every vendor's peak."""
FIGURES = ("input", "output", "cached", "cache_write", "batch_input", "batch_output")
_KINDS = {
    "input": "input_mtok",
    "output": "output_mtok",
    "cached": "cache_read_mtok",
    "cache_write": "cache_write_mtok",
}


@dataclass(frozen=True, slots=True)
class PriceChange:
    """One figure that differs: None stands for not sold or not listed."""

    provider: str
    model: str
    figure: str
    before: float | None
    after: float | None


@dataclass(frozen=True, slots=True)
class Refresh:
    """Newer token prices: what would change, which models the other list lacks, and the rows that would be added."""

    date: str
    version: str
    changes: tuple[PriceChange, ...]
    missing: tuple[str, ...]
    rows: tuple[TokenPrice, ...]

    def document(self) -> dict[str, Any]:
        """The snapshot that would be added, as a price book in the catalogue's layout."""
        snapshot = {
            "id": f"{PACKAGE}-{self.date}",
            "name": f"Token prices, {self.date} ({PACKAGE} {self.version})",
            "date": self.date,
            "sources": [f"Python package {PACKAGE} {self.version}"],
            "rows": [plain(row) for row in self.rows],
        }
        return {"api_prices": [snapshot]}


def refresh(catalog: Catalog, *, at: datetime | None = None) -> Refresh:
    """Compares the catalogue's newest token prices with those of the installed package genai-prices.

    Prices that follow the hour are taken off their peak, as the catalogue's are.
    Raises CatalogError when the package is not installed or lists nothing the catalogue knows.
    """
    moment = at or datetime.now(UTC).replace(hour=OFF_PEAK_HOUR)
    providers, version = _listed()
    return compare(catalog, providers, version, moment)


def _listed() -> tuple[Iterable[Any], str]:
    try:
        data = import_module("genai_prices.data")
        return data.providers, metadata.version(PACKAGE)
    except ImportError:
        raise CatalogError(
            f"The package {PACKAGE} is not installed: install the planner's extra 'prices' to refresh token prices."
        ) from None


def compare(catalog: Catalog, providers: Iterable[Any], version: str, moment: datetime) -> Refresh:
    """As ``refresh``, with the other list's providers given: objects with ``id`` and ``models``."""
    listed = {(provider.id, model.id): model for provider in providers for model in provider.models}
    changes: list[PriceChange] = []
    missing: list[str] = []
    rows: list[TokenPrice] = []
    for offer in token_offers(catalog):
        old = offer.price
        model = listed.get((old.provider, old.model))
        if model is None:
            missing.append(offer.name)
            continue
        new = _row(old, model, moment)
        rows.append(new)
        changes += [
            PriceChange(old.provider, old.model, name, getattr(old, name), getattr(new, name))
            for name in FIGURES
            if not _same(getattr(old, name), getattr(new, name))
        ]
        if old.tier != new.tier:
            before, after = (one.tier.input if one.tier is not None else None for one in (old, new))
            if not _same(before, after):
                changes.append(PriceChange(old.provider, old.model, "tier.input", before, after))
    if not rows:
        raise CatalogError(f"{PACKAGE} {version} lists none of the models whose prices the catalogue holds.")
    return Refresh(moment.date().isoformat(), version, tuple(changes), tuple(missing), tuple(rows))


def _same(before: float | None, after: float | None) -> bool:
    if before is None or after is None:
        return before is after
    return abs(before - after) <= 1e-9 * max(1.0, abs(before))


def _row(old: TokenPrice, model: Any, moment: datetime) -> TokenPrice:
    prices = model.get_prices(moment)
    figures = {name: _base(getattr(prices, kind, None)) for name, kind in _KINDS.items()}
    batch = _batch(model, moment)
    output = figures["output"]
    values: dict[str, Any] = {
        "provider": old.provider,
        "model": old.model,
        "input": figures["input"] if figures["input"] is not None else old.input,
        "output": output if output is not None else old.output,
        "cached": figures["cached"],
        "cache_write": figures["cache_write"],
        "batch_input": batch.get("input"),
        "batch_output": batch.get("output"),
        "tier": _tier(prices),
        "context": model.context_window or old.context,
    }
    if batch and values["batch_input"] is None:
        values["batch_input"] = old.batch_input
    return TokenPrice(**values)


def _base(price: Any) -> float | None:
    value = getattr(price, "base", price)
    return float(value) if isinstance(value, (Decimal, int, float)) else None


def _batch(model: Any, moment: datetime) -> Mapping[str, float | None]:
    """Prices of the batch interface, which newer lists keep as a variant."""
    for variant in getattr(model, "price_variants", None) or ():
        constraint = getattr(variant, "constraint", None)
        start = getattr(constraint, "start_date", None)
        if dict(variant.when) == {"processing": "batch"} and (start is None or start <= moment.date()):
            return {name: _base(getattr(variant.prices, _KINDS[name], None)) for name in ("input", "output")}
    return {}


def _tier(prices: Any) -> Tier | None:
    tiers = getattr(prices.input_mtok, "tiers", None)
    if not tiers:
        return None
    start = tiers[0].start
    made: dict[str, Any] = {"above": int(start), "input": float(tiers[0].price)}
    for name in ("output", "cached", "cache_write"):
        same = [tier for tier in getattr(getattr(prices, _KINDS[name], None), "tiers", ()) if tier.start == start]
        if same:
            made[name] = float(same[0].price)
    return Tier(**made)
