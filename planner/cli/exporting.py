"""planner export and import: scenarios as a file, by the ending of its name, and back."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from planner.cli.comparing import Baseline, of_snapshot, of_workspace
from planner.cli.options import Json, ScenarioNames, Why
from planner.cli.session import catalogue_of, opens

if TYPE_CHECKING:
    from exports.json_plan import Plan
    from exports.workbook import Provenance
    from planner.cli.importing import Choice
    from planner.model.scenario import Scenario
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

    The ending of the file's name decides; a workbook has live formulas. `planner import` reads it back, and JSON, which
    holds your own catalogue entries that the scenarios use too. A file that is there is replaced when it is an export
    that nobody changed, or with --force.
    """
    from exports.by_ending import write_export
    from exports.files import digest
    from exports.json import Saved
    from exports.own import own_entries
    from planner.cli.diagnostics import CommandError, say
    from planner.cli.output import write_json
    from planner.cli.progress import Progress

    if protect and out.suffix.lower() != ".xlsx":
        raise CommandError(f"--protect locks the cells of a workbook; {out} is none.")
    ids: list[str] | None = None
    saved: list[Saved] | None = None
    revision = str(library.last_revision())
    if snapshot is not None:
        chosen, base, left_out = of_snapshot(library, snapshot, scenarios or (), baseline)
        revision = _cited(library, snapshot)
    else:
        found, base, left_out = of_workspace(library, scenarios or (), baseline)
        chosen = [evaluated for _, evaluated in found]
        ids = _ids([stored for stored, _ in found])
        saved = [Saved(stored.tags, stored.in_fleet) for stored, _ in found]
    for sentence in left_out.values():
        say(f"Left out: {sentence}")
    own = None
    if out.suffix.lower() == ".json":
        own = own_entries(catalogue_of(library), [one.scenario for one in chosen])
        for one in chosen:
            _say_files(one.scenario)
    workspace = library.workspace.name
    about = _provenance(library, workspace, revision)
    title = title or workspace
    with Progress(f"Writing {out.name}", terminal_only=True) as progress:
        written = write_export(
            out,
            chosen,
            baseline=base,
            title=title,
            ids=ids,
            saved=saved,
            own=own,
            provenance=about,
            protect=protect,
            force=force,
            progress=progress.share,
        )
    if as_json:
        document = {"path": str(written), "scenarios": [one.scenario.name for one in chosen], "revision": revision}
        write_json(document | {"sha256": digest(written.read_bytes())})
    else:
        say(f"Wrote {len(chosen)} scenarios to {written}.")


def _say_files(scenario: "Scenario") -> None:
    """Say which names of ``scenario`` lead to files, which do not go with an export."""
    from catalog.resolve import looks_like_path
    from exports.own import NAMING
    from planner.cli.diagnostics import say

    for field in NAMING:
        name = str(scenario.values[field] or "")
        if looks_like_path(name):
            say(
                f"'{scenario.name}' names the file {name}, which is not in the export: "
                "`planner catalog add` keeps it as an entry of your own."
            )


@app.command("import")
@opens
def import_scenarios(
    library: "Library",
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A .json or .xlsx file that `planner export` wrote.")],
    apply: Annotated[bool, typer.Option("--apply", help="Do it; without this it is only said.")] = False,
    replace: Annotated[
        bool, typer.Option("--replace", help="Take the place of scenarios of the same name, not another name.")
    ] = False,
    entries: Annotated[
        str | None,
        typer.Option(
            "--entries", metavar="file|here", help="Whose catalogue entries count where those of the file differ."
        ),
    ] = None,
    why: Why = "",
    as_json: Json = False,
) -> int:
    """Say what an export would bring in; --apply does it.

    It brings scenarios, and from JSON the catalogue entries of your own that they use. What is here already stays; a
    name that is taken gets a number, or the saved scenario is replaced with --replace. An entry that differs from
    yours, or takes the place of a shipped one, needs --entries. Of a workbook the Inputs sheet counts alone. All is one
    change, which `planner undo` takes back.
    """
    from catalog.files import from_home
    from planner.cli.diagnostics import OK, CommandError, say
    from planner.cli.imported import import_document, say_problems, write_import
    from planner.cli.importing import bring_in, look
    from planner.cli.output import write_json
    from planner.store.errors import DATA

    if entries not in (None, "file", "here"):
        raise CommandError(f"--entries must be file or here, not '{entries}'.")
    workspace = library.workspace.name
    found = look(library, _plan_in(library, from_home(file)), replacing=replace, choice=_choice(entries))
    refused = bool(found.problems) or (apply and bool(found.open_choices))
    done = apply and not refused and not found.is_empty
    if done:
        bring_in(library, found, why or f"from {file.name}")
    if as_json:
        revision = library.last_revision() if done else None
        write_json(import_document(found, str(file), workspace, applied=done, revision=revision))
    elif not found.problems:
        write_import(found, applied=done)
    if found.problems:
        say_problems(str(file), found.problems)
    elif found.open_choices:
        names = ", ".join(f"{one.kind} {one.id}" for one in found.open_choices)
        say(f"Nothing was changed: repeat with --entries file or --entries here, to say which one counts of {names}.")
    elif found.is_empty:
        say("All of it is here already; nothing was changed.")
    elif done:
        say(f"Imported into workspace '{workspace}' as one change; `planner undo` takes it back.")
    else:
        say(f"Nothing was changed: repeat with --apply to bring this into workspace '{workspace}'.")
    return DATA if refused else OK


def _plan_in(library: "Library", file: Path) -> "Plan":
    """What ``file``, a workbook or a JSON export, holds."""
    if file.suffix.lower() != ".xlsx":
        from exports.json_plan import read_plan

        return read_plan(file)
    from exports.workbook.reading import Known, read_workbook
    from planner.cli.diagnostics import say

    catalog = catalogue_of(library)
    known = {
        one.uid: Known(one.scenario, one.tags, one.in_fleet)
        for one in library.scenarios()
        if one.uid and not one.damaged
    }
    plan = read_workbook(file, catalog, known)
    then = plan.provenance["catalogue_version"]
    if then not in ("", catalog.version):
        say(f"{file.name} was exported under catalogue {then}: figures that are others now are kept as in the file.")
    if plan.provenance.get("moved_on"):
        say(f"Scenarios have been changed here since {file.name} was exported; what differs may be your own change.")
    return plan


def _choice(entries: str | None) -> "Choice | None":
    return "file" if entries == "file" else "here" if entries == "here" else None


def _ids(stored: "Sequence[Stored]") -> list[str] | None:
    """What tells the scenarios apart when the file comes back."""
    ids = [one.uid for one in stored]
    return ids if all(ids) and len(set(ids)) == len(ids) else None


def _cited(library: "Library", name: str) -> str:
    """A snapshot as an export cites it."""
    snapshot = library.find_snapshot(name)
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
