"""planner workspace: sets of scenarios."""

from typing import TYPE_CHECKING, Annotated

import typer

from planner.cli import completion
from planner.cli.options import Json, Notes
from planner.cli.session import opens

if TYPE_CHECKING:
    from planner.store import Library, Workspace

group = typer.Typer(no_args_is_help=True, help="Workspaces: list, choose, make, rename, delete.")
app = typer.Typer()
app.add_typer(group, name="workspace")

Name = Annotated[str, typer.Argument(metavar="NAME", help="Name of a workspace.", autocompletion=completion.workspaces)]
NewName = Annotated[str, typer.Argument(metavar="NEW-NAME", help="New name, unique among workspaces.")]


def _report(library: "Library", workspace: "Workspace", as_json: bool, message: str) -> None:
    from planner.cli.diagnostics import say
    from planner.cli.output import write_json
    from planner.cli.stored import workspace_document

    if as_json:
        write_json(workspace_document(workspace, current=workspace.id == library.workspace.id))
    else:
        say(message)


@group.command("list")
@opens
def list_workspaces(library: "Library", as_json: Json = False) -> None:
    """List the workspaces; the current one is marked."""
    from planner.cli.output import Column, write_json, write_table
    from planner.cli.stored import workspace_document

    current = library.workspace.id
    found = library.workspaces()
    if as_json:
        write_json({"workspaces": [workspace_document(one, current=one.id == current) for one in found]})
        return
    rows = [
        [one.name + (" (current)" if one.id == current else ""), str(one.scenarios), one.notes.partition("\n")[0]]
        for one in found
    ]
    write_table([Column("Workspace"), Column("Scenarios", "right"), Column("Notes", wraps=True)], rows)


@group.command()
@opens
def use(library: "Library", name: Name, as_json: Json = False) -> None:
    """Make a workspace the current one."""
    from planner.cli.diagnostics import names_from_the_command_line

    with names_from_the_command_line():
        chosen = library.use_workspace(name)
    _report(library, chosen, as_json, f"Workspace '{chosen.name}' is the current one.")


@group.command()
@opens
def new(library: "Library", name: NewName, notes: Notes = "", as_json: Json = False) -> None:
    """Make an empty workspace and use it."""
    library.create_workspace(name, notes=notes)
    made = library.use_workspace(name)
    _report(library, made, as_json, f"Made workspace '{made.name}'; it is the current one.")


@group.command()
@opens
def rename(library: "Library", name: Name, new_name: NewName, as_json: Json = False) -> None:
    """Rename a workspace."""
    from planner.cli.diagnostics import names_from_the_command_line

    with names_from_the_command_line():
        renamed = library.rename_workspace(name, new_name)
    _report(library, renamed, as_json, f"Renamed workspace '{name}' to '{renamed.name}'.")


@group.command("notes")
@opens
def set_notes(
    library: "Library",
    name: Name,
    text: Annotated[str, typer.Argument(metavar="TEXT", help="New notes; empty removes them.")],
    as_json: Json = False,
) -> None:
    """Replace the notes of a workspace."""
    from planner.cli.diagnostics import names_from_the_command_line

    with names_from_the_command_line():
        changed = library.set_workspace_notes(name, text)
    _report(library, changed, as_json, f"Changed the notes of workspace '{changed.name}'.")


@group.command()
@opens
def delete(library: "Library", name: Name, as_json: Json = False) -> None:
    """Delete a workspace; undelete brings it back."""
    from planner.cli.diagnostics import names_from_the_command_line, say
    from planner.cli.output import write_json
    from planner.cli.stored import workspace_document

    with names_from_the_command_line():
        library.delete_workspace(name)
    current = library.workspace
    if as_json:
        write_json({"deleted": name, "current": workspace_document(current, current=True)})
    else:
        say(f"Deleted workspace '{name}'; `planner workspace undelete` brings it back. Now in '{current.name}'.")


@group.command()
@opens
def undelete(library: "Library", name: Name, as_json: Json = False) -> None:
    """Bring back a deleted workspace."""
    from planner.cli.diagnostics import names_from_the_command_line

    with names_from_the_command_line():
        found = library.undelete_workspace(name)
    _report(library, found, as_json, f"Brought back workspace '{found.name}'.")
