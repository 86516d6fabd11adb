"""planner list, show, new, copy, set, rename, delete and what else belongs to a saved scenario."""

from typing import TYPE_CHECKING, Annotated

import typer

from planner.cli import completion
from planner.cli.options import All, Force, Json, Notes, ScenarioName, Set, SetNow, Why
from planner.cli.session import catalogue_of, find, opens

if TYPE_CHECKING:
    from planner.store import Library, Stored

app = typer.Typer()

NewName = Annotated[str, typer.Argument(metavar="NAME", help="New name, unique in its workspace.")]
Several = Annotated[
    list[str],
    typer.Argument(metavar="SCENARIO...", help="NAME, or WORKSPACE/NAME.", autocompletion=completion.scenarios),
]


def _report(stored: "Stored", as_json: bool, message: str) -> None:
    """A saved scenario as JSON, or what was done to it as a message."""
    from planner.cli.diagnostics import say
    from planner.cli.output import write_json
    from planner.cli.stored import stored_document

    if as_json:
        write_json(stored_document(stored))
    else:
        say(message)


@app.command("list")
@opens
def list_scenarios(
    library: "Library",
    words: Annotated[
        list[str] | None, typer.Argument(metavar="WORD", help="Only those that hold all words in name, notes or tags.")
    ] = None,
    tags: Annotated[list[str] | None, typer.Option("--tag", metavar="TAG", help="Only those with the tag.")] = None,
    deleted: Annotated[bool, typer.Option("--deleted", help="Those in the bin instead.")] = False,
    as_json: Json = False,
) -> None:
    """List the saved scenarios of the workspace."""
    from planner.cli.output import Column, write_json, write_line, write_table
    from planner.cli.seen import remind
    from planner.cli.stored import stored_document

    remind(library)
    if deleted:
        found = library.deleted_scenarios()
    else:
        found = library.search(" ".join(words or ()), tags=tags or ())
    workspace = library.workspace.name
    if as_json:
        write_json({"workspace": workspace, "scenarios": [stored_document(one) for one in found]})
        return
    columns = [Column(title) for title in ("Scenario", "Model", "Devices of a replica", "Tags", "Changed")]
    columns.append(Column("Notes", wraps=True))
    write_table(columns, [_list_row(one) for one in found], title=f"{workspace}: {len(found)} scenarios")
    if any(one.damaged for one in found):
        write_line("! holds a damaged value; `planner show` names it.")


def _list_row(stored: "Stored") -> list[str]:
    values, damaged = stored.scenario.values, stored.damaged
    names = ("model", "tensor_parallel", "pipeline_parallel", "accelerator")
    model, tensor, pipeline, device = ("?" if name in damaged else values[name] for name in names)
    count = tensor * pipeline if isinstance(tensor, int) and isinstance(pipeline, int) else "?"
    marks = "".join(
        mark
        for mark, holds in ((" (baseline)", stored.is_baseline), (" (fleet)", stored.in_fleet), (" !", damaged))
        if holds
    )
    changed = f"{stored.modified_at:%Y-%m-%d %H:%M}" if stored.modified_at is not None else ""
    notes = stored.scenario.notes.partition("\n")[0]
    return [stored.name + marks, str(model), f"{count} x {device}", ", ".join(stored.tags), changed, notes]


@app.command()
@opens
def show(
    library: "Library",
    scenario: ScenarioName,
    row: Annotated[
        str | None,
        typer.Option(
            "--row",
            metavar="NAME",
            help="Explain one result, input or fact: formula, numbers, sources.",
            autocompletion=completion.rows,
        ),
    ] = None,
    settings: Set = None,
    everything: All = False,
    facts: Annotated[bool, typer.Option("--facts", help="Also the facts, each with its source.")] = False,
    as_json: Json = False,
) -> None:
    """Show a saved scenario: its inputs, results and notes."""
    from planner.cli.explaining import explanation_document, write_explanation
    from planner.cli.output import write_json, write_line
    from planner.cli.results import evaluated_document, write_facts, write_inputs, write_results
    from planner.cli.stored import evaluate_stored, stored_document
    from planner.cli.values import parse_settings

    stored = find(library, scenario)
    evaluated = evaluate_stored(stored, catalogue_of(library), parse_settings(settings or ()))
    if row is not None:
        if as_json:
            write_json(explanation_document(row, evaluated))
        else:
            write_explanation(row, evaluated)
        return
    if as_json:
        write_json(stored_document(stored) | evaluated_document(evaluated))
        return
    write_line(f"{stored.workspace}/{stored.name}")
    if stored.tags:
        write_line(f"Tags: {', '.join(stored.tags)}")
    if stored.scenario.notes:
        write_line(stored.scenario.notes)
    write_line()
    write_inputs(evaluated.scenario, everything=everything)
    overridden = [name for name, fact in evaluated.facts.items() if fact.overridden]
    if facts or overridden:
        write_line()
        write_facts(evaluated, None if facts else overridden)
    write_line()
    write_results(evaluated, everything=everything, titled=False)


@app.command()
@opens
def new(
    library: "Library",
    name: NewName,
    settings: SetNow = None,
    notes: Notes = "",
    after: Annotated[
        str | None, typer.Option("--after", metavar="SCENARIO", help="Put it behind this one, not last.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Save a new scenario.

    It has the defaults, with --set in place of some.
    """
    from dataclasses import replace

    from planner.analysis.trial import with_changes
    from planner.cli.values import default_scenario, evaluated, parse_settings

    scenario = replace(with_changes(default_scenario(), parse_settings(settings or ())), notes=notes)
    evaluated(scenario, catalogue_of(library))
    place = find(library, after).id if after is not None else None
    stored = library.create(replace(scenario, name=name), after=place)
    _report(stored, as_json, f"Saved '{stored.name}' in workspace '{stored.workspace}'.")


@app.command()
@opens
def copy(library: "Library", scenario: ScenarioName, name: NewName, as_json: Json = False) -> None:
    """Copy a scenario under a new name."""
    original = find(library, scenario)
    stored = library.copy(original.id, name)
    _report(stored, as_json, f"Copied '{original.name}' to '{stored.name}'.")


@app.command("set")
@opens
def set_values(
    library: "Library",
    scenario: ScenarioName,
    assignments: Annotated[
        list[str],
        typer.Argument(
            metavar="NAME=VALUE...",
            help="Value of an input or fact. Empty is blank; for a fact, the catalogue's again.",
            autocompletion=completion.settings,
        ),
    ],
    why: Why = "",
    force: Force = False,
    as_json: Json = False,
) -> None:
    """Change inputs or facts of a saved scenario."""
    from planner.cli.diagnostics import say
    from planner.cli.stored import evaluate_stored
    from planner.cli.values import parse_settings
    from planner.store import Change

    stored = find(library, scenario)
    settings = parse_settings(assignments)
    evaluate_stored(stored, catalogue_of(library), settings)
    version = None if force else stored.version
    changes = [Change(stored.id, name, value, version) for name, value in settings.items()]
    (changed,) = library.edit(changes, why=why) or (stored,)
    if changed.version == stored.version:
        _report(changed, as_json, f"Nothing changed in '{stored.name}'.")
    else:
        revision = library.history(stored.id, limit=1)
        _report(changed, as_json, f"{revision[0].description}." if revision else "Saved.")
    for name, sentence in changed.damaged.items():
        say(f"{name}: {sentence}")


@app.command()
@opens
def rename(library: "Library", scenario: ScenarioName, name: NewName, as_json: Json = False) -> None:
    """Rename a scenario."""
    original = find(library, scenario)
    stored = library.rename(original.id, name)
    _report(stored, as_json, f"Renamed '{original.name}' to '{stored.name}'.")


@app.command()
@opens
def delete(library: "Library", scenarios: Several, why: Why = "", as_json: Json = False) -> None:
    """Delete scenarios; undo or undelete brings them back."""
    from planner.cli.diagnostics import say
    from planner.cli.output import write_json

    found = {one.id: one for one in (find(library, name) for name in scenarios)}
    library.delete(*found, why=why)
    if as_json:
        write_json({"deleted": [{"id": one.id, "name": one.name} for one in found.values()]})
    else:
        names = ", ".join(f"'{one.name}'" for one in found.values())
        say(f"Deleted {names}; `planner undo` brings {'it' if len(found) == 1 else 'them'} back.")


@app.command()
@opens
def undelete(
    library: "Library",
    scenario: Annotated[str, typer.Argument(metavar="SCENARIO", help="Name of the deleted scenario.")],
    as_json: Json = False,
) -> None:
    """Bring back a deleted scenario of the workspace."""
    from planner.cli.diagnostics import CommandError
    from planner.model.fields import nearest
    from planner.store.names import name_key

    bin_ = library.deleted_scenarios()
    found = next((one for one in bin_ if name_key(one.name) == name_key(scenario.strip())), None)
    if found is None:
        hint = nearest(scenario, [one.name for one in bin_])
        raise CommandError(f"There is no deleted scenario '{scenario}' in workspace '{library.workspace.name}'{hint}.")
    stored = library.undelete(found.id)
    _report(stored, as_json, f"Brought back '{stored.name}'.")


@app.command()
@opens
def baseline(library: "Library", scenario: ScenarioName, as_json: Json = False) -> None:
    """Compare the others with this scenario from now on."""
    stored = library.set_baseline(find(library, scenario).id)
    _report(stored, as_json, f"'{stored.name}' is the baseline.")


@app.command()
@opens
def notes(
    library: "Library",
    scenario: ScenarioName,
    text: Annotated[
        str | None, typer.Argument(metavar="TEXT", help="New notes; empty removes them, without it they are shown.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Show or replace the notes of a scenario."""
    from planner.cli.output import write_line

    stored = find(library, scenario)
    if text is None and not as_json:
        write_line(stored.scenario.notes)
        return
    if text is not None:
        stored = library.set_notes(stored.id, text)
    _report(stored, as_json, f"Changed the notes of '{stored.name}'.")


@app.command()
@opens
def tag(
    library: "Library",
    scenario: ScenarioName,
    tags: Annotated[list[str] | None, typer.Argument(metavar="TAG", help="Tags to add.")] = None,
    remove: Annotated[
        list[str] | None, typer.Option("--remove", metavar="TAG", help="Tag to take away; may be repeated.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Add tags to a scenario, or take some away."""
    from planner.store.names import name_key

    stored = find(library, scenario)
    gone = {name_key(one.strip()) for one in remove or ()}
    wanted = [one for one in (*stored.tags, *(tags or ())) if name_key(one.strip()) not in gone]
    if tags or remove:
        stored = library.tag(stored.id, *wanted)
    _report(stored, as_json, f"Tags of '{stored.name}': {', '.join(stored.tags) or 'none'}.")


@app.command()
@opens
def order(library: "Library", scenarios: Several) -> None:
    """Put these scenarios first, in this order."""
    from planner.cli.diagnostics import say

    library.reorder([find(library, name).id for name in scenarios])
    say(f"Order: {', '.join(one.name for one in library.scenarios())}.")
