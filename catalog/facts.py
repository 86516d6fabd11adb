"""Facts of a model from its architecture and formats: the numbers a sheet sees, with what is approximate about them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from catalog.architecture import Architecture, Experts, Stored
from catalog.entries import UNIT_BITS, Format, Model, Peaks
from catalog.mixers import Attention, CompressedAttention, LatentAttention, Recurrent

Number = float | None
FormatOf = Callable[[str], Format]

WINDOW_BYTES = 2
"""Bytes of an element in the window beside a compressed cache: 16 bits."""
PLAIN_BITS = 16.0
"""Norms, routers and small parts stay in 16 bits."""


@dataclass(slots=True)
class Figures:
    """Values by fact name, and doubts about single ones."""

    values: dict[str, Number] = field(default_factory=dict)
    doubts: dict[str, str] = field(default_factory=dict)

    def doubt(self, text: str, *names: str) -> None:
        """Adds a doubt to facts."""
        for name in names:
            self.doubts[name] = f"{self.doubts[name]}; {text}" if name in self.doubts else text


_UNKNOWN_SHAPE = (
    "embedding_parameters", "head_parameters", "attention_parameters", "expert_parameters", "layers", "heads",
    "kv_heads", "head_dim", "hidden_size", "vocabulary", "experts", "experts_per_token", "moe_layers", "window_tokens",
    "window_layers", "window_kv_heads", "window_head_dim", "mla_layers", "linear_layers", "state_bytes_per_sequence",
    "kv_lora_rank", "qk_rope_head_dim", "qk_nope_head_dim", "v_head_dim", "sparse_layers", "sparse_top_tokens",
    "sparse_ratio", "full_ratio", "index_dim",
)  # fmt: skip


def shape(model: Model) -> Figures:
    """Facts of the architecture; zeros where only a number of parameters is known."""
    made = model.architecture
    figures = Figures(dict.fromkeys(_UNKNOWN_SHAPE, 0.0))
    values = figures.values
    values["model_context_tokens"] = model.context
    if made is None:
        values["parameters"] = model.parameters
        values["active_parameters"] = model.active or model.parameters
        return figures
    values |= {
        "parameters": made.parameters,
        "active_parameters": made.active_parameters,
        "embedding_parameters": made.embedding_parameters + made.embedding_extra,
        "head_parameters": made.head_parameters,
        "attention_parameters": made.attention_parameters,
        "expert_parameters": made.expert_parameters,
        "hidden_size": made.hidden,
        "vocabulary": made.vocabulary,
    }
    _layers(made, figures)
    _attention(made, figures)
    _experts(made, figures)
    return figures


def _layers(made: Architecture, figures: Figures) -> None:
    """Layers as the sheet counts them: each with its token mixer, so that every one of them has a cache or a state."""
    mixing = sum(layers for layers, _ in made.mixers())
    figures.values["layers"] = mixing
    if mixing < made.layers:
        figures.doubt(
            f"{made.layers} layers are published; {made.layers - mixing} of them have no token mixer and are counted "
            "with the layer they follow",
            "layers",
        )
    recurrent = [(layers, mixer) for layers, mixer in made.mixers() if isinstance(mixer, Recurrent)]
    if recurrent:
        figures.values["linear_layers"] = sum(layers for layers, _ in recurrent)
        figures.values["state_bytes_per_sequence"] = made.state_bytes
        bits = sorted({mixer.state_bits for _, mixer in recurrent})
        figures.doubt(f"state kept in {' and '.join(map(str, bits))} bits; engines differ", "state_bytes_per_sequence")


def _attention(made: Architecture, figures: Figures) -> None:
    values = figures.values
    plain = [(layers, one) for layers, one in made.mixers() if isinstance(one, Attention)]
    latent = [(layers, one) for layers, one in made.mixers() if isinstance(one, LatentAttention)]
    compressed = [(layers, one) for layers, one in made.mixers() if isinstance(one, CompressedAttention)]
    if compressed:
        _compressed(compressed, figures)
    if latent:
        main = latent[0][1]
        values |= {
            "heads": main.heads,
            "kv_heads": 1,
            "head_dim": main.nope + main.rope,
            "mla_layers": sum(layers for layers, _ in latent),
            "kv_lora_rank": main.kv_rank,
            "qk_rope_head_dim": main.rope,
            "qk_nope_head_dim": main.nope,
            "v_head_dim": main.value_dim,
        }
        if main.indexer is not None:
            values |= {
                "sparse_layers": sum(layers for layers, one in latent if one.indexer is not None),
                "sparse_top_tokens": main.indexer.top_tokens,
                "index_dim": main.indexer.dim,
            }
    if plain:
        _grouped(plain, figures)


def _compressed(found: list[tuple[int, CompressedAttention]], figures: Figures) -> None:
    """Keys and values share one entry of ``ratio`` tokens, like a latent without a rotary part of its own.

    The window of every layer is a fixed state beside the cache; layers that have nothing else cache nothing.
    """
    values = figures.values
    main = found[0][1]
    sparse = [(layers, one) for layers, one in found if one.ratio and one.indexer is not None]
    full = [(layers, one) for layers, one in found if one.ratio and one.indexer is None]
    windows = sum(layers * one.window * one.head_dim for layers, one in found)
    alone = sum(layers for layers, one in found if not one.ratio)
    values |= {
        "heads": main.heads, "kv_heads": 1, "head_dim": main.head_dim, "kv_lora_rank": main.head_dim,
        "qk_nope_head_dim": main.head_dim, "v_head_dim": main.head_dim, "mla_layers": sum(c for c, _ in sparse + full),
        "linear_layers": alone, "state_bytes_per_sequence": windows * WINDOW_BYTES,
        "sparse_ratio": _tokens_per_entry(sparse), "full_ratio": _tokens_per_entry(full),
    }  # fmt: skip
    values["sparse_layers"] = sum(layers for layers, _ in sparse)
    for indexer in (one.indexer for _, one in sparse if one.indexer is not None):
        values |= {"sparse_top_tokens": indexer.top_tokens, "index_dim": indexer.dim}
    if alone:
        figures.doubt(f"{alone} layers keep a window alone: a fixed state", "linear_layers")
    figures.doubt("the indexer's keys at one byte; engines that keep them in 16 bits need more", "index_dim")
    figures.doubt("the layers' windows in 16 bits", "state_bytes_per_sequence")


def _tokens_per_entry(found: list[tuple[int, CompressedAttention]]) -> float:
    """Tokens of one cached entry, as many entries in all as the layers have; 0 without layers."""
    entries = sum(layers / one.ratio for layers, one in found)
    return sum(layers for layers, _ in found) / entries if entries else 0.0


def _grouped(plain: list[tuple[int, Attention]], figures: Figures) -> None:
    """Grouped heads of the layers that see everything, and those of windows where they differ.

    Where layers of one kind differ, the widest cache stands for all of them, which never promises too much.
    """
    values = figures.values
    windowed = [(layers, one) for layers, one in plain if one.window is not None]
    main = _widest([one for _, one in plain if one.window is None] or [one for _, one in plain], figures, "")
    values |= {"heads": main.heads, "kv_heads": main.kv_heads, "head_dim": _mean_width(main, figures, "head_dim")}
    if not windowed:
        return
    values["window_layers"] = sum(layers for layers, _ in windowed)
    values["window_tokens"] = windowed[0][1].window
    own = _widest([one for _, one in windowed], figures, "window_")
    if (own.kv_heads, own.head_dim, own.values) != (main.kv_heads, main.head_dim, main.values):
        values["window_kv_heads"] = own.kv_heads
        values["window_head_dim"] = _mean_width(own, figures, "window_head_dim")
        if own.heads != main.heads:
            figures.doubt(f"sliding-window layers have {own.heads} heads", "heads")
    if any(one.chunked for _, one in windowed):
        figures.doubt("chunks start anew, so a layer sees half of this on average", "window_tokens")


def _widest(layers: list[Attention], figures: Figures, prefix: str) -> Attention:
    """The layer that caches most, with a doubt where the others cache less."""
    main = max(layers, key=lambda one: one.cached_elements())
    if any(one.cached_elements() != main.cached_elements() for one in layers):
        figures.doubt(
            "layers cache different widths; the widest stands for all of them, so KV bytes are an upper bound",
            f"{prefix}kv_heads",
            f"{prefix}head_dim",
        )
    return main


def _mean_width(one: Attention, figures: Figures, name: str) -> int:
    """Elements per head, keys and values averaged."""
    wide = one.head_dim + one.values
    if one.head_dim != one.values:
        figures.doubt(f"keys of {one.head_dim} and values of {one.values}: their mean", name)
    return wide // 2 if wide % 2 == 0 else one.head_dim


def _experts(made: Architecture, figures: Figures) -> None:
    found: list[tuple[int, Experts]] = list(made.expert_blocks())
    if not found:
        return
    main = found[0][1]
    figures.values |= {
        "experts": main.count,
        "experts_per_token": main.active,
        "moe_layers": sum(layers for layers, _ in found),
    }
    if any((one.count, one.active) != (main.count, main.active) for _, one in found):
        figures.doubt("layers differ in their experts; the first kind stands for all", "experts", "experts_per_token")


def layout(model: Model, word: str) -> Stored:
    """Formats of the parameter groups when a scenario asks for ``word``: the checkpoint's own for ``stored``.

    A model whose experts are stored in that very format keeps the checkpoint's layout, in which the rest is wider.
    """
    own = model.formats
    if word == "stored" or (word == own.experts and model.architecture is not None and _has_experts(model)):
        return own
    return Stored(attention=word, dense=word, experts=word, embedding=word)


def _has_experts(model: Model) -> bool:
    return any(block.experts is not None for block in model.blocks)


def bits(model: Model, groups: Stored, format_of: FormatOf) -> Figures:
    """Bits per parameter of dense layers, experts, and embedding with head."""

    def of(group: str) -> float:
        own = groups.bits.get(group)
        return own if own is not None else format_of(getattr(groups, group)).weight_bits or PLAIN_BITS

    table = format_of(groups.embedding)
    embedding = (table.weight_bits or PLAIN_BITS) if table.everything or groups == model.formats else PLAIN_BITS
    made = model.architecture
    if made is None:
        dense = of("dense")
        return Figures({"weight_bits": dense, "expert_bits": dense, "embedding_bits": embedding})
    small = table.weight_bits or PLAIN_BITS if table.everything else PLAIN_BITS
    mixing, feeding, rest = dense_groups(made)
    total = mixing + feeding + rest
    weighted = mixing * of("attention") + feeding * of("dense") + rest * small
    dense = weighted / total if total else of("dense")
    experts = of("experts") if made.expert_parameters else dense
    return Figures({"weight_bits": dense, "expert_bits": experts, "embedding_bits": embedding})


def dense_groups(made: Architecture) -> tuple[int, int, int]:
    """Parameters outside tables and routed experts: mixers, feed-forward matrices, and what stays in 16 bits."""
    feeding = rest = 0
    for block in made.blocks:
        rest += block.layers * block.norms
        if block.dense is not None:
            feeding += block.layers * (block.dense.parameters(made.hidden) - block.dense.extra)
            rest += block.layers * block.dense.extra
        if block.experts is not None:
            common, router = block.experts.common(made.hidden), made.hidden * block.experts.count
            feeding += block.layers * (common - router - block.experts.extra)
            rest += block.layers * (router + block.experts.extra)
    return made.attention_parameters, feeding, rest + made.final_norm


def arithmetic(model: Model, groups: Stored, peaks: Peaks, format_of: FormatOf) -> Figures:
    """Peak rates and widths of the arithmetic of dense layers, experts and attention scores, in FLOP/s and bits."""
    figures = Figures()
    made = model.architecture
    main = "dense"
    if made is not None:
        mixing, feeding, _ = dense_groups(made)
        main = "attention" if mixing > feeding else "dense"
    parts = [("", main), ("expert_", "experts" if made is not None and made.expert_parameters else main)]
    for prefix, group in parts:
        word = getattr(groups, group)
        unit = format_of(word).unit(peaks)
        rate = peaks.get(unit) if unit is not None else None
        name, width = f"{prefix}peak_flops", f"{prefix}arithmetic_bits"
        figures.values[name] = None if rate is None else rate * 1e12
        figures.values[width] = None if unit is None else UNIT_BITS[unit]
        if unit is None:
            figures.doubt(f"no rate of this device is known that {word} weights could be computed at", name)
        elif unit != word:
            figures.doubt(f"{word} weights are computed in {unit} here", name)
    scores = next((unit for unit in ("bf16", "fp16", "fp32") if peaks.get(unit) is not None), None)
    rate = peaks.get(scores) if scores is not None else None
    figures.values["attention_peak_flops"] = None if rate is None else rate * 1e12
    if scores not in (None, "bf16"):
        figures.doubt(f"no bf16 on this device; the rate of {scores}", "attention_peak_flops")
    return figures


def weight_bytes(model: Model, word: str, format_of: FormatOf) -> float:
    """Resident bytes of all weights in the format a scenario asks for."""
    groups = layout(model, word)
    width = bits(model, groups, format_of).values
    values = shape(model).values
    tables = (values["embedding_parameters"] or 0) + (values["head_parameters"] or 0)
    experts = values["expert_parameters"] or 0
    dense = (values["parameters"] or 0) - tables - experts
    parts = ((dense, "weight_bits"), (experts, "expert_bits"), (tables, "embedding_bits"))
    return sum(count * (width[name] or 0) / 8 for count, name in parts)


def kv_bytes_per_token(model: Model, kv_bits: float) -> float:
    """KV bytes of one token in all layers, each in full."""
    made = model.architecture
    if made is None:
        return 0.0
    elements = sum(layers * mixer.cached_elements() for layers, mixer in made.mixers())
    index = sum(layers * mixer.index_elements() for layers, mixer in made.mixers())
    return elements * kv_bits / 8 + (index if kv_bits else 0)
