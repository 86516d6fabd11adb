"""Saved scenarios as JSON documents and as lines of a table; edits that are tried before they are saved."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from planner.cli.diagnostics import CommandError
from planner.model.fields import FieldValue
from planner.model.inputs import INPUTS
from planner.store.errors import DATA
from planner.store.records import Revision, Snapshot, Stored, Workspace

if TYPE_CHECKING:
    from catalog.book import Catalog
    from planner.model.evaluation import Evaluated


def stored_document(stored: Stored) -> dict[str, Any]:
    """A saved scenario with its inputs and the facts it overrides; a damaged value is null and named."""
    scenario, damaged = stored.scenario, stored.damaged
    return {
        "id": stored.id,
        "version": stored.version,
        "workspace": stored.workspace,
        "name": scenario.name,
        "position": stored.position,
        "baseline": stored.is_baseline,
        "fleet": stored.in_fleet,
        "tags": stored.tags,
        "notes": scenario.notes,
        "modified_at": stored.modified_at,
        "damaged": damaged,
        "inputs": {name: None if name in damaged else scenario.values[name] for name in INPUTS},
        "overrides": {name: scenario.overrides[name] for name in scenario.overrides if name not in damaged},
    }


def revision_document(revision: Revision) -> dict[str, Any]:
    """A revision with the fields that it changed, by the scenario's id."""
    return {
        "id": revision.id,
        "sequence": revision.sequence,
        "at": revision.at,
        "who": revision.who,
        "action": revision.action,
        "description": revision.description,
        "why": revision.why,
        "scenario_id": revision.scenario_id,
        "before": {str(key): dict(value) for key, value in revision.before.items()},
        "after": {str(key): dict(value) for key, value in revision.after.items()},
        "undoes": revision.undoes,
        "program_version": revision.program_version,
        "model_version": revision.model_version,
        "catalogue_version": revision.catalogue_version,
    }


def snapshot_document(snapshot: Snapshot) -> dict[str, Any]:
    """A snapshot without its scenarios."""
    return {
        "id": snapshot.id,
        "name": snapshot.name,
        "at": snapshot.at,
        "who": snapshot.who,
        "notes": snapshot.notes,
        "revision_id": snapshot.revision_id,
        "digest": snapshot.digest,
        "scenarios": snapshot.scenarios,
        "program_version": snapshot.program_version,
        "model_version": snapshot.model_version,
        "catalogue_version": snapshot.catalogue_version,
    }


def workspace_document(workspace: Workspace, *, current: bool) -> dict[str, Any]:
    """A workspace without its scenarios."""
    return {
        "id": workspace.id,
        "name": workspace.name,
        "notes": workspace.notes,
        "scenarios": workspace.scenarios,
        "current": current,
    }


def evaluate_stored(stored: Stored, catalog: Catalog, settings: Mapping[str, FieldValue] | None = None) -> Evaluated:
    """A saved scenario with ``settings`` in place of its own values, evaluated.

    Raises CommandError (65) where a value that nobody typed now is damaged or no longer known, InputError where one of
    the ``settings`` is refused.
    """
    from planner.analysis.trial import with_changes
    from planner.cli.diagnostics import stored_data
    from planner.cli.values import evaluated

    settings = settings or {}
    for name, sentence in stored.damaged.items():
        if name not in settings:
            raise CommandError(f"{stored.name}: {sentence}", DATA)
    if settings:
        return evaluated(with_changes(stored.scenario, settings), catalog)
    with stored_data():
        return evaluated(stored.scenario, catalog)
