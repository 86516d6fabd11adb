"""From a scenario's names to the facts a sheet needs: look-ups before the sheet, so that it sees only numbers.

Each fact comes with its source, the date of that source, and what is weak about it. What the catalogue does not know
stays None, and the sheet blanks what depends on it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from catalog import facts as model_facts
from catalog.book import (
    ACCELERATOR,
    ENGINE,
    FORMAT,
    INTERCONNECT,
    MODEL,
    PROFILE,
    SHIPPED,
    Catalog,
    Found,
    load_catalog,
    overlay_from_file,
)
from catalog.entries import FACTOR_FIELDS, Accelerator, Engine, Format, Interconnect, Model, Peaks, Profile
from catalog.errors import BadFileError, CatalogError, MissingFileError, UnknownNameError
from catalog.files import from_home, shown
from catalog.schema import E, Entry, Kind, Source
from planner.model.facts import FACT_FIELDS
from planner.model.fields import Field, FieldValue, printable
from planner.model.scenario import Fact

DRIVER_TO_RUNTIME = 0.993
LABEL_TO_RUNTIME = 0.98
UNIFIED_TO_RUNTIME = 0.75
"""Share of unified memory that the GPU may use by default."""
MIB_PER_GIB = 1024
USUAL_UTILIZATION = 0.9
OWN_LINK = "catalogue"


_KINDS_OF_NAMES: dict[str, Kind[Any]] = {
    "accelerator": ACCELERATOR,
    "model": MODEL,
    "draft_model": MODEL,
    "engine": ENGINE,
    "efficiency_profile": PROFILE,
}
"""Inputs that take the path of a file in the place of a name."""
_KINDS_OF_FILES: dict[str, Kind[Any]] = {**_KINDS_OF_NAMES, "interconnect": INTERCONNECT}
_LOOKED_UP = (*_KINDS_OF_FILES, "weight_format", "kv_format", "tensor_parallel", "pipeline_parallel", "chunk_tokens")
"""The inputs on which the facts depend: scenarios that have these in common share them."""


@dataclass(frozen=True, slots=True)
class Resolution:
    """The facts of a scenario, and the entries its names led to."""

    facts: dict[str, Fact]
    accelerator: Found[Accelerator]
    model: Found[Model]
    engine: Found[Engine]
    profile: Found[Profile]
    draft: Found[Model] | None = None
    notes: tuple[str, ...] = field(default=())


def lookup(catalog: Catalog, kind: Kind[E], name: str) -> Found[E]:
    """The entry that a name of the catalogue, or the path of a TOML file with one such entry, stands for.

    Raises UnknownNameError, MissingFileError and BadFileError.
    """
    if catalog.has(kind, name) or not looks_like_path(name):
        return catalog.find(kind, name)
    path = from_home(name)
    try:
        overlay = overlay_from_file(path)
    except MissingFileError:
        raise _no_such(catalog, kind, name) from None
    entries = list(overlay.entries.get(kind.name, {}).values())
    if len(entries) != 1:
        raise BadFileError(f"{overlay.name} must hold one [[{kind.name}]], it holds {len(entries)}.")
    return catalog.with_overlay(overlay).find(kind, entries[0].id)


def looks_like_path(name: str) -> bool:
    """Whether a name that is not in the catalogue may be a path."""
    return "/" in name or "\\" in name or name.startswith("~") or name.lower().endswith((".toml", ".json"))


def full_path(field: Field, value: FieldValue, catalog: Catalog) -> FieldValue:
    """The full path where ``value`` of the input ``field`` is that of a file or folder and no name of the catalogue.

    So it leads there wherever the planner is started. Raises InputError when the full path is too long for the input.
    """
    kind = _KINDS_OF_NAMES.get(field.name)
    if kind is None or not isinstance(value, str) or catalog.has(kind, value):
        return value
    path = from_home(value)
    try:
        return field.check(str(path.resolve())) if path.exists() else value
    except (OSError, RuntimeError):
        return value


def _no_such(catalog: Catalog, kind: Kind[E], name: str) -> UnknownNameError:
    try:
        catalog.find(kind, name)
    except UnknownNameError as error:
        return UnknownNameError(str(error).replace("is not in the catalogue", "is neither in the catalogue nor a file"))
    return UnknownNameError(f"{printable(name)[:80]} is not known.")


def find_model(catalog: Catalog, name: str) -> Found[Model]:
    """A model by its name, or by the path of a config.json, a model folder or a TOML file."""
    if catalog.has(MODEL, name) or not (looks_like_path(name) or Path(name).is_dir()):
        return catalog.find(MODEL, name)
    path = from_home(name)
    if name.lower().endswith(".toml"):
        return lookup(catalog, MODEL, name)
    from catalog.imports import model_from_path  # noqa: PLC0415 - most scenarios name a model of the catalogue

    try:
        return Found(model_from_path(path), shown(path))
    except MissingFileError as error:
        if path.exists():
            raise
        raise _no_such(catalog, MODEL, name) from error


def resolve(
    values: Mapping[str, FieldValue],
    catalog: Catalog | None = None,
    overrides: Mapping[str, float | None] | None = None,
) -> Resolution:
    """Facts for a complete set of input ``values``; ``overrides`` take the place of looked-up facts.

    Raises UnknownNameError, MissingFileError, BadFileError and ConfigError with one sentence each.
    """
    book = catalog if catalog is not None else load_catalog()
    chosen = tuple(values.get(name) for name in _LOOKED_UP)
    # A file may change between two looks, the catalogue does not.
    names_alone = all(_is_in_catalogue(book, name, value) for name, value in zip(_KINDS_OF_FILES, chosen, strict=False))
    found = (_kept if names_alone else _resolved)(book, chosen)
    entered = {
        name: Fact(value, "entered in the scenario", overridden=True)
        for name, value in (overrides or {}).items()
        if name in FACT_FIELDS
    }
    return replace(found, facts=found.facts | entered)


def _is_in_catalogue(book: Catalog, name: str, value: FieldValue) -> bool:
    return (
        value is None or book.has(_KINDS_OF_FILES[name], str(value)) or (name == "interconnect" and value == OWN_LINK)
    )


def _resolved(book: Catalog, chosen: tuple[FieldValue, ...]) -> Resolution:
    """What the catalogue says to the values of the inputs _LOOKED_UP."""
    values = dict(zip(_LOOKED_UP, chosen, strict=True))
    found = Resolution(
        facts={},
        accelerator=lookup(book, ACCELERATOR, str(values["accelerator"])),
        model=find_model(book, str(values["model"])),
        engine=lookup(book, ENGINE, str(values["engine"])),
        profile=lookup(book, PROFILE, str(values["efficiency_profile"])),
        draft=find_model(book, str(values["draft_model"])) if values["draft_model"] is not None else None,
    )
    maker = _Maker(book, values, found)
    maker.replacements()
    maker.device()
    maker.link()
    maker.architecture()
    maker.formats()
    maker.draft()
    maker.engine()
    maker.profile()
    return replace(found, facts={name: maker.facts[name] for name in FACT_FIELDS}, notes=tuple(maker.notes))


_kept = lru_cache(maxsize=512)(_resolved)


class _Maker:
    """Collects facts with their origins, one group after the other."""

    def __init__(self, book: Catalog, values: Mapping[str, FieldValue], found: Resolution) -> None:
        self.book = book
        self.values = values
        self.found = found
        self.facts: dict[str, Fact] = {}
        self.notes: list[str] = []

    def put(self, name: str, value: float | None, found: Found[E] | None, figure: str = "", doubt: str = "") -> None:
        """One fact from ``figure`` of an entry; ``doubt`` joins the entry's own."""
        if name not in FACT_FIELDS:
            return
        if found is None:
            self.facts[name] = Fact(value, "", "", doubt)
            return
        own = found.entry.doubt(figure)
        joined = "; ".join(part for part in (own, doubt) if part)
        source, date = origin(self.book, found, figure)
        self.facts[name] = Fact(value, source, date, joined)

    def replacements(self) -> None:
        """Notes that name own entries in the place of shipped ones."""
        found = self.found
        used = (("accelerator", found.accelerator), ("model", found.model), ("engine", found.engine))
        for word, one in (*used, ("efficiency profile", found.profile), ("draft model", found.draft)):
            if one is not None and one.replaces:
                self.notes.append(f"The {word} {one.entry.id} is {one.layer}'s, in the place of the catalogue's.")

    def number(self, name: str) -> float:
        """An input as a number."""
        value = self.values[name]
        if isinstance(value, (int, float)):
            return float(value)
        raise CatalogError(f"{name} must be a number to look the facts up.")

    def device(self) -> None:
        """Memory, bandwidth and power of the accelerator."""
        found = self.found.accelerator
        device = found.entry
        self.put("memory_bandwidth", device.bandwidth_tb_s * 1e12, found, "bandwidth_tb_s")
        memory, figure, doubt = runtime_memory(device)
        self.put("runtime_memory_gib", memory, found, figure, doubt)
        self.put("catalogue_power_w", device.power_w, found, "power_w")
        self.put("catalogue_idle_power_w", device.idle_power_w, found, "idle_power_w")

    def link(self) -> None:
        """The link that the replica's tensor-parallel devices share."""
        word = str(self.values["interconnect"])
        found = self.found.accelerator
        if word == OWN_LINK and not self.book.has(INTERCONNECT, OWN_LINK):
            rate, figure, doubt = own_link(found.entry, int(self.number("tensor_parallel")))
            self.put("device_link_gbps", rate, found, figure, doubt)
            self.put("link_is_ideal", 0, found, figure)
            return
        named: Found[Interconnect] = lookup(self.book, INTERCONNECT, word)
        self.put("device_link_gbps", named.entry.gb_s, named, "gb_s")
        self.put("link_is_ideal", 1 if named.entry.ideal else 0, named, "ideal")

    def architecture(self) -> None:
        """Facts of the model's text decoder."""
        found = self.found.model
        figures = model_facts.shape(found.entry)
        for name, value in figures.values.items():
            figure = "context" if name == "model_context_tokens" else "blocks"
            self.put(name, value, found, figure, figures.doubts.get(name, ""))

    def format_of(self, word: str) -> Format:
        """A format by its id."""
        return self.book.find(FORMAT, word).entry

    def formats(self) -> None:
        """Bits of weights and KV cache, and the arithmetic that the weights are computed in on this device."""
        model = self.found.model.entry
        word = str(self.values["weight_format"])
        groups = model_facts.layout(model, word)
        widths = model_facts.bits(model, groups, self.format_of)
        for name, value in widths.values.items():
            group = {"weight_bits": groups.dense, "expert_bits": groups.experts}.get(name, groups.embedding)
            self.put(name, value, self.book.find(FORMAT, group), "weight_bits")
        rates = model_facts.arithmetic(model, groups, self.found.accelerator.entry.dense_tflops, self.format_of)
        for name, value in rates.values.items():
            unit = _unit(self.found.accelerator.entry.dense_tflops, value)
            self.put(name, value, self.found.accelerator, unit, rates.doubts.get(name, ""))
        kv = self.book.find(FORMAT, str(self.values["kv_format"]))
        if kv.entry.kv_bits is None:
            raise BadFileError(f"KV format '{kv.entry.id}' is no format of a KV cache.")
        self.put("kv_bits", kv.entry.kv_bits, kv, "kv_bits")
        self.put("measured_weight_bytes", None, None)

    def draft(self) -> None:
        """The draft model of speculative decoding, in its checkpoint's format and the scenario's KV format."""
        found = self.found.draft
        names = ("draft_weight_bytes", "draft_kv_bytes_per_token", "draft_active_parameters", "draft_layers")
        if found is None:
            for name in names:
                self.put(name, 0, None)
            return
        model = found.entry
        kv_bits = self.format_of(str(self.values["kv_format"])).kv_bits or 0
        shape = model_facts.shape(model).values
        made = (
            model_facts.weight_bytes(model, "stored", self.format_of),
            model_facts.kv_bytes_per_token(model, kv_bits),
            shape["active_parameters"],
            shape["layers"],
        )
        for name, value in zip(names, made, strict=True):
            self.put(name, value, found, "blocks")

    def engine(self) -> None:
        """Memory conventions of the engine on this device."""
        found = self.found.engine
        engine = found.entry
        label = self.found.accelerator.entry.memory_label_gb
        large = engine.large_memory_gb is not None and label is not None and label >= engine.large_memory_gb
        warm_up = engine.warmup_sequences_large if large and engine.warmup_sequences_large else engine.warmup_sequences
        self.put("warmup_sequences_default", warm_up, found, "warmup_sequences_large" if large else "warmup_sequences")
        self.put("activation_bytes_per_logit", engine.activation_bytes_per_logit, found, "activation_bytes_per_logit")
        self.put("activation_fixed_gib", self._fixed(engine), found, "reserve_gib")
        self.put("runtime_fixed_gib", engine.runtime_gib, found, "runtime_gib")
        self.put("runtime_multi_gib", engine.runtime_multi_gib, found, "runtime_multi_gib")
        self.put("pool_of_free_memory", float(engine.pool_of_free_memory), found, "pool_of_free_memory")
        self.put("pool_share", engine.pool_share, found, "pool_share")

    def _fixed(self, engine: Engine) -> float:
        """The engine's own reserve beyond what a utilisation of 0.9 leaves, and its activations per token (GiB)."""
        chunk = self.number("chunk_tokens")
        parallel = self.number("tensor_parallel")
        memory = self.facts["runtime_memory_gib"].value or 0
        devices = parallel * self.number("pipeline_parallel")
        reserve = engine.reserve_gib + engine.reserve_gib_per_ktoken * chunk / 1024
        reserve = max(reserve + engine.reserve_gib_per_device * devices, engine.floor_gib)
        kept = max(0.0, reserve - (1 - USUAL_UTILIZATION) * memory) if reserve else 0.0
        return kept + self._token_activations(engine, chunk, parallel)

    def _token_activations(self, engine: Engine, chunk: float, parallel: float) -> float:
        moe = (self.facts["expert_parameters"].value or 0) > 0
        table = engine.token_coefficients_moe if moe and engine.token_coefficients_moe else engine.token_coefficients
        if not table:
            return 0.0
        degree = max((int(one) for one in table if int(one) <= parallel), default=min(map(int, table)))
        hidden = self.facts["hidden_size"].value or 0
        return max(2 * chunk * hidden * table[str(degree)] / 2**30, engine.token_floor_gib)

    def profile(self) -> None:
        """Efficiency factors for this engine."""
        found = self.found.profile
        profile = found.entry
        for name in FACTOR_FIELDS:
            spread = profile.ranges.get(name)
            doubt = f"10-90 % range {spread[0]:g} to {spread[1]:g}" if spread and len(spread) == 2 else ""
            value = profile.factor(name, self.found.engine.entry.id)
            self.put(name, value, found, name, "" if profile.doubt(name) else doubt)


def runtime_memory(device: Accelerator) -> tuple[float | None, str, str]:
    """Memory the runtime sees in GiB, the figure it is from, and how it was estimated where it was."""
    if device.runtime_memory_gib is not None:
        return device.runtime_memory_gib, "runtime_memory_gib", ""
    if device.driver_memory_mib is not None:
        seen = device.driver_memory_mib / MIB_PER_GIB * DRIVER_TO_RUNTIME
        return seen, "driver_memory_mib", f"estimated: {DRIVER_TO_RUNTIME} of what the driver shows"
    if device.memory_label_gb is None:
        return None, "memory_label_gb", "the device has no memory size"
    share = UNIFIED_TO_RUNTIME if device.link == "unified memory" else LABEL_TO_RUNTIME
    return device.memory_label_gb * share, "memory_label_gb", f"estimated: {share} of the label, taken as GiB"


def own_link(device: Accelerator, devices: int) -> tuple[float | None, str, str]:
    """The device's own link for a group of ``devices``: rate, figure, doubt. None where no link reaches that far."""
    if device.link_gb_s is not None and devices <= (device.link_devices or device.node_devices):
        return device.link_gb_s, "link_gb_s", ""
    if devices <= device.node_devices:
        if device.link_devices is not None and device.pcie_gb_s is not None:
            doubt = f"{device.link} joins {device.link_devices} devices; beyond that PCIe"
            return device.pcie_gb_s, "pcie_gb_s", doubt
        return device.pcie_gb_s, "pcie_gb_s", "" if device.pcie_gb_s is not None else "no link is known"
    if device.network_gb_s is not None:
        doubt = f"{devices} devices span servers of {device.node_devices}: the network between them"
        return device.network_gb_s, "network_gb_s", doubt
    reason = f"no link between servers of {device.node_devices} is known; name an interconnect or give a link rate"
    return None, "network_gb_s", reason


def _unit(peaks: Peaks, rate: float | None) -> str:
    """The unit whose peak ``rate`` is, to find its origin."""
    if rate is None:
        return ""
    units = ("bf16", "fp16", "fp8", "int8", "fp4", "fp32")
    return next((unit for unit in units if peaks.get(unit) is not None and (peaks.get(unit) or 0) * 1e12 == rate), "")


def origin(book: Catalog, found: Found[E], figure: str) -> tuple[str, str]:
    """Where a figure of an entry comes from, in words, and the newest date of that."""
    entry: Entry = found.entry
    sources = book.sources(entry.origin_ids(figure))
    titles = [one.title if isinstance(one, Source) else one for one in sources]
    known = [one for one in sources if isinstance(one, Source)]
    dates = [one.date for one in known if not one.undated] or [one.date for one in known]
    if entry.date is not None:
        dates = [entry.date]
    text = _few(titles)
    if found.layer != SHIPPED:
        text = f"{found.layer}: {text}" if text else found.layer
    return text, max(dates, default="")


def _few(titles: Iterable[str]) -> str:
    names = list(titles)
    more = f" and {len(names) - 3} more" if len(names) > 3 else ""
    return "; ".join(names[:3]) + more
