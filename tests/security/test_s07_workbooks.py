"""S7: workbooks with macros, links to other files and stored values. None is read; what is written has none of it."""

from __future__ import annotations

import shutil
import zipfile
from pathlib import Path

import pytest

from tests.faults.support import planner, untouched


@pytest.mark.parametrize("name", ["plan.xlsm", "plan.xlsx", "plan.xltm", "plan.xls", "plan.ods"])
def test_s07_no_workbook_is_taken_in(database: Path, exported: Path, tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    shutil.copy2(exported, path)
    with untouched(database):
        ended = planner("import", path, "--apply", "--db", database)
    assert ended.code == 65
    assert name in ended.err


def test_s07_an_export_has_no_macros_links_or_connections(exported: Path) -> None:
    with zipfile.ZipFile(exported) as archive:
        names = archive.namelist()
        text = b"".join(archive.read(name) for name in names if name.endswith((".xml", ".rels")))
    for part in ("vbaProject", "externalLink", "connections", "activeX", "embeddings", "oleObject"):
        assert not any(part in name for name in names), part
    assert b'TargetMode="External"' not in text
    assert b"<ddeLink" not in text
