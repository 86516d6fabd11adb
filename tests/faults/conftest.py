"""A library in a folder of its own for each test."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from openpyxl import load_workbook

from planner.store import open_library
from tests.faults.newer import Newer, make_newer
from tests.faults.support import planner


@pytest.fixture(scope="session")
def pristine(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A new library with the examples, to copy from."""
    path = tmp_path_factory.mktemp("pristine") / "plan.db"
    open_library(path).close()
    return path


@pytest.fixture
def database(pristine: Path, tmp_path: Path) -> Path:
    """A library with the examples, alone in a folder."""
    folder = tmp_path / "library"
    folder.mkdir()
    path = folder / "plan.db"
    shutil.copy2(pristine, path)
    return path


@pytest.fixture(scope="session")
def newer(tmp_path_factory: pytest.TempPathFactory) -> Newer:
    """A later version of the program."""
    return make_newer(tmp_path_factory.mktemp("newer"))


@pytest.fixture(scope="session")
def exported(pristine: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The examples as a workbook, to copy from."""
    path = tmp_path_factory.mktemp("exported") / "plan.xlsx"
    ended = planner("export", path, "--db", pristine)
    assert ended.code == 0, ended.err
    return path


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 256 KiB."""
    folder = tmp_path / "disk"
    folder.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=256k,mode=700", "tmpfs", folder], check=True)
    yield folder
    subprocess.run(["umount", folder], check=True)


@pytest.fixture(scope="session")
def slim(exported: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The exported workbook with the one sheet that an import reads, which is quick to edit."""
    path = tmp_path_factory.mktemp("slim") / "plan.xlsx"
    book = load_workbook(exported)
    for title in book.sheetnames:
        if title != "Inputs":
            del book[title]
    book.save(path)
    return path
