"""F24: the clock is wrong, goes back or jumps ahead; order does not depend on it, and no backup is thinned by it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from planner.store import Change, Library, backup, open_library
from planner.store.instances import FORGOTTEN, Instance
from tests.faults.support import assert_sound, execute, planner, query, says_nothing

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
CLOCKS = {
    "a year back": NOON - timedelta(days=365),
    "ten years ahead": NOON + timedelta(days=3653),
    "1970": datetime(1970, 1, 1, 0, 0, 1, tzinfo=UTC),
    "behind 2038": datetime(2038, 1, 19, 3, 14, 9, tzinfo=UTC),
    "9999": datetime(9999, 12, 30, 23, 59, 58, tzinfo=UTC),
}


def edit(library: Library, value: int, moment: datetime) -> None:
    library.database.clock = lambda: moment
    library.edit([Change(library.scenarios()[0].id, "prompt_tokens", value)])


@pytest.mark.parametrize("wrong", CLOCKS)
def test_f24_history_and_undo_go_by_sequence(database: Path, wrong: str) -> None:
    with open_library(database) as library:
        for number, moment in enumerate([NOON, CLOCKS[wrong], NOON + timedelta(seconds=1)]):
            edit(library, 4001 + number, moment)
        values = [next(iter(revision.after.values())).get("prompt_tokens") for revision in library.history(limit=3)]
        assert values == [4003, 4002, 4001]
        assert [revision.at for revision in library.history(limit=3)][1] == CLOCKS[wrong]
        library.undo()
        library.undo()
        assert library.scenarios()[0].scenario.values["prompt_tokens"] == 4001
        library.redo()
        assert library.scenarios()[0].scenario.values["prompt_tokens"] == 4002
    for arguments in (("list",), ("history",), ("db", "backup", "--list")):
        says_nothing(planner(*arguments, "--db", database))
    assert_sound(database)


@pytest.mark.parametrize("wrong", CLOCKS)
def test_f24_a_wrong_clock_thins_no_backup(database: Path, wrong: str) -> None:
    with open_library(database) as library:
        for day in range(40):
            edit(library, 4001 + day, NOON + timedelta(days=day))
        there = {one.path for one in backup.list_backups(database)}
        assert 10 < len(there) < 40
        edit(library, 9000, CLOCKS[wrong])
        edit(library, 9001, CLOCKS[wrong] + timedelta(days=1))
        assert there <= {one.path for one in backup.list_backups(database)}
        # With the clock right again, thinning goes on as before, and the newest stays.
        edit(library, 9002, NOON + timedelta(days=41))
    newest = backup.find(database, None)
    assert backup.verify(newest)
    assert_sound(database)


@pytest.mark.parametrize("zone", ["Pacific/Kiritimati", "America/New_York", "Asia/Kathmandu", "UTC"])
def test_f24_times_do_not_depend_on_the_zone(database: Path, zone: str) -> None:
    before = query(database, "SELECT at FROM revision ORDER BY id")
    assert planner("set", "Toy 7B", "prompt_tokens=4001", "--db", database, environment={"TZ": zone}).code == 0
    after = query(database, "SELECT at FROM revision ORDER BY id")
    assert after[: len(before)] == before
    stored = datetime.fromisoformat(after[-1][0])
    assert stored.utcoffset() == timedelta(0)
    assert abs(datetime.now(UTC) - stored) < timedelta(minutes=5)
    says_nothing(planner("history", "--db", database, environment={"TZ": zone}))


def test_f24_a_backup_in_the_hour_that_happens_twice(database: Path) -> None:
    # New York, 1 November 2026: 1:30 comes twice, an hour apart.
    with open_library(database) as library:
        for hour in (5, 6):
            backup.take(database, datetime(2026, 11, 1, hour, 30, tzinfo=UTC))
            edit(library, 4000 + hour, datetime(2026, 11, 1, hour, 31, tzinfo=UTC))
    names = [one.path.name for one in backup.list_backups(database)]
    assert names == ["plan-20261101T063000Z.db", "plan-20261101T053000Z.db"]


def test_f24_ages_are_never_negative(database: Path) -> None:
    execute(database, "UPDATE scenario SET modified_at = '9999-12-31T23:59:59.000000+00:00'")
    ended = planner("list", "--db", database)
    says_nothing(ended)
    assert "-" not in ended.out.replace("9999-12-31", "").replace("70B", "").split("Notes")[0]
    future = Instance("t", "elsewhere", 1, "", "who", datetime.now(UTC) + 2 * FORGOTTEN, "1")
    assert not future.may_run(datetime.now(UTC))
