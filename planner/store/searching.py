"""Finding scenarios by words and tags, without reading all that they hold."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import select
from sqlalchemy.orm import Session

from planner.store.names import name_key
from planner.store.reading import LIVE, ORDER
from planner.store.records import Workspace
from planner.store.tables import SCENARIO_TABLE, ScenarioRow

_TEXTS = ("name", "notes", "accelerator", "model", "engine", "efficiency_profile")


def matching(session: Session, workspace: Workspace, words: Sequence[str], tags: set[str]) -> list[int]:
    """The ids of the scenarios of ``workspace`` that hold all ``words`` and have all ``tags``, in column order.

    Both are name keys. Words are looked for in names, notes, tags, and the names of device, model, engine and profile.
    """
    columns = [SCENARIO_TABLE.c[name] for name in ("id", "tags", *_TEXTS)]
    query = select(*columns).where(ScenarioRow.workspace_id == workspace.id, LIVE).order_by(*ORDER)
    found = []
    for identifier, labels, *texts in session.connection().execute(query):
        own = [name_key(str(tag)) for tag in labels] if isinstance(labels, list) else []
        if not tags.issubset(own):
            continue
        text = name_key("\n".join([*own, *map(str, texts)])) if words else ""
        if all(word in text for word in words):
            found.append(identifier)
    return found
