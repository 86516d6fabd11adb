"""F09: the path is a folder, a pipe, a socket, a dangling link or a device; it is refused at once."""

from __future__ import annotations

import os
import socket
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from planner.store import StoreError, open_library
from tests.faults.support import planner, says


def _folder(path: Path) -> None:
    path.mkdir()


def _pipe(path: Path) -> None:
    os.mkfifo(path)


def _socket(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as made:
        made.bind(str(path))


def _link(path: Path) -> None:
    path.symlink_to(path.with_name("nowhere.db"))


def _device(path: Path) -> None:
    path.symlink_to("/dev/full")


KINDS = [
    (_folder, "a folder"),
    (_pipe, "a named pipe"),
    (_socket, "a socket"),
    (_link, "a link to a file that does not exist"),
    (_device, "a device"),
]


@pytest.mark.parametrize(("make", "what"), KINDS)
def test_f09_something_else_than_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, make: Callable[[Path], None], what: str
) -> None:
    # The path of a socket may have about a hundred characters.
    monkeypatch.chdir(tmp_path)
    path = Path("x.db")
    make(path)
    begun = time.monotonic()
    with pytest.raises(StoreError, match=what):
        open_library(path)
    assert time.monotonic() - begun < 1
    says(planner("list", "--db", path), 66, "x.db", what)
    says(planner("new", "one", "--db", path), 66, "x.db", what)
    assert [entry.name for entry in tmp_path.iterdir()] == ["x.db"]


def test_f09_a_folder_that_is_not_there_or_is_a_file(tmp_path: Path) -> None:
    says(planner("new", "one", "--db", tmp_path / "no" / "x.db"), 73, "x.db cannot be created", "No such file")
    (tmp_path / "file").touch()
    says(planner("new", "one", "--db", tmp_path / "file" / "x.db"), 73, "x.db cannot be created", "Not a directory")
    says(planner("new", "one", "--db", tmp_path / ("x" * 300)), 73, "File name too long")
