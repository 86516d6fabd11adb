"""What is wrong with the catalogue: units, ratios, bounds, counts, sources and dates, entry by entry.

``check`` returns findings; an empty list means that every figure passed. It serves ``planner catalog check`` and CI.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from catalog.book import (
    ACCELERATOR,
    ENGINE,
    FORMAT,
    INTERCONNECT,
    MODEL,
    PROFILE,
    Catalog,
    kinds,
    load_catalog,
)
from catalog.entries import Accelerator, Format, Model, Profile
from catalog.errors import BadFileError
from catalog.load import shipped
from catalog.price_check import check_prices
from catalog.schema import Entry, Kind, Source, key, validate

PUBLISHED_TOLERANCE = 0.005
"""Published and recomputed counts may differ by this share without a reason."""
ACTIVE_TOLERANCE = 0.25
"""Published active counts are rounded, often to a whole billion."""
DISAGREEMENT = 0.03


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is wrong: where (kind, id, figure) and what, as a sentence."""

    where: str
    text: str

    def __str__(self) -> str:
        return f"{self.where}: {self.text}"


def check(catalog: Catalog | None = None) -> list[Finding]:
    """Everything that is wrong with the shipped catalogue and with a user's layers over it; empty when nothing is."""
    book = catalog if catalog is not None else load_catalog()
    found: list[Finding] = []
    valid = True
    for kind in kinds().values():
        broken = list(_schema(kind))
        valid = valid and not broken
        found += broken
        found += _names(kind)
    found += _sources()
    if not valid:
        return found
    found += [
        finding for kind in kinds().values() for one in book.all(kind) for finding in _origins(book, kind, one.entry)
    ]
    found += _each(book, ACCELERATOR, accelerator)
    found += _each(book, MODEL, lambda entry: model(book, entry))
    found += _each(book, FORMAT, number_format)
    found += _each(book, PROFILE, lambda entry: profile(book, entry))
    found += _each(book, INTERCONNECT, lambda entry: _within("gb_s", entry.gb_s, 1, 5000))
    found += [Finding(where, text) for where, text in check_prices(book)]
    return found


def _each(book: Catalog, kind: Kind[Any], rule: Callable[[Any], Iterator[str]]) -> Iterator[Finding]:
    for one in book.all(kind):
        yield from (Finding(f"{kind.name} {one.entry.id}", text) for text in rule(one.entry))


def _schema(kind: Kind[Any]) -> Iterator[Finding]:
    """Shipped entries against the bounds and types that users' entries are held to."""
    for raw in shipped(kind.document).get(kind.name, ()):
        where = f"{kind.name} {raw.get('id', '?')}"
        try:
            validate(kind.cls, raw, where)
        except BadFileError as error:
            yield Finding(where, str(error))


def _names(kind: Kind[Any]) -> Iterator[Finding]:
    """Ids are unique, and no name or alias leads to two entries."""
    owners: dict[str, str] = {}
    seen: set[str] = set()
    for raw in shipped(kind.document).get(kind.name, ()):
        entry_id = str(raw.get("id", "?"))
        if entry_id in seen:
            yield Finding(f"{kind.name} {entry_id}", "the id is there twice")
        seen.add(entry_id)
        for word in {key(str(one)) for one in (entry_id, raw.get("name", ""), *raw.get("aliases", ()))}:
            if owners.setdefault(word, entry_id) != entry_id:
                yield Finding(f"{kind.name} {entry_id}", f"the name {word!r} leads to {owners[word]} as well")


def _sources() -> Iterator[Finding]:
    seen: set[str] = set()
    for raw in shipped("sources")["source"]:
        where = f"source {raw.get('id', '?')}"
        try:
            source = validate(Source, raw, where)
        except BadFileError as error:
            yield Finding(where, str(error))
            continue
        if source.id in seen:
            yield Finding(where, "the id is there twice")
        seen.add(source.id)


def _origins(book: Catalog, kind: Kind[Any], entry: Entry) -> Iterator[Finding]:
    """Every figure has a source with a date; figures of others differ, and say why."""
    where = f"{kind.name} {entry.id}"
    figures = set(entry.figures()) if isinstance(entry, Accelerator) else None
    if not entry.sources and not entry.origins:
        yield Finding(where, "no source is named")
    own = {raw["id"] for raw in shipped(kind.document).get(kind.name, ())}
    for figure in figures or {"*", *entry.origins}:
        ids = entry.origin_ids(figure)
        if not ids:
            yield Finding(where, f"{figure} has no source")
        if entry.id in own:
            yield from (
                Finding(where, f"{figure} names the unknown source {one!r}")
                for one in book.sources(ids)
                if isinstance(one, str)
            )
    for name in (*entry.origins, *(one.figure for one in entry.others)):
        if figures is not None and name not in figures and name not in _LEFT_EMPTY:
            yield Finding(where, f"{name} is no figure of this entry")
    yield from (Finding(where, text) for text in _others(kind, entry))


_LEFT_EMPTY = {"int8", "fp16", "fp32", "driver_memory_mib"}
"""Figures that others give and that may be left unknown."""


def _others(kind: Kind[Any], entry: Entry) -> Iterator[str]:
    reasons = shipped(kind.document).get("reasons", {})
    chosen = entry.figures() if isinstance(entry, Accelerator) else {}
    for other in entry.others:
        if other.why not in reasons and " " not in other.why:
            yield f"{other.figure} of {other.source} gives no reason ({other.why!r})"
        value = chosen.get(other.figure)
        if value is not None and abs(other.value - value) <= DISAGREEMENT * value:
            yield f"{other.figure} of {other.source} ({other.value:g}) does not differ from {value:g}"


def _within(name: str, value: float | None, low: float, high: float) -> Iterator[str]:
    if value is not None and not low <= value <= high:
        yield f"{name} = {value:g} is not within {low:g} to {high:g}"


_RATIOS = {
    ("fp16", "bf16"): (1,),
    ("fp8", "bf16"): (1, 2, 3.75),
    ("int8", "bf16"): (1, 2, 4),
    ("fp4", "fp8"): (1, 2, 3, 4),
}
"""Ratios between dense rates that devices are known to have; 3.75 is Trainium3's, 3 Blackwell Ultra's."""
_RATIO_TOLERANCE = 0.06


def accelerator(device: Accelerator) -> Iterator[str]:
    """Plausible memory, bandwidth, power and links, and dense rates in known ratios."""
    yield from _within("bandwidth_tb_s", device.bandwidth_tb_s, 0.05, 25)
    yield from _within("memory_label_gb", device.memory_label_gb, 4, 1024)
    yield from _within("power_w", device.power_w, 10, 3000)
    yield from _within("link_gb_s", device.link_gb_s, 1, 5000)
    yield from _within("pcie_gb_s", device.pcie_gb_s, 1, 256)
    yield from _within("network_gb_s", device.network_gb_s, 1, 500)
    label, driver = device.memory_label_gb, device.driver_memory_mib
    if label is not None and driver is not None:
        yield from _within("driver_memory_mib over the label", driver / 1024 / label, 0.9, 1.05)
    seen = driver / 1024 if driver is not None else label
    if device.runtime_memory_gib is not None and seen is not None:
        yield from _within("runtime_memory_gib over what the driver shows", device.runtime_memory_gib / seen, 0.9, 1.0)
    peaks = device.dense_tflops
    if peaks.bf16 is None and peaks.fp16 is None:
        yield "neither a bf16 nor an fp16 rate is given"
    for (upper, lower), allowed in _RATIOS.items():
        above, below = peaks.get(upper), peaks.get(lower)
        if above is None or below is None:
            continue
        ratio = above / below
        near = any(abs(ratio - one) <= _RATIO_TOLERANCE * one for one in allowed)
        if not near and not (upper == "int8" and ratio < 1):
            known = ", ".join(f"{one:g}" for one in allowed)
            yield f"{upper} is {ratio:.3g} times {lower}; known ratios are {known} (is a sparse rate among them?)"
    rate = peaks.bf16 or peaks.fp16 or 0
    if rate:
        # From a desktop's graphics unit to the largest training device: FLOP per byte at the 16-bit rate.
        yield from _within("FLOP per byte of memory", rate / device.bandwidth_tb_s, 20, 700)
    if device.peer_gb_s is not None and device.link_gb_s is not None and device.peer_gb_s > device.link_gb_s:
        yield f"peer_gb_s = {device.peer_gb_s:g} is more than link_gb_s = {device.link_gb_s:g}"


def model(book: Catalog, entry: Model) -> Iterator[str]:
    """Counts recomputed from the architecture against the published ones, and formats that exist."""
    groups = entry.formats
    for name in ("attention", "dense", "experts", "embedding"):
        if not book.has(FORMAT, getattr(groups, name)):
            yield f"stored.{name} = {getattr(groups, name)!r} is no format"
    made = entry.architecture
    if made is None:
        return
    yield from _within("layers", made.layers, 1, 300)
    yield from _within("parameters", made.parameters, 1e7, 1e13)
    if made.active_parameters > made.parameters:
        yield f"active parameters {made.active_parameters} are more than all {made.parameters}"
    published = entry.published_parameters
    if published is not None:
        off = made.parameters / published - 1
        if abs(off) > PUBLISHED_TOLERANCE and not entry.differs:
            yield f"{made.parameters} parameters computed, {published} published ({off:+.2%}), and no reason given"
        if abs(off) > 0.25:
            yield f"{made.parameters} parameters computed, {published} published: {off:+.1%} is no mere difference"
    if entry.published_active is not None:
        off = made.active_parameters / entry.published_active - 1
        if abs(off) > ACTIVE_TOLERANCE:
            yield f"{made.active_parameters} active computed, {entry.published_active} published ({off:+.1%})"


def number_format(entry: Format) -> Iterator[str]:
    """A format is of weights, of a cache, or of both, and weights can be computed with."""
    if entry.weight_bits is None and entry.kv_bits is None:
        yield "neither weight_bits nor kv_bits is given"
    if entry.weight_bits is not None and not entry.arithmetic:
        yield "weights in this format are computed in no unit"


def profile(book: Catalog, entry: Profile) -> Iterator[str]:
    """Ranges hold their factor, bands hold 1, and engines exist."""
    for name, spread in entry.ranges.items():
        if len(spread) != 2 or spread[0] > spread[1]:
            yield f"ranges.{name} must be a low and a high value"
        elif name not in entry.factors:
            yield f"ranges.{name} is the range of no factor"
        elif not spread[0] <= entry.factors[name] <= spread[1]:
            yield f"{name} = {entry.factors[name]:g} is outside its range {spread[0]:g} to {spread[1]:g}"
    for engine in (*entry.engines, *entry.closed_loop_burst):
        if not book.has(ENGINE, engine):
            yield f"engines.{engine} is no engine"
    if entry.factors and not (entry.fitted_on or entry.note):
        yield "nothing says what the factors were fitted on"
