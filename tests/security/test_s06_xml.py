"""S6: whatever would read XML refuses entities; F33 shows that nothing from outside is read as XML."""

from __future__ import annotations

import ast
import tomllib
from pathlib import Path

import defusedxml
import openpyxl
import pytest
from openpyxl.xml.functions import fromstring

from tests.faults.support import REPOSITORY
from tests.faults.test_f33_xml import BOMB, EXTERNAL


def test_s06_openpyxl_uses_the_safe_parser() -> None:
    assert openpyxl.DEFUSEDXML is True
    with (REPOSITORY / "pyproject.toml").open("rb") as file:
        needed = tomllib.load(file)["project"]["dependencies"]
    assert any(one.startswith("defusedxml") for one in needed)


@pytest.mark.parametrize("text", [BOMB, EXTERNAL.format(secret="/etc/passwd")])
def test_s06_entities_are_refused(text: str) -> None:
    # With lxml there, openpyxl's reader is lxml's without entities; without it, defusedxml's.
    try:
        root = fromstring(text.encode())
    except (defusedxml.DefusedXmlException, SyntaxError):
        return
    assert "root:" not in "".join(root.itertext())
    assert len("".join(root.itertext())) < 1000


def test_s06_no_module_reads_xml_by_itself() -> None:
    readers = {"xml.etree.ElementTree", "xml.dom", "xml.dom.minidom", "xml.sax", "lxml.etree", "lxml", "expat"}
    allowed = set()
    for package in ("planner", "catalog", "exports"):
        for path in sorted((REPOSITORY / package).rglob("*.py")):
            imported = imports_of(path)
            if imported & readers:
                allowed.add(path.relative_to(REPOSITORY).as_posix())
                source = path.read_text(encoding="utf-8")
                assert not any(call in source for call in ("fromstring(", ".parse(", "iterparse(", "XMLParser("))


def imports_of(path: Path) -> set[str]:
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found.add(node.module)
    return found
