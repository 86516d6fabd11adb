"""The one-line bars: the formula bar at the top, the message line and the keys at the bottom."""

from __future__ import annotations

from collections.abc import Callable

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.strip import Strip
from textual.widget import Widget

from planner.tui.actions import ACTIONS, Action, key_name
from planner.tui.cells import describe
from planner.tui.commands.view import heading_text
from planner.tui.desk import Desk
from planner.tui.grid import legible
from planner.tui.lines import Heading, Item
from planner.tui.messages import split_message, status
from planner.tui.prompts.prompt import Prompt
from planner.tui.text import fit, one_line, shorten, width

Piece = tuple[str, str]


class Bar(Widget, can_focus=False):
    """One line of pieces in named styles; it is painted again when they change."""

    COMPONENT_CLASSES = {  # noqa: RUF012
        f"bar--{name}" for name in ("plain", "name", "value", "muted", "badge", "error", "key", "prompt", "caret")
    }

    def __init__(self, id: str, pieces: Callable[[int], list[Piece]]) -> None:  # noqa: A002
        super().__init__(id=id)
        self.pieces = pieces
        self._shown: list[Piece] = []
        self._styles: dict[str, Style] = {}

    def sync(self) -> None:
        """Take over what changed."""
        pieces = self.pieces(self.size.width)
        if pieces != self._shown:
            self._shown = pieces
            self.refresh()

    def on_resize(self) -> None:
        """The terminal's size changed."""
        self._shown = self.pieces(self.size.width)
        self.refresh()

    def notify_style_update(self) -> None:
        """The colours changed."""
        self._styles.clear()
        super().notify_style_update()
        self.refresh()

    def style_of(self, name: str) -> Style:
        """A component's style, resolved once for each set of colours."""
        if name not in self._styles:
            self._styles[name] = legible(self.get_component_rich_style(f"bar--{name}"))
        return self._styles[name]

    def render_line(self, y: int) -> Strip:  # noqa: ARG002
        """The line."""
        strip = Strip([Segment(text, self.style_of(name)) for text, name in self._shown])
        return strip.crop(0, self.size.width).extend_cell_length(self.size.width, self.style_of("plain"))


class KeyBar(Bar):
    """The keys; a click on one presses it."""

    def __init__(self, id: str, desk: Desk, sync: Callable[[], None]) -> None:  # noqa: A002
        super().__init__(id, lambda cells: key_pieces(desk, cells))
        self.desk = desk
        self.sync_screen = sync

    def on_click(self, event: events.Click) -> None:
        """Press the key under the pointer."""
        if self.desk.prompt is not None or self.desk.panel is not None:
            return
        x = 0
        for found in _footer_actions():
            x += width(key_name(found.keys[0])) + 1 + width(found.footer) + 2
            if event.x < x:
                self.desk.press(found.keys[0])
                self.sync_screen()
                return


def formula_pieces(desk: Desk, cells: int) -> list[Piece]:
    """Scenario, line, value with its unit, and where the value comes from."""
    item = desk.item
    if not len(desk.book):
        return [(fit(" No scenario in this workspace: ^N makes one.", cells), "muted")]
    name = f" {desk.scenario_name()}"
    if isinstance(item, Heading):
        return [(" " + fit(heading_text(item), cells - 1), "muted")]
    text, origin = describe(desk.book, desk.column, item)
    damaged = bool(desk.book.look(desk.column).problem)
    short = shorten(name, max(8, cells // 3))
    value = shorten(text, max(0, cells - width(short) - 4))
    left = width(short) + 3 + width(value)
    pieces: list[Piece] = [(short, "name"), (" ▸ ", "muted"), (value, "value")]
    if origin and cells - left > 6:
        pieces.append(("  " + shorten(origin, cells - left - 3), "error" if damaged else "muted"))
    return pieces


def message_pieces(desk: Desk, cells: int) -> list[Piece]:
    """The message, or what the line under the cursor is; at the right whether all is saved."""
    _, text = split_message(desk)
    if desk.prompt is not None and desk.prompt.place == "line":
        return _prompt_pieces(desk, desk.prompt, text, cells)
    right = shorten(f"{status(desk)} ", max(0, cells // 2))
    room = max(0, cells - width(right) - 1)
    if text:
        tone = "error" if desk.message.error else "plain"
        if width(text) + 2 > room:
            return [(" " + fit(text, cells - 1), tone)]
        return [(" " + fit(text, room), tone), (right, _tone(desk) if not desk.message.error else "error")]
    return [(" " + fit(_about(desk.item, room), room), "muted"), (right, _tone(desk))]


def _about(item: Item, room: int) -> str:
    """What a line is, and its bounds where there is room for them."""
    if isinstance(item, Heading):
        return ""
    text = one_line(item.help.partition("\n")[0])
    if item.field is not None and item.field.is_number:
        bounds = f"  {item.field.bounds()}"
        if width(text) + width(bounds) < room - 1:
            text += bounds
    return text


def _prompt_pieces(desk: Desk, prompt: Prompt, note: str, cells: int) -> list[Piece]:
    title = f" {prompt.title}: "
    buffer, ghost = prompt.buffer, prompt.ghost
    room = max(8, cells - width(title) - 2)
    start = max(0, width(buffer.text[: buffer.caret]) - room + 1)
    text = buffer.text[start:]
    caret = buffer.caret - start
    if buffer.fresh and buffer.replace:
        pieces: list[Piece] = [(title, "prompt"), (text or " ", "caret")]
    else:
        pieces = [(title, "prompt"), (text[:caret], "value"), (text[caret : caret + 1] or ghost[:1] or " ", "caret")]
        pieces.append((text[caret + 1 :], "value"))
        if caret >= len(text):
            pieces.append((ghost[1:], "muted"))
    used = sum(width(piece) for piece, _ in pieces)
    if note and cells - used > 4:
        pieces.append(("  " + fit(note, cells - used - 3, "right") + " ", "error" if desk.message.error else "muted"))
    return pieces


def _tone(desk: Desk) -> str:
    return "badge" if desk.book.library.read_only else "muted"


def _footer_actions() -> list[Action]:
    return sorted((found for found in ACTIONS.values() if found.footer and found.keys), key=lambda found: found.order)


def key_pieces(desk: Desk, cells: int) -> list[Piece]:
    """The keys that do something now, as far as they fit."""
    if desk.prompt is not None:
        hints = list(desk.prompt.hints())
    elif desk.panel is not None:
        hints = list(desk.panel.hints())
    else:
        hints = [(key_name(found.keys[0]), found.footer) for found in _footer_actions()]
    pieces: list[Piece] = []
    left = cells - 1
    pieces.append((" ", "plain"))
    for key, label in hints:
        needed = width(key) + 1 + width(label)
        if needed > left:
            break
        pieces += [(key, "key"), (f" {label}  ", "plain")]
        left -= needed + 2
    return pieces
