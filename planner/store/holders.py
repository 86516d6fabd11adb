"""Which other program holds the lock on a file, where the system tells: a hint for the message that it is busy."""

from __future__ import annotations

import os
from pathlib import Path

from planner.model.fields import printable


def holder_of(path: Path) -> str:
    """The process of this machine that holds a write lock on ``path``, as ``process 12 (name)``; empty when unknown.

    Read from the kernel's list of locks, proc(5): to open the file here would drop this program's own locks on it.
    """
    try:
        status = path.stat()
        lines = Path("/proc/locks").read_text(encoding="ascii", errors="replace").splitlines()
    except (OSError, ValueError):
        return ""
    file = f"{os.major(status.st_dev):02x}:{os.minor(status.st_dev):02x}:{status.st_ino}"
    for line in lines:
        fields = line.split()
        # Number, kind, sort, access, process, file, first and last byte; one that only waits has an arrow in front.
        if len(fields) >= 6 and fields[1] == "POSIX" and fields[3] == "WRITE" and fields[5] == file:
            process = fields[4]
            if process.isdigit() and int(process) != os.getpid():
                return f"process {process}{_name_of(process)}"
    return ""


def _name_of(process: str) -> str:
    try:
        name = Path(f"/proc/{process}/comm").read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        return ""
    return f" ({printable(name)})"
