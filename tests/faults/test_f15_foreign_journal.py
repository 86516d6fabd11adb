"""F15: a journal or write-ahead log of another file lies beside the library, by a copy or a restore by hand."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest

from planner.store import maintenance, open_library
from tests.faults import children
from tests.faults.support import (
    Child,
    assert_sound,
    first_tokens,
    injecting,
    planner,
    says,
    says_nothing,
    untouched,
)


def journal_of(path: Path) -> Path:
    return path.with_name(path.name + "-journal")


@pytest.fixture
def interrupted(database: Path, tmp_path: Path) -> Path:
    """Another library that was killed in the middle of a write, with the journal that puts it back."""
    path = tmp_path / "other" / "plan.db"
    path.parent.mkdir()
    shutil.copy2(database, path)
    acknowledgements = tmp_path / "acks-other"
    with open_library(path) as library:
        library.set_notes(library.scenarios()[0].id, "y" * 9999)
    arguments = (str(path), str(acknowledgements), 50, True)
    with (
        Child(tmp_path, children.add_scenarios, *arguments) as child,
        injecting(child, acknowledgements, "pwrite64", "signal=SIGKILL:when=3", [path]),
    ):
        child.wait()
    assert journal_of(path).read_bytes().startswith(bytes.fromhex("d9d505f920a163d7"))
    return path


@pytest.mark.strace
def test_f15_a_journal_of_another_file_is_not_put_back(database: Path, interrupted: Path) -> None:
    shutil.copy2(journal_of(interrupted), journal_of(database))
    with untouched(database, journal_of(database)):
        says(
            planner("list", "--db", database),
            65,
            str(journal_of(database)),
            "not of the last write to plan.db",
            "move it",
        )
    journal_of(database).unlink()
    says_nothing(planner("list", "--db", database))
    assert_sound(database)


@pytest.mark.strace
def test_f15_a_journal_that_outlived_its_file_is_not_put_back(interrupted: Path, database: Path) -> None:
    # The file was replaced by an older copy of itself; the journal stayed.
    shutil.copy2(database, interrupted)
    with untouched(interrupted, journal_of(interrupted)):
        says(planner("set", "Toy 7B", "prompt_tokens=7", "--db", interrupted), 65, "not of the last write")


@pytest.mark.strace
def test_f15_its_own_journal_is_put_back_without_a_word(interrupted: Path) -> None:
    says_nothing(planner("list", "--db", interrupted))
    with open_library(interrupted) as library:
        assert len(library.scenarios()) == 5
    assert_sound(interrupted)


@pytest.mark.strace
def test_f15_restore_takes_the_journals_along(database: Path, interrupted: Path) -> None:
    moment = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
    backup = maintenance.take_backup(database, moment=moment)
    shutil.copy2(journal_of(interrupted), journal_of(database))
    restored = maintenance.restore(database, backup.path.name, moment=moment)
    aside = database.with_name("plan.db.damaged-20260102T030405Z")
    assert set(restored.kept) == {aside, aside.with_name(aside.name + "-journal")}
    assert not journal_of(database).exists()
    says_nothing(planner("list", "--db", database))
    assert_sound(database)


def test_f15_a_write_ahead_log_of_another_file_is_not_put_back(database: Path, tmp_path: Path) -> None:
    before = first_tokens(database)
    other = tmp_path / "wal.db"
    shutil.copy2(database, other)
    with closing(sqlite3.connect(other, isolation_level=None)) as connection:
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("UPDATE scenario SET prompt_tokens = 77")
        for ending in ("-wal", "-shm"):
            shutil.copy2(other.with_name(other.name + ending), database.with_name(database.name + ending))
    log = database.with_name(database.name + "-wal")
    with untouched(database, log):
        says(planner("list", "--db", database), 65, str(log), "not of the last write to plan.db", "move it away")
    log.unlink()
    says_nothing(planner("list", "--db", database))
    assert first_tokens(database) == before
    assert_sound(database)
