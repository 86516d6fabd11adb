"""F25: the program is killed while it takes a backup; the last good one is there and passes its check."""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from planner.store import backup
from tests.faults import children
from tests.faults.support import Child, assert_sound, dice, fresh_planner, lines_of, long_run, planner


def left_behind(database: Path) -> list[str]:
    return [path.name for path in backup.folder_of(database).iterdir() if path.name.startswith(".")]


@long_run("rounds", 300)
def test_f25_every_backup_that_has_its_name_is_good(database: Path, tmp_path: Path, rounds: int) -> None:
    chance = dice()
    acknowledgements = tmp_path / "acks"
    for number in range(rounds):
        with Child(tmp_path, children.back_up_without_end, str(database), str(acknowledgements)) as child:
            time.sleep(chance.uniform(0.02, 0.2))
            child.kill()
        said = [line for line in lines_of(acknowledgements) if line != "open"]
        there = {one.path.name for one in backup.list_backups(database)}
        assert set(said) <= there
        for one in backup.list_backups(database)[: 3 if number % 10 else None]:
            assert backup.verify(one.path)
    assert_sound(database)
    kept = backup.list_backups(database)
    print(f"{rounds} kills, {len(kept)} backups, all good")
    assert kept
    # What the killed ones left behind has other names, and goes with a backup an hour later.
    assert planner("db", "backup", "--db", database).code == 0
    assert left_behind(database)
    backup.take(database, datetime.now(UTC) + timedelta(hours=2))
    assert left_behind(database) == []


@pytest.mark.parametrize("step", ["restore-copied", "restore-aside"])
def test_f25_a_restore_that_is_killed(database: Path, step: str) -> None:
    saved = planner("db", "backup", "--db", database)
    assert saved.code == 0
    assert planner("set", "Toy 7B", "prompt_tokens=4001", "--db", database).code == 0
    ended = fresh_planner("db", "restore", "--yes", "--db", database, environment={"PLANNER_FAILPOINT": step})
    assert ended.code == -9
    # There is a sound library at the path at every moment, the old one or the restored one.
    assert planner("list", "--db", database).code == 0
    assert_sound(database)
    # What is kept aside has its second in its name.
    time.sleep(1.1)
    assert planner("db", "restore", "--yes", "--db", database).code == 0
    assert planner("list", "--db", database).code == 0
    assert_sound(database)
