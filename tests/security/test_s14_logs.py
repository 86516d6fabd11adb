"""S14: the log of internal errors: private, bounded, named once, and without what a plan costs."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from planner.store import reports
from tests.faults.support import REPOSITORY, Ended, planner

CRASHING = """
import sys
from planner.store.library import Library
from planner.__main__ import main

Library.search = lambda *_, **__: 1 // 0
sys.exit(main(sys.argv[1:]))
"""


@pytest.fixture
def home(tmp_path: Path) -> Path:
    folder = tmp_path / "home"
    folder.mkdir()
    return folder


def crash(home: Path, database: Path, umask: int = 0o022) -> Ended:
    done = subprocess.run(
        [sys.executable, "-c", CRASHING, "list", "--db", str(database)],
        env={**os.environ, "HOME": str(home), "PYTHONPATH": str(REPOSITORY)},
        capture_output=True,
        text=True,
        check=False,
        umask=umask,
    )
    return Ended(done.returncode, done.stdout, done.stderr)


def test_s14_private_and_named_once(home: Path, database: Path) -> None:
    ended = crash(home, database, umask=0)
    assert ended.code == 70
    (path,) = home.rglob("*.log")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert path.parent.stat().st_mode & 0o077 == 0
    assert ended.err.count(str(path)) == 1
    assert len(ended.err.strip().splitlines()) == 1
    assert "ZeroDivisionError" in path.read_text()


def test_s14_it_is_rotated(home: Path, database: Path) -> None:
    assert crash(home, database).code == 70
    (path,) = home.rglob("*.log")
    path.write_text("x" * (reports.MAX_BYTES + 1))
    assert crash(home, database).code == 70
    assert path.stat().st_size < reports.MAX_BYTES
    assert sorted(one.name for one in path.parent.iterdir()) == ["planner.log", "planner.log.1"]
    assert all(stat.S_IMODE(one.stat().st_mode) == 0o600 for one in path.parent.iterdir())


def test_s14_a_link_in_its_place_is_not_followed(home: Path, database: Path) -> None:
    assert crash(home, database).code == 70
    (path,) = home.rglob("*.log")
    victim = home / "victim"
    victim.write_text("untouched")
    path.unlink()
    path.symlink_to(victim)
    ended = crash(home, database)
    assert ended.code == 70
    assert victim.read_text() == "untouched"
    assert "could not be written" in ended.err


def test_s14_ordinary_use_logs_nothing(home: Path, database: Path) -> None:
    environment = {"HOME": str(home)}
    for command in (("list",), ("set", "Toy 7B", "device_price_per_hour=1234.5"), ("show", "nothing"), ("compare",)):
        planner(*command, "--db", database, environment=environment)
    assert list(home.rglob("*.log*")) == []


def test_s14_no_control_character_gets_into_it(home: Path, database: Path) -> None:
    """An error may quote a name; whoever reads the log does so in a terminal."""
    hostile = "\x1b]52;c;ZXZpbA==\x07\x9b2J\u202e"
    raising = CRASHING.replace("1 // 0", f"(_ for _ in ()).throw(RuntimeError({hostile!r}))")
    done = subprocess.run(
        [sys.executable, "-c", raising, "list", "--db", str(database)],
        env={**os.environ, "HOME": str(home), "PYTHONPATH": str(REPOSITORY)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 70, done.stderr
    (path,) = home.rglob("*.log")
    text = path.read_text()
    assert "RuntimeError: \ufffd]52;c;" in text
    assert all(line.isprintable() for line in text.split("\n"))
