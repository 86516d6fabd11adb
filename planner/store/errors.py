"""What the store says when it cannot do what was asked: one clear sentence and an exit code (sysexits)."""

from __future__ import annotations

import errno

from planner.store.records import Conflict
from planner.store.redaction import redact

DATA, NO_INPUT, UNAVAILABLE, INTERNAL, CANNOT_CREATE, IO, BUSY, PERMISSION, CONFIGURATION = (
    65,
    66,
    69,
    70,
    73,
    74,
    75,
    77,
    78,
)


_NOT_PERMITTED = frozenset((errno.EACCES, errno.EPERM, errno.EROFS))
_NO_PLACE = frozenset(
    (errno.ENOENT, errno.ENOTDIR, errno.EISDIR, errno.EEXIST, errno.ENAMETOOLONG, errno.ELOOP, errno.EINVAL)
)


def code_of_writing(error: OSError) -> int:
    """The exit code for a file that could not be written: not permitted, no place for a file, or input/output."""
    return PERMISSION if error.errno in _NOT_PERMITTED else CANNOT_CREATE if error.errno in _NO_PLACE else IO


def code_of_reading(error: OSError) -> int:
    """The exit code for a file that could not be read: not permitted, no such file, or input/output."""
    return PERMISSION if error.errno in _NOT_PERMITTED else NO_INPUT if error.errno in _NO_PLACE else IO


class StoreError(Exception):
    """One clear sentence about what failed; ``exit_code`` is what a command ends with."""

    exit_code = DATA

    def __init__(self, message: str, exit_code: int | None = None) -> None:
        super().__init__(redact(message))
        if exit_code is not None:
            self.exit_code = exit_code


class NotFoundError(StoreError):
    """There is no such file, workspace, scenario, revision or snapshot."""

    exit_code = NO_INPUT


class DamagedError(StoreError):
    """The database itself is damaged: SQLite says so, or its check failed."""

    exit_code = DATA


class BusyError(StoreError):
    """Somebody else holds the database; trying again may succeed."""

    exit_code = BUSY


class ReadOnlyError(StoreError):
    """The library is open for reading only."""

    exit_code = PERMISSION


class ConflictError(StoreError):
    """Somebody else changed the same field first; nothing was changed. ``conflicts`` names mine, theirs and base."""

    exit_code = BUSY

    def __init__(self, message: str, conflicts: tuple[Conflict, ...]) -> None:
        super().__init__(message)
        self.conflicts = conflicts
