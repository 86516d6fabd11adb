"""What the command line writes on stdout: JSON, or tables for people. Text is text, never markup or control codes."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from planner.cli.diagnostics import as_called
from planner.model.fields import printable

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

_UNBOUNDED = 1_000_000
_GAP = 2
_NARROWEST = 26
"""The least room that a column of text needs."""


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table; numbers stand to the right, and a text that ``wraps`` takes the room that is left."""

    title: str
    align: Literal["left", "right"] = "left"
    wraps: bool = False


def write_json(document: object) -> None:
    """``document`` as JSON, the only thing on stdout. NaN and infinity are refused, as JSON has neither."""
    text = json.dumps(document, ensure_ascii=not _is_unicode(), indent=2, allow_nan=False, default=_plain)
    _write(_escaped(text) + "\n")


def _is_unicode() -> bool:
    return sys.stdout is not None and (sys.stdout.encoding or "").lower().replace("-", "").startswith("utf")


def _plain(value: object) -> object:
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, (tuple, frozenset, set)):
        return list(value)
    if hasattr(value, "isoformat"):
        return value.isoformat()
    raise TypeError(f"{type(value).__name__} has no form in JSON")


def _escaped(text: str) -> str:
    """JSON ``text`` whose control, bidirectional and other unprintable characters are escapes."""
    if text.isascii():
        return text
    return "".join(c if c.isprintable() or c == "\n" else json.dumps(c)[1:-1] for c in text)


def _write(text: str) -> None:
    if sys.stdout is not None:
        sys.stdout.write(text)


def write_line(text: str = "") -> None:
    """One line of text for people; a longer one is wrapped where stdout is a terminal."""
    from rich.text import Text

    _print(_console(), Text(safe(as_called(text))))


def safe(text: str) -> str:
    """``text``, of several lines perhaps, without anything that a terminal would act on."""
    return "\n".join(printable(line.expandtabs(4)) for line in text.split("\n"))


def write_table(columns: Sequence[Column], rows: Sequence[Sequence[str]], *, title: str = "", keep: int = 1) -> None:
    """A table. Where it is wider than the terminal, columns go on below, the first ``keep`` again on their left.

    Where stdout is no terminal every row is one line, however long.
    """
    from rich.cells import cell_len

    console = _console()
    room = console.width if console.is_terminal else _UNBOUNDED
    if not console.is_terminal and not any("\n" in text for row in rows for text in row):
        _write_plainly(columns, rows, title)
        return
    widths = []
    for place, column in enumerate(columns):
        texts = (safe(text) for text in (column.title, *(row[place] for row in rows)))
        width = max(cell_len(part) for text in texts for part in text.split("\n")) + _GAP
        widths.append(min(width, _NARROWEST) if column.wraps else width)
    for places in _blocks(widths, keep, room):
        fits = sum(widths[place] for place in places) <= room
        table = _table([columns[place] for place in places], title, keeps_words=fits)
        for row in rows:
            _add(table, [row[place] for place in places])
        _print(console, table)


def _write_plainly(columns: Sequence[Column], rows: Sequence[Sequence[str]], title: str) -> None:
    """The table where every row is one line: as Rich would print it, and for ten thousand rows in no time."""
    from rich.cells import cell_len

    lines = [[safe(column.title) for column in columns], *([safe(text) for text in row] for row in rows)]
    sizes = [[cell_len(text) for text in line] for line in lines]
    widths = [max(column) for column in zip(*sizes, strict=True)]
    gap = " " * _GAP
    out = [safe(title)] if title else []
    for line, size in zip(lines, sizes, strict=True):
        padded = (
            " " * (width - used) + text if column.align == "right" else text + " " * (width - used)
            for column, text, used, width in zip(columns, line, size, widths, strict=True)
        )
        out.append(gap.join(padded).rstrip())
    _write("\n".join(out) + "\n")


def _blocks(widths: Sequence[int], keep: int, room: int) -> list[list[int]]:
    """The columns of each table that is printed: as many as fit beside the first ``keep``."""
    first = list(range(min(keep, len(widths))))
    used = start = sum(widths[place] for place in first)
    blocks: list[list[int]] = []
    current = list(first)
    for place in range(len(first), len(widths)):
        if used + widths[place] > room and len(current) > len(first):
            blocks.append(current)
            current, used = list(first), start
        current.append(place)
        used += widths[place]
    return [*blocks, current]


def _table(columns: Sequence[Column], title: str, *, keeps_words: bool) -> Table:
    """An empty table; with ``keeps_words`` only columns that may wrap give way."""
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, padding=(0, _GAP, 0, 0), title_justify="left", title_style="bold")
    table.title = Text(safe(title)) if title else None
    for column in columns:
        rigid = keeps_words and not column.wraps
        table.add_column(
            Text(safe(column.title)), justify=column.align, overflow="fold", header_style="bold", no_wrap=rigid
        )
    return table


def _add(table: Table, row: Sequence[str]) -> None:
    from rich.text import Text

    table.add_row(*(Text(safe(text)) for text in row))


def _print(console: Console, shown: Table | Text) -> None:
    """Write what the console makes of ``shown``; the console itself would swallow that nobody reads."""
    with console.capture() as captured:
        console.print(shown)
    lines = captured.get().splitlines()
    _write("".join(line.rstrip() + "\n" for line in lines))


def _console() -> Console:
    from rich.console import Console

    console = Console(markup=False, highlight=False, emoji=False)
    if not console.is_terminal or console.width < 1:
        console.width = _UNBOUNDED
    return console
