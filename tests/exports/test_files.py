"""A file is the old one or the new one, whatever goes wrong; a refusal is one sentence with an exit code."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from exports.files import ExportError, refuse_to_overwrite, write_atomically


def sentence(error: ExportError) -> str:
    text = str(error)
    assert "\n" not in text
    assert text.endswith(".")
    return text


def test_a_new_file_honours_the_umask(tmp_path: Path) -> None:
    old = os.umask(0o027)
    try:
        path = write_atomically(tmp_path / "new.csv", b"data")
    finally:
        os.umask(old)
    assert path.read_bytes() == b"data"
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert list(tmp_path.iterdir()) == [path]


def test_an_old_file_keeps_its_permissions(tmp_path: Path) -> None:
    path = tmp_path / "old.csv"
    path.write_bytes(b"old")
    path.chmod(0o604)
    write_atomically(path, b"new")
    assert path.read_bytes() == b"new"
    assert stat.S_IMODE(path.stat().st_mode) == 0o604


def test_a_link_is_followed(tmp_path: Path) -> None:
    target, link = tmp_path / "target.csv", tmp_path / "link.csv"
    target.write_bytes(b"old")
    link.symlink_to(target)
    assert write_atomically(link, b"new") == target
    assert link.is_symlink()
    assert target.read_bytes() == b"new"


@pytest.mark.parametrize(("place", "code"), [
    ("missing/x.csv", 73), (".", 73), ("pipe", 73), ("file.csv/x.csv", 73), ("n" * 300 + ".csv", 73), ("a\0b.csv", 73),
])  # fmt: skip
def test_a_place_that_holds_no_file(place: str, code: int, tmp_path: Path) -> None:
    (tmp_path / "file.csv").write_bytes(b"old")
    os.mkfifo(tmp_path / "pipe")
    before = sorted(tmp_path.iterdir())
    with pytest.raises(ExportError) as caught:
        write_atomically(tmp_path / place, b"new")
    assert caught.value.exit_code == code
    assert len(sentence(caught.value)) < 600
    assert sorted(tmp_path.iterdir()) == before


@pytest.mark.parametrize(("number", "code"), [
    (errno.ENOSPC, 74), (errno.EIO, 74), (errno.EDQUOT, 74), (errno.EFBIG, 74), (errno.EACCES, 77), (errno.EROFS, 77),
])  # fmt: skip
@pytest.mark.parametrize("call", ["write", "fsync", "replace"])
def test_a_failure_leaves_the_old_file(
    call: str, number: int, code: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "kept.csv"
    path.write_bytes(b"old")

    def fail(*_: object, **__: object) -> None:
        raise OSError(number, os.strerror(number))

    if call == "write":
        monkeypatch.setattr("exports.files.os.fdopen", fail)
    elif call == "fsync":
        monkeypatch.setattr("exports.files.os.fsync", fail)
    else:
        monkeypatch.setattr(Path, "replace", fail)
    with pytest.raises(ExportError) as caught:
        write_atomically(path, b"new")
    monkeypatch.undo()
    assert caught.value.exit_code == code
    assert "unchanged" in sentence(caught.value)
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


@pytest.fixture
def unprivileged() -> Iterator[None]:
    """The rest of the test runs as somebody whom permissions bind."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(65534)
    yield
    os.seteuid(0)


def test_a_folder_without_permission(tmp_path: Path, unprivileged: None) -> None:
    closed = Path("/proc")
    with pytest.raises(ExportError) as caught:
        write_atomically(closed / "x.csv", b"new")
    assert caught.value.exit_code in (73, 74, 77)
    sentence(caught.value)


def test_a_full_device(tmp_path: Path) -> None:
    with pytest.raises(ExportError) as caught:
        write_atomically("/dev/full", b"new")
    assert caught.value.exit_code == 73


def test_an_edited_file_is_refused_unless_forced(tmp_path: Path) -> None:
    path = tmp_path / "edited.csv"
    path.write_bytes(b"edited")
    with pytest.raises(ExportError) as caught:
        refuse_to_overwrite(path, lambda data: data == b"untouched", force=False)
    assert caught.value.exit_code == 73
    assert "force" in sentence(caught.value)
    refuse_to_overwrite(path, lambda data: data == b"edited", force=False)
    refuse_to_overwrite(path, lambda _: False, force=True)
    refuse_to_overwrite(tmp_path / "new.csv", lambda _: False, force=False)


@pytest.mark.parametrize("lock", ["~$plan.xlsx", ".~lock.plan.xlsx#"])
def test_a_file_that_is_open_elsewhere_is_refused(lock: str, tmp_path: Path) -> None:
    (tmp_path / lock).write_text("someone")
    with pytest.raises(ExportError) as caught:
        refuse_to_overwrite(tmp_path / "plan.xlsx", lambda _: True, force=True)
    assert caught.value.exit_code == 75
    assert "open in" in sentence(caught.value)
