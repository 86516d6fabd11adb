"""planner validate: what it prints and how it ends."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from planner.cli.program import run
from tests.analysis.measured_tables import run_rows, write_runs


def test_json_holds_errors_groups_and_what_was_left_out(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["validate", "--json"]) == 0
    out, err = capsys.readouterr()
    document = json.loads(out)
    assert set(document["overall"]) == {"tpot", "throughput", "ttft", "kv_capacity"}
    for errors in document["overall"].values():
        assert set(errors) == {"n", "median_abs_error", "p90_abs_error", "bias"}
        assert 0 < errors["median_abs_error"] < errors["p90_abs_error"]
    assert document["predicted_rows"] + sum(one["rows"] for one in document["left_out"]) == document["rows"]
    assert all({"model", "accelerator", "engine"} < set(group) for group in document["groups"])
    assert (
        sum(group["tpot"]["n"] for group in document["groups"] if "tpot" in group) == document["overall"]["tpot"]["n"]
    )
    assert "Traceback" not in err


def test_tables_for_people_name_the_reasons(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = write_runs(tmp_path / "runs.csv", run_rows(), run_rows(gpu="Abacus 9"))
    assert run(["validate", "--data", str(path), "--rows"]) == 0
    out = capsys.readouterr().out
    assert "qwen3-32b" in out
    assert "2 of 4 rows predicted" in out
    assert "device 'Abacus 9' is not in the catalogue" in out
    assert "runs.csv:2" in out


def test_a_term_may_be_left_out(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = write_runs(tmp_path / "runs.csv", run_rows())
    assert run(["validate", "--data", str(path), "--json"]) == 0
    whole = json.loads(capsys.readouterr().out)
    assert run(["validate", "--data", str(path), "--without", "layer-overhead", "--ablation", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["without"] == "layer-overhead"
    assert document["overall"]["tpot"]["bias"] < whole["overall"]["tpot"]["bias"]
    assert {one["without"] for one in document["ablation"]} >= {"experts", "interconnect", "kv-reads"}
    assert run(["validate", "--without", "?"]) == 0
    assert "kv-cap" in capsys.readouterr().out


def test_a_median_over_its_limit_ends_with_1(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["validate", "--limit", "tpot=0.2", "--limit", "kv_capacity=0.2"]) == 0
    assert run(["validate", "--limit", "tpot=0.01"]) == 1
    assert "TPOT: the median error" in capsys.readouterr().err
    assert run(["validate", "--limit", "0.001"]) == 1


@pytest.mark.parametrize(
    ("arguments", "code", "sentence"),
    [
        (["--limit", "speed=0.1"], 2, "'speed=0.1' is not understood"),
        (["--limit", "tpot=nan"], 2, "'tpot=nan' is not understood"),
        (["--limit", "tpot=-1"], 2, "'tpot=-1' is not understood"),
        (["--without", "luck"], 2, "There is no term 'luck'"),
        (["--data", "gone.csv"], 66, "gone.csv does not exist"),
    ],
)
def test_what_is_wrong_is_said_in_one_sentence(
    arguments: list[str], code: int, sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["validate", *arguments]) == code
    out, err = capsys.readouterr()
    assert not out
    assert sentence in err
    assert "Traceback" not in err


def test_a_file_that_is_no_table_is_bad_data(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "notes.csv"
    path.write_text("a,b\n1,2\n", encoding="utf-8")
    assert run(["validate", "--data", str(path)]) == 65
    assert "notes.csv is no table of runs or KV pools" in capsys.readouterr().err
