"""What another catalogue or model moved: said once, listed on request, put away by a person alone."""

import contextlib
import json
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from catalog import version
from planner.model.version import MODEL_VERSION
from planner.store import open_library
from tests.cli.conftest import Ran

Run = Callable[..., Ran]
NAME = "70B fp8, 2 x H100"


def seen_before(database: Path, name: str, factor: float, **words: object) -> None:
    """Make what was seen of ``name`` that of an older catalogue, its TTFT ``factor`` times the present one."""
    with open_library(database) as library:
        stored = library.find(name)
    with contextlib.closing(sqlite3.connect(database)) as raw:
        (text,) = raw.execute("SELECT results FROM witness WHERE scenario_id = ?", (stored.id,)).fetchone()
        results = {**json.loads(text), **words}
        results["ttft_s"] *= factor
        raw.execute(
            "UPDATE witness SET results = ?, catalogue_version = '2026-01-01+0' WHERE scenario_id = ?",
            (json.dumps(results), stored.id),
        )
        raw.commit()


@pytest.fixture
def noted(run: Run, database: Path) -> Path:
    """A library in which a command has saved something, so that all its results were noted."""
    run("notes", NAME, "a service")
    return database


def test_nothing_has_moved_in_a_library_of_this_version(run: Run, noted: Path) -> None:
    ran = run("moved")
    assert ran.out == ""
    assert "No result of workspace 'Examples' has moved" in ran.err
    assert run("moved", "--json").json["moved"] == []
    assert run("list").err == ""


def test_a_command_that_saves_notes_what_it_saved(run: Run, database: Path) -> None:
    with open_library(database) as library:
        assert library.witnesses() == {}
    run("set", NAME, "prompt_tokens=2000")
    with open_library(database) as library:
        stored = library.find(NAME)
        found = library.witnesses()
        assert found.keys() == {one.id for one in library.scenarios()}
        assert found[stored.id].scenario_version == stored.version
        assert found[stored.id].catalogue_version == version()
        assert found[stored.id].model_version == MODEL_VERSION
    results = run("show", NAME, "--json").rows
    assert found[stored.id].results["ttft_s"] == results["ttft_s"]


def test_what_moved_is_said_in_one_line_and_listed_before_and_after(run: Run, noted: Path) -> None:
    seen_before(noted, NAME, 1 / 1.25, bound_by="something else")
    for arguments in ((), ("list",), ("list", "--json")):
        lines = [line for line in run(*arguments).err.splitlines() if "moved" in line]
        (line,) = lines
        assert line == (
            "Results of 1 scenario moved by more than 1 % since they were last seen "
            f"(catalogue 2026-01-01+0 → {version()}): `planner moved` lists them."
        )
    listed = run("moved").out
    assert f"catalogue 2026-01-01+0 → {version()}" in listed
    line = next(line for line in listed.splitlines() if "TTFT" in line)
    assert line.startswith(NAME)
    assert line.endswith("+25%")
    assert line.count(" ms") == 2
    document = run("moved", "--json").json
    assert document["catalogue_version"] == {"before": "2026-01-01+0", "after": version()}
    assert [one["row"] for one in document["moved"]] == ["bound_by", "ttft_s"]
    ttft = document["moved"][1]
    assert ttft["relative"] == pytest.approx(0.25)
    assert ttft["after"] == pytest.approx(1.25 * ttft["before"])
    assert ttft["scenario"] == NAME


def test_less_than_one_percent_is_not_listed(run: Run, noted: Path) -> None:
    seen_before(noted, NAME, 1.009)
    assert run("moved", "--json").json["moved"] == []
    assert run("list").err == ""


def test_the_list_stays_until_it_is_put_away(run: Run, noted: Path) -> None:
    seen_before(noted, NAME, 2.0)
    assert len(run("moved", "--json").json["moved"]) == 1
    assert len(run("moved", "--seen", "--json").json["moved"]) == 1
    assert run("moved", "--json").json["moved"] == []
    assert run("list").err == ""


def test_a_scenario_that_is_changed_says_what_had_moved_first(run: Run, noted: Path) -> None:
    seen_before(noted, NAME, 2.0)
    seen_before(noted, "70B fp8, 1 x H200", 4.0)
    said = run("set", NAME, "prompt_tokens=2000").err
    assert f"had moved TTFT of {NAME} from" in " ".join(said.split()).replace("Time to first token", "TTFT")
    assert "(−50%)" in said
    assert [one["scenario"] for one in run("moved", "--json").json["moved"]] == ["70B fp8, 1 x H200"]


def test_a_scenario_that_can_no_longer_be_evaluated_says_why(run: Run, noted: Path) -> None:
    seen_before(noted, NAME, 1.0)
    with contextlib.closing(sqlite3.connect(noted)) as raw:
        raw.execute("UPDATE scenario SET accelerator = 'gone-9000' WHERE name = ?", (NAME,))
        raw.commit()
    (only,) = run("moved", "--json").json["moved"]
    assert only["row"] is None
    assert "gone-9000" in only["problem"]
    assert "gone-9000" in run("moved", "--seen").out
    assert run("moved", "--json").json["moved"] == []


def test_an_own_entry_in_place_of_a_shipped_one_moves_results_visibly(run: Run, noted: Path, tmp_path: Path) -> None:
    file = tmp_path / "own.toml"
    file.write_text(
        '[[accelerator]]\nid = "h100-sxm-80gb"\nname = "Slow H100"\nvendor = "own"\nruntime_memory_gib = 79.18\n'
        "bandwidth_tb_s = 1.5\ndense_tflops = {bf16 = 500.0, fp8 = 1000.0}\nlink_gb_s = 450.0\n"
    )
    run("catalog", "add", file)
    assert "moved by more than 1 %" in run("list").err
    moved = run("moved", "--json").json
    assert "+own." in moved["catalogue_version"]["after"]
    assert {one["scenario"] for one in moved["moved"]} >= {NAME}
    assert "70B fp8, 1 x H200" not in {one["scenario"] for one in moved["moved"]}
