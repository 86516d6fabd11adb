# ruff: noqa: E501 - one case a line
"""Configurations that cannot be used are refused in one sentence that names what is unknown or wrong."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from catalog.config_json import interpret, read
from catalog.config_json.document import read_folder
from catalog.errors import CatalogError, ConfigError, MissingFileError
from catalog.files import MAX_BYTES
from tests.catalog.test_config_shapes import CONFIGS

Change = Callable[[dict[str, Any]], object]


def load(name: str) -> dict[str, Any]:
    """The fixture ``name`` as data."""
    document: dict[str, Any] = json.loads((CONFIGS / name).read_text(encoding="utf-8"))
    return document


def refusal(document: dict[str, Any]) -> str:
    """The sentence that ``document`` is refused with."""
    with pytest.raises(ConfigError) as caught:
        interpret(document, "config.json")
    text = str(caught.value)
    assert text.count("\n") == 0
    assert text.endswith(".")
    return text


# A fixture, a change to it, and what the sentence must name.
REFUSED: list[tuple[str, str, Change, str]] = [
    ("unknown model type", "grouped-heads.json", lambda d: d.update(model_type="lama"), "model_type = 'lama' is not known; nearest: llama"),
    ("no model type", "grouped-heads.json", lambda d: d.pop("model_type"), "model_type is missing"),
    ("nested model type unknown", "nested-text-config.json", lambda d: d["text_config"].update(model_type="gemma9"), "text_config.model_type = 'gemma9' is not known"),
    ("no layers", "grouped-heads.json", lambda d: d.pop("num_hidden_layers"), "num_hidden_layers is missing"),
    ("layers null", "grouped-heads.json", lambda d: d.update(num_hidden_layers=None), "num_hidden_layers is missing"),
    ("no hidden size", "grouped-heads.json", lambda d: d.pop("hidden_size"), "hidden_size is missing"),
    ("no heads", "grouped-heads.json", lambda d: d.pop("num_attention_heads"), "num_attention_heads is missing"),
    ("no vocabulary", "grouped-heads.json", lambda d: d.pop("vocab_size"), "vocab_size is missing"),
    ("no width", "grouped-heads.json", lambda d: d.pop("intermediate_size"), "intermediate_size is missing"),
    ("heads do not divide", "grouped-heads.json", lambda d: d.update(num_key_value_heads=3), "num_attention_heads = 8 contradicts num_key_value_heads = 3"),
    ("more kv heads than heads", "grouped-heads.json", lambda d: d.update(num_key_value_heads=16), "contradicts num_key_value_heads = 16"),
    ("hidden not over heads", "grouped-heads.json", lambda d: d.update(num_attention_heads=6, num_key_value_heads=2), "no multiple of num_attention_heads = 6"),
    ("two spellings disagree", "falcon-keys.json", lambda d: d.update(n_layer=4), "num_hidden_layers = 3 contradicts n_layer = 4"),
    ("layers a text", "grouped-heads.json", lambda d: d.update(num_hidden_layers="32"), "num_hidden_layers = '32' is not a whole number"),
    ("layers true", "grouped-heads.json", lambda d: d.update(num_hidden_layers=True), "num_hidden_layers = true is not a whole number"),
    ("layers a list", "grouped-heads.json", lambda d: d.update(num_hidden_layers=[32]), "num_hidden_layers = list is not a whole number"),
    ("layers a fraction", "grouped-heads.json", lambda d: d.update(num_hidden_layers=3.5), "num_hidden_layers = 3.5 is not a whole number"),
    ("layers NaN", "grouped-heads.json", lambda d: d.update(num_hidden_layers=float("nan")), "num_hidden_layers = nan is not a whole number"),
    ("hidden infinite", "grouped-heads.json", lambda d: d.update(hidden_size=float("inf")), "hidden_size = inf is not a whole number"),
    ("layers zero", "grouped-heads.json", lambda d: d.update(num_hidden_layers=0), "num_hidden_layers = 0 is not within 1 to 1000"),
    ("layers negative", "grouped-heads.json", lambda d: d.update(num_hidden_layers=-1), "num_hidden_layers = -1 is not within"),
    ("layers a million", "grouped-heads.json", lambda d: d.update(num_hidden_layers=10**6), "num_hidden_layers = 1000000 is not within"),
    ("vocabulary huge", "grouped-heads.json", lambda d: d.update(vocab_size=10**30), "vocab_size = 1000000000000000000000000000000 is not within"),
    ("tying a text", "grouped-heads.json", lambda d: d.update(tie_word_embeddings="yes"), "tie_word_embeddings = 'yes' is not true or false"),
    ("tying contradicts", "linear-hybrid-nested-awq.json", lambda d: d["text_config"].update(tie_word_embeddings=False), "tie_word_embeddings = true contradicts text_config.tie_word_embeddings = false"),
    ("text_config a text", "nested-text-config.json", lambda d: d.update(text_config="gemma"), "text_config = 'gemma' is not an object"),
    ("dtype unknown", "grouped-heads.json", lambda d: d.update(torch_dtype="float3"), "torch_dtype = 'float3' is not known"),
    ("experts in a dense type", "grouped-heads.json", lambda d: d.update(num_local_experts=8), "num_local_experts = 8 is not known for this model type"),
    ("latent attention in a dense type", "grouped-heads.json", lambda d: d.update(kv_lora_rank=512), "kv_lora_rank = 512 is not known for this model type"),
    ("more active than experts", "experts-of-dense-width.json", lambda d: d.update(num_experts_per_tok=5), "num_experts_per_tok = 5 contradicts num_local_experts = 4"),
    ("no experts", "experts-of-dense-width.json", lambda d: d.pop("num_local_experts"), "num_local_experts is missing"),
    ("no active experts", "experts-of-dense-width.json", lambda d: d.pop("num_experts_per_tok"), "num_experts_per_tok is missing"),
    ("expert width missing", "experts-fp8-blocks.json", lambda d: d.pop("moe_intermediate_size"), "moe_intermediate_size is missing"),
    ("latent rank missing", "latent-attention-fp8.json", lambda d: d.pop("kv_lora_rank"), "kv_lora_rank is missing"),
    ("rope part missing", "latent-attention-fp8.json", lambda d: d.pop("qk_rope_head_dim"), "qk_rope_head_dim is missing"),
    ("latent without experts", "latent-attention-fp8.json", lambda d: d.pop("n_routed_experts"), "n_routed_experts is missing"),
    ("latent with biases", "latent-attention-fp8.json", lambda d: d.update(attention_bias=True), "attention_bias = true is not known"),
    ("indexer half there", "latent-attention-indexer.json", lambda d: d.pop("index_n_heads"), "index_n_heads is missing"),
    ("layer word unknown", "sliding-sinks-mxfp4.json", lambda d: d.update(layer_types=["ring_attention"] * 4), "layer_types holds 'ring_attention'"),
    ("layer words too few", "sliding-sinks-mxfp4.json", lambda d: d.update(layer_types=["full_attention"] * 3), "layer_types has 3 entries for 4 layers"),
    ("layer words a text", "sliding-sinks-mxfp4.json", lambda d: d.update(layer_types="full_attention"), "layer_types = 'full_attention' is not a list"),
    ("window missing", "sliding-sinks-mxfp4.json", lambda d: d.pop("sliding_window"), "sliding_window is missing"),
    ("ratios too few", "compressed-attention.json", lambda d: d.update(compress_ratios=[4, 4]), "compress_ratios has 2 entries for 4 layers"),
    ("ratios of text", "compressed-attention.json", lambda d: d.update(compress_ratios=["4"] * 4), "compress_ratios must hold whole numbers"),
    ("pattern letter unknown", "block-pattern.json", lambda d: d.update(hybrid_override_pattern="M-X*-ME"), "hybrid_override_pattern holds 'X'"),
    ("pattern too long", "block-pattern.json", lambda d: d.update(hybrid_override_pattern="M-M*-MEE"), "the layer pattern has 8 entries for num_hidden_layers = 7"),
    ("no pattern", "block-pattern.json", lambda d: d.pop("hybrid_override_pattern"), "hybrid_override_pattern is missing"),
    ("state type unknown", "block-pattern.json", lambda d: d.update(mamba_ssm_cache_dtype="int3"), "mamba_ssm_cache_dtype = 'int3' is not known"),
    ("layers named twice", "delta-hybrid-latent-experts.json", lambda d: d["text_config"]["linear_attn_config"].update(full_attn_layers=[3, 4]), "must name each of the 4 layers once"),
    ("linear layer in search", "searched-layers.json", lambda d: d["block_configs"][0]["ffn"].update(replace_with_linear=True), "block_configs[0].ffn.replace_with_linear = true is not known"),
    ("searched layer empty", "searched-layers.json", lambda d: d["block_configs"].__setitem__(1, 7), "block_configs[1] is not an object"),
    ("searched width infinite", "searched-layers.json", lambda d: d["block_configs"][0]["ffn"].update(ffn_mult=float("inf")), "ffn_mult = inf is not a finite number"),
    ("biases where none are known", "mpt-keys.json", lambda d: d.update(no_bias=False), "no_bias = false is not known"),
    ("quantisation unknown", "experts-fp8-blocks.json", lambda d: d["quantization_config"].update(quant_method="magic"), "quant_method = 'magic' is not known"),
    ("quantisation without a method", "experts-fp8-blocks.json", lambda d: d.update(quantization_config={"bits": 4}), "quantization_config.quant_method is missing"),
    ("quantisation a text", "grouped-heads.json", lambda d: d.update(quantization_config="awq"), "quantization_config = 'awq' is not an object"),
    ("bits out of bounds", "gptq-inside.json", lambda d: d["quantization_config"].update(bits=64), "quantization_config.bits = 64 is not within 2 to 8"),
    ("bits missing", "gptq-inside.json", lambda d: d["quantization_config"].pop("bits"), "quantization_config.bits is missing"),
    ("algorithm unknown", "nvfp4-inside.json", lambda d: d["quantization_config"].update(quant_algo="FP3"), "quant_algo = 'FP3' is not known"),
    ("weights unknown", "delta-hybrid-latent-experts.json", lambda d: d["text_config"]["quantization_config"]["config_groups"]["group_0"]["weights"].update(type="posit"), "4-bit posit weights are not known"),
    ("expert format unknown", "compressed-attention.json", lambda d: d.update(expert_dtype="fp3"), "expert_dtype = 'fp3' is not known"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "change", "words"), [case[1:] for case in REFUSED], ids=[case[0] for case in REFUSED])
def test_refused_with_its_name(name: str, change: Change, words: str) -> None:
    document = load(name)
    change(document)
    assert words in refusal(document)


# Bytes of a file, and what the sentence must say.
UNREADABLE: list[tuple[str, bytes, str]] = [
    ("empty", b"", "is empty"),
    ("blank", b" \n ", "is empty"),
    (
        "not JSON",
        b"{'model_type': 'llama'}",
        "is not JSON: expecting property name enclosed in double quotes in line 1",
    ),
    ("cut off", b'{"model_type": "llama",', "is not JSON"),
    ("YAML", b"model_type: llama\n", "is not JSON"),
    ("a list", b"[1, 2]", "must hold a JSON object, not a list"),
    ("a text", b'"llama"', "must hold a JSON object, not a text"),
    ("NaN alone", b"NaN", "not a number that is not finite"),
    ("null", b"null", "must hold a JSON object, not null"),
    ("UTF-16", '{"model_type": "llama"}'.encode("utf-16"), "is not UTF-8 text (byte 0)"),
    ("Latin-1", '{"model_type": "llamä"}'.encode("latin-1"), "is not UTF-8 text"),
    ("a key twice", b'{"model_type": "llama", "hidden_size": 1, "hidden_size": 2}', "names 'hidden_size' twice"),
    ("deep lists", b'{"a": ' + b"[" * 100_000 + b"]" * 100_000 + b"}", "nested more than 32 levels deep"),
    ("deep objects", b'{"a": ' * 40 + b"1" + b"}" * 40, "nested more than 32 levels deep"),
    ("a number of ten thousand digits", b'{"hidden_size": ' + b"9" * 10_000 + b"}", "is not usable"),
    ("10 MB", b'{"model_type": "llama", "pad": "' + b"x" * 10_000_000 + b'"}', "is larger than 4 MB"),
]


@pytest.mark.parametrize(("raw", "words"), [case[1:] for case in UNREADABLE], ids=[case[0] for case in UNREADABLE])
def test_unreadable_file(tmp_path: Path, raw: bytes, words: str) -> None:
    path = tmp_path / "config.json"
    path.write_bytes(raw)
    with pytest.raises(ConfigError) as caught:
        read(path)
    assert words in str(caught.value)
    assert "config.json" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_mark_at_the_start_is_no_fault(tmp_path: Path) -> None:
    path = tmp_path / "config.json"
    path.write_bytes(b"\xef\xbb\xbf" + (CONFIGS / "grouped-heads.json").read_bytes())
    assert read(path) == read(CONFIGS / "grouped-heads.json")


def test_missing_file_and_folder_without_a_configuration(tmp_path: Path) -> None:
    with pytest.raises(MissingFileError, match="does not exist"):
        read(tmp_path / "nowhere" / "config.json")
    with pytest.raises(MissingFileError, match=r"is a folder without a config\.json"):
        read(tmp_path)
    with pytest.raises(MissingFileError):
        read(tmp_path / ("x" * 10) / "\0")


def test_a_folder_in_the_place_of_the_file(tmp_path: Path) -> None:
    (tmp_path / "config.json").mkdir()
    with pytest.raises(ConfigError, match="is not a regular file"):
        read(tmp_path)


def test_a_pipe_is_refused_at_once(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "config.json")
    outcome: list[str] = []

    def attempt() -> None:
        try:
            read(tmp_path)
        except CatalogError as error:
            outcome.append(str(error))

    worker = threading.Thread(target=attempt, daemon=True)
    worker.start()
    worker.join(timeout=1)
    assert outcome, "reading a pipe must not wait for a writer"
    assert "is not a regular file" in outcome[0]


def test_an_unreadable_quantisation_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_bytes((CONFIGS / "grouped-heads.json").read_bytes())
    (tmp_path / "hf_quant_config.json").write_text("{", encoding="utf-8")
    with pytest.raises(ConfigError, match=r"hf_quant_config\.json is not JSON"):
        read(tmp_path)
    (tmp_path / "hf_quant_config.json").write_text('{"quantization": {"quant_algo": "FP3"}}', encoding="utf-8")
    with pytest.raises(ConfigError, match=r"hf_quant_config\.json.*quant_algo = 'FP3' is not known"):
        read(tmp_path)


def test_nothing_in_the_folder_is_run(tmp_path: Path) -> None:
    document = load("grouped-heads.json")
    document["auto_map"] = {"AutoConfig": "configuration_evil.EvilConfig"}
    (tmp_path / "config.json").write_text(json.dumps(document), encoding="utf-8")
    (tmp_path / "configuration_evil.py").write_text("raise SystemExit('run')\n", encoding="utf-8")
    assert read(tmp_path).architecture.layers == 3


def test_the_bound_leaves_room_for_real_files() -> None:
    assert 3_100_000 < MAX_BYTES < 10_000_000
    document, beside = read_folder(CONFIGS / "fp8-beside")
    assert document["model_type"] == "llama"
    assert list(beside) == ["hf_quant_config.json"]
