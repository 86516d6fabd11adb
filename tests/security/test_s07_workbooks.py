"""S7: workbooks with macros, links to other files and stored values. None of these is read, and none is written."""

from __future__ import annotations

import shutil
import zipfile
from pathlib import Path

import pytest

from tests.faults.support import planner, says, untouched
from tests.faults.workbooks import rewrite


@pytest.mark.parametrize("name", ["plan.xltm", "plan.xls", "plan.ods", "plan.xlsb"])
def test_s07_no_other_kind_of_workbook_is_taken_in(database: Path, exported: Path, tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    shutil.copy2(exported, path)
    with untouched(database):
        ended = planner("import", path, "--apply", "--db", database)
    assert ended.code == 65
    assert name in ended.err


@pytest.mark.parametrize("name", ["plan.xlsm", "plan.xlsx"])
@pytest.mark.parametrize("part", ["xl/vbaProject.bin", "XL/VBAPROJECT.BIN", "xl/macros/vbaProject.bin"])
def test_s07_macros_are_refused(database: Path, slim: Path, tmp_path: Path, name: str, part: str) -> None:
    path = tmp_path / name
    rewrite(slim, path, more={part: b"\xd0\xcf\x11\xe0" + bytes(99)})
    with untouched(database):
        says(planner("import", path, "--apply", "--db", database), 65, name, "macros")


def test_s07_links_connections_and_other_parts_are_not_looked_at(database: Path, slim: Path, tmp_path: Path) -> None:
    path = tmp_path / "plan.xlsx"
    link = (
        '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" '
        'Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/externalLinkPath" '
        'Target="file:///etc/passwd" TargetMode="External"/></Relationships>'
    )
    hostile = b"\x00 neither XML nor anything else"
    more = {
        "xl/externalLinks/externalLink1.xml": hostile,
        "xl/externalLinks/_rels/externalLink1.xml.rels": link.encode(),
        "xl/connections.xml": hostile,
        "xl/embeddings/oleObject1.bin": hostile,
        "xl/activeX/activeX1.bin": hostile,
        "../../evil.xml": hostile,
        "/etc/evil.xml": hostile,
    }
    rewrite(slim, path, more=more)
    with untouched(database):
        ended = planner("import", path, "--apply", "--db", database)
    assert ended.code == 0, ended.err
    assert "root:" not in ended.out + ended.err


@pytest.mark.parametrize(("part", "sentence"), [("xl/vbaProject.bin", "macros"), ("xl/externalLinks/x.xml", "")])
def test_s07_macros_are_refused_and_links_not_read(
    database: Path, exported: Path, tmp_path: Path, part: str, sentence: str
) -> None:
    path = tmp_path / "plan.xlsx"
    shutil.copy2(exported, path)
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr(part, "<broken")
    with untouched(database):
        ended = planner("import", path, "--db", database)
    assert ended.code == (65 if sentence else 0), ended.err
    assert sentence in ended.err
    assert "Warning" not in ended.err


def test_s07_a_stored_result_counts_only_where_it_is_shown(database: Path, exported: Path, tmp_path: Path) -> None:
    """A formula's stored result may be anything: it must be within bounds, and is told before it is saved."""
    path = tmp_path / "plan.xlsx"
    with zipfile.ZipFile(exported) as old, zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            content = old.read(name)
            if name == "xl/worksheets/sheet3.xml":
                assert b"<v>500</v>" in content
                content = content.replace(b"<v>500</v>", b"<f>1+1</f><v>-7</v>", 1)
            new.writestr(name, content)
    with untouched(database):
        ended = planner("import", path, "--apply", "--db", database)
    assert ended.code == 65
    assert "Inputs!E" in ended.err
    assert "-7" in ended.err


def test_s07_an_export_has_no_macros_links_or_connections(exported: Path) -> None:
    with zipfile.ZipFile(exported) as archive:
        names = archive.namelist()
        text = b"".join(archive.read(name) for name in names if name.endswith((".xml", ".rels")))
    for part in ("vbaProject", "externalLink", "connections", "activeX", "embeddings", "oleObject"):
        assert not any(part in name for name in names), part
    assert b'TargetMode="External"' not in text
    assert b"<ddeLink" not in text
