"""Counts and bytes that follow from an architecture, and the facts a sheet sees."""

from __future__ import annotations

import pytest

from catalog import facts as model_facts
from catalog import load_catalog
from catalog.architecture import Architecture, Block, Dense, Experts
from catalog.book import FORMAT, MODEL
from catalog.entries import Format, Model
from catalog.mixers import Attention

CATALOG = load_catalog()


def architecture(name: str) -> Architecture:
    """The architecture of a model of the catalogue."""
    made = CATALOG.find(MODEL, name).entry.architecture
    assert made is not None
    return made


def model(name: str) -> Model:
    """A model of the catalogue."""
    return CATALOG.find(MODEL, name).entry


def format_of(word: str) -> Format:
    """A format of the catalogue."""
    return CATALOG.find(FORMAT, word).entry


# Published counts of the checkpoints: dense, tied, experts, latent attention, hybrids.
@pytest.mark.parametrize(
    ("name", "parameters", "active"),
    [
        ("llama-3.1-8b", 8_030_261_248, 7_504_924_672),
        ("llama-3.1-70b", 70_553_706_496, 69_503_033_344),
        ("llama-3.2-1b", 1_235_814_400, 1_235_814_400),
        ("qwen2.5-7b", 7_615_616_512, 7_070_619_136),
        ("mixtral-8x7b", 46_702_792_704, 12_748_853_248),
        ("deepseek-v3", 671_026_419_200, 36_625_618_432),
        ("gpt-oss-120b", 116_829_156_672, 5_132_849_472),
        ("nemotron-h-56b", 56_324_350_464, 55_250_608_640),
        ("jamba-v0.1", 51_570_323_328, 11_841_875_840),
    ],
)
def test_counts_of_known_models(name: str, parameters: int, active: int) -> None:
    made = architecture(name)
    assert (made.parameters, made.active_parameters) == (parameters, active)


def test_every_model_is_the_sum_of_its_groups() -> None:
    for found in CATALOG.all(MODEL):
        made = found.entry.architecture
        if made is None:
            continue
        mixing, feeding, rest = model_facts.dense_groups(made)
        assert mixing + feeding + rest == made.attention_parameters + made.dense_parameters
        tables = made.embedding_parameters + made.embedding_extra + made.head_parameters
        assert mixing + feeding + rest + made.expert_parameters + tables == made.parameters


# KV bytes per token in 16 bits, all layers in full: 2 x layers x KV heads x head size x 2, or the latent once.
@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("llama-3.1-8b", 2 * 32 * 8 * 128 * 2),
        ("llama-2-7b", 2 * 32 * 32 * 128 * 2),
        ("llama-3.1-70b", 2 * 80 * 8 * 128 * 2),
        ("falcon-7b", 2 * 32 * 1 * 64 * 2),
        ("deepseek-v3", 61 * (512 + 64) * 2),
        ("kimi-k3", 24 * (512 + 64) * 2),
        ("deepseek-v3.2", 61 * (512 + 64) * 2 + 61 * 128),
        ("qwen3-next-80b-a3b", 2 * 12 * 2 * 256 * 2),
        ("gemma-4-26b-a4b", (25 * 2 * 8 * 256 + 5 * 2 * 2 * 512) * 2),
        ("mimo-v2-flash", (9 * 4 + 39 * 8) * (192 + 128) * 2),
    ],
)
def test_kv_bytes_come_from_the_layers(name: str, expected: int) -> None:
    assert model_facts.kv_bytes_per_token(model(name), 16) == expected


def test_a_latent_is_shared_by_keys_and_values_in_the_facts() -> None:
    values = model_facts.shape(model("deepseek-v3")).values
    assert (values["mla_layers"], values["kv_heads"]) == (61, 1)
    assert (values["kv_lora_rank"], values["qk_rope_head_dim"]) == (512, 64)


def test_layers_without_a_mixer_are_counted_with_the_layer_before() -> None:
    figures = model_facts.shape(model("nemotron-h-56b"))
    assert (figures.values["layers"], figures.values["linear_layers"]) == (64, 54)
    assert "118 layers are published" in figures.doubts["layers"]
    searched = model_facts.shape(model("llama-3.3-nemotron-super-49b"))
    assert searched.values["layers"] == 49


@pytest.mark.parametrize(
    ("name", "others", "windows"),
    [
        # Window layers, KV heads and elements per head, as the families' config.json files have them.
        ("gemma-4-26b-a4b", (5, 2, 512), (25, 8, 256)),
        ("mimo-v2-flash", (9, 4, (192 + 128) / 2), (39, 8, (192 + 128) / 2)),
        ("gemma-3-27b", (10, 16, 128), (52, 0, 0)),
        ("gpt-oss-120b", (18, 8, 64), (18, 0, 0)),
    ],
)
def test_window_layers_have_heads_of_their_own(
    name: str, others: tuple[int, int, float], windows: tuple[int, int, float]
) -> None:
    values = {fact: value or 0 for fact, value in model_facts.shape(model(name)).values.items()}
    found = [values[fact] for fact in ("window_layers", "window_kv_heads", "window_head_dim", "kv_heads", "head_dim")]
    assert found == [*windows, *others[1:]]
    assert values["layers"] == windows[0] + others[0]


def test_the_facts_give_the_bytes_of_every_model() -> None:
    """KV bytes per token from the facts are the sum over the layers, wherever keys and values are as wide."""
    seen = 0
    for name in CATALOG.ids(MODEL):
        one = model(name)
        values = {fact: value or 0 for fact, value in model_facts.shape(one).values.items()}
        if one.architecture is None:
            continue
        sparse_ratio, full_ratio = max(1, values["sparse_ratio"]), max(1, values["full_ratio"])
        if values["mla_layers"]:
            full = values["mla_layers"] - values["sparse_layers"]
            entries = full / full_ratio + values["sparse_layers"] / sparse_ratio
            elements = entries * (values["kv_lora_rank"] + values["qk_rope_head_dim"])
        else:
            heads = values["window_kv_heads"] or values["kv_heads"]
            width = values["window_head_dim"] or values["head_dim"]
            others = values["layers"] - values["linear_layers"] - values["window_layers"]
            elements = 2 * (others * values["kv_heads"] * values["head_dim"] + values["window_layers"] * heads * width)
        expected = elements * 2 + values["sparse_layers"] * values["index_dim"] / sparse_ratio
        assert expected == model_facts.kv_bytes_per_token(one, 16), name
        seen += 1
    assert seen > 100


# GiB of a sequence of 2^20 tokens in 16 bits, the indexer's keys included, as vLLM's notes on the model give them
# (https://vllm.ai/blog/deepseek-v4, 2026-04-24): they keep those keys in two bytes, the sheet counts one.
@pytest.mark.parametrize(
    ("name", "published", "indexed"), [("deepseek-v4-pro", 9.62, 30), ("deepseek-v4-flash", 6.72, 21)]
)
def test_a_compressed_cache_is_as_large_as_published(name: str, published: float, indexed: int) -> None:
    tokens = 2**20
    values = model_facts.shape(model(name)).values
    ours = model_facts.kv_bytes_per_token(model(name), 16) * tokens + (values["state_bytes_per_sequence"] or 0)
    second_byte = indexed * 128 / 4 * tokens
    assert (ours + second_byte) / 2**30 == pytest.approx(published, rel=2e-3)
    assert (values["sparse_layers"], values["sparse_ratio"], values["full_ratio"]) == (indexed, 4, 128)


def test_only_a_number_of_parameters() -> None:
    values = model_facts.shape(model("toy-7b")).values
    assert values["parameters"] == values["active_parameters"] == 7e9
    assert values["head_parameters"] == values["layers"] == values["vocabulary"] == 0


# Real bits: GB of weights of Llama 3.1 8B, of which 1.05e9 parameters are tables in 16 bits.
@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("stored", 8_030_261_248 * 2),
        ("bf16", 8_030_261_248 * 2),
        ("fp32", 8_030_261_248 * 4),
        ("q8_0", 8_030_261_248 * 8.5 / 8),
    ],
)
def test_weight_bytes(word: str, expected: float) -> None:
    assert model_facts.weight_bytes(model("llama-3.1-8b"), word, format_of) == pytest.approx(expected, rel=1e-12)


def test_tables_and_norms_stay_in_16_bits() -> None:
    made = architecture("llama-3.1-8b")
    tables = made.embedding_parameters + made.head_parameters
    norms = 32 * 8192 + 4096
    linear = made.parameters - tables - norms
    expected = linear * 4.25 / 8 + (tables + norms) * 2
    assert model_facts.weight_bytes(model("llama-3.1-8b"), "int4", format_of) == pytest.approx(expected, rel=1e-12)


def test_a_checkpoint_with_narrow_experts_keeps_the_rest_wide() -> None:
    gpt_oss = model("gpt-oss-120b")
    made = architecture("gpt-oss-120b")
    expected = made.expert_parameters * 4.25 / 8 + (made.parameters - made.expert_parameters) * 2
    for word in ("stored", "mxfp4"):
        assert model_facts.weight_bytes(gpt_oss, word, format_of) == pytest.approx(expected, rel=1e-12)
    assert model_facts.weight_bytes(gpt_oss, "bf16", format_of) == pytest.approx(made.parameters * 2, rel=1e-12)


def test_groups_of_32_take_half_a_bit_for_their_scales() -> None:
    kimi = model("kimi-k2.5")
    widths = model_facts.bits(kimi, model_facts.layout(kimi, "stored"), format_of).values
    assert widths == {"weight_bits": 16.0, "expert_bits": 4.5, "embedding_bits": 16.0}


def test_a_block_holds_one_mixer_and_one_feed_forward_part() -> None:
    heads = Attention(heads=4, kv_heads=2, head_dim=8)
    with pytest.raises(ValueError, match="dense or has experts"):
        Block(layers=1, attention=heads, dense=Dense(width=8), experts=Experts(count=2, active=1, width=8))
    with pytest.raises(ValueError, match="needs a mixer"):
        Block(layers=1)
    with pytest.raises(ValueError, match="no multiple of kv_heads"):
        Attention(heads=4, kv_heads=3, head_dim=8)
    with pytest.raises(ValueError, match="more than the 2 experts"):
        Experts(count=2, active=3, width=8)
