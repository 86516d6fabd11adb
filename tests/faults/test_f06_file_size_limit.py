"""F06: the file may not grow beyond a limit, which SQLite reports otherwise than a full disk."""

from __future__ import annotations

import resource
from pathlib import Path

from tests.faults import children
from tests.faults.support import Child, assert_sound, first_tokens, lines_of, planner, query, says, says_nothing


def test_f06_the_file_cannot_grow(database: Path, tmp_path: Path) -> None:
    acknowledgements = tmp_path / "acks"
    limits = {resource.RLIMIT_FSIZE: 200_000}
    ended = Child(tmp_path, children.grow_without_end, str(database), str(acknowledgements), limits=limits).wait()
    says(ended, 74, str(database), "nothing was changed")
    assert "damaged" not in ended.err
    assert_sound(database)
    last = int(lines_of(acknowledgements)[-1])
    assert last >= 1
    (notes,) = query(database, "SELECT notes FROM scenario WHERE name = 'Toy 7B'")[0]
    assert notes.startswith(f"{last} x")
    # With the limit gone, everything works again.
    says_nothing(planner("list", "--db", database))
    assert planner("set", "Toy 7B", "prompt_tokens=4001", "--db", database).code == 0
    assert first_tokens(database) == 4001


def test_f06_the_command_ends_with_74(database: Path) -> None:
    ended = planner(
        "notes", "Toy 7B", "x" * 19_000, "--db", database, limits={resource.RLIMIT_FSIZE: database.stat().st_size}
    )
    assert ended.code == 74
    assert "nothing was changed" in ended.err
    assert "damaged" not in ended.err
    assert_sound(database)
