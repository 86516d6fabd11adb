"""Choosing: a command, a colour theme, a workspace."""

from __future__ import annotations

from typing import TYPE_CHECKING

from planner.tui.actions import ACTIONS, GROUPS, key_name
from planner.tui.choices import Option
from planner.tui.prompts.prompt import Prompt
from planner.tui.text import one_line

if TYPE_CHECKING:
    from planner.tui.desk import Desk

WIDE = 110


class PalettePrompt(Prompt):
    """Every command by its name, with its keys and a line of help."""

    title = "Command"
    verb = "Run"

    def __init__(self) -> None:
        commands = sorted(
            (found for found in ACTIONS.values() if found.listed), key=lambda found: GROUPS.index(found.group)
        )
        super().__init__(
            "",
            [
                Option(found.label, found.help, key_name(found.keys[0]) if found.keys else "", found.name)
                for found in commands
            ],
        )

    def opened(self, desk: Desk) -> None:
        """Say what the highlighted command does."""
        self.moved(desk)

    def edited(self, desk: Desk) -> None:
        """Narrow the list."""
        super().edited(desk)
        self.moved(desk)

    def moved(self, desk: Desk) -> None:
        """Say what the highlighted command does, where the list has no room for all of it."""
        desk.say(self.option.detail if self.option is not None and desk.cells < WIDE else "")

    def submit(self, desk: Desk) -> None:
        """Run the highlighted command."""
        option = self.option
        if option is None:
            desk.say(f"No command is called '{self.buffer.text}'.", error=True)
            return
        desk.close()
        desk.say("")
        desk.run(ACTIONS[str(option.value)])


class ThemePrompt(Prompt):
    """The colours, seen while they are chosen."""

    title = "Colours"
    verb = "Use"

    def __init__(self, desk: Desk) -> None:
        self.before = desk.host.theme_name
        super().__init__("", [Option(name) for name in desk.host.themes()], current=self.before)

    def moved(self, desk: Desk) -> None:
        """Show the highlighted colours."""
        if self.option is not None:
            desk.host.use_theme(self.option.text)

    def edited(self, desk: Desk) -> None:
        """Narrow the list and show the first of it."""
        super().edited(desk)
        self.moved(desk)

    def submit(self, desk: Desk) -> None:
        """Keep them."""
        self.moved(desk)
        desk.close()
        desk.say(f"Colours: {desk.host.theme_name}")

    def cancel(self, desk: Desk) -> None:
        """Take the colours from before."""
        desk.host.use_theme(self.before)
        desk.close()
        desk.say("")


def open_workspace(desk: Desk, name: str) -> None:
    """Go to the workspace called ``name``. Raises StoreError."""
    desk.book.library.use_workspace(name)
    desk.close()
    desk.book.reload()
    desk.outline.in_use.clear()
    desk.reloaded(0)
    desk.say(f"Workspace {one_line(name)}")
    desk.look_for_moves()


class WorkspacePrompt(Prompt):
    """The workspaces of the library; a name that matches none makes a new one."""

    title = "Workspace"
    verb = "Open"

    def __init__(self, desk: Desk) -> None:
        options = [
            Option(one_line(workspace.name), f"{workspace.scenarios} scenarios", value=workspace.name)
            for workspace in desk.book.library.workspaces()
        ]
        super().__init__("", options, current=one_line(desk.book.library.workspace.name))

    def opened(self, desk: Desk) -> None:
        """Say what can be done."""
        desk.say("A name that matches none of the list makes a new workspace.")

    def submit(self, desk: Desk) -> None:
        """Open the highlighted workspace, or make one of the name that was typed."""
        library, typed = desk.book.library, self.buffer.text.strip()
        option = self.option
        with desk.sentences():
            known = {workspace.name.casefold(): workspace.name for workspace in library.workspaces()}
            name = known.get(typed.casefold(), "") or (str(option.value) if option is not None else "")
            if not name and typed:
                name = library.create_workspace(typed).name
            if name:
                open_workspace(desk, name)
