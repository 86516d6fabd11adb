"""The catalogue as look-ups see it: the shipped entries, and a user's own laid over them layer by layer."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, Generic, cast

from catalog.entries import Accelerator, Engine, Format, Interconnect, Model, Profile
from catalog.errors import BadFileError, UnknownNameError
from catalog.files import shown
from catalog.load import Document, read_toml, shipped, version
from catalog.schema import E, Entry, Kind, Source, build, key, validate
from planner.model.fields import nearest, printable

SHIPPED = "catalogue"
PRICE_BOOK = "prices"
"""Kind of a stored document that holds tables of prices in place of one entry."""


ACCELERATOR = Kind("accelerator", Accelerator, "accelerators", "accelerator")
MODEL = Kind("model", Model, "models", "model")
FORMAT = Kind("format", Format, "formats", "format")
ENGINE = Kind("engine", Engine, "engines", "engine")
PROFILE = Kind("profile", Profile, "profiles", "efficiency profile")
INTERCONNECT = Kind("interconnect", Interconnect, "interconnects", "interconnect")


@cache
def kinds() -> dict[str, Kind[Any]]:
    """All kinds by the name of their TOML table; prices are loaded only when asked for."""
    from catalog.price_book import PRICE_KINDS  # noqa: PLC0415 - a sheet needs no prices

    every: tuple[Kind[Any], ...] = (ACCELERATOR, MODEL, FORMAT, ENGINE, PROFILE, INTERCONNECT, *PRICE_KINDS)
    return {kind.name: kind for kind in every}


SNAPSHOT_KINDS = ("device_prices", "api_prices", "commitment")
"""Kinds that are dated snapshots: added to, never overwritten."""


@dataclass(frozen=True)
class Overlay:
    """A layer of a user's own entries: by kind and id, with a name that look-ups show."""

    name: str
    entries: Mapping[str, Mapping[str, Entry]]
    sources: Mapping[str, Source] = field(default_factory=dict)

    @classmethod
    def from_document(cls, document: Document, name: str) -> Overlay:
        """A layer from a document in the catalogue's own layout; raises BadFileError naming ``name``."""
        known = {*kinds(), "source", "schema", "collected"}
        for table in document:
            if table not in known:
                raise BadFileError(f"{name}: {printable(table)[:60]} is not known{nearest(table, known)}.")
        if document.get("schema", 1) != 1:
            shown_schema = printable(str(document["schema"]))[:20]
            raise BadFileError(f"{name}: schema = {shown_schema} is not known; this program reads 1.")
        entries: dict[str, dict[str, Entry]] = {}
        for kind in kinds().values():
            for raw in _tables(document, kind.name, name):
                entry = validate(kind.cls, raw, f"{name}: {kind.name} {printable(str(raw.get('id', '?')))[:60]}")
                if entry.id in entries.setdefault(kind.name, {}):
                    raise BadFileError(f"{name}: {kind.name} {entry.id} is there twice.")
                if kind.name in SNAPSHOT_KINDS and entry.id in _shipped_raw(kind):
                    raise BadFileError(
                        f"{name}: {kind.name} {entry.id} is a dated snapshot of the catalogue, which is added to and "
                        "never overwritten: give yours another id."
                    )
                entries[kind.name][entry.id] = entry
        sources = [
            validate(Source, raw, f"{name}: source {printable(str(raw.get('id', '?')))[:60]}")
            for raw in _tables(document, "source", name)
        ]
        return cls(name, entries, {source.id: source for source in sources})

    @classmethod
    def from_entries(cls, rows: Iterable[tuple[str, Mapping[str, Any]]], name: str) -> Overlay:
        """A layer from rows of kind and entry, as a store keeps them; raises BadFileError.

        A row of kind ``prices`` is a price book: a document with tables of its own.
        """
        document: Document = {}
        for kind, data in rows:
            tables = data if kind == PRICE_BOOK else {kind: [dict(data)]}
            for table, items in tables.items():
                if table not in ("schema", "collected"):
                    document.setdefault(table, []).extend(_tables(tables, table, name) if items else ())
        return cls.from_document(document, name)


def _tables(document: Mapping[str, Any], name: str, where: str) -> Iterator[dict[str, Any]]:
    found = document.get(name, [])
    if isinstance(found, dict):
        found = [found]
    if not isinstance(found, list) or not all(isinstance(item, dict) for item in found):
        raise BadFileError(f"{where}: {name} must be a table or a list of tables.")
    yield from found


@dataclass(frozen=True, slots=True)
class Found(Generic[E]):
    """An entry with the layer it is from; ``replaces`` when it stands in for a shipped entry of the same id."""

    entry: E
    layer: str
    replaces: bool = False

    @property
    def own(self) -> bool:
        """Whether a user's layer gave the entry."""
        return self.layer != SHIPPED


class Catalog:
    """Shipped entries under a user's own. A later layer wins by id; what it replaces stays visible."""

    def __init__(self, overlays: Sequence[Overlay] = ()) -> None:
        self.overlays = tuple(overlays)
        self._built: dict[tuple[str, str], Entry] = {}
        self._indexes: dict[str, dict[str, str]] = {}
        self._version = ""

    @property
    def version(self) -> str:
        """The shipped catalogue's version, with a hash of the layers over it where there are any."""
        if not self._version:
            self._version = version()
            if self.overlays:
                digest = hashlib.sha256()
                for overlay in self.overlays:
                    digest.update(repr(overlay.entries).encode())
                self._version += f"+own.{digest.hexdigest()[:8]}"
        return self._version

    def with_overlay(self, overlay: Overlay) -> Catalog:
        """This catalogue with one more layer on top."""
        return Catalog((*self.overlays, overlay))

    def ids(self, kind: Kind[E]) -> tuple[str, ...]:
        """Ids of all entries of a kind: shipped ones in the file's order, then a user's own."""
        own = [one for overlay in self.overlays for one in overlay.entries.get(kind.name, ())]
        return tuple(dict.fromkeys([*_shipped_raw(kind), *own]))

    def all(self, kind: Kind[E]) -> tuple[Found[E], ...]:
        """All entries of a kind, those of the top layer where several have one id."""
        return tuple(self._by_id(kind, one) for one in self.ids(kind))

    def find(self, kind: Kind[E], name: str) -> Found[E]:
        """The entry that ``name`` names by id, name or alias, whatever its case.

        Raises UnknownNameError with the nearest names.
        """
        entry_id = self._index(kind).get(key(name))
        if entry_id is None:
            known = [*self.ids(kind), *self._names(kind)]
            raise UnknownNameError(
                f"{kind.title[:1].upper()}{kind.title[1:]} '{printable(name)[:80]}' is not in the catalogue"
                f"{nearest(name, known)}."
            )
        return self._by_id(kind, entry_id)

    def has(self, kind: Kind[E], name: str) -> bool:
        """Whether ``name`` names an entry."""
        return key(name) in self._index(kind)

    def sources(self, ids: Iterable[str]) -> tuple[Source | str, ...]:
        """Sources by id; a text that is no id (a user's own words) stays as it is."""
        layers = [overlay.sources for overlay in reversed(self.overlays)]
        return tuple(next((layer[one] for layer in layers if one in layer), _shipped_source(one)) for one in ids)

    def replaced(self, kind: Kind[E], entry_id: str) -> E | None:
        """The shipped entry that a user's own one of the same id stands in for, if any."""
        return cast("E | None", self._shipped(kind, entry_id))

    def _by_id(self, kind: Kind[E], entry_id: str) -> Found[E]:
        for overlay in reversed(self.overlays):
            mine = overlay.entries.get(kind.name, {}).get(entry_id)
            if mine is not None:
                return Found(cast("E", mine), overlay.name, self._shipped(kind, entry_id) is not None)
        made = self._shipped(kind, entry_id)
        if made is None:
            raise UnknownNameError(f"{kind.title} '{printable(entry_id)[:80]}' is not in the catalogue.")
        return Found(cast("E", made), SHIPPED)

    def _shipped(self, kind: Kind[Any], entry_id: str) -> Entry | None:
        made = self._built.get((kind.name, entry_id))
        if made is None:
            raw = _shipped_raw(kind).get(entry_id)
            if raw is None:
                return None
            made = self._built[kind.name, entry_id] = build(kind.cls, raw)
        return made

    def _names(self, kind: Kind[Any]) -> list[str]:
        names = [raw["name"] for raw in _shipped_raw(kind).values()]
        return names + [one.name for overlay in self.overlays for one in overlay.entries.get(kind.name, {}).values()]

    def _index(self, kind: Kind[Any]) -> dict[str, str]:
        """Keys to ids. An id beats a name, a name beats an alias, a user's layer beats what is below it."""
        index = self._indexes.get(kind.name)
        if index is not None:
            return index
        layers = [
            [(raw["id"], raw["name"], raw.get("aliases", ())) for raw in _shipped_raw(kind).values()],
            *(
                [(one.id, one.name, one.aliases) for one in overlay.entries.get(kind.name, {}).values()]
                for overlay in self.overlays
            ),
        ]
        index = {}
        for layer in layers:
            index |= {key(alias): one for one, _, aliases in layer for alias in aliases}
            index |= {key(name): one for one, name, _ in layer}
        for layer in layers:
            index |= {key(one): one for one, _, _ in layer}
        self._indexes[kind.name] = index
        return index


@cache
def _shipped_raw(kind: Kind[Any]) -> dict[str, dict[str, Any]]:
    return {raw["id"]: raw for raw in shipped(kind.document).get(kind.name, ())}


@cache
def _shipped_sources() -> dict[str, Source]:
    return {raw["id"]: build(Source, raw) for raw in shipped("sources")["source"]}


def _shipped_source(source_id: str) -> Source | str:
    return _shipped_sources().get(source_id, source_id)


@cache
def _default() -> Catalog:
    return Catalog()


def load_catalog(overlays: Sequence[Overlay] = ()) -> Catalog:
    """The shipped catalogue with a user's layers over it; nothing is read before it is looked up."""
    return Catalog(overlays) if overlays else _default()


def overlay_from_file(path: Path) -> Overlay:
    """A layer from a user's TOML file; raises MissingFileError and BadFileError."""
    return Overlay.from_document(read_toml(path), shown(path))
