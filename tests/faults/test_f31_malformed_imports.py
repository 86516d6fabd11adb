"""F31: ten thousand malformed files: models, devices and plans; all of a file is taken in, or nothing, with reasons."""

from __future__ import annotations

import json
import resource
import shutil
from collections import Counter
from pathlib import Path

import pytest

from planner.store import open_library
from tests.faults import malformed
from tests.faults.support import SEED, Child, assert_sound, lines_of, long_run, planner, untouched

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
def seeds(database: Path, tmp_path: Path) -> Path:
    """Sound files of every kind that the program reads."""
    folder = tmp_path / "seeds"
    folder.mkdir()
    for path in sorted(CONFIGS.glob("*.json")):
        shutil.copy2(path, folder)
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


@pytest.mark.parametrize("name", ["plan.xlsx", "plan.xlsm", "plan.json", "plan.csv"])
def test_f31_a_workbook_is_not_read_yet_and_says_so(database: Path, tmp_path: Path, exported: Path, name: str) -> None:
    path = tmp_path / name
    shutil.copy2(exported, path)
    with untouched(database):
        ended = planner("import", path, "--apply", "--db", database)
    assert ended.code == 65, ended.err
    assert "workbook" in ended.err
