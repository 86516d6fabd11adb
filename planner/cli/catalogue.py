"""planner catalog: devices, models, engines, profiles and prices, shipped and your own."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from planner.cli.options import Database, InWorkspace, Json, Why, Yes, number
from planner.cli.session import catalogue_of, library_at, opens, place_of

if TYPE_CHECKING:
    from catalog.book import Catalog
    from planner.store import Library

group = typer.Typer(no_args_is_help=True, help="Devices, models, engines, profiles and prices.")
app = typer.Typer()
app.add_typer(group, name="catalog")

KindOption = Annotated[str | None, typer.Option("--kind", metavar="KIND", help="accelerator, model, profile, ...")]
Name = Annotated[str, typer.Argument(metavar="NAME", help="Its id.")]
File = Annotated[Path, typer.Argument(metavar="FILE", help="TOML file in the catalogue's layout.")]


def _book(context: typer.Context, db: str | None, workspace: str | None) -> "Catalog":
    """The catalogue with the library's own entries, where there is a library already."""
    from planner.store.location import locate

    place = place_of(context).behind(db, workspace)
    location = locate(place.db)
    if location.path is not None and not location.path.exists():
        return catalogue_of(None)
    with library_at(place) as library:
        return catalogue_of(library)


@group.command("list")
def list_entries(
    context: typer.Context,
    words: Annotated[
        list[str] | None,
        typer.Argument(metavar="WORD", help="A kind (models, accelerators ...), or words that the entry must hold."),
    ] = None,
    kind: KindOption = None,
    memory: Annotated[
        float | None,
        typer.Option("--memory", metavar="GB", parser=number(0, 1e6, "GB"), help="Devices with at least this memory."),
    ] = None,
    bandwidth: Annotated[
        float | None,
        typer.Option(
            "--bandwidth", metavar="TB/S", parser=number(0, 1e4, "TB/s"), help="Devices with at least this bandwidth."
        ),
    ] = None,
    vendor: Annotated[str, typer.Option("--vendor", metavar="NAME", help="Entries of this vendor.")] = "",
    family: Annotated[str, typer.Option("--family", metavar="NAME", help="Models of this family.")] = "",
    own: Annotated[bool, typer.Option("--own", help="Only your own entries.")] = False,
    as_json: Json = False,
    db: Database = None,
    workspace: InWorkspace = None,
) -> None:
    """List or search entries: devices and models, or one kind."""
    from catalog.book import kinds
    from catalog.listing import Filters, page
    from planner.cli.diagnostics import say
    from planner.cli.entries import chosen, kind_called, kind_named, write_lines
    from planner.cli.output import write_json

    book = _book(context, db, workspace)
    searched = list(words or ())
    wanted = kind_named(kind) if kind is not None else kind_called(searched[0]) if searched else None
    if kind is None and wanted is not None:
        searched = searched[1:]
    filters = Filters(
        text=" ".join(searched),
        vendor=vendor,
        family=family,
        min_memory_gb=memory,
        min_bandwidth_tb_s=bandwidth,
        own=own,
    )
    lines = chosen(book, wanted, filters)
    if as_json:
        write_json({"entries": [page(book, kinds()[line.kind], line.id).as_json() for line in lines]})
    elif lines:
        write_lines(lines)
    else:
        say("No entry is like that.")


@group.command()
def show(
    context: typer.Context,
    name: Annotated[
        str, typer.Argument(metavar="NAME", help="Id, name or alias; or the path of a config.json or a TOML file.")
    ],
    kind: KindOption = None,
    as_json: Json = False,
    db: Database = None,
    workspace: InWorkspace = None,
) -> None:
    """Show every figure of an entry with source, date and doubt."""
    from planner.cli.entries import pages_of, write_page
    from planner.cli.output import write_json, write_line

    found = pages_of(_book(context, db, workspace), name, kind)
    if as_json:
        documents = [one.as_json() for one in found]
        write_json(documents[0] if len(documents) == 1 else {"entries": documents})
        return
    for place, one in enumerate(found):
        if place:
            write_line()
        write_page(one)


@group.command()
def check(
    files: Annotated[
        list[Path] | None, typer.Argument(metavar="FILE", help="Files of your own to check together with it.")
    ] = None,
    as_json: Json = False,
) -> int:
    """Check every figure: units, ratios, bounds, counts, sources.

    Ends with 1 when something is wrong.
    """
    from catalog.book import kinds, load_catalog
    from catalog.check import check as findings_of
    from planner.cli.diagnostics import FINDINGS, OK, say
    from planner.cli.output import write_json, write_line
    from planner.cli.own import layer_from

    book = load_catalog([layer_from(file) for file in files or ()])
    findings = findings_of(book)
    count = sum(len(book.ids(kind)) for kind in kinds().values())
    if as_json:
        write_json({"entries": count, "findings": [{"where": one.where, "text": one.text} for one in findings]})
    else:
        for one in findings:
            write_line(str(one))
    say(f"{count} entries checked, {len(findings)} findings.")
    return FINDINGS if findings else OK


@group.command()
@opens
def add(
    library: "Library",
    path: Annotated[
        Path, typer.Argument(metavar="PATH", help="TOML file, or a model's config.json or the folder it lies in.")
    ],
    entry_id: Annotated[
        str | None, typer.Option("--id", metavar="ID", help="Keep the one model of a config.json under this id.")
    ] = None,
    why: Why = "",
    as_json: Json = False,
) -> None:
    """Keep your own devices, models, prices or profiles.

    An entry with the id of a shipped one takes its place, which lists show.
    """
    from catalog.files import from_home
    from planner.cli.own import layer_from

    layer = layer_from(from_home(path))
    if entry_id is not None:
        layer = _renamed(layer, entry_id)
    _keep(library, layer, why or f"from {path.name}", as_json)


def _renamed(layer: Any, entry_id: str) -> Any:
    from dataclasses import replace

    from catalog.schema import check_slug
    from planner.cli.diagnostics import CommandError

    entries = [(kind, entry) for kind, found in layer.entries.items() for entry in found.values()]
    if len(entries) != 1:
        raise CommandError(f"--id names one entry; {layer.name} holds {len(entries)}.")
    try:
        check_slug(entry_id)
    except ValueError as error:
        raise CommandError(f"{error}.") from None
    kind, entry = entries[0]
    return type(layer)(layer.name, {kind: {entry_id: replace(entry, id=entry_id)}}, layer.sources)


def _keep(library: "Library", layer: Any, why: str, as_json: bool) -> None:
    from planner.cli.diagnostics import CommandError, say
    from planner.cli.output import write_json
    from planner.cli.own import save

    if not any(layer.entries.values()):
        raise CommandError(f"{layer.name} holds no entry.", 65)
    book = catalogue_of(library)
    kept = save(library, layer, why)
    if as_json:
        write_json({"kept": [{"kind": kind, "id": entry_id} for kind, entry_id in kept]})
        return
    from catalog.book import kinds

    for kind, entry_id in kept:
        replaced = book.replaced(kinds()[kind], entry_id)
        say(f"Kept {kind} {entry_id}{', in place of the shipped one' if replaced is not None else ''}.")


@group.command("import")
@opens
def import_entries(library: "Library", file: File, as_json: Json = False) -> None:
    """Keep all entries of a file.

    The file is one that `planner catalog export` wrote, or has its layout.
    """
    from catalog.files import from_home
    from planner.cli.own import layer_from

    _keep(library, layer_from(from_home(file)), f"from {file.name}", as_json)


@group.command("export")
@opens
def export_entries(
    library: "Library",
    file: Annotated[Path, typer.Argument(metavar="OUT.toml", help="File to write.")],
    force: Annotated[bool, typer.Option("--force", help="Replace a file that is there.")] = False,
    as_json: Json = False,
) -> None:
    """Write your own entries to a TOML file."""
    from catalog.documents import overlay_document, to_toml
    from exports.files import write_atomically
    from planner.cli.diagnostics import CommandError, say
    from planner.cli.output import write_json
    from planner.cli.own import own_layer

    if file.exists() and not force:
        raise CommandError(f"{file} is there already and is unchanged; --force replaces it.", 73)
    layer = own_layer(library)
    count = sum(len(entries) for entries in layer.entries.values())
    written = write_atomically(file, to_toml(overlay_document(layer)).encode())
    if as_json:
        write_json({"path": str(written), "entries": count})
    else:
        say(f"Wrote {count} entries to {written}.")


@group.command()
@opens
def remove(
    library: "Library",
    kind: Annotated[str, typer.Argument(metavar="KIND", help="accelerator, model, profile, ...")],
    name: Name,
    yes: Yes = False,
) -> None:
    """Remove one of your own entries.

    A shipped one of that id counts again.
    """
    from planner.cli.diagnostics import confirm, names_from_the_command_line, say
    from planner.cli.entries import kind_named
    from planner.cli.own import kept_as

    wanted = kind_named(kind)
    users = [one.name for one in library.scenarios() if name in (one.scenario.values.get(f) for f in _NAMING)]
    used = f" {len(users)} scenarios of this workspace name it." if users else ""
    confirm(f"Remove {wanted.name} {name}?{used}", yes)
    with names_from_the_command_line():
        library.delete_entry(*kept_as(wanted.name, name))
    say(f"Removed {wanted.name} {name}.")


_NAMING = ("accelerator", "model", "draft_model", "engine", "efficiency_profile", "interconnect")
