"""The Excel workbook: a live model whose formulas come from the planner's own rows, with its results stored in it."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path

from openpyxl.workbook import Workbook

from exports.files import BAD_DATA, CANNOT_CREATE, ExportError, refuse_to_overwrite, write_atomically
from exports.workbook.book import Book, Provenance, compute
from exports.workbook.layout import planner_layout
from exports.workbook.page import FIRST_SCENARIO, MAX_SCENARIOS
from exports.workbook.stored import StoredValues, is_untouched, render
from exports.workbook.styles import Styles
from exports.workbook.writing import write_properties, write_sheets
from planner.model.evaluation import Evaluated
from planner.model.fields import printable

__all__ = ["FORMAT", "Provenance", "render_workbook", "write_workbook"]

FORMAT = "1"
"""Version of the workbook's form, kept in the file: a reader refuses a newer one."""

Progress = Callable[[float], None]
"""Takes the share of the work that is done, 0 to 1."""

_COMPUTING, _WRITING = 0.25, 0.35
"""About how far a large export is when every line is computed, and when the file's parts begin to be written."""

MAX_NAME, MAX_NOTES = 200, 2000
_FIRST_DATE = datetime(2000, 1, 1)  # noqa: DTZ001


def write_workbook(
    path: str | os.PathLike[str],
    scenarios: Sequence[Evaluated],
    *,
    baseline: int = 0,
    title: str = "LLM serving plan",
    ids: Sequence[str] | None = None,
    provenance: Provenance | None = None,
    exported_at: datetime | None = None,
    protect: bool = False,
    force: bool = False,
    progress: Progress | None = None,
) -> Path:
    """Writes ``scenarios`` to the Excel file ``path`` and gives its full path.

    ``baseline`` is a position among them; ``ids`` tell them apart when the file comes back; ``exported_at`` is the
    time that the file states (now, unless given). ``protect`` locks all but the inputs, without a password. An
    existing file is replaced when it is an export that nobody changed, or with ``force``. ``progress`` is told the
    share of the work that is done, and may raise to give up. Raises ExportError; the old file is then unchanged.
    """
    refuse_to_overwrite(path, is_untouched, force=force)
    data = render_workbook(
        scenarios,
        baseline=baseline,
        title=title,
        ids=ids,
        provenance=provenance,
        exported_at=exported_at,
        protect=protect,
        progress=progress,
    )
    return write_atomically(path, data)


def render_workbook(
    scenarios: Sequence[Evaluated],
    *,
    baseline: int = 0,
    title: str = "LLM serving plan",
    ids: Sequence[str] | None = None,
    provenance: Provenance | None = None,
    exported_at: datetime | None = None,
    protect: bool = False,
    progress: Progress | None = None,
) -> bytes:
    """The bytes of the workbook; the same arguments give the same bytes. See write_workbook()."""
    _check(scenarios, baseline, ids)
    moment = _naive_utc(exported_at or datetime.now(UTC))
    tell = progress or _untold
    names = [str(identity) for identity in ids] if ids is not None else _numbered(len(scenarios))
    layout = planner_layout()
    workbook = Workbook()
    workbook.remove(workbook.active)
    book = Book(
        scenarios=scenarios,
        ids=names,
        baseline=baseline,
        title=title,
        moment=moment,
        provenance=provenance or Provenance(),
        layout=layout,
        workbook=workbook,
        styles=Styles(workbook),
        stored=StoredValues(first_column=FIRST_SCENARIO),
        numbers=compute(layout, scenarios, lambda done: tell(_COMPUTING * done)),
    )
    write_sheets(book, protect=protect)
    write_properties(book, FORMAT)
    return render(workbook, book.stored, moment, lambda done: tell(_WRITING + (1 - _WRITING) * done))


def _untold(done: float) -> None:
    """Nobody asks how far it is."""


def _check(scenarios: Sequence[Evaluated], baseline: int, ids: Sequence[str] | None) -> None:
    """Raises ExportError for what cannot become a workbook."""
    if not scenarios:
        raise ExportError("There is no scenario to export.", BAD_DATA)
    if len(scenarios) > MAX_SCENARIOS:
        raise ExportError(
            f"{len(scenarios):,} scenarios are too many for one sheet, which has room for {MAX_SCENARIOS:,}.",
            CANNOT_CREATE,
        )
    if not 0 <= baseline < len(scenarios):
        raise ExportError(f"The baseline must be one of the {len(scenarios)} scenarios.", BAD_DATA)
    if ids is not None and (len(ids) != len(scenarios) or len(set(ids)) != len(ids)):
        raise ExportError("Every scenario needs an id of its own.", BAD_DATA)
    for evaluated in scenarios:
        scenario = evaluated.scenario
        for what, text, most in (("name", scenario.name, MAX_NAME), ("notes", scenario.notes, MAX_NOTES)):
            if len(text) > most:
                raise ExportError(
                    f"The {what} of scenario '{printable(scenario.name[:40])}' has {len(text):,} characters; a "
                    f"workbook holds at most {most:,}.",
                    BAD_DATA,
                )


def _numbered(count: int) -> list[str]:
    return [f"s{number:04d}" for number in range(1, count + 1)]


def _naive_utc(moment: datetime) -> datetime:
    """``moment`` in UTC without its zone, as spreadsheets hold it. Raises ExportError before 2000."""
    naive = moment.astimezone(UTC).replace(tzinfo=None, microsecond=0) if moment.tzinfo is not None else moment
    if naive < _FIRST_DATE:
        raise ExportError(f"The export's time {naive:%Y-%m-%d} is before 2000-01-01.", BAD_DATA)
    return naive.replace(microsecond=0)
