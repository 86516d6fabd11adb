"""One action of a person: what it changes is found by comparison, and kept as one revision in the same transaction."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from sqlalchemy import bindparam, func, select
from sqlalchemy.orm import Session

from planner.model.inputs import INPUTS, check_together
from planner.store.database import Database
from planner.store.documents import changes, document
from planner.store.errors import NotFoundError, StoreError
from planner.store.names import MAX_WHY, clean_text
from planner.store.reading import LIVE
from planner.store.records import Json
from planner.store.tables import ChangeRow, RevisionRow, ScenarioRow, WorkspaceRow

GAP = 1 << 20
"""Distance between the positions of two new neighbours, so that others fit between them."""

# Made once, as making a statement takes longer than running it.
_ROWS = (
    select(ScenarioRow)
    .where(ScenarioRow.id.in_(bindparam("ids", expanding=True)), ScenarioRow.workspace_id == bindparam("workspace"))
    .with_for_update()
)
_LAST = select(func.max(RevisionRow.sequence)).where(RevisionRow.workspace_id == bindparam("workspace"))
_LAST_OF_NONE = select(func.max(RevisionRow.sequence)).where(RevisionRow.workspace_id.is_(None))


class Action:
    """What happens to one workspace in one transaction.

    Rows are changed between touch() and finish(); finish() compares and writes the revision.
    """

    def __init__(
        self, session: Session, database: Database, workspace_id: int | None, name: str, why: str = ""
    ) -> None:
        self.session = session
        self.database = database
        self.workspace_id = workspace_id
        self.name = name
        self.why = clean_text(why, "reasons", MAX_WHY)
        self.at = database.clock()
        self.subject = ""
        self.undoes_id: int | None = None
        self.before: Mapping[str, Json] | None = None
        self.after: Mapping[str, Json] | None = None
        self._touched: dict[int, tuple[ScenarioRow, dict[str, Json]]] = {}
        self._created: list[ScenarioRow] = []
        if workspace_id is not None and not database.is_sqlite:
            # Actions on one workspace follow one another; SQLite's write lock does that for the whole file.
            session.execute(select(WorkspaceRow.id).where(WorkspaceRow.id == workspace_id).with_for_update())

    def rows(self, ids: Iterable[int], *, deleted: bool = False) -> dict[int, ScenarioRow]:
        """The live scenarios ``ids`` by id, to be changed; with ``deleted`` those in the bin too.

        Raises NotFoundError when one is missing.
        """
        wanted = list(dict.fromkeys(ids))
        found: dict[int, ScenarioRow] = {}
        for start in range(0, len(wanted), 500):
            values = {"ids": wanted[start : start + 500], "workspace": self.workspace_id}
            found.update({row.id: row for row in self.session.scalars(_ROWS, values)})
        for identifier in wanted:
            row = found.get(identifier)
            if row is None or (row.deleted_at is not None and not deleted):
                gone = f"'{row.name}' was deleted" if row is not None else f"There is no scenario {identifier}"
                raise NotFoundError(f"{gone}; nothing was changed.")
            self.touch(row)
        return {identifier: found[identifier] for identifier in wanted}

    def touch(self, row: ScenarioRow, was: dict[str, Json] | None = None) -> None:
        """Remember ``row`` as it is, before it is changed, or as it ``was`` where that can no longer be seen."""
        if row.id not in self._touched:
            self._touched[row.id] = (row, document(row) if was is None else was)

    def create(self, **values: Any) -> ScenarioRow:
        """A new scenario row of this workspace with ``values``, checked by the caller."""
        row = ScenarioRow(
            uid=uuid.uuid4().hex,
            workspace_id=self.workspace_id,
            created_at=self.at,
            modified_at=self.at,
            deleted_at=None,
            **values,
        )
        self.session.add(row)
        self._created.append(row)
        return row

    def check_name_free(self, name: str, key: str, but: int | None = None) -> None:
        """Raise StoreError when another live scenario of the workspace has that name."""
        query = select(ScenarioRow.name).where(
            ScenarioRow.workspace_id == self.workspace_id, ScenarioRow.name_key == key, LIVE
        )
        if but is not None:
            query = query.where(ScenarioRow.id != but)
        with self.session.no_autoflush:
            taken = self.session.scalar(query)
        if taken is not None:
            raise StoreError(f"There is already a scenario '{taken}' here; choose another name than '{name}'.")

    def finish(self, *, keep: Sequence[ScenarioRow] = ()) -> RevisionRow | None:
        """Write what has changed and the revision that says so; None where nothing has.

        ``keep`` are touched rows to be noted even where nothing of them changed.
        """
        for row, _ in self._touched.values():
            if self.session.is_modified(row):
                row.modified_at = self.at
        self.session.flush()
        parts: list[tuple[ScenarioRow, dict[str, Json], dict[str, Json]]] = [
            (row, {}, document(row)) for row in self._created
        ]
        for row, old in self._touched.values():
            before, after = changes(old, document(row))
            if after or row in keep:
                parts.append((row, before, after))
        if not parts and self.before is None and self.after is None and not self.subject:
            return None
        revision = self._revision()
        self.session.add(revision)
        self.session.flush()
        self.session.add_all(
            ChangeRow(
                revision_id=revision.id,
                scenario_id=row.id,
                version=row.version,
                name=row.name,
                before=before,
                after=after,
            )
            for row, before, after in parts
        )
        self.session.flush()
        return revision

    def _revision(self) -> RevisionRow:
        query = _LAST_OF_NONE if self.workspace_id is None else _LAST
        last = self.session.connection().scalar(query, {"workspace": self.workspace_id}) or 0
        versions = self.database.noted_versions()
        return RevisionRow(
            workspace_id=self.workspace_id,
            sequence=last + 1,
            at=self.at,
            who=self.database.who,
            action=self.name,
            why=self.why,
            undoes_id=self.undoes_id,
            subject=self.subject,
            before=dict(self.before) if self.before is not None else None,
            after=dict(self.after) if self.after is not None else None,
            program_version=versions.program,
            model_version=versions.model,
            catalogue_version=versions.catalogue,
        )


def check_row(row: ScenarioRow) -> None:
    """Raise InputError when sound inputs of ``row`` contradict one another."""
    values = {name: getattr(row, name) for name in INPUTS}
    if row.hourly_profile is not None:  # type: ignore[attr-defined]
        values["hourly_profile"] = tuple(values["hourly_profile"])
    check_together(values)
