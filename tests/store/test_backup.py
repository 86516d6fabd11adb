"""Backups: verified, thinned, put back; and the upgrade, purge, copy and doctor that rely on them."""

from __future__ import annotations

import contextlib
import random
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from planner.model.fields import InputError
from planner.model.scenario import Scenario
from planner.store import Change, DamagedError, Library, NotFoundError, StoreError, backup, maintenance, open_library
from planner.store.backup import Backup, list_backups, take, take_daily, to_thin, verify
from planner.store.database import now

DAY = datetime(2026, 11, 2, 9, 30, tzinfo=UTC)


def damage(path: Path) -> None:
    """Overwrite the kind of every page but the first, so that no table can be read through."""
    content = bytearray(path.read_bytes())
    for page in range(4096, len(content), 4096):
        content[page] = 0x77
    path.write_bytes(content)


def test_a_backup_holds_what_was_there(file: Path) -> None:
    with open_library(file) as library:
        library.edit([Change(1, "batch", 3)])
        taken = take(file, DAY)
        library.edit([Change(1, "batch", 9)])
        assert taken.path.name == "plan-20261102T093000Z.db"
        assert verify(taken.path)["scenario"] == 5
        assert take(file, DAY).path.name == "plan-20261102T093000Z-2.db"
    with open_library(taken.path, create=False) as old:
        assert old.scenarios()[0].scenario.values["batch"] == 3


def test_the_first_change_of_a_day_takes_a_backup(file: Path) -> None:
    with open_library(file) as library:
        moments = iter([DAY + timedelta(hours=hours) for hours in range(400)])
        library.database.clock = lambda: next(moments)
        assert list_backups(file) == []
        for number in range(120):
            library.edit([Change(1, "batch", number + 2)])
        days = {one.at.astimezone().date() for one in list_backups(file)}
        assert len(list_backups(file)) == len(days) >= 3


def test_no_backup_where_nothing_has_changed(file: Path) -> None:
    with open_library(file) as library:
        library.edit([Change(1, "batch", 3)])
    for one in list_backups(file):
        one.path.unlink()
    assert take_daily(file, DAY) is not None
    assert take_daily(file, DAY + timedelta(hours=1)) is None
    assert take_daily(file, DAY + timedelta(days=3)) is None
    with open_library(file) as library:
        library.edit([Change(1, "batch", 4)])
    assert take_daily(file, DAY + timedelta(days=3)) is not None


def backups(*moments: datetime) -> list[Backup]:
    return [Backup(Path(f"plan-{moment:%Y%m%dT%H%M%SZ}.db"), moment) for moment in moments]


def test_thinning_keeps_days_weeks_months_and_years() -> None:
    every = backups(*(DAY - timedelta(hours=6 * number) for number in range(4 * 800)))
    gone = set(to_thin(every, DAY))
    kept = [one for one in every if one not in gone]
    ages = [(DAY - one.at) / timedelta(days=1) for one in kept]
    assert sum(age <= 2 for age in ages) == 9
    assert 20 <= len(kept) <= 34
    assert max(ages) > 600
    for month in range(11):
        assert any(30 * month <= age <= 30 * month + 45 for age in ages)


def test_a_wrong_clock_thins_nothing() -> None:
    every = backups(*(DAY - timedelta(days=number) for number in range(400)))
    assert to_thin(every, DAY)
    assert to_thin(every, DAY - timedelta(days=365)) == []
    future = DAY + timedelta(days=3650)
    assert to_thin([*backups(future), *every], future) == []
    gone = to_thin([*backups(future, future + timedelta(days=1)), *every], future + timedelta(days=1))
    assert not set(every[:8]) & set(gone)


def test_a_backup_that_fails_leaves_the_last_good_one(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    open_library(file).close()
    good = take(file, DAY)
    before = good.path.read_bytes()
    monkeypatch.setenv("PLANNER_FAILPOINT", "backup-copied=raise")
    with pytest.raises(StoreError, match="cannot be written") as caught:
        take(file, DAY + timedelta(days=1))
    assert caught.value.exit_code == 74
    monkeypatch.delenv("PLANNER_FAILPOINT")
    damage(file)
    with pytest.raises(DamagedError):
        take(file, DAY + timedelta(days=1))
    assert [path.name for path in (file.parent / "backups").iterdir()] == [good.path.name]
    assert good.path.read_bytes() == before


def test_a_damaged_library_is_not_written_any_more(file: Path) -> None:
    with open_library(file) as library:
        library.scenarios()
        damage(file)
        with pytest.raises(DamagedError, match="did not pass its check"):
            library.edit([Change(1, "batch", 3)])
        assert library.read_only


def test_restore_puts_the_newest_sound_backup_back(file: Path) -> None:
    with open_library(file) as library:
        library.edit([Change(1, "batch", 3)])
        take(file, now() + timedelta(seconds=1))
        library.edit([Change(1, "batch", 9)])
    broken = file.parent / "backups" / "plan-29990101T000000Z.db"
    broken.write_bytes(file.read_bytes()[:5000])
    damage(file)
    damaged = file.read_bytes()
    file.with_name("plan.db-journal").write_bytes(b"stale journal")
    done = maintenance.restore(file, moment=DAY)
    assert [path.name for path in done.kept] == [
        "plan.db.damaged-20261102T093000Z",
        "plan.db.damaged-20261102T093000Z-journal",
    ]
    assert done.kept[0].read_bytes() == damaged
    assert done.kept[1].read_bytes() == b"stale journal"
    with open_library(file, create=False) as library:
        assert library.scenarios()[0].scenario.values["batch"] == 3


def test_restore_of_a_missing_file_and_by_name(file: Path) -> None:
    open_library(file).close()
    taken = take(file, DAY)
    file.unlink()
    maintenance.restore(file, taken.path.name)
    assert verify(file)["scenario"] == 5
    with pytest.raises(NotFoundError, match="There is no backup nothing; the newest is plan-20261102T093000Z"):
        maintenance.restore(file, "nothing")


def test_restore_waits_for_nobody(file: Path) -> None:
    open_library(file).close()
    take(file, DAY)
    code = (
        "import sqlite3, sys; c = sqlite3.connect(sys.argv[1], isolation_level=None); c.execute('BEGIN IMMEDIATE'); "
        "print('locked', flush=True); input()"
    )
    command = [sys.executable, "-c", code, str(file)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "locked\n"
        with pytest.raises(StoreError, match="Another program is using") as caught:
            maintenance.restore(file)
        other.communicate("\n")
    assert caught.value.exit_code == 75
    assert sorted(path.name for path in file.parent.iterdir()) == ["backups", "plan.db"]


def test_backup_to_a_named_file(where: str, tmp_path: Path) -> None:
    target = tmp_path / "copy.db"
    with open_library(where) as library:
        library.edit([Change(library.scenarios()[0].id, "batch", 3)], why="to see")
        library.snapshot("sent")
        names = [one.scenario for one in library.scenarios()]
        history = [one.description for one in library.history()]
    assert maintenance.take_backup(where, target).path == target
    with open_library(target, create=False) as copied:
        assert [one.scenario for one in copied.scenarios()] == names
        assert [one.description for one in copied.history()][-len(history) :] == history
        assert copied.snapshot_scenarios("sent") == names
    with pytest.raises(StoreError, match="exists already"):
        maintenance.take_backup(where, target)


@pytest.mark.postgres
def test_a_workspace_moves_between_stores_and_back(file: Path, server_address: str, tmp_path: Path) -> None:
    with open_library(file) as library:
        library.create_workspace("Budget")
        library.use_workspace("Budget")
        library.create(Scenario("größe", library.find("Examples/Toy 7B").scenario.values, {"peak_flops": 1e16}, "n"))
        library.edit([Change(library.find("größe").id, "batch", 7)], why="because")
        library.snapshot("sent")
        library.put_entry("accelerator", "mine", {"x": [1, 2.5, None, "ü"]})
    maintenance.copy(file, server_address, "Budget")
    back = tmp_path / "back.db"
    maintenance.copy(server_address, back, "Budget", "Returned")
    with open_library(file) as first, open_library(back) as last:
        first.use_workspace("Budget")
        assert last.workspace.name == "Returned"
        assert [one.scenario for one in last.scenarios()] == [one.scenario for one in first.scenarios()]
        assert last.snapshot_scenarios("sent") == first.snapshot_scenarios("sent")
        assert last.entries()[0].document == first.entries()[0].document
        there = [(one.action, one.why, one.at) for one in last.history() if one.action in ("create", "edit")]
        assert there == [(one.action, one.why, one.at) for one in first.history() if one.action in ("create", "edit")]
    with pytest.raises(StoreError, match="already a workspace 'Budget'"):
        maintenance.copy(file, server_address, "Budget")


def test_purge_removes_what_was_deleted_long_ago(library: Library, scenario: Callable[..., Scenario]) -> None:
    old = library.create(scenario("old"))
    library.edit([Change(old.id, "batch", 2)])
    library.delete(old.id)
    new = library.create(scenario("new"))
    library.delete(new.id)
    library.create_workspace("gone")
    library.delete_workspace("gone")
    assert maintenance.purge(library) == {"workspaces": 0, "scenarios": 0, "entries": 0}
    future = now() + timedelta(days=31)
    library.database.clock = lambda: future
    library.undelete(new.id)
    assert maintenance.purge(library) == {"workspaces": 1, "scenarios": 1, "entries": 0}
    assert library.deleted_scenarios() == []
    assert library.find("new").scenario == new.scenario
    assert not library.history(old.id)
    with pytest.raises(InputError, match="0 to 36,500"):
        maintenance.purge(library, -1)
    assert maintenance.examine(library.description if library.path else library_address(library)).problems == []


def library_address(library: Library) -> str:
    return library.database.engine.url.render_as_string(hide_password=False)


def test_the_doctor_finds_nothing_in_a_sound_library(where: str) -> None:
    with open_library(where) as library:
        library.edit([Change(library.scenarios()[0].id, "batch", 3)])
        library.snapshot("sent")
    report = maintenance.examine(where)
    assert report.problems == []
    assert report.checked["scenario"] == 5


def test_the_doctor_names_damaged_rows(file: Path) -> None:
    with open_library(file) as library:
        library.snapshot("sent")
    with contextlib.closing(sqlite3.connect(file, isolation_level=None)) as connection:
        connection.execute("PRAGMA ignore_check_constraints = ON")
        connection.execute("UPDATE scenario SET batch = -5, tags = '[1' WHERE id = 1")
        connection.execute("UPDATE scenario SET overrides = '{\"nothing\": 1}' WHERE id = 2")
        connection.execute("UPDATE snapshot SET content = '[]'")
        connection.execute("UPDATE revision_change SET after = '{' WHERE scenario_id = 3")
        connection.execute("UPDATE revision SET at = 'yesterday' WHERE id = 1")
    problems = maintenance.examine(file).problems
    for expected in (
        "Scenario 1: The stored Fixed batch (batch) of 'Toy 7B' is damaged",
        "Scenario 1: the tags of 'Toy 7B' cannot be read",
        "Scenario 2: The stored fact (nothing)",
        "Snapshot 1 ('sent') is not what was saved",
        "what it changed in scenario 3 cannot be read",
        "Revision 1: its time cannot be read",
    ):
        assert any(expected in problem for problem in problems), expected


def test_the_doctor_saves_what_can_be_read(file: Path, tmp_path: Path, scenario: Callable[..., Scenario]) -> None:
    with open_library(file) as library:
        library.create_many([scenario(f"s{number}") for number in range(300)])
    content = bytearray(file.read_bytes())
    generator = random.Random(4)  # noqa: S311 - repeatable damage
    for page in generator.sample(range(20, len(content) // 4096), 6):
        content[4096 * page : 4096 * page + 64] = generator.randbytes(64)
    file.write_bytes(content)
    assert maintenance.examine(file).problems
    target = tmp_path / "saved.db"
    report = maintenance.salvage(file, target)
    assert report.problems
    assert report.checked["scenario"] > 200
    verify_rows(target, report.checked)
    with pytest.raises(StoreError, match="exists already"):
        maintenance.salvage(file, target)


def verify_rows(path: Path, counted: dict[str, int]) -> None:
    with contextlib.closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        assert connection.execute("SELECT count(*) FROM scenario").fetchone() == (counted["scenario"],)
    with open_library(path, create=False) as library:
        assert len(library.scenarios()) == counted["scenario"]


def test_names_of_backups_are_read_strictly(file: Path) -> None:
    open_library(file).close()
    taken = take(file, DAY)
    for name in (
        "plan-x.db",
        "other-20261102T093000Z.db",
        "plan-20261102T093000Z.db.tmp",
        "plan-20261102T093000Z-journal",
    ):
        (taken.path.parent / name).touch()
    assert list_backups(file) == [taken]
    assert backup.describe([taken])[0].startswith("plan-20261102T093000Z.db  2026-11-02 09:30 UTC")
