"""The shipped catalogue passes its own check, and the check finds what it is there to find."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from catalog import Catalog, load_catalog
from catalog.book import ACCELERATOR, FORMAT, MODEL, PROFILE, kinds
from catalog.check import accelerator, check, model, number_format, profile
from catalog.entries import Accelerator, Peaks
from catalog.load import shipped
from catalog.price_entries import DevicePrice
from tests.catalog.test_book import DEVICE, layer

CATALOG = load_catalog()


def test_nothing_is_wrong_with_the_shipped_catalogue() -> None:
    assert [str(finding) for finding in check()] == []


def test_how_much_is_there() -> None:
    counts = {kind.name: len(CATALOG.ids(kind)) for kind in kinds().values()}
    assert counts["accelerator"] == 73
    assert counts["model"] == 109
    assert counts["engine"] == 3
    assert counts["profile"] == 2
    rows = sum(len(raw["rows"]) for raw in shipped("device_prices")["device_prices"])
    tokens = sum(len(raw["rows"]) for raw in shipped("api_prices")["api_prices"])
    discounts = sum(len(raw["discounts"]) for raw in shipped("commitments")["commitment"])
    assert (rows, tokens, discounts) == (219, 108, 36)


def test_every_figure_has_a_dated_source() -> None:
    for kind in kinds().values():
        for found in CATALOG.all(kind):
            figures = found.entry.figures() if isinstance(found.entry, Accelerator) else {"*": 0.0}
            for figure in figures:
                sources = CATALOG.sources(found.entry.origin_ids(figure))
                assert sources, (found.entry.id, figure)
                assert all(not isinstance(source, str) and source.date for source in sources)


H100 = CATALOG.find(ACCELERATOR, "h100-sxm-80gb").entry

# A wrong figure of a device, and what the check says of it.
WRONG: list[tuple[dict[str, Any], str]] = [
    ({"dense_tflops": Peaks(bf16=989.5, fp8=3958)}, "fp8 is 4 times bf16; known ratios are 1, 2, 3.75"),
    ({"dense_tflops": Peaks(fp16=1979, bf16=989.5)}, "fp16 is 2 times bf16"),
    ({"dense_tflops": Peaks(bf16=989.5, fp8=1979, fp4=15832)}, "fp4 is 8 times fp8"),
    ({"dense_tflops": Peaks(fp32=67)}, "neither a bf16 nor an fp16 rate"),
    ({"bandwidth_tb_s": 335.0}, "bandwidth_tb_s = 335 is not within"),
    ({"bandwidth_tb_s": 0.67}, "FLOP per byte of memory"),
    ({"memory_label_gb": 80_000.0}, "memory_label_gb = 80000 is not within"),
    ({"driver_memory_mib": 40_960.0}, "driver_memory_mib over the label"),
    ({"runtime_memory_gib": 80.5}, "runtime_memory_gib over what the driver shows"),
    ({"power_w": 7.0}, "power_w = 7 is not within"),
    ({"peer_gb_s": 900.0}, "peer_gb_s = 900 is more than link_gb_s = 450"),
]


@pytest.mark.parametrize(("change", "words"), WRONG, ids=[words for _, words in WRONG])
def test_a_wrong_figure_of_a_device_is_found(change: dict[str, Any], words: str) -> None:
    assert any(words in text for text in accelerator(replace(H100, **change)))


def test_a_wrong_count_of_a_model_is_found() -> None:
    entry = CATALOG.find(MODEL, "llama-3.1-8b").entry
    assert list(model(CATALOG, entry)) == []
    off = replace(entry, published_parameters=8_500_000_000)
    assert any("8500000000 published (-5.53%), and no reason given" in text for text in model(CATALOG, off))
    assert list(model(CATALOG, replace(off, differs="a reason"))) == []
    far = replace(entry, published_parameters=80_000_000_000, differs="a reason")
    assert any("is no mere difference" in text for text in model(CATALOG, far))
    active = replace(entry, published_active=1_000_000_000)
    assert any("active computed" in text for text in model(CATALOG, active))
    assert any("is no format" in text for text in model(CATALOG, replace(entry, stored="fp17")))


def test_a_wrong_profile_and_format_are_found() -> None:
    fitted = CATALOG.find(PROFILE, "fitted").entry
    wrong = replace(
        fitted, ranges={"layer_overhead_us": (50.0, 60.0), "first_steps": (3.0,), "kv_efficiency": (0.9, 0.1)}
    )
    texts = list(profile(CATALOG, wrong))
    assert any("layer_overhead_us = 47.5 is outside its range 50 to 60" in text for text in texts)
    assert sum("must be a low and a high value" in text for text in texts) == 2
    assert any(
        "engines.llamacpp is no engine" in text for text in profile(CATALOG, replace(fitted, engines={"llamacpp": {}}))
    )
    assert any(
        "in no unit" in text for text in number_format(replace(CATALOG.find(FORMAT, "fp8").entry, arithmetic=()))
    )


def test_own_entries_are_checked_as_well() -> None:
    book: Catalog = load_catalog([layer(("accelerator", {**DEVICE, "dense_tflops": {"bf16": 100, "fp8": 400}}))])
    texts = [str(finding) for finding in check(book)]
    assert any(text.startswith("accelerator my-device: fp8 is 4 times bf16") for text in texts)


def test_a_wrong_price_is_found() -> None:
    rows = [
        {"device": "l4000", "usd_h": 1.0},
        {"device": "l4", "usd_h": 2.0, "median_usd_h": 1.0},
        {"device": "l4", "usd_h": 0.0001},
    ]
    own = {"id": "acme-1", "name": "acme", "seller": "acme", "date": "2026-12", "sources": ["x"], "rows": rows}
    token = {"provider": "p", "model": "m", "input": 0.001, "output": 5.0, "cached": 0.002, "batch_output": 6.0}
    api = {"id": "own-1", "name": "own", "date": "2026-12", "sources": ["x"], "rows": [token, token]}
    texts = " | ".join(
        str(finding) for finding in check(load_catalog([layer(("device_prices", own), ("api_prices", api))]))
    )
    for words in (
        "the device 'l4000' is not in the catalogue",
        "2, 1, 1 are not in the order",
        "usd_h = 0.0001 is not within",
        "the model is there twice",
        "output is 5000 times input",
        "cached 0.002 is more than input",
        "batch output 6 is more than 5",
    ):
        assert words in texts


def test_a_market_must_be_a_known_one() -> None:
    with pytest.raises(ValueError, match="market = 'auction' is not one of"):
        DevicePrice(device="l4", usd_h=1.0, market="auction")
