"""Workbooks whose parts are changed, added or packed anew, past every library that writes them well."""

from __future__ import annotations

import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path


def rewrite(
    source: Path,
    target: Path,
    change: Callable[[str, bytes], bytes] = lambda _, part: part,
    more: Mapping[str, bytes] | None = None,
) -> None:
    """Write ``source`` to ``target`` with every part changed, and with the parts ``more``."""
    with zipfile.ZipFile(source) as old, zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            new.writestr(name, change(name, old.read(name)))
        for name, part in (more or {}).items():
            new.writestr(name, part)
