"""S2: names of sheets and defined names are such that every spreadsheet takes them, whatever a plan is called."""

from __future__ import annotations

import re
from pathlib import Path

import openpyxl

from planner.store import open_library
from tests.faults.support import planner
from tests.security.payloads import FORMULAS, PATHS

FORBIDDEN = set("[]:*?/\\")


def test_s02_every_name_is_allowed(database: Path, tmp_path: Path) -> None:
    title = "'History[b]:c*d?e/f\\g" + "x" * 60 + "'"
    with open_library(database) as library:
        library.rename_workspace(library.workspace.name, title)
        for stored, name in zip(library.scenarios()[1:], [title, *FORMULAS[:2], PATHS[0]], strict=True):
            library.rename(stored.id, name)
    target = tmp_path / "plan.xlsx"
    ended = planner("export", target, "--title", title, "--db", database)
    assert ended.code == 0, ended.err
    book = openpyxl.load_workbook(target)
    names = book.sheetnames
    assert len({name.casefold() for name in names}) == len(names)
    for name in names:
        assert 1 <= len(name) <= 31
        assert not FORBIDDEN & set(name)
        assert name.casefold() != "history"
        assert not name.startswith("'")
        assert not name.endswith("'")
    for name in book.defined_names:
        assert re.fullmatch(r"[A-Za-z_\\][A-Za-z0-9_.\\]{0,254}", name), name
        assert not re.fullmatch(r"(?i)[a-z]{1,3}[0-9]+|r|c|r[0-9]*c[0-9]*", name), name
