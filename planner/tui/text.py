"""Plain text on a terminal: made harmless, measured in cells, and fitted to a width.

Every text that a person, a file or a database gave passes through here before it is painted: control, bidirectional
and other unprintable characters never reach the terminal, and nothing is read as markup.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from rich.cells import cell_len, set_cell_size

from planner.model.fields import printable

Align = Literal["left", "right", "middle"]
ELLIPSIS = "…"


def width(text: str) -> int:
    """The number of terminal cells that ``text`` takes."""
    return len(text) if text.isascii() else cell_len(text)


def shorten(text: str, cells: int, *, middle: bool = False) -> str:
    """``text`` in at most ``cells`` cells; what is left out is marked by an ellipsis, at the end or in the middle."""
    if width(text) <= cells:
        return text
    if cells <= 1:
        return ELLIPSIS[:cells]
    if not middle or cells < 7:
        return set_cell_size(text, cells - 1).rstrip() + ELLIPSIS
    tail = (cells - 1) // 2
    start, end = set_cell_size(text, cells - 1 - tail), text[-tail:]
    while width(end) > tail:
        end = end[1:]
    return start.rstrip() + ELLIPSIS + end


def fit(text: str, cells: int, align: Align = "left", *, middle: bool = False) -> str:
    """``text`` in exactly ``cells`` cells."""
    short = shorten(text, cells, middle=middle)
    room = cells - width(short)
    if align == "right":
        return " " * room + short
    if align == "middle":
        return " " * (room // 2) + short + " " * (room - room // 2)
    return short + " " * room


def folded(text: str, cells: int, lines: int) -> list[str]:
    """``text`` in exactly ``lines`` lines of at most ``cells`` cells, the last ones blank where it takes fewer.

    What is left out is marked in the middle of the last.
    """
    found = wrapped(text, cells)
    comma = text.rfind(", ", 0, cells) + 1
    if len(found) == lines == 2 and comma and width(text[comma + 1 :]) <= cells:
        return [text[:comma], text[comma + 1 :]]
    if len(found) > lines:
        kept = found[: lines - 1]
        rest = text[len(" ".join(kept)) :].lstrip() if kept else text
        found = [*kept, shorten(rest, cells, middle=True)]
    return found + [""] * (lines - len(found))


_CUTS = (
    (" per million ", "/M "), (" per ", "/"), (" tokens", " tok"), ("Self-hosted", "Self-host"), (" output", " out"),
    (" of one replica", "/replica"), (" of a replica", "/replica"), (" at the peak", ", peak"),
    ("Self-host cost", "Self-host"), (" tok", ""),
)  # fmt: skip


def shorter_label(label: str, cells: int, unit: str = "") -> str:
    """``label`` with its usual words cut, one kind after another, until it takes at most ``cells`` cells.

    What the ``unit`` beside it says already goes first.
    """
    if unit.endswith("/mo") and width(label) > cells:
        label = label.removesuffix(" per month")
    for word, cut in _CUTS:
        if width(label) <= cells:
            break
        label = label.replace(word, cut)
    return shorten(label, cells)


def one_line(text: str) -> str:
    """``text`` as one harmless line."""
    return printable(" ".join(text.split()) if "\n" in text or "\r" in text or "\t" in text else text)


def wrapped(text: str, cells: int) -> list[str]:
    """``text`` in lines of at most ``cells`` cells, broken at spaces where it can be."""
    lines: list[str] = []
    for paragraph in text.split("\n"):
        line = ""
        for word in _words(printable(paragraph), max(1, cells)):
            joined = f"{line} {word}" if line else word
            if width(joined) > cells and line:
                lines.append(line)
                joined = word
            line = joined
        lines.append(line)
    return lines


def _words(text: str, cells: int) -> Iterator[str]:
    """The words of ``text``; those that are longer than a line in pieces."""
    for word in text.split(" "):
        rest = word
        while width(rest) > cells:
            piece = set_cell_size(rest, cells).rstrip() or rest[:1]
            yield piece
            rest = rest[len(piece) :]
        yield rest
