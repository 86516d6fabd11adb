"""The program on the screen: it hands keys to the desk and paints what the desk says."""

from __future__ import annotations

import asyncio
import signal
import sys
import traceback
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from textual import events, work
from textual.app import App, ComposeResult
from textual.driver import Driver
from textual.screen import Screen
from textual.timer import Timer
from textual.worker import get_current_worker

from catalog import Catalog
from planner.tui.bars import Bar, KeyBar, formula_pieces, message_pieces
from planner.tui.book import Book
from planner.tui.clipboard import hand_over
from planner.tui.desk import Desk
from planner.tui.exporting import Job, Stopped, write
from planner.tui.grid import ScenarioGrid
from planner.tui.remembered import MAX_PINS, NAME, Remembered, load, save
from planner.tui.text import one_line

if TYPE_CHECKING:
    from planner.analysis.moved import Comparison
    from planner.store import Library, Stored, Witness

CRASHED = 70
SIGNALLED = 128
PATIENCE = 0.5
"""Seconds for which the screen may stand still because somebody else has the library locked."""
OTHERS_EVERY = 2.0
EXPORT_TICK = 1.0
SETTLE_EVERY, SETTLE_FOR = 0.1, 0.03
"""Seconds between looks at scenarios that nobody has scrolled to yet, and for how long each lasts."""


class DeskScreen(Screen[None]):
    """The one screen. Nothing on it takes the focus, so every key comes here, in order."""

    AUTO_FOCUS = ""

    def __init__(self, desk: Desk) -> None:
        super().__init__()
        self.desk = desk
        self.grid = ScenarioGrid(desk)
        self.formula = Bar("formula", lambda cells: formula_pieces(desk, cells))
        self.message = Bar("message", lambda cells: message_pieces(desk, cells))
        self.keys = KeyBar("keys", desk, self.sync)

    def compose(self) -> ComposeResult:
        """The bars and the grid."""
        yield self.formula
        yield self.grid
        yield self.message
        yield self.keys

    def sync(self) -> None:
        """Paint what changed on the desk."""
        self.grid.sync()
        for bar in (self.formula, self.message, self.keys):
            bar.sync()

    def on_key(self, event: events.Key) -> None:
        """Every key."""
        event.stop()
        event.prevent_default()
        self.desk.press(event.key, event.character)
        self.sync()

    def on_paste(self, event: events.Paste) -> None:
        """What the terminal pasted."""
        event.stop()
        self.desk.paste(event.text)
        self.sync()


class PlannerApp(App[None], inherit_bindings=False):
    """The planner's screen over one library.

    Textual's own bindings are left out: some of them would act before keys that were typed earlier.
    """

    TITLE = "planner"
    CSS_PATH = "planner.tcss"
    ENABLE_COMMAND_PALETTE = False
    ALLOW_SELECT = False
    ESCAPE_TO_MINIMIZE = False
    BINDINGS = []  # noqa: RUF012

    def __init__(self, library: Library, catalog: Catalog, *, theme: str = "", memory: Path | None = None) -> None:
        super().__init__()
        self.library = library
        self.memory = memory
        self.notice = ""
        self.remembered, self._forgot = load(memory) if memory is not None else (Remembered(), "")
        self.desk = Desk(Book(library, catalog), self)
        self.desk.pins = list(self.remembered.pins)
        self.desk.outline.folds.update(self.remembered.folds)
        self.desk.outline.rebuild()
        self.desk.resize()
        self.desk_screen = DeskScreen(self.desk)
        self.crash: BaseException | None = None
        self._ticking: Timer | None = None
        self._share = 0.0
        self.animation_level = "none"
        self.chosen_theme = self.remembered.theme
        for name in (theme, self.remembered.theme):
            if name in self.available_themes:
                self.theme = name
                break

    def get_driver_class(self) -> type[Driver]:
        """Textual's driver for this platform, or ours in its place where it is the one for Linux and macOS."""
        found = super().get_driver_class()
        if sys.platform == "win32":
            return found
        from textual.drivers.linux_driver import LinuxDriver

        from planner.tui.terminal import PatientDriver

        return PatientDriver if found is LinuxDriver else found

    def get_default_screen(self) -> DeskScreen:
        """The one screen."""
        return self.desk_screen

    def on_mount(self) -> None:
        """Say what a person must know before typing; watch for what others change."""
        if self.library.read_only:
            self.desk.say(self.library.read_only_reason, error=True)
        elif self.library.warnings:
            self.desk.say(self.library.warnings[0], error=True)
        elif self.notice or self._forgot:
            self.desk.say(self.notice or self._forgot, error=True)
        self.desk.look_for_moves()
        self.set_interval(OTHERS_EVERY, self.look_for_others)
        self.set_interval(OTHERS_EVERY, self.keep_watch)
        self.call_after_refresh(self.settle)
        self.set_interval(SETTLE_EVERY, self.settle)
        # A terminal that comes back after Ctrl+Z shows nothing of what was painted before.
        self.app_resume_signal.subscribe(self, lambda _: self.redraw())

    @work(thread=True, exclusive=True, exit_on_error=False, group="others")
    def look_for_others(self) -> None:
        """See whether somebody else saved something; a database that is locked meanwhile holds nobody up."""
        if self.desk.book.changed_by_others():
            self.call_later(self._show_others)

    def _show_others(self) -> None:
        """Show what somebody else saved, unless something is being typed."""
        if self.desk.look_for_others():
            self.desk_screen.sync()

    def settle(self) -> None:
        """Evaluate scenarios that are out of sight, a few at a time: the verdicts compare them too."""
        if self.desk.settle(SETTLE_FOR):
            self.desk_screen.sync()

    def keep_watch(self) -> None:
        """Keep the results of scenarios that changed as what was seen of them, and how the screen is set."""
        self.remember()
        desk = self.desk
        desk.put_away()
        due, ready = desk.watch.due(), desk.watch.ready()
        if due or ready:
            self._watch_in_background(desk.book.workspace, due, ready)

    def remember(self) -> None:
        """Keep colours, pins and folds for the next start."""
        outline = self.desk.outline
        folds = {key: fold for key, fold in outline.folds.items() if key not in outline.revealed}
        now = Remembered(self.chosen_theme, tuple(self.desk.pins[:MAX_PINS]), folds)
        if self.memory is not None and now != self.remembered:
            save(self.memory, now)
            self.remembered = now

    @work(thread=True, exclusive=True, exit_on_error=False, group="watch")
    def _watch_in_background(self, workspace: str, due: Sequence[Stored], ready: Sequence[Witness]) -> None:
        watch = self.desk.watch
        found = watch.look(due)
        kept = self.library.note_seen(ready)
        self.call_later(self._watched, workspace, found, due, ready if kept else ())

    def _watched(self, workspace: str, found: Comparison, due: Sequence[Stored], kept: Sequence[Witness]) -> None:
        self.desk.watch.kept(kept)
        if workspace == self.desk.book.workspace and self.desk.watch.take(found, due):
            self.desk.list_moves()
            self.desk_screen.sync()

    # ---- what the desk asks for

    def leave(self) -> None:
        """Quit: everything is saved."""
        self.exit(return_code=0)

    def copy(self, text: str) -> None:
        """Offer ``text`` to the system's clipboard: the platform's program, else the terminal."""
        self._copy_in_background(text)

    @work(thread=True, exclusive=True, exit_on_error=False, group="clipboard")
    def _copy_in_background(self, text: str) -> None:
        if not hand_over(text):
            self.call_later(self.copy_to_clipboard, text)

    def themes(self) -> Sequence[str]:
        """The names of the colour themes."""
        return sorted(self.available_themes)

    @property
    def theme_name(self) -> str:
        """The colour theme that is on."""
        return self.theme

    def use_theme(self, name: str) -> None:
        """Paint in the colours called ``name``."""
        self.theme = self.chosen_theme = name

    def redraw(self) -> None:
        """Paint the whole terminal again."""
        self.refresh(layout=True)

    def export(self, job: Job) -> None:
        """Write a file in the background; the message line tells how far it is."""
        self._share = 0.0

        def tick() -> None:
            self.desk.say(f"Writing {one_line(str(job.path))} … {self._share:.0%}  Esc stops")
            self.desk_screen.sync()

        if self._ticking is not None:
            self._ticking.stop()
        self._ticking = self.set_interval(EXPORT_TICK, tick)
        self._export_in_background(job)

    def stop_export(self) -> bool:
        """Give up the file that is being written."""
        return self._ticking is not None and bool(self.workers.cancel_group(self, "export"))

    @work(thread=True, exclusive=True, exit_on_error=False, group="export")
    def _export_in_background(self, job: Job) -> None:
        from exports.files import ExportError

        worker = get_current_worker()

        def go_on(share: float) -> None:
            self._share = share
            if worker.is_cancelled:
                raise Stopped

        try:
            said = write(job, go_on)
        except ExportError as error:
            self.call_later(self._exported, str(error), True)
        except Stopped:
            self.call_later(self._exported, f"Stopped; {one_line(str(job.path))} was not written.", False)
        else:
            self.call_later(self._exported, said, False)

    def _exported(self, text: str, error: bool) -> None:
        if self._ticking is not None:
            self._ticking.stop()
            self._ticking = None
        self.desk.say(one_line(text), error=error)
        self.desk_screen.sync()

    # ---- ends

    def _handle_exception(self, error: Exception) -> None:
        """A fault of the program itself: leave the screen, and let run() tell where the report is."""
        if self.crash is None:
            self.crash = self._exception = error
            self._exception_event.set()
        self.exit(return_code=CRASHED)

    def stop_for(self, number: int) -> None:
        """A signal asks the program to end: what was saved is saved."""
        self.exit(return_code=SIGNALLED + number)


def run(library: Library, catalog: Catalog | None = None, *, theme: str = "", crash_log: Path | None = None) -> int:
    """Open the screen on ``library``; the exit code: 0, 70 after a fault of the program, 128 + n after signal n.

    A fault's report goes to ``crash_log``, and where that is goes to standard error; colours, pins and folds are kept
    beside it.
    """
    from catalog import load_catalog

    library.be_impatient(PATIENCE)
    from planner.tui import keymap

    memory = crash_log.with_name(NAME) if crash_log is not None else None
    app = PlannerApp(library, catalog if catalog is not None else load_catalog(), theme=theme, memory=memory)
    app.notice = keymap.use(keymap.path())
    _listen(app)
    app.run()
    app.remember()
    if app.crash is None:
        app.desk.put_away()
        app.desk.watch.finish()
    if app.crash is not None:
        _report(app.crash, crash_log)
    return app.return_code or 0


def _listen(app: PlannerApp) -> None:
    """Let the signals that end a program end it in order, with the terminal as it was."""

    if sys.platform == "win32":
        return

    def install() -> None:
        loop = asyncio.get_running_loop()
        for name in ("SIGTERM", "SIGHUP", "SIGINT", "SIGQUIT"):
            number = getattr(signal, name, None)
            if number is not None:
                loop.add_signal_handler(number, app.stop_for, int(number))

    app.call_later(install)


def _report(error: BaseException, crash_log: Path | None) -> None:
    """Write the fault's report and say where it is."""
    from planner.store import reports
    from planner.store.redaction import redact

    kept = crash_log is not None and reports.append(crash_log, error)
    where = f" The report is in {crash_log}." if kept else ""
    first = one_line(redact(traceback.format_exception_only(error)[-1].strip()))
    sys.stderr.write(f"The screen ended by a fault of the program: {first}. Your edits are saved.{where}\n")
