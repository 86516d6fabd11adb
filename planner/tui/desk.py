"""The state of the screen and what a key does to it: one state machine, no widget.

Keys reach ``press`` one after another in the order in which they were typed, whatever is open: the grid, a prompt or a
panel. Nothing waits for a widget to be mounted or focused, so that no burst of keys is lost or reordered.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from types import TracebackType
from typing import Protocol

from planner.model.fields import InputError
from planner.store import StoreError
from planner.store.errors import ConflictError
from planner.tui import commands
from planner.tui.actions import KEYS, Action
from planner.tui.book import Book, Edit
from planner.tui.cells import View
from planner.tui.cursor import Cursor
from planner.tui.exporting import Job
from planner.tui.lines import NAME_LINE, Heading, Item, Line, Outline
from planner.tui.panels.moved import MovedPanel
from planner.tui.panels.panel import Panel
from planner.tui.prompts.prompt import Prompt
from planner.tui.text import one_line
from planner.tui.watch import Watch

FIRST_ROW = 2
SETTLE_FIRST = 10
"""Scenarios that are evaluated before the first paint; verdicts compare costs when all are."""


class Host(Protocol):
    """What the desk asks of the program around it."""

    def leave(self) -> None:
        """Quit."""

    def copy(self, text: str) -> None:
        """Offer ``text`` to the system's clipboard."""

    def themes(self) -> Sequence[str]:
        """The names of the colour themes."""

    @property
    def theme_name(self) -> str:
        """The colour theme that is on."""

    def use_theme(self, name: str) -> None:
        """Paint in the colours called ``name``."""

    def export(self, job: Job) -> None:
        """Write a file in the background; the desk's message says how it ended."""

    def stop_export(self) -> bool:
        """Give up the file that is being written; False where none is."""

    def redraw(self) -> None:
        """Paint the whole terminal again."""


@dataclass(slots=True)
class Message:
    """What the line above the keys says."""

    text: str = ""
    error: bool = False


@dataclass(slots=True)
class Stale:
    """What has to be painted again besides the cursor."""

    everything: bool = True
    columns: set[int] = field(default_factory=set)


class Desk:
    """Everything that is open on the screen.

    ``page`` is how many lines and columns the grid shows, ``cells`` the width of the screen; the grid keeps both up to
    date.
    """

    def __init__(self, book: Book, host: Host, *, clock: Callable[[], datetime] | None = None) -> None:
        self.book = book
        self.host = host
        self.clock = clock or (lambda: datetime.now().astimezone())
        self.outline = Outline()
        self.outline.use(book.in_use())
        self.cursor = Cursor()
        self.view: View = "off"
        self.prompt: Prompt | None = None
        self.panel: Panel | None = None
        self.message = Message()
        self.saved_at = ""
        self.page = (10, 4)
        self.cells = 80
        self.clip: list[list[str]] = []
        self.sought = ""
        self.pins: list[str] = []
        self.stale = Stale()
        self.watch = Watch(book)
        self.book.settle(0, least=SETTLE_FIRST)
        self.resize()
        self.cursor.go(FIRST_ROW, 0)

    # ---- what is where

    @property
    def items(self) -> list[Item]:
        """The visible items, the header first."""
        return self.outline.items

    @property
    def item(self) -> Item:
        """The item under the cursor."""
        return self.outline.items[self.cursor.row]

    @property
    def line(self) -> Line | None:
        """The line under the cursor; None on a heading."""
        item = self.item
        return item if isinstance(item, Line) else None

    @property
    def column(self) -> int:
        """The column under the cursor."""
        return self.cursor.column

    @property
    def place_name(self) -> str:
        """Scenario and line under the cursor, as messages name a cell."""
        label = self.item.section.title if isinstance(self.item, Heading) else self.item.label
        return f"{self.scenario_name()} ▸ {label}" if len(self.book) else label

    def scenario_name(self, place: int | None = None) -> str:
        """The name of the scenario at ``place``, or of the one under the cursor."""
        at = self.column if place is None else place
        return one_line(self.book.columns[at].name) if at < len(self.book) else ""

    def selected_lines(self) -> list[Line]:
        """The lines of the selection; none where there is no scenario."""
        if not len(self.book):
            return []
        return [item for row in self.cursor.block.rows if isinstance(item := self.items[row], Line)]

    def resize(self) -> None:
        """Fit the cursor to the lines and columns that there are."""
        self.cursor.resize(len(self.items), len(self.book))

    def go_to(self, name: str, place: int | None = None) -> None:
        """Put the cursor on the line called ``name``, unfolding its section where it must."""
        row = self.outline.reveal(name)
        self.resize()
        self.cursor.go(row, self.column if place is None else place)
        self.stale.everything = True

    # ---- saying

    def say(self, text: str, *, error: bool = False) -> None:
        """Show a message."""
        self.message = Message(one_line(text), error)

    def saved(self, text: str) -> None:
        """Say what was saved just now, and when."""
        self.saved_at = f"{self.clock():%H:%M:%S}"
        self.say(text)

    def sentences(self) -> Sentences:
        """What the model or the library refuses within it is said; nothing else happens."""
        return Sentences(self)

    # ---- doing

    def press(self, key: str, character: str | None = None) -> None:
        """Act on a key; ``character`` is what it types, None for none."""
        if character is not None and (not character.isprintable() or len(character) != 1):
            character = None
        if self.prompt is not None:
            self.prompt.press(self, key, character)
        elif self.panel is not None:
            self.panel.press(self, key)
        else:
            self._press_ready(key, character)

    def _press_ready(self, key: str, character: str | None) -> None:
        found = KEYS.get(key)
        self.message = Message()
        if found is not None:
            self.run(found)
        elif character is not None:
            commands.type_character(self, character)

    def run(self, found: Action) -> None:
        """Run a command; a read-only library refuses those that write."""
        if found.writes and self.book.library.read_only:
            self.say(f"{found.label}: {self.book.library.read_only_reason}", error=True)
            return
        with self.sentences():
            found.run(self)

    def point(self, row: int, column: int | None, *, select: bool = False) -> None:
        """A cell was clicked: what is being edited is saved, and the cursor goes there unless that was refused."""
        if self.panel is not None:
            self.close()
            return
        if self.prompt is not None:
            if self.prompt.place == "cell" and not self.prompt.commit(self):
                return
            self.close()
        self.resize()
        self.cursor.go(row, self.column if column is None else column, select=select)

    def paste(self, text: str) -> None:
        """Act on text that the terminal pasted."""
        if self.prompt is not None:
            self.prompt.paste(self, text)
        elif self.panel is None:
            self.message = Message()
            with self.sentences():
                commands.paste_text(self, text)

    def open(self, prompt: Prompt) -> None:
        """Open a prompt."""
        self.prompt = prompt
        prompt.opened(self)

    def close(self) -> None:
        """Close the prompt or the panel."""
        self.prompt = None
        self.panel = None

    # ---- changing

    def save(self, edits: Sequence[Edit], text: str, *, why: str = "", force: bool = False) -> bool:
        """Save ``edits`` as one action and say ``text``; False when it was refused, and why is said.

        A change that somebody else made to the same field meanwhile opens a choice between the two.
        """
        if self.book.library.read_only:
            self.say(self.book.library.read_only_reason, error=True)
            return False
        verdicts = self.book.known_verdicts()
        try:
            changed = self.book.edit(edits, why=why, force=force)
        except ConflictError as error:
            commands.ask_about_conflict(self, edits, error)
            return False
        except (InputError, StoreError) as error:
            self.say(str(error), error=True)
            return False
        if changed:
            self.outline.use(name for _, name, _ in edits if name != NAME_LINE.name)
            self.refresh_columns(changed)
            if verdicts != self.book.known_verdicts():
                self.stale.everything = True
            self.saved(text)
        else:
            self.say(f"{text}: nothing changed")
        return True

    def refresh_columns(self, places: Sequence[int]) -> None:
        """Paint these columns again; the baseline's change touches every column."""
        self.resize()
        if self.book.baseline in places or self.outline.only is not None:
            self.refresh_all()
        self.stale.columns.update(places)

    def refresh_all(self) -> None:
        """Paint everything again."""
        if self.outline.only is not None:
            self.outline.rebuild()
        self.resize()
        self.stale.everything = True

    def reloaded(self, place: int | None = None) -> None:
        """The book was read again: show it, with the cursor in column ``place``."""
        self.outline.use(self.book.in_use())
        self.book.settle(0, least=SETTLE_FIRST)
        self.refresh_all()
        if place is not None:
            self.cursor.go(self.cursor.row, place)

    def settle(self, seconds: float) -> bool:
        """Evaluate scenarios that were not looked at yet; whether all are now, so that verdicts compare costs."""
        found = self.book.settle(seconds)
        self.stale.everything |= found
        return found

    def look_for_others(self) -> bool:
        """Read the scenarios again if somebody else saved something and nothing is open; whether so."""
        if self.prompt is not None or self.panel is not None or not self.book.changed_by_others():
            return False
        with self.sentences():
            self.book.reload()
            self.reloaded()
            self.say("Read again: somebody else changed scenarios.")
        return True

    # ---- what moved

    def look_for_moves(self) -> None:
        """A workspace was opened: list the results that moved since it was opened last."""
        with self.sentences():
            if self.watch.open():
                self.list_moves()

    def list_moves(self) -> None:
        """List the results that moved; where something else is open, only say so."""
        if self.prompt is None and self.panel is None:
            self.panel = MovedPanel(self)
        else:
            self.say(f"Results moved: {self.watch.versions}; the command 'Results that moved' lists them.", error=True)

    def put_away(self) -> None:
        """Note that what moved was seen once its list is closed."""
        if not isinstance(self.panel, MovedPanel):
            self.watch.release()

    def take_stale(self) -> Stale:
        """What has to be painted again since the last call."""
        stale, self.stale = self.stale, Stale(everything=False)
        return stale


class Sentences:
    """A context in which InputError and StoreError become the desk's message."""

    def __init__(self, desk: Desk) -> None:
        self.desk = desk

    def __enter__(self) -> None:
        return None

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool:
        if not isinstance(error, (InputError, StoreError)):
            return False
        self.desk.say(str(error), error=True)
        return True
