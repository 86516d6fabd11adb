"""planner compare, diff and fleet: scenarios beside one another."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from planner.cli import completion
from planner.cli.options import All, Json, LowHigh, ScenarioNames, count_in
from planner.cli.session import catalogue_of, find, opens

if TYPE_CHECKING:
    from planner.model.evaluation import Evaluated
    from planner.model.scenario import Scenario
    from planner.store import Library, Stored

app = typer.Typer()

Baseline = Annotated[
    str | None,
    typer.Option(
        "--baseline",
        metavar="SCENARIO",
        help="Compare with this one; without it with the workspace's baseline.",
        autocompletion=completion.scenarios,
    ),
]


@app.command()
@opens
def compare(
    library: "Library",
    scenarios: ScenarioNames = None,
    baseline: Baseline = None,
    snapshot: Annotated[
        str | None,
        typer.Option("--snapshot", metavar="NAME", help="The scenarios as a snapshot holds them."),
    ] = None,
    everything: All = False,
    low_high: LowHigh = False,
    as_json: Json = False,
) -> None:
    """Compare scenarios; name the cheapest that meets its targets."""
    from planner.cli.comparison import Comparison, comparison_document, write_comparison
    from planner.cli.output import write_json
    from planner.model.bands import band_of

    if snapshot is not None:
        chosen, base, left_out = of_snapshot(library, snapshot, scenarios or (), baseline)
    else:
        found, base, left_out = of_workspace(library, scenarios or (), baseline)
        chosen = [evaluated for _, evaluated in found]
    bands = [band_of(one) for one in chosen] if low_high else None
    comparison = Comparison(library.workspace.name, chosen, base, left_out, bands)
    if as_json:
        write_json(comparison_document(comparison))
    else:
        write_comparison(comparison, everything=everything)


def of_workspace(
    library: "Library", names: Sequence[str], baseline: str | None
) -> tuple[list[tuple["Stored", "Evaluated"]], int, Mapping[str, str]]:
    """Scenarios of the workspace, evaluated, which of them is the baseline, and why others are left out.

    Raises CommandError where there is none, or where one that was named cannot be evaluated.
    """
    from planner.cli.diagnostics import CommandError

    stored = [find(library, name) for name in names] or library.scenarios()
    stored = list({one.id: one for one in stored}.values())
    base = find(library, baseline) if baseline is not None else None
    if base is None:
        base = next((one for one in stored if one.is_baseline), None)
    elif base.id not in {one.id for one in stored}:
        stored.insert(0, base)
    chosen, left_out = evaluate_all(library, stored, strict=bool(names))
    if not chosen:
        raise CommandError(f"There is nothing to compare in workspace '{library.workspace.name}'.")
    place = next((place for place, (one, _) in enumerate(chosen) if base is not None and one.id == base.id), 0)
    return chosen, place, left_out


def evaluate_all(
    library: "Library", stored: Sequence["Stored"], *, strict: bool
) -> tuple[list[tuple["Stored", "Evaluated"]], dict[str, str]]:
    """``stored`` evaluated, and by name why some cannot be.

    ``strict`` raises CommandError for the first of those.
    """
    from planner.cli.diagnostics import CommandError
    from planner.cli.stored import evaluate_stored

    catalog = catalogue_of(library)
    found: list[tuple[Stored, Evaluated]] = []
    left_out: dict[str, str] = {}
    for one in stored:
        try:
            found.append((one, evaluate_stored(one, catalog)))
        except CommandError as failure:
            if strict:
                raise
            left_out[one.name] = str(failure)
    return found, left_out


def of_snapshot(
    library: "Library", snapshot: str, names: Sequence[str], baseline: str | None
) -> tuple[list["Evaluated"], int, Mapping[str, str]]:
    """The same of a snapshot. Raises CommandError, StoreError where it no longer is what was saved."""
    from planner.cli.diagnostics import CommandError, names_from_the_command_line, stored_data
    from planner.cli.values import evaluated
    from planner.model.fields import nearest
    from planner.store.names import name_key

    with names_from_the_command_line():
        held = library.snapshot_scenarios(snapshot)
    by_name = {name_key(one.name): one for one in held}

    def named(name: str) -> "Scenario":
        found = by_name.get(name_key(name.strip()))
        if found is None:
            hint = nearest(name, [one.name for one in held])
            raise CommandError(f"There is no scenario '{name}' in snapshot '{snapshot}'{hint}.")
        return found

    chosen = [named(name) for name in names] or held
    base = named(baseline) if baseline is not None else chosen[0] if chosen else None
    if base is None:
        raise CommandError(f"Snapshot '{snapshot}' holds no scenario.")
    if base not in chosen:
        chosen = [base, *chosen]
    catalog = catalogue_of(library)
    with stored_data():
        return [evaluated(one, catalog) for one in chosen], chosen.index(base), {}


@app.command()
@opens
def diff(
    library: "Library",
    first: Annotated[
        str,
        typer.Argument(
            metavar="FIRST", help="SCENARIO, or SCENARIO@REVISION as it was then.", autocompletion=completion.scenarios
        ),
    ],
    second: Annotated[
        str | None,
        typer.Argument(
            metavar="SECOND", help="The same; without it the first as it is now.", autocompletion=completion.scenarios
        ),
    ] = None,
    result: Annotated[
        list[str] | None,
        typer.Option(
            "--result",
            metavar="ROW",
            help="Result to watch; may be repeated. Without it the chief ones that differ.",
            autocompletion=completion.rows,
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Say which inputs differ, and how much each moves a result.

    Two scenarios, or one scenario at two times: SCENARIO@REVISION is how it was right after that revision.
    """
    from planner.cli.differing import difference_document, explained, write_difference
    from planner.cli.output import write_json
    from planner.cli.values import check_rows

    watched = check_rows(result or ())
    before = _at(library, first)
    after = _at(library, second if second is not None else first.rpartition("@")[0] or first)
    difference = explained(before, after, watched, catalogue_of(library))
    if as_json:
        write_json(difference_document(difference))
    else:
        write_difference(difference)


def _at(library: "Library", name: str) -> "Scenario":
    """The scenario NAME, or NAME@REVISION as it was right after that revision."""
    from planner.cli.diagnostics import CommandError, names_from_the_command_line

    scenario, at, revision = name.rpartition("@")
    try:
        return find(library, name).scenario
    except CommandError:
        if not at or not revision.isdecimal():
            raise
    stored = find(library, scenario)
    number = count_in(revision, 1, library.last_revision())
    if number is None:
        raise CommandError(f"There is no revision '{revision}'; `planner history` lists them.")
    with names_from_the_command_line():
        return library.scenario_at(stored.id, number)


@app.command()
@opens
def fleet(
    library: "Library",
    add: Annotated[
        list[str] | None, typer.Option("--add", metavar="SCENARIO", help="Count it in; may be repeated.")
    ] = None,
    remove: Annotated[
        list[str] | None, typer.Option("--remove", metavar="SCENARIO", help="Leave it out; may be repeated.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Add up the scenarios that are one fleet."""
    from planner.cli.diagnostics import say
    from planner.cli.fleet import fleet_document, write_fleet
    from planner.cli.output import write_json

    marks: dict[str, dict[int, bool]] = {}
    for names, belongs in ((add, True), (remove, False)):
        for stored in (find(library, name) for name in names or ()):
            marks.setdefault(stored.workspace, {})[stored.id] = belongs
    for of_one_workspace in marks.values():
        library.set_fleets(of_one_workspace)
    found, left_out = evaluate_all(library, [one for one in library.scenarios() if one.in_fleet], strict=False)
    for sentence in left_out.values():
        say(f"Not counted: {sentence}")
    members = [evaluated for _, evaluated in found]
    if as_json:
        write_json(fleet_document(members))
    else:
        write_fleet(members)
