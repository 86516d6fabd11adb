"""Places at which a test makes the program die, to prove that nothing is lost there. Off unless asked for."""

from __future__ import annotations

import os
import signal

VARIABLE = "PLANNER_FAILPOINT"
"""Environment variable that names one failpoint, for tests alone: ``NAME`` kills the process, ``NAME=raise`` raises."""


def failpoint(name: str) -> None:
    """Die here, as by a power cut, when the environment asks for failpoint ``name``.

    Raises OSError in place of dying for ``NAME=raise``.
    """
    wanted = os.environ.get(VARIABLE)
    if wanted is None:
        return
    if wanted == name:
        os.kill(os.getpid(), signal.SIGKILL)
    if wanted == f"{name}=raise":
        raise OSError(f"failpoint {name}")
