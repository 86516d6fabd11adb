"""Editing cells: begin, clear, fill, copy and paste, undo and redo."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

from planner.model.fields import FieldValue, InputError
from planner.model.inputs import INPUTS
from planner.store.errors import ConflictError
from planner.tui.actions import action
from planner.tui.book import Edit
from planner.tui.cells import field_text, raw_text
from planner.tui.lines import Heading, Line
from planner.tui.panels.answer import AnswerPanel
from planner.tui.panels.explain import ExplainPanel
from planner.tui.prompts.cell import CellPrompt, NamePrompt
from planner.tui.prompts.conflict import ConflictPrompt, StepConflictPrompt
from planner.tui.prompts.price import PRICED, PricePrompt, price_options
from planner.tui.text import one_line

if TYPE_CHECKING:
    from planner.tui.desk import Desk

RESERVED = {"?", "/", ":"}
MAX_CELLS = 100_000


def begin(desk: Desk, text: str | None, *, caret_mode: bool = False) -> None:
    """Edit the cell under the cursor: from ``text`` that was typed, or from its value."""
    item = desk.item
    if not len(desk.book):
        desk.say("There is no scenario here: ^N makes one.", error=True)
    elif isinstance(item, Heading):
        if text is None or text == " ":
            desk.outline.cycle(item.section)
            desk.refresh_all()
        else:
            desk.say(f"{item.section.title} is a heading: Enter shows and hides its lines.")
    elif item.kind == "verdict":
        desk.panel = AnswerPanel(desk)
    elif item.kind == "result":
        if text is None:
            desk.panel = ExplainPanel(desk, item.name)
        else:
            desk.say(f"{item.label} is computed: change an input, or press F4 to see what it is made of.", error=True)
    elif desk.book.library.read_only:
        desk.say(desk.book.library.read_only_reason, error=True)
    elif item.field is None:
        desk.open(NamePrompt(desk, text, caret_mode=caret_mode))
    else:
        desk.open(CellPrompt(desk, item, item.field, text, caret_mode=caret_mode))


def pick_price(desk: Desk, text: str | None) -> bool:
    """Open the list of prices on an input that has one; False where there is none, or nothing may be changed."""
    line = desk.line
    if line is None or line.field is None or line.name not in PRICED or not len(desk.book):
        return False
    if desk.book.library.read_only:
        return False
    try:
        prices = price_options(desk, line.field)
    except InputError:
        # A device of a file of one's own has no prices: the cell is edited as others are.
        return False
    if prices:
        desk.open(PricePrompt(desk, line, line.field, prices, text))
    return bool(prices)


def type_character(desk: Desk, character: str) -> None:
    """A character typed on a cell replaces its value; a space on a switch turns it."""
    line = desk.line
    if character in RESERVED:
        return
    if character == " " and line is not None and line.field is not None and len(desk.book):
        if line.field.kind == "switch":
            turned = not desk.book.value(desk.column, line.name)
            text = f"{desk.place_name}: {field_text(line.field, turned)}"
            desk.save([(desk.column, line.name, turned)], text)
        else:
            begin(desk, None)
        return
    is_name = character.isalpha() and line is not None and line.field is not None and line.field.is_number
    if not (is_name and pick_price(desk, character)):
        begin(desk, character)


def ask_about_conflict(desk: Desk, edits: Sequence[Edit], error: ConflictError) -> None:
    """Offer mine, theirs and a copy."""
    desk.open(ConflictPrompt(edits, error))


@action("edit", "Edit the cell", "Edits the value with a caret, opens the list of a name, or folds a section.", "Edit",
        "f2", footer="Edit", order=3)  # fmt: skip
def edit(desk: Desk) -> None:
    """F2."""
    begin(desk, None, caret_mode=True)


@action("choose", "Choose from the list", "Opens the list of a name, choice or price; explains a result.", "Edit",
        "enter", "alt+down", listed=False)  # fmt: skip
def choose(desk: Desk) -> None:
    """Enter on a cell."""
    if pick_price(desk, None):
        return
    begin(desk, None, caret_mode=True)
    if isinstance(desk.prompt, CellPrompt) and desk.prompt.choices is not None:
        desk.prompt.buffer.caret_mode = False
        desk.prompt.buffer.replace = True


@action("clear", "Back to the default", "Sets the selected inputs to their defaults and facts to the catalogue's.",
        "Edit", "delete", "backspace", writes=True)  # fmt: skip
def clear(desk: Desk) -> None:
    """Delete."""
    lines = [line for line in desk.selected_lines() if line.field is not None]
    if not lines:
        desk.say("Only inputs and facts have a default; ^Del deletes the scenario.", error=True)
        return
    edits = [(place, line.name, desk.book.default(line)) for place in desk.cursor.block.columns for line in lines]
    if desk.cursor.block.is_one_cell:
        line, default = lines[0], edits[0][2]
        what = "the catalogue's" if line.kind == "fact" else f"default {field_text(INPUTS[line.name], default)}"
        if default is None and line.kind == "input":
            what = f"blank ({INPUTS[line.name].blank})"
        desk.save(edits, f"{desk.place_name}: {what}")
    else:
        desk.save(edits, f"{len(edits)} cells back to their defaults")


def _step(desk: Desk, how: Literal["undo", "redo"], *, force: bool = False) -> None:
    """Undo or redo; when somebody else changed the same since, ask first."""
    try:
        revision = desk.book.undo(force=force) if how == "undo" else desk.book.redo(force=force)
    except ConflictError as error:
        desk.open(StepConflictPrompt(str(error), how, lambda: _step(desk, how, force=True)))
        return
    if revision is None:
        desk.say(f"Nothing to {how}.")
        return
    desk.reloaded()
    place = desk.book.place_of(revision.scenario_id) if revision.scenario_id is not None else None
    if place is not None and revision.scenario_id is not None:
        names = [name for name in revision.after.get(revision.scenario_id, {}) if desk.outline.place(name) is not None]
        row = desk.outline.place(names[0]) if len(names) == 1 else None
        desk.cursor.go(desk.cursor.row if row is None else row, place)
    desk.saved(revision.description)


@action("undo", "Undo", "Takes the last change back, also one of an earlier session.", "Edit", "ctrl+z",
        footer="Undo", order=7, writes=True)  # fmt: skip
def undo(desk: Desk) -> None:
    """^Z."""
    _step(desk, "undo")


@action("redo", "Redo", "Brings back what was undone.", "Edit", "ctrl+y", "ctrl+shift+z", writes=True)
def redo(desk: Desk) -> None:
    """^Y."""
    _step(desk, "redo")


@action("copy", "Copy", "Copies the selected cells, in full precision, to the clipboard.", "Edit", "ctrl+c")
def copy(desk: Desk) -> None:
    """^C."""
    block = desk.cursor.block
    lines = desk.selected_lines()
    if not lines or not len(desk.book):
        desk.say("There is no value to copy here.", error=True)
        return
    desk.clip = [[raw_text(desk.book, place, line) for place in block.columns] for line in lines]
    desk.host.copy("\n".join("\t".join(one_line(cell) for cell in row) for row in desk.clip) + "\n")
    cells = len(lines) * len(block.columns)
    desk.say(f"Copied {cells} cell{'s' if cells > 1 else ''}; ^V pastes here, the terminal's paste elsewhere.")


@action("cut", "Cut", "Copies the selected cells and sets them back to their defaults.", "Edit", "ctrl+x", writes=True)
def cut(desk: Desk) -> None:
    """^X."""
    copy(desk)
    if not desk.message.error:
        clear(desk)


@action("paste", "Paste", "Pastes the copied cells from the cursor on, all or none.", "Edit", "ctrl+v", writes=True)
def paste(desk: Desk) -> None:
    """^V."""
    if not desk.clip:
        desk.say("Nothing was copied here; the terminal's own paste brings text from elsewhere.", error=True)
        return
    paste_cells(desk, desk.clip)


def paste_text(desk: Desk, text: str) -> None:
    """Text that the terminal pasted: one value, or a table with tabs between its columns."""
    rows = [row.split("\t") for row in text.replace("\r\n", "\n").replace("\r", "\n").rstrip("\n").split("\n")]
    if not text.strip():
        return
    paste_cells(desk, rows)


def paste_cells(desk: Desk, rows: Sequence[Sequence[str]]) -> None:
    """Set the cells from the cursor on, downwards line by line; nothing is changed when one is refused."""
    if sum(len(row) for row in rows) > MAX_CELLS:
        raise InputError(f"The paste has more than {MAX_CELLS:,} cells; nothing was changed.")
    block = desk.cursor.block
    if len(rows) == 1 and len(rows[0]) == 1:
        wanted = [(row, place, rows[0][0]) for row, place in block]
    else:
        below = [row for row in range(block.top, len(desk.items)) if isinstance(desk.items[row], Line)]
        wanted = [
            (row, block.left + step, cell)
            for row, texts in zip(below, rows, strict=False)
            for step, cell in enumerate(texts)
            if block.left + step < len(desk.book)
        ]
    edits = [
        _parsed(desk, item, place, text) for row, place, text in wanted if isinstance(item := desk.items[row], Line)
    ]
    if edits and desk.save(edits, f"Pasted {len(edits)} cell{'s' if len(edits) > 1 else ''}"):
        left_out = sum(len(row) for row in rows) - len(edits)
        if left_out > 0:
            desk.say(f"{desk.message.text}; {left_out} did not fit into the sheet")


def _parsed(desk: Desk, item: Line, place: int, text: str) -> Edit:
    if item.field is None:
        raise InputError(f"{item.label} of {desk.scenario_name(place)} cannot be pasted into; nothing was changed.")
    try:
        value: FieldValue = None if item.kind == "fact" and not text.strip() else item.field.parse(text)
    except InputError as error:
        raise InputError(f"{desk.scenario_name(place)}: {error} Nothing was changed.") from error
    return place, item.name, value


@action("fill_right", "Fill right", "Sets the selection to its first column; one cell takes its left neighbour's.",
        "Edit", "ctrl+r", writes=True)  # fmt: skip
def fill_right(desk: Desk) -> None:
    """^R."""
    block = desk.cursor.block
    source = block.left if len(block.columns) > 1 else block.left - 1
    lines = [line for line in desk.selected_lines() if line.field is not None]
    if source < 0 or not lines:
        desk.say("Select inputs in several scenarios: ^R fills them from the first.", error=True)
        return
    targets = [place for place in block.columns if place != source]
    edits = [(place, line.name, desk.book.value(source, line.name)) for place in targets for line in lines]
    desk.save(edits, f"Filled {len(edits)} cell{'s' if len(edits) > 1 else ''} from {desk.scenario_name(source)}")


@action("fill_down", "Fill down", "Sets the selected lines to the value of the first, where they take it.",
        "Edit", "ctrl+d", writes=True)  # fmt: skip
def fill_down(desk: Desk) -> None:
    """^D."""
    block = desk.cursor.block
    lines = desk.selected_lines()
    if len(lines) < 2:
        desk.say("Select several lines: ^D fills them from the first.", error=True)
        return
    first, *rest = lines
    edits = [_parsed(desk, line, place, raw_text(desk.book, place, first)) for place in block.columns for line in rest]
    desk.save(edits, f"Filled {len(edits)} cells from {first.label}")
