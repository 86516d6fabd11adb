"""F36: the library lies on a network file system, whose locks may not hold between machines."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from planner.store import Change, StoreError, open_library
from planner.store.opening import file_system
from tests.faults import children
from tests.faults.support import Child, assert_sound, query, wait_for_lines

MOUNTS = """\
21 1 0:20 / / rw,relatime shared:1 - ext4 /dev/vda1 rw
34 21 0:30 / {folder} rw,relatime shared:2 - {kind} server:/export rw,vers=4.2
35 21 0:31 / {folder}-not rw - ext4 /dev/vdb rw
"""


@pytest.fixture
def pretend(monkeypatch: pytest.MonkeyPatch) -> object:
    """Let the system say that a folder is on a file system of some kind."""
    read = Path.read_text

    def pretending(folder: Path, kind: str) -> None:
        def read_text(path: Path, *arguments: object, **options: object) -> str:
            if str(path) == "/proc/self/mountinfo":
                return MOUNTS.format(folder=str(folder).replace(" ", "\\040"), kind=kind)
            return read(path, *arguments, **options)  # type: ignore[arg-type]

        monkeypatch.setattr(Path, "read_text", read_text)

    return pretending


@pytest.mark.parametrize("kind", ["nfs", "nfs4", "cifs", "smb3", "9p", "fuse.sshfs", "ceph", "ext4", "tmpfs"])
def test_f36_one_warning_and_no_write_ahead_log(database: Path, pretend: object, kind: str) -> None:
    pretend(database.parent, kind)  # type: ignore[operator]
    is_network = kind not in ("ext4", "tmpfs")
    assert file_system(database) == kind
    with open_library(database) as library:
        about = [warning for warning in library.warnings if "network file system" in warning]
        assert len(about) == is_network
        assert all(kind in warning and str(database) in warning for warning in about)
        library.edit([Change(library.scenarios()[0].id, "prompt_tokens", 4001)])
        assert len([warning for warning in library.warnings if "network" in warning]) == is_network
    assert query(database, "PRAGMA journal_mode") == [("delete",)]
    assert_sound(database)


@pytest.mark.parametrize("folder", ["with space", "mount"])
def test_f36_the_nearest_mount_counts(database: Path, tmp_path: Path, pretend: object, folder: str) -> None:
    inside = tmp_path / folder
    inside.mkdir()
    pretend(inside, "nfs4")  # type: ignore[operator]
    assert file_system(inside / "plan.db") == "nfs4"
    assert file_system(tmp_path / f"{folder}-not" / "plan.db") == "ext4"
    assert file_system(database) == "ext4"


def test_f36_a_write_ahead_log_is_given_up(database: Path, pretend: object) -> None:
    pretend(database.parent, "nfs4")  # type: ignore[operator]
    with closing(sqlite3.connect(database)) as connection:
        connection.execute("PRAGMA journal_mode=WAL")
    with open_library(database) as library:
        assert not library.read_only
        library.edit([Change(library.scenarios()[0].id, "prompt_tokens", 4001)])
    assert query(database, "PRAGMA journal_mode") == [("delete",)]


def test_f36_the_lock_is_honoured(database: Path, tmp_path: Path, pretend: object) -> None:
    pretend(database.parent, "nfs4")  # type: ignore[operator]
    acknowledgements = tmp_path / "acks"
    with Child(tmp_path, children.hold_exclusively, str(database), str(acknowledgements)) as holder:
        wait_for_lines(acknowledgements, 1, holder)
        with pytest.raises(StoreError, match="held"):
            open_library(database)
