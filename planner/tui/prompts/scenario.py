"""Naming: a new scenario, a snapshot; and a scenario's notes."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from planner.tui.prompts.prompt import Prompt

if TYPE_CHECKING:
    from planner.tui.desk import Desk


class NamingPrompt(Prompt):
    """A text that one call of the library takes; ``accept`` may refuse it with InputError or StoreError."""

    def __init__(self, title: str, verb: str, text: str, accept: Callable[[str], None]) -> None:
        super().__init__(text)
        self.title = title
        self.verb = verb
        self.accept = accept
        self.buffer.replace = True

    def submit(self, desk: Desk) -> None:
        """Hand the text over; what is refused is said and the text stays."""
        desk.say("")
        with desk.sentences():
            self.accept(self.buffer.text)
            if desk.prompt is self:
                desk.close()

    def edited(self, desk: Desk) -> None:
        """The last refusal no longer holds."""
        desk.say("")
