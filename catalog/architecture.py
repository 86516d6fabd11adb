"""The normalised architecture of a model's text decoder, and the counts that follow from it.

A model is a stack of blocks. A block is ``layers`` equal layers, each a token mixer (attention over a KV cache,
latent attention, a recurrent layer with a fixed state, or none) and a feed-forward part (dense, experts, or none).
Every count is derived here, none is stored: published counts stand beside them in the catalogue and are compared.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from catalog.mixers import (
    Attention,
    CompressedAttention,
    DeltaAttention,
    GatedDelta,
    LatentAttention,
    Lightning,
    Mamba1,
    Mamba2,
    Mixer,
)
from catalog.schema import Bits, Context, Count, Layers, Positive, Strict, Text, Width, Words


@dataclass(frozen=True, slots=True, kw_only=True)
class Dense(Strict):
    """A feed-forward part that every token passes; gated ones have three matrices, plain ones two."""

    width: Positive
    gated: bool = True
    extra: Count = 0
    """Biases, parameters per layer."""

    def parameters(self, hidden: int) -> int:
        """Parameters of one layer."""
        return (3 if self.gated else 2) * hidden * self.width + self.extra


@dataclass(frozen=True, slots=True, kw_only=True)
class Experts(Strict):
    """Routed experts, of which each token uses ``active``, beside what every token passes.

    ``shared_width`` is the width of all shared experts together, ``latent`` the width the routed experts work in
    where it is not the hidden size, ``expert_extra`` the biases of one expert, ``extra`` router bias, gates and
    scales of one layer.
    """

    count: Positive
    active: Positive
    width: Positive
    shared: Count = 0
    shared_width: Count = 0
    gated: bool = True
    latent: Positive | None = None
    expert_extra: Count = 0
    extra: Count = 0

    def __post_init__(self) -> None:
        if self.active > self.count:
            raise ValueError(f"active = {self.active} is more than the {self.count} experts there are")

    def one(self, hidden: int) -> int:
        """Parameters of one routed expert of one layer."""
        return (3 if self.gated else 2) * (self.latent or hidden) * self.width + self.expert_extra

    def common(self, hidden: int) -> int:
        """Parameters that every token passes: router, shared experts, latent projections."""
        shared = (3 if self.gated else 2) * hidden * self.shared_width
        latent = 2 * hidden * self.latent if self.latent else 0
        return hidden * self.count + shared + latent + self.extra


@dataclass(frozen=True, slots=True, kw_only=True)
class Block(Strict):
    """``layers`` equal layers: at most one mixer and at most one feed-forward part."""

    layers: Layers
    attention: Attention | None = None
    latent: LatentAttention | None = None
    compressed: CompressedAttention | None = None
    gated_delta: GatedDelta | None = None
    kda: DeltaAttention | None = None
    lightning: Lightning | None = None
    mamba1: Mamba1 | None = None
    mamba2: Mamba2 | None = None
    dense: Dense | None = None
    experts: Experts | None = None
    norms: Count = 0
    """Normalisation parameters of one layer outside its mixer."""

    def __post_init__(self) -> None:
        mixers = [kind for kind in _MIXERS if getattr(self, kind) is not None]
        if len(mixers) > 1:
            raise ValueError(f"a block has one mixer, not {' and '.join(mixers)}")
        if self.dense is not None and self.experts is not None:
            raise ValueError("a block is dense or has experts, not both")
        if not mixers and self.dense is None and self.experts is None:
            raise ValueError("a block needs a mixer or a feed-forward part")

    @property
    def mixer(self) -> Mixer | None:
        """The token mixer, or None."""
        found: Mixer | None = next((m for kind in _MIXERS if (m := getattr(self, kind)) is not None), None)
        return found

    @property
    def kind(self) -> str:
        """The layer kind in one word: full, sliding, chunked, linear, kda, lightning, mamba1, mamba2, mlp or moe."""
        if self.mixer is not None:
            return self.mixer.kind
        return "mlp" if self.dense is not None else "moe"


_MIXERS = ("attention", "latent", "compressed", "gated_delta", "kda", "lightning", "mamba1", "mamba2")


@dataclass(frozen=True, slots=True, kw_only=True)
class Stored(Strict):
    """Formats of the checkpoint by parameter group, as ids of the formats file; ``bits`` where a group differs."""

    attention: Text = "bf16"
    dense: Text = "bf16"
    experts: Text = "bf16"
    embedding: Text = "bf16"
    kv: Text | None = None
    """Format the checkpoint asks the KV cache to have, where it does."""
    bits: dict[str, Bits] = field(default_factory=dict)

    @classmethod
    def all_in(cls, word: str) -> Stored:
        """Every group in one 16- or 32-bit format."""
        return cls(attention=word, dense=word, experts=word, embedding=word)


@dataclass(frozen=True, slots=True, kw_only=True)
class Architecture(Strict):
    """A text decoder. ``vocabulary`` is the number of rows of the embedding as stored, padding included."""

    model_type: Text
    hidden: Width
    vocabulary: Words
    tied: bool
    context: Context | None = None
    blocks: tuple[Block, ...]
    final_norm: Count = 0
    embedding_extra: Count = 0
    """Position tables and embedding norms: stored, not multiplied with."""
    head_extra: Count = 0
    """Bias of the LM head."""

    @property
    def layers(self) -> int:
        """Layers as the model's own configuration counts them."""
        return sum(block.layers for block in self.blocks)

    @property
    def embedding_parameters(self) -> int:
        """Input embedding that is only looked up; 0 when the LM head uses the same table."""
        return 0 if self.tied else self.vocabulary * self.hidden

    @property
    def head_parameters(self) -> int:
        """LM head, also the embedding when tied."""
        return self.vocabulary * self.hidden + self.head_extra

    @property
    def attention_parameters(self) -> int:
        """All token mixers, recurrent ones included."""
        return sum(layers * mixer.parameters(self.hidden) for layers, mixer in self.mixers())

    @property
    def expert_parameters(self) -> int:
        """Routed experts of all layers together."""
        return sum(layers * experts.count * experts.one(self.hidden) for layers, experts in self.expert_blocks())

    @property
    def active_expert_parameters(self) -> int:
        """Routed experts that one token uses."""
        return sum(layers * experts.active * experts.one(self.hidden) for layers, experts in self.expert_blocks())

    @property
    def dense_parameters(self) -> int:
        """Feed-forward parts that every token passes, routers and shared experts included, and the norms."""
        total = self.final_norm
        for block in self.blocks:
            one = block.norms
            if block.dense is not None:
                one += block.dense.parameters(self.hidden)
            if block.experts is not None:
                one += block.experts.common(self.hidden)
            total += block.layers * one
        return total

    @property
    def parameters(self) -> int:
        """All parameters of the text decoder, a tied table counted once."""
        tables = self.embedding_parameters + self.embedding_extra + self.head_parameters
        return tables + self.attention_parameters + self.dense_parameters + self.expert_parameters

    @property
    def active_parameters(self) -> int:
        """What one token is multiplied with: all but the embedding look-up and the experts it does not use."""
        idle = self.expert_parameters - self.active_expert_parameters
        return self.parameters - self.embedding_parameters - self.embedding_extra - idle

    @property
    def state_bytes(self) -> float:
        """Bytes of the fixed state that one sequence keeps in all recurrent layers."""
        return sum(layers * mixer.state_bytes() for layers, mixer in self.mixers())

    def layer_counts(self) -> dict[str, int]:
        """Layers of each kind, in the order in which the kinds first appear."""
        counts: dict[str, int] = {}
        for block in self.blocks:
            counts[block.kind] = counts.get(block.kind, 0) + block.layers
        return counts

    def expert_blocks(self) -> Iterator[tuple[int, Experts]]:
        """Layers and experts of each block that has experts."""
        return ((block.layers, block.experts) for block in self.blocks if block.experts is not None)

    def mixers(self) -> Iterator[tuple[int, Mixer]]:
        """Layers and token mixer of each block that has one."""
        return ((block.layers, mixer) for block in self.blocks if (mixer := block.mixer) is not None)
