"""The file that keeps the details of an internal error, for whoever reports it."""

from __future__ import annotations

from pathlib import Path

FOLDER = "llm-serving-planner"
FILE = "planner.log"


def path() -> Path:
    """Where the log is: the platform's folder for a person's logs."""
    from platformdirs import user_log_path

    return user_log_path(FOLDER, appauthor=False) / FILE


def record(error: BaseException) -> Path | None:
    """Append ``error`` with its traceback to the log; the log's path, None where it cannot be written."""
    from planner.store import reports

    try:
        file = path()
    except (OSError, RuntimeError):
        return None
    return file if reports.append(file, error) else None
