"""Every shape of config.json that the reader knows, on small files of the project's own."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from catalog.config_json import Reading, read
from catalog.mixers import Attention, CompressedAttention, GatedDelta, LatentAttention, Mamba2
from tests.catalog import oracles

CONFIGS = Path(__file__).parent / "fixtures" / "configs"

# Parameters, active parameters, attention, layers by kind, quantisation as the file names it, formats of attention,
# dense layers and experts.
EXPECTED: dict[str, tuple[int, int, str, dict[str, int], str | None, str]] = {
    "alternating-windows.json": (242752, 242752, "GQA", {"sliding": 2, "full": 2}, None, "bf16 bf16 bf16"),
    "awq-beside": (164288, 143808, "GQA", {"full": 3}, "awq", "int4 int4 int4"),
    "block-pattern.json": (152616, 123944, "GQA", {"mamba2": 3, "mlp": 2, "full": 1, "moe": 1}, None, "bf16 bf16 bf16"),
    "bloom-keys.json": (120704, 120576, "MHA", {"full": 2}, None, "bf16 bf16 bf16"),
    "chatglm-keys.json": (164576, 144096, "GQA", {"full": 3}, None, "bf16 bf16 bf16"),
    "chunked-experts-nested.json": (234560, 177216, "GQA", {"chunked": 3, "full": 1}, None, "bf16 bf16 bf16"),
    "compressed-attention.json": (354880, 186944, "MQA", {"full": 4}, "fp8", "fp8 fp8 mxfp4"),
    "delta-hybrid-latent-experts.json": (
        237036, 161260, "MLA", {"kda": 3, "full": 1}, "compressed-tensors", "bf16 bf16 mxfp4",
    ),
    "experts-fp8-blocks.json": (251936, 120864, "GQA", {"full": 3}, "fp8", "fp8 fp8 fp8"),
    "experts-of-dense-width.json": (441536, 236736, "GQA", {"full": 3}, None, "bf16 bf16 bf16"),
    "explicit-head-dim.json": (195008, 174528, "GQA", {"full": 3}, None, "bf16 bf16 bf16"),
    "falcon-keys.json": (150400, 150400, "GQA", {"full": 3}, None, "bf16 bf16 bf16"),
    "fp8-beside": (164288, 143808, "GQA", {"full": 3}, "modelopt", "fp8 fp8 fp8"),
    "gpt2-keys.json": (178752, 170560, "MHA", {"full": 3}, None, "bf16 bf16 bf16"),
    "gptq-beside": (164288, 143808, "GQA", {"full": 3}, "gptq", "int4 int4 int4"),
    "gptq-inside.json": (164288, 143808, "GQA", {"full": 3}, "gptq", "int4 int4 int4"),
    "grouped-heads.json": (164288, 143808, "GQA", {"full": 3}, None, "bf16 bf16 bf16"),
    "infinity-where-nothing-reads.json": (
        152616, 123944, "GQA", {"mamba2": 3, "mlp": 2, "full": 1, "moe": 1}, None, "bf16 bf16 bf16",
    ),
    "latent-attention-fp8.json": (327072, 196000, "MLA", {"full": 5}, "fp8", "fp8 fp8 fp8"),
    "latent-attention-indexer.json": (334832, 203760, "MLA", {"full": 5}, "fp8", "fp8 fp8 fp8"),
    "latent-attention-no-query-rank.json": (356880, 225808, "MLA", {"full": 5}, None, "bf16 bf16 bf16"),
    "linear-hybrid-nested-awq.json": (193508, 193508, "GQA", {"linear": 3, "full": 1}, "awq", "int4 int4 int4"),
    "linear-hybrid.json": (387360, 219424, "GQA", {"linear": 6, "full": 2}, None, "bf16 bf16 bf16"),
    "mixed-precision-inside.json": (164288, 143808, "GQA", {"full": 3}, "modelopt", "fp8 nvfp4 bf16"),
    "mpt-keys.json": (168384, 168384, "MHA", {"full": 3}, None, "bf16 bf16 bf16"),
    "nested-llm-config.json": (164288, 143808, "GQA", {"full": 3}, None, "bf16 bf16 bf16"),
    "nested-text-config.json": (409632, 409632, "GQA", {"sliding": 6, "full": 1}, None, "bf16 bf16 bf16"),
    "no-kv-heads.json": (182720, 162240, "MHA", {"full": 3}, None, "fp16 fp16 fp16"),
    "nvfp4-inside.json": (164288, 143808, "GQA", {"full": 3}, "modelopt", "bf16 nvfp4 nvfp4"),
    "searched-layers.json": (2459904, 2337024, "GQA", {"full": 2, "mlp": 1}, None, "bf16 bf16 bf16"),
    "shared-expert-gate.json": (230720, 154944, "MHA", {"full": 3}, None, "bf16 bf16 bf16"),
    "sliding-sinks-mxfp4.json": (351096, 180600, "GQA", {"sliding": 2, "full": 2}, "mxfp4", "bf16 mxfp4 mxfp4"),
    "state-space-alone.json": (139072, 139072, "none", {"mamba1": 4}, None, "bf16 bf16 bf16"),
    "state-space-and-attention.json": (388860, 270076, "GQA", {"mamba1": 3, "full": 1}, None, "bf16 bf16 bf16"),
    "window-beyond-context.json": (182720, 162240, "MHA", {"full": 3}, None, "bf16 bf16 bf16"),
    "window-on-all-layers.json": (164288, 143808, "GQA", {"sliding": 3}, None, "bf16 bf16 bf16"),
    "window-switched-off.json": (164576, 144096, "GQA", {"full": 3}, None, "bf16 bf16 bf16"),
}  # fmt: skip

ORACLES: dict[str, Callable[[], int]] = {
    "alternating-windows.json": oracles.gemma2,
    "block-pattern.json": oracles.nemotron_h,
    "bloom-keys.json": oracles.bloom,
    "delta-hybrid-latent-experts.json": oracles.kimi_linear,
    "experts-of-dense-width.json": oracles.mixtral,
    "falcon-keys.json": oracles.falcon,
    "gpt2-keys.json": oracles.gpt2,
    "grouped-heads.json": oracles.llama,
    "latent-attention-fp8.json": oracles.deepseek_v3,
    "latent-attention-indexer.json": oracles.deepseek_v32,
    "latent-attention-no-query-rank.json": oracles.deepseek_v2,
    "linear-hybrid.json": oracles.qwen3_next,
    "mpt-keys.json": oracles.mpt,
    "nested-text-config.json": oracles.gemma3,
    "sliding-sinks-mxfp4.json": oracles.gpt_oss,
    "state-space-alone.json": oracles.mamba,
    "state-space-and-attention.json": oracles.jamba,
}


def reading(name: str) -> Reading:
    """What the fixture ``name`` says."""
    return read(CONFIGS / name)


def test_every_fixture_is_expected() -> None:
    assert {path.name for path in CONFIGS.iterdir()} == set(EXPECTED)


@pytest.mark.parametrize("name", EXPECTED)
def test_shape(name: str) -> None:
    found = reading(name)
    made, stored = found.architecture, found.stored
    parameters, active, kind, counts, method, formats = EXPECTED[name]
    assert made.parameters == parameters
    assert made.active_parameters == active
    assert found.attention == kind
    assert made.layer_counts() == counts
    assert found.quantisation == method
    assert f"{stored.attention} {stored.dense} {stored.experts}" == formats
    assert stored.embedding in ("bf16", "fp16")


@pytest.mark.parametrize("name", ORACLES)
def test_counts_equal_the_tensors_listed_one_by_one(name: str) -> None:
    assert reading(name).architecture.parameters == ORACLES[name]()


def test_absent_kv_heads_mean_one_for_each_query_head() -> None:
    found = reading("no-kv-heads.json")
    assert (found.kv_heads, found.head_dim, found.architecture.context) == (8, 8, 256)
    assert found.assumed == ("tie_word_embeddings: false, the default of its class",)


def test_head_dim_is_not_always_hidden_over_heads() -> None:
    mixer = reading("explicit-head-dim.json").architecture.blocks[0].mixer
    assert isinstance(mixer, Attention)
    assert (mixer.head_dim, mixer.cached_elements()) == (16, 2 * 2 * 16)


def test_latent_attention_caches_one_latent_for_keys_and_values() -> None:
    mixer = reading("latent-attention-fp8.json").architecture.blocks[0].mixer
    assert isinstance(mixer, LatentAttention)
    assert mixer.cached_elements() == 16 + 4


def test_prediction_modules_are_counted_apart() -> None:
    assert reading("latent-attention-fp8.json").prediction_layers == 1


def test_windows_and_the_words_for_them() -> None:
    assert reading("window-on-all-layers.json").window == 128
    assert reading("window-beyond-context.json").window is None
    assert reading("window-switched-off.json").window is None
    assert reading("chunked-experts-nested.json").window == 64


def test_state_of_linear_layers() -> None:
    mixer = reading("linear-hybrid.json").architecture.blocks[0].mixer
    assert isinstance(mixer, GatedDelta)
    # Four value heads of 8 x 8 in 16 bits, and three earlier inputs of queries, keys and values in 16 bits.
    assert mixer.state_bytes() == 4 * 8 * 8 * 2 + (16 + 16 + 32) * 3 * 2
    assert mixer.cached_elements() == 0


def test_state_precision_follows_the_file() -> None:
    mixer = reading("block-pattern.json").architecture.blocks[0].mixer
    assert isinstance(mixer, Mamba2)
    assert mixer.state_bytes() == 4 * 8 * 16 * 4 + (32 + 2 * 2 * 16) * 3 * 2


def test_compressed_attention_keeps_its_ratios_and_drops_the_prediction_module() -> None:
    made = reading("compressed-attention.json").architecture
    ratios = {}
    for block in made.blocks:
        assert isinstance(block.mixer, CompressedAttention)
        ratios[block.mixer.ratio] = (block.layers, block.mixer.indexer is not None)
    assert ratios == {0: (1, False), 4: (2, True), 128: (1, False)}


def test_groups_of_quantised_weights_take_real_bits() -> None:
    assert reading("gptq-inside.json").stored.bits == {"attention": 4.5, "dense": 4.5, "experts": 4.5}
    assert reading("gptq-beside").stored.bits == {}


def test_kv_format_that_a_checkpoint_asks_for() -> None:
    assert reading("fp8-beside").stored.kv == "fp8"
    assert reading("nvfp4-inside.json").stored.kv == "fp8"
    assert reading("grouped-heads.json").stored.kv is None


def test_a_path_to_the_file_and_to_its_folder_say_the_same() -> None:
    assert read(CONFIGS / "fp8-beside" / "config.json") == read(CONFIGS / "fp8-beside")
