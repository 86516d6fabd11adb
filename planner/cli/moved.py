"""planner moved: results that another catalogue or model has moved since a person last saw them.

seen.py has what was seen, and what is compared with it.
"""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from planner.cli.options import Json
from planner.cli.seen import compare_workspace, keep, moved_row
from planner.cli.session import catalogue_of, opens

if TYPE_CHECKING:
    from planner.analysis.moved import Comparison
    from planner.store import Library

app = typer.Typer()


@app.command()
@opens
def moved(
    library: "Library",
    seen: Annotated[
        bool, typer.Option("--seen", help="Put the list away: compare with the present results from now on.")
    ] = False,
    as_json: Json = False,
) -> None:
    """List results that another catalogue or model moved.

    Those that are more than 1 % away from what was seen of them last, before and after; no scenario was changed. The
    list stays until --seen or the screen puts it away.
    """
    from planner.cli.diagnostics import say
    from planner.cli.output import Column, write_json, write_table

    catalog = catalogue_of(library)
    found = compare_workspace(library, catalog)
    workspace = library.workspace.name
    if as_json:
        write_json(_document(workspace, found))
    elif not found.moved:
        say(f"No result of workspace '{workspace}' has moved by more than 1 % since it was last seen.")
    else:
        columns = [Column("Scenario"), Column("Result"), *(Column(one, "right") for one in ("Before", "After", ""))]
        title = f"{workspace}: {found.versions}" if found.versions else workspace
        write_table(columns, [moved_row(one) for one in found.moved], keep=2, title=title)
    if seen and not keep(library, catalog, found):
        say(f"The list stays: {library.read_only_reason or 'the library is in use just now; try again.'}")


def _document(workspace: str, found: "Comparison") -> dict[str, Any]:
    return {
        "workspace": workspace,
        "catalogue_version": {"before": found.catalogue[0], "after": found.catalogue[1]},
        "model_version": {"before": found.model[0], "after": found.model[1]},
        "moved": [
            {
                "scenario": one.scenario,
                "row": one.row or None,
                "before": one.before,
                "after": one.after,
                "relative": one.relative,
                "problem": one.problem or None,
            }
            for one in found.moved
        ],
    }
