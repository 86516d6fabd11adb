"""F16: somebody deletes the journal after a crash, which SQLite's own documentation forbids.

What was half written stays half written then. It is found where it breaks the structure of the file, and a restore is
offered; a cut between two rows that both look sound cannot be found, which is a documented limit.
"""

from __future__ import annotations

import shutil
from collections import Counter
from pathlib import Path

import pytest

from planner.store import maintenance
from planner.store.database import now
from tests.faults import children
from tests.faults.support import Child, assert_sound, injecting, planner, says_nothing


@pytest.mark.strace
def test_f16_the_file_is_checked_and_a_restore_is_offered(database: Path, tmp_path: Path) -> None:
    maintenance.take_backup(database, moment=now())
    outcomes: Counter[str] = Counter()
    for number in range(1, 60, 4):
        path = tmp_path / f"{number}" / "plan.db"
        shutil.copytree(database.parent, path.parent)
        journal = path.with_name("plan.db-journal")
        acknowledgements = tmp_path / f"acks-{number}"
        with (
            Child(tmp_path, children.add_scenarios, str(path), str(acknowledgements), 40, True) as child,
            injecting(child, acknowledgements, "pwrite64", f"signal=SIGKILL:when={number}", [path]),
        ):
            child.wait()
        assert journal.exists()
        journal.unlink()
        ended = planner("list", "--db", path)
        assert "Traceback" not in ended.err
        if ended.code == 0:
            outcomes["nothing to see"] += 1
            continue
        assert ended.code == 65, ended.err
        assert "damaged" in ended.err
        assert "restore" in ended.err
        outcomes["found"] += 1
        assert planner("db", "restore", "--yes", "--db", path).code == 0
        says_nothing(planner("list", "--db", path))
        assert_sound(path)
    print(dict(outcomes))
    assert outcomes["found"] > outcomes["nothing to see"]
