"""F03: the program is killed in every step of a migration; the tables are the old ones or the new ones."""

from __future__ import annotations

from pathlib import Path

import pytest

from planner.store import backup
from planner.store.tables import SCHEMA_VERSION
from tests.faults.newer import LATER, NEEDED, Newer
from tests.faults.support import assert_sound, digest, planner, query, says

STEPS = {
    "backup-copied": SCHEMA_VERSION,
    "backup-done": SCHEMA_VERSION,
    "migrate-begun": SCHEMA_VERSION,
    "migrate-saved": SCHEMA_VERSION,
    "migrate-step": SCHEMA_VERSION,
    "migrate-before-commit": SCHEMA_VERSION,
    "migrate-committed": LATER,
}
TABLES = ("workspace", "scenario", "revision", "revision_change", "snapshot", "catalogue_entry")


def version_of(path: Path) -> int:
    """The version of the tables, on which the header, Alembic's note and the tables themselves agree."""
    ((stated,),) = query(path, "PRAGMA user_version")
    assert query(path, "SELECT version_num FROM alembic_version") == [(f"{stated:04d}",)]
    columns = {row[1] for row in query(path, "PRAGMA table_info(workspace)")}
    assert ("later" in columns) == (stated == LATER)
    assert query(path, "SELECT count(*) FROM sqlite_master WHERE name LIKE '%alembic_tmp%'") == [(0,)]
    return int(stated)


def counts(path: Path) -> list[int]:
    return [query(path, f"SELECT count(*) FROM {table}")[0][0] for table in TABLES]  # noqa: S608 - our names


@pytest.mark.parametrize("step", STEPS)
def test_f03_killed_in_a_step(database: Path, newer: Newer, step: str) -> None:
    before = counts(database)
    ended = newer("db", "upgrade", "--db", database, PLANNER_FAILPOINT=step)
    assert (ended.code, ended.err) == (-9, "")
    if STEPS[step] == SCHEMA_VERSION:
        assert planner("list", "--db", database).code == 0
    assert version_of(database) == STEPS[step]
    ended = newer("db", "upgrade", "--db", database)
    assert ended.code == 0, ended.err
    assert version_of(database) == LATER
    assert counts(database) == before
    assert_sound(database)
    saved = [one for one in backup.list_backups(database) if one.before]
    assert [one.before for one in saved] == [f"{LATER:04d}"]
    assert backup.verify(saved[0].path)
    says(planner("list", "--db", database), 65, f"version {LATER}", f"version {NEEDED} or newer")


@pytest.mark.strace
def test_f03_killed_at_a_flush(database: Path, newer: Newer) -> None:
    before, number = counts(database), 0
    while version_of(database) == SCHEMA_VERSION:
        number += 1
        fault = f"inject=fsync,fdatasync:signal=SIGKILL:when={number}"
        ended = newer(
            *("db", "upgrade", "--db", database),
            under=("strace", "-f", "-qq", "-o", "/dev/null", "-e", "trace=fsync,fdatasync", "-e", fault),
        )
        assert ended.code in (-9, 0), ended.err
        # The next one to look rolls back.
        if planner("list", "--db", database).code == 0:
            assert version_of(database) == SCHEMA_VERSION
        assert counts(database) == before
        assert_sound(database)
    print(f"killed at {number - 1} flushes before one got through")
    assert number > 4
    assert newer("db", "upgrade", "--db", database).code == 0
    assert version_of(database) == LATER


def test_f03_ten_failed_attempts_keep_the_first_backup(database: Path, newer: Newer) -> None:
    kept, saved = "", []
    for _ in range(10):
        ended = newer("db", "upgrade", "--db", database, LATER_MIGRATION="fails")
        saved = [one.path for one in backup.list_backups(database) if one.before]
        assert len(saved) == 1
        sentence = says(ended, 65, str(database), "could not be brought up to date, it is as it was", str(saved[0]))
        assert f"db restore {saved[0].name}" in sentence
        kept = kept or digest(saved[0])
        assert digest(saved[0]) == kept
        assert version_of(database) == SCHEMA_VERSION
    backup.verify(saved[0])
    assert_sound(database)
    assert planner("list", "--db", database).code == 0
