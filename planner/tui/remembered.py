"""What the screen remembers from one start to the next: colours, pinned results and folds, in a small file.

It is a convenience: a file that is missing, damaged or cannot be written changes nothing else.
"""

from __future__ import annotations

import contextlib
import json
import os
import tempfile
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import get_args

from catalog.errors import BadFileError, MissingFileError
from catalog.files import read_bytes
from planner.tui.lines import Fold, all_lines, all_sections

MAX_BYTES = 64_000
MAX_PINS = 50
NAME = "screen.json"


@dataclass(frozen=True, slots=True)
class Remembered:
    """The name of the colour theme (empty: the usual one), pinned results, and folds of sections by their keys."""

    theme: str = ""
    pins: tuple[str, ...] = ()
    folds: Mapping[str, Fold] = field(default_factory=dict)


def load(path: Path) -> tuple[Remembered, str]:
    """What the file at ``path`` holds, and a sentence where it cannot be used.

    Lines and sections that there are no longer are left out.
    """
    try:
        raw = read_bytes(path)
        if len(raw) > MAX_BYTES:
            raise ValueError("too large")
        document = json.loads(raw)
        theme, pins, folds = document["theme"], document["pins"], document["folds"]
        if not (isinstance(theme, str) and isinstance(pins, list) and isinstance(folds, dict)):
            raise TypeError("another shape")
    except MissingFileError:
        return Remembered(), ""
    except (BadFileError, ValueError, TypeError, LookupError, RecursionError):
        return Remembered(), f"Colours, pins and folds are as at first: {path.name} in {path.parent} cannot be read."
    lines = all_lines()
    known = [pin for pin in pins[:MAX_PINS] if isinstance(pin, str) and pin in lines and lines[pin].kind == "result"]
    keys = {section.key for section in all_sections()}
    kept = {key: fold for key, fold in folds.items() if key in keys and fold in get_args(Fold)}
    return Remembered(theme, tuple(dict.fromkeys(known)), kept), ""


def save(path: Path, remembered: Remembered) -> None:
    """Write the file in one step, for its owner alone; where that fails, nothing is remembered."""
    text = json.dumps(asdict(remembered), indent=1)
    with contextlib.suppress(OSError):
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                file.write(text)
            Path(name).replace(path)
        except OSError:
            Path(name).unlink(missing_ok=True)
            raise
