"""planner undo, redo, history, restore, snapshot."""

from typing import TYPE_CHECKING, Annotated

import typer

from planner.cli.options import Force, Json, MaybeScenario, Notes, whole
from planner.cli.session import find, opens

if TYPE_CHECKING:
    from planner.store import Library, Revision

app = typer.Typer()


@app.command()
@opens
def undo(library: "Library", force: Force = False, as_json: Json = False) -> None:
    """Take back your last action in the workspace.

    Or the last one on any workspace or own catalogue entry, where that came later.
    """
    _step(library.undo(force=force), "Nothing to undo.", as_json)


@app.command()
@opens
def redo(library: "Library", force: Force = False, as_json: Json = False) -> None:
    """Bring back what was undone last."""
    _step(library.redo(force=force), "Nothing to redo.", as_json)


def _step(revision: "Revision | None", nothing: str, as_json: bool) -> None:
    from planner.cli.diagnostics import say
    from planner.cli.output import write_json
    from planner.cli.stored import revision_document

    if as_json:
        write_json(revision_document(revision) if revision is not None else None)
    if revision is None:
        say(nothing)
    elif not as_json:
        say(f"{revision.description}.")


@app.command()
@opens
def history(
    library: "Library",
    scenario: MaybeScenario = None,
    limit: Annotated[
        int, typer.Option("--limit", metavar="N", parser=whole(1, 1_000_000), help="Largest number of entries.")
    ] = 30,
    as_json: Json = False,
) -> None:
    """List what was done, last first."""
    from planner.cli.output import Column, write_json, write_line, write_table
    from planner.cli.stored import revision_document

    found = library.history(find(library, scenario).id if scenario is not None else None, limit=limit)
    if as_json:
        write_json({"workspace": library.workspace.name, "revisions": [revision_document(one) for one in found]})
        return
    rows = [[str(one.id), f"{one.at:%Y-%m-%d %H:%M}", one.who, one.description, one.why] for one in found]
    columns = [Column("Revision", "right"), Column("UTC"), Column("Who")]
    write_table([*columns, Column("What", wraps=True), Column("Why", wraps=True)], rows, keep=2)
    if len(found) == limit:
        write_line(f"Up to {limit} are shown; --limit shows more.")


@app.command()
@opens
def restore(
    library: "Library",
    revision: Annotated[
        int, typer.Argument(metavar="REVISION", parser=whole(1, 10**15), help="Number from `planner history`.")
    ],
    scenario: MaybeScenario = None,
    as_json: Json = False,
) -> None:
    """Put scenarios back to what they were after a revision."""
    from planner.cli.diagnostics import names_from_the_command_line

    only = find(library, scenario).id if scenario is not None else None
    with names_from_the_command_line():
        done = library.restore(revision, only)
    _step(done, "", as_json)


@app.command()
@opens
def snapshot(
    library: "Library",
    name: Annotated[
        str | None, typer.Argument(metavar="NAME", help="Take one under this name; without it they are listed.")
    ] = None,
    notes: Notes = "",
    as_json: Json = False,
) -> None:
    """Keep the workspace as it is under a name, or list those.

    A snapshot never changes; an export may cite it.
    """
    from planner.cli.diagnostics import say
    from planner.cli.output import Column, write_json, write_table
    from planner.cli.stored import snapshot_document

    if name is not None:
        taken = library.snapshot(name, notes=notes)
        if as_json:
            write_json(snapshot_document(taken))
        else:
            say(f"Snapshot {taken.id} '{taken.name}' holds {taken.scenarios} scenarios ({taken.digest[:12]}).")
        return
    found = library.snapshots()
    if as_json:
        write_json({"workspace": library.workspace.name, "snapshots": [snapshot_document(one) for one in found]})
        return
    rows = [
        [str(one.id), one.name, f"{one.at:%Y-%m-%d %H:%M}", one.who, str(one.scenarios), one.digest[:12], one.notes]
        for one in found
    ]
    columns = [Column("Snapshot", "right")]
    columns += [Column(title) for title in ("Name", "UTC", "Who", "Scenarios", "Digest")]
    write_table([*columns, Column("Notes", wraps=True)], rows, keep=2)
