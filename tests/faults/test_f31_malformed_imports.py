"""F31: ten thousand malformed files: models, devices and plans; all of a file is taken in, or nothing, with reasons."""

from __future__ import annotations

import json
import resource
import shutil
import time
from collections import Counter
from collections.abc import Callable
from datetime import date
from pathlib import Path

import pytest
from openpyxl import load_workbook
from openpyxl.worksheet.worksheet import Worksheet

from planner.store import open_library
from tests.faults import malformed
from tests.faults.support import SEED, Child, assert_sound, lines_of, long_run, planner, says, untouched
from tests.faults.workbooks import rewrite

CONFIGS = Path(__file__).parents[1] / "catalog" / "fixtures" / "configs"
DEVICE = """\
[[accelerator]]
id = "our-card"
name = "Our card"
vendor = "Own"
memory_label_gb = 96
bandwidth_tb_s = 2.5
sources = ["own-sheet"]
date = "2026-10"

[accelerator.dense_tflops]
bf16 = 400

[[source]]
id = "own-sheet"
title = "Our data sheet"
date = "2026-10-01"
"""


@pytest.fixture
def seeds(database: Path, tmp_path: Path, slim: Path) -> Path:
    """Sound files of every kind that the program reads."""
    folder = tmp_path / "seeds"
    folder.mkdir()
    for path in sorted(CONFIGS.glob("*.json")):
        shutil.copy2(path, folder)
    for number in range(8):
        shutil.copy2(slim, folder / f"plan{number}.xlsx")
    for number in range(6):
        (folder / f"card{number}.toml").write_text(DEVICE.replace("our-card", f"our-card-{number}"))
    for number in range(10):
        target = folder / f"plan{number}" / "plan.json"
        target.parent.mkdir()
        assert planner("export", target, ["Toy 7B", "70B fp8, 1 x H200"][number % 2], "--db", database).code == 0
        document = json.loads(target.read_text())
        for scenario in document["scenarios"]:
            scenario["rows"] = dict(list(scenario["rows"].items())[:3])
            scenario["facts"] = dict(list(scenario["facts"].items())[:3])
        target.write_text(json.dumps(document))
    return folder


@long_run("times", 10_000)
def test_f31_every_malformed_file_gets_sentences(seeds: Path, tmp_path: Path, times: int) -> None:
    folder, outcomes = tmp_path / "broken", tmp_path / "outcomes"
    folder.mkdir()
    arguments = (str(seeds), str(folder), str(outcomes), times, SEED)
    limits = {resource.RLIMIT_AS: 2**30}
    ended = Child(tmp_path, malformed.take_in_many, *arguments, limits=limits).wait(1800)
    lines = lines_of(outcomes)
    assert (ended.code, ended.err) == (0, ""), f"after {len(lines)}: {ended.err}"
    counted = Counter(line.split(" ", 3)[2] for line in lines)
    print(f"{times} malformed files: {dict(counted)}")
    assert [line for line in lines if "FAULT" in line] == []
    assert len(lines) == times
    assert counted["refused"] > times / 2


def test_f31_all_of_a_plan_or_nothing(database: Path, seeds: Path, tmp_path: Path) -> None:
    good = json.loads((seeds / "plan0" / "plan.json").read_text())
    one = good["scenarios"][0]
    bad = [
        {**one, "name": "first"},
        {**one, "name": "second", "inputs": {**one["inputs"], "prompt_tokens": -5}},
        {**one, "name": "third", "inputs": {**one["inputs"], "peak_factor": float("nan")}},
        {**one, "name": "fourth", "inputs": {**one["inputs"], "batch": 1e309}},
        {**one, "name": "fifth", "inputs": {**one["inputs"], "prompt_tokens": "many"}},
        {**one, "name": "sixth", "inputs": {**one["inputs"], "no_such": 1}},
        {**one, "name": "first"},
    ]
    path = tmp_path / "bad.json"
    path.write_text(json.dumps({**good, "scenarios": bad}))
    with untouched(database):
        ended = planner("import", path, "--apply", "--db", database)
    assert ended.code == 65
    assert "Traceback" not in ended.err
    for place, word in enumerate(("", "prompt_tokens", "peak_factor", "batch", "prompt_tokens", "no_such"), 0):
        if word:
            assert f"$.scenarios[{place}].inputs.{word}" in ended.err, ended.err
    assert "nothing was changed" in ended.err
    with open_library(database) as library:
        assert len(library.scenarios()) == 5
    assert_sound(database)


@pytest.mark.parametrize(
    "profile",
    [
        "1 2 3",
        "x " * 24,
        "nan " * 24,
        "inf " * 24,
        "1e309 " * 24,
        "-0.1 " * 24,
        " ".join(["0.1"] * 24),
        "1 " * 25,
        "\x1b[2J",
    ],
)
def test_f31_an_hourly_profile(database: Path, profile: str) -> None:
    with untouched(database):
        ended = planner("set", "Toy 7B", f"hourly_profile={profile}", "--db", database)
    assert ended.code == 2, ended.err
    assert "Hourly profile (hourly_profile)" in ended.err
    assert len(ended.err.strip().splitlines()) == 1
    assert ended.err.strip().isprintable()


def line(sheet: Worksheet, ref: str) -> int:
    """The row of the line that the workbook calls ``ref``."""
    return next(row for row in range(1, sheet.max_row + 1) if sheet.cell(row, 3).value == ref)


def put(ref: str, value: object) -> Callable[[Worksheet], None]:
    """An edit that writes ``value`` where ``ref`` of the second scenario stands."""

    def edit(sheet: Worksheet) -> None:
        sheet.cell(line(sheet, ref), 6).value = value

    return edit


def merge(sheet: Worksheet) -> None:
    sheet.merge_cells(start_row=5, end_row=5, start_column=5, end_column=6)


def same_name(sheet: Worksheet) -> None:
    sheet.cell(5, 6).value = sheet.cell(5, 5).value


def wrong_sheet(sheet: Worksheet) -> None:
    sheet.title = "Other"


def lost_line(sheet: Worksheet) -> None:
    sheet.delete_rows(line(sheet, "peak_factor"))


def lost_ids(sheet: Worksheet) -> None:
    sheet.delete_rows(line(sheet, "scenario_id"))


WORKBOOKS: dict[str, tuple[Callable[[Worksheet], None], str]] = {
    "text": (put("prompt_tokens", "many"), "Inputs!F{}: Prompt tokens is the text 'many', not a number"),
    "NaN": (put("prompt_tokens", "NaN"), "Inputs!F{}: Prompt tokens is the text 'NaN', not a number"),
    "negative": (put("prompt_tokens", -5), "Inputs!F{}: Prompt tokens (prompt_tokens) = '-5' is refused"),
    "fraction": (put("prompt_tokens", 0.5), "Inputs!F{}: Prompt tokens (prompt_tokens) = '0.5' is refused"),
    "huge": (put("prompt_tokens", 1e300), "Inputs!F{}: Prompt tokens (prompt_tokens)"),
    "blank": (put("prompt_tokens", None), "Inputs!F{}: Prompt tokens (prompt_tokens) must not be blank"),
    "date": (put("prompt_tokens", date(2026, 5, 4)), "Inputs!F{}: Prompt tokens is the date 2026-05-04"),
    "error": (put("prompt_tokens", "#DIV/0!"), "Inputs!F{}: Prompt tokens is the error #DIV/0!"),
    "formula": (put("prompt_tokens", "=1+1"), "Inputs!F{}: Prompt tokens is a formula without a result"),
    "command": (put("prompt_tokens", "=cmd|' /C calc'!A0"), "Inputs!F{}: Prompt tokens is a formula"),
    "yes": (put("prompt_tokens", True), "Inputs!F{}: Prompt tokens is TRUE"),
    "merged header": (merge, "Inputs!F5: the scenario has no name"),
    "name twice": (same_name, "is the name of Inputs!E too"),
    "wrong sheet": (wrong_sheet, "it has no sheet Inputs"),
    "lost line": (lost_line, "there is no line with Ref peak_factor"),
    "lost ids": (lost_ids, "no line scenario_id"),
}


@pytest.mark.parametrize("case", WORKBOOKS)
def test_f31_a_workbook_is_taken_in_as_a_whole_or_not_at_all(tmp_path: Path, slim: Path, case: str) -> None:
    """Into a library to which its scenarios are new; the cell is named, and what is wrong with it."""
    edit, words = WORKBOOKS[case]
    book = load_workbook(slim)
    sheet = book["Inputs"]
    row = line(sheet, "prompt_tokens")
    edit(sheet)
    path, other = tmp_path / "plan.xlsx", tmp_path / "library" / "other.db"
    book.save(path)
    other.parent.mkdir()
    assert planner("workspace", "new", "Empty", "--db", other).code == 0
    with untouched(other):
        for apply in ((), ("--apply",)):
            says(planner("import", path, *apply, "--db", other), 65, words.format(row))


def test_f31_every_wrong_cell_of_a_workbook_is_named(database: Path, tmp_path: Path, slim: Path) -> None:
    book = load_workbook(slim)
    sheet = book["Inputs"]
    cells = []
    for number, ref in enumerate(("prompt_tokens", "output_tokens", "peak_factor", "requests_per_day")):
        sheet.cell(line(sheet, ref), 5 + number).value = "x"
        cells.append(f"Inputs!{'EFGH'[number]}{line(sheet, ref)}")
    path = tmp_path / "plan.xlsx"
    book.save(path)
    with untouched(database):
        ended = planner("import", path, "--apply", "--db", database)
    assert ended.code == 65
    assert "it has 4 problems" in ended.err
    for cell in cells:
        assert cell in ended.err


def test_f31_a_million_rows(database: Path, tmp_path: Path, slim: Path) -> None:
    """A sheet that goes on for ever below is read to its bound, not to its end."""
    path = tmp_path / "plan.xlsx"
    more = b"".join(b'<row r="%d"><c r="C%d"><v>1</v></c></row>' % (row, row) for row in range(1000, 300_000))
    rewrite(slim, path, lambda name, part: part.replace(b"</sheetData>", more + b"</sheetData>"))
    begun = time.monotonic()
    ended = planner("import", path, "--db", database, limits={resource.RLIMIT_AS: 2**30})
    assert time.monotonic() - begun < 15
    assert ended.code in (0, 65), ended.err
    assert "Traceback" not in ended.err


@pytest.mark.parametrize("name", ["plan.csv", "plan.json", "plan.xlsx.bak"])
def test_f31_a_workbook_under_another_name(database: Path, tmp_path: Path, exported: Path, name: str) -> None:
    path = tmp_path / name
    shutil.copy2(exported, path)
    with untouched(database):
        says(planner("import", path, "--apply", "--db", database), 65, name)


def test_f31_an_untouched_workbook_is_all_here(database: Path, exported: Path) -> None:
    with untouched(database):
        ended = planner("import", exported, "--apply", "--db", database)
    assert ended.code == 0, ended.err
    assert "nothing was changed" in ended.err
