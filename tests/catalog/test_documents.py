"""Entries as plain data and as TOML text that reads back to the same."""

from __future__ import annotations

import tomllib
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from catalog import Overlay, load_catalog
from catalog.book import kinds
from catalog.documents import document, overlay_document, plain, to_toml
from catalog.schema import validate
from tests.catalog.test_book import DEVICE, layer

CATALOG = load_catalog()

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)
leaves = st.one_of(
    st.booleans(), st.integers(-(2**63), 2**63 - 1), st.floats(allow_nan=False, allow_infinity=False), texts
)
values = st.recursive(
    leaves, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=4), max_leaves=12
)


def test_every_shipped_entry_survives_the_way_through_data_and_text() -> None:
    for kind in kinds().values():
        entries = [(kind.name, found.entry) for found in CATALOG.all(kind)]
        made = document(entries)
        assert tomllib.loads(to_toml(made)) == made
        for (_, entry), data in zip(entries, made[kind.name], strict=True):
            assert validate(kind.cls, data, "again") == entry


def test_a_layer_is_exported_and_read_back() -> None:
    own = layer(
        ("accelerator", DEVICE),
        ("model", {"id": "m", "name": "M “quoted” \\ and\ttabbed"[:14], "vendor": "v", "family": "f", "parameters": 7}),
    )
    text = to_toml(overlay_document(own))
    back = Overlay.from_document(tomllib.loads(text), "mine")
    assert back == own


def test_sources_travel_with_their_layer() -> None:
    own = Overlay.from_document(
        {"accelerator": [DEVICE], "source": [{"id": "sheet", "title": "A sheet", "date": "2026-12"}]}, "mine"
    )
    assert Overlay.from_document(tomllib.loads(to_toml(overlay_document(own))), "mine") == own


def test_what_is_at_its_default_is_left_out() -> None:
    (entry,) = layer(("accelerator", DEVICE)).entries["accelerator"].values()
    assert plain(entry) == DEVICE


@given(st.dictionaries(texts, values, max_size=5), st.lists(st.dictionaries(texts, values, min_size=1), max_size=3))
def test_any_data_survive_the_way_through_text(top: dict[str, Any], items: list[dict[str, Any]]) -> None:
    made = {**top, "items": items} if items else top
    assert tomllib.loads(to_toml(made)) == made
