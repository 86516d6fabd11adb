"""Files that keep the details of an internal error: private, bounded, without passwords or control characters."""

from __future__ import annotations

import os
import platform
import traceback
from datetime import UTC, datetime
from pathlib import Path

import planner
from planner.model.fields import printable
from planner.store.redaction import redact

MAX_BYTES = 1_000_000


def append(file: Path, error: BaseException) -> bool:
    """Append ``error`` with its traceback to ``file``; False where that cannot be written.

    The file is readable by its owner alone; beyond a megabyte the old one is kept as NAME.1.
    """
    moment = datetime.now(UTC).isoformat(timespec="seconds")
    head = f"{moment} planner {planner.__version__}, Python {platform.python_version()}, {platform.platform()}"
    lines = redact(f"{head}\n{''.join(traceback.format_exception(error))}\n").split("\n")
    # Whoever looks at it does so in a terminal.
    text = "\n".join(map(printable, lines))
    try:
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        if file.is_file() and file.stat().st_size > MAX_BYTES:
            file.replace(file.with_name(f"{file.name}.1"))
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0)
        handle = os.open(file, flags, 0o600)
        try:
            os.write(handle, text.encode("utf-8", "backslashreplace"))
        finally:
            os.close(handle)
    except (OSError, RuntimeError):
        return False
    return True
