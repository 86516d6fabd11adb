"""Readers of hybrids: linear attention or state space layers beside attention, or in its place."""

from __future__ import annotations

from catalog.architecture import Architecture, Dense, Experts
from catalog.config_json.keys import Keys
from catalog.config_json.parts import (
    EXPERTS,
    MAX_HEADS,
    MAX_WIDTH,
    Layer,
    attention,
    decoder,
    experts,
    heads,
    layer_kinds,
    moe_layers,
    sizes,
    width,
)
from catalog.config_json.sparse import latent, shared_gate
from catalog.mixers import DeltaAttention, GatedDelta, Lightning, Mamba1, Mamba2, Mixer

_STATE_TYPES = {"float32": 32, "bfloat16": 16, "float16": 16}


def _state_bits(keys: Keys, name: str, default: int) -> int:
    word = keys.text(name)
    if word is None or word == "auto":
        return default
    if word not in _STATE_TYPES:
        raise keys.refuse(f"{keys.name(name)} = {word!r} is not known")
    return _STATE_TYPES[word]


def qwen_hybrid(keys: Keys, model_type: str) -> Architecture:
    """Qwen3-Next and Qwen3.5: gated delta layers, gated attention on every fourth, experts or a dense part."""
    base = sizes(keys, tied=False)
    period = keys.integer("full_attention_interval", default=4, high=1000)
    kinds = layer_kinds(keys, base.layers, ("full", "linear")) or [
        "linear" if (index + 1) % period else "full" for index in range(base.layers)
    ]
    bias = keys.flag("attention_bias")
    mixers: dict[str, Mixer] = {
        "full": attention(
            *heads(keys, base.hidden), base.hidden, query_bias=bias, output_bias=bias, head_norms=True, gated=True
        ),
        "linear": GatedDelta(
            key_heads=keys.integer("linear_num_key_heads", high=MAX_HEADS),
            key_dim=keys.integer("linear_key_head_dim", high=MAX_WIDTH),
            value_heads=keys.integer("linear_num_value_heads", high=MAX_HEADS),
            value_dim=keys.integer("linear_value_head_dim", high=MAX_WIDTH),
            convolution=keys.integer("linear_conv_kernel_dim", high=64),
            state_bits=_state_bits(keys, "mamba_ssm_dtype", 16),
        ),
    }  # fmt: skip
    flags = moe_layers(keys, base.layers) if keys.has(*EXPERTS) else [False] * base.layers
    routed: Experts | None = None
    if any(flags):
        count, wide, gate = shared_gate(keys, base.hidden)
        routed = experts(keys, shared=count, shared_width=wide, extra=gate)
    dense = None if all(flags) else Dense(width=width(keys))
    layers = [
        Layer(mixers[kind], routed if flag else dense, 2 * base.hidden) for kind, flag in zip(kinds, flags, strict=True)
    ]
    return decoder(model_type, base, layers, final_norm=base.hidden)


def kimi_linear(keys: Keys, model_type: str) -> Architecture:
    """Kimi Linear and K3: delta attention beside latent attention, experts that work in a narrower latent.

    The output gate of a delta layer is counted as low-rank, which is what the published checkpoint count is nearest
    to without its vision tower; see the doubt on the catalogue's entry.
    """
    base = sizes(keys, tied=False)
    inner = keys.table("linear_attn_config")
    if inner is None:
        raise keys.refuse("linear_attn_config is missing")
    full, delta = inner.items("full_attn_layers"), inner.items("kda_layers")
    if (
        full is None
        or delta is None
        or sorted([*full, *delta], key=repr) != sorted(range(1, base.layers + 1), key=repr)
    ):
        raise keys.refuse(
            f"linear_attn_config must name each of the {base.layers} layers once in full_attn_layers or kda_layers"
        )
    mixers: dict[bool, Mixer] = {
        True: latent(keys, gated=keys.flag("mla_use_output_gate")),
        False: DeltaAttention(
            heads=inner.integer("num_heads", high=MAX_HEADS),
            head_dim=inner.integer("head_dim", high=MAX_WIDTH),
            convolution=inner.integer("short_conv_kernel_size", high=64),
        ),
    }
    count = keys.integer("num_shared_experts", "n_shared_experts", default=0, low=0, high=1000)
    narrow = keys.maybe_integer("routed_expert_hidden_size", high=MAX_WIDTH)
    routed = experts(
        keys,
        shared=count,
        shared_width=count * keys.integer("moe_intermediate_size"),
        latent=narrow,
    )
    flags = moe_layers(keys, base.layers)
    dense = None if all(flags) else Dense(width=width(keys))
    layers = [
        Layer(mixers[index + 1 in full], routed if flag else dense, 2 * base.hidden) for index, flag in enumerate(flags)
    ]
    return decoder(model_type, base, layers, final_norm=base.hidden)


def minimax_text(keys: Keys, model_type: str) -> Architecture:
    """MiniMax-Text-01: lightning attention with full attention on every eighth layer, experts on all layers."""
    base = sizes(keys, tied=False)
    kinds = layer_kinds(keys, base.layers, ("full", "linear"))
    if kinds is None:
        flags = keys.items("attn_type_list", length=base.layers)
        if flags is None or any(flag not in (0, 1) for flag in flags):
            raise keys.refuse("layer_types or attn_type_list must say which layers are linear")
        kinds = ["full" if flag else "linear" for flag in flags]
    count, kv, dim = heads(keys, base.hidden)
    mixers: dict[str, Mixer] = {
        "full": attention(count, kv, dim, base.hidden),
        "linear": Lightning(heads=count, head_dim=dim),
    }
    keys.without("shared_intermediate_size")
    routed = experts(keys, expert_width=width(keys))
    layers = [Layer(mixers[kind], routed, 2 * base.hidden) for kind in kinds]
    return decoder(model_type, base, layers, final_norm=base.hidden)


_NEMOTRON_WORDS = {"mamba": "M", "attention": "*", "mlp": "-", "moe": "E"}


def nemotron_h(keys: Keys, model_type: str) -> Architecture:
    """Nemotron-H and Nemotron 3: each layer is one block: M state space, * attention, - dense, E experts."""
    words = keys.items("layers_block_type")
    if words is not None:
        unknown = next((word for word in words if word not in _NEMOTRON_WORDS), None)
        if unknown is not None or not words:
            raise keys.refuse(f"layers_block_type holds {str(unknown)[:40]!r}, which is not known")
        pattern: str | None = "".join(_NEMOTRON_WORDS[word] for word in words)
        keys.data = {"num_hidden_layers": len(words), **keys.data}
    else:
        pattern = keys.text("hybrid_override_pattern")
    if pattern is None:
        raise keys.refuse("hybrid_override_pattern is missing")
    base = sizes(keys, tied=False)
    if len(pattern) != base.layers:
        raise keys.refuse(f"the layer pattern has {len(pattern)} entries for num_hidden_layers = {base.layers}")
    for name in ("attention_bias", "mlp_bias", "use_bias", "mamba_proj_bias"):
        keys.only(name, False, "biases on matrices")
    made: dict[str, Layer] = {}
    for letter in dict.fromkeys(pattern):
        mixer, feed = _nemotron_block(keys, letter, base.hidden)
        made[letter] = Layer(mixer, feed, base.hidden)
    return decoder(model_type, base, [made[letter] for letter in pattern], final_norm=base.hidden)


def _nemotron_block(keys: Keys, letter: str, hidden: int) -> tuple[Mixer | None, Dense | Experts | None]:
    if letter == "M":
        mixer = Mamba2(
            heads=keys.integer("mamba_num_heads", high=MAX_HEADS),
            head_dim=keys.integer("mamba_head_dim", high=MAX_WIDTH),
            groups=keys.integer("n_groups", high=MAX_HEADS),
            state=keys.integer("ssm_state_size", high=MAX_WIDTH),
            convolution=keys.integer("conv_kernel", high=64),
            convolution_bias=keys.flag("use_conv_bias", default=True),
            state_bits=_state_bits(keys, "mamba_ssm_cache_dtype", 16),
        )
        return mixer, None
    if letter == "*":
        return attention(*heads(keys, hidden), hidden), None
    if letter == "-":
        return None, Dense(width=width(keys), gated=False)
    if letter == "E":
        count = keys.integer("n_shared_experts", default=0, low=0, high=1000)
        wide = keys.integer("moe_shared_expert_intermediate_size", default=0, low=0) if count else 0
        routed = experts(
            keys,
            shared=count,
            shared_width=count * wide,
            gated=False,
            latent=keys.maybe_integer("moe_latent_size", high=MAX_WIDTH),
            router_bias=True,
        )
        return None, routed
    raise keys.refuse(f"hybrid_override_pattern holds {letter!r}, which is not known")


def jamba(keys: Keys, model_type: str) -> Architecture:
    """Jamba: state space layers with attention on every eighth, experts on every second."""
    base = sizes(keys, tied=False)
    attention_at = (keys.integer("attn_layer_period"), keys.integer("attn_layer_offset", default=0, low=0))
    experts_at = (keys.integer("expert_layer_period"), keys.integer("expert_layer_offset", default=0, low=0))
    step = keys.data.get("mamba_dt_rank")
    mixing = attention(*heads(keys, base.hidden), base.hidden)
    recurrent = Mamba1(
        inner=keys.integer("mamba_expand", high=64) * base.hidden,
        state=keys.integer("mamba_d_state", high=MAX_WIDTH),
        convolution=keys.integer("mamba_d_conv", high=64),
        step_rank=-(-base.hidden // 16) if step in (None, "auto") else keys.integer("mamba_dt_rank"),
        norms=True,
        state_bits=16,
    )
    wide = width(keys)
    routed, dense = experts(keys, expert_width=wide), Dense(width=wide)
    layers = []
    for index in range(base.layers):
        mixer: Mixer = mixing if index % attention_at[0] == attention_at[1] else recurrent
        feed: Dense | Experts = routed if index % experts_at[0] == experts_at[1] else dense
        layers.append(Layer(mixer, feed, 2 * base.hidden))
    return decoder(model_type, base, layers, final_norm=base.hidden)


def mamba(keys: Keys, model_type: str) -> Architecture:
    """Mamba: state space layers alone, no attention heads; sizes at the top or in ``ssm_cfg``."""
    base = sizes(keys, tied=True)
    inner = keys.table("ssm_cfg") or keys
    expand = inner.integer("expand", "mamba_expand", default=2, high=64)
    step = inner.data.get("dt_rank", inner.data.get("time_step_rank"))
    if inner.text("layer") not in (None, "Mamba1"):
        raise keys.refuse("ssm_cfg.layer is not known")
    mixer = Mamba1(
        inner=keys.integer("d_inner", default=expand * base.hidden, high=10**7),
        state=inner.integer("d_state", "state_size", high=MAX_WIDTH),
        convolution=inner.integer("d_conv", "conv_kernel", high=64),
        step_rank=-(-base.hidden // 16) if step in (None, "auto") else inner.integer("dt_rank", "time_step_rank"),
        state_bits=16,
    )
    return decoder(model_type, base, [Layer(mixer, None, base.hidden)] * base.layers, final_norm=base.hidden)
