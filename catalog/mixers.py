"""Token mixers: attention over a KV cache in its kinds, and recurrent layers with a fixed state.

Each says how many parameters one layer has, how many elements it caches per token and what state it keeps per
sequence. Sources of the formulas: the reference implementations of the model families named in the docstrings.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

from catalog.schema import Count, Positive, StateBits, Strict

CONVOLUTION_BYTES = 2
"""Rolling inputs of a short convolution are kept in 16 bits."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Mixer(Strict, ABC):
    """What all mixers answer; a mixer without a cache or a state answers 0."""

    extra: Count = 0
    """Biases, norms and attention sinks, parameters per layer."""

    @property
    @abstractmethod
    def kind(self) -> str:
        """The kind in one word, as layer counts name it."""

    @abstractmethod
    def parameters(self, hidden: int) -> int:
        """Parameters of one layer at a residual stream of ``hidden`` elements."""

    def cached_elements(self) -> float:
        """Elements that one layer caches for one token."""
        return 0

    def index_elements(self) -> float:
        """Elements of an indexer's keys that one layer caches for one token."""
        return 0

    def state_bytes(self) -> float:
        """Bytes that one layer keeps for one sequence whatever its length."""
        return 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Attention(Mixer):
    """Multi-head, grouped-query or multi-query attention, over everything or over a window.

    ``chunked`` windows start anew every ``window`` tokens (Llama 4). ``gated`` attention has an output gate as wide
    as the queries (Qwen3-Next). ``keys_are_values``: no value projection, the cache still holds both (Gemma 4).
    """

    heads: Positive
    kv_heads: Positive
    head_dim: Positive
    value_dim: Positive | None = None
    window: Positive | None = None
    chunked: bool = False
    gated: bool = False
    keys_are_values: bool = False

    def __post_init__(self) -> None:
        if self.heads % self.kv_heads:
            raise ValueError(f"heads = {self.heads} is no multiple of kv_heads = {self.kv_heads}")

    @property
    def kind(self) -> str:
        """``full``, ``sliding`` or ``chunked``."""
        if self.window is None:
            return "full"
        return "chunked" if self.chunked else "sliding"

    @property
    def values(self) -> int:
        """Elements of a value head."""
        return self.value_dim or self.head_dim

    def parameters(self, hidden: int) -> int:
        """Projections of queries (and gate), keys, values and output."""
        queries = hidden * self.heads * self.head_dim * (2 if self.gated else 1)
        cached = hidden * self.kv_heads * (self.head_dim + (0 if self.keys_are_values else self.values))
        return queries + cached + self.heads * self.values * hidden + self.extra

    def cached_elements(self) -> int:
        """Keys and values."""
        return self.kv_heads * (self.head_dim + self.values)


@dataclass(frozen=True, slots=True, kw_only=True)
class Indexer(Strict):
    """The small attention that chooses the tokens sparse attention looks at (DeepSeek sparse attention)."""

    heads: Positive
    dim: Positive
    top_tokens: Positive


@dataclass(frozen=True, slots=True, kw_only=True)
class LatentAttention(Mixer):
    """Multi-head latent attention: keys and values share one cached latent (DeepSeek-V2, equations 9 to 19)."""

    heads: Positive
    query_rank: Positive | None = None
    kv_rank: Positive
    rope: Positive
    nope: Positive
    value_dim: Positive
    gated: bool = False
    indexer: Indexer | None = None

    @property
    def kind(self) -> str:
        """``full``: every token is cached."""
        return "full"

    def parameters(self, hidden: int) -> int:
        """Down- and up-projections with the norms between them, output, gate and indexer."""
        heads, query = self.heads, self.nope + self.rope
        if self.query_rank is None:
            queries = hidden * heads * query
        else:
            queries = hidden * self.query_rank + self.query_rank + self.query_rank * heads * query
        latent = (
            hidden * (self.kv_rank + self.rope) + self.kv_rank + self.kv_rank * heads * (self.nope + self.value_dim)
        )
        output = heads * self.value_dim * hidden * (2 if self.gated else 1)
        index = 0
        if self.indexer is not None:
            wide = self.query_rank or hidden
            index = wide * self.indexer.heads * self.indexer.dim + hidden * (self.indexer.dim + self.indexer.heads)
            index += 2 * self.indexer.dim
        return queries + latent + output + index + self.extra

    def cached_elements(self) -> int:
        """The latent and the rotary part, once for keys and values together."""
        return self.kv_rank + self.rope

    def index_elements(self) -> int:
        """The indexer's key."""
        return 0 if self.indexer is None else self.indexer.dim


@dataclass(frozen=True, slots=True, kw_only=True)
class CompressedAttention(Mixer):
    """Attention over compressed tokens beside a window (DeepSeek-V4); compressor and indexer are approximated.

    ``ratio`` tokens share one cached entry, which is key and value; 0 leaves the window alone.
    """

    heads: Positive
    head_dim: Positive
    query_rank: Positive
    output_rank: Positive
    output_groups: Positive
    rope: Count = 0
    ratio: Count = 0
    window: Positive
    indexer: Indexer | None = None

    @property
    def kind(self) -> str:
        """``full``: the compressed cache reaches back to the start."""
        return "full"

    def parameters(self, hidden: int) -> int:
        """Low-rank queries, one shared key-value head, grouped low-rank output, compressors, indexer."""
        wide = self.heads * self.head_dim
        queries = hidden * self.query_rank + self.query_rank * wide
        output = wide * self.output_rank + self.output_groups * self.output_rank * hidden
        overlap = 2 if self.indexer is not None else 1
        compressor = 2 * hidden * overlap * self.head_dim if self.ratio else 0
        index = 0
        if self.indexer is not None:
            index = self.query_rank * self.indexer.heads * self.indexer.dim + hidden * self.indexer.heads
            index += 2 * hidden * overlap * self.indexer.dim
        return queries + hidden * self.head_dim + output + compressor + index + self.extra

    def cached_elements(self) -> float:
        """The part of an entry that falls to one token; the window holds no more as a sequence grows."""
        return self.head_dim / self.ratio if self.ratio else 0

    def index_elements(self) -> float:
        """The same of the indexer's key."""
        return self.indexer.dim / self.ratio if self.ratio and self.indexer is not None else 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Recurrent(Mixer):
    """A mixer with a fixed state in place of a cache. ``state_bits`` is the precision the state is kept in."""

    state_bits: StateBits = 32

    @abstractmethod
    def state_elements(self) -> int:
        """Elements of the recurrent state of one layer and sequence."""

    def convolution_elements(self) -> int:
        """Inputs that the short convolution keeps of one layer and sequence."""
        return 0

    def state_bytes(self) -> float:
        """State at its own precision, convolution inputs at 16 bits."""
        return self.state_elements() * self.state_bits / 8 + self.convolution_elements() * CONVOLUTION_BYTES


@dataclass(frozen=True, slots=True, kw_only=True)
class GatedDelta(Recurrent):
    """Gated delta rule with a short convolution (Qwen3-Next, Qwen3.5)."""

    key_heads: Positive
    key_dim: Positive
    value_heads: Positive
    value_dim: Positive
    convolution: Positive

    @property
    def kind(self) -> str:
        """``linear``."""
        return "linear"

    def parameters(self, hidden: int) -> int:
        """Queries, keys, values, gate, two gates per head, convolution, decay, norm and output."""
        keys, values = self.key_heads * self.key_dim, self.value_heads * self.value_dim
        inputs = hidden * (2 * keys + 2 * values) + 2 * hidden * self.value_heads
        convolution = (2 * keys + values) * self.convolution
        return inputs + convolution + 2 * self.value_heads + self.value_dim + values * hidden + self.extra

    def state_elements(self) -> int:
        """One key-by-value matrix per value head."""
        return self.value_heads * self.key_dim * self.value_dim

    def convolution_elements(self) -> int:
        """All but the newest input of queries, keys and values."""
        return (2 * self.key_heads * self.key_dim + self.value_heads * self.value_dim) * (self.convolution - 1)


@dataclass(frozen=True, slots=True, kw_only=True)
class DeltaAttention(Recurrent):
    """Kimi delta attention: per-channel decay, low-rank decay and output gates, short convolutions."""

    heads: Positive
    head_dim: Positive
    convolution: Positive

    @property
    def kind(self) -> str:
        """``kda``."""
        return "kda"

    def parameters(self, hidden: int) -> int:
        """Queries, keys, values, output, three convolutions, two low-rank gates, decay, norm."""
        wide = self.heads * self.head_dim
        gates = 2 * (hidden * self.head_dim + self.head_dim * wide)
        small = hidden * self.heads + self.heads + wide + self.head_dim
        return 4 * hidden * wide + 3 * wide * self.convolution + gates + small + self.extra

    def state_elements(self) -> int:
        """One key-by-value matrix per head."""
        return self.heads * self.head_dim * self.head_dim

    def convolution_elements(self) -> int:
        """All but the newest input of queries, keys and values."""
        return 3 * self.heads * self.head_dim * (self.convolution - 1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Lightning(Recurrent):
    """Lightning attention: linear attention with a fixed decay per head (MiniMax-Text-01)."""

    heads: Positive
    head_dim: Positive

    @property
    def kind(self) -> str:
        """``lightning``."""
        return "lightning"

    def parameters(self, hidden: int) -> int:
        """Queries, keys, values, output gate, norm and output."""
        wide = self.heads * self.head_dim
        return 5 * hidden * wide + wide + self.extra

    def state_elements(self) -> int:
        """One key-by-value matrix per head."""
        return self.heads * self.head_dim * self.head_dim


@dataclass(frozen=True, slots=True, kw_only=True)
class Mamba1(Recurrent):
    """Selective state space layer (Mamba, Jamba); ``norms`` on step size and state inputs as in Jamba."""

    inner: Positive
    state: Positive
    convolution: Positive
    step_rank: Positive
    norms: bool = False

    @property
    def kind(self) -> str:
        """``mamba1``."""
        return "mamba1"

    def parameters(self, hidden: int) -> int:
        """Input, convolution with bias, step size and state inputs, decay, skip and output."""
        inner, small = self.inner, self.step_rank + 2 * self.state
        convolution = inner * self.convolution + inner
        selection = inner * small + self.step_rank * inner + inner
        total = 2 * hidden * inner + convolution + selection + inner * self.state + inner + inner * hidden
        return total + (small if self.norms else 0) + self.extra

    def state_elements(self) -> int:
        """One state vector per channel."""
        return self.inner * self.state

    def convolution_elements(self) -> int:
        """All but the newest input of each channel."""
        return self.inner * (self.convolution - 1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Mamba2(Recurrent):
    """State space duality layer (Mamba-2, Nemotron-H)."""

    heads: Positive
    head_dim: Positive
    groups: Positive
    state: Positive
    convolution: Positive
    convolution_bias: bool = True

    @property
    def kind(self) -> str:
        """``mamba2``."""
        return "mamba2"

    @property
    def _convolved(self) -> int:
        return self.heads * self.head_dim + 2 * self.groups * self.state

    def parameters(self, hidden: int) -> int:
        """Input, convolution, decay, skip and step bias per head, gated norm and output."""
        inner = self.heads * self.head_dim
        inputs = hidden * (inner + self._convolved + self.heads)
        convolution = self._convolved * (self.convolution + (1 if self.convolution_bias else 0))
        return inputs + convolution + 3 * self.heads + inner + inner * hidden + self.extra

    def state_elements(self) -> int:
        """One state-by-channel matrix per head."""
        return self.heads * self.head_dim * self.state

    def convolution_elements(self) -> int:
        """All but the newest input of each channel."""
        return self._convolved * (self.convolution - 1)
