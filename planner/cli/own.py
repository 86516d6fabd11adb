"""A person's own catalogue entries: kept in the library, laid over the shipped catalogue, brought in from files."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from catalog.book import MODEL, PRICE_BOOK, SNAPSHOT_KINDS, Catalog, Overlay, load_catalog, overlay_from_file
from catalog.documents import plain
from catalog.errors import BadFileError
from planner.cli.diagnostics import CommandError, say
from planner.model.fields import printable
from planner.store.records import Entry

if TYPE_CHECKING:
    from planner.store import Library

OWN = "own"
SOURCES = "sources"
_KINDS = ("accelerator", "model", "profile", "engine")
"""Kinds that are kept one entry a document; others go into documents with tables of their own."""


def catalogue_of(library: Library) -> Catalog:
    """The shipped catalogue under the entries of ``library``; one that is damaged is left out and said."""
    documents = [(entry.kind, entry.document) for entry in library.entries()]
    if not documents:
        return load_catalog()
    try:
        return load_catalog([Overlay.from_entries(documents, OWN)])
    except BadFileError:
        return load_catalog([layer for entry in library.entries() for layer in _sound(entry)])


def _sound(entry: Entry) -> Iterator[Overlay]:
    try:
        yield Overlay.from_entries([(entry.kind, entry.document)], OWN)
    except BadFileError as error:
        say(f"The own {entry.kind} {entry.name} is left out: {error}")


def layer_from(path: Path) -> Overlay:
    """The entries in a TOML file, or the model that a config.json or its folder describes.

    Raises MissingFileError, BadFileError and ConfigError.
    """
    if path.suffix.lower() != ".json" and not path.is_dir():
        return overlay_from_file(path)
    from catalog.imports import model_from_path

    model = model_from_path(path)
    return Overlay(printable(str(path))[-200:], {MODEL.name: {model.id: model}})


def documents_of(layer: Overlay) -> Iterator[tuple[str, str, Mapping[str, Any]]]:
    """Kind, name and document of each entry of ``layer``, as the library keeps them."""
    if layer.sources:
        yield PRICE_BOOK, SOURCES, {"source": [plain(source) for source in layer.sources.values()]}
    for kind, entries in layer.entries.items():
        for entry_id, entry in entries.items():
            if kind in _KINDS:
                yield kind, entry_id, plain(entry)
            else:
                yield PRICE_BOOK, f"{kind} {entry_id}", {kind: [plain(entry)]}


def documents_to_save(library: Library, layer: Overlay) -> list[tuple[str, str, Mapping[str, Any]]]:
    """Kind, name and document of each entry of ``layer`` that ``library`` does not hold like that."""
    known = {(entry.kind, entry.name): entry for entry in library.entries()}
    wanted = []
    for kind, name, made in documents_of(layer):
        old = known.get((kind, name))
        is_list = name == SOURCES and old is not None
        document = {"source": _merged(old.document.get("source"), made["source"])} if old and is_list else made
        if old is None or old.document != document:
            wanted.append((kind, name, document))
    return wanted


def save(library: Library, layer: Overlay, why: str) -> list[tuple[str, str]]:
    """Keep the entries of ``layer`` in ``library``, all or none; kind and id of each.

    Raises CommandError for a dated snapshot that is kept already with other figures.
    """
    wanted = documents_to_save(library, layer)
    kept = {(entry.kind, entry.name) for entry in library.entries()}
    for kind in SNAPSHOT_KINDS:
        for entry_id in layer.entries.get(kind, ()):
            place = kept_as(kind, entry_id)
            if place in kept and any(place == (kind_kept, name) for kind_kept, name, _ in wanted):
                raise CommandError(
                    f"The {kind} {entry_id} is a dated snapshot that you keep already with other figures, and is never "
                    "overwritten: give the new one another id.",
                    65,
                )
    if wanted:
        library.put_entries(wanted, why=why)
    return [(kind, entry_id) for kind, entries in layer.entries.items() for entry_id in entries]


def _merged(old: object, new: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Sources by id, the newer in place of the older."""
    before = [one for one in old if isinstance(one, dict)] if isinstance(old, list) else []
    return list({one.get("id"): one for one in (*before, *new)}.values())


def own_layer(library: Library) -> Overlay:
    """All own entries as one layer. Raises BadFileError when one of them is damaged."""
    return Overlay.from_entries([(entry.kind, entry.document) for entry in library.entries()], OWN)


def kept_as(kind: str, entry_id: str) -> tuple[str, str]:
    """The kind and name under which the library keeps an entry."""
    return (kind, entry_id) if kind in _KINDS else (PRICE_BOOK, f"{kind} {entry_id}")
