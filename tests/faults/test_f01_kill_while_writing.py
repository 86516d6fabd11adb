"""F01: the program is killed at random moments of writing; what it acknowledged is there, and the file is sound."""

from __future__ import annotations

import time
from pathlib import Path

from tests.faults import children
from tests.faults.support import (
    SEED,
    Child,
    assert_sound,
    dice,
    first_tokens,
    lines_of,
    long_run,
    planner,
    revisions,
    says_nothing,
)


@long_run("rounds", 1000)
def test_f01_nothing_acknowledged_is_lost(database: Path, tmp_path: Path, rounds: int) -> None:
    chance = dice()
    start, held, noted, cut_short = first_tokens(database), first_tokens(database), revisions(database), 0
    for number in range(rounds):
        acknowledgements = tmp_path / f"acks-{number}"
        with Child(tmp_path, children.edit_without_end, str(database), str(acknowledgements)) as child:
            time.sleep(chance.uniform(0.08, 0.33))
            ended = child.kill()
        assert (ended.code, ended.err) == (-9, "")
        cut_short += database.with_name(database.name + "-journal").exists()
        lines = lines_of(acknowledgements)
        said = int(lines[-1].split()[-1]) if lines else held
        # The next start rolls back what was not committed, without a word.
        held = first_tokens(database)
        assert said <= held <= said + 1
        assert revisions(database) - noted == held - start
        assert_sound(database)
        acknowledgements.unlink(missing_ok=True)
    print(f"{rounds} kills (seed {SEED}), {cut_short} in the middle of a write, {held - start} commits, none lost")
    assert held > start
    says_nothing(planner("list", "--db", database))
