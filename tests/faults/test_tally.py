"""The table at the end of a run tells what became of each fault and attack, and none of them lacks tests."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.faults.support import REPOSITORY
from tests.faults.tally import number_of

NUMBERS = [*(f"F{number:02d}" for number in range(1, 41)), *(f"S{number}" for number in range(1, 18))]


def test_each_number_has_a_file_and_a_row_in_the_documentation() -> None:
    files = [
        *(REPOSITORY / "tests" / "faults").glob("test_f*.py"),
        *(REPOSITORY / "tests" / "security").glob("test_s*.py"),
    ]
    found = [number_of(path.relative_to(REPOSITORY).as_posix()) for path in files]
    assert sorted(one[0] for one in found if one is not None) == sorted(NUMBERS)
    page = (REPOSITORY / "docs" / "reliability.md").read_text(encoding="utf-8")
    rows = [line.split("|")[1].strip() for line in page.splitlines() if line.startswith(("| F", "| S"))]
    # The long ones have a table of their figures besides.
    assert list(dict.fromkeys(rows)) == NUMBERS


def test_the_table_of_a_run(tmp_path: Path) -> None:
    """Passed, failed, and skipped with its reason, also where several processes share the tests."""
    folder = tmp_path / "tests" / "faults"
    folder.mkdir(parents=True)
    (folder / "test_f01_first.py").write_text("def test_one(): pass\ndef test_two(): pass\n")
    (folder / "test_f02_second_one.py").write_text(
        "import pytest\ndef test_one(): pytest.skip('strace is not installed')\ndef test_two(): pass\n"
    )
    (folder / "test_f03_third.py").write_text("import pytest\ndef test_one(): pytest.skip('only root can do this')\n")
    (tmp_path / "tests" / "security").mkdir()
    (tmp_path / "tests" / "security" / "test_s04_fourth.py").write_text(
        "import pytest\n@pytest.fixture\ndef broken(): raise OSError\n"
        "def test_one(broken): pass\ndef test_two(): pass\n"
    )
    (tmp_path / "conftest.py").write_text(
        "from tests.faults import tally\ndef pytest_terminal_summary(terminalreporter): tally.write(terminalreporter)\n"
    )
    for options in ((), ("-n", "2")):
        done = subprocess.run(
            [sys.executable, "-m", "pytest", "-q", "--import-mode=importlib", "-p", "no:cacheprovider", *options],
            cwd=tmp_path,
            env={"PATH": "/usr/bin:/bin", "PYTHONPATH": str(REPOSITORY)},
            capture_output=True,
            text=True,
            check=False,
        )
        table = done.stdout.partition("faults and attacks =")[2].splitlines()[1:5]
        assert [line.rstrip() for line in table] == [
            "F01 first       passed 2",
            "F02 second one  passed 1 (1 skipped: strace is not installed)",
            "F03 third       skipped (1 skipped: only root can do this)",
            "S4  fourth      FAILED 1 of 2",
        ], done.stdout + done.stderr
