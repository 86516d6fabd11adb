"""Reading a user's file safely: a regular one, of bounded size, without ever waiting for a pipe's writer."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from catalog.errors import BadFileError, MissingFileError
from planner.model.fields import printable

MAX_BYTES = 4_000_000
"""Quantised checkpoints that name every module reach 3 MB."""


def shown(path: Path) -> str:
    """The end of a path, as an error names it."""
    return printable(str(path))[-200:]


def from_home(text: str | Path) -> Path:
    """The path that a person wrote, with ~ for a home folder; ~ of nobody known stays as it is."""
    try:
        return Path(text).expanduser()
    except RuntimeError:
        return Path(text)


def is_folder(path: Path, refuse: type[BadFileError] = BadFileError) -> bool:
    """Whether ``path`` is a folder; raises MissingFileError when it is nothing and ``refuse`` when it is closed."""
    return stat.S_ISDIR(_mode(path, refuse))


def read_bytes(path: Path, refuse: type[BadFileError] = BadFileError, *, limit: int = MAX_BYTES) -> bytes:
    """The content of a regular file of at most ``limit`` bytes.

    Raises MissingFileError when there is none, and ``refuse`` when it is no regular file, too large or unreadable.
    """
    if not stat.S_ISREG(_mode(path, refuse)):
        raise refuse(f"{shown(path)} is not a regular file.")
    try:
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0))
        with os.fdopen(descriptor, "rb") as file:
            raw = file.read(limit + 1)
    except OSError as error:
        raise refuse(f"{shown(path)} cannot be read: {error.strerror or error}.") from None
    if len(raw) > limit:
        raise refuse(f"{shown(path)} is larger than {limit // 1_000_000} MB.")
    return raw


def _mode(path: Path, refuse: type[BadFileError]) -> int:
    try:
        return path.stat().st_mode
    except (FileNotFoundError, NotADirectoryError):
        raise MissingFileError(f"{shown(path)} does not exist.") from None
    except OSError as error:
        raise refuse(f"{shown(path)} cannot be read: {error.strerror or error}.") from None
    except ValueError:
        raise MissingFileError(f"{shown(path)} is no path.") from None
