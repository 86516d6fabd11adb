"""S5: archives that are huge inside: a workbook to be written over, or imported; see F32 and test_archive.py."""

from __future__ import annotations

import zipfile
import zlib
from pathlib import Path

import pytest

from exports.workbook.stored import is_untouched
from tests.faults.support import dice


def test_s05_an_untouched_export_is_known(exported: Path) -> None:
    assert is_untouched(exported.read_bytes())


def test_s05_a_header_that_lies(exported: Path, tmp_path: Path) -> None:
    """A part says that it is a byte long and inflates to 300 MB."""
    path = tmp_path / "lie.xlsx"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("docProps/custom.xml", b"x")
    inflated = zlib.compressobj(9, zlib.DEFLATED, -15)
    body = inflated.compress(bytes(300_000_000)) + inflated.flush()
    raw = path.read_bytes()
    with zipfile.ZipFile(path) as archive:
        (info,) = archive.infolist()
    name = info.filename.encode()
    start = raw.index(name) + len(name)
    old = raw[start : start + info.compress_size]
    lying = raw.replace(old, body, 1).replace(
        info.compress_size.to_bytes(4, "little") + (1).to_bytes(4, "little"),
        len(body).to_bytes(4, "little") + (1).to_bytes(4, "little"),
    )
    assert not is_untouched(lying)


@pytest.mark.parametrize("times", [400])
def test_s05_broken_archives_are_no_exports(exported: Path, times: int) -> None:
    raw = exported.read_bytes()
    chance = dice("archives")
    for _ in range(times):
        changed = bytearray(raw)
        # Mostly in the directory at the end, which says where the parts are and how they are packed.
        start = chance.choice((0, len(raw) - 3000))
        for _ in range(chance.randint(1, 6)):
            changed[chance.randrange(start, len(raw))] = chance.randrange(256)
        if bytes(changed) != raw:
            is_untouched(bytes(changed))
    for cut in range(0, len(raw), len(raw) // 50):
        assert not is_untouched(raw[:cut])
