"""What the readers of all model families share: sizes, heads, experts, layer kinds, and stacking layers to blocks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from catalog.architecture import Architecture, Block, Dense, Experts
from catalog.config_json.keys import Keys
from catalog.mixers import Attention, Mixer

MAX_LAYERS = 1000
MAX_WIDTH = 10**6
MAX_HEADS = 10**5

HIDDEN = ("hidden_size", "n_embd", "d_model", "n_embed", "dim")
LAYERS = ("num_hidden_layers", "n_layer", "num_layers", "n_layers")
HEADS = ("num_attention_heads", "n_head", "n_heads")
KV_HEADS = ("num_key_value_heads", "num_kv_heads", "n_head_kv")
HEAD_DIM = ("head_dim", "attention_head_dim")
WIDTH = ("intermediate_size", "ffn_hidden_size", "n_inner", "ffn_dim")
CONTEXT = ("max_position_embeddings", "n_positions", "max_seq_len", "seq_length", "max_sequence_length", "seq_len")
EXPERTS = ("num_local_experts", "num_experts", "n_routed_experts", "moe_num_experts")
ACTIVE = ("num_experts_per_tok", "num_experts_per_token", "experts_per_token", "top_k_experts", "moe_top_k")
EXPERT_WIDTH = ("moe_intermediate_size", "expert_intermediate_size")

MIXER_FIELDS = {
    "Attention": "attention",
    "LatentAttention": "latent",
    "CompressedAttention": "compressed",
    "GatedDelta": "gated_delta",
    "DeltaAttention": "kda",
    "Lightning": "lightning",
    "Mamba1": "mamba1",
    "Mamba2": "mamba2",
}


@dataclass(frozen=True, slots=True)
class Layer:
    """One layer before equal ones are put together."""

    mixer: Mixer | None
    feed: Dense | Experts | None
    norms: int


@dataclass(frozen=True, slots=True)
class Sizes:
    """Sizes that every text decoder has."""

    hidden: int
    layers: int
    vocabulary: int
    tied: bool
    context: int | None


def sizes(
    keys: Keys, *, tied: bool, vocabulary: tuple[str, ...] = ("vocab_size",), context: int | None = None
) -> Sizes:
    """Hidden size, layers, vocabulary, tying (``tied`` is the class default) and context of a configuration."""
    if "tie_word_embeddings" not in keys.data or keys.data["tie_word_embeddings"] is None:
        is_tied = keys.flag("tie_word_embeddings", default=tied, note=True)
    else:
        is_tied = keys.flag("tie_word_embeddings")
    length = next((keys.maybe_integer(name) for name in CONTEXT if keys.has(name)), None)
    if length is None and context is not None:
        length = context
        keys.assumed.append(f"max_position_embeddings: {context}, the default of its class")
    return Sizes(
        hidden=keys.integer(*HIDDEN, high=MAX_WIDTH),
        layers=keys.integer(*LAYERS, high=MAX_LAYERS),
        vocabulary=keys.integer(*vocabulary, high=10**7),
        tied=is_tied,
        context=length,
    )


def heads(keys: Keys, hidden: int, *, prefix: str = "", kv_names: tuple[str, ...] = KV_HEADS) -> tuple[int, int, int]:
    """Query heads, key-value heads and head dimension; absent key-value heads mean one per query head."""
    names = tuple(prefix + name for name in HEADS)
    kv_keys = tuple(prefix + name for name in kv_names)
    count = keys.integer(*names, high=MAX_HEADS)
    kv = keys.maybe_integer(*kv_keys, high=MAX_HEADS) or count
    dim = keys.maybe_integer(*(prefix + name for name in HEAD_DIM), "kv_channels", high=MAX_WIDTH)
    check_heads(keys, count, kv, names[0], kv_keys[0])
    if dim is None:
        if hidden % count:
            raise keys.refuse(
                f"{keys.name(HIDDEN[0])} = {hidden} is no multiple of {names[0]} = {count} and head_dim is missing"
            )
        dim = hidden // count
    return count, kv, dim


def check_heads(keys: Keys, count: int, kv: int, name: str = HEADS[0], kv_name: str = KV_HEADS[0]) -> None:
    """Raises ConfigError when query heads do not divide among key-value heads."""
    if kv > count or count % kv:
        raise keys.refuse(
            f"{keys.name(name)} = {count} contradicts {keys.name(kv_name)} = {kv}: heads must divide evenly"
        )


def width(keys: Keys) -> int:
    """Width of the dense feed-forward part."""
    return keys.integer(*WIDTH, high=10**7)


def experts(
    keys: Keys,
    *,
    expert_width: int | None = None,
    shared: int = 0,
    shared_width: int = 0,
    gated: bool = True,
    latent: int | None = None,
    expert_extra: int = 0,
    extra: int = 0,
    router_bias: bool = False,
) -> Experts:
    """Routed experts of one layer."""
    count = keys.integer(*EXPERTS, high=100_000)
    active = keys.integer(*ACTIVE, high=100_000)
    if active > count:
        raise keys.refuse(f"{keys.name(ACTIVE[0])} = {active} contradicts {keys.name(EXPERTS[0])} = {count}")
    return Experts(
        count=count,
        active=active,
        width=expert_width or keys.integer(*EXPERT_WIDTH, high=10**7),
        shared=shared,
        shared_width=shared_width,
        gated=gated,
        latent=latent,
        expert_extra=expert_extra,
        extra=extra + (count if router_bias else 0),
    )


def no_experts(keys: Keys) -> None:
    """Raises ConfigError when a dense model type names experts or latent attention."""
    keys.without(*EXPERTS, "kv_lora_rank")


LAYER_WORDS = {
    "full_attention": "full",
    "attention": "full",
    "global": "full",
    "sliding_attention": "sliding",
    "local": "sliding",
    "chunked_attention": "chunked",
    "linear_attention": "linear",
}


def layer_kinds(keys: Keys, layers: int, known: Iterable[str]) -> list[str] | None:
    """The kind of each layer from ``layer_types``, or None when absent; an unknown word is refused."""
    words = keys.items("layer_types", length=layers)
    if words is None:
        return None
    allowed = set(known)
    kinds = []
    for word in words:
        kind = LAYER_WORDS.get(word) if isinstance(word, str) else None
        if kind not in allowed:
            raise keys.refuse(f"{keys.name('layer_types')} holds {str(word)[:40]!r}, which is not known here")
        kinds.append(kind)
    return kinds


def moe_layers(keys: Keys, layers: int) -> list[bool]:
    """Whether each layer has experts: ``first_k_dense_replace``, ``moe_layer_freq``, sparse steps, dense lists."""
    first = keys.integer("first_k_dense_replace", default=0, low=0, high=MAX_LAYERS)
    frequency = keys.data.get("moe_layer_freq")
    if isinstance(frequency, list):
        flags = keys.items("moe_layer_freq", length=layers)
        if flags is None or any(flag not in (0, 1) for flag in flags):
            raise keys.refuse("moe_layer_freq must hold 0 or 1 for each layer")
        return [bool(flag) for flag in flags]
    step = keys.integer("moe_layer_freq", "decoder_sparse_step", default=1, low=1, high=MAX_LAYERS)
    dense = keys.items("mlp_only_layers") or []
    if any(isinstance(index, bool) or not isinstance(index, int) for index in dense):
        raise keys.refuse("mlp_only_layers must hold layer numbers")
    offset = 1 if keys.has("decoder_sparse_step") else 0
    return [index >= first and (index + offset) % step == 0 and index not in dense for index in range(layers)]


def stack(layers: Sequence[Layer]) -> tuple[Block, ...]:
    """Blocks of equal layers, in the order in which each kind first appears."""
    counts: dict[Layer, int] = {}
    for layer in layers:
        counts[layer] = counts.get(layer, 0) + 1
    return tuple(_block(layer, count) for layer, count in counts.items())


def _block(layer: Layer, count: int) -> Block:
    parts: dict[str, Mixer | Dense | Experts] = {}
    if layer.mixer is not None:
        parts[MIXER_FIELDS[type(layer.mixer).__name__]] = layer.mixer
    if isinstance(layer.feed, Dense):
        parts["dense"] = layer.feed
    elif layer.feed is not None:
        parts["experts"] = layer.feed
    return Block(layers=count, norms=layer.norms, **parts)  # type: ignore[arg-type]


def decoder(
    model_type: str,
    base: Sizes,
    layers: Sequence[Layer],
    *,
    final_norm: int,
    embedding_extra: int = 0,
    head_extra: int = 0,
) -> Architecture:
    """The architecture of a stack of layers."""
    return Architecture(
        model_type=model_type,
        hidden=base.hidden,
        vocabulary=base.vocabulary,
        tied=base.tied,
        context=base.context,
        blocks=stack(layers),
        final_norm=final_norm,
        embedding_extra=embedding_extra,
        head_extra=head_extra,
    )


def attention(
    count: int,
    kv: int,
    dim: int,
    hidden: int,
    *,
    query_bias: bool = False,
    output_bias: bool = False,
    head_norms: bool = False,
    wide_norms: bool = False,
    sinks: bool = False,
    window: int | None = None,
    chunked: bool = False,
    gated: bool = False,
) -> Attention:
    """Attention with the small parameters its family has: biases, norms per head or full width, sinks."""
    extra = 0
    if query_bias:
        extra += (count + 2 * kv) * dim
    if output_bias:
        extra += hidden
    if head_norms:
        extra += 2 * dim
    if wide_norms:
        extra += (count + kv) * dim
    if sinks:
        extra += count
    return Attention(
        heads=count, kv_heads=kv, head_dim=dim, window=window, chunked=chunked, gated=gated, extra=extra
    )  # fmt: skip
