"""Parameter counts by listing every tensor of a tiny model, as its reference implementation allocates them.

Written apart from the catalogue's formulas, so that one checks the other. A tensor is a shape; a count is a product.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import prod

Shape = tuple[int, ...]

H, V = 64, 320
"""Hidden size and vocabulary of all fixtures."""


def total(*groups: Iterable[Shape]) -> int:
    """Elements of all tensors."""
    return sum(prod(shape) for group in groups for shape in group)


def repeated(times: int, *groups: Iterable[Shape]) -> list[Shape]:
    """The tensors of ``times`` equal layers."""
    return [shape for group in groups for shape in group] * times


def gated(width: int, hidden: int = H) -> list[Shape]:
    """Gate, up and down."""
    return [(width, hidden), (width, hidden), (hidden, width)]


def grouped(heads: int, kv: int, dim: int, hidden: int = H) -> list[Shape]:
    """Queries, keys, values and output."""
    return [(heads * dim, hidden), (kv * dim, hidden), (kv * dim, hidden), (hidden, heads * dim)]


TWO_NORMS: list[Shape] = [(H,), (H,)]
TABLES: list[Shape] = [(V, H), (V, H)]
TIED: list[Shape] = [(V, H)]
FINAL: list[Shape] = [(H,)]


def llama() -> int:
    """Grouped heads, gated feed-forward."""
    return total(TABLES, FINAL, repeated(3, grouped(8, 2, 8), gated(160), TWO_NORMS))


def gemma2() -> int:
    """Four norms a layer, tied table."""
    return total(TIED, FINAL, repeated(4, grouped(4, 2, 32), gated(160), TWO_NORMS, TWO_NORMS))


def gemma3() -> int:
    """Four norms a layer, norms on queries and keys, tied table."""
    head_norms: list[Shape] = [(16,), (16,)]
    return total(TIED, FINAL, repeated(7, grouped(8, 4, 16), head_norms, gated(160), TWO_NORMS, TWO_NORMS))


def gpt2() -> int:
    """Fused queries, keys and values with bias, biased norms, learned positions, tied table."""
    layer: list[Shape] = [(H, 3 * H), (3 * H,), (H, H), (H,), (H, 4 * H), (4 * H,), (4 * H, H), (H,)]
    norms: list[Shape] = [(H,)] * 4
    return total(TIED, [(128, H)], [(H,), (H,)], repeated(3, layer, norms))


def falcon() -> int:
    """Fused grouped projection, two biased norms, plain feed-forward, tied table."""
    layer: list[Shape] = [((8 + 2 * 2) * 8, H), (H, H), (4 * H, H), (H, 4 * H)]
    norms: list[Shape] = [(H,)] * 4
    return total(TIED, [(H,), (H,)], repeated(3, layer, norms))


def mpt() -> int:
    """No bias anywhere, no positions, tied table."""
    layer: list[Shape] = [(3 * H, H), (H, H), (4 * H, H), (H, 4 * H), (H,), (H,)]
    return total(TIED, FINAL, repeated(3, layer))


def bloom() -> int:
    """As GPT-2 with a norm on the embedding and no positions."""
    layer: list[Shape] = [(3 * H, H), (3 * H,), (H, H), (H,), (4 * H, H), (4 * H,), (H, 4 * H), (H,)]
    norms: list[Shape] = [(H,)] * 4
    return total(TIED, [(H,), (H,)], [(H,), (H,)], repeated(2, layer, norms))


def mixtral() -> int:
    """A router and four experts in the place of the feed-forward part."""
    feed = [(4, H), *repeated(4, gated(160))]
    return total(TABLES, FINAL, repeated(3, grouped(8, 2, 8), feed, TWO_NORMS))


def gpt_oss() -> int:
    """Biases on attention, router and experts, one sink a head."""
    mixer: list[Shape] = [*grouped(8, 2, 16), (128,), (32,), (32,), (H,), (8,)]
    feed: list[Shape] = [(6, H), (6,), (6, H, 2 * 48), (6, 2 * 48), (6, 48, H), (6, H)]
    return total(TABLES, FINAL, repeated(4, mixer, feed, TWO_NORMS))


def _latent(query_rank: int | None) -> list[Shape]:
    heads, nope, rope, rank, value = 8, 8, 4, 16, 8
    queries: list[Shape] = [(heads * (nope + rope), H)]
    if query_rank:
        queries = [(query_rank, H), (query_rank,), (heads * (nope + rope), query_rank)]
    cached: list[Shape] = [(rank + rope, H), (rank,), (heads * (nope + value), rank), (H, heads * value)]
    return queries + cached


def deepseek_v3() -> int:
    """Latent attention, two dense layers, three with a biased router, eight experts and a shared one."""
    feed: list[Shape] = [(8, H), (8,), *repeated(8, gated(32)), *gated(32)]
    mixer = _latent(24)
    return total(TABLES, FINAL, repeated(5, mixer, TWO_NORMS), repeated(2, gated(160)), repeated(3, feed))


def deepseek_v2() -> int:
    """Latent attention without a query rank, two shared experts, no bias on the router."""
    feed: list[Shape] = [(8, H), *repeated(8, gated(32)), *gated(64)]
    mixer = _latent(None)
    return total(TABLES, FINAL, repeated(5, mixer, TWO_NORMS), repeated(2, gated(160)), repeated(3, feed))


def deepseek_v32() -> int:
    """As V3 with an indexer: queries from the query latent, one key, a weight per head, a biased norm."""
    index: list[Shape] = [(4 * 8, 24), (8, H), (4, H), (8,), (8,)]
    return deepseek_v3() + total(repeated(5, index))


def qwen3_next() -> int:
    """Six gated delta layers, two gated attention layers, eight experts and a gated shared one on each."""
    keys, values = 2 * 8, 4 * 8
    linear: list[Shape] = [
        (2 * keys + 2 * values, H),
        (2 * 4, H),
        (2 * keys + values, 1, 4),
        (4,),
        (4,),
        (8,),
        (H, values),
    ]
    full: list[Shape] = [(2 * 4 * 32, H), (2 * 32, H), (2 * 32, H), (H, 4 * 32), (32,), (32,)]
    feed: list[Shape] = [(8, H), *repeated(8, gated(16)), *gated(16), (1, H)]
    return total(TABLES, FINAL, repeated(6, linear), repeated(2, full), repeated(8, feed, TWO_NORMS))


def nemotron_h() -> int:
    """Seven blocks: three state space, two dense, one attention, one with experts; one norm each."""
    inner, groups, state = 4 * 8, 2, 16
    wide = inner + 2 * groups * state
    mamba: list[Shape] = [(inner + wide + 4, H), (wide, 1, 4), (wide,), (4,), (4,), (4,), (inner,), (H, inner)]
    dense: list[Shape] = [(160, H), (H, 160)]
    feed: list[Shape] = [(4, H), (4,), *repeated(4, [(32, H), (H, 32)]), (64, H), (H, 64)]
    norms: list[Shape] = [(H,)] * 7
    return total(TABLES, FINAL, repeated(3, mamba), repeated(2, dense), grouped(4, 2, 16), feed, norms)


def kimi_linear() -> int:
    """Three delta layers, one gated latent layer; one dense layer, three with experts in a latent of 32."""
    wide = 4 * 8
    low: list[Shape] = [(8, H), (wide, 8)]
    delta: list[Shape] = [*[(wide, H)] * 3, *[(wide, 1, 4)] * 3, *low, *low, (4, H), (4,), (wide,), (8,), (H, wide)]
    mixer: list[Shape] = [(24, H), (24,), (4 * 12, 24), (20, H), (16,), (4 * 16, 16), (H, 32), (32, H)]
    feed: list[Shape] = [(8, H), *repeated(8, gated(32, 32)), *gated(64), (32, H), (H, 32)]
    parts = (repeated(3, delta), mixer, gated(160), repeated(3, feed), repeated(4, TWO_NORMS))
    return total(TABLES, FINAL, *parts)


def jamba() -> int:
    """Three state space layers with norms on their inputs, one attention layer, experts on two of four."""
    inner, state, step = 128, 8, 4
    mamba: list[Shape] = [
        (2 * inner, H), (inner, 1, 4), (inner,), (step + 2 * state, inner), (inner, step), (inner,),
        (inner, state), (inner,), (H, inner), (step,), (state,), (state,),
    ]  # fmt: skip
    feed: list[Shape] = [(4, H), *repeated(4, gated(128))]
    parts = (repeated(3, mamba), grouped(4, 2, 16), repeated(2, feed), repeated(2, gated(128)), repeated(4, TWO_NORMS))
    return total(TABLES, FINAL, *parts)


def mamba() -> int:
    """State space layers alone, step rank a sixteenth of the hidden size, tied table."""
    inner, state, step = 128, 8, 4
    layer: list[Shape] = [
        (2 * inner, H), (inner, 1, 4), (inner,), (step + 2 * state, inner), (inner, step), (inner,),
        (inner, state), (inner,), (H, inner), (H,),
    ]  # fmt: skip
    return total(TIED, FINAL, repeated(4, layer))
