"""Writing the scenarios to a file: where to, and whether to write over a file that is there."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from catalog.files import from_home
from planner.tui.choices import Choices, Option
from planner.tui.exporting import gather
from planner.tui.prompts.prompt import Prompt
from planner.tui.text import one_line

if TYPE_CHECKING:
    from planner.tui.desk import Desk

ENDINGS = {
    ".xlsx": "workbook with live formulas",
    ".csv": "values for a spreadsheet",
    ".md": "table for a document",
    ".json": "every value, for scripts",
}


# Windows takes a file of one of these names, whatever its ending, for a device.
_DEVICES = frozenset(
    ("con", "prn", "aux", "nul", *(f"{device}{number}" for device in ("com", "lpt") for number in range(10)))
)


def slug(name: str) -> str:
    """``name`` as the stem of a file's name: at most 80 small letters, digits and hyphens."""
    kept = "".join(character if character.isalnum() and character.isascii() else "-" for character in name)
    stem = "-".join(part for part in kept.split("-") if part)[:80].strip("-").lower() or "scenarios"
    return f"{stem}-plan" if stem in _DEVICES else stem


class ExportPrompt(Prompt):
    """The path of the file; its ending says what is written."""

    title = "Export to"
    verb = "Write"

    def __init__(self, desk: Desk, places: list[int]) -> None:
        self.places = places
        stem = slug(desk.book.library.workspace.name)
        self.offers = Choices([])
        super().__init__(f"{stem}.xlsx")
        self.choices = self.offers
        self._offer(self.buffer.text)

    def opened(self, desk: Desk) -> None:
        """Say what will be written."""
        what = "all scenarios" if len(self.places) == len(desk.book) else ""
        names = ", ".join(desk.scenario_name(place) for place in self.places)
        desk.say(f"Writes {what or names} into {one_line(str(Path.cwd()))}, or wherever the path leads.")

    def edited(self, desk: Desk) -> None:  # noqa: ARG002 - as the base has it
        """Offer the endings for the stem that was typed, and folders on the way."""
        self.touched = False
        self._offer(self.buffer.text)

    def _offer(self, text: str) -> None:
        suffix = Path(text).suffix.lower()
        whole = suffix in ENDINGS
        meant = [ending for ending in ENDINGS if suffix and ending.startswith(suffix)]
        stem = text[: len(text) - len(suffix)] if meant else text
        endings = ENDINGS if whole else meant or ENDINGS
        options = [Option(f"{stem}{ending}", ENDINGS[ending]) for ending in endings] if stem else []
        self.offers.options = (*options, *_folders(text))
        self.offers.narrow("")
        if whole and options:
            self.offers.index = list(ENDINGS).index(suffix)

    def submit(self, desk: Desk) -> None:
        """Write, unless a file is there already or the ending says nothing."""
        try:
            self._submit(desk)
        except OSError as error:
            desk.say(f"That cannot be written: {error.strerror or error}.", error=True)

    def _submit(self, desk: Desk) -> None:
        if self.touched and self.option is not None:
            self.buffer.set(self.option.text)
        text = self.buffer.text.strip()
        path = from_home(text)
        if not text:
            desk.say("Give the path of a file, such as plan.xlsx.", error=True)
        elif text.endswith(("/", "\\")) or path.is_dir():
            desk.say(f"{one_line(text)} is a folder: give the name of a file in it.", error=True)
        elif path.suffix.lower() not in ENDINGS:
            desk.say(f"'{one_line(path.name)}' must end in {', '.join(ENDINGS)}.", error=True)
        elif not path.absolute().parent.is_dir():
            desk.say(f"There is no folder {one_line(str(path.absolute().parent))}.", error=True)
        elif path.exists():
            desk.open(ReplacePrompt(self, path))
        else:
            self.write(desk, path, replace=False)

    def write(self, desk: Desk, path: Path, *, replace: bool) -> None:
        """Hand the work to the background."""
        with desk.sentences():
            job = gather(desk.book, path, self.places, replace=replace)
            desk.close()
            desk.say(f"Writing {one_line(str(path))} …")
            desk.host.export(job)


class ReplacePrompt(Prompt):
    """Whether to write over a file."""

    verb = "No"

    def __init__(self, export: ExportPrompt, path: Path) -> None:
        super().__init__()
        self.export = export
        self.path = path
        self.title = "There is such a file: replace it? (y/n)"

    def hints(self) -> tuple[tuple[str, str], ...]:
        """Its keys for the bar of keys."""
        return (("Y", "Replace"), ("N", "Another name"), ("Esc", "Another name"))

    def press(self, desk: Desk, key: str, character: str | None) -> None:
        """Only y replaces."""
        if character in ("y", "Y"):
            self.export.write(desk, self.path, replace=True)
        elif key in ("escape", "enter") or character in ("n", "N"):
            desk.open(self.export)

    def submit(self, desk: Desk) -> None:
        """Enter does not replace."""
        desk.open(self.export)

    def paste(self, desk: Desk, text: str) -> None:
        """A paste answers nothing."""


def _folders(text: str) -> list[Option]:
    """Folders that the path being typed may lead into."""
    head, slash, tail = text.rpartition("/")
    if not slash:
        return []
    try:
        inside = sorted(from_home(head or "/").iterdir())[:500]
        names = [path.name for path in inside if path.name.startswith(tail or "") and path.is_dir()]
    except OSError:
        return []
    return [Option(f"{head}/{name}/", "folder") for name in names if not name.startswith(".")][:50]
