"""Facts that a scenario's names stand for, each with source, date and doubt."""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from typing import Any

import pytest

from catalog import load_catalog
from catalog.book import ACCELERATOR, ENGINE, MODEL, PROFILE, Overlay
from catalog.errors import BadFileError, CatalogError, ConfigError, UnknownNameError
from catalog.resolve import Resolution, full_path, resolve
from planner.model.facts import FACT_FIELDS
from planner.model.fields import InputError
from planner.model.inputs import INPUTS, WEIGHT_FORMATS, default_values
from tests.catalog.test_book import DEVICE, layer
from tests.catalog.test_config_shapes import CONFIGS

CATALOG = load_catalog()


def facts(**changes: Any) -> Resolution:
    """Facts of the default scenario with some inputs changed."""
    return resolve({**default_values(), **changes})


def value(name: str, **changes: Any) -> float | None:
    """One fact of the default scenario with some inputs changed."""
    return facts(**changes).facts[name].value


def test_every_fact_is_filled_within_its_bounds_for_every_model_and_format() -> None:
    for name, word in itertools.product(CATALOG.ids(MODEL), WEIGHT_FORMATS):
        for fact, found in facts(model=name, weight_format=word).facts.items():
            if found.value is not None:
                FACT_FIELDS[fact].check(found.value)
            else:
                assert FACT_FIELDS[fact].optional or found.doubt, (name, fact)


def test_every_fact_is_filled_within_its_bounds_for_every_device() -> None:
    for name, devices in itertools.product(CATALOG.ids(ACCELERATOR), (1, 2, 8, 16)):
        for fact, found in facts(accelerator=name, tensor_parallel=devices).facts.items():
            if found.value is not None:
                FACT_FIELDS[fact].check(found.value)
            else:
                assert FACT_FIELDS[fact].optional or found.doubt, (name, fact)


def test_every_engine_and_profile() -> None:
    for engine, profile in itertools.product(CATALOG.ids(ENGINE), CATALOG.ids(PROFILE)):
        found = facts(engine=engine, efficiency_profile=profile).facts
        assert set(found) == set(FACT_FIELDS)


def test_facts_carry_source_date_and_doubt() -> None:
    found = facts().facts
    bandwidth = found["memory_bandwidth"]
    assert bandwidth.value == 3.35e12
    assert "aiconfigurator" in bandwidth.source
    assert bandwidth.date.startswith("2026")
    assert not bandwidth.doubt
    assert found["weights_efficiency"].doubt
    assert all(one.source and one.date for name, one in found.items() if one.value is not None and "draft" not in name)


def test_the_worked_examples_device_and_model() -> None:
    found = facts(
        accelerator="toy-gpu", model="toy-7b", efficiency_profile="ideal", interconnect="ideal", kv_format="none"
    ).facts
    assert found["memory_bandwidth"].value == 2e12
    assert found["peak_flops"].value == 300e12
    assert found["runtime_memory_gib"].value is None
    assert found["runtime_memory_gib"].doubt == "the device has no memory size"
    assert found["parameters"].value == found["active_parameters"].value == 7e9
    assert found["weight_bits"].value == found["embedding_bits"].value == 16
    assert found["kv_bits"].value == found["head_parameters"].value == found["kv_heads"].value == 0
    assert found["link_is_ideal"].value == 1
    for name, fact in found.items():
        if name.endswith("_efficiency"):
            assert fact.value == 1
        if name.endswith(("_overhead_us", "_constant_ms", "first_steps", "_latency_us")):
            assert fact.value == 0


# Memory the runtime sees: from a log, from the driver, from the label, and shared with a host.
@pytest.mark.parametrize(
    ("device", "expected", "doubt"),
    [
        ("h100-sxm-80gb", 79.18, ""),
        ("b200-sxm", 183359 / 1024 * 0.993, "estimated: 0.993"),
        ("mi300x", 192 * 0.98, "estimated: 0.98"),
        ("apple-m4-max", 128 * 0.75, "estimated: 0.75"),
    ],
)
def test_runtime_memory_and_how_it_was_estimated(device: str, expected: float, doubt: str) -> None:
    found = facts(accelerator=device).facts["runtime_memory_gib"]
    assert found.value == pytest.approx(expected, rel=1e-12)
    assert doubt in found.doubt


# Weight formats on devices with and without the units for them: rate in TFLOP/s and width in bits.
@pytest.mark.parametrize(
    ("device", "word", "rate", "bits"),
    [
        ("h100-sxm-80gb", "bf16", 989.5, 16),
        ("h100-sxm-80gb", "fp8", 1979, 8),
        ("h100-sxm-80gb", "int4", 989.5, 16),
        ("h100-sxm-80gb", "mxfp4", 989.5, 16),
        ("h100-sxm-80gb", "nvfp4", 989.5, 16),
        ("h100-sxm-80gb", "int8", 1979, 8),
        ("a100-sxm-80gb", "fp8", 312, 16),
        ("b200-sxm", "nvfp4", 9000, 4),
        ("b200-sxm", "mxfp4", 4500, 8),
        ("b300-sxm", "int8", 2250, 16),
        ("t4", "bf16", 65, 16),
        ("apple-m4", "q4_k_m", 4.26, 16),
    ],
)
def test_arithmetic_of_a_format_on_a_device(device: str, word: str, rate: float, bits: int) -> None:
    found = facts(accelerator=device, weight_format=word).facts
    assert found["peak_flops"].value == pytest.approx(rate * 1e12)
    assert found["arithmetic_bits"].value == bits


def test_attention_scores_are_computed_in_16_bits() -> None:
    assert value("attention_peak_flops", weight_format="fp8") == 989.5e12
    found = facts(accelerator="t4").facts["attention_peak_flops"]
    assert found.value == 65e12
    assert "no bf16" in found.doubt


def test_experts_have_an_arithmetic_of_their_own() -> None:
    found = facts(accelerator="b200", model="gpt-oss-120b").facts
    assert (found["peak_flops"].value, found["expert_peak_flops"].value) == (2250e12, 4500e12)
    assert (found["arithmetic_bits"].value, found["expert_arithmetic_bits"].value) == (16, 8)


# The device's own link: within its reach, beyond a bridge, beyond the server, and where none is known.
@pytest.mark.parametrize(
    ("device", "devices", "rate", "doubt"),
    [
        ("h100-sxm-80gb", 8, 450, ""),
        ("h100-sxm-80gb", 16, 50, "16 devices span servers of 8"),
        ("h100-pcie-80gb", 2, 300, ""),
        ("h100-pcie-80gb", 4, 64, "joins 2 devices; beyond that PCIe"),
        ("gb200", 72, 900, ""),
        ("h20-96gb", 16, None, "no link between servers of 8 is known"),
    ],
)
def test_own_link_by_how_far_it_must_reach(device: str, devices: int, rate: float | None, doubt: str) -> None:
    found = facts(accelerator=device, tensor_parallel=devices).facts
    assert found["device_link_gbps"].value == rate
    assert doubt in found["device_link_gbps"].doubt
    assert found["link_is_ideal"].value == 0


def test_a_named_link_and_the_ideal_one() -> None:
    assert value("device_link_gbps", interconnect="InfiniBand-NDR", tensor_parallel=16) == 50
    assert value("link_is_ideal", interconnect="ideal") == 1
    with pytest.raises(UnknownNameError, match="nearest: nvlink-4"):
        facts(interconnect="nvlink4")


def test_warm_up_follows_engine_and_device() -> None:
    assert value("warmup_sequences_default") == 1024
    assert value("warmup_sequences_default", accelerator="l4") == 256
    assert value("warmup_sequences_default", accelerator="toy-gpu") == 256
    assert value("warmup_sequences_default", engine="sglang") == 256


def test_memory_conventions_of_engines() -> None:
    assert value("activation_bytes_per_logit") == 39
    assert (value("runtime_fixed_gib"), value("runtime_multi_gib")) == (0.25, 0.45)
    assert value("activation_fixed_gib") == 0
    # 1 GiB, 1.5 GiB for each 1,024 chunk tokens, 1/8 GiB a device; less what a utilisation of 0.9 leaves free.
    assert value("activation_fixed_gib", engine="sglang") == pytest.approx(1 + 1.5 * 8 + 0.125 - 0.1 * 79.18)
    assert value("activation_fixed_gib", engine="sglang", chunk_tokens=1024) == pytest.approx(10 - 0.1 * 79.18)
    assert value("activation_fixed_gib", engine="sglang", accelerator="mi300x") == 0
    # 2 bytes x chunk x hidden x 11, less with tensor parallel, twice as much with experts.
    assert value("activation_fixed_gib", engine="trtllm") == pytest.approx(2 * 8192 * 4096 * 11 / 2**30)
    assert value("activation_fixed_gib", engine="trtllm", tensor_parallel=8) == pytest.approx(
        2 * 8192 * 4096 * 5 / 2**30
    )
    mixtral = value("activation_fixed_gib", engine="trtllm", model="mixtral-8x7b")
    assert mixtral == pytest.approx(2 * 8192 * 4096 * 22 / 2**30)
    assert value("pool_share", engine="tensorrt-llm") == 0.985


def test_engine_constants_of_the_fitted_profile() -> None:
    assert value("ttft_constant_ms") == 5
    assert value("ttft_constant_ms", engine="trtllm") == 40
    assert value("ttft_constant_ms", engine="sglang") == 91
    assert value("layer_overhead_us", engine="sglang") == value("layer_overhead_us") == 47.5
    assert (value("tpot_band_low"), value("tpot_band_high")) == (0.82, 1.31)


def test_a_draft_model_fills_its_own_facts() -> None:
    found = facts(draft_model="llama-3.2-1b", kv_format="fp8").facts
    assert found["draft_weight_bytes"].value == 1_235_814_400 * 2
    assert found["draft_kv_bytes_per_token"].value == 2 * 16 * 8 * 64
    assert found["draft_active_parameters"].value == 1_235_814_400
    assert found["draft_layers"].value == 16
    assert facts().facts["draft_weight_bytes"].value == 0


def test_overrides_take_the_place_of_facts() -> None:
    found = resolve(default_values(), None, {"memory_bandwidth": 1e12, "kv_heads": None}).facts
    assert found["memory_bandwidth"].value == 1e12
    assert found["memory_bandwidth"].overridden
    assert found["kv_heads"].value is None
    assert not found["heads"].overridden


def test_a_model_by_the_path_of_its_configuration() -> None:
    found = facts(model=str(CONFIGS / "fp8-beside"))
    assert found.model.own
    assert found.model.entry.name == "fp8-beside"
    assert found.facts["layers"].value == 3
    assert found.facts["parameters"].source.endswith("fp8-beside")
    assert found.facts["weight_bits"].value == pytest.approx(8, abs=0.2)
    assert facts(model=str(CONFIGS / "grouped-heads.json")).model.entry.id == "grouped-heads"
    with pytest.raises(ConfigError, match="model_type"):
        facts(model=str(CONFIGS / "fp8-beside" / "hf_quant_config.json"))


def test_assumptions_of_a_configuration_are_doubts() -> None:
    found = facts(model=str(CONFIGS / "no-kv-heads.json")).facts["layers"]
    assert "assumed: tie_word_embeddings: false" in found.doubt


def test_a_device_by_the_path_of_a_file(tmp_path: Path) -> None:
    path = tmp_path / "device.toml"
    lines = [f"{name} = {json.dumps(part)}" for name, part in DEVICE.items() if not isinstance(part, dict)]
    path.write_text("[[accelerator]]\n" + "\n".join(lines) + "\ndense_tflops = { bf16 = 100 }\n", encoding="utf-8")
    found = facts(accelerator=str(path))
    assert found.accelerator.own
    assert found.facts["memory_bandwidth"].value == 1.5e12
    assert found.facts["memory_bandwidth"].source == f"{path}: a data sheet"
    assert found.facts["memory_bandwidth"].date == "2026-12-01"
    path.write_text('[[model]]\nid = "m"\nname = "m"\nvendor = "v"\nfamily = "f"\nparameters = 7\n', encoding="utf-8")
    with pytest.raises(BadFileError, match=r"must hold one \[\[accelerator\]\], it holds 0"):
        facts(accelerator=str(path))


@pytest.mark.parametrize("name", ["nowhere/device.toml", "~/no such file.toml", "meta-llama/Llama-9-8B"])
def test_a_path_that_leads_nowhere_is_told_apart_from_a_name(name: str) -> None:
    for kind in ("accelerator", "model"):
        with pytest.raises(UnknownNameError) as caught:
            facts(**{kind: name})
        assert "is neither in the catalogue nor a file" in str(caught.value)


def test_own_entries_reach_the_facts() -> None:
    model = {"id": "my-model", "name": "My model", "vendor": "v", "family": "f", "parameters": 10**10, "active": 10**9}
    profile = {"id": "mine", "name": "Mine", "factors": {"weights_efficiency": 0.5}, "note": "measured here"}
    book = load_catalog([layer(("model", model), ("profile", profile), name="our workspace")])
    found = resolve({**default_values(), "model": "my-model", "efficiency_profile": "mine"}, book)
    assert (found.facts["parameters"].value, found.facts["active_parameters"].value) == (10**10, 10**9)
    assert found.facts["weights_efficiency"].value == 0.5
    assert found.facts["kv_efficiency"].value == 1
    assert found.facts["parameters"].source == "our workspace"


def test_an_own_entry_in_the_place_of_a_shipped_one_is_noted() -> None:
    book = load_catalog([layer(("accelerator", {**DEVICE, "id": "h100-sxm-80gb"}), name="our workspace")])
    found = resolve(default_values(), book)
    assert found.facts["memory_bandwidth"].value == 1.5e12
    assert found.notes == ("The accelerator h100-sxm-80gb is our workspace's, in the place of the catalogue's.",)
    assert resolve(default_values()).notes == ()


def test_a_profile_that_is_out_of_bounds_is_refused() -> None:
    for factors, words in (
        ({"weights_efficiency": 1.5}, "weights_efficiency"),
        ({"speed": 1.0}, "'speed' is no factor of a profile"),
    ):
        with pytest.raises(CatalogError, match=words):
            Overlay.from_entries([("profile", {"id": "mine", "name": "Mine", "factors": factors})], "mine")


def test_a_path_is_kept_in_full_and_a_name_as_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "card.toml").write_text("")
    (tmp_path / "toy-7b").mkdir()
    field, catalog = INPUTS["model"], load_catalog()
    for written in ("~/card.toml", "card.toml", "./card.toml"):
        assert full_path(field, written, catalog) == str(tmp_path / "card.toml")
    for name in ("toy-7b", "~/other.toml", "~nobody-of-that-name/x", "x" * 200):
        assert full_path(field, name, catalog) == name
    assert full_path(INPUTS["currency"], "card.toml", catalog) == "card.toml"
    assert full_path(INPUTS["draft_model"], None, catalog) is None
    deep = tmp_path / ("d" * 120) / ("e" * 120)
    deep.mkdir(parents=True)
    with pytest.raises(InputError, match="200"):
        full_path(field, f"./{'d' * 120}/{'e' * 120}", catalog)
