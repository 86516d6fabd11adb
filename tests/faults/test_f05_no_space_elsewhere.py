"""F05: no space is left for a backup, an export or SQLite's temporary files; what was there is untouched."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from planner.store import open_library
from tests.faults.newer import Newer
from tests.faults.support import assert_sound, digest, planner, query, says, untouched


@pytest.fixture
def full_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 64 KiB without a free page."""
    folder = tmp_path / "disk"
    folder.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k,mode=700", "tmpfs", folder], check=True)
    (folder / "ballast").write_bytes(bytes(16 * 4096))
    yield folder
    subprocess.run(["umount", folder], check=True)


@pytest.mark.root
def test_f05_a_backup(database: Path, full_disk: Path) -> None:
    with untouched(database, full_disk / "ballast"):
        says(planner("db", "backup", full_disk / "saved.db", "--db", database), 74, "saved.db", "full")
    assert_sound(database)


@pytest.mark.root
def test_f05_what_is_salvaged_or_copied(database: Path, full_disk: Path) -> None:
    with untouched(database, full_disk / "ballast"):
        salvage = ("db", "doctor", "--salvage", full_disk / "saved.db", "--db", database)
        for words in (salvage, ("db", "copy", database, full_disk / "saved.db")):
            says(planner(*words), 74, "saved.db")
    assert_sound(database)


@pytest.mark.root
def test_f05_a_restore(database: Path, small_disk: Path) -> None:
    path = small_disk / "plan.db"
    shutil.copy2(database, path)
    saved = database.with_name("saved.db")
    assert planner("db", "backup", saved, "--db", path).code == 0
    (small_disk / "ballast").write_bytes(bytes(shutil.disk_usage(small_disk).free))
    with untouched(path, saved):
        says(planner("db", "restore", saved, "--yes", "--db", path), 74, str(path))
    assert_sound(path)


@pytest.mark.root
def test_f05_a_migration(database: Path, small_disk: Path, newer: Newer) -> None:
    path = small_disk / "plan.db"
    shutil.copy2(database, path)
    with untouched(path):
        says(newer("db", "upgrade", "--db", path), 74, str(path), "MiB of free space", "nothing was changed")
        says(newer("list", "--db", path), 74, str(path), "MiB of free space", "nothing was changed")
    assert planner("list", "--db", path).code == 0


@pytest.mark.root
@pytest.mark.parametrize("ending", ["xlsx", "csv", "json", "md"])
def test_f05_an_export(database: Path, full_disk: Path, ending: str) -> None:
    with untouched(database, full_disk / "ballast"):
        says(planner("export", full_disk / f"plan.{ending}", "--db", database), 74, f"plan.{ending}", "No space left")


@pytest.mark.root
def test_f05_an_export_over_a_good_one(database: Path, full_disk: Path, tmp_path: Path) -> None:
    # The good one is small; the new one, of longer names, does not fit beside it.
    (full_disk / "ballast").unlink()
    target = full_disk / "plan.csv"
    target.write_bytes(bytes(8 * 4096))
    (full_disk / "ballast").write_bytes(bytes(7 * 4096))
    with untouched(target):
        says(planner("export", target, "--force", "--db", database), 74, str(target), "unchanged")


@pytest.mark.root
def test_f05_the_day_s_backup(database: Path, tmp_path: Path) -> None:
    """It cannot be taken, which is said and keeps nobody from working."""
    folder = database.parent / "backups"
    folder.mkdir(exist_ok=True)
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k,mode=700", "tmpfs", folder], check=True)
    try:
        ended = planner("set", "Toy 7B", "prompt_tokens=4001", "--db", database)
        assert list(folder.iterdir()) == []
    finally:
        subprocess.run(["umount", folder], check=True)
    assert ended.code == 0, ended.err
    assert query(database, "SELECT prompt_tokens FROM scenario WHERE name = 'Toy 7B'") == [(4001,)]
    assert "backup was not taken" in ended.err
    assert_sound(database)


@pytest.mark.root
def test_f05_temporary_files(database: Path, full_disk: Path) -> None:
    before = digest(database)
    environment = {"SQLITE_TMPDIR": str(full_disk), "TMPDIR": str(full_disk)}
    ended = planner("list", "--db", database, environment=environment)
    assert ended.code == 0, ended.err
    assert digest(database) == before
    ended = planner("set", "Toy 7B", "prompt_tokens=4001", "--db", database, environment=environment)
    assert ended.code == 0, ended.err
    assert sorted(path.name for path in full_disk.iterdir()) == ["ballast"]
    with open_library(database) as library:
        assert library.scenarios()[0].scenario.values["prompt_tokens"] == 4001
