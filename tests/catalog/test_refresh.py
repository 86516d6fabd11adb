"""What newer token prices would change; nothing is written."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

import pytest

from catalog import Overlay, load_catalog
from catalog.errors import CatalogError
from catalog.prices import token_offers
from catalog.refresh import PriceChange, compare, refresh

CATALOG = load_catalog()
AT = datetime(2026, 12, 5, 20, tzinfo=UTC)


@dataclass
class Tier:
    """A price from a number of tokens on, as genai-prices has it."""

    start: int
    price: Decimal


@dataclass
class Tiered:
    """A base price and tiers, as genai-prices has it."""

    base: Decimal
    tiers: list[Tier]


@dataclass
class Prices:
    """Prices per million tokens, as genai-prices has them."""

    input_mtok: Any = None
    output_mtok: Any = None
    cache_read_mtok: Any = None
    cache_write_mtok: Any = None


@dataclass
class Start:
    """The day a variant begins."""

    start_date: date


@dataclass
class Variant:
    """Other prices under a condition, as genai-prices has them."""

    when: dict[str, str]
    prices: Prices
    constraint: Start | None = None


@dataclass
class Listed:
    """A model of the other list."""

    id: str
    prices: Prices
    context_window: int | None = None
    price_variants: list[Variant] = field(default_factory=list)

    def get_prices(self, moment: datetime) -> Prices:
        """Prices at ``moment``."""
        assert moment == AT
        return self.prices


@dataclass
class Provider:
    """A provider of the other list."""

    id: str
    models: list[Listed]


def test_differences_and_the_snapshot_they_would_add() -> None:
    tiered = Tiered(Decimal(3), [Tier(272_000, Decimal(6))])
    batch = Variant({"processing": "batch"}, Prices(Decimal("1.5"), Decimal("7.5")), Start(date(2026, 12, 1)))
    later = Variant({"processing": "batch"}, Prices(Decimal(9), Decimal(9)), Start(date(2027, 1, 1)))
    model = Listed("gpt-5.4", Prices(tiered, Decimal(15), Decimal("0.25")), 1_050_000, [later, batch])
    found = compare(CATALOG, [Provider("openai", [model])], "9.9", AT)
    assert found.changes == (
        PriceChange("openai", "gpt-5.4", "input", 2.5, 3.0),
        PriceChange("openai", "gpt-5.4", "batch_input", 1.25, 1.5),
        PriceChange("openai", "gpt-5.4", "tier.input", 5.0, 6.0),
    )
    assert len(found.missing) == len(token_offers(CATALOG)) - 1
    book = load_catalog([Overlay.from_document(found.document(), "newer")])
    newest = next(one for one in token_offers(book) if one.name == "openai/gpt-5.4")
    assert (newest.price.input, newest.date) == (3.0, "2026-12-05")
    # The catalogue itself and what was there before stay.
    assert next(one for one in token_offers(CATALOG) if one.name == "openai/gpt-5.4").price.input == 2.5
    assert len(token_offers(book)) == len(token_offers(CATALOG))
    before = next(one for one in token_offers(book, on="2026-12-04") if one.name == "openai/gpt-5.4")
    assert before.price.input == 2.5


def test_a_list_that_knows_nothing_is_refused() -> None:
    with pytest.raises(CatalogError, match="lists none of the models"):
        compare(CATALOG, [], "9.9", AT)


def test_the_package_itself_or_a_sentence_that_it_is_missing() -> None:
    try:
        import genai_prices  # noqa: F401 - an optional package
    except ImportError:
        with pytest.raises(CatalogError, match="genai-prices is not installed"):
            refresh(CATALOG)
        return
    found = refresh(CATALOG, at=datetime(2026, 11, 29, 20, tzinfo=UTC))
    assert len(found.rows) > 50
    Overlay.from_document(found.document(), "newer")
