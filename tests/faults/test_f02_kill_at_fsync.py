"""F02: the program is killed at the n-th flush to the disk; what it acknowledged is there, and the file is sound."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.faults import children
from tests.faults.support import Child, assert_sound, first_tokens, injecting, lines_of, revisions


@pytest.mark.strace
def test_f02_killed_at_each_of_the_first_forty_flushes(database: Path, tmp_path: Path) -> None:
    start, noted = first_tokens(database), revisions(database)
    kept = []
    for number in range(1, 41):
        acknowledgements = tmp_path / f"acks-{number}"
        fault = f"signal=SIGKILL:when={number}"
        with (
            Child(tmp_path, children.edit_without_end, str(database), str(acknowledgements), True) as child,
            injecting(child, acknowledgements, "fsync,fdatasync", fault),
        ):
            ended = child.wait()
        assert (ended.code, ended.err) == (-9, "")
        lines = [line for line in lines_of(acknowledgements) if line != "traced"]
        said = int(lines[-1].split()[-1])
        found = first_tokens(database)
        assert said <= found <= said + 1
        assert revisions(database) - noted == found - start
        assert_sound(database)
        kept.append(found - said)
    print(f"40 kills; {sum(kept)} commits were on the disk that nobody had been told of")
