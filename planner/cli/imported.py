"""What an import does, or would do: as a JSON document and for people."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from exports.json_plan import Problem
from planner.cli.diagnostics import say
from planner.cli.entries import value_text
from planner.cli.importing import EntryStep, Import, ScenarioStep
from planner.cli.output import Column, write_line, write_table
from planner.model.display import show_field_with_unit, show_result
from planner.model.facts import FACT_FIELDS
from planner.model.fields import Field, FieldValue, printable
from planner.model.inputs import INPUTS
from planner.model.rows import SHEET
from planner.model.scenario import Result
from planner.store.records import Difference

SHOWN = 50
"""Problems and moved results that people are told; JSON has all."""


def import_document(found: Import, file: str, workspace: str, *, applied: bool, revision: int | None) -> dict[str, Any]:
    """What happens to each scenario and own entry of ``file``, or why nothing does."""
    return {
        "file": file,
        "workspace": workspace,
        "applied": applied,
        "revision": revision,
        "problems": [{"path": one.path, "text": one.text} for one in found.problems],
        "scenarios": [
            {
                "path": one.planned.path,
                "name": one.planned.scenario.name,
                "status": one.status,
                "saved_as": one.name,
                "differs_in": one.fields,
                "changes": [{"name": each.name, "here": each.first, "file": each.second} for each in one.changes],
                "defaults_for": one.planned.defaulted,
            }
            for one in found.scenarios
        ],
        "entries": [
            {
                "path": one.path,
                "kind": one.kind,
                "id": one.id,
                "status": one.status,
                "saved_as": one.found.id if one.is_saved(found.choice) and one not in found.open_choices else None,
                "differences": [
                    {"figure": name, "here": before, "file": after} for name, before, after in one.differences
                ],
                "used_by": one.users,
            }
            for one in found.entries
        ],
        "to_decide": [{"kind": one.kind, "id": one.id} for one in found.open_choices],
        "moved": [
            {"scenario": one.scenario, "row": one.row, "before": one.before, "after": one.after} for one in found.moved
        ],
    }


def say_problems(file: str, problems: Sequence[Problem]) -> None:
    """Why ``file`` is not imported: one sentence, or a list."""
    if len(problems) == 1:
        say(f"{file} is refused, nothing was changed: {problems[0]}")
        return
    say(f"{file} is refused, nothing was changed: it has {len(problems)} problems.")
    for one in problems[:SHOWN]:
        say(f"  {one}")
    if len(problems) > SHOWN:
        say(f"  and {len(problems) - SHOWN} more; --json has all of them")


def write_import(found: Import, *, applied: bool) -> None:
    """What happens to each scenario and own entry, what comes out otherwise than in the file, and what to decide."""
    verb = "" if applied else "would be "
    columns = [Column("Scenario"), Column("What", wraps=True)]
    write_table(columns, [[one.planned.scenario.name, _scenario_text(one, verb)] for one in found.scenarios])
    changes = [_change_row(one, each) for one in found.scenarios for each in one.changes]
    if changes:
        write_line()
        columns = [Column("Scenario"), Column("What differs"), Column("Here", "right"), Column("In the file", "right")]
        write_table(columns, changes[:SHOWN], keep=2)
        if len(changes) > SHOWN:
            write_line(f"and {len(changes) - SHOWN} more; --json has all of them")
    if found.entries:
        write_line()
        columns = [Column("Own entry"), Column("What", wraps=True)]
        rows = [[f"{one.kind} {one.id}", _entry_text(one, found, verb)] for one in found.entries]
        write_table(columns, rows)
    if found.moved:
        write_line()
        columns = [Column("Scenario"), Column("Result"), Column("In the file", "right"), Column("Here", "right")]
        rows = [[one.scenario, SHEET.rows[one.row].label, *_shown(one.row, one.before, one.after)]
                for one in found.moved[:SHOWN]]  # fmt: skip
        write_table(columns, rows, keep=2, title="Results that are another here by more than 1 %")
        if len(found.moved) > SHOWN:
            write_line(f"and {len(found.moved) - SHOWN} more; --json has all of them")


def _change_row(step: ScenarioStep, change: Difference) -> list[str]:
    field = INPUTS.get(change.name) or FACT_FIELDS[change.name]
    values = (change.first, change.second)
    texts = [
        "the catalogue's" if value is None and change.name in FACT_FIELDS else _text(field, value) for value in values
    ]
    return [step.planned.scenario.name, field.label, *texts]


def _text(field: Field, value: FieldValue) -> str:
    return printable(show_field_with_unit(field, value))


def _shown(row: str, *values: float | str | bool | None) -> list[str]:
    return [show_result(SHEET.rows[row], Result(value)) for value in values]


def _scenario_text(one: ScenarioStep, verb: str) -> str:
    missing = one.planned.defaulted
    tail = f"; the default for {', '.join(missing[:3])}{' and more' if len(missing) > 3 else ''}" if missing else ""
    if one.status == "same":
        return "the same is here already"
    if one.status == "new":
        return f"{verb}saved as new{tail}"
    fields = f"{', '.join(one.fields[:5])}{' and more' if len(one.fields) > 5 else ''}"
    if one.status == "replaces":
        return f"{verb}saved in place of yours, which differs in {fields}{tail}"
    return f"{verb}saved as '{one.name}': yours differs in {fields}{tail}"


def _entry_text(one: EntryStep, found: Import, verb: str) -> str:
    if one.status == "same":
        return "the same is here already"
    if one.status == "new":
        return f"{verb}saved as new"
    if one.status == "added":
        return f"{verb}saved as {one.found.id}: your snapshot of that id holds other figures and stays"
    whose = "your own" if one.status == "differs" else "the shipped one"
    figures = "; ".join(
        f"{name} {value_text(before)} here, {value_text(after)} in the file" for name, before, after in one.differences
    )
    users = f"; {len(one.users)} saved scenarios use it: {', '.join(one.users[:5])}" if one.users else ""
    if one in found.open_choices:
        return f"differs from {whose}: say which one counts ({figures}{users})"
    if found.choice == "here":
        return f"{whose} stays ({figures})"
    return f"{verb}saved in place of {whose} ({figures}{users})"
