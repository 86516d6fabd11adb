"""Lists with filters, pages with every figure's origin."""

from __future__ import annotations

import json

import pytest

from catalog import load_catalog
from catalog.book import ACCELERATOR, MODEL, kinds
from catalog.errors import UnknownNameError
from catalog.listing import Filters, describe, kind_of, lines_of, page
from tests.catalog.test_book import DEVICE, layer
from tests.catalog.test_config_shapes import CONFIGS

CATALOG = load_catalog()


def ids(filters: Filters) -> set[str]:
    """Ids of the devices that pass."""
    return {line.id for line in lines_of(CATALOG, ACCELERATOR, filters)}


def test_filters_narrow_the_list() -> None:
    assert ids(Filters(text="h100 sxm")) == {"h100-sxm-80gb"}
    assert ids(Filters(vendor="amd", min_memory_gb=200)) == {"mi325x", "mi350x", "mi355x"}
    assert ids(Filters(min_bandwidth_tb_s=7.9)) >= {"b200-sxm", "gb300", "mi355x"}
    assert "toy-gpu" not in ids(Filters(max_memory_gb=16))
    assert ids(Filters(max_memory_gb=16, vendor="nvidia")) == {"v100-sxm2-16gb", "t4"}
    assert ids(Filters(text="no such device")) == set()
    assert {line.id for line in lines_of(CATALOG, MODEL, Filters(family="gpt_oss"))} == {"gpt-oss-20b", "gpt-oss-120b"}


def test_own_entries_show_their_layer() -> None:
    book = load_catalog([layer(("accelerator", {**DEVICE, "id": "t4"}))])
    (line,) = lines_of(book, ACCELERATOR, Filters(own=True))
    assert (line.id, line.layer, line.own, line.replaces) == ("t4", "mine", True, True)


def test_a_page_gives_every_figure_with_source_date_and_doubt() -> None:
    made = page(CATALOG, ACCELERATOR, "B200")
    figures = {figure.name: figure for figure in made.figures}
    assert figures["bandwidth_tb_s"].value == 8
    assert figures["bandwidth_tb_s"].unit == "TB/s"
    assert figures["bf16"].unit == "TFLOP/s dense"
    assert figures["bandwidth_tb_s"].doubt
    assert any(other.startswith("7.7 in aiconfigurator") for other in figures["bandwidth_tb_s"].others)
    assert all(figure.source and figure.date for figure in made.figures)


def test_every_page_is_plain_data_with_origins() -> None:
    for kind in kinds().values():
        for entry_id in CATALOG.ids(kind):
            made = page(CATALOG, kind, entry_id)
            json.dumps(made.as_json(), allow_nan=False)
            assert all(figure.source for figure in made.figures), entry_id


def test_a_page_of_a_configuration_file() -> None:
    made = page(CATALOG, MODEL, str(CONFIGS / "latent-attention-fp8.json"))
    figures = {figure.name: figure.value for figure in made.figures}
    assert figures["parameters"] == 327072
    assert figures["layer_counts"] == {"full": 5}
    assert made.own


def test_kinds_by_singular_and_plural() -> None:
    assert kind_of("accelerators") is ACCELERATOR
    assert kind_of("Model") is MODEL
    assert kind_of("device-prices").name == "device_prices"
    with pytest.raises(UnknownNameError, match="nearest: accelerator"):
        kind_of("acelerator")


def test_names_for_an_input() -> None:
    devices = dict(describe(CATALOG, "accelerator"))
    assert devices["h100-sxm-80gb"] == "79.18 GiB, 3.35 TB/s, 989.5 TFLOP/s"
    assert devices["toy-gpu"].startswith("no memory size")
    assert dict(describe(CATALOG, "model"))["mixtral-8x7b"] == "46.7 B, 12.7 B active, context 32,768"
    assert describe(CATALOG, "interconnect")[0] == ("catalogue", "the device's own link")
    assert describe(CATALOG, "prompt_tokens") == []
