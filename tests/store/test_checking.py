"""SQLite's check of a file: what it says of the file is damage, what it says of the machine is not."""

from __future__ import annotations

import contextlib
import sqlite3
from pathlib import Path

import pytest

from planner.store import open_library
from planner.store.checking import problems_in
from planner.store.translation import from_sqlite


class Saying(sqlite3.Connection):
    """A connection on which the check says what a machine without memory or with a failing disk makes it say."""

    said: tuple[str, ...] = ()

    def execute(self, sql: str, /, *_: object) -> sqlite3.Cursor:
        if sql != "PRAGMA integrity_check(5)":
            return super().execute(sql)
        values = ", ".join(f"('{text}')" for text in self.said)
        return super().execute(f"VALUES {values}")


def test_a_sound_file_and_a_broken_one(tmp_path: Path) -> None:
    path = tmp_path / "plan.db"
    open_library(path).close()
    with contextlib.closing(sqlite3.connect(path)) as connection:
        assert problems_in(connection, 5) == []
        assert problems_in(connection, 5, quickly=True) == []
    raw = bytearray(path.read_bytes())
    raw[36:40] = (7).to_bytes(4, "big")
    path.write_bytes(raw)
    with contextlib.closing(sqlite3.connect(path)) as connection:
        found = problems_in(connection, 5)
    assert len(found) == 1
    assert "size is 0 but should be 7" in found[0]


@pytest.mark.parametrize(
    ("said", "code", "words"),
    [
        ("*** in database main ***\n", 70, "not enough memory"),
        ("*** in database main ***\nTree 2 page 5: unable to get the page. error code=7", 70, "not enough memory"),
        ("Tree 2 page 5: unable to get the page. error code=3082", 70, "not enough memory"),
        ("Tree 2 page 5: unable to get the page. error code=266", 74, "failed on the disk"),
        ("On tree page 2543 cell 1: failed to get page 2546", 70, "not enough memory"),
    ],
    ids=["nothing said", "memory", "memory while reading", "disk", "a page"],
)
def test_a_check_that_could_not_be_made(tmp_path: Path, said: str, code: int, words: str) -> None:
    path = tmp_path / "plan.db"
    path.touch()
    with contextlib.closing(sqlite3.connect(path, factory=Saying)) as connection:
        connection.said = (said,)
        with pytest.raises(sqlite3.Error) as failed:
            problems_in(connection, 5)
    told = from_sqlite(failed.value, "plan.db")
    assert told.exit_code == code
    assert words in str(told)


def test_a_page_that_is_damaged_is_damage() -> None:
    with contextlib.closing(sqlite3.connect(":memory:", factory=Saying)) as connection:
        connection.said = ("*** in database main ***\nTree 2 page 5: unable to get the page. error code=11",)
        assert problems_in(connection, 5) == ["Tree 2 page 5: unable to get the page. error code=11"]
