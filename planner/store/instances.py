"""Which programs are writing to a library: each notes itself with its first write, and goes when it closes.

A note whose process is gone from this machine was left by a crash.
"""

from __future__ import annotations

import os
import secrets
import socket
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

from sqlalchemy import delete, select
from sqlalchemy.orm import Session

import planner
from planner.model.fields import printable
from planner.store.tables import InstanceRow

FORGOTTEN = timedelta(days=7)
"""After this long a note of another machine no longer counts."""


@dataclass(frozen=True, slots=True)
class Instance:
    """A program that noted itself."""

    token: str
    host: str
    process: int
    start: str
    who: str
    since: datetime
    program: str

    def describe(self) -> str:
        """Who it is, for a message."""
        return (
            f"process {self.process} of {printable(self.who)} on {printable(self.host)}, since "
            f"{self.since:%Y-%m-%d %H:%M} UTC (planner {printable(self.program)})"
        )

    def may_run(self, moment: datetime) -> bool:
        """Whether it may still be there: on this machine its process is looked for, elsewhere its age decides."""
        if self.host == host():
            return process_start(self.process) == self.start
        return abs(moment - self.since) < FORGOTTEN


def host() -> str:
    """The name of this machine."""
    return socket.gethostname()[:255]


def process_start(process: int) -> str:
    """When ``process`` of this machine began, as the system counts it; empty where there is no such process."""
    try:
        # Field 22 of proc(5), behind the name, which may itself hold spaces and brackets.
        return (
            Path(f"/proc/{process}/stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()[19]
        )
    except (OSError, IndexError):
        pass
    if Path("/proc/self/stat").exists():
        return ""
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return ""
    except OSError:
        pass
    return "running"


def note(session: Session, who: str, moment: datetime) -> str:
    """Note this program, clear what crashed ones left, and return the token to withdraw with."""
    for other in listed(session):
        if not other.may_run(moment):
            session.execute(delete(InstanceRow).where(InstanceRow.token == other.token))
    token = secrets.token_hex(16)
    session.add(
        InstanceRow(
            token=token,
            host=host(),
            process=os.getpid(),
            process_start=process_start(os.getpid()),
            who=who,
            started_at=moment,
            program_version=planner.__version__,
        )
    )
    session.flush()
    return token


def withdraw(session: Session, token: str) -> None:
    """Take the note ``token`` back."""
    session.execute(delete(InstanceRow).where(InstanceRow.token == token))


def listed(session: Session) -> list[Instance]:
    """All programs that are noted, whether they run or not."""
    rows = session.scalars(select(InstanceRow).order_by(InstanceRow.id))
    return [
        Instance(row.token, row.host, row.process, row.process_start, row.who, row.started_at, row.program_version)
        for row in rows
    ]
