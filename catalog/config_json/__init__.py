"""Reading a model's config.json into an architecture: every shape that is known, nothing guessed, no code run.

``read`` takes the path of a config.json or of a model folder. A model type that is not listed, a key whose meaning is
unknown, a missing or contradictory size is refused with its name.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from catalog.architecture import Architecture, Stored
from catalog.config_json import dense, hybrid, sparse
from catalog.config_json.document import Document, read_folder
from catalog.config_json.keys import Keys
from catalog.config_json.parts import HEAD_DIM, KV_HEADS, MAX_WIDTH, WIDTH
from catalog.config_json.quantisation import dtype, stored
from catalog.errors import ConfigError
from catalog.files import shown
from catalog.mixers import Attention, CompressedAttention, LatentAttention
from planner.model.fields import nearest

Reader = Callable[[Keys, str], Architecture]

READERS: dict[str, Reader] = {
    **dict.fromkeys(("llama", "mistral", "ministral", "internlm2", "baichuan", "yi", "granite", "aquila"), dense.llama),
    **dict.fromkeys(("qwen2", "qwen2_vl", "qwen2_vl_text", "qwen2_5_vl", "qwen2_5_vl_text", "mimo"), dense.qwen2),
    **dict.fromkeys(("qwen3", "qwen3_vl_text"), dense.qwen3),
    "gemma": dense.gemma,
    **dict.fromkeys(("gemma2", "gemma3", "gemma3_text"), dense.gemma2),
    "phi": dense.phi,
    "phi3": dense.phi3,
    "phimoe": dense.phimoe,
    **dict.fromkeys(("cohere", "cohere2"), dense.cohere),
    **dict.fromkeys(("olmo", "olmo2"), dense.olmo),
    "chatglm": dense.chatglm,
    "falcon": dense.falcon,
    "mpt": dense.mpt,
    **dict.fromkeys(("gpt2", "gpt_bigcode"), dense.gpt2),
    "gptj": dense.gptj,
    "gpt_neox": dense.gpt_neox,
    "opt": dense.opt,
    "bloom": dense.bloom,
    "nemotron-nas": dense.nemotron_nas,
    "mixtral": sparse.mixtral,
    **dict.fromkeys(("qwen2_moe", "qwen3_moe", "qwen3_vl_moe_text"), sparse.qwen_moe),
    "olmoe": sparse.olmoe,
    **dict.fromkeys(("llama4", "llama4_text"), sparse.llama4),
    **dict.fromkeys(("deepseek_v2", "deepseek_v3", "deepseek_v32", "kimi_k2", "glm_moe_dsa"), sparse.deepseek),
    "deepseek_v4": sparse.deepseek_v4,
    "minicpm3": sparse.minicpm3,
    "glm4_moe": sparse.glm4_moe,
    "gpt_oss": sparse.gpt_oss,
    "minimax_m2": sparse.minimax_m2,
    **dict.fromkeys(("minimax_m3", "minimax_m3_vl"), sparse.minimax_m3),
    "dbrx": sparse.dbrx,
    "mimo_v2_flash": sparse.mimo_v2,
    "step3p7": sparse.step3p7,
    **dict.fromkeys(("gemma4", "gemma4_text"), sparse.gemma4),
    **dict.fromkeys(("qwen3_next", "qwen3_5", "qwen3_5_text", "qwen3_5_moe", "qwen3_5_moe_text"), hybrid.qwen_hybrid),
    "kimi_linear": hybrid.kimi_linear,
    **dict.fromkeys(("minimax", "minimax_text_01"), hybrid.minimax_text),
    "nemotron_h": hybrid.nemotron_h,
    "jamba": hybrid.jamba,
    "mamba": hybrid.mamba,
}
"""Model types by the name their configuration gives, and who reads them."""

_NESTED = ("text_config", "llm_config", "language_config", "thinker_config")


@dataclass(frozen=True, slots=True)
class Reading:
    """What a configuration says: the architecture, how its weights are stored, and what was assumed.

    ``intermediate``, ``kv_heads`` and ``head_dim`` are as the file has them, also where the architecture does not
    use them. ``quantisation`` is the method's name in the file. ``assumed`` lists class defaults that stood in for
    absent keys.
    """

    architecture: Architecture
    stored: Stored
    quantisation: str | None = None
    dtype: str | None = None
    intermediate: int | None = None
    kv_heads: int | None = None
    head_dim: int | None = None
    query_rank: int | None = None
    prediction_layers: int = 0
    assumed: tuple[str, ...] = field(default=())

    @property
    def attention(self) -> str:
        """MHA, GQA, MQA, MLA or none."""
        for block in self.architecture.blocks:
            if isinstance(block.mixer, LatentAttention):
                return "MLA"
            if isinstance(block.mixer, CompressedAttention):
                return "MQA"
        kinds = [block.mixer for block in self.architecture.blocks if isinstance(block.mixer, Attention)]
        if not kinds:
            return "none"
        if all(one.kv_heads == one.heads for one in kinds):
            return "MHA"
        return "MQA" if all(one.kv_heads == 1 for one in kinds) else "GQA"

    @property
    def window(self) -> int | None:
        """The window of the layers that have one."""
        for block in self.architecture.blocks:
            if isinstance(block.mixer, (Attention, CompressedAttention)) and block.mixer.window is not None:
                return block.mixer.window
        return None


def read(path: Path) -> Reading:
    """The architecture that the config.json at ``path``, or in the folder ``path``, describes.

    Raises MissingFileError and ConfigError with one sentence each.
    """
    document, beside = read_folder(path)
    return interpret(document, shown(path), beside)


def interpret(document: Document, where: str, beside: Mapping[str, dict[str, Any]] | None = None) -> Reading:
    """The architecture that a parsed configuration describes; ``where`` names it in errors.

    Raises ConfigError.
    """
    outer = Keys(document, where)
    keys, name = _decoder(outer)
    model_type = keys.text("model_type") or (outer.text("model_type") if keys is not outer else None)
    if model_type is None:
        raise outer.refuse(f"{name}model_type is missing")
    reader = READERS.get(model_type)
    if reader is None:
        raise outer.refuse(f"{name}model_type = {model_type[:60]!r} is not known{nearest(model_type, READERS)}")
    _inherit(keys, outer)
    try:
        architecture = reader(keys, model_type)
    except ConfigError:
        raise
    except ValueError as error:
        raise outer.refuse(str(error)) from None
    word = dtype(keys, outer)
    if word is None:
        keys.assumed.append("torch_dtype: bfloat16, because the file names none")
    formats, method = stored(keys, outer, word, architecture.layers, beside or {})
    return _reading(keys, architecture, formats, method, word)


def _decoder(outer: Keys) -> tuple[Keys, str]:
    """The keys of the text decoder, which multimodal models nest."""
    for name in _NESTED:
        inner = outer.table(name)
        if inner is None:
            continue
        deeper = inner.table("text_config")
        if deeper is not None:
            return deeper, f"{name}.text_config."
        if len(inner.data) > 2:
            return inner, f"{name}."
    return outer, ""


def _inherit(keys: Keys, outer: Keys) -> None:
    """Tying and padding that multimodal models state outside the decoder's own table."""
    if keys is outer:
        return
    mine, theirs = keys.data.get("tie_word_embeddings"), outer.data.get("tie_word_embeddings")
    if mine is not None and theirs is not None and mine != theirs:
        raise outer.refuse(
            f"tie_word_embeddings = {str(theirs).lower()} contradicts {keys.name('tie_word_embeddings')} = "
            f"{str(mine).lower()}"
        )
    if mine is None and theirs is not None:
        keys.data = {**keys.data, "tie_word_embeddings": theirs}


def _reading(keys: Keys, made: Architecture, formats: Stored, method: str | None, word: str | None) -> Reading:
    mixers = [block.mixer for block in made.blocks if block.mixer is not None]
    main = next((one for one in mixers if isinstance(one, (Attention, LatentAttention, CompressedAttention))), None)
    kv: int | None = None
    dim: int | None = None
    if main is not None:
        kv = main.kv_heads if isinstance(main, Attention) else keys.maybe_integer(*KV_HEADS) or main.heads
        own = None if isinstance(main, LatentAttention) else main.head_dim
        dim = own or keys.maybe_integer(*HEAD_DIM, high=MAX_WIDTH) or made.hidden // main.heads
    rank = next((one.query_rank for one in mixers if isinstance(one, (LatentAttention, CompressedAttention))), None)
    modules = ("num_nextn_predict_layers", "mtp_num_hidden_layers", "num_mtp_modules")
    spare = next((count for name in modules if (count := keys.maybe_integer(name, low=0, high=64))), 0)
    return Reading(
        architecture=made,
        stored=formats,
        quantisation=method,
        dtype=word,
        intermediate=_intermediate(keys, made),
        kv_heads=kv,
        head_dim=dim,
        query_rank=rank,
        prediction_layers=spare,
        assumed=tuple(keys.assumed),
    )


def _intermediate(keys: Keys, made: Architecture) -> int | None:
    stated = next((keys.maybe_integer(name, high=10**8) for name in WIDTH if keys.has(name)), None)
    if stated is not None:
        return stated
    plain = next((block.dense for block in made.blocks if block.dense is not None and not block.dense.gated), None)
    return plain.width if plain is not None else None


__all__ = ["READERS", "Reading", "interpret", "read"]
