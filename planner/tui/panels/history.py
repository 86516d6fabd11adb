"""The history of the workspace: every action, last first; following one puts everything back to right after it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from planner.store import Revision
from planner.tui.panels.panel import Panel, PanelLine, text_line
from planner.tui.text import fit, one_line

if TYPE_CHECKING:
    from planner.tui.desk import Desk

MOST = 500


class HistoryPanel(Panel):
    """The last actions with when and who."""

    def __init__(self, desk: Desk) -> None:
        super().__init__()
        self.workspace = one_line(desk.book.workspace)
        self.revisions: list[Revision] = desk.book.library.history(limit=MOST)

    def heading(self) -> str:
        """What its border says."""
        return f"History of {self.workspace}"

    def hints(self) -> tuple[tuple[str, str], ...]:
        """Its keys for the bar of keys."""
        return (("↑↓", "Choose"), ("Enter", "Put everything back to right after it"), ("Esc", "Close"))

    def build(self, width: int) -> Sequence[PanelLine]:
        """The page."""
        lines = [self._line(revision, width) for revision in self.revisions]
        return lines or [text_line("Nothing has been changed yet.", "muted")]

    def _line(self, revision: Revision, cells: int) -> PanelLine:
        when = f"{revision.at.astimezone():%Y-%m-%d %H:%M}"
        who = fit(one_line(revision.who), 10)
        text = revision.description + (f" ({revision.why})" if revision.why else "")
        return PanelLine(
            ((f"{when}  ", "muted"), (f"{who}  ", "name"), (fit(one_line(text), max(8, cells - 30)), "plain")),
            str(revision.id),
        )

    def follow(self, desk: Desk, target: str) -> None:
        """Put the scenarios back to what they were right after that action."""
        if desk.book.library.read_only:
            desk.say(desk.book.library.read_only_reason, error=True)
            return
        with desk.sentences():
            revision = desk.book.library.restore(int(target))
            desk.close()
            desk.book.reload()
            desk.reloaded()
            desk.saved(f"{revision.description}; ^Z takes it back")
