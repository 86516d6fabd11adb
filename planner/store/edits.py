"""What a person does to the scenarios of a workspace: each function is one transaction and one revision."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy import select, true
from sqlalchemy.orm import Session

from planner.model.facts import FACT_FIELDS
from planner.model.fields import Field, FieldValue
from planner.model.inputs import INPUTS, check_values, field_of
from planner.model.lookup import ALIASES, field_called
from planner.model.scenario import Scenario
from planner.store.actions import Action, check_row
from planner.store.conflicts import refuse_conflicts
from planner.store.database import Database
from planner.store.documents import overrides_of, put
from planner.store.errors import StoreError
from planner.store.names import clean_name, clean_tags, clean_text, name_key
from planner.store.ordering import place, positions_after
from planner.store.reading import COLUMNS, LIVE, ORDER, home_of, stored_all, to_stored
from planner.store.records import Change, Stored, Workspace
from planner.store.tables import ScenarioRow

MAX_SCENARIOS = 100_000


def _act(
    database: Database,
    home: Workspace | int,
    name: str,
    why: str,
    change: Callable[[Action], Iterable[ScenarioRow]],
) -> list[Stored]:
    """Run ``change`` as one action and return the rows that it gives back as they are stored then.

    ``home`` is the workspace, or a scenario of it.
    """

    return database.write(lambda session: _run(session, database, home, name, why, change))


def _run(
    session: Session,
    database: Database,
    home: Workspace | int,
    name: str,
    why: str,
    change: Callable[[Action], Iterable[ScenarioRow]],
) -> list[Stored]:
    workspace = home if isinstance(home, Workspace) else home_of(session, home)
    action = Action(session, database, workspace.id, name, why)
    rows = list(change(action))
    action.finish()
    return stored_all(session, rows, workspace.name)


@dataclass(frozen=True, slots=True)
class New:
    """A scenario that may be saved."""

    name: str
    values: dict[str, FieldValue]
    overrides: dict[str, FieldValue]
    notes: str
    tags: tuple[str, ...] = ()
    in_fleet: bool = False


def check_new(scenario: Scenario, *, tags: Iterable[str] = (), in_fleet: bool = False) -> New:
    """``scenario`` with all that it holds checked. Raises InputError."""
    facts = {ALIASES.get(name, name): value for name, value in scenario.overrides.items() if value is not None}
    return New(
        clean_name(scenario.name),
        check_values(scenario.values),
        {name: field_of(name, FACT_FIELDS, kind="fact").check(value) for name, value in facts.items()},
        clean_text(scenario.notes, "notes"),
        clean_tags(tags),
        in_fleet,
    )


def create(
    database: Database,
    workspace: Workspace,
    scenarios: Sequence[Scenario],
    *,
    after: int | None = None,
    why: str = "",
    action: str = "create",
) -> list[Stored]:
    """Save new ``scenarios``, all or none, behind scenario ``after`` or behind all others.

    Raises InputError for a value that is refused, StoreError for a name that is taken.
    """
    checked = [check_new(scenario) for scenario in scenarios]
    return _act(database, workspace, action, why, lambda act: create_rows(act, workspace.name, checked, after))


def create_within(
    session: Session, database: Database, workspace: Workspace, scenarios: Sequence[Scenario], why: str, action: str
) -> list[Stored]:
    """Save new ``scenarios`` in the transaction of ``session``; else as create()."""
    checked = [check_new(scenario) for scenario in scenarios]
    return _run(session, database, workspace, action, why, lambda act: create_rows(act, workspace.name, checked, None))


def create_rows(
    action: Action, workspace: str, scenarios: Sequence[New], after: int | None = None, *, baseline: int = 0
) -> list[ScenarioRow]:
    """New rows for ``scenarios``; the one at place ``baseline`` is the baseline where the workspace is empty.

    Raises StoreError as create().
    """
    names = select(ScenarioRow.name_key, ScenarioRow.name).where(ScenarioRow.workspace_id == action.workspace_id, LIVE)
    taken = dict(action.session.execute(names).all())
    is_first = not taken
    if len(taken) + len(scenarios) > MAX_SCENARIOS:
        raise StoreError(f"A workspace may hold {MAX_SCENARIOS:,} scenarios; '{workspace}' has {len(taken):,}.")
    for new in scenarios:
        key = name_key(new.name)
        if key in taken:
            raise StoreError(f"There is already a scenario '{taken[key]}' here; choose another name than '{new.name}'.")
        taken[key] = new.name
    rows: list[ScenarioRow] = []
    for position, new in zip(positions_after(action, after, len(scenarios)), scenarios, strict=True):
        shares = new.values["hourly_profile"]
        rows.append(
            action.create(
                name=new.name,
                name_key=name_key(new.name),
                position=position,
                is_baseline=is_first and len(rows) == baseline,
                in_fleet=new.in_fleet,
                tags=list(new.tags),
                notes=new.notes,
                overrides=new.overrides,
                **{**new.values, "hourly_profile": list(shares) if isinstance(shares, tuple) else None},
            )
        )
    action.session.flush()
    return rows


def copy(database: Database, identifier: int, name: str, values: Mapping[str, FieldValue] | None = None) -> Stored:
    """A copy of scenario ``identifier`` called ``name``, behind it, with its values, facts, notes and tags.

    ``values`` are inputs and facts that differ in the copy. Raises InputError when a value is refused, or a damaged
    one would be copied.
    """
    name = clean_name(name)
    others = {field.name: value for field, value in _checked(values or {})}

    def change(action: Action) -> list[ScenarioRow]:
        source = action.rows([identifier])[identifier]
        for field in INPUTS.values():
            if field.name not in others:
                value = getattr(source, field.name)
                field.check(tuple(value) if isinstance(value, list) else value)
        action.check_name_free(name, name_key(name))
        row = action.create(
            name=name,
            name_key=name_key(name),
            position=positions_after(action, identifier, 1)[0],
            is_baseline=False,
            in_fleet=False,
            tags=list(source.tags) if isinstance(source.tags, list) else [],
            notes=source.notes,
            overrides=overrides_of(source),
            **{field: getattr(source, field) for field in INPUTS},
        )
        for other, value in others.items():
            put(row, other, value)
        check_row(row)
        action.session.flush()
        return [row]

    return _act(database, identifier, "copy", "", change)[0]


def rename(database: Database, identifier: int, name: str) -> Stored:
    """Scenario ``identifier`` under the new ``name``. Raises InputError, StoreError when it is taken."""
    name = clean_name(name)

    def change(action: Action) -> list[ScenarioRow]:
        row = action.rows([identifier])[identifier]
        action.check_name_free(name, name_key(name), but=identifier)
        put(row, "name", name)
        return [row]

    return _act(database, identifier, "rename", "", change)[0]


def delete(database: Database, identifiers: Sequence[int], why: str = "") -> None:
    """Move scenarios to the bin, from which undo, restore and undelete bring them back until it is purged.

    Where the baseline goes, the first scenario that stays becomes it.
    """

    def change(action: Action) -> list[ScenarioRow]:
        rows = action.rows(identifiers)
        for row in rows.values():
            row.deleted_at = action.at
        action.session.flush()
        if any(row.is_baseline for row in rows.values()):
            for row in rows.values():
                row.is_baseline = False
            action.session.flush()
            heir = action.session.scalar(
                select(ScenarioRow.id)
                .where(ScenarioRow.workspace_id == action.workspace_id, LIVE)
                .order_by(*ORDER)
                .limit(1)
            )
            if heir is not None:
                action.rows([heir])[heir].is_baseline = True
        return []

    _act(database, identifiers[0], "delete", why, change)


def undelete(database: Database, identifier: int) -> Stored:
    """Scenario ``identifier`` back from the bin. Raises StoreError when its name is taken by now."""

    def change(action: Action) -> list[ScenarioRow]:
        row = action.rows([identifier], deleted=True)[identifier]
        action.check_name_free(row.name, row.name_key, but=identifier)
        row.deleted_at = None
        return [row]

    return _act(database, identifier, "undelete", "", change)[0]


def _checked(values: Mapping[str, FieldValue]) -> Iterator[tuple[Field, FieldValue]]:
    """The inputs and facts that ``values`` names, each with its checked value. Raises InputError."""
    for name, value in values.items():
        field = field_called(name)
        yield field, None if value is None and field.name in FACT_FIELDS else field.check(value)


def edit(database: Database, changes: Sequence[Change], why: str = "") -> list[Stored]:
    """Set the values of ``changes``, all or none, as one revision; the changed scenarios in the order they came.

    They are of one workspace. Raises InputError for a value that is refused, ConflictError when somebody else changed
    the same field since the version that a change was made on.
    """
    checked: list[Change] = []
    for one in changes:
        for field, value in _checked({one.name: one.value}):
            checked.append(Change(one.scenario_id, field.name, value, one.version))

    def change(action: Action) -> list[ScenarioRow]:
        rows = action.rows(one.scenario_id for one in checked)
        refuse_conflicts(action.session, rows, checked)
        for one in checked:
            put(rows[one.scenario_id], one.name, one.value)
        for row in rows.values():
            held = to_stored([getattr(row, name) for name in COLUMNS], "", 0)
            if not held.damaged:
                check_row(row)
        return list(rows.values())

    return _act(database, checked[0].scenario_id, "edit", why, change)


def set_notes(database: Database, identifier: int, notes: str) -> Stored:
    """Scenario ``identifier`` with new ``notes``."""
    clean = clean_text(notes, "notes")
    return _set(database, identifier, "notes", lambda row: put(row, "notes", clean))[0]


def set_tags(database: Database, identifier: int, tags: Iterable[str]) -> Stored:
    """Scenario ``identifier`` with exactly these ``tags``."""
    clean = clean_tags(tags)
    return _set(database, identifier, "tag", lambda row: put(row, "tags", [*clean]))[0]


def set_fleet(database: Database, belongs: Mapping[int, bool]) -> list[Stored]:
    """Scenarios of one workspace, by id, counted in the fleet's total or not, as one revision."""

    def change(action: Action) -> list[ScenarioRow]:
        rows = action.rows(belongs)
        for identifier, row in rows.items():
            put(row, "in_fleet", belongs[identifier])
        return list(rows.values())

    return _act(database, next(iter(belongs)), "fleet", "", change)


def _set(database: Database, identifier: int, name: str, change_row: Callable[[ScenarioRow], None]) -> list[Stored]:
    def change(action: Action) -> list[ScenarioRow]:
        row = action.rows([identifier])[identifier]
        change_row(row)
        return [row]

    return _act(database, identifier, name, "", change)


def set_baseline(database: Database, identifier: int) -> Stored:
    """Scenario ``identifier`` as the one that all others are compared with."""

    def change(action: Action) -> list[ScenarioRow]:
        query = select(ScenarioRow.id).where(
            ScenarioRow.workspace_id == action.workspace_id, LIVE, ScenarioRow.is_baseline == true()
        )
        for row in action.rows(action.session.scalars(query)).values():
            row.is_baseline = False
        # The index that allows one baseline is checked row by row.
        action.session.flush()
        row = action.rows([identifier])[identifier]
        row.is_baseline = True
        return [row]

    return _act(database, identifier, "baseline", "", change)[0]


def reorder(database: Database, workspace: Workspace, identifiers: Sequence[int]) -> None:
    """Put the scenarios ``identifiers`` first, in this order; the others follow in theirs.

    The fewest rows get a new position: those outside the longest part that already stands in the new order.
    """

    def change(action: Action) -> list[ScenarioRow]:
        query = select(ScenarioRow.id).where(ScenarioRow.workspace_id == workspace.id, LIVE).order_by(*ORDER)
        present = list(action.session.scalars(query))
        wanted = list(dict.fromkeys(identifiers))
        action.rows(wanted[:1])
        known = set(present)
        for identifier in wanted:
            if identifier not in known:
                raise StoreError(f"There is no scenario {identifier} here; nothing was changed.")
        chosen = set(wanted)
        order = wanted + [identifier for identifier in present if identifier not in chosen]
        place(action, present, order)
        return []

    _act(database, workspace, "reorder", "", change)
