"""Writing scenarios to a file: what to write is gathered on the screen's side, written in the background.

The formats are imported when one is written.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from catalog import Catalog
from planner.model.evaluation import Evaluated
from planner.model.fields import InputError
from planner.tui.book import Book


class Stopped(Exception):  # noqa: N818 - asked for, no error
    """The person does not want the file any more."""


@dataclass(frozen=True, slots=True)
class Job:
    """One export. ``replace``: write over a file that is there, which a person was asked about."""

    path: Path
    scenarios: Sequence[Evaluated]
    ids: Sequence[str]
    baseline: int
    title: str
    origin: dict[str, str]
    replace: bool
    tags: Sequence[tuple[str, ...]]
    in_fleet: Sequence[bool]
    catalog: Catalog
    left_out: str = ""


def gather(book: Book, path: Path, places: Sequence[int], *, replace: bool) -> Job:
    """The scenarios at ``places`` for ``path``; those that cannot be evaluated are left out, and said.

    Raises InputError where none is left, and StoreError.
    """
    sound = [place for place in places if book.look(place).evaluated is not None]
    problems = [f"{book.columns[place].name} ({book.look(place).problem})" for place in places if place not in sound]
    if not sound:
        raise InputError(f"None of the scenarios can be evaluated: {'; '.join(problems)}")
    library = book.library
    versions = library.database.noted_versions()
    origin = {
        "workspace": book.workspace,
        "program_version": versions.program,
        "model_version": versions.model,
        "catalogue_version": versions.catalogue,
        "exported_by": library.who,
        "revision": str(library.last_revision()),
    }
    return Job(
        path=path,
        scenarios=book.evaluated(sound),
        ids=[book.columns[place].stored.uid for place in sound],
        baseline=sound.index(book.baseline) if book.baseline in sound else 0,
        title=book.workspace,
        origin=origin,
        replace=replace,
        tags=[book.columns[place].stored.tags for place in sound],
        in_fleet=[book.columns[place].stored.in_fleet for place in sound],
        catalog=book.catalog,
        left_out="; ".join(problems),
    )


def write(job: Job, progress: Callable[[float], None]) -> str:
    """Write the file; what to say about it. ``progress`` is told the share of a workbook that is done.

    Raises ExportError and what ``progress`` raises; an older file is then unchanged.
    """
    from exports.by_ending import write_export
    from exports.json import Saved
    from exports.own import own_entries
    from exports.workbook import Provenance

    written = write_export(
        job.path,
        job.scenarios,
        baseline=job.baseline,
        title=job.title,
        ids=job.ids if all(job.ids) else None,
        saved=[Saved(tags, in_fleet) for tags, in_fleet in zip(job.tags, job.in_fleet, strict=True)],
        own=own_entries(job.catalog, [one.scenario for one in job.scenarios]),
        provenance=Provenance(**job.origin),
        force=job.replace,
        progress=progress,
    )
    count = len(job.scenarios)
    said = f"Wrote {count} scenario{'s' if count > 1 else ''} to {written}"
    return f"{said}; left out: {job.left_out}" if job.left_out else said
