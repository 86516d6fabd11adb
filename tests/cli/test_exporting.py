"""planner export: what is written, where, and what stays when it cannot be."""

import json
from collections.abc import Callable
from pathlib import Path

import openpyxl
import pytest

from tests.cli.conftest import Ran

Run = Callable[..., Ran]
pytestmark = pytest.mark.usefixtures("database")


def test_a_workbook_is_written_and_its_json_says_what_it_is(run: Run, tmp_path: Path) -> None:
    out = tmp_path / "plan.xlsx"
    document = run("export", out, "--json").json
    assert document["path"] == str(out)
    assert len(document["scenarios"]) == 5
    assert len(document["sha256"]) == 64
    workbook = openpyxl.load_workbook(out)
    assert "Inputs" in workbook.sheetnames
    run("set", "Toy 7B", "batch=4")
    run("export", out, "Toy 7B", "70B ideal, 2 x H100")
    assert len(run("export", out, "Toy 7B", "--json").json["scenarios"]) == 1


@pytest.mark.parametrize("ending", ["csv", "json", "md"])
def test_the_ending_decides_the_form(run: Run, tmp_path: Path, ending: str) -> None:
    out = tmp_path / f"plan.{ending}"
    run("export", out, "70B fp8, 1 x H200")
    text = out.read_text(encoding="utf-8-sig")
    assert "70B fp8, 1 x H200" in text
    if ending == "json":
        scenario = json.loads(text)["scenarios"][0]
        assert scenario["rows"]["tpot_s"]["value"] == run("eval", "70B fp8, 1 x H200", "--json").rows["tpot_s"]


def test_a_workbook_can_be_locked(run: Run, tmp_path: Path) -> None:
    run("export", tmp_path / "plan.xlsx", "Toy 7B", "--protect")
    assert openpyxl.load_workbook(tmp_path / "plan.xlsx")["Inputs"].protection.sheet


def test_a_snapshot_is_cited(run: Run, tmp_path: Path) -> None:
    taken = run("snapshot", "for finance", "--json").json
    run("delete", "Toy 7B")
    document = run("export", tmp_path / "plan.xlsx", "--snapshot", "for finance", "--json").json
    assert len(document["scenarios"]) == 5
    assert taken["digest"][:16] in document["revision"]


def test_what_cannot_be_written_leaves_the_old_file(run: Run, refuse: Callable[..., str], tmp_path: Path) -> None:
    mine = tmp_path / "mine.xlsx"
    mine.write_text("not an export")
    assert "mine.xlsx" in refuse("export", mine, code=73)
    assert mine.read_text() == "not an export"
    assert "does not exist" in refuse("export", tmp_path / "no" / "plan.xlsx", code=73)
    assert "--protect" in refuse("export", tmp_path / "plan.csv", "--protect")
    (tmp_path / "dir.xlsx").mkdir()
    assert "folder" in refuse("export", tmp_path / "dir.xlsx", code=73)
    assert ".xlsx" in refuse("export", tmp_path / "plan.pdf", code=73)
    assert "nearest" in refuse("export", tmp_path / "plan.xlsx", "Toy 8B")
    run("export", mine, "--force")
    assert openpyxl.load_workbook(mine).sheetnames
    assert sorted(path.name for path in tmp_path.iterdir()) == ["dir.xlsx", "mine.xlsx", "planner.db"]
