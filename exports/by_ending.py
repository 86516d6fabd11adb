"""Writing scenarios to a file in the form that the ending of its name says."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import asdict
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from exports.files import CANNOT_CREATE, ExportError, refuse_to_overwrite, shown, write_atomically
from planner.model.evaluation import Evaluated

if TYPE_CHECKING:
    from catalog.book import Overlay
    from exports.json import Saved
    from exports.workbook import Provenance

ENDINGS = (".xlsx", ".csv", ".json", ".md")


def write_export(
    path: str | os.PathLike[str],
    scenarios: Sequence[Evaluated],
    *,
    baseline: int = 0,
    title: str = "LLM serving plan",
    ids: Sequence[str] | None = None,
    saved: Sequence[Saved] | None = None,
    own: Overlay | None = None,
    provenance: Provenance | None = None,
    exported_at: datetime | None = None,
    protect: bool = False,
    force: bool = False,
    progress: Callable[[float], None] | None = None,
) -> Path:
    """Writes ``scenarios`` to ``path`` as a workbook, CSV, JSON or Markdown, and gives its full path.

    See write_workbook() and render_json() for the arguments; ``saved`` and ``own`` are in JSON alone, ``protect`` and
    ``progress`` are of workbooks. A text file that is there already is replaced only when it holds the same bytes or
    with ``force``. Raises ExportError: 73 for an ending that is none of the four.
    """
    ending = Path(path).suffix.lower()
    if ending == ".xlsx":
        from exports.workbook import write_workbook  # noqa: PLC0415 - openpyxl is slow to import

        return write_workbook(
            path, scenarios, baseline=baseline, title=title, ids=ids, provenance=provenance,
            exported_at=exported_at, protect=protect, force=force, progress=progress,
        )  # fmt: skip
    if ending not in ENDINGS:
        raise ExportError(
            f"{shown(Path(path))} ends in '{ending}', which is no export; the name must end in {', '.join(ENDINGS)}.",
            CANNOT_CREATE,
        )
    if ending == ".json":
        from exports.json import render_json  # noqa: PLC0415

        known = {name: text for name, text in asdict(provenance).items() if text} if provenance is not None else None
        data = render_json(
            scenarios, baseline=baseline, ids=ids, saved=saved, own=own, provenance=known, exported_at=exported_at
        )
    else:
        data = _render(ending, scenarios, baseline, title, exported_at)
    refuse_to_overwrite(path, lambda old: old == data, force=force)
    return write_atomically(path, data)


def _render(
    ending: str,
    scenarios: Sequence[Evaluated],
    baseline: int,
    title: str,
    exported_at: datetime | None,
) -> bytes:
    if ending == ".csv":
        from exports.csv import render_csv  # noqa: PLC0415

        return render_csv(scenarios, baseline=baseline)
    from exports.markdown import render_markdown  # noqa: PLC0415

    return render_markdown(scenarios, baseline=baseline, title=title, exported_at=exported_at)
