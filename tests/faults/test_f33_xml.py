"""F33: XML that would grow without bound, or would fetch something. Only workbooks are read as XML."""

from __future__ import annotations

import zipfile
from pathlib import Path

import openpyxl
import pytest

from tests.faults.support import fresh_planner, planner, untouched
from tests.faults.workbooks import rewrite

BOMB = """<?xml version="1.0"?>
<!DOCTYPE lolz [<!ENTITY a "aaaaaaaaaa">
<!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;"><!ENTITY c "&b;&b;&b;&b;&b;&b;&b;&b;&b;&b;">
<!ENTITY d "&c;&c;&c;&c;&c;&c;&c;&c;&c;&c;"><!ENTITY e "&d;&d;&d;&d;&d;&d;&d;&d;&d;&d;">
<!ENTITY f "&e;&e;&e;&e;&e;&e;&e;&e;&e;&e;"><!ENTITY g "&f;&f;&f;&f;&f;&f;&f;&f;&f;&f;">]>
<workbook>&g;</workbook>
"""
EXTERNAL = """<?xml version="1.0"?>
<!DOCTYPE x [<!ENTITY secret SYSTEM "file://{secret}"><!ENTITY far SYSTEM "http://127.0.0.1:9/x">]>
<workbook>&secret;&far;</workbook>
"""


@pytest.fixture(params=["bomb", "external"])
def hostile(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    secret = tmp_path / "secret"
    secret.write_text("canary")
    return BOMB if request.param == "bomb" else EXTERNAL.format(secret=secret)


def test_f33_the_parser_that_reads_workbooks_is_the_safe_one() -> None:
    assert openpyxl.DEFUSEDXML is True


@pytest.mark.parametrize("name", ["plan.json", "card.toml", "config.json"])
def test_f33_xml_is_refused(database: Path, tmp_path: Path, hostile: str, name: str) -> None:
    path = tmp_path / name
    path.write_text(hostile)
    command = ("import", path, "--apply") if name == "plan.json" else ("catalog", "add", path)
    with untouched(database):
        ended = planner(*command, "--db", database)
    assert ended.code == 65
    assert "canary" not in ended.err
    assert len(ended.err.strip().splitlines()) == 1


def test_f33_a_workbook_with_such_parts_is_not_looked_into(
    database: Path, tmp_path: Path, exported: Path, hostile: str
) -> None:
    made = tmp_path / "plan.xlsx"
    parts = {}
    with zipfile.ZipFile(exported) as archive:
        for name in archive.namelist():
            parts[name] = archive.read(name)
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(name, hostile if name.endswith("workbook.xml") else content)
    with untouched(made):
        ended = planner("export", made, "--db", database)
    assert ended.code == 73
    assert "not an untouched export" in ended.err
    assert planner("import", made, "--apply", "--db", database).code == 65


@pytest.mark.strace
def test_f33_nothing_is_fetched(database: Path, tmp_path: Path, hostile: str) -> None:
    path = tmp_path / "plan.json"
    path.write_text(hostile)
    trace = tmp_path / "trace"
    under = ("strace", "-f", "-qq", "-o", str(trace), "-e", "trace=connect,open,openat")
    assert fresh_planner("import", path, "--db", database, under=under).code == 65
    traced = trace.read_text()
    assert str(path) in traced
    assert f'{tmp_path}/secret"' not in traced
    assert "AF_INET" not in traced


PARTS = [
    "xl/workbook.xml", "xl/_rels/workbook.xml.rels", "xl/worksheets/sheet1.xml", "xl/styles.xml", "docProps/custom.xml",
    "docProps/core.xml", "[Content_Types].xml", "_rels/.rels", "xl/sharedStrings.xml",
]  # fmt: skip


@pytest.mark.strace
@pytest.mark.parametrize("part", PARTS)
def test_f33_no_part_of_a_workbook_grows_or_fetches(
    database: Path, tmp_path: Path, slim: Path, hostile: str, part: str
) -> None:
    path, trace = tmp_path / "plan.xlsx", tmp_path / "trace"
    more = {} if part != "xl/sharedStrings.xml" else {part: hostile.encode()}
    rewrite(slim, path, lambda name, content: hostile.encode() if name == part else content, more)
    under = ("strace", "-f", "-qq", "-o", str(trace), "-e", "trace=connect,open,openat")
    with untouched(database):
        ended = fresh_planner("import", path, "--db", database, under=under)
    assert ended.code == 65 or (ended.code == 0 and not part.startswith("xl/work")), ended.err
    assert "Traceback" not in ended.err
    assert "canary" not in ended.out + ended.err
    traced = trace.read_text()
    assert str(path) in traced
    assert f'{tmp_path}/secret"' not in traced
    assert "AF_INET" not in traced
