"""SQLite's own check of a file, of which only what it says of the file counts as damage.

A page that could not be read, or for which there was no memory, may be as sound as any.
"""

from __future__ import annotations

import re
import sqlite3

_CODE = re.compile(r"error code=(\d+)")
_UNREAD = "failed to get page"
"""Of a page of the file; one that the file has not is said otherwise."""
_DAMAGE = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
_PRIMARY = 0xFF
_PIECE = 65_536
_NO_MEMORY = 3082
"""SQLITE_IOERR_NOMEM, https://www.sqlite.org/rescode.html#ioerr_nomem."""


def problems_in(connection: sqlite3.Connection, most: int, *, quickly: bool = False) -> list[str]:
    """At most ``most`` problems in the structure of the file, a line each; ``quickly`` leaves the indexes out.

    Raises sqlite3.Error where the check could not be made.
    """
    check = "quick_check" if quickly else "integrity_check"
    said = [str(text) for (text,) in connection.execute(f"PRAGMA {check}({most})")]
    if said == ["ok"]:
        return []
    lines = [line for text in said for line in text.splitlines() if line and not line.startswith("*** in database")]
    for line in lines:
        found = _CODE.search(line)
        if found is not None and int(found[1]) & _PRIMARY not in _DAMAGE:
            raise _could_not(int(found[1]), line)
    if not lines or any(_UNREAD in line for line in lines):
        raise _could_not(_NO_MEMORY if _can_be_read(connection) else sqlite3.SQLITE_IOERR, "not looked through")
    return lines


def _can_be_read(connection: sqlite3.Connection) -> bool:
    """Whether the disk gives every byte, so that it was memory that did not last."""
    path = str(connection.execute("PRAGMA database_list").fetchone()[2])
    try:
        with open(path, "rb", buffering=0) as file:  # noqa: PTH123 - no memory to spare
            while file.read(_PIECE):
                pass
    except OSError:
        return False
    return True


def _could_not(code: int, line: str) -> sqlite3.Error:
    error = sqlite3.OperationalError(line)
    error.sqlite_errorcode = sqlite3.SQLITE_NOMEM if code == _NO_MEMORY else code
    error.sqlite_errorname = "SQLITE_NOMEM" if code == _NO_MEMORY else "SQLITE_IOERR"
    return error
