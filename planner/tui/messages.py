"""Messages that are longer than the line: what the message line shows, and what stands above it."""

from __future__ import annotations

from planner.tui.desk import Desk
from planner.tui.text import one_line, width, wrapped

BESIDE_PROMPT = 3


def status(desk: Desk) -> str:
    """The workspace, and whether all is saved."""
    library = desk.book.library
    workspace = one_line(desk.book.workspace)
    if library.read_only:
        return f"{workspace} · READ-ONLY"
    return f"{workspace} · saved {desk.saved_at}" if desk.saved_at else f"{workspace} · saved"


def prompt_width(desk: Desk) -> int:
    """The cells that an open prompt takes on the message line."""
    prompt = desk.prompt
    return width(f" {prompt.title}: {prompt.buffer.text}{prompt.ghost} ") if prompt is not None else 0


def split_message(desk: Desk) -> tuple[list[str], str]:
    """The lines above the message line, and what stands on it."""
    text, cells = desk.message.text, desk.cells
    if not text or cells < 8:
        return [], text
    if desk.prompt is not None and desk.prompt.place == "line":
        if width(text) + BESIDE_PROMPT + prompt_width(desk) <= cells:
            return [], text
        return wrapped(text, cells - 2), ""
    if width(text) + 2 <= cells:
        return [], text
    *above, last = wrapped(text, cells - 2)
    return above, last
