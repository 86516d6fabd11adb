"""What the programs under test do: each function runs in a process of its own, which a test may kill.

An acknowledgement is one line in a file, written by one system call after the commit that it tells of, so that it
outlives whoever wrote it.
"""

from __future__ import annotations

import ctypes
import os
import resource
import sqlite3
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

# Loaded once by the server that forks these processes, so that each of them starts at once.
import planner.cli.program
import planner.store.maintenance
import planner.store.migrating
from planner.__main__ import main
from planner.cli.diagnostics import explained, guarded
from planner.model.inputs import default_values
from planner.model.scenario import Scenario
from planner.store import Change, Library, open_library
from planner.store.backup import take
from planner.store.database import now

POLL = 0.002


class Acknowledgements:
    """A file of lines, each written with one system call."""

    def __init__(self, path: str) -> None:
        self._handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)

    def say(self, line: object) -> None:
        """Write one line."""
        os.write(self._handle, f"{line}\n".encode())


def run_in_child(
    work: Callable[..., object],
    arguments: Sequence[object],
    output: str,
    environment: Mapping[str, str],
    limits: Mapping[int, int],
    bound_by_modes: bool,
) -> None:
    """Do ``work`` with its output in the files ``output``.out and .err; the process ends with what it returns."""
    for descriptor, ending in ((1, "out"), (2, "err")):
        handle = os.open(f"{output}.{ending}", os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        os.dup2(handle, descriptor)
        os.close(handle)
    os.environ.update(environment)
    if "FAULTS_UMASK" in environment:
        os.umask(int(environment["FAULTS_UMASK"]))
    if "TZ" in environment:
        time.tzset()
    if bound_by_modes:
        obey_modes()
    for limit, value in limits.items():
        resource.setrlimit(limit, (value, value))
    result = work(*arguments)
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(result if isinstance(result, int) else 0)


def obey_modes() -> None:
    """Give up what lets root read and write whatever a file's permissions say; harmless for others.

    Layout and numbers are those of capset(2) and capabilities(7): DAC_OVERRIDE is 1, DAC_READ_SEARCH is 2.
    """
    libc = ctypes.CDLL(None, use_errno=True)
    header = (ctypes.c_uint32 * 2)(0x20080522, 0)
    data = (ctypes.c_uint32 * 6)()
    assert libc.capget(header, data) == 0
    for index in range(3):
        data[index] &= ~0b110
    assert libc.capset(header, data) == 0


def command(*arguments: str) -> int:
    """The program itself with ``arguments``."""
    return main(arguments)


def wait_for_tracer() -> None:
    """Wait until strace has attached itself to this process."""
    # PR_SET_PTRACER, PR_SET_PTRACER_ANY: where only a parent may trace, let anybody.
    ctypes.CDLL(None).prctl(0x59616D61, ctypes.c_ulong(-1), 0, 0, 0)
    status = Path("/proc/self/status")
    deadline = time.monotonic() + 20
    while "TracerPid:\t0\n" in status.read_text(encoding="ascii", errors="replace"):
        if time.monotonic() > deadline:
            raise TimeoutError("strace did not attach")
        time.sleep(POLL)


def edit_without_end(database: str, acknowledgements: str, traced: bool = False) -> None:
    """Count the first scenario's prompt_tokens up, and acknowledge each commit."""
    acks = Acknowledgements(acknowledgements)
    with open_library(database, create=False) as library:
        first = library.scenarios()[0]
        number = int(str(first.scenario.values["prompt_tokens"]))
        acks.say(f"open {number}")
        if traced:
            wait_for_tracer()
            acks.say("traced")
        while True:
            number += 1
            library.edit([Change(first.id, "prompt_tokens", number)])
            acks.say(number)


def edit_times(database: str, acknowledgements: str, scenario: str, name: str, times: int) -> int:
    """Give one field of ``scenario`` ``times`` values, one after another, and acknowledge each."""
    acks = Acknowledgements(acknowledgements)

    def work() -> None:
        with open_library(database, create=False) as library:
            identifier = library.find(scenario).id
            for number in range(1, times + 1):
                library.edit([Change(identifier, name, 100 + number)])
                acks.say(number)

    return guarded(work)


def edit_on_request(database: str, acknowledgements: str, requests: str, traced: bool = False) -> None:
    """Open the library, then set prompt_tokens to each line that appears in the file ``requests``.

    Acknowledge ``open``, and for each line ``ok``, or the exit code and the sentence.
    """
    acks = Acknowledgements(acknowledgements)
    with open_library(database, create=False) as library:
        identifier = library.scenarios()[0].id
        acks.say("open")
        if traced:
            wait_for_tracer()
            acks.say("traced")
        done = 0
        while True:
            lines = Path(requests).read_text(encoding="ascii").split("\n")[:-1] if Path(requests).exists() else []
            for line in lines[done:]:
                if line == "end":
                    return
                _try_edit(library, identifier, int(line), acks)
            # A file that is just being written again is shorter for a moment.
            done = max(done, len(lines))
            time.sleep(POLL)


def _try_edit(library: Library, identifier: int, number: int, acks: Acknowledgements) -> None:
    try:
        library.edit([Change(identifier, "prompt_tokens", number)])
    except Exception as error:  # noqa: BLE001 - the test looks at each
        message, code = explained(error)
        acks.say(f"{code} {message}")
    else:
        acks.say("ok")


def grow_without_end(database: str, acknowledgements: str) -> int:
    """Write ever longer notes until that is refused; the exit code, the sentence on stderr."""
    acks = Acknowledgements(acknowledgements)

    def work() -> None:
        with open_library(database, create=False) as library:
            identifier = library.scenarios()[0].id
            for number in range(1, 200):
                library.set_notes(identifier, f"{number} " + "x" * 15_000)
                acks.say(number)

    return guarded(work)


def hold_exclusively(database: str, acknowledgements: str) -> None:
    """Hold SQLite's exclusive lock until killed."""
    connection = sqlite3.connect(database, isolation_level=None)
    connection.execute("BEGIN EXCLUSIVE")
    Acknowledgements(acknowledgements).say("held")
    time.sleep(600)


def back_up_without_end(database: str, acknowledgements: str) -> None:
    """Take one backup after another, and acknowledge each by its name."""
    acks = Acknowledgements(acknowledgements)
    acks.say("open")
    while True:
        acks.say(take(Path(database), now()).path.name)


def add_scenarios(database: str, acknowledgements: str, number: int, traced: bool = False) -> int:
    """Add ``number`` scenarios in one action."""
    acks = Acknowledgements(acknowledgements)

    def work() -> None:
        with open_library(database, create=False) as library:
            acks.say("open")
            if traced:
                wait_for_tracer()
                acks.say("traced")
            library.create_many(
                [
                    Scenario(f"added {one}", {**default_values(), "prompt_tokens": 1 + one}, {}, "n" * 999)
                    for one in range(number)
                ]
            )
            acks.say("added")

    return guarded(work)


def upgrade(database: str) -> int:
    """Bring the library to this program's tables; the exit code."""
    return guarded(lambda: planner.store.maintenance.upgrade(database))


def tell_size(acknowledgements: str) -> None:
    """Acknowledge how many bytes of addresses this process has."""
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
    Acknowledgements(acknowledgements).say(pages * resource.getpagesize())


def edit_default(acknowledgements: str) -> None:
    """Open the library that the environment names, and wait."""
    with open_library(None, create=False):
        Acknowledgements(acknowledgements).say("open")
        time.sleep(600)
