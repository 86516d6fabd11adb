"""F13: the file is cut off; that is seen when it is opened, and the doctor and the backups are named."""

from __future__ import annotations

from pathlib import Path

import pytest

from planner.store import StoreError, open_library
from tests.faults.support import dice, planner, says, untouched

PAGE = 4096


def test_f13_cut_at_every_page_and_anywhere(database: Path, tmp_path: Path) -> None:
    content = database.read_bytes()
    chance = dice()
    lengths = [*range(PAGE, len(content), PAGE), *(chance.randrange(1, len(content)) for _ in range(60)), 99, 100, 101]
    path = tmp_path / "cut.db"
    for length in lengths:
        path.write_bytes(content[:length])
        with untouched(path), pytest.raises(StoreError) as caught:
            open_library(path)
        assert caught.value.exit_code == 65
        sentence = str(caught.value)
        assert "left as it is" in sentence
        if length >= 100:
            assert "damaged" in sentence
            assert "doctor" in sentence
            assert "restore" in sentence


@pytest.mark.parametrize("pages", [1, 17, -1])
def test_f13_the_program_says_so(database: Path, pages: int) -> None:
    content = database.read_bytes()
    database.write_bytes(content[: pages * PAGE])
    with untouched(database):
        says(planner("list", "--db", database), 65, "damaged", "doctor", "restore")
