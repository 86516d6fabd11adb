"""Starting, watching and breaking programs, and what must hold of a library afterwards."""

from __future__ import annotations

import hashlib
import multiprocessing
import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from itertools import count
from multiprocessing.process import BaseProcess
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Self

import pytest

from planner.store import Stored, open_library
from tests.faults import children

PATIENCE = 60.0
"""Seconds after which something that should have happened has not, on a machine however busy."""
REPOSITORY = Path(__file__).resolve().parents[2]
SEED = int(os.environ.get("FAULTS_SEED", "20260101"))
"""Where every random choice of these tests comes from."""

_context = multiprocessing.get_context("forkserver")
_context.set_forkserver_preload(["tests.faults.warm"])
_numbers = count(1)


def dice(salt: object = "") -> random.Random:
    """Random choices that are the same with every run; ``salt`` tells those of one test from those of another."""
    return random.Random(f"{SEED} {salt}")  # noqa: S311 - nothing secret


def long_run(name: str, full: int) -> pytest.MarkDecorator:
    """Run a test with ``name`` a tenth of ``full``, and with ``full`` where it is asked to soak."""
    return pytest.mark.parametrize(name, [full // 10, pytest.param(full, marks=pytest.mark.soak)])


@dataclass(frozen=True, slots=True)
class Ended:
    """How a program ended: its exit code, or minus the signal that ended it, and what it wrote."""

    code: int
    out: str
    err: str


class Child:
    """A process that runs a function of ``children``; as a context manager it is killed at the end."""

    def __init__(
        self,
        folder: Path,
        work: Callable[..., object],
        *arguments: object,
        environment: Mapping[str, str] | None = None,
        limits: Mapping[int, int] | None = None,
        bound_by_modes: bool = False,
    ) -> None:
        self._output = folder / f"child-{next(_numbers)}"
        self._process: BaseProcess = _context.Process(
            target=children.run_in_child,
            args=(work, arguments, str(self._output), dict(environment or {}), dict(limits or {}), bound_by_modes),
        )
        self._process.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.kill()

    @property
    def pid(self) -> int:
        """The number of the process."""
        assert self._process.pid is not None
        return self._process.pid

    @property
    def runs(self) -> bool:
        """Whether it still runs."""
        return self._process.is_alive()

    def signal(self, number: int) -> None:
        """Send it a signal."""
        if self._process.is_alive():
            os.kill(self.pid, number)

    def kill(self) -> Ended:
        """End it by SIGKILL."""
        self.signal(signal.SIGKILL)
        return self.wait()

    def wait(self, seconds: float = PATIENCE) -> Ended:
        """Wait for its end."""
        self._process.join(seconds)
        code = self._process.exitcode
        assert code is not None, f"the child {self.pid} did not end within {seconds:g} s"
        texts = [
            path.read_text(encoding="utf-8", errors="replace") if path.exists() else ""
            for path in (self._output.with_suffix(".out"), self._output.with_suffix(".err"))
        ]
        return Ended(code, *texts)


@contextmanager
def injecting(
    child: Child, acknowledgements: Path, calls: str, fault: str, paths: Sequence[Path] = ()
) -> Iterator[subprocess.Popen[bytes]]:
    """Let system ``calls`` of ``child``, which waits for that, end in ``fault``, as strace's inject= names it.

    With ``paths`` only calls on these files are meant.
    """
    wait_for_lines(acknowledgements, 1, child)
    tracer = subprocess.Popen(
        [
            *("strace", "-qq", "-f", "-o", "/dev/null", "-p", str(child.pid)),
            *("-e", f"trace={calls}", "-e", f"inject={calls}:{fault}"),
            *(part for path in paths for part in ("-P", str(path))),
        ],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    try:
        wait_until(
            lambda: "traced" in lines_of(acknowledgements) or not child.runs or tracer.poll() is not None,
            "strace attached",
        )
        yield tracer
    finally:
        # At SIGTERM it lets go of the child, which runs on without faults.
        tracer.terminate()
        said = tracer.communicate(timeout=PATIENCE)[1].decode()
        assert "strace:" not in said, said


def wait_until(condition: Callable[[], object], what: str, seconds: float = PATIENCE) -> None:
    """Wait until ``condition`` holds."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, f"{what}: not within {seconds:g} s"
        time.sleep(0.002)


def lines_of(path: Path) -> list[str]:
    """The whole lines of a file that may not be there yet, or be written to."""
    if not path.exists():
        return []
    return path.read_text(encoding="utf-8").split("\n")[:-1]


def wait_for_lines(path: Path, number: int, child: Child | None = None) -> list[str]:
    """Wait until ``path`` has ``number`` lines."""
    wait_until(
        lambda: len(lines_of(path)) >= number or (child is not None and not child.runs),
        f"{number} lines in {path.name}",
    )
    return lines_of(path)


def planner(
    *arguments: object,
    environment: Mapping[str, str] | None = None,
    limits: Mapping[int, int] | None = None,
    bound_by_modes: bool = False,
) -> Ended:
    """Run the program with ``arguments`` in a process that is forked with everything loaded."""
    with TemporaryDirectory() as folder:
        texts = [str(one) for one in arguments]
        options: dict[str, Any] = {"environment": environment, "limits": limits, "bound_by_modes": bound_by_modes}
        return Child(Path(folder), children.command, *texts, **options).wait()


def fresh_planner(
    *arguments: object,
    environment: Mapping[str, str] | None = None,
    under: Sequence[str] = (),
    seconds: float = PATIENCE,
    tree: Path = REPOSITORY,
    cwd: Path | None = None,
) -> Ended:
    """Run the program with ``arguments`` as a person would, ``under`` another one such as strace.

    ``tree`` is the checkout to run.
    """
    done = subprocess.run(
        [*under, sys.executable, "-P", "-m", "planner", *map(str, arguments)],
        env={**os.environ, "PYTHONPATH": str(tree), **(environment or {})},
        cwd=cwd,
        capture_output=True,
        timeout=seconds,
        check=False,
        encoding="utf-8",
        errors="replace",
        stdin=subprocess.DEVNULL,
    )
    return Ended(done.returncode, done.stdout, done.stderr)


def says(ended: Ended, code: int, *words: str) -> str:
    """The one sentence that a program ended with, which holds ``words``; its exit code is ``code``."""
    assert ended.code == code, f"{ended.code}: {ended.err[:3000]}"
    assert "Traceback" not in ended.err + ended.out
    lines = ended.err.strip().splitlines()
    assert len(lines) == 1, ended.err
    (sentence,) = lines
    assert sentence.endswith("."), sentence
    assert sentence.isprintable(), sentence
    for word in words:
        assert word in sentence, sentence
    return sentence


def digest(path: Path) -> str:
    """What tells whether a file is the same, byte for byte."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


@contextmanager
def untouched(*paths: Path) -> Iterator[None]:
    """The files ``paths`` are the same afterwards, and nothing appeared beside them."""
    before = {path: digest(path) for path in paths}
    beside = {path.parent: sorted(path.parent.iterdir()) for path in paths}
    yield
    assert {path: digest(path) for path in paths} == before
    assert {folder: sorted(folder.iterdir()) for folder in beside} == beside


def query(path: Path, statement: str, *values: object) -> list[tuple[Any, ...]]:
    """Rows of a database file, read past the program."""
    with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as connection:
        return connection.execute(statement, values).fetchall()


def execute(path: Path, *statements: str) -> None:
    """Change a database file past the program."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        for statement in statements:
            connection.execute(statement)


def assert_sound(path: Path) -> None:
    """SQLite finds nothing wrong with the file."""
    assert query(path, "PRAGMA integrity_check") == [("ok",)]
    assert query(path, "PRAGMA foreign_key_check") == []


def first_tokens(path: Path) -> int:
    """prompt_tokens of the first scenario, through the library."""
    with open_library(path, create=False) as library:
        assert not library.read_only
        return int(str(first_scenario(library.scenarios()).scenario.values["prompt_tokens"]))


def first_scenario(stored: Sequence[Stored]) -> Stored:
    """The scenario of the first column, undamaged."""
    assert not stored[0].damaged
    return stored[0]


def revisions(path: Path) -> int:
    """The number of revisions."""
    return int(query(path, "SELECT count(*) FROM revision")[0][0])


def says_nothing(ended: Ended) -> None:
    """The program ended well, with nothing on stderr."""
    assert (ended.code, ended.err) == (0, "")
