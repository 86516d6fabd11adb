"""Files: export, quit."""

from __future__ import annotations

from typing import TYPE_CHECKING

from planner.tui.actions import action
from planner.tui.prompts.export import ExportPrompt

if TYPE_CHECKING:
    from planner.tui.desk import Desk


@action("export", "Export", "Writes a workbook with live formulas, or CSV, Markdown or JSON.", "File", "ctrl+e",
        footer="Export", order=10)  # fmt: skip
def export(desk: Desk) -> None:
    """^E: the selected scenarios, or all."""
    if not len(desk.book):
        desk.say("There is no scenario to export: ^N makes one.", error=True)
        return
    columns = desk.cursor.block.columns
    desk.open(ExportPrompt(desk, list(columns if len(columns) > 1 else range(len(desk.book)))))


@action("quit", "Quit", "Leaves; everything is saved already.", "File", "ctrl+q", footer="Quit", order=12)
def leave(desk: Desk) -> None:
    """^Q."""
    desk.host.leave()
