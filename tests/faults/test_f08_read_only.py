"""F08: the file or its folder may only be read; it opens read-only, says why, and refuses to save."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from planner.store import open_library
from tests.faults.support import planner, query, says, says_nothing, untouched
from tests.faults.terminal import open_screen


@pytest.mark.parametrize(("mode", "folder_mode", "why"), [(0o444, 0o755, "the file"), (0o644, 0o555, "its folder")])
def test_f08_without_the_permission_to_write(database: Path, mode: int, folder_mode: int, why: str) -> None:
    database.chmod(mode)
    database.parent.chmod(folder_mode)
    with untouched(database):
        says_nothing(planner("list", "--db", database, bound_by_modes=True))
        for command in (
            ("set", "Toy 7B", "prompt_tokens=7"),
            ("new", "one"),
            ("rename", "Toy 7B", "Toy"),
            ("delete", "Toy 7B"),
            ("undo",),
        ):
            says(
                planner(*command, "--db", database, bound_by_modes=True),
                77,
                str(database),
                "reading only",
                why,
                "may not be written",
            )


def test_f08_a_file_that_may_not_be_read(database: Path) -> None:
    database.chmod(0)
    says(planner("list", "--db", database, bound_by_modes=True), 77, str(database), "may not be read")


@pytest.fixture
def read_only_disk(database: Path, tmp_path: Path) -> Iterator[Path]:
    """The library on a file system that is mounted read-only."""
    folder = tmp_path / "medium"
    folder.mkdir()
    subprocess.run(["mount", "--bind", database.parent, folder], check=True)
    try:
        subprocess.run(["mount", "-o", "remount,bind,ro", folder], check=True)
        yield folder / database.name
    finally:
        subprocess.run(["umount", folder], check=True)


@pytest.mark.root
def test_f08_on_a_read_only_medium(read_only_disk: Path) -> None:
    with open_library(read_only_disk) as library:
        assert library.read_only
        assert "read-only file system" in library.read_only_reason
    with untouched(read_only_disk):
        says_nothing(planner("list", "--db", read_only_disk))
        says(planner("set", "Toy 7B", "prompt_tokens=7", "--db", read_only_disk), 77, "reading only")
        says(planner("new", "one", "--db", read_only_disk.with_name("other.db")), 77, "other.db cannot be created")
    assert query(read_only_disk, "PRAGMA integrity_check") == [("ok",)]


def test_f08_writing_beside_it_is_not_permitted(database: Path, tmp_path: Path) -> None:
    """77 for whatever a person may not write, 73 for where no file can be, whichever command it is."""
    folder = tmp_path / "kept"
    folder.mkdir(mode=0o555)
    saved = planner("db", "backup", "--db", database)
    assert saved.code == 0, saved.err
    with untouched(database):
        for place, code, why in ((folder, 77, "Permission denied"), (tmp_path / "no" / "such", 73, "")):
            for words in (
                ("db", "backup", place / "saved.db", "--db", database),
                ("db", "doctor", "--salvage", place / "saved.db", "--db", database),
                ("db", "copy", database, place / "saved.db"),
                ("export", place / "plan.csv", "--db", database),
            ):
                says(planner(*words, bound_by_modes=True), code, str(place), why)
        database.parent.chmod(0o555)
        try:
            says(planner("db", "restore", "--yes", "--db", database, bound_by_modes=True), 77, "Permission denied")
            database.parent.joinpath("backups").chmod(0o555)
            says(planner("db", "backup", "--db", database, bound_by_modes=True), 77, "Permission denied")
        finally:
            database.parent.chmod(0o755)
            database.parent.joinpath("backups").chmod(0o755)


@pytest.mark.root
def test_f08_the_screen_says_so_and_refuses_to_save(read_only_disk: Path) -> None:
    with untouched(read_only_disk), open_screen(read_only_disk, size=(250, 40)) as terminal:
        assert "may not be written" in terminal.text
        assert "read-only" in terminal.text.lower()
        terminal.mark()
        terminal.send("/prompt tok\r4001\r")
        terminal.wait_for("may not be written")
        terminal.signal(15)
        assert terminal.wait() == 143
