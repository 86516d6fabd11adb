"""A person's own keys, from a TOML file: ``difference = ["f6", "alt+d"]``, a command's name and its keys.

Keys are written as Textual names them. What the file does not name keeps its keys, unless another command takes one.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from catalog.errors import BadFileError, MissingFileError
from catalog.files import read_bytes
from planner.model.fields import nearest, printable
from planner.tui.actions import ACTIONS, KEYS, Action

NAME = "keys.toml"
MAX_BYTES = 64_000
MAX_KEYS = 8
NAMED = frozenset(
    "up down left right home end pageup pagedown insert delete backspace enter escape tab space".split()
) | {f"f{number}" for number in range(1, 25)}
HELD = ("ctrl", "alt", "shift")


class KeymapError(ValueError):
    """One sentence about a file of keys that is not used."""


def path() -> Path:
    """Where a person's file of keys is: the platform's folder for settings."""
    from platformdirs import user_config_path

    return user_config_path("llm-serving-planner", appauthor=False) / NAME


def use(file: Path) -> str:
    """Take the keys of ``file``; a sentence where it is not used, empty where it is or there is none."""
    try:
        rebind(read(file))
    except MissingFileError:
        return ""
    except BadFileError as error:
        return f"{error} The usual keys hold."
    except UnicodeDecodeError as error:
        return f"{file}: the keys cannot be read ({type(error).__name__}); the usual ones hold."
    except KeymapError as error:
        return f"{file}: {error} The usual keys hold."
    return ""


def read(file: Path) -> dict[str, tuple[str, ...]]:
    """The commands and keys of ``file``. Raises MissingFileError, BadFileError, UnicodeDecodeError and KeymapError."""
    raw = read_bytes(file)
    if len(raw) > MAX_BYTES:
        raise KeymapError(f"It is larger than {MAX_BYTES:,} bytes.")
    try:
        document = tomllib.loads(raw.decode())
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise KeymapError(f"It is no TOML: {printable(str(error))[:80]}.") from None
    found = {}
    for name, keys in document.items():
        if name not in ACTIONS:
            raise KeymapError(f"There is no command '{printable(name)[:40]}'{nearest(name, ACTIONS)}.")
        if not isinstance(keys, list) or len(keys) > MAX_KEYS or not all(isinstance(key, str) for key in keys):
            raise KeymapError(f"{name} takes a list of at most {MAX_KEYS} keys, as in ['f6', 'alt+d'].")
        for key in keys:
            if not is_key(key):
                raise KeymapError(
                    f"{name}: '{printable(key)[:20]}' is no key for a command; 'f9', 'ctrl+k', 'alt+d' are."
                )
        found[name] = tuple(dict.fromkeys(keys))
    return found


def is_key(text: str) -> bool:
    """Whether ``text`` names a key that types no character: letters alone are typed into cells."""
    *held, last = text.split("+")
    if len(set(held)) != len(held) or not set(held) <= set(HELD):
        return False
    return last in NAMED or (("ctrl" in held or "alt" in held) and len(last) == 1 and last.isascii() and last.isalnum())


def rebind(keys: Mapping[str, tuple[str, ...]]) -> None:
    """Give commands these keys in place of their own. Raises KeymapError, and changes nothing, where two share one."""
    taken: dict[str, str] = {}
    for name, wanted in keys.items():
        for key in wanted:
            if taken.setdefault(key, name) != name:
                raise KeymapError(f"{key} is given to {taken[key]} and to {name}.")
    new: dict[str, Action] = {}
    for name, found in ACTIONS.items():
        kept = tuple(key for key in found.keys if key not in taken)
        new[name] = replace(found, keys=keys.get(name, kept))
    if not any(new[name].keys for name in ("quit", "palette")):
        raise KeymapError("Neither Quit nor Commands would have a key.")
    ACTIONS.update(new)
    KEYS.clear()
    KEYS.update({key: found for found in ACTIONS.values() for key in found.keys})
