"""planner eval, inputs, rows: the sheet without anything being saved."""

from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, Annotated, Any

import typer

from planner.cli.options import All, Database, InWorkspace, Json, LowHigh, MaybeScenario, Set

if TYPE_CHECKING:
    from planner.analysis.fit import Fix
    from planner.model.evaluation import Evaluated
    from planner.model.fields import Field

app = typer.Typer()


@app.command("eval")
def evaluate(
    context: typer.Context,
    scenario: MaybeScenario = None,
    settings: Set = None,
    everything: All = False,
    low_high: LowHigh = False,
    as_json: Json = False,
    db: Database = None,
    workspace: InWorkspace = None,
) -> None:
    """Evaluate the defaults, or a saved scenario.

    --set takes the place of values; nothing is saved.
    """
    from planner.cli.output import write_json
    from planner.cli.results import evaluated_document, write_results

    evaluated, fixes = evaluated_with(context, scenario, settings, db, workspace)
    bands = None
    if low_high or as_json:
        from planner.model.bands import band_of

        bands = band_of(evaluated)
    if as_json:
        changes = [{"name": fix.name, "value": fix.value} for fix in fixes]
        write_json({**evaluated_document(evaluated, bands), "would_fit_with": changes})
        return
    write_results(evaluated, everything=everything, bands=bands)
    if fixes:
        from planner.cli.output import write_line

        write_line()
        write_line(f"It would fit with one of: {'; '.join(fix.sentence for fix in fixes)}.")


def evaluated_with(
    context: typer.Context, scenario: str | None, settings: list[str] | None, db: str | None, workspace: str | None
) -> "tuple[Evaluated, Sequence[Fix]]":
    """The scenario, or the defaults, with the settings on the command line; and what would make it fit."""
    from planner.analysis.fit import fixes
    from planner.analysis.trial import with_changes
    from planner.cli.session import catalogue_of, find, library_at, place_of
    from planner.cli.values import default_scenario, evaluated, parse_settings

    changes = parse_settings(settings or ())
    if scenario is None:
        catalogue = catalogue_of(None)
        found = evaluated(with_changes(default_scenario(), changes), catalogue)
        return found, fixes(found.scenario, catalogue)
    from planner.cli.stored import evaluate_stored

    with library_at(place_of(context).behind(db, workspace)) as library:
        catalogue = catalogue_of(library)
        found = evaluate_stored(find(library, scenario), catalogue, changes)
        return found, fixes(found.scenario, catalogue)


@app.command()
def inputs(
    facts: Annotated[bool, typer.Option("--facts", help="Also the facts that names stand for.")] = False,
    as_json: Json = False,
) -> None:
    """List what can be set, with bounds and defaults."""
    from planner.cli.output import Column, write_json, write_table
    from planner.model.facts import FACT_FIELDS
    from planner.model.inputs import INPUTS

    if as_json:
        write_json(
            {
                "inputs": {name: _field_document(field) for name, field in INPUTS.items()},
                "facts": {name: _field_document(field) for name, field in FACT_FIELDS.items()},
            }
        )
        return
    columns = [Column("Input"), Column("Name"), Column("Default", "right"), Column("Bounds", wraps=True)]
    columns.append(Column("Meaning", wraps=True))
    for title, fields in (("", INPUTS), ("Facts", FACT_FIELDS)):
        if title and not facts:
            continue
        groups = dict.fromkeys(field.group for field in fields.values())
        for group in groups:
            rows = [
                [field.label, field.name, _default(field), field.bounds(), field.help]
                for field in fields.values()
                if field.group == group
            ]
            write_table(columns, rows, title=group, keep=2)


def _default(field: "Field") -> str:
    from planner.cli.results import value_text
    from planner.model.facts import FACT_FIELDS

    return "catalogue's" if field.name in FACT_FIELDS else value_text(field, field.default)


def _field_document(field: "Field") -> dict[str, Any]:
    return {
        "label": field.label,
        "group": field.group,
        "kind": field.kind,
        "unit": field.unit,
        "low": field.low,
        "high": field.high,
        "low_is_excluded": field.above_low,
        "bounds": field.bounds(),
        "choices": field.choices,
        "default": field.default,
        "optional": field.optional,
        "blank": field.blank,
        "help": field.help,
    }


@app.command()
def rows(
    as_json: Json = False,
) -> None:
    """List what is computed, with units and formulas."""
    from planner.cli.output import Column, write_json, write_table
    from planner.model.rows import SHEET

    if as_json:
        write_json({"rows": {name: _row_document(name) for name in SHEET.rows}})
        return
    columns = [Column("Result"), Column("Name"), Column("Unit"), Column("Formula", wraps=True)]
    for section in dict.fromkeys(row.section for row in SHEET.rows.values()):
        shown = [
            [row.label, row.name, row.unit, _formulas(row.name)[0]]
            for row in SHEET.rows.values()
            if row.section == section
        ]
        write_table(columns, shown, title=section, keep=2)


def _formulas(name: str) -> list[str]:
    """The formula of row ``name``, and those of its named parts."""
    from planner.model.explain import explain

    return [f"{formula.name} = {formula.symbols}" for formula in explain(name, _defaults()).formulas]


@cache
def _defaults() -> "Evaluated":
    from planner.cli.session import catalogue_of
    from planner.cli.values import default_scenario, evaluated

    return evaluated(default_scenario(), catalogue_of(None))


def _row_document(name: str) -> dict[str, Any]:
    from planner.model.rows import SHEET

    row = SHEET.rows[name]
    return {
        "label": row.label,
        "section": row.section,
        "unit": row.unit,
        "kind": row.kind,
        "words": row.words,
        "better": row.better,
        "key": row.key,
        "needs": row.parameters,
        "formula": _formulas(name),
        "help": row.doc,
    }
