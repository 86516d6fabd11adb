"""Reading TOML documents: the shipped ones, once each, and a user's own with every check."""

from __future__ import annotations

import hashlib
import tomllib
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

from catalog.errors import BadFileError
from catalog.files import read_bytes, shown
from planner.model.fields import printable

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


MOST_DOTS = 100
"""Dots in one key: the time and memory that the parser takes grow with their square."""


def read_toml(path: Path) -> Document:
    """The TOML document in a user's regular file of at most 4 MB; raises MissingFileError and BadFileError."""
    return parse_toml(read_bytes(path), shown(path))


def parse_toml(raw: bytes, where: str) -> Document:
    """The TOML document in ``raw``; raises BadFileError naming ``where`` and the line."""
    try:
        text = raw.decode("utf-8-sig")
        too_deep = any(line.partition("=")[0].count(".") > MOST_DOTS for line in text.splitlines())
        if not too_deep:
            return tomllib.loads(text)
    except UnicodeDecodeError as error:
        raise BadFileError(f"{where} is not UTF-8 text (byte {error.start}).") from None
    except tomllib.TOMLDecodeError as error:
        reason = printable(str(error))
        raise BadFileError(f"{where} is not TOML: {reason[:1].lower()}{reason[1:120]}.") from None
    except RecursionError:
        raise BadFileError(f"{where} is nested too deep.") from None
    except ValueError:
        # The parser passes on what Python says of an overlong number or an impossible date.
        raise BadFileError(f"{where} is not TOML: it holds a number or a date that cannot be.") from None
    raise BadFileError(f"{where} is nested too deep: a key has more than {MOST_DOTS} dots.")
