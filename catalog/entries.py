"""The kinds of catalogue entries: devices, models, formats, engines, efficiency profiles, interconnects."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import Annotated

from annotated_types import Interval

from catalog.architecture import Architecture, Block, Stored
from catalog.schema import Bits, Context, Count, Entry, Note, Positive, Ratio, Share, Strict, Text, Width, Words
from planner.model.facts import FACTORS

Rate = Annotated[float, Interval(gt=0, le=10**6)]
Gib = Annotated[float, Interval(ge=0, le=10**6)]
Watts = Annotated[float, Interval(ge=0, le=10**6)]
Devices = Annotated[int, Interval(ge=1, le=10**6)]

UNITS = ("fp32", "fp16", "bf16", "fp8", "int8", "fp4")
"""Arithmetic units of a device, by the format they compute in."""
UNIT_BITS = {"fp32": 32, "fp16": 16, "bf16": 16, "fp8": 8, "int8": 8, "fp4": 4}


@dataclass(frozen=True, slots=True, kw_only=True)
class Peaks(Strict):
    """Dense peak rates in 10^12 operations a second; absent: the device has no such unit or the rate is unknown."""

    fp32: Rate | None = None
    fp16: Rate | None = None
    bf16: Rate | None = None
    fp8: Rate | None = None
    int8: Rate | None = None
    fp4: Rate | None = None

    def get(self, unit: str) -> float | None:
        """The rate of ``unit``, one of UNITS."""
        rate: float | None = getattr(self, unit)
        return rate

    def get_or_none(self, name: str) -> float | None:
        """The rate of ``name`` where it is a unit of this device, else None."""
        return self.get(name) if name in UNITS else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Accelerator(Entry):
    """One device: memory, bandwidth (10^12 B/s), dense peaks, links (GB/s per direction) and power (W).

    ``link_devices`` is how many devices the link joins at its rate, ``node_devices`` how many share a server,
    ``network_gb_s`` the rate of one device between servers.
    """

    vendor: Text
    year: Annotated[int, Interval(ge=1990, le=2100)] | None = None
    memory_label_gb: Rate | None = None
    driver_memory_mib: Rate | None = None
    runtime_memory_gib: Rate | None = None
    bandwidth_tb_s: Annotated[float, Interval(gt=0, le=1000)]
    dense_tflops: Peaks
    link: Text | None = None
    link_gb_s: Rate | None = None
    peer_gb_s: Rate | None = None
    link_devices: Devices | None = None
    pcie_gb_s: Rate | None = None
    node_devices: Devices = 1
    network_gb_s: Rate | None = None
    power_w: Watts | None = None
    idle_power_w: Watts | None = None

    def figures(self) -> dict[str, float]:
        """Every figure by its name, the peaks by their unit."""
        names = [one.name for one in fields(Accelerator) if one.name not in _NOT_FIGURES]
        found = {name: getattr(self, name) for name in names}
        found |= {unit: self.dense_tflops.get(unit) for unit in UNITS}
        return {name: value for name, value in found.items() if value is not None}


_NOT_FIGURES = {one.name for one in fields(Entry)} | {"vendor", "year", "dense_tflops", "link"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Model(Entry):
    """A model: its text decoder's architecture, or only a number of parameters where nothing else is known.

    ``published_*`` are counts that others state, ``differs`` why they are off the counts computed here.
    """

    vendor: Text
    family: Text
    model_type: Text | None = None
    hidden: Width | None = None
    vocabulary: Words | None = None
    tied: bool = False
    context: Context | None = None
    stored: Text | Stored = "bf16"
    blocks: tuple[Block, ...] = ()
    final_norm: Count = 0
    embedding_extra: Count = 0
    head_extra: Count = 0
    prediction_layers: Count = 0
    parameters: Positive | None = None
    active: Positive | None = None
    path: Text | None = None
    published_parameters: Positive | None = None
    published_active: Positive | None = None
    published_as: Text | None = None
    differs: Note = ""

    def __post_init__(self) -> None:
        super(Model, self).__post_init__()
        if self.blocks:
            if self.hidden is None or self.vocabulary is None:
                raise ValueError("a model with blocks needs hidden and vocabulary")
            if self.parameters is not None or self.active is not None:
                raise ValueError("parameters are computed from the blocks: give one or the other")
        elif self.parameters is None:
            raise ValueError("a model needs blocks, or parameters where nothing else is known")
        elif self.active is not None and self.active > self.parameters:
            raise ValueError(f"active = {self.active} is more than parameters = {self.parameters}")

    @property
    def architecture(self) -> Architecture | None:
        """The architecture, or None when only a number of parameters is known."""
        if self.hidden is None or self.vocabulary is None or not self.blocks:
            return None
        return Architecture(
            model_type=self.model_type or self.family,
            hidden=self.hidden,
            vocabulary=self.vocabulary,
            tied=self.tied,
            context=self.context,
            blocks=self.blocks,
            final_norm=self.final_norm,
            embedding_extra=self.embedding_extra,
            head_extra=self.head_extra,
        )

    @property
    def formats(self) -> Stored:
        """Formats of the checkpoint by parameter group."""
        return self.stored if isinstance(self.stored, Stored) else Stored.all_in(self.stored)


@dataclass(frozen=True, slots=True, kw_only=True)
class Arithmetic(Strict):
    """One unit that weights in a format may be computed in; see formats.toml."""

    unit: Text
    needs: Text | None = None
    slower_than: Text | None = None

    def __post_init__(self) -> None:
        for unit in (self.unit, self.needs or self.unit, self.slower_than or self.unit):
            if unit not in UNITS:
                raise ValueError(f"{unit!r} is no arithmetic unit: {', '.join(UNITS)}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Format(Entry):
    """A number format with the bits it really takes, for weights, for the KV cache, or for both."""

    weight_bits: Bits | None = None
    everything: bool = False
    kv_bits: Bits | None = None
    arithmetic: tuple[Arithmetic, ...] = ()

    def unit(self, peaks: Peaks) -> str | None:
        """The unit that a device with ``peaks`` computes weights of this format in; None where it has none."""
        for one in self.arithmetic:
            rate = peaks.get(one.unit)
            if rate is None or (one.needs is not None and peaks.get(one.needs) is None):
                continue
            other = peaks.get(one.slower_than) if one.slower_than is not None else None
            if other is None or rate >= other:
                return one.unit
        return None


@dataclass(frozen=True, slots=True, kw_only=True)
class Engine(Entry):
    """A serving engine's memory conventions; see engines.toml for how the figures are read."""

    activation_bytes_per_logit: Ratio = 0
    reserve_gib: Gib = 0
    reserve_gib_per_ktoken: Gib = 0
    reserve_gib_per_device: Gib = 0
    floor_gib: Gib = 0
    token_coefficients: dict[str, Ratio] = field(default_factory=dict)
    token_coefficients_moe: dict[str, Ratio] = field(default_factory=dict)
    token_floor_gib: Gib = 0
    runtime_gib: Gib = 0
    runtime_multi_gib: Gib = 0
    pool_share: Share = 1
    pool_of_free_memory: bool = False
    warmup_sequences: Positive
    warmup_sequences_large: Positive | None = None
    large_memory_gb: Rate | None = None

    def __post_init__(self) -> None:
        super(Engine, self).__post_init__()
        for name in (*self.token_coefficients, *self.token_coefficients_moe):
            if not name.isdecimal() or len(name) > _DEGREE_DIGITS or int(name) < 1:
                raise ValueError(f"token coefficients are by tensor parallel degree, not {name[:20]!r}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile(Entry):
    """An efficiency profile: factors by the names of the sheet's facts, and those that differ by engine.

    ``fitted_on``, ``rows`` and ``command`` say what it was fitted on and how, ``ranges`` how sure each factor is,
    ``errors`` how far it was off (median and 90th percentile, per cent). ``closed_loop_burst`` is, by engine, how
    prompts bunch in a benchmark that sends many at once; it has no part in open arrivals and is no fact of the sheet.
    """

    fitted_on: Note = ""
    rows: Count = 0
    command: Note = ""
    limits: Note = ""
    factors: dict[str, float] = field(default_factory=dict)
    engines: dict[str, dict[str, float]] = field(default_factory=dict)
    closed_loop_burst: dict[str, Ratio] = field(default_factory=dict)
    ranges: dict[str, tuple[float, ...]] = field(default_factory=dict)
    errors: dict[str, tuple[float, ...]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        super(Profile, self).__post_init__()
        for table in (self.factors, *self.engines.values()):
            for name, value in table.items():
                if name not in FACTOR_FIELDS:
                    raise ValueError(f"{name[:60]!r} is no factor of a profile")
                FACTOR_FIELDS[name].check(value)

    def factor(self, name: str, engine: str) -> float:
        """One factor for ``engine``; its neutral value where the profile does not give it."""
        return self.engines.get(engine, {}).get(name, self.factors.get(name, neutral(name)))


FACTOR_FIELDS = {one.name: one for one in FACTORS}
_DEGREE_DIGITS = 6
"""Of a degree of parallelism; Python reads no number of thousands of digits."""
_NEUTRAL_ONE = ("efficiency", "factor", "band_low", "band_high")


def neutral(name: str) -> float:
    """The value of a profile factor that removes what it stands for: 1 for shares and factors, 0 for times."""
    return 1.0 if name.endswith(_NEUTRAL_ONE) else 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Interconnect(Entry):
    """A link between devices: rate of one device in one direction (GB/s), or an ideal one that costs nothing."""

    gb_s: Rate | None = None
    ideal: bool = False
    between_nodes: bool = False

    def __post_init__(self) -> None:
        super(Interconnect, self).__post_init__()
        if self.ideal == (self.gb_s is not None):
            raise ValueError("an interconnect is ideal or has a rate gb_s")
