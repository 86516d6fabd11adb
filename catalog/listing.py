"""The catalogue as a person searches and reads it: lists with a filter, and one entry with every figure's origin."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from catalog.book import (
    ACCELERATOR,
    ENGINE,
    FORMAT,
    INTERCONNECT,
    MODEL,
    PROFILE,
    Catalog,
    Found,
    kinds,
)
from catalog.documents import plain
from catalog.entries import Accelerator, Interconnect, Model
from catalog.errors import UnknownNameError
from catalog.load import shipped
from catalog.resolve import OWN_LINK, find_model, lookup, origin, runtime_memory
from catalog.schema import Entry, Kind, Source
from planner.model.fields import nearest, printable, show_number

_FIELDS: dict[str, Kind[Any]] = {
    "accelerator": ACCELERATOR,
    "model": MODEL,
    "draft_model": MODEL,
    "engine": ENGINE,
    "efficiency_profile": PROFILE,
    "interconnect": INTERCONNECT,
    "weight_format": FORMAT,
    "kv_format": FORMAT,
}
"""Inputs of a scenario that name an entry, and the entry's kind."""


@dataclass(frozen=True, slots=True)
class Line:
    """One entry in a list: ``detail`` tells entries apart in a few words, ``layer`` is where it is from."""

    kind: str
    id: str
    name: str
    detail: str
    layer: str
    own: bool
    replaces: bool


@dataclass(frozen=True, slots=True)
class Filters:
    """What a list is narrowed to; None and the empty text narrow nothing. Memory in GB, bandwidth in TB/s."""

    text: str = ""
    vendor: str = ""
    family: str = ""
    min_memory_gb: float | None = None
    max_memory_gb: float | None = None
    min_bandwidth_tb_s: float | None = None
    max_bandwidth_tb_s: float | None = None
    own: bool = False


@dataclass(frozen=True, slots=True)
class Figure:
    """One figure of an entry with its unit, origin and doubt; ``others`` are figures of sources that differ."""

    name: str
    value: Any
    unit: str
    source: str
    date: str
    doubt: str = ""
    others: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Page:
    """One entry in full."""

    kind: str
    id: str
    name: str
    aliases: tuple[str, ...]
    layer: str
    own: bool
    replaces: bool
    note: str
    figures: tuple[Figure, ...]

    def as_json(self) -> dict[str, Any]:
        """The page as plain data."""
        return asdict(self)


def kind_of(word: str) -> Kind[Any]:
    """The kind that a word names, in the singular or the plural; raises UnknownNameError with the nearest ones."""
    known = kinds()
    plain_word = word.strip().lower().replace("-", "_").replace(" ", "_")
    for name in (plain_word, plain_word.removesuffix("s"), f"{plain_word}s"):
        if name in known:
            return known[name]
    raise UnknownNameError(f"Kind '{printable(word)[:60]}' is not in the catalogue{nearest(plain_word, known)}.")


def describe(catalog: Catalog, field: str) -> list[tuple[str, str]]:
    """Names that the input ``field`` may take, each with what tells it apart; empty for other inputs."""
    kind = _FIELDS.get(field)
    if kind is None:
        return []
    lines = [(line.id, line.detail) for line in lines_of(catalog, kind)]
    return [(OWN_LINK, "the device's own link"), *lines] if field == "interconnect" else lines


def lines_of(catalog: Catalog, kind: Kind[Any], filters: Filters | None = None) -> list[Line]:
    """Entries of a kind that pass the filters, in the catalogue's order."""
    wanted = filters or Filters()
    return [_line(kind, found) for found in catalog.all(kind) if _passes(found, wanted)]


def _line(kind: Kind[Any], found: Found[Any]) -> Line:
    entry = found.entry
    return Line(kind.name, entry.id, entry.name, detail(entry), found.layer, found.own, found.replaces)


def detail(entry: Entry) -> str:
    """A few words that tell an entry apart."""
    if isinstance(entry, Accelerator):
        memory = runtime_memory(entry)[0]
        parts = [f"{show_number(memory)} GiB" if memory is not None else "no memory size"]
        rate = entry.dense_tflops.bf16 or entry.dense_tflops.fp16
        parts += [f"{show_number(entry.bandwidth_tb_s)} TB/s"]
        parts += [f"{show_number(rate)} TFLOP/s"] if rate is not None else []
        return ", ".join(parts)
    if isinstance(entry, Model):
        made = entry.architecture
        total = made.parameters if made is not None else entry.parameters or 0
        active = made.active_parameters if made is not None else entry.active or total
        parts = [f"{show_number(total / 1e9, 3)} B"]
        if made is not None and made.expert_parameters:
            parts.append(f"{show_number(active / 1e9, 3)} B active")
        if entry.context is not None:
            parts.append(f"context {entry.context:,}")
        return ", ".join(parts)
    if isinstance(entry, Interconnect):
        return "costs nothing" if entry.ideal else f"{show_number(entry.gb_s or 0)} GB/s per direction"
    return entry.name


def _passes(found: Found[Any], wanted: Filters) -> bool:
    entry = found.entry
    if wanted.own and not found.own:
        return False
    text = " ".join((entry.id, entry.name, *entry.aliases, entry.note)).casefold()
    if any(word not in text for word in wanted.text.casefold().split()):
        return False
    for name in ("vendor", "family"):
        word = getattr(wanted, name).casefold()
        if word and word not in str(getattr(entry, name, "")).casefold():
            return False
    memory = getattr(entry, "memory_label_gb", None)
    bandwidth = getattr(entry, "bandwidth_tb_s", None)
    return _between(memory, wanted.min_memory_gb, wanted.max_memory_gb) and _between(
        bandwidth, wanted.min_bandwidth_tb_s, wanted.max_bandwidth_tb_s
    )


def _between(value: float | None, low: float | None, high: float | None) -> bool:
    if low is None and high is None:
        return True
    return value is not None and (low is None or value >= low) and (high is None or value <= high)


def page(catalog: Catalog, kind: Kind[Any], name: str) -> Page:
    """One entry with every figure; ``name`` may be the path of a file as in a scenario.

    Raises UnknownNameError, MissingFileError, BadFileError and ConfigError.
    """
    found: Found[Any] = find_model(catalog, name) if kind is MODEL else lookup(catalog, kind, name)
    entry = found.entry
    figures = [_figure(catalog, kind, found, one, value) for one, value in _figures(entry)]
    return Page(
        kind.name, entry.id, entry.name, tuple(entry.aliases), found.layer, found.own, found.replaces, entry.note,
        tuple(figures),
    )  # fmt: skip


_HEAD = {"id", "name", "aliases", "sources", "origins", "others", "doubts", "note"}
_COMPUTED = {
    "parameters": "", "active_parameters": "", "embedding_parameters": "", "head_parameters": "",
    "attention_parameters": "", "expert_parameters": "", "layers": "", "state_bytes": "B",
}  # fmt: skip
_UNITS = (
    ("_gb_s", "GB/s"), ("_tb_s", "TB/s"), ("_gib", "GiB"), ("_mib", "MiB"), ("_gb", "GB"), ("_w", "W"), ("_us", "us"),
    ("_ms", "ms"), ("usd_h", "$/h"), ("usd_kwh", "$/kWh"), ("context", "tokens"), ("_bits", "bit"),
)  # fmt: skip


def _figures(entry: Entry) -> Iterable[tuple[str, Any]]:
    if isinstance(entry, Accelerator):
        yield from (("vendor", entry.vendor), ("year", entry.year), ("link", entry.link))
        yield from entry.figures().items()
        return
    if isinstance(entry, Model) and entry.architecture is not None:
        made = entry.architecture
        yield from ((name, getattr(made, name)) for name in _COMPUTED)
        yield from (("layer_counts", made.layer_counts()), ("stored", plain(entry.formats)))
    yield from ((name, value) for name, value in plain(entry).items() if name not in _HEAD)


def _figure(catalog: Catalog, kind: Kind[Any], found: Found[Any], name: str, value: Any) -> Figure:
    entry = found.entry
    figure = "blocks" if isinstance(entry, Model) and name in (*_COMPUTED, "layer_counts", "stored") else name
    source, date = origin(catalog, found, figure)
    unit = next((unit for ending, unit in _UNITS if name.endswith(ending)), "")
    if isinstance(entry, Accelerator) and entry.dense_tflops.get_or_none(name) is not None:
        unit = "TFLOP/s dense"
    reasons: Mapping[str, str] = shipped(kind.document).get("reasons", {})
    others = tuple(
        f"{one.value:g} in {_title(catalog, one.source)}: {reasons.get(one.why, one.why)}"
        for one in entry.others
        if one.figure == name
    )
    doubt = entry.doubt(figure) if isinstance(value, (int, float)) or figure in entry.doubts else ""
    return Figure(name, value, unit, source, date, doubt, others)


def _title(catalog: Catalog, source_id: str) -> str:
    (source,) = catalog.sources([source_id])
    return source.title if isinstance(source, Source) else source
