"""Readers of dense families: Llama and its kin, Qwen, Gemma, Phi, GPT-2 style, Falcon, MPT, BLOOM and others.

Each follows the reference implementation of its model type: which matrices, biases and norms a layer has.
"""

from __future__ import annotations

from catalog.architecture import Architecture, Dense
from catalog.config_json.keys import Keys
from catalog.config_json.parts import (
    MAX_LAYERS,
    WIDTH,
    Layer,
    Sizes,
    attention,
    check_heads,
    decoder,
    experts,
    heads,
    layer_kinds,
    no_experts,
    sizes,
    width,
)
from catalog.mixers import Attention


def _window(keys: Keys, base: Sizes, name: str = "sliding_window") -> int | None:
    """A window that is shorter than the context; a longer one changes nothing."""
    window = keys.maybe_integer(name)
    return None if window is None or (base.context is not None and window >= base.context) else window


def llama(keys: Keys, model_type: str) -> Architecture:
    """Llama, Mistral, Yi, InternLM2, Granite and others with the same layer; windows on all layers where one is set."""
    no_experts(keys)
    base = sizes(keys, tied=model_type == "granite")
    count, kv, dim = heads(keys, base.hidden)
    bias = keys.flag("attention_bias", "bias")
    mlp_bias = keys.flag("mlp_bias")
    feed = width(keys)
    mixer = attention(
        count, kv, dim, base.hidden, query_bias=bias, output_bias=bias,
        window=_window(keys, base) if model_type in ("mistral", "ministral") else None,
    )  # fmt: skip
    dense = Dense(width=feed, extra=2 * feed + base.hidden if mlp_bias else 0)
    return decoder(model_type, base, [Layer(mixer, dense, 2 * base.hidden)] * base.layers, final_norm=base.hidden)


def qwen2(keys: Keys, model_type: str) -> Architecture:
    """Qwen2, Qwen2.5 and their vision models' decoders, MiMo: biases on queries, keys and values."""
    no_experts(keys)
    base = sizes(keys, tied=False)
    count, kv, dim = heads(keys, base.hidden)
    bias = keys.flag("attention_bias") if model_type == "mimo" else True
    window = _window(keys, base) if keys.flag("use_sliding_window") else None
    full = attention(count, kv, dim, base.hidden, query_bias=bias)
    sliding = attention(count, kv, dim, base.hidden, query_bias=bias, window=window)
    first = keys.integer("max_window_layers", default=base.layers, low=0, high=MAX_LAYERS)
    dense = Dense(width=width(keys))
    layers = [
        Layer(sliding if window is not None and index >= first else full, dense, 2 * base.hidden)
        for index in range(base.layers)
    ]
    return decoder(model_type, base, layers, final_norm=base.hidden)


def qwen3(keys: Keys, model_type: str) -> Architecture:
    """Qwen3 dense: norms on queries and keys per head."""
    no_experts(keys)
    base = sizes(keys, tied=False)
    bias = keys.flag("attention_bias")
    mixer = attention(
        *heads(keys, base.hidden), base.hidden, query_bias=bias, output_bias=bias, head_norms=True
    )  # fmt: skip
    if keys.flag("use_sliding_window"):
        raise keys.refuse("use_sliding_window = true is not known for this model type")
    dense = Dense(width=width(keys))
    return decoder(model_type, base, [Layer(mixer, dense, 2 * base.hidden)] * base.layers, final_norm=base.hidden)


def gemma(keys: Keys, model_type: str) -> Architecture:
    """Gemma: wide heads, tied table."""
    no_experts(keys)
    base = sizes(keys, tied=True)
    mixer = attention(*heads(keys, base.hidden), base.hidden)
    dense = Dense(width=width(keys))
    return decoder(model_type, base, [Layer(mixer, dense, 2 * base.hidden)] * base.layers, final_norm=base.hidden)


_GEMMA3_DEFAULTS = {"num_attention_heads": 8, "num_key_value_heads": 4, "head_dim": 256, "vocab_size": 262208}


def gemma2(keys: Keys, model_type: str) -> Architecture:
    """Gemma 2 and 3: four norms a layer, windows on every second or on five of six layers."""
    no_experts(keys)
    third = model_type != "gemma2"
    if third:
        for name, value in _GEMMA3_DEFAULTS.items():
            if not keys.has(name):
                keys.assumed.append(f"{keys.name(name)}: {value}, the default of its class")
        keys.data = {**_GEMMA3_DEFAULTS, **{name: value for name, value in keys.data.items() if value is not None}}
    base = sizes(keys, tied=True, context=131072 if third else 8192)
    count, kv, dim = heads(keys, base.hidden)
    window = keys.integer("sliding_window", default=None if third else 4096)
    period = keys.integer("sliding_window_pattern", "_sliding_window_pattern", default=6 if third else 2)
    kinds = layer_kinds(keys, base.layers, ("full", "sliding")) or [
        "sliding" if (index + 1) % period else "full" for index in range(base.layers)
    ]
    dense = Dense(width=width(keys))
    mixers = {
        "full": attention(count, kv, dim, base.hidden, head_norms=third),
        "sliding": attention(count, kv, dim, base.hidden, head_norms=third, window=window),
    }
    layers = [Layer(mixers[kind], dense, 4 * base.hidden) for kind in kinds]
    return decoder(model_type, base, layers, final_norm=base.hidden)


def phi(keys: Keys, model_type: str) -> Architecture:
    """Phi-1.5 and Phi-2: parallel blocks with one norm, biases everywhere, a biased head."""
    no_experts(keys)
    keys.only("qk_layernorm", False, "norms on queries and keys")
    base = sizes(keys, tied=False)
    count, kv, dim = heads(keys, base.hidden)
    mixer = attention(count, kv, dim, base.hidden, query_bias=True, output_bias=True)
    feed = keys.integer(*WIDTH, default=4 * base.hidden)
    dense = Dense(width=feed, gated=False, extra=feed + base.hidden)
    layers = [Layer(mixer, dense, 2 * base.hidden)] * base.layers
    return decoder(model_type, base, layers, final_norm=2 * base.hidden, head_extra=base.vocabulary)


def phi3(keys: Keys, model_type: str) -> Architecture:
    """Phi-3 and Phi-4: a Llama layer; a window shorter than the context holds for all layers."""
    no_experts(keys)
    base = sizes(keys, tied=False)
    mixer = attention(*heads(keys, base.hidden), base.hidden, window=_window(keys, base))
    dense = Dense(width=width(keys))
    return decoder(model_type, base, [Layer(mixer, dense, 2 * base.hidden)] * base.layers, final_norm=base.hidden)


def phimoe(keys: Keys, model_type: str) -> Architecture:
    """Phi-3.5-MoE: experts of the dense width, biased norms, optionally biased attention and head."""
    base = sizes(keys, tied=False)
    bias = keys.flag("attention_bias")
    mixer = attention(*heads(keys, base.hidden), base.hidden, query_bias=bias, output_bias=bias)
    routed = experts(keys, expert_width=width(keys))
    head = base.vocabulary if keys.flag("lm_head_bias") else 0
    layers = [Layer(mixer, routed, 4 * base.hidden)] * base.layers
    return decoder(model_type, base, layers, final_norm=2 * base.hidden, head_extra=head)


def cohere(keys: Keys, model_type: str) -> Architecture:
    """Command R: parallel blocks with one norm, tied table; Command R7B and A with windows on three of four layers."""
    no_experts(keys)
    base = sizes(keys, tied=True)
    count, kv, dim = heads(keys, base.hidden)
    norms = keys.flag("use_qk_norm")
    bias = keys.flag("attention_bias")
    full = attention(count, kv, dim, base.hidden, query_bias=bias, output_bias=bias, wide_norms=norms)
    kinds = ["full"] * base.layers
    sliding: Attention = full
    if model_type == "cohere2":
        window = keys.integer("sliding_window")
        period = keys.integer("sliding_window_pattern", default=4)
        sliding = attention(
            count, kv, dim, base.hidden, query_bias=bias, output_bias=bias, wide_norms=norms, window=window
        )  # fmt: skip
        kinds = layer_kinds(keys, base.layers, ("full", "sliding")) or [
            "sliding" if (index + 1) % period else "full" for index in range(base.layers)
        ]
    dense = Dense(width=width(keys))
    layers = [Layer(full if kind == "full" else sliding, dense, base.hidden) for kind in kinds]
    return decoder(model_type, base, layers, final_norm=base.hidden)


def olmo(keys: Keys, model_type: str) -> Architecture:
    """OLMo (norms without parameters) and OLMo 2 (norms after each part, full-width norms on queries and keys)."""
    no_experts(keys)
    base = sizes(keys, tied=False)
    second = model_type == "olmo2"
    bias = keys.flag("attention_bias")
    mixer = attention(
        *heads(keys, base.hidden), base.hidden, query_bias=bias, output_bias=bias, wide_norms=second
    )  # fmt: skip
    dense = Dense(width=width(keys))
    norm = base.hidden if second else 0
    return decoder(model_type, base, [Layer(mixer, dense, 2 * norm)] * base.layers, final_norm=norm)


def chatglm(keys: Keys, model_type: str) -> Architecture:
    """ChatGLM3 and GLM-4-9B: grouped heads, biases on queries, keys and values."""
    no_experts(keys)
    keys.only("add_bias_linear", False, "biases on all matrices")
    padded = keys.has("padded_vocab_size")
    base = sizes(keys, tied=False, vocabulary=("padded_vocab_size" if padded else "vocab_size",))
    kv_names = ("multi_query_group_num",) if keys.flag("multi_query_attention") else ("num_key_value_heads",)
    bias = keys.flag("add_qkv_bias")
    mixer = attention(*heads(keys, base.hidden, kv_names=kv_names), base.hidden, query_bias=bias)
    dense = Dense(width=width(keys))
    return decoder(model_type, base, [Layer(mixer, dense, 2 * base.hidden)] * base.layers, final_norm=base.hidden)


def falcon(keys: Keys, model_type: str) -> Architecture:
    """Falcon: multi-query or grouped heads, parallel blocks, plain feed-forward of four times the hidden size."""
    no_experts(keys)
    base = sizes(keys, tied=True, context=2048)
    count = keys.integer("num_attention_heads", "n_head")
    grouped = keys.flag("new_decoder_architecture")
    if grouped:
        kv = keys.integer("num_kv_heads", "n_head_kv", default=count)
    else:
        kv = 1 if keys.flag("multi_query", default=True) else count
    check_heads(keys, count, kv, kv_name="num_kv_heads")
    if base.hidden % count:
        raise keys.refuse(f"hidden_size = {base.hidden} is no multiple of num_attention_heads = {count}")
    bias = keys.flag("bias")
    mixer = attention(count, kv, base.hidden // count, base.hidden, query_bias=bias, output_bias=bias)
    feed = keys.integer("ffn_hidden_size", default=4 * base.hidden)
    dense = Dense(width=feed, gated=False, extra=feed + base.hidden if bias else 0)
    two = grouped or not keys.flag("parallel_attn", default=True)
    norms = (4 if two else 2) * base.hidden
    return decoder(model_type, base, [Layer(mixer, dense, norms)] * base.layers, final_norm=2 * base.hidden)


def mpt(keys: Keys, model_type: str) -> Architecture:
    """MPT: ALiBi or learned positions, plain feed-forward, usually without any bias."""
    no_experts(keys)
    keys.only("no_bias", True, "biases on all matrices")
    base = sizes(keys, tied=True)
    count = keys.integer("n_heads")
    inner = keys.table("attn_config")
    kv = (inner.maybe_integer("kv_n_heads") if inner is not None else None) or count
    check_heads(keys, count, kv, "n_heads", "attn_config.kv_n_heads")
    if base.hidden % count:
        raise keys.refuse(f"d_model = {base.hidden} is no multiple of n_heads = {count}")
    alibi = inner is not None and inner.flag("alibi")
    positions = 0 if alibi else keys.integer("max_seq_len") * base.hidden
    ratio = keys.integer("expansion_ratio", default=4, high=64)
    mixer = attention(count, kv, base.hidden // count, base.hidden)
    layers = [Layer(mixer, Dense(width=ratio * base.hidden, gated=False), 2 * base.hidden)] * base.layers
    return decoder(model_type, base, layers, final_norm=base.hidden, embedding_extra=positions)


def gpt2(keys: Keys, model_type: str) -> Architecture:
    """GPT-2 and GPT-BigCode: learned positions, biases and biased norms everywhere, tied table."""
    no_experts(keys)
    base = sizes(keys, tied=True)
    count = keys.integer("n_head", "num_attention_heads")
    kv = 1 if model_type == "gpt_bigcode" and keys.flag("multi_query", default=True) else count
    if base.hidden % count:
        raise keys.refuse(f"n_embd = {base.hidden} is no multiple of n_head = {count}")
    mixer = attention(count, kv, base.hidden // count, base.hidden, query_bias=True, output_bias=True)
    feed = keys.integer("n_inner", default=4 * base.hidden)
    dense = Dense(width=feed, gated=False, extra=feed + base.hidden)
    layers = [Layer(mixer, dense, 4 * base.hidden)] * base.layers
    positions = keys.integer("n_positions") * base.hidden
    return decoder(model_type, base, layers, final_norm=2 * base.hidden, embedding_extra=positions)


def gptj(keys: Keys, model_type: str) -> Architecture:
    """GPT-J: parallel blocks with one norm, biased feed-forward, a biased head of its own."""
    no_experts(keys)
    base = sizes(keys, tied=False)
    count = keys.integer("n_head", "num_attention_heads")
    if base.hidden % count:
        raise keys.refuse(f"n_embd = {base.hidden} is no multiple of n_head = {count}")
    mixer = attention(count, count, base.hidden // count, base.hidden)
    feed = keys.integer("n_inner", default=4 * base.hidden)
    dense = Dense(width=feed, gated=False, extra=feed + base.hidden)
    layers = [Layer(mixer, dense, 2 * base.hidden)] * base.layers
    return decoder(model_type, base, layers, final_norm=2 * base.hidden, head_extra=base.vocabulary)


def gpt_neox(keys: Keys, model_type: str) -> Architecture:
    """GPT-NeoX and Pythia: biases and biased norms everywhere, a head of its own."""
    no_experts(keys)
    base = sizes(keys, tied=False)
    bias = keys.flag("attention_bias", default=True)
    mixer = attention(*heads(keys, base.hidden), base.hidden, query_bias=bias, output_bias=bias)
    feed = width(keys)
    dense = Dense(width=feed, gated=False, extra=feed + base.hidden)
    return decoder(model_type, base, [Layer(mixer, dense, 4 * base.hidden)] * base.layers, final_norm=2 * base.hidden)


def opt(keys: Keys, model_type: str) -> Architecture:
    """OPT: learned positions with an offset of two, biases everywhere, tied table."""
    no_experts(keys)
    base = sizes(keys, tied=True)
    keys.only("word_embed_proj_dim", base.hidden, "a projection of the embedding")
    keys.only("do_layer_norm_before", True, "norms after each part")
    keys.only("enable_bias", True, "no biases")
    mixer = attention(*heads(keys, base.hidden), base.hidden, query_bias=True, output_bias=True)
    feed = keys.integer("ffn_dim")
    dense = Dense(width=feed, gated=False, extra=feed + base.hidden)
    positions = (keys.integer("max_position_embeddings") + 2) * base.hidden
    layers = [Layer(mixer, dense, 4 * base.hidden)] * base.layers
    return decoder(model_type, base, layers, final_norm=2 * base.hidden, embedding_extra=positions)


def bloom(keys: Keys, model_type: str) -> Architecture:
    """BLOOM: ALiBi, biases and biased norms everywhere, a norm on the embedding, tied table."""
    no_experts(keys)
    base = sizes(keys, tied=True)
    mixer = attention(*heads(keys, base.hidden), base.hidden, query_bias=True, output_bias=True)
    feed = keys.integer("n_inner", default=4 * base.hidden)
    dense = Dense(width=feed, gated=False, extra=feed + base.hidden)
    layers = [Layer(mixer, dense, 4 * base.hidden)] * base.layers
    return decoder(model_type, base, layers, final_norm=2 * base.hidden, embedding_extra=2 * base.hidden)


def _nas_width(hidden: int, ratio: float) -> int:
    """Feed-forward width of a searched layer: two thirds of ratio x hidden, twice, up to a multiple of 256."""
    return -(-int(2 * ratio * hidden / 3) // 256) * 256


def nemotron_nas(keys: Keys, model_type: str) -> Architecture:
    """Llama-Nemotron from architecture search: each layer's heads and width by itself, some without attention."""
    base = sizes(keys, tied=False)
    count = keys.integer("num_attention_heads")
    if base.hidden % count:
        raise keys.refuse(f"hidden_size = {base.hidden} is no multiple of num_attention_heads = {count}")
    layers = []
    for index, item in enumerate(keys.items("block_configs", length=base.layers) or []):
        name = f"block_configs[{index}]"
        if not isinstance(item, dict):
            raise keys.refuse(f"{name} is not an object")
        parts = Keys(item, keys.where, name)
        mixing, feeding = parts.table("attention"), parts.table("ffn")
        if mixing is None or feeding is None:
            raise keys.refuse(f"{name} needs attention and ffn")
        for part in (mixing, feeding):
            part.only("replace_with_linear", False, "a linear layer in the place of the block")
        norms, mixer, dense = 0, None, None
        if not mixing.flag("no_op"):
            group = mixing.integer("n_heads_in_group")
            if count % group:
                raise keys.refuse(f"{name}.attention.n_heads_in_group = {group} does not divide {count} heads")
            mixer = attention(
                count, count // group, base.hidden // count, base.hidden, window=mixing.maybe_integer("window_length")
            )  # fmt: skip
            norms += base.hidden
        if not feeding.flag("no_op"):
            ratio = feeding.number("ffn_mult", low=0.001, high=100)
            if ratio is None:
                raise keys.refuse(f"{name}.ffn.ffn_mult is missing")
            dense = Dense(width=_nas_width(base.hidden, ratio))
            norms += base.hidden
        if mixer is None and dense is None:
            raise keys.refuse(f"{name} has neither attention nor a feed-forward part")
        layers.append(Layer(mixer, dense, norms))
    if not layers:
        raise keys.refuse("block_configs is missing")
    return decoder(model_type, base, layers, final_norm=base.hidden)
