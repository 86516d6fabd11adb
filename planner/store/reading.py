"""From rows to Stored: every value read is held against its bounds, and what is out of them is named, not used."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any

from sqlalchemy import ColumnElement, Select, and_, bindparam, func, or_, select
from sqlalchemy.orm import Session

from planner.model.facts import FACT_FIELDS
from planner.model.fields import MAX_NAME_LENGTH, Field, FieldValue, InputError, printable
from planner.model.inputs import INPUTS
from planner.model.scenario import Scenario
from planner.store.errors import NotFoundError
from planner.store.names import MAX_NOTES, shown_text
from planner.store.records import Checked, Stored, Workspace
from planner.store.tables import SCENARIO_TABLE, ScenarioRow, WorkspaceRow

_HEAD = (
    "id",
    "uid",
    "version",
    "name",
    "is_baseline",
    "in_fleet",
    "tags",
    "notes",
    "overrides",
    "modified_at",
    "deleted_at",
)
_FIELDS = tuple(INPUTS.values())
_NAMES = tuple(INPUTS)
COLUMNS = (*_HEAD, *_NAMES)

LIVE = ScenarioRow.deleted_at.is_(None)
ORDER = (ScenarioRow.position, ScenarioRow.id)


@lru_cache(maxsize=4096)
def _is_name(value: str) -> bool:
    return 0 < len(value) <= MAX_NAME_LENGTH and value.isprintable() and value == value.strip()


def _condition(field: Field, value: str) -> str:
    """Python that is true of nothing but sound values of ``field``, in their own type, in the variable ``value``."""
    if field.kind in ("integer", "real"):
        low = "" if field.low is None else f"{field.low!r} {'<' if field.above_low else '<='} "
        high = "" if field.high is None else f" <= {field.high!r}"
        test = f"{value}.__class__ is {'int' if field.kind == 'integer' else 'float'} and {low}{value}{high}"
    elif field.kind == "choice":
        test = f"{value} in {field.choices!r}"
    elif field.kind == "switch":
        test = f"({value} is True or {value} is False)"
    elif field.kind == "name":
        test = f"{value}.__class__ is str and is_name({value})"
    else:
        test = "False"
    return f"({value} is None or {test})" if field.optional else test


def _compile_sound() -> Callable[[Sequence[Any]], bool]:
    """A function that says whether a row's inputs are all sound: ten thousand rows take a moment, not a second."""
    variables = [f"v{index}" for index in range(len(_FIELDS))]
    tests = " and\n        ".join(map(_condition, _FIELDS, variables))
    source = f"def sound(values):\n    {', '.join(variables)} = values\n    return bool(\n        {tests})\n"
    made: dict[str, Any] = {"is_name": _is_name}
    exec(source, made)  # noqa: S102 - made from our own fields alone
    sound: Callable[[Sequence[Any]], bool] = made["sound"]
    return sound


_sound = _compile_sound()


def _damage(scenario: str, field: Field, error: InputError) -> str:
    return (
        f"The stored {field.label} ({field.name}) of '{scenario}' is damaged and not used: {error} "
        "Enter it anew or restore an earlier revision."
    )


def _careful(
    scenario: str, fields: Mapping[str, Field], raw: Mapping[str, Any], damaged: dict[str, str]
) -> dict[str, Any]:
    """The values of ``raw`` that hold; every other gets a sentence in ``damaged``."""
    sound: dict[str, Any] = {}
    for name, value in raw.items():
        field = fields.get(name)
        try:
            if field is None:
                raise InputError(f"There is no fact '{printable(str(name))[:60]}'.")
            sound[name] = field.check(value)
        except InputError as error:
            unknown = Field(name=str(name), label="fact", group="", kind="real")
            damaged[name] = _damage(scenario, field or unknown, error)
    return sound


def to_stored(row: Sequence[Any], workspace: str, position: int) -> Stored:
    """The scenario in ``row``, the values of COLUMNS."""
    identifier, uid, version, name, baseline, fleet, tags, notes, overrides, modified, deleted = row[: len(_HEAD)]
    damaged: dict[str, str] = {}
    shown = name
    if name.__class__ is not str or not name.isprintable():
        shown = printable(str(name))[:120]
        damaged["name"] = f"The stored name of scenario {identifier} is damaged: '{shown}'. Rename it."
    if notes.__class__ is not str or len(notes) > MAX_NOTES or not notes.isprintable():
        notes = shown_text(str(notes)[:MAX_NOTES])
    inputs = row[len(_HEAD) :]
    values: Mapping[str, FieldValue]
    if _sound(inputs):
        values = dict(zip(_NAMES, inputs, strict=True))
    else:
        values = _careful(shown, INPUTS, dict(zip(_NAMES, inputs, strict=True)), damaged)
    facts: Mapping[str, float | None] = {}
    if overrides.__class__ is not dict:
        damaged["overrides"] = f"The overridden facts of '{shown}' are damaged and not used: restore a revision."
    elif overrides:
        facts = _careful(shown, FACT_FIELDS, overrides, damaged)
    if damaged.keys() - {"name"}:
        values = Checked(values, {key: text for key, text in damaged.items() if key in INPUTS})
        facts = Checked(facts, {key: text for key, text in damaged.items() if key not in INPUTS and key != "name"})
    labels = tuple(printable(str(tag)) for tag in tags) if tags.__class__ is list else ()
    return Stored(
        id=identifier,
        version=version,
        workspace=workspace,
        position=position,
        is_baseline=baseline is True,
        scenario=Scenario(shown, values, facts, notes),
        tags=labels,
        in_fleet=fleet is True,
        modified_at=modified,
        uid=str(uid),
        deleted_at=deleted,
        damaged=damaged,
    )


def scenario_columns(*conditions: ColumnElement[bool]) -> Select[Any]:
    """The query for the columns of to_stored() of the scenarios that meet ``conditions``, in column order."""
    return select(*(SCENARIO_TABLE.c[name] for name in COLUMNS)).where(*conditions).order_by(*ORDER)


# Statements of every edit are made once, since making one takes longer than running it.
_BEFORE = (
    select(func.count())
    .select_from(ScenarioRow)
    .where(
        ScenarioRow.workspace_id == bindparam("workspace"),
        LIVE,
        or_(
            ScenarioRow.position < bindparam("position"),
            and_(ScenarioRow.position == bindparam("position"), ScenarioRow.id < bindparam("id")),
        ),
    )
)
_HOME = (
    select(WorkspaceRow.id, WorkspaceRow.name, WorkspaceRow.deleted_at)
    .join(ScenarioRow, ScenarioRow.workspace_id == WorkspaceRow.id)
    .where(ScenarioRow.id == bindparam("id"))
)


def position_of(session: Session, row: ScenarioRow) -> int:
    """The column of ``row``, from 0: the number of scenarios before it."""
    values = {"workspace": row.workspace_id, "position": row.position, "id": row.id}
    return session.connection().scalar(_BEFORE, values) or 0


def home_of(session: Session, scenario_id: int) -> Workspace:
    """The workspace of a scenario, deleted or not. Raises NotFoundError, also when the workspace was deleted."""
    row = session.connection().execute(_HOME, {"id": scenario_id}).one_or_none()
    if row is None:
        raise NotFoundError(f"There is no scenario {scenario_id}.")
    if row.deleted_at is not None:
        raise NotFoundError(f"Workspace '{printable(row.name)}' was deleted; bring it back first.")
    return Workspace(row.id, printable(row.name))


def stored(session: Session, row: ScenarioRow, workspace: str) -> Stored:
    """``row`` as Stored."""
    return to_stored([getattr(row, name) for name in COLUMNS], workspace, position_of(session, row))


def stored_all(session: Session, rows: Sequence[ScenarioRow], workspace: str) -> list[Stored]:
    """``rows``, all of one workspace, as Stored."""
    if len(rows) < 20:
        return [stored(session, row, workspace) for row in rows]
    query = select(ScenarioRow.id).where(ScenarioRow.workspace_id == rows[0].workspace_id, LIVE).order_by(*ORDER)
    positions = {identifier: position for position, identifier in enumerate(session.scalars(query))}
    return [to_stored([getattr(row, name) for name in COLUMNS], workspace, positions.get(row.id, 0)) for row in rows]


def list_scenarios(
    session: Session, workspace: Workspace, *, deleted: bool = False, only: Sequence[int] | None = None
) -> list[Stored]:
    """The scenarios of ``workspace`` in column order, or those in its bin, last deleted first; with ``only``, these."""
    if deleted:
        query = scenario_columns(ScenarioRow.workspace_id == workspace.id, ScenarioRow.deleted_at.is_not(None))
        query = query.order_by(None).order_by(ScenarioRow.deleted_at.desc(), ScenarioRow.id.desc())
    else:
        query = scenario_columns(ScenarioRow.workspace_id == workspace.id, LIVE)
    # Without the mapping of rows to objects, which takes as long as reading them.
    connection = session.connection()
    if only is None:
        rows = connection.execute(query).all()
        return [to_stored(row, workspace.name, position) for position, row in enumerate(rows)]
    order = select(ScenarioRow.id).where(ScenarioRow.workspace_id == workspace.id, LIVE).order_by(*ORDER)
    positions = {identifier: position for position, identifier in enumerate(connection.scalars(order))}
    found: list[Stored] = []
    for start in range(0, len(only), 500):
        part = query.where(ScenarioRow.id.in_(only[start : start + 500]))
        found += [to_stored(row, workspace.name, positions[row[0]]) for row in connection.execute(part)]
    return found


def list_again(session: Session, workspace: Workspace, known: Sequence[Stored]) -> list[Stored]:
    """The scenarios of ``workspace`` in column order; those of ``known`` that did not change are not read again."""
    before = {(one.id, one.version): one for one in known if one.workspace == workspace.name and not one.deleted_at}
    columns = (SCENARIO_TABLE.c.id, SCENARIO_TABLE.c.version)
    query = select(*columns).where(ScenarioRow.workspace_id == workspace.id, LIVE).order_by(*ORDER)
    now = [(identifier, version) for identifier, version in session.connection().execute(query)]
    changed = [key[0] for key in now if key not in before]
    if 2 * len(changed) > len(now):
        return list_scenarios(session, workspace)
    read = {one.id: one for one in list_scenarios(session, workspace, only=changed)} if changed else {}
    found = []
    for position, key in enumerate(now):
        one = read.get(key[0]) or before[key]
        found.append(one if one.position == position else replace(one, position=position))
    return found


def list_workspaces(session: Session) -> list[Workspace]:
    """All workspaces in alphabetical order, each with the number of its scenarios."""
    counted = (
        select(ScenarioRow.workspace_id, func.count().label("number"))
        .where(LIVE)
        .group_by(ScenarioRow.workspace_id)
        .subquery()
    )
    query = (
        select(WorkspaceRow, counted.c.number)
        .outerjoin(counted, counted.c.workspace_id == WorkspaceRow.id)
        .where(WorkspaceRow.deleted_at.is_(None))
        .order_by(WorkspaceRow.name_key)
    )
    return [to_workspace(row, number or 0) for row, number in session.execute(query)]


def to_workspace(row: WorkspaceRow, scenarios: int) -> Workspace:
    """``row`` as Workspace."""
    return Workspace(row.id, printable(row.name), shown_text(row.notes), scenarios, row.version)
