"""The system's clipboard: the platform's own program where there is one, and the terminal's OSC 52 sequence.

Neither says whether it worked, so nothing here claims that it did.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

TIMEOUT = 2.0


def native_program() -> list[str] | None:
    """The command that takes a text on its standard input into the clipboard; None where there is none."""
    if sys.platform == "darwin":
        return ["pbcopy"] if shutil.which("pbcopy") else None
    if os.environ.get("WAYLAND_DISPLAY") and shutil.which("wl-copy"):
        return ["wl-copy"]
    if os.environ.get("DISPLAY") and shutil.which("xclip"):
        return ["xclip", "-selection", "clipboard"]
    return ["clip.exe"] if shutil.which("clip.exe") else None


def hand_over(text: str) -> bool:
    """Give ``text`` to the platform's own program; False where there is none or it failed."""
    program = native_program()
    if program is None:
        return False
    try:
        done = subprocess.run(  # noqa: S603 - one of the programs above, the text on its standard input
            program,
            input=text.encode(),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=TIMEOUT,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0
