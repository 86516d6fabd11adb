"""Catalogue entries for people: lists, and one entry with source, date and doubt of every figure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from catalog.book import ACCELERATOR, MODEL, Catalog, kinds
from catalog.errors import UnknownNameError
from catalog.listing import Figure, Filters, Line, Page, kind_of, lines_of, page
from catalog.resolve import looks_like_path
from catalog.schema import Kind
from planner.cli.diagnostics import CommandError
from planner.cli.output import Column, write_line, write_table
from planner.model.display import BLANK
from planner.model.fields import nearest, show_number

_PLURALS = {"device": "accelerator", "devices": "accelerator", "seller": "device_prices", "sellers": "device_prices"}


def kind_called(word: str) -> Kind[Any] | None:
    """The kind that ``word`` names, in the singular or plural; None where it names none."""
    try:
        return kind_named(word)
    except UnknownNameError:
        return None


def kind_named(word: str) -> Kind[Any]:
    """The kind that ``word`` names. Raises UnknownNameError with the nearest names."""
    return kind_of(_PLURALS.get(word.strip().lower(), word))


def chosen(book: Catalog, kind: Kind[Any] | None, filters: Filters) -> list[Line]:
    """The entries that pass ``filters``: of one kind, else of all that a filter leaves, else devices and models."""
    memory = (filters.min_memory_gb, filters.max_memory_gb)
    bandwidth = (filters.min_bandwidth_tb_s, filters.max_bandwidth_tb_s)
    if kind is not None:
        among: Sequence[Kind[Any]] = (kind,)
    elif any(bound is not None for bound in (*memory, *bandwidth)):
        among = (ACCELERATOR,)
    elif filters.text or filters.own:
        among = list(kinds().values())
    else:
        among = (ACCELERATOR, MODEL)
    return [line for one in among for line in lines_of(book, one, filters)]


def pages_of(book: Catalog, name: str, kind: str | None) -> list[Page]:
    """The entries that ``name`` names, of one kind or of any; a path is a model's or a device's file.

    Raises UnknownNameError, MissingFileError, BadFileError, ConfigError and CommandError.
    """
    if kind is not None:
        return [page(book, kind_named(kind), name)]
    found = [one for one in kinds().values() if book.has(one, name)]
    if not found and looks_like_path(name):
        from catalog.files import from_home
        from planner.cli.own import layer_from

        layer = layer_from(from_home(name))
        book = book.with_overlay(layer)
        named = [(kinds()[one], entry_id) for one, entries in layer.entries.items() for entry_id in entries]
        return [page(book, one, entry_id) for one, entry_id in named]
    if not found:
        known = [entry_id for one in kinds().values() for entry_id in book.ids(one)]
        raise CommandError(f"'{name}' is not in the catalogue{nearest(name, known)}.")
    return [page(book, one, name) for one in found]


def write_lines(lines: Sequence[Line]) -> None:
    """A list for people, one table a kind."""
    columns = [Column("Id"), Column("Name", wraps=True), Column("Figures", wraps=True), Column("")]
    for kind in dict.fromkeys(line.kind for line in lines):
        rows = [
            [line.id, line.name, line.detail if line.detail != line.name else "", _layer(line)]
            for line in lines
            if line.kind == kind
        ]
        write_table(columns, rows, title=f"{kind}: {len(rows)}")
        write_line()


def write_page(found: Page) -> None:
    """An entry for people."""
    own = f"   [{_layer(found)}]" if found.own else ""
    write_line(f"{kinds()[found.kind].title} {found.id}: {found.name}{own}")
    if found.aliases:
        write_line(f"Also called {', '.join(found.aliases)}")
    if found.note:
        write_line(found.note)
    write_line()
    shown = [figure for figure in found.figures if figure.value is not None]
    rows = [[figure.name, value_text(figure.value), figure.unit, _origin(figure), figure.doubt] for figure in shown]
    columns = [
        Column("Figure"),
        Column("Value", "right", wraps=True),
        Column("Unit"),
        Column("Source", wraps=True),
        Column("Doubt", wraps=True),
    ]
    write_table(columns, rows, keep=2)
    for figure in shown:
        for other in figure.others:
            write_line(f"  {figure.name}: {other}")


def _origin(figure: Figure) -> str:
    return ", ".join(part for part in (figure.source, figure.date) if part)


def _layer(one: Line | Page) -> str:
    return f"{one.layer}{', in place of the shipped one' if one.replaces else ''}" if one.own else ""


def value_text(value: object) -> str:
    """A figure as it stands in the catalogue; one with parts takes several lines."""
    if value is None:
        return BLANK
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return str(value) if value < 10_000 else f"{value:,}"
    if isinstance(value, float):
        return show_number(value, 6)
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {value_text(one)}" for name, one in value.items())
    if isinstance(value, (list, tuple)):
        return "\n".join(value_text(one) for one in value)
    return str(value)
