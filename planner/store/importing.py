"""Bringing scenarios and the own catalogue entries that they use into a workspace: one transaction, one revision."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy.orm import Session

from planner.model.facts import FACT_FIELDS
from planner.model.inputs import INPUTS
from planner.model.scenario import Scenario
from planner.store import entries
from planner.store.actions import Action
from planner.store.database import Database
from planner.store.documents import overrides_of, put
from planner.store.edits import New, check_new, create_rows
from planner.store.errors import BUSY, StoreError
from planner.store.reading import stored_all
from planner.store.records import Stored, Workspace
from planner.store.tables import ScenarioRow


@dataclass(frozen=True, slots=True)
class Incoming:
    """A scenario to save; ``replaces`` is the saved one whose place it takes, as it was when it was looked at."""

    scenario: Scenario
    tags: tuple[str, ...] = ()
    in_fleet: bool = False
    replaces: Stored | None = None


def bring_in(
    database: Database,
    workspace: Workspace,
    incoming: Sequence[Incoming],
    own: Sequence[tuple[str, str, Mapping[str, Any]]] = (),
    *,
    baseline: int = 0,
    why: str = "",
) -> list[Stored]:
    """Save ``incoming`` and the ``own`` entries (kind, name, document), all or none; what is stored then, in order.

    ``baseline`` is the place among the new scenarios of the one that becomes the baseline of an empty workspace.
    Raises InputError for a value that is refused, StoreError for a name that is taken and for a scenario that was
    changed meanwhile.
    """
    checked = [(one, check_new(one.scenario, tags=one.tags, in_fleet=one.in_fleet)) for one in incoming]
    documents = [entries.check(*one) for one in own]

    def work(session: Session) -> list[Stored]:
        action = Action(session, database, workspace.id, "import", why)
        entries.put_within(action, documents)
        new = [scenario for one, scenario in checked if one.replaces is None]
        made = iter(create_rows(action, workspace.name, new, baseline=baseline))
        old = action.rows(one.replaces.id for one in incoming if one.replaces is not None)
        rows = []
        for one, scenario in checked:
            if one.replaces is None:
                rows.append(next(made))
                continue
            row = old[one.replaces.id]
            if row.version != one.replaces.version:
                raise StoreError(f"'{row.name}' was changed meanwhile; nothing was changed: try again.", BUSY)
            _replace(row, scenario)
            rows.append(row)
        if not incoming:
            action.subject = ", ".join(name for _, name, _ in documents)[: entries.MAX_SUBJECT]
        action.finish()
        return stored_all(session, rows, workspace.name)

    return database.write(work)


def _replace(row: ScenarioRow, new: New) -> None:
    for name in INPUTS:
        put(row, name, new.values[name])
    for name in FACT_FIELDS:
        if name in new.overrides or name in overrides_of(row):
            put(row, name, new.overrides.get(name))
    put(row, "notes", new.notes)
    put(row, "tags", list(new.tags))
    put(row, "in_fleet", new.in_fleet)
