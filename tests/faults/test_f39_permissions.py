"""F39: whoever made new files may read them and nobody else; an export is as open as the umask says."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from tests.faults.support import planner


@pytest.fixture(params=[0o000, 0o022, 0o077], ids=oct)
def umask(request: pytest.FixtureRequest) -> int:
    """The permissions that new files of the program must not have."""
    value: int = request.param
    return value


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_f39_library_backups_and_log_are_private(umask: int, tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    environment = {"HOME": str(home), "FAULTS_UMASK": str(umask)}
    assert planner("set", "Toy 7B", "prompt_tokens=4001", environment=environment).code == 0
    assert planner("db", "backup", environment=environment).code == 0
    files = [path for path in home.rglob("*") if path.is_file()]
    assert {path.suffix for path in files} >= {".db"}
    assert len([path for path in files if path.parent.name == "backups"]) >= 1
    assert {path.name: mode(path) for path in files} == {path.name: 0o600 for path in files}
    folders = [path for path in home.rglob("*") if path.is_dir() and "llm-serving-planner" in str(path)]
    assert folders
    assert all(mode(path) & 0o077 == 0 for path in folders)


def test_f39_an_export_is_as_open_as_the_umask_says(umask: int, database: Path, tmp_path: Path) -> None:
    target = tmp_path / "plan.csv"
    environment = {"FAULTS_UMASK": str(umask)}
    assert planner("export", target, "--db", database, environment=environment).code == 0
    assert mode(target) == 0o666 & ~umask
    # One that is there keeps its own.
    target.chmod(0o640)
    assert planner("export", target, "--db", database, environment=environment).code == 0
    assert mode(target) == 0o640


def test_f39_a_library_at_a_named_place(umask: int, tmp_path: Path) -> None:
    environment = {"FAULTS_UMASK": str(umask)}
    assert planner("list", "--db", tmp_path / "x.db", environment=environment).code == 0
    assert planner("db", "backup", tmp_path / "saved.db", "--db", tmp_path / "x.db", environment=environment).code == 0
    assert planner("db", "copy", tmp_path / "x.db", tmp_path / "copied.db", environment=environment).code == 0
    salvage = ("db", "doctor", "--salvage", tmp_path / "salvaged.db", "--db", tmp_path / "x.db")
    assert planner(*salvage, environment=environment).code == 0
    restore = ("db", "restore", tmp_path / "saved.db", "--yes", "--db", tmp_path / "x.db")
    assert planner(*restore, environment=environment).code == 0
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert len(files) == 6
    assert {mode(path) for path in files} == {0o600}
