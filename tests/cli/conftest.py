"""The program for its tests: in this process for the many, as a process of its own for the few."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from planner.__main__ import main
from planner.store import open_library

REPOSITORY = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Ran:
    """What a run of the program ended with."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """Stdout as the one JSON document that it must be."""
        return json.loads(self.out)

    @property
    def rows(self) -> dict[str, Any]:
        """The rows of an evaluation, value by name."""
        return {name: row["value"] for name, row in self.json["rows"].items()}


@pytest.fixture(scope="session")
def filled_library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A library as the first start makes it."""
    path = tmp_path_factory.mktemp("library") / "planner.db"
    open_library(path).close()
    return path


@pytest.fixture
def database(filled_library: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A library of the test's own, which PLANNER_DB names."""
    path = tmp_path / "planner.db"
    shutil.copy(filled_library, path)
    monkeypatch.setenv("PLANNER_DB", str(path))
    return path


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., Ran]]:
    """Runs the program in this process, without a terminal."""
    with Path(os.devnull).open() as nothing:
        monkeypatch.setattr(sys, "stdin", nothing)

        def call(*arguments: str | Path, code: int | None = 0) -> Ran:
            capsys.readouterr()
            ended = main([str(argument) for argument in arguments])
            captured = capsys.readouterr()
            ran = Ran(ended, captured.out, captured.err)
            assert code is None or ran.code == code, f"exit code {ran.code}: {ran.err}"
            assert "Traceback" not in ran.err
            return ran

        yield call


@pytest.fixture
def refuse(run: Callable[..., Ran]) -> Callable[..., str]:
    """Runs what must be refused: nothing on stdout, one sentence on stderr, which is returned."""

    def call(*arguments: str | Path, code: int = 2) -> str:
        ran = run(*arguments, code=code)
        assert ran.out == ""
        lines = ran.err.splitlines()
        assert len(lines) == 1, ran.err
        assert lines[0][:1].isupper() or lines[0][:1] in "'-/" or "://" in lines[0]
        assert lines[0].endswith((".", "?"))
        return lines[0]

    return call


def command(*arguments: str | Path) -> list[str]:
    """The program as a process is started."""
    return [sys.executable, "-m", "planner", *(str(argument) for argument in arguments)]


@pytest.fixture
def process() -> Callable[..., Ran]:
    """Runs the program as a process of its own."""

    def call(*arguments: str | Path, **options: Any) -> Ran:
        environment = {**os.environ, **options.pop("env", {})}
        done = subprocess.run(
            command(*arguments),
            cwd=REPOSITORY,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            timeout=120,
            check=False,
            **options,
        )
        return Ran(done.returncode, done.stdout, done.stderr)

    return call
