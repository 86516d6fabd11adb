"""planner export: scenarios as a file, by the ending of its name."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from planner.cli.comparing import Baseline, of_snapshot, of_workspace
from planner.cli.options import Json, ScenarioNames
from planner.cli.session import opens

if TYPE_CHECKING:
    from exports.workbook import Provenance
    from planner.store import Library, Stored

app = typer.Typer()


@app.command()
@opens
def export(
    library: "Library",
    out: Annotated[Path, typer.Argument(metavar="OUT", help="File to write: .xlsx, .csv, .json or .md.")],
    scenarios: ScenarioNames = None,
    baseline: Baseline = None,
    snapshot: Annotated[
        str | None, typer.Option("--snapshot", metavar="NAME", help="The scenarios as a snapshot holds them.")
    ] = None,
    title: Annotated[str, typer.Option("--title", metavar="TEXT", help="Title; without it the workspace's name.")] = "",
    protect: Annotated[
        bool, typer.Option("--protect", help="Lock everything in a workbook but its inputs, without a password.")
    ] = False,
    force: Annotated[
        bool, typer.Option("--force", help="Replace a file that is no untouched export of the planner.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Write scenarios to a workbook, CSV, JSON or Markdown.

    The ending of the file's name decides; a workbook has live formulas. A file that is there is replaced when it is an
    export that nobody changed, or with --force.
    """
    from exports.by_ending import write_export
    from exports.files import digest
    from planner.cli.diagnostics import CommandError, say
    from planner.cli.output import write_json

    if protect and out.suffix.lower() != ".xlsx":
        raise CommandError(f"--protect locks the cells of a workbook; {out} is none.")
    ids: list[str] | None = None
    revision = str(library.last_revision())
    if snapshot is not None:
        chosen, base, left_out = of_snapshot(library, snapshot, scenarios or (), baseline)
        revision = _cited(library, snapshot)
    else:
        found, base, left_out = of_workspace(library, scenarios or (), baseline)
        chosen = [evaluated for _, evaluated in found]
        ids = _ids([stored for stored, _ in found])
    for sentence in left_out.values():
        say(f"Left out: {sentence}")
    workspace = library.workspace.name
    about = _provenance(library, workspace, revision)
    title = title or workspace
    if protect:
        from exports.workbook import write_workbook

        written = write_workbook(
            out, chosen, baseline=base, title=title, ids=ids, provenance=about, protect=True, force=force
        )
    else:
        written = write_export(out, chosen, baseline=base, title=title, ids=ids, provenance=about, force=force)
    if as_json:
        document = {"path": str(written), "scenarios": [one.scenario.name for one in chosen], "revision": revision}
        write_json(document | {"sha256": digest(written.read_bytes())})
    else:
        say(f"Wrote {len(chosen)} scenarios to {written}.")


def _ids(stored: "Sequence[Stored]") -> list[str] | None:
    """What tells the scenarios apart when the file comes back."""
    ids = [one.uid for one in stored]
    return ids if all(ids) and len(set(ids)) == len(ids) else None


def _cited(library: "Library", name: str) -> str:
    """A snapshot as an export cites it."""
    snapshot = library.find_snapshot(int(name) if name.isdecimal() else name)
    return f"snapshot {snapshot.id} '{snapshot.name}', {snapshot.digest[:16]}"


def _provenance(library: "Library", workspace: str, revision: str) -> "Provenance":
    from exports.workbook import Provenance

    versions = library.database.noted_versions()
    return Provenance(
        workspace=workspace,
        program_version=versions.program,
        model_version=versions.model,
        catalogue_version=versions.catalogue,
        exported_by=library.who,
        revision=revision,
    )
