"""The library: the saved scenarios of all workspaces, as the screen and the command line use them.

Every method is one short transaction; what comes back are frozen values. A library may be used from several threads.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from planner.model.fields import FieldValue, nearest
from planner.model.scenario import Scenario
from planner.store import edits, entries, history, importing, revisions, searching, snapshots, witnesses, workspaces
from planner.store.database import Database
from planner.store.errors import NotFoundError
from planner.store.names import name_key
from planner.store.reading import list_again, list_scenarios, list_workspaces, stored
from planner.store.records import Change, Difference, Entry, Revision, Snapshot, Stored, Witness, Workspace
from planner.store.tables import RevisionRow, ScenarioRow

FIRST_WORKSPACE = "Plans"


class Library:
    """An open library. ``open_library`` makes one; close it, or use it as a context manager.

    Methods that write raise StoreError (the sentence for people, and the exit code) and InputError (a value that is
    refused); then nothing was changed.
    """

    def __init__(self, database: Database) -> None:
        self.database = database
        current = workspaces.last_used(database)
        if current is None:
            # A library that was made for a copy, which then failed.
            current = workspaces.create(database, FIRST_WORKSPACE)
        self._workspace_id = current.id

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the database. The library cannot be used afterwards."""
        self.database.close()

    @property
    def description(self) -> str:
        """Where the library is: the path of its file, or the server's address without a password."""
        return self.database.description

    @property
    def path(self) -> Path | None:
        """The file of a SQLite library."""
        return self.database.path

    @property
    def is_new(self) -> bool:
        """Whether this program has just made the library; of several that start at once, one has."""
        return self.database.is_new

    @property
    def read_only(self) -> bool:
        """Whether nothing can be saved; ``read_only_reason`` says why."""
        return bool(self.database.read_only_reason)

    @property
    def read_only_reason(self) -> str:
        """Why nothing can be saved; empty where it can."""
        return self.database.read_only_reason

    @property
    def warnings(self) -> tuple[str, ...]:
        """What a person should know about this library, a sentence each: a network file system, a superuser's role."""
        return self.database.warnings

    @property
    def who(self) -> str:
        """Whose name the revisions get: the login on SQLite, the database role on PostgreSQL."""
        return self.database.who

    def be_impatient(self, seconds: float) -> None:
        """Wait at most ``seconds`` for a file that somebody else has locked, as a screen must that is typed on."""
        self.database.patience = seconds

    def announce(self) -> None:
        """Note this program as one that has the library open, as the first change would: a long-lived one should."""
        self.database.write(lambda _: None)

    def note_versions(self, *, model: str = "", catalogue: str = "") -> None:
        """Let later revisions say which version of the model and of the catalogue they were made with."""
        versions = self.database.versions
        self.database.versions = type(versions)(
            versions.program, model or versions.model, catalogue or versions.catalogue
        )

    # Workspaces

    def workspaces(self) -> list[Workspace]:
        """All workspaces in alphabetical order."""
        with self.database.reading() as session:
            return list_workspaces(session)

    @property
    def workspace(self) -> Workspace:
        """The current workspace: the one this person used last, until another is chosen."""
        with self.database.reading() as session:
            return workspaces.get(session, self._workspace_id)

    def use_workspace(self, name: str) -> Workspace:
        """Make ``name`` the current workspace, also for the next start. Raises StoreError with the nearest names."""
        with self.database.reading() as session:
            found = workspaces.find(session, name)
        self._workspace_id = found.id
        if not self.read_only:
            workspaces.remember(self.database, found)
        return found

    def create_workspace(self, name: str, *, notes: str = "") -> Workspace:
        """A new, empty workspace; the current one stays."""
        return workspaces.create(self.database, name, notes)

    def rename_workspace(self, name: str, new: str) -> Workspace:
        """Workspace ``name`` under the name ``new``."""
        with self.database.reading() as session:
            found = workspaces.find(session, name)
        return workspaces.rename(self.database, found.id, new)

    def set_workspace_notes(self, name: str, notes: str) -> Workspace:
        """Workspace ``name`` with new ``notes``."""
        with self.database.reading() as session:
            found = workspaces.find(session, name)
        return workspaces.set_notes(self.database, found.id, notes)

    def delete_workspace(self, name: str) -> None:
        """Move workspace ``name`` to the bin; where it was the current one, the first that is left becomes it."""
        with self.database.reading() as session:
            found = workspaces.find(session, name)
        workspaces.delete(self.database, found.id)
        self._leave_deleted()

    def undelete_workspace(self, name: str) -> Workspace:
        """The workspace last deleted under ``name``, back from the bin."""
        return workspaces.undelete(self.database, name)

    # Scenarios

    def scenarios(self, known: Sequence[Stored] = ()) -> list[Stored]:
        """The scenarios of the current workspace in column order; of ``known``, read before, what changed since is
        read again."""
        with self.database.reading() as session:
            current = workspaces.get(session, self._workspace_id)
            return list_again(session, current, known) if known else list_scenarios(session, current)

    def deleted_scenarios(self) -> list[Stored]:
        """The scenarios in the bin of the current workspace, last deleted first."""
        with self.database.reading() as session:
            return list_scenarios(session, workspaces.get(session, self._workspace_id), deleted=True)

    def get(self, scenario_id: int) -> Stored:
        """The scenario with that id, of whichever workspace. Raises StoreError when it was deleted."""
        with self.database.reading() as session:
            row = session.get(ScenarioRow, scenario_id)
            if row is None or row.deleted_at is not None:
                raise NotFoundError(f"There is no scenario {scenario_id}.")
            return stored(session, row, workspaces.get(session, row.workspace_id).name)

    def find(self, name: str) -> Stored:
        """The scenario NAME of the current workspace, or WORKSPACE/NAME. Raises StoreError with the nearest names."""
        with self.database.reading() as session:
            current = workspaces.get(session, self._workspace_id)
            places = [(current, name)]
            known = {name_key(workspace.name): workspace for workspace in list_workspaces(session)}
            for cut in (place for place, character in enumerate(name) if character == "/"):
                workspace = known.get(name_key(name[:cut].strip()))
                if workspace is not None:
                    places.append((workspace, name[cut + 1 :]))
            for workspace, wanted in places:
                query = select(ScenarioRow).where(
                    ScenarioRow.workspace_id == workspace.id,
                    ScenarioRow.name_key == name_key(wanted.strip()),
                    ScenarioRow.deleted_at.is_(None),
                )
                row = session.scalar(query)
                if row is not None:
                    return stored(session, row, workspace.name)
            workspace, wanted = places[-1]
            names = session.scalars(
                select(ScenarioRow.name).where(
                    ScenarioRow.workspace_id == workspace.id, ScenarioRow.deleted_at.is_(None)
                )
            )
            hint = nearest(wanted, names)
            raise NotFoundError(f"There is no scenario '{wanted}' in workspace '{workspace.name}'{hint}.")

    def search(self, words: str = "", *, tags: Iterable[str] = ()) -> list[Stored]:
        """The scenarios of the current workspace that hold all ``words`` and have all ``tags``.

        Words are looked for in names, notes, tags, and the names of device, model, engine and profile.
        """
        wanted = [name_key(word) for word in words.split()]
        labels = {name_key(tag.strip()) for tag in tags}
        with self.database.reading() as session:
            current = workspaces.get(session, self._workspace_id)
            found = searching.matching(session, current, wanted, labels)
            return list_scenarios(session, current, only=found)

    def create(self, scenario: Scenario, *, after: int | None = None) -> Stored:
        """Save a new scenario behind the scenario with id ``after``, or behind all others."""
        return edits.create(self.database, self.workspace, [scenario], after=after)[0]

    def create_many(self, scenarios: Sequence[Scenario], *, why: str = "") -> list[Stored]:
        """Save new scenarios, all or none, as one action."""
        return edits.create(self.database, self.workspace, scenarios, why=why, action="import")

    def bring_in(
        self,
        incoming: Sequence[importing.Incoming],
        own: Sequence[tuple[str, str, Mapping[str, Any]]] = (),
        *,
        baseline: int = 0,
        why: str = "",
    ) -> list[Stored]:
        """Save scenarios with the own catalogue entries that they use, all or none, as one action; see importing."""
        return importing.bring_in(self.database, self.workspace, incoming, own, baseline=baseline, why=why)

    def copy(self, scenario_id: int, name: str, values: Mapping[str, FieldValue] | None = None) -> Stored:
        """A copy called ``name``, behind the original; ``values`` are inputs and facts that differ in it."""
        return edits.copy(self.database, scenario_id, name, values)

    def rename(self, scenario_id: int, name: str) -> Stored:
        """The scenario under a new name."""
        return edits.rename(self.database, scenario_id, name)

    def delete(self, *scenario_ids: int, why: str = "") -> None:
        """Move scenarios to the bin, as one action."""
        if scenario_ids:
            edits.delete(self.database, scenario_ids, why)

    def undelete(self, scenario_id: int) -> Stored:
        """A scenario back from the bin."""
        return edits.undelete(self.database, scenario_id)

    def edit(self, changes: Sequence[Change], *, why: str = "") -> list[Stored]:
        """Set inputs and facts in one or several scenarios of one workspace: one transaction, one revision.

        Raises ConflictError where somebody else changed the same field since ``Change.version``.
        """
        if not changes:
            return []
        return edits.edit(self.database, changes, why)

    def set_notes(self, scenario_id: int, notes: str) -> Stored:
        """The scenario with new notes."""
        return edits.set_notes(self.database, scenario_id, notes)

    def set_baseline(self, scenario_id: int) -> Stored:
        """Make the scenario the one that all others are compared with."""
        return edits.set_baseline(self.database, scenario_id)

    def reorder(self, scenario_ids: Sequence[int]) -> None:
        """Put these scenarios first, in this order; the others follow in theirs."""
        edits.reorder(self.database, self.workspace, scenario_ids)

    def tag(self, scenario_id: int, *tags: str, add: bool = False) -> Stored:
        """The scenario with exactly these tags; with ``add`` in addition to those it has."""
        present = self.get(scenario_id).tags if add else ()
        return edits.set_tags(self.database, scenario_id, [*present, *tags])

    def set_fleet(self, scenario_id: int, belongs: bool) -> Stored:
        """Count the scenario in the fleet's total, or not."""
        return edits.set_fleet(self.database, {scenario_id: belongs})[0]

    def set_fleets(self, belongs: Mapping[int, bool]) -> list[Stored]:
        """Count each of these scenarios of one workspace, by id, in the fleet's total or not, as one action."""
        return edits.set_fleet(self.database, belongs) if belongs else []

    # History

    def undo(self, *, force: bool = False) -> Revision | None:
        """Take back this person's last action in the current workspace, or the last one on a workspace or an own
        catalogue entry where that came after it; None where there is none.

        Raises ConflictError when somebody else changed the same fields since; ``force`` overwrites theirs.
        """
        return self._step("undo", force=force)

    def redo(self, *, force: bool = False) -> Revision | None:
        """Bring back what was undone last; None where there is nothing."""
        return self._step("redo", force=force)

    def _step(self, direction: str, *, force: bool) -> Revision | None:
        revision = history.step(self.database, self.workspace, direction, force=force)
        self._leave_deleted()
        return revision

    def _leave_deleted(self) -> None:
        """Where the current workspace has gone, the first that is left becomes it."""
        known = self.workspaces()
        if all(one.id != self._workspace_id for one in known):
            self._workspace_id = known[0].id

    def history(
        self, scenario_id: int | None = None, *, limit: int | None = None, before: int | None = None
    ) -> list[Revision]:
        """The revisions of the current workspace, or of one scenario, last first.

        ``limit`` is the largest number, ``before`` a sequence to go on from.
        """
        with self.database.reading() as session:
            current = workspaces.get(session, self._workspace_id)
            return revisions.history(session, current, scenario_id, limit=limit, before=before)

    def revision(self, revision_id: int) -> Revision:
        """One revision of the current workspace, with all the scenarios that it changed (lists tell the first 50)."""
        with self.database.reading() as session:
            return revisions.get(session, workspaces.get(session, self._workspace_id), revision_id)

    def last_revision(self) -> int:
        """The id of the newest revision of all workspaces: it changes when anybody changes anything."""
        with self.database.reading() as session:
            return session.scalar(select(func.max(RevisionRow.id))) or 0

    def restore(self, revision_id: int, scenario_id: int | None = None) -> Revision:
        """Put the scenarios of that revision, or one of them, back to what they were right after it."""
        return history.restore(self.database, self.workspace, revision_id, scenario_id)

    def scenario_at(self, scenario_id: int, revision_id: int) -> Scenario:
        """The scenario as it was right after a revision."""
        with self.database.reading() as session:
            return history.scenario_at(session, scenario_id, revision_id)

    def diff(self, first: Scenario, second: Scenario) -> list[Difference]:
        """The fields in which two scenarios differ; see scenario_at() for those of a revision."""
        return history.differences(first, second)

    # Snapshots

    def snapshot(self, name: str, *, notes: str = "") -> Snapshot:
        """A named, unchanging copy of the current workspace, that an export cites by id and digest."""
        return snapshots.take(self.database, self.workspace, name, notes)

    def snapshots(self) -> list[Snapshot]:
        """The snapshots of the current workspace, last first."""
        with self.database.reading() as session:
            return snapshots.list_all(session, workspaces.get(session, self._workspace_id))

    def find_snapshot(self, name_or_id: str | int) -> Snapshot:
        """A snapshot of the current workspace. Raises StoreError with the nearest names."""
        with self.database.reading() as session:
            return snapshots.find(session, workspaces.get(session, self._workspace_id), name_or_id)

    def snapshot_scenarios(self, name_or_id: str | int) -> list[Scenario]:
        """The scenarios that a snapshot holds. Raises StoreError when it no longer is what was saved."""
        snapshot = self.find_snapshot(name_or_id)
        with self.database.reading() as session:
            return snapshots.scenarios(session, snapshot)

    # Results as they were last seen

    def witnesses(self) -> dict[int, Witness]:
        """What was last seen of the results of the current workspace's scenarios, by scenario id."""
        with self.database.reading() as session:
            return witnesses.of_workspace(session, workspaces.get(session, self._workspace_id))

    def outdated(self, catalogue: str, model: str, most: int) -> tuple[list[Stored], dict[int, Witness]]:
        """At most ``most`` scenarios of the current workspace that did not change since they were seen, but under other
        versions than these; with what was seen of them."""
        return self._with_witnesses(lambda session, home: witnesses.outdated(session, home, catalogue, model, most))

    def unseen(self, most: int) -> tuple[list[Stored], dict[int, Witness]]:
        """At most ``most`` scenarios of the current workspace that changed since they were seen, or never were; with
        what was seen of them."""
        return self._with_witnesses(lambda session, home: witnesses.unseen(session, home, most))

    def _with_witnesses(
        self, choose: Callable[[Session, Workspace], list[int]]
    ) -> tuple[list[Stored], dict[int, Witness]]:
        with self.database.reading() as session:
            home = workspaces.get(session, self._workspace_id)
            chosen = choose(session, home)
            if not chosen:
                return [], {}
            return list_scenarios(session, home, only=chosen), witnesses.of_workspace(session, home, chosen)

    def note_seen(self, seen: Sequence[Witness]) -> bool:
        """Keep what was seen of results, unless the scenario has changed since; False where that must be put off."""
        return witnesses.note(self.database, seen)

    # Own catalogue entries

    def entries(self, kind: str | None = None) -> list[Entry]:
        """Own catalogue entries, all or of one kind."""
        with self.database.reading() as session:
            return entries.list_all(session, kind)

    def put_entry(self, kind: str, name: str, document: Mapping[str, Any], *, why: str = "") -> Entry:
        """Save an own catalogue entry, which the catalogue has checked."""
        return entries.put(self.database, kind, name, document, why)

    def put_entries(self, found: Iterable[tuple[str, str, Mapping[str, Any]]], *, why: str = "") -> list[Entry]:
        """Save own catalogue entries, given as kind, name and document, all or none, as one action."""
        return entries.put_all(self.database, found, why)

    def delete_entry(self, kind: str, name: str) -> None:
        """Delete an own catalogue entry."""
        entries.delete(self.database, kind, name)
