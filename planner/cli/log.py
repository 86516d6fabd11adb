"""The file that keeps the details of an internal error, for whoever reports it: private, bounded, without passwords."""

from __future__ import annotations

import os
import platform
import traceback
from datetime import UTC, datetime
from pathlib import Path

FOLDER = "llm-serving-planner"
FILE = "planner.log"
MAX_BYTES = 1_000_000


def path() -> Path:
    """Where the log is: the platform's folder for a person's logs."""
    from platformdirs import user_log_path

    return user_log_path(FOLDER, appauthor=False) / FILE


def record(error: BaseException) -> Path | None:
    """Append ``error`` with its traceback to the log; the log's path, None where it cannot be written.

    The file is readable by its owner alone; beyond a megabyte the old one is kept as planner.log.1.
    """
    from planner import __version__
    from planner.model.fields import printable
    from planner.store.redaction import redact

    moment = datetime.now(UTC).isoformat(timespec="seconds")
    head = f"{moment} planner {__version__}, Python {platform.python_version()}, {platform.platform()}"
    lines = redact(f"{head}\n{''.join(traceback.format_exception(error))}\n").split("\n")
    # Whoever looks at it does so in a terminal.
    text = "\n".join(map(printable, lines))
    try:
        file = path()
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        if file.is_file() and file.stat().st_size > MAX_BYTES:
            file.replace(file.with_name(FILE + ".1"))
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0)
        handle = os.open(file, flags, 0o600)
        try:
            os.write(handle, text.encode("utf-8", "backslashreplace"))
        finally:
            os.close(handle)
    except (OSError, RuntimeError):
        return None
    return file
