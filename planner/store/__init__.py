"""Saved scenarios: tables, library, revisions, backups, and opening a database.

Importing this package loads no database library; opening a library does.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from planner.store.errors import BusyError, ConflictError, DamagedError, NotFoundError, ReadOnlyError, StoreError
from planner.store.records import (
    Change,
    Conflict,
    Difference,
    Entry,
    Revision,
    Snapshot,
    Stored,
    Witness,
    Workspace,
)

if TYPE_CHECKING:
    from planner.store.library import Library

__all__ = [
    "BusyError",
    "Change",
    "Conflict",
    "ConflictError",
    "DamagedError",
    "Difference",
    "Entry",
    "Library",
    "NotFoundError",
    "ReadOnlyError",
    "Revision",
    "Snapshot",
    "StoreError",
    "Stored",
    "Witness",
    "Workspace",
    "open_library",
]


def open_library(where: str | Path | None = None, *, create: bool = True) -> Library:
    """Open the library at ``where``: a file, or an address sqlite:///FILE or postgresql://USER@HOST/DATABASE.

    None takes PLANNER_DB, else a file in the platform's data folder. Where nothing is there yet, ``create`` makes it
    and fills in the examples. Raises StoreError.
    """
    from planner.store import opening  # noqa: PLC0415 - only who opens a library waits for SQLAlchemy

    return opening.open_library(where, create=create)


def __getattr__(name: str) -> object:
    if name == "Library":
        from planner.store.library import Library  # noqa: PLC0415 - the same

        return Library
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
