"""The grid: paints what is visible of the desk, line by line. It holds no data and handles no keys."""

from __future__ import annotations

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.geometry import Region, Size
from textual.scroll_view import ScrollView
from textual.strip import Strip

from planner.model.display import with_currency
from planner.tui.book import Column
from planner.tui.cells import Shown, show_cell, unit_in_cell
from planner.tui.desk import Desk
from planner.tui.geometry import BARS, LEAST_HEIGHT, LEAST_WIDTH, Geometry
from planner.tui.lines import Heading, Line, pinned_lines
from planner.tui.overlay import Overlay, overlays_of
from planner.tui.prompts.prompt import Prompt
from planner.tui.text import fit, folded, one_line, shorten, shorter_label, width

MARK = 2
"""Cells of the mark before the name of the baseline."""
_TONES = ("default", "set", "changed", "fact", "result", "blank", "problem", "same", "better", "worse", "delta")
_PLACES = (
    "head", "head-current", "head-baseline", "label", "label-current", "unit", "section-input", "section-result",
    "section-fact", "section-current", "section-hint", "body", "pin", "pin-label", "cursor", "selected",
    "edit", "edit-bad", "edit-ghost",
)  # fmt: skip
_VIEWS = {"off": "", "percent": "Δ% to ◆", "absolute": "Δ to ◆", "range": "low–high"}
_HIDDEN = {
    "input": "{} inputs", "result": "{} results", "fact": "{} figures of the catalogue; each may be overridden",
}  # fmt: skip
_OVERLAY = (
    "list-text", "list-detail", "list-keys", "list-current", "panel-border", "panel-title", "panel-plain",
    "panel-strong", "panel-muted", "panel-heading", "panel-name", "panel-value", "panel-error", "panel-chosen",
    "note", "note-error",
)  # fmt: skip


class ScenarioGrid(ScrollView, can_focus=False):
    """Lines are quantities, columns are scenarios; labels, header and pinned results never scroll away."""

    COMPONENT_CLASSES = {f"grid--{name}" for name in (*_TONES, *_PLACES, *_OVERLAY)}  # noqa: RUF012

    def __init__(self, desk: Desk) -> None:
        super().__init__(id="grid")
        self.desk = desk
        self.geometry = Geometry(1, 1, 0)
        self._styles: dict[str, Style] = {}
        self._painted: tuple[object, ...] = ()
        self._dragging = False
        self._overlays: tuple[Overlay, ...] = ()
        self._named: tuple[list[Column], int] = ([], 0)

    @property
    def cells_wide(self) -> int:
        """The width beside the scroll bar."""
        return self.scrollable_content_region.width

    # ---- keeping up with the desk

    def on_resize(self) -> None:
        """The terminal's size changed."""
        self.sync_screen()

    def notify_style_update(self) -> None:
        """The colours changed."""
        self._styles.clear()
        super().notify_style_update()
        self.refresh()

    def sync(self) -> None:
        """Take over what changed on the desk and mark what has to be painted again."""
        desk = self.desk
        desk.resize()
        desk.cells = self.size.width
        geometry = Geometry(self.cells_wide, self.size.height, len(desk.book), self._longest_name())
        stale = desk.take_stale()
        cursor, prompt = desk.cursor, desk.prompt
        now = (
            cursor.row,
            cursor.column,
            cursor.corner,
            prompt if prompt is not None and prompt.place == "cell" else None,
        )
        old = self._painted
        self._painted = now
        everything = (
            stale.everything or geometry != self.geometry or not old or old[2] is not None or now[2] is not None
        )
        self.geometry = geometry
        desk.page = (geometry.body, geometry.visible)
        size = Size(geometry.virtual_width, geometry.virtual_height(len(desk.items)))
        if size != self.virtual_size:
            self.virtual_size = size
            everything = True
        before = self.scroll_offset
        if everything or now != old:
            self._scroll_to_cursor()
        overlays = overlays_of(desk, geometry, self.scroll_offset)
        if overlays != self._overlays:
            self._overlays, everything = overlays, True
        if everything or self.scroll_offset != before:
            self.refresh()
            return
        regions = [self._column_region(column) for column in stale.columns]
        if now != old or now[3] is not None:
            regions += [self._line_region(row) for row in {cursor.row, old[0], 0} if isinstance(row, int)]
        for region in regions:
            if region:
                self.refresh(region)

    def _longest_name(self) -> int:
        """The width of the longest scenario's name, with the baseline's mark."""
        book = self.desk.book
        if self._named[0] is not book.columns:
            base = book.baseline
            names = (
                width(one_line(one.name)) + (MARK if place == base else 0) for place, one in enumerate(book.columns)
            )
            self._named = (book.columns, max(names, default=0))
        return self._named[1]

    def _scroll_to_cursor(self) -> None:
        cursor = self.desk.cursor
        x, y = self.geometry.scroll_to_show(cursor.row, cursor.column, *self.scroll_offset)
        if (x, y) != self.scroll_offset:
            self.scroll_to(x, y, animate=False, force=True, immediate=True)

    def _line_region(self, item: int) -> Region:
        y = self.geometry.y_of(item, self.scroll_offset.y)
        height = self.geometry.header if item == 0 else 1
        return Region(0, y, self.cells_wide, height).intersection(Region(0, 0, self.cells_wide, self.size.height))

    def _column_region(self, column: int) -> Region:
        x = max(self.geometry.label, self.geometry.x_of(column, self.scroll_offset.x))
        return Region(x, 0, self.geometry.cell, self.size.height).intersection(
            Region(0, 0, self.cells_wide, self.size.height)
        )

    # ---- painting

    def style_of(self, name: str) -> Style:
        """A component's style, resolved once for each set of colours."""
        found = self._styles.get(name)
        if found is None:
            found = legible(self.get_component_rich_style(f"grid--{name}"))
            self._styles[name] = found
        return found

    def render_line(self, y: int) -> Strip:
        """One line of the widget, with what lies over it."""
        strip = self._grid_line(y)
        overlay = next((one for one in self._overlays if one.region.y <= y < one.region.bottom), None)
        if overlay is None:
            return strip
        region = overlay.region
        over = [Segment(text, self.style_of(name)) for text, name in overlay.lines[y - region.y]]
        strip = strip.extend_cell_length(self.cells_wide)
        over_strip = Strip(over).crop(0, region.width)
        return Strip([*strip.crop(0, region.x), *over_strip, *strip.crop(region.right)]).crop(0, self.cells_wide)

    def _grid_line(self, y: int) -> Strip:
        """One line of the grid itself."""
        geometry = self.geometry
        cells = self.cells_wide
        if geometry.too_small:
            text = f" Too small: {LEAST_WIDTH} × {LEAST_HEIGHT + BARS} needed" if y == 0 else ""
            return Strip([Segment(fit(text, cells), self.style_of("body"))], cells)
        if y < geometry.header:
            left, body, fill = self._header(y)
        else:
            pin = geometry.pin_at(y)
            item = geometry.item_at(y, self.scroll_offset.y)
            pins = pinned_lines(geometry.pins, self.desk.pins)
            if pin is not None and pin < len(pins):
                left, body, fill = self._quantity(pins[pin], -1, pinned=True)
            elif item is None or item >= len(self.desk.items):
                return Strip.blank(cells, self.style_of("pin" if pin is not None else "body"))
            else:
                found = self.desk.items[item]
                if isinstance(found, Heading):
                    return self._heading(found, item)
                left, body, fill = self._quantity(found, item)
        offset = self.scroll_offset.x % geometry.cell
        room = max(0, cells - geometry.label)
        strip = Strip(body).crop(offset, offset + room).extend_cell_length(room, fill)
        return Strip([*left, *strip]).crop(0, cells)

    def _columns(self) -> range:
        first = self.scroll_offset.x // self.geometry.cell
        room = max(0, self.cells_wide - self.geometry.label)
        return range(first, min(len(self.desk.book), first + room // self.geometry.cell + 2))

    def _header(self, y: int) -> tuple[list[Segment], list[Segment], Style]:
        """A line of the header: names that are too long for one go on on the second."""
        desk, geometry = self.desk, self.geometry
        head = self.style_of("head")
        inner = geometry.cell - 2
        body = []
        for column in self._columns():
            mark = "◆ " if column == desk.book.baseline else "! " if desk.book.columns[column].problem else ""
            name = mark + one_line(desk.book.columns[column].name)
            current = column == desk.column
            if current and y > 0 and self._edited(0):
                name = ""
            style = self.style_of("head-current" if current else "head")
            if current and desk.cursor.row == 0 and not self._edited(0):
                style = self.style_of("cursor")
            body.append(Segment(" " + fit(folded(name, inner, geometry.header)[y], inner, "right") + " ", style))
        text = self._where() if y == 0 else _VIEWS[desk.view]
        left = [Segment(" " + fit(text, geometry.label - 1), head)]
        return left, self._with_buffer(body, 0) if y == 0 else body, head

    def _where(self) -> str:
        """Which of the scenarios are visible, and what of them where the header has one line."""
        geometry, count = self.geometry, len(self.desk.book)
        first = self.scroll_offset.x // geometry.cell + 1
        last = min(count, first + geometry.visible - 1)
        if not count:
            return "no scenario"
        text = f"{count} scenario{'' if count == 1 else 's'}"
        if last < count or first > 1:
            text = f"{'◂ ' if first > 1 else ''}{first}–{last} of {count}{' ▸' if last < count else ''}"
        return f"{text}  {_VIEWS[self.desk.view]}" if geometry.header == 1 else text

    def _heading(self, heading: Heading, item: int) -> Strip:
        current = item == self.desk.cursor.row
        marker = "▸" if heading.hidden == len(heading.section.lines) else "▾"
        hint = f"+{heading.hidden}" if heading.hidden else ""
        label = self.geometry.label
        title = shorten(heading.section.title.upper(), max(1, label - 5 - len(hint)))
        style = self.style_of("section-current" if current else f"section-{heading.section.kind}")
        left = f" {marker} {title}"
        pad = " " * max(1, label - width(left) - len(hint) - 1)
        muted = self.style_of("section-current" if current else "section-hint")
        pieces = [Segment(left, style), Segment(f"{pad}{hint} ", muted)]
        if heading.hidden == len(heading.section.lines):
            pieces.append(Segment(f"  {_HIDDEN[heading.section.kind].format(heading.hidden)}", muted))
        strip = Strip(pieces)
        return strip.extend_cell_length(self.cells_wide, style).crop(0, self.cells_wide)

    def _quantity(self, line: Line, item: int, *, pinned: bool = False) -> tuple[list[Segment], list[Segment], Style]:
        current = item == self.desk.cursor.row
        fill = self.style_of("pin" if pinned else "body")
        label = self.style_of("pin-label" if pinned else "label-current" if current else "label")
        unit = "" if unit_in_cell(line) else self.desk.book.verdict_unit if line.kind == "verdict" else line.short_unit
        if "$" in unit:
            unit = with_currency(unit, self.desk.book.currency)
        room = max(1, self.geometry.label - 2)
        text = shorter_label(line.label, max(4, room - width(unit) - 1) if unit else room, unit)
        unit = shorten(unit, max(0, room - width(text) - 1))
        gap = " " * (room - width(text) - width(unit))
        muted = label if current else self.style_of("unit") + Style(bgcolor=label.bgcolor)
        left = [Segment(f" {text}{gap}", label), Segment(f"{unit} ", muted)]
        body = [self._cell(line, item, column, fill) for column in self._columns()]
        return left, self._with_buffer(body, item), fill

    def _cell(self, line: Line, item: int, column: int, base: Style) -> Segment:
        desk = self.desk
        shown: Shown = show_cell(desk.book, column, line, desk.view)
        style = self.style_of(shown.tone) + Style(bgcolor=base.bgcolor)
        block = desk.cursor.block
        if item == desk.cursor.row and column == desk.column:
            style = self.style_of("cursor")
        elif not block.is_one_cell and (item, column) in block:
            style = self.style_of("selected")
        inner = self.geometry.cell - 2
        text = shown.text
        if width(text) > inner and line.kind != "name" and not _wordy(line):
            text = "#" * inner
        return Segment(" " + fit(text, inner, "right", middle=line.field is not None) + shown.mark, style)

    # ---- the edit buffer

    def _edited(self, item: int) -> Prompt | None:
        prompt = self.desk.prompt
        if prompt is None or prompt.place != "cell" or item != self.desk.cursor.row:
            return None
        return prompt

    def _with_buffer(self, body: list[Segment], item: int) -> list[Segment]:
        """``body`` with the edit buffer over its cell, and over as many cells as the text needs."""
        prompt = self._edited(item)
        columns = self._columns()
        if prompt is None or self.desk.column not in columns:
            return body
        place = self.desk.column - columns.start
        cell = self.geometry.cell
        room = self.cells_wide - self.geometry.label - place * cell + self.scroll_offset.x % cell
        buffer, ghost = prompt.buffer, prompt.ghost if not prompt.buffer.fresh else ""
        style = self.style_of("edit-bad" if getattr(prompt, "error", "") else "edit")
        caret = buffer.caret
        before, at, after = buffer.text[:caret], buffer.text[caret : caret + 1], buffer.text[caret + 1 :]
        if buffer.fresh and buffer.replace:
            pieces = [Segment(" ", style), Segment(buffer.text or " ", style + Style(reverse=True))]
        else:
            pieces = [Segment(f" {before}", style), Segment(at or ghost[:1] or " ", style + Style(reverse=True))]
            pieces += [Segment(after, style), Segment(ghost[1:] if not at else ghost, self.style_of("edit-ghost"))]
        strip = Strip(pieces)
        needed = strip.cell_length + 1
        cells = min(max(cell, -(-needed // cell) * cell), max(cell, room))
        if needed > cells:
            end = Strip(pieces[:2]).cell_length
            start = max(0, min(end + 1 - cells, needed - cells)) if end < cells else end + 1 - cells
            strip = strip.crop(start, start + cells)
        strip = strip.extend_cell_length(cells, style).crop(0, cells)
        taken = -(-cells // cell)
        rest = Strip(body[place:]).crop(cells) if cells % cell else Strip(body[place + taken :])
        return [*body[:place], *strip, *rest]

    # ---- the mouse

    def on_mouse_down(self, event: events.MouseDown) -> None:
        """A click moves the cursor; what is being edited is saved first."""
        if event.button != 1:
            return
        event.stop()
        for overlay in self._overlays:
            if overlay.region.contains(event.x, event.y):
                self._point_at_overlay(overlay.entry_at(event.x, event.y))
                self.sync_screen()
                return
        row = self.geometry.item_at(event.y, self.scroll_offset.y)
        pin = self.geometry.pin_at(event.y)
        column = self.geometry.column_at(event.x, self.scroll_offset.x)
        if pin is not None:
            pins = pinned_lines(self.geometry.pins, self.desk.pins)
            if pin < len(pins):
                self.desk.point(self.desk.outline.reveal(pins[pin].name), column)
        elif row is not None and row < len(self.desk.items):
            self.desk.point(row, column, select=event.shift)
            self._dragging = True
            self.capture_mouse()
        self.sync_screen()

    def _point_at_overlay(self, entry: int | None) -> None:
        """A click on what lies over the grid."""
        if entry is not None and self.desk.panel is not None:
            self.desk.panel.click(self.desk, entry)
        elif entry is not None and self.desk.prompt is not None:
            self.desk.prompt.click(self.desk, entry)

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """Dragging selects."""
        if not self._dragging:
            return
        row = self.geometry.item_at(event.y, self.scroll_offset.y)
        column = self.geometry.column_at(event.x, self.scroll_offset.x)
        if row is not None and column is not None and (row, column) != (self.desk.cursor.row, self.desk.column):
            self.desk.point(row, column, select=True)
            self.sync_screen()

    def on_mouse_up(self) -> None:
        """The drag ended."""
        self._dragging = False
        self.release_mouse()

    def on_click(self, event: events.Click) -> None:
        """A double click edits; a click on a heading folds."""
        if self._overlays:
            return
        row = self.geometry.item_at(event.y, self.scroll_offset.y)
        if row is None or row >= len(self.desk.items):
            return
        if isinstance(self.desk.items[row], Heading):
            if event.chain == 1 and row == self.desk.cursor.row:
                self.desk.press("enter")
        elif event.chain == 2 and self.geometry.column_at(event.x, self.scroll_offset.x) is not None:
            self.desk.press("f2")
        self.sync_screen()

    def sync_screen(self) -> None:
        """Bring the whole screen up to date."""
        screen = self.screen
        refresh = getattr(screen, "sync", None)
        if refresh is not None:
            refresh()


def legible(style: Style) -> Style:
    """``style``, or reversed letters where a theme of the terminal's own colours gives text and ground the same one."""
    return Style(bold=True, reverse=True) if style.color is not None and style.color == style.bgcolor else style


def _wordy(line: Line) -> bool:
    """Whether a cell that is too narrow may cut the text; a cut number would be a wrong one."""
    if line.field is not None:
        return not line.field.is_number
    return line.kind == "verdict" or (line.row is not None and line.row.kind != "number")
