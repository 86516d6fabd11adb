"""Reading TOML documents: the shipped ones, once each, and a user's own with every check."""

from __future__ import annotations

import hashlib
import os
import stat
import tomllib
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

from catalog.errors import BadFileError, MissingFileError
from planner.model.fields import printable

MAX_BYTES = 4_000_000

Document = dict[str, Any]

SHEET_DOCUMENTS = ("accelerators", "engines", "formats", "interconnects", "models", "profiles")
"""Documents that facts of a sheet come from."""


@cache
def shipped(name: str) -> Document:
    """The shipped document ``name`` (without its ending), parsed once."""
    text = resources.files("catalog").joinpath("data", f"{name}.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)


@cache
def version() -> str:
    """The catalogue's version: the day its collection closed and a hash of what a sheet is filled from.

    Two programs with equal versions give one scenario equal facts.
    """
    folder = resources.files("catalog").joinpath("data")
    digest = hashlib.sha256()
    for name in SHEET_DOCUMENTS:
        digest.update(folder.joinpath(f"{name}.toml").read_bytes())
    return f"{shipped('formats')['collected']}+{digest.hexdigest()[:8]}"


def read_toml(path: Path) -> Document:
    """The TOML document in a user's regular file of at most 4 MB; raises MissingFileError and BadFileError."""
    where = printable(str(path))[-200:]
    try:
        mode = path.stat().st_mode
        if not stat.S_ISREG(mode):
            raise BadFileError(f"{where} is not a regular file.")
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0))
        with os.fdopen(descriptor, "rb") as file:
            raw = file.read(MAX_BYTES + 1)
    except (FileNotFoundError, NotADirectoryError, ValueError):
        raise MissingFileError(f"{where} does not exist.") from None
    except OSError as error:
        raise BadFileError(f"{where} cannot be read: {error.strerror or error}.") from None
    if len(raw) > MAX_BYTES:
        raise BadFileError(f"{where} is larger than {MAX_BYTES // 1_000_000} MB.")
    return parse_toml(raw, where)


def parse_toml(raw: bytes, where: str) -> Document:
    """The TOML document in ``raw``; raises BadFileError naming ``where`` and the line."""
    try:
        return tomllib.loads(raw.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise BadFileError(f"{where} is not UTF-8 text (byte {error.start}).") from None
    except tomllib.TOMLDecodeError as error:
        reason = printable(str(error))
        raise BadFileError(f"{where} is not TOML: {reason[:1].lower()}{reason[1:120]}.") from None
    except RecursionError:
        raise BadFileError(f"{where} is nested too deep.") from None
