"""F11: the file is no SQLite database."""

from __future__ import annotations

import zipfile
from collections.abc import Callable
from pathlib import Path

import openpyxl
import pytest

from tests.faults.support import planner, says, untouched


def _text(path: Path) -> None:
    path.write_text("SELECT this is not a database;\n" * 99)


def _zip(path: Path) -> None:
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("plan.db", "x" * 999)


def _workbook(path: Path) -> None:
    book = openpyxl.Workbook()
    book.save(path)


def _noise(path: Path) -> None:
    path.write_bytes(bytes(range(256)) * 64)


def _one_byte(path: Path) -> None:
    path.write_bytes(b"S")


def _almost(path: Path) -> None:
    path.write_bytes(b"SQLite format 3\0")


@pytest.mark.parametrize(
    ("make", "what"),
    [
        (_text, "not a planner database"),
        (_zip, "a zip archive or an Excel workbook"),
        (_workbook, "a zip archive or an Excel workbook"),
        (_noise, "not a planner database"),
        (_one_byte, "not a planner database"),
        (_almost, "not a planner database"),
    ],
)
def test_f11_what_is_no_database_is_refused_and_left_alone(
    tmp_path: Path, make: Callable[[Path], None], what: str
) -> None:
    path = tmp_path / "x.db"
    make(path)
    with untouched(path):
        says(planner("set", "Toy 7B", "prompt_tokens=7", "--db", path), 65, str(path), what, "left as it is")
