"""Readers of families with experts or latent attention: Mixtral, Qwen MoE, DeepSeek, GLM, gpt-oss and others."""

from __future__ import annotations

from catalog.architecture import Architecture, Dense, Experts
from catalog.config_json.keys import Keys
from catalog.config_json.parts import (
    EXPERTS,
    MAX_HEADS,
    MAX_WIDTH,
    Layer,
    Sizes,
    attention,
    check_heads,
    decoder,
    experts,
    heads,
    layer_kinds,
    moe_layers,
    sizes,
    width,
)
from catalog.mixers import Attention, CompressedAttention, Indexer, LatentAttention


def mixtral(keys: Keys, model_type: str) -> Architecture:
    """Mixtral: every layer has experts of the dense width."""
    base = sizes(keys, tied=False)
    window = keys.maybe_integer("sliding_window")
    mixer = attention(*heads(keys, base.hidden), base.hidden, window=window)
    layers = [Layer(mixer, experts(keys, expert_width=width(keys)), 2 * base.hidden)] * base.layers
    return decoder(model_type, base, layers, final_norm=base.hidden)


def shared_gate(keys: Keys, hidden: int) -> tuple[int, int, int]:
    """Shared expert of the Qwen families: how many, their width, and the parameters of the gate on them."""
    wide = keys.integer("shared_expert_intermediate_size", default=0, low=0)
    return (1, wide, hidden) if wide else (0, 0, 0)


def qwen_moe(keys: Keys, model_type: str) -> Architecture:
    """Qwen2-MoE (gated shared expert, biases) and Qwen3-MoE (no shared expert, norms on queries and keys)."""
    base = sizes(keys, tied=False)
    second = model_type == "qwen2_moe"
    if keys.flag("use_sliding_window"):
        raise keys.refuse("use_sliding_window = true is not known for this model type")
    bias = second or keys.flag("attention_bias")
    mixer = attention(
        *heads(keys, base.hidden), base.hidden,
        query_bias=bias, output_bias=bias and not second, head_norms=not second,
    )  # fmt: skip
    count, wide, gate = shared_gate(keys, base.hidden) if second else (0, 0, 0)
    routed = experts(keys, shared=count, shared_width=wide, extra=gate)
    return _mixed(keys, model_type, base, mixer, routed)


def _mixed(
    keys: Keys, model_type: str, base: Sizes, mixer: Attention | LatentAttention, routed: Experts
) -> Architecture:
    """Equal mixers, experts on the layers that have them and a dense part on the others."""
    flags = moe_layers(keys, base.layers)
    dense = None if all(flags) else Dense(width=width(keys))
    layers = [Layer(mixer, routed if flag else dense, 2 * base.hidden) for flag in flags]
    return decoder(model_type, base, layers, final_norm=base.hidden)


def olmoe(keys: Keys, model_type: str) -> Architecture:
    """OLMoE: experts of the dense width, full-width norms on queries and keys."""
    base = sizes(keys, tied=False)
    mixer = attention(*heads(keys, base.hidden), base.hidden, wide_norms=True)
    layers = [Layer(mixer, experts(keys, expert_width=width(keys)), 2 * base.hidden)] * base.layers
    return decoder(model_type, base, layers, final_norm=base.hidden)


def llama4(keys: Keys, model_type: str) -> Architecture:
    """Llama 4: experts every so many layers, three of four layers attend within chunks."""
    base = sizes(keys, tied=False)
    count, kv, dim = heads(keys, base.hidden)
    bias = keys.flag("attention_bias")
    chunk = keys.maybe_integer("attention_chunk_size")
    kinds = layer_kinds(keys, base.layers, ("full", "chunked")) or [
        "full" if chunk is None or index % 4 == 3 else "chunked" for index in range(base.layers)
    ]
    mixers = {
        kind: attention(
            count, kv, dim, base.hidden, query_bias=bias, output_bias=bias,
            window=chunk if kind == "chunked" else None, chunked=kind == "chunked",
        )
        for kind in ("full", "chunked")
    }  # fmt: skip
    step = keys.integer("interleave_moe_layer_step", default=1, high=1000)
    wide = keys.integer("intermediate_size")
    routed = experts(keys, expert_width=wide, shared=1, shared_width=wide)
    dense = Dense(width=keys.integer("intermediate_size_mlp")) if step > 1 else None
    layers = [
        Layer(mixers[kind], routed if (index + 1) % step == 0 else dense, 2 * base.hidden)
        for index, kind in enumerate(kinds)
    ]
    return decoder(model_type, base, layers, final_norm=base.hidden)


def latent(keys: Keys, *, gated: bool = False) -> LatentAttention:
    """Latent attention from its ranks and head parts, with the indexer of sparse attention where there is one."""
    count = keys.integer("num_attention_heads", high=MAX_HEADS)
    keys.only("attention_bias", False, "biases on latent attention")
    kv = keys.integer("num_key_value_heads", default=count, high=MAX_HEADS)
    check_heads(keys, count, kv)
    indexer = None
    if keys.has("index_topk"):
        indexer = Indexer(
            heads=keys.integer("index_n_heads"),
            dim=keys.integer("index_head_dim"),
            top_tokens=keys.integer("index_topk"),
        )
    return LatentAttention(
        heads=count,
        query_rank=keys.maybe_integer("q_lora_rank", high=MAX_WIDTH),
        kv_rank=keys.integer("kv_lora_rank", high=MAX_WIDTH),
        rope=keys.integer("qk_rope_head_dim", high=MAX_WIDTH),
        nope=keys.integer("qk_nope_head_dim", high=MAX_WIDTH),
        value_dim=keys.integer("v_head_dim", high=MAX_WIDTH),
        gated=gated,
        indexer=indexer,
    )


def shared_experts(keys: Keys, *names: str) -> tuple[int, int]:
    """How many shared experts and their width together."""
    count = keys.integer(*(names or ("n_shared_experts", "num_shared_experts")), default=0, low=0, high=1000)
    return count, count * keys.integer("moe_intermediate_size") if count else 0


def deepseek(keys: Keys, model_type: str) -> Architecture:
    """DeepSeek-V2, V3, V3.2, Kimi K2, GLM-5: latent attention, first layers dense, then experts."""
    base = sizes(keys, tied=False)
    mixer = latent(keys)
    if not keys.has(*EXPERTS):
        raise keys.refuse(f"{EXPERTS[2]} is missing")
    count, wide = shared_experts(keys)
    # The bias that balances experts came with V3.
    biased = model_type != "deepseek_v2" or keys.text("topk_method") == "noaux_tc"
    routed = experts(keys, shared=count, shared_width=wide, router_bias=biased)
    return _mixed(keys, model_type, base, mixer, routed)


def minicpm3(keys: Keys, model_type: str) -> Architecture:
    """MiniCPM3: latent attention in a dense model with a tied table."""
    base = sizes(keys, tied=True)
    dense = Dense(width=width(keys))
    mixer = LatentAttention(
        heads=keys.integer("num_attention_heads", high=MAX_HEADS),
        query_rank=keys.maybe_integer("q_lora_rank", high=MAX_WIDTH),
        kv_rank=keys.integer("kv_lora_rank", high=MAX_WIDTH),
        rope=keys.integer("qk_rope_head_dim", high=MAX_WIDTH),
        nope=keys.integer("qk_nope_head_dim", high=MAX_WIDTH),
        value_dim=keys.integer("v_head_dim", default=base.hidden // keys.integer("num_attention_heads")),
    )
    return decoder(model_type, base, [Layer(mixer, dense, 2 * base.hidden)] * base.layers, final_norm=base.hidden)


def deepseek_v4(keys: Keys, model_type: str) -> Architecture:
    """DeepSeek-V4: attention over compressed tokens beside a window, experts on all layers."""
    base = sizes(keys, tied=False)
    # One entry more than layers for each multi-token-prediction module.
    spare = keys.integer("num_nextn_predict_layers", default=0, low=0, high=16)
    ratios = keys.items("compress_ratios")
    if ratios is None:
        raise keys.refuse("compress_ratios is missing")
    if not base.layers <= len(ratios) <= base.layers + spare:
        raise keys.refuse(f"compress_ratios has {len(ratios)} entries for {base.layers} layers")
    if any(isinstance(ratio, bool) or not isinstance(ratio, int) or not 0 <= ratio <= 10**6 for ratio in ratios):
        raise keys.refuse("compress_ratios must hold whole numbers from 0")
    indexer = Indexer(
        heads=keys.integer("index_n_heads"),
        dim=keys.integer("index_head_dim"),
        top_tokens=keys.integer("index_topk"),
    )
    # The finely compressed layers are the ones that choose tokens with an indexer.
    finest = min((ratio for ratio in ratios[: base.layers] if ratio), default=0)
    mixers = {
        ratio: CompressedAttention(
            heads=keys.integer("num_attention_heads", high=MAX_HEADS),
            head_dim=keys.integer("head_dim", high=MAX_WIDTH),
            query_rank=keys.integer("q_lora_rank", high=MAX_WIDTH),
            output_rank=keys.integer("o_lora_rank", high=MAX_WIDTH),
            output_groups=keys.integer("o_groups", high=MAX_HEADS),
            rope=keys.integer("qk_rope_head_dim", default=0, low=0, high=MAX_WIDTH),
            window=keys.integer("sliding_window"),
            ratio=ratio,
            indexer=indexer if ratio and ratio == finest and ratio < 128 else None,
        )
        for ratio in set(ratios)
    }
    count, wide = shared_experts(keys)
    routed = experts(keys, shared=count, shared_width=wide)
    layers = [Layer(mixers[ratio], routed, 2 * base.hidden) for ratio in ratios[: base.layers]]
    return decoder(model_type, base, layers, final_norm=base.hidden)


def glm4_moe(keys: Keys, model_type: str) -> Architecture:
    """GLM-4.5 and 4.6: grouped heads, biases on queries, keys and values, first layers dense."""
    base = sizes(keys, tied=False)
    mixer = attention(
        *heads(keys, base.hidden), base.hidden,
        query_bias=keys.flag("attention_bias"), head_norms=keys.flag("use_qk_norm"),
    )  # fmt: skip
    count, wide = shared_experts(keys)
    routed = experts(keys, shared=count, shared_width=wide, router_bias=True)
    return _mixed(keys, model_type, base, mixer, routed)


def gpt_oss(keys: Keys, model_type: str) -> Architecture:
    """gpt-oss: windows on every second layer, sinks, biases on attention, router and experts."""
    base = sizes(keys, tied=False)
    count, kv, dim = heads(keys, base.hidden)
    bias = keys.flag("attention_bias", default=True)
    window = keys.integer("sliding_window")
    kinds = layer_kinds(keys, base.layers, ("full", "sliding")) or [
        "full" if index % 2 else "sliding" for index in range(base.layers)
    ]
    mixers = {
        kind: attention(
            count, kv, dim, base.hidden, query_bias=bias, output_bias=bias, sinks=True,
            window=window if kind == "sliding" else None,
        )
        for kind in ("full", "sliding")
    }  # fmt: skip
    wide = width(keys)
    routed = experts(keys, expert_width=wide, expert_extra=2 * wide + base.hidden, router_bias=True)
    layers = [Layer(mixers[kind], routed, 2 * base.hidden) for kind in kinds]
    return decoder(model_type, base, layers, final_norm=base.hidden)


def minimax_m2(keys: Keys, model_type: str) -> Architecture:
    """MiniMax-M2: experts of the stated width on all layers, full-width norms on queries and keys."""
    base = sizes(keys, tied=False)
    keys.only("qk_norm_type", "per_layer", "another norm on queries and keys")
    keys.without("shared_intermediate_size")
    mixer = attention(*heads(keys, base.hidden), base.hidden, wide_norms=keys.flag("use_qk_norm"))
    routed = experts(keys, expert_width=width(keys), router_bias=keys.flag("use_routing_bias"))
    layers = [Layer(mixer, routed, 2 * base.hidden)] * base.layers
    return decoder(model_type, base, layers, final_norm=base.hidden)


def minimax_m3(keys: Keys, model_type: str) -> Architecture:
    """MiniMax-M3: first layers dense, one shared expert; its block-sparse attention is counted as full."""
    base = sizes(keys, tied=False)
    mixer = attention(*heads(keys, base.hidden), base.hidden)
    count = keys.integer("n_shared_experts", default=0, low=0, high=1000)
    wide = count * keys.integer("shared_intermediate_size") if count else 0
    routed = experts(
        keys,
        expert_width=keys.integer("moe_intermediate_size", "intermediate_size"),
        shared=count,
        shared_width=wide,
    )
    flags = moe_layers(keys, base.layers)
    dense = None if all(flags) else Dense(width=keys.integer("dense_intermediate_size"))
    layers = [Layer(mixer, routed if flag else dense, 2 * base.hidden) for flag in flags]
    return decoder(model_type, base, layers, final_norm=base.hidden)


def dbrx(keys: Keys, model_type: str) -> Architecture:
    """DBRX: heads and experts in tables of their own."""
    base = sizes(keys, tied=False)
    mixing, feeding = keys.table("attn_config"), keys.table("ffn_config")
    if mixing is None or feeding is None:
        raise keys.refuse("attn_config and ffn_config are needed")
    count = keys.integer("n_heads", high=MAX_HEADS)
    kv = mixing.integer("kv_n_heads", default=count, high=MAX_HEADS)
    check_heads(keys, count, kv, "n_heads", "attn_config.kv_n_heads")
    if base.hidden % count:
        raise keys.refuse(f"d_model = {base.hidden} is no multiple of n_heads = {count}")
    mixer = attention(count, kv, base.hidden // count, base.hidden)
    routed = experts(feeding, expert_width=feeding.integer("ffn_hidden_size"))
    layers = [Layer(mixer, routed, 2 * base.hidden)] * base.layers
    return decoder(model_type, base, layers, final_norm=base.hidden)


def mimo_v2(keys: Keys, model_type: str) -> Architecture:
    """MiMo-V2-Flash: windows with heads of their own beside full attention, values narrower than keys."""
    base = sizes(keys, tied=False)
    pattern = keys.items("hybrid_layer_pattern", length=base.layers)
    if pattern is None or any(flag not in (0, 1) for flag in pattern):
        raise keys.refuse("hybrid_layer_pattern must hold 0 or 1 for each layer")
    mixers = []
    for prefix, sinks in (("", "add_full_attention_sink_bias"), ("swa_", "add_swa_attention_sink_bias")):
        count, kv, dim = heads(keys, base.hidden, prefix=prefix)
        mixers.append(
            Attention(
                heads=count,
                kv_heads=kv,
                head_dim=dim,
                value_dim=keys.integer(f"{prefix}v_head_dim", high=MAX_WIDTH),
                window=keys.integer("sliding_window") if prefix else None,
                extra=count if keys.flag(sinks) else 0,
            )
        )
    count, wide = shared_experts(keys)
    routed = experts(keys, shared=count, shared_width=wide, router_bias=True)
    flags = moe_layers(keys, base.layers)
    dense = None if all(flags) else Dense(width=width(keys))
    layers = [
        Layer(mixers[int(sliding)], routed if flag else dense, 2 * base.hidden)
        for sliding, flag in zip(pattern, flags, strict=True)
    ]
    return decoder(model_type, base, layers, final_norm=base.hidden)


def step3p7(keys: Keys, model_type: str) -> Architecture:
    """Step-3.7-Flash: windows on three of four layers, first layers dense, one shared expert."""
    base = sizes(keys, tied=False)
    count, kv, dim = heads(keys, base.hidden)
    kinds = layer_kinds(keys, base.layers, ("full", "sliding"))
    if kinds is None:
        raise keys.refuse("layer_types is missing")
    window = keys.integer("sliding_window")
    mixers = {
        "full": attention(count, kv, dim, base.hidden),
        "sliding": attention(count, kv, dim, base.hidden, window=window),
    }
    shared = keys.integer("n_shared_experts", default=0, low=0, high=1000)
    wide = keys.integer("share_expert_dim", default=0, low=0)
    routed = experts(keys, shared=shared, shared_width=wide)
    flags = moe_layers(keys, base.layers)
    dense = None if all(flags) else Dense(width=width(keys))
    layers = [
        Layer(mixers[kind], routed if flag else dense, 2 * base.hidden) for kind, flag in zip(kinds, flags, strict=True)
    ]
    return decoder(model_type, base, layers, final_norm=base.hidden)


def gemma4(keys: Keys, model_type: str) -> Architecture:
    """Gemma 4: windows on five of six layers, wide global heads without value projections, optional experts."""
    base = sizes(keys, tied=True)
    keys.without("hidden_size_per_layer_input", "num_kv_shared_layers", "use_double_wide_mlp")
    count, kv, dim = heads(keys, base.hidden)
    wide = keys.integer("global_head_dim", default=dim, high=MAX_WIDTH)
    few = keys.integer("num_global_key_value_heads", default=kv, high=MAX_HEADS)
    check_heads(keys, count, few, kv_name="num_global_key_value_heads")
    kinds = layer_kinds(keys, base.layers, ("full", "sliding"))
    if kinds is None:
        raise keys.refuse("layer_types is missing")
    mixers = {
        "sliding": attention(count, kv, dim, base.hidden, head_norms=True, window=keys.integer("sliding_window")),
        "full": Attention(
            heads=count, kv_heads=few, head_dim=wide, extra=2 * wide, keys_are_values=keys.flag("attention_k_eq_v")
        ),
    }
    feed: Dense | Experts = Dense(width=width(keys))
    norms = 4 * base.hidden
    if keys.flag("enable_moe_block"):
        # The dense part stays beside the experts; three more norms, a scale of the router's input and one per expert.
        total = keys.integer(*EXPERTS)
        feed = experts(keys, shared_width=width(keys), extra=base.hidden + total)
        norms += 3 * base.hidden
    layers = [Layer(mixers[kind], feed, norms) for kind in kinds]
    return decoder(model_type, base, layers, final_norm=base.hidden)
