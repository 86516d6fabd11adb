"""Catalogue entries as JSON documents and as tables: every figure with its source, its date and what is weak."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import fields
from typing import Any

from catalog.book import ACCELERATOR, MODEL, Catalog, Found, Kind, kinds
from catalog.documents import plain
from catalog.entries import Accelerator, Model
from catalog.facts import kv_bytes_per_token, shape
from catalog.load import shipped
from catalog.schema import Entry, Source
from planner.cli.diagnostics import CommandError
from planner.cli.output import Column, write_line, write_table
from planner.model.display import BLANK
from planner.model.facts import FACT_FIELDS
from planner.model.fields import nearest, show_number

_COMMON = {field.name for field in fields(Entry)}
_KV_BITS = 16.0
_PLURALS = {"devices": "accelerator", "prices": "device_prices"}

Listed = tuple[Kind[Any], Found[Any]]


def kind_called(name: str) -> Kind[Any] | None:
    """The kind of entries called ``name``, in the singular or plural."""
    word = name.lower().replace("-", "_")
    known = kinds()
    return next((known[one] for one in (word, word.removesuffix("s"), _PLURALS.get(word, "")) if one in known), None)


def kind_named(name: str) -> Kind[Any]:
    """The kind called ``name``. Raises CommandError with the nearest names."""
    found = kind_called(name)
    if found is None:
        raise CommandError(
            f"There is no kind of entries '{name}'{nearest(name, kinds()) or ': ' + ', '.join(kinds())}."
        )
    return found


def find_entries(book: Catalog, name: str, kind: str | None) -> list[Listed]:
    """The entries that ``name`` names, of one kind or of any. Raises UnknownNameError, CommandError."""
    if kind is not None:
        wanted = kind_named(kind)
        return [(wanted, book.find(wanted, name))]
    found = [(one, book.find(one, name)) for one in kinds().values() if book.has(one, name)]
    if not found:
        known = [entry_id for one in kinds().values() for entry_id in book.ids(one)]
        raise CommandError(f"'{name}' is not in the catalogue{nearest(name, known)}.")
    return found


def figures_of(entry: Entry) -> dict[str, Any]:
    """The figures and words of an entry by name, those that all kinds share left out."""
    made = {name: value for name, value in plain(entry).items() if name not in _COMMON and name != "dense_tflops"}
    return made | entry.figures() if isinstance(entry, Accelerator) else made


def entry_document(book: Catalog, kind: Kind[Any], found: Found[Any]) -> dict[str, Any]:
    """An entry as JSON; ``facts`` are what a model's layers come to."""
    entry: Entry = found.entry
    document: dict[str, Any] = {
        "kind": kind.name,
        "id": entry.id,
        "name": entry.name,
        "aliases": entry.aliases,
        "layer": found.layer,
        "replaces_shipped": found.replaces,
        "date": entry.date,
        "note": entry.note,
        "figures": {
            name: {
                "value": value,
                "sources": [_source(one) for one in book.sources(entry.origin_ids(name))],
                "doubt": entry.doubt(name),
                "others": [
                    {"value": other.value, "source": other.source, "why": _why(kind, other.why)}
                    for other in entry.others
                    if other.figure == name
                ],
            }
            for name, value in figures_of(entry).items()
        },
    }
    if isinstance(entry, Model):
        made = shape(entry)
        document["facts"] = {
            name: {"value": value, "doubt": made.doubts.get(name, "")} for name, value in made.values.items()
        }
    return document


def _source(source: Source | str) -> dict[str, Any]:
    if isinstance(source, str):
        return {"title": source, "reference": "", "date": "", "doubt": ""}
    return {"title": source.title, "reference": source.reference, "date": source.date, "doubt": source.doubt}


def _why(kind: Kind[Any], why: str) -> str:
    """The reason behind a key of the document's reasons, or the reason itself."""
    return str(shipped(kind.document).get("reasons", {}).get(why, why))


def write_entry(book: Catalog, kind: Kind[Any], found: Found[Any]) -> None:
    """An entry for people."""
    document = entry_document(book, kind, found)
    own = f"   [{found.layer}{', in place of the shipped one' if found.replaces else ''}]" if found.own else ""
    write_line(f"{kind.title} {document['id']}: {document['name']}{own}")
    if document["aliases"]:
        write_line(f"Also called {', '.join(document['aliases'])}")
    if document["note"]:
        write_line(document["note"])
    write_line()
    rows = [
        [name, _value(figure["value"]), _origin(figure["sources"]), figure["doubt"]]
        for name, figure in document["figures"].items()
    ]
    write_table([Column("Figure"), Column("Value", "right"), Column("Source"), Column("Doubt")], rows)
    for name, figure in document["figures"].items():
        for other in figure["others"]:
            write_line(f"  {other['source']} gives {name} = {_value(other['value'])}: {other['why']}")
    if "facts" in document:
        write_line()
        rows = [
            [FACT_FIELDS[name].label, _value(fact["value"]), FACT_FIELDS[name].unit, name, fact["doubt"]]
            for name, fact in document["facts"].items()
            if name in FACT_FIELDS and fact["value"]
        ]
        columns = [
            Column("What it comes to"),
            Column("Value", "right"),
            Column("Unit"),
            Column("Name"),
            Column("Doubt"),
        ]
        write_table(columns, rows)


def _origin(sources: Iterable[dict[str, Any]]) -> str:
    return "; ".join(f"{one['title']}, {one['date']}" if one["date"] else str(one["title"]) for one in sources)


def _value(value: object) -> str:
    """A figure as it stands in the catalogue, several lines where it has parts."""
    if value is None:
        return BLANK
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, float):
        return show_number(value, 6)
    if isinstance(value, dict):
        return ", ".join(f"{name} {_value(one)}" for name, one in value.items())
    if isinstance(value, (list, tuple)):
        return "\n".join(_value(one) for one in value)
    return str(value)


def write_list(listed: Sequence[Listed]) -> None:
    """Entries as one table a kind."""
    for kind in dict.fromkeys(kind for kind, _ in listed):
        found = [one for other, one in listed if other is kind]
        if kind is ACCELERATOR:
            _write_accelerators(found)
        elif kind is MODEL:
            _write_models(found)
        else:
            rows = [[one.entry.id, one.entry.name, one.entry.date or "", one.entry.note, _layer(one)] for one in found]
            columns = [Column("Id"), Column("Name"), Column("Date"), Column("Note"), Column("")]
            write_table(columns, rows, title=f"{kind.name}: {len(found)}")
        write_line()


def _write_accelerators(found: Sequence[Found[Accelerator]]) -> None:
    titles = ("Memory GB", "TB/s", "bf16 TFLOP/s", "fp8", "fp4", "Link GB/s", "W")
    names = ("memory_label_gb", "bandwidth_tb_s", "bf16", "fp8", "fp4", "link_gb_s", "power_w")
    rows = []
    for one in found:
        figures = one.entry.figures()
        rows.append([one.entry.id, one.entry.name, *(_value(figures.get(name)) for name in names), _layer(one)])
    columns = [Column("Id"), Column("Name"), *(Column(title, "right") for title in titles), Column("")]
    write_table(columns, rows, title=f"accelerator: {len(found)} (dense rates)")


def _write_models(found: Sequence[Found[Model]]) -> None:
    titles = ("Parameters B", "Active B", "Layers", "KV B/token", "Context")
    rows = []
    for one in found:
        made = shape(one.entry).values
        billions = [None if made[name] is None else made[name] / 1e9 for name in ("parameters", "active_parameters")]  # type: ignore[operator]
        numbers = [
            *billions,
            made["layers"] or None,
            kv_bytes_per_token(one.entry, _KV_BITS) or None,
            one.entry.context,
        ]
        shown = [BLANK if number is None else show_number(float(number)) for number in numbers]
        rows.append([one.entry.id, one.entry.name, one.entry.family, *shown, _layer(one)])
    columns = [Column("Id"), Column("Name"), Column("Family")]
    columns += [*(Column(title, "right") for title in titles), Column("")]
    write_table(columns, rows, title=f"model: {len(found)} (KV cache in 16 bits)")


def _layer(found: Found[Any]) -> str:
    return f"{found.layer}{', replaces the shipped one' if found.replaces else ''}" if found.own else ""
