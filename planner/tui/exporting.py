"""Writing scenarios to a file by the ending of its name. The formats are imported when one is written."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from planner.model.evaluation import Evaluated


def write(path: Path, scenarios: Sequence[Evaluated], baseline: int, *, replace: bool) -> str:
    """Write ``scenarios`` to ``path``; what to say about it. Raises ExportError; an older file is then unchanged."""
    from exports.workbook import write_workbook

    write_workbook(path, scenarios, baseline=baseline, force=replace)
    return f"Wrote {len(scenarios)} scenarios to {path}"
