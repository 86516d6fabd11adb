"""Editing a cell in place, and a scenario's name in the header."""

from __future__ import annotations

from typing import TYPE_CHECKING

from planner.model.fields import Field, FieldValue, InputError
from planner.tui.cells import field_text
from planner.tui.choices import Option, plain
from planner.tui.editing import Buffer
from planner.tui.lines import Line
from planner.tui.names import leads_to_file, name_options
from planner.tui.prompts.prompt import Place, Prompt
from planner.tui.text import one_line

if TYPE_CHECKING:
    from planner.tui.desk import Desk

NONE = "(none)"


def options_of(desk: Desk, field: Field) -> list[Option] | None:
    """What may be chosen for ``field``; None where it is a number."""
    if field.kind == "choice":
        found = [Option(choice, value=choice) for choice in field.choices]
    elif field.kind == "switch":
        found = [Option("yes", value=True), Option("no", value=False)]
    elif field.kind == "name":
        found = name_options(field.name, desk.book.catalog)
        if not found:
            return None
    else:
        return None
    return [Option(NONE, field.blank), *found] if field.optional else found


class CellPrompt(Prompt):
    """An input or fact being edited.

    ``text`` is what was typed to begin with, which replaces the value; None begins with the value itself, and the
    list of a name or choice then stands open with the value highlighted.
    """

    place: Place = "cell"

    def __init__(self, desk: Desk, line: Line, field: Field, text: str | None, *, caret_mode: bool = False) -> None:
        self.line = line
        self.field = field
        self.title = line.label
        self.column = desk.column
        self.error = ""
        self._unclear = False
        value = self._value(desk)
        shown = self.field.edit_text(value)
        super().__init__("", self.options(desk), current=shown or NONE)
        self.buffer = Buffer(shown, caret_mode=caret_mode, replace=self.choices is not None and not caret_mode)
        if text is not None:
            self.buffer = Buffer("")
            self.buffer.insert(text)
            self.edited(desk)

    def options(self, desk: Desk) -> list[Option] | None:
        """What may be chosen; None where there is no list."""
        return options_of(desk, self.field)

    def hints(self) -> tuple[tuple[str, str], ...]:
        """Its keys for the bar of keys."""
        first = [("↑↓", "Choose")] if self.choices is not None else []
        arrows = [] if self.buffer.caret_mode or self.choices is not None else [("←→↑↓", "Accept, move")]
        return (*first, ("Enter", "Accept, down"), ("Tab", "Accept, right"), *arrows, ("Esc", "Cancel"), ("F1", "Help"))

    def _value(self, desk: Desk) -> FieldValue:
        if self.line.kind == "fact":
            fact = desk.book.fact(self.column, self.line.name)
            return fact.value if fact is not None else None
        return desk.book.value(self.column, self.line.name)

    def opened(self, desk: Desk) -> None:
        """Say what may be entered."""
        self._guide(desk)
        if not self.buffer.fresh:
            self.edited(desk)

    def _guide(self, desk: Desk) -> None:
        unit = "" if self.field.is_number or self.field.kind in ("choice", "switch", "shares") else self.field.help
        blank = f"; blank: {self.field.blank}" if self.field.optional and self.field.blank else ""
        if self.line.kind == "fact":
            blank = "; blank: the catalogue's"
        desk.say(f"{self.line.label}: {unit or self.field.bounds()}{blank}")

    def edited(self, desk: Desk) -> None:
        """Try the text, so that a mistake shows while it is typed."""
        was_unclear = self._unclear
        if self.choices is not None:
            self.choices.narrow(self.buffer.text)
            if not self._says_which():
                self.choices.index = -1
        self.touched = False
        self.error = ""
        self._unclear = self._is_unclear()
        if self._unclear:
            desk.say(f"{self.line.label}: {self._several()}")
        elif was_unclear:
            self._guide(desk)
        if self.picked() is None and not self._unclear and self.buffer.text not in ("", "-", "+", "."):
            try:
                self.field.parse(self.buffer.text)
            except InputError as error:
                self.error = str(error)

    def _says_which(self) -> bool:
        """Whether the text alone says which option is meant: the first begins with it, or no other holds it.

        A bare number says it only in full, since it is often meant for another cell.
        """
        text = plain(self.buffer.text)
        shown = self.choices.shown if self.choices is not None else []
        if not text or not shown:
            return bool(shown)
        first = plain(shown[0].text)
        if first == text:
            return True
        has_letter = any(character.isalpha() for character in text)
        return has_letter and (first.startswith(text) or len(shown) == 1)

    def picked(self) -> Option | None:
        """The option that stands for the text: the highlighted one, unless a blank or a path was typed."""
        if self.choices is None:
            return None
        typed = not self.buffer.fresh and not self.touched
        if typed and (not self.buffer.text.strip() or leads_to_file(self.buffer.text)):
            return None
        return self.option

    def parsed(self) -> FieldValue:
        """The value that was chosen or typed. Raises InputError."""
        option = self.picked()
        if option is not None:
            return option.value  # type: ignore[return-value]
        if self.line.kind == "fact" and not self.buffer.text.strip():
            return None
        if self._is_unclear():
            raise InputError(f"{self.field.label} is unchanged: {self._several()}")
        return self.field.parse(self.buffer.text)

    def is_value(self) -> bool:
        """Whether the text is a value of its own, no word to look for in the list."""
        if not self.field.is_number:
            return False
        try:
            self.field.parse(self.buffer.text)
        except InputError:
            return False
        return True

    def _is_unclear(self) -> bool:
        """Whether the text is held by options, none of which is chosen yet."""
        text = self.buffer.text.strip()
        if self.choices is None or not self.choices.shown or not text or self.option is not None:
            return False
        return not leads_to_file(text) and not self.is_value()

    def _several(self) -> str:
        count = len(self.choices.shown) if self.choices is not None else 0
        held = f"{count:,} entries of the list hold" if count > 1 else "one entry of the list holds"
        return f"{held} '{one_line(self.buffer.text.strip()[:40])}'; choose with ↓, or type more of the name."

    # ---- keys

    def press(self, desk: Desk, key: str, character: str | None) -> None:
        """Act on a key: outside caret mode the arrows end the edit and move."""
        moves = {"up": (-1, 0), "down": (1, 0), "left": (0, -1), "right": (0, 1)}
        if key == "f1":
            desk.say(f"{self.field.help} {self.field.bounds().capitalize()}.")
        elif key == "f2":
            self.buffer.caret_mode = not self.buffer.caret_mode
            self.buffer.replace = False
        elif key == "ctrl+z":
            self.cancel(desk)
        elif key == "ctrl+q":
            if self.commit(desk) or desk.prompt is self:
                desk.host.leave()
        elif key in moves and not self.buffer.caret_mode and not (self.choices and key in ("up", "down")):
            if self.commit(desk):
                desk.cursor.move(*moves[key])
        else:
            super().press(desk, key, character)

    def submit(self, desk: Desk) -> None:
        """Save and go down to the next line, into the column in which a run of Tab began."""
        if self.commit(desk):
            rows = range(desk.cursor.row + 1, len(desk.items))
            below = next((row for row in rows if isinstance(desk.items[row], Line)), desk.cursor.row)
            desk.cursor.enter(below)

    def tab(self, desk: Desk, key: str) -> None:
        """Save and go to the next or previous scenario."""
        if self.commit(desk):
            desk.cursor.tab(1 if key == "tab" else -1)

    def commit(self, desk: Desk) -> bool:
        """Save what was typed; False when it was refused: the buffer stays, and why is said."""
        try:
            value = self.parsed()
        except InputError as error:
            self.error = str(error)
            desk.say(self.error, error=True)
            return False
        old = self._value(desk)
        place = f"{desk.scenario_name(self.column)} ▸ {self.line.label}"
        if value == old and not desk.book.damage(self.column, self.line.name):
            desk.close()
            return True
        new = "the catalogue's" if value is None and self.line.kind == "fact" else field_text(self.field, value)
        text = f"{place}: {field_text(self.field, old)} → {new}"
        if desk.save([(self.column, self.line.name, value)], text):
            desk.close()
            return True
        if desk.prompt is self:
            self.error = desk.message.text
        return False

    def cancel(self, desk: Desk) -> None:
        """Leave the cell as it is."""
        desk.close()
        desk.say("Unchanged.")


class NamePrompt(Prompt):
    """A scenario's name being edited in the header."""

    place: Place = "cell"
    title = "Scenario"
    verb = "Rename"

    def __init__(self, desk: Desk, text: str | None, *, caret_mode: bool = False) -> None:
        super().__init__(desk.book.columns[desk.column].name if text is None else "")
        self.column = desk.column
        self.error = ""
        self.buffer.caret_mode = caret_mode
        if text is not None:
            self.buffer.insert(text)

    def opened(self, desk: Desk) -> None:
        """Say what it is."""
        desk.say("Scenario: a name of its own in this workspace, of at most 120 characters")

    def edited(self, desk: Desk) -> None:  # noqa: ARG002 - as the base has it
        """The last refusal no longer holds."""
        self.error = ""

    def submit(self, desk: Desk) -> None:
        """Rename the scenario."""
        self.commit(desk)

    def press(self, desk: Desk, key: str, character: str | None) -> None:
        """Act on a key: outside caret mode the arrows end the edit and move."""
        moves = {"down": (1, 0), "left": (0, -1), "right": (0, 1)}
        if key == "ctrl+q":
            if self.commit(desk) or desk.prompt is self:
                desk.host.leave()
        elif key in moves and not self.buffer.caret_mode:
            if self.commit(desk):
                desk.cursor.move(*moves[key])
        else:
            super().press(desk, key, character)

    def tab(self, desk: Desk, key: str) -> None:
        """Rename and go to the next or previous scenario."""
        if self.commit(desk):
            desk.cursor.tab(1 if key == "tab" else -1)

    def commit(self, desk: Desk) -> bool:
        """Rename; False when it was refused: the buffer stays, and why is said."""
        old, new = desk.book.columns[self.column].name, self.buffer.text
        if new != old:
            with desk.sentences():
                desk.book.rename(self.column, new)
                desk.close()
                desk.reloaded()
                desk.saved(f"{old} is now called {desk.scenario_name(self.column)}")
                return True
            self.error = desk.message.text
            return False
        desk.close()
        return True
