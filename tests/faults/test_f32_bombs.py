"""F32: files that are small outside and huge inside, or simply huge; refused at once, with little memory."""

from __future__ import annotations

import io
import os
import re
import subprocess
import sys
import time
import zipfile
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

from tests.faults.support import REPOSITORY, untouched
from tests.faults.workbooks import rewrite

MEASURED = """
import sys
from pathlib import Path
from planner.__main__ import main
code = main(sys.argv[1:])
for line in Path("/proc/self/status").read_text().splitlines():
    if line.startswith("VmHWM"):
        print(line.split()[1], file=sys.stderr)
sys.exit(code)
"""


@cache
def _zip_bomb() -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("docProps/custom.xml", "x")
        archive.writestr("xl/worksheets/sheet1.xml", bytes(600_000_000))
    return file.getvalue()


@cache
def _many_entries() -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for number in range(40_000):
            archive.writestr(f"{number}", b"")
    return file.getvalue()


def zip_bomb(path: Path) -> None:
    path.write_bytes(_zip_bomb())


def many_entries(path: Path) -> None:
    path.write_bytes(_many_entries())


def huge_sparse(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(20 * 2**30)


def huge_number(path: Path) -> None:
    path.write_text('{"format": ' + "9" * 3_000_000 + "}")


def deep(path: Path) -> None:
    path.write_text('{"a":' * 600_000)


def endless(path: Path) -> None:
    path.symlink_to("/dev/zero")


BOMBS: list[Callable[[Path], None]] = [zip_bomb, many_entries, huge_sparse, huge_number, deep, endless]


def run_measured(*arguments: object) -> tuple[int, str, int, float]:
    """Exit code, sentence, largest resident size in KiB and seconds of a command."""
    begun = time.monotonic()
    done = subprocess.run(
        [sys.executable, "-c", MEASURED, *map(str, arguments)],
        env={**os.environ, "PYTHONPATH": str(REPOSITORY)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        stdin=subprocess.DEVNULL,
    )
    *said, size = done.stderr.strip().splitlines()
    return done.returncode, "\n".join(said), int(size), time.monotonic() - begun


@pytest.mark.parametrize("bomb", BOMBS)
@pytest.mark.parametrize("ending", ["json", "toml", "xlsx"])
def test_f32_refused_at_once(database: Path, tmp_path: Path, bomb: Callable[[Path], None], ending: str) -> None:
    path = tmp_path / f"bomb.{ending}"
    bomb(path)
    command = {
        "json": ("import", path, "--apply"),
        "toml": ("catalog", "import", path),
        "xlsx": ("import", path, "--apply"),
    }
    with untouched(database):
        code, said, size, seconds = run_measured(*command[ending], "--db", database)
    assert code == 65, said
    assert "Traceback" not in said
    assert f"bomb.{ending}" in said
    assert size < 200_000
    assert seconds < 15, "5 s on a machine that does nothing else"


ROWS = b'<row r="1"><c r="A1"><v>1</v></c></row>'
EDGE = b'<row r="1048576"><c r="XFD1048576"><v>1</v></c></row></sheetData>'


def inflated(part: str) -> Callable[[str, bytes], bytes]:
    """A change that makes ``part`` 120 MB long."""
    return lambda name, content: content + ROWS * (120_000_000 // len(ROWS)) if name == part else content


def as_large_as_can_be(name: str, part: bytes) -> bytes:
    """The sheet says that it has 17 billion cells, and has one at its far end."""
    said = re.sub(rb'<dimension ref="[^"]*"', b'<dimension ref="A1:XFD1048576"', part)
    return said.replace(b"</sheetData>", EDGE) if name.startswith("xl/worksheets/") else part


SHEET = "xl/worksheets/sheet1.xml"
INSIDE = {
    "sheet": inflated(SHEET),
    "styles": inflated("xl/styles.xml"),
    "properties": inflated("docProps/custom.xml"),
    "list of sheets": inflated("xl/workbook.xml"),
    "dimension": as_large_as_can_be,
}


@pytest.mark.parametrize("case", INSIDE)
def test_f32_a_workbook_that_is_huge_inside(database: Path, tmp_path: Path, slim: Path, case: str) -> None:
    path = tmp_path / "bomb.xlsx"
    rewrite(slim, path, INSIDE[case])
    with untouched(database):
        code, said, size, seconds = run_measured("import", path, "--apply", "--db", database)
    # One that only says that it is huge is read.
    assert code == (0 if case == "dimension" else 65), said
    assert "Traceback" not in said
    assert size < 200_000
    assert seconds < 15, "5 s on a machine that does nothing else"


def test_f32_workbooks_within_workbooks(database: Path, tmp_path: Path, slim: Path, exported: Path) -> None:
    """What lies in an archive beside the sheet is not looked at, whatever it is."""
    nested, one = tmp_path / "nested.xlsx", tmp_path / "one.xlsx"
    rewrite(slim, nested, more={f"xl/embeddings/{number}.xlsx": _zip_bomb() for number in range(20)})
    rewrite(slim, one, lambda name, part: _zip_bomb() if name == SHEET else part)
    for path, expected in ((nested, 0), (one, 65)):
        with untouched(database):
            code, said, size, seconds = run_measured("import", path, "--apply", "--db", database)
        assert code == expected, said
        assert size < 200_000
        assert seconds < 15


@pytest.mark.parametrize("bomb", [zip_bomb, many_entries, huge_sparse])
def test_f32_in_the_place_of_an_export(database: Path, tmp_path: Path, bomb: Callable[[Path], None]) -> None:
    """Before a workbook is written over, what is there is looked at."""
    path = tmp_path / "plan.xlsx"
    bomb(path)
    before = path.stat()
    code, said, size, seconds = run_measured("export", path, "--db", database)
    assert code == 73, said
    assert "plan.xlsx" in said
    assert (path.stat().st_size, path.stat().st_mtime_ns) == (before.st_size, before.st_mtime_ns)
    assert size < 400_000
    assert seconds < 30


@pytest.mark.parametrize("ending", ["db", "toml"])
def test_f32_in_the_place_of_a_library(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"bomb.{ending}"
    huge_sparse(path)
    code, said, size, seconds = run_measured("list", "--db", path)
    assert code == 65, said
    assert size < 200_000
    assert seconds < 15
