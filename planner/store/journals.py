"""The journals that SQLite keeps beside a library: whether they are of writes to that very file.

SQLite puts back whatever a journal holds, also one that was copied there or stayed behind when the file was replaced,
and that destroys the file. Layout: https://www.sqlite.org/fileformat.html sections 1.3 and 3.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

MAGIC = bytes.fromhex("d9d505f920a163d7")
_HEADER = 28
_UNKNOWN = 0xFFFFFFFF
PAUSE = 0.1
"""Seconds between two looks at a journal that contradicts its file."""


def journal_of(path: Path) -> Path:
    """Where SQLite keeps the rollback journal of the file ``path``."""
    return path.with_name(path.name + "-journal")


def stray_journal(path: Path) -> Path | None:
    """The file beside the database ``path`` that SQLite would put back although it is not of the last write to it.

    That is a rollback journal of another file or of another state of this one, or a write-ahead log where the file
    is not in that mode. Raises OSError.
    """
    log = path.with_name(path.name + "-wal")
    if log.exists() and log.stat().st_size > 0:
        with path.open("rb") as file:
            if file.read(20)[18:20] == b"\1\1":
                return log
    return journal_of(path) if _is_stray(path) else None


def _is_stray(path: Path) -> bool:
    # Somebody may be writing just now: only a journal that stays as it is can be judged.
    try:
        before = _state(path)
        if not _contradicts(path):
            return False
        time.sleep(PAUSE)
        return _contradicts(path) and _state(path) == before
    except FileNotFoundError:
        return False


def _state(path: Path) -> tuple[int, int, int]:
    status = journal_of(path).stat()
    return status.st_ino, status.st_mtime_ns, status.st_size


def _contradicts(path: Path) -> bool:
    """Whether what the journal saves of page 1 is neither that page nor the page one change ago."""
    with journal_of(path).open("rb") as journal, path.open("rb") as file:
        start = journal.read(_HEADER)
        if len(start) < _HEADER or not start.startswith(MAGIC):
            return False
        before, page_size = _number(start, 16), _number(start, 24)
        present = file.read(page_size)
        saved = _first_page(journal, start)
    if saved is None:
        # Page 1 was not written yet, so it still counts the pages there were.
        return _number(present, 28) != before
    counter, changed = _number(saved, 24), _number(present, 24)
    if changed == counter:
        return saved != present
    return changed != (counter + 1) % 2**32 or _number(saved, 28) != before


def _number(content: bytes, offset: int) -> int:
    return int.from_bytes(content[offset : offset + 4], "big")


def _first_page(journal: BinaryIO, start: bytes) -> bytes | None:
    """What ``journal`` saves of page 1."""
    for page, content in _records(journal, start):
        if page == 1:
            return content
    return None


def _records(journal: BinaryIO, start: bytes) -> Iterator[tuple[int, bytes]]:
    """Page number and content of every record of ``journal``, whose first header is ``start``."""
    sector, page_size = _number(start, 20), _number(start, 24)
    if not sector or not page_size:
        return
    place = 0
    while start.startswith(MAGIC):
        number = _number(start, 8)
        place += sector
        journal.seek(place)
        read = 0
        while read < number or number in (0, _UNKNOWN):
            record = journal.read(page_size + 8)
            if len(record) < page_size + 8:
                return
            yield _number(record, 0), record[4:-4]
            read += 1
        # The next header begins at the next sector.
        place = -(-journal.tell() // sector) * sector
        journal.seek(place)
        start = journal.read(_HEADER)
