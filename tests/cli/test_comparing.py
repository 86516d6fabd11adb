"""planner compare, diff, fleet, history, restore and snapshot."""

import math
import re
from collections.abc import Callable

import pytest

from planner.model.rows import SHEET
from tests.cli.conftest import Ran

Run = Callable[..., Ran]
pytestmark = pytest.mark.usefixtures("database")

PAIRS, SINGLE = "70B fp8, 2 x H100", "70B fp8, 1 x H200"


def test_compare_has_every_row_with_its_difference_to_the_baseline(run: Run) -> None:
    document = run("compare", "--json").json
    assert document["baseline"] == "Toy 7B"
    assert len(document["scenarios"]) == 5
    assert set(document["rows"]) == set(SHEET.rows)
    tpot = document["rows"]["tpot_s"]
    assert tpot["differences"][0] == 0
    for value, difference, share in zip(tpot["values"], tpot["differences"], tpot["relative"], strict=True):
        assert math.isclose(value - tpot["values"][0], difference, abs_tol=1e-15)
        assert math.isclose(share, difference / tpot["values"][0], abs_tol=1e-15)
    assert document["differing_inputs"]["model"][0] == "toy-7b"
    assert "kv_sizing" not in document["differing_inputs"]


def test_compare_takes_scenarios_and_another_baseline(run: Run) -> None:
    document = run("compare", SINGLE, "--baseline", PAIRS, "--json").json
    assert document["scenarios"] == [PAIRS, SINGLE]
    assert document["baseline"] == PAIRS
    assert set(document["differing_inputs"]) == {"accelerator", "tensor_parallel", "device_price_per_hour"}


def test_compare_ends_with_a_verdict(run: Run) -> None:
    document = run("compare", PAIRS, SINGLE, "--json").json
    first, second = document["verdicts"]
    assert (first["answer"], second["answer"]) == ("cheapest", "served")
    assert first["row"] == "self_host_cost_per_month"
    assert math.isclose(second["above_cheapest"], second["cost"] / first["cost"] - 1)
    shown = run("compare", PAIRS, SINGLE).out
    assert f"{PAIRS}: the cheapest that meets its targets, self-hosted at" in shown
    assert "above the cheapest" in shown
    run("set", SINGLE, "tpot_target_ms=1")
    assert f"{SINGLE}: not served: " in run("compare", PAIRS, SINGLE).out


def test_compare_shows_low_and_high_on_demand(run: Run) -> None:
    document = run("compare", PAIRS, SINGLE, "--low-high", "--json").json
    tpot = document["rows"]["tpot_s"]
    for low, value, high in zip(tpot["low"], tpot["values"], tpot["high"], strict=True):
        assert low <= value <= high
        assert low < high
    assert "low" not in run("compare", "--json").json["rows"]["tpot_s"]
    ends = run("eval", PAIRS, "--json").json["rows"]["tpot_s"]
    assert (ends["low"], ends["high"]) == (tpot["low"][0], tpot["high"][0])
    assert re.search(r"TPOT +ms +\d[\d.]* \(\d[\d.]* to \d[\d.]*\)", run("compare", PAIRS, "--low-high").out)


def test_a_large_comparison_counts_its_verdicts(run: Run) -> None:
    for number in range(12):
        run("copy", PAIRS, f"Copy {number}")
    shown = run("compare").out
    assert "Verdict on 17: " in shown
    assert "cheapest" in shown


def test_the_table_shows_units_differences_and_reasons(run: Run) -> None:
    shown = run("compare").out
    assert "(baseline)" in shown
    assert "%)" in shown
    assert "ms" in shown
    assert "— is blank in Toy 7B:" in shown
    assert len({line.index("Unit") for line in shown.splitlines() if "Unit" in line}) >= 1


def test_without_a_terminal_the_program_prints_the_comparison_and_how_to_open_the_screen(run: Run) -> None:
    ran = run()
    assert ran.out == run("compare").out
    assert "terminal" in ran.err
    assert len(ran.err.splitlines()) == 1


def test_an_empty_workspace_says_so(run: Run, refuse: Callable[..., str]) -> None:
    run("workspace", "new", "Empty")
    ran = run()
    assert ran.out == ""
    assert "planner new NAME" in ran.err
    assert "nothing to compare" in refuse("compare")


def test_diff_says_how_far_each_input_moves_a_result(run: Run) -> None:
    document = run("diff", PAIRS, SINGLE, "--result", "self_host_cost_per_month", "--json").json
    assert set(document["fields"]) == {"accelerator", "tensor_parallel", "device_price_per_hour"}
    row = document["rows"]["self_host_cost_per_month"]
    assert row["unit"] == "$/month"
    assert row["moves"]["device_price_per_hour"] > 0
    shown = run("diff", PAIRS, SINGLE).out
    assert "Device price per hour" in shown
    assert "Result of the second" in shown


def test_diff_says_what_cannot_be_changed_alone_and_with_what_it_was(run: Run) -> None:
    names = ("70B fp8, 1 x H200", "Llama 3.3 70B, 2 x H100")
    document = run("diff", *names, "--result", "tpot_s", "--json").json["rows"]["tpot_s"]
    assert document["made_with"]["accelerator"] == ["accelerator", "tensor_parallel"]
    assert "does not fit" in document["alone"]["accelerator"]
    assert all(number is not None for number in document["moves"].values())
    shown = run("diff", *names).out
    assert "[1] is Accelerator, made after Tensor parallel." in shown
    assert "Accelerator alone gives no number: the model does not fit on the devices." in shown
    assert "API cost per month has no number in 'Llama 3.3 70B, 2 x H100'" in shown


def test_diff_of_a_scenario_with_what_it_was(run: Run) -> None:
    before = run("history", "--json").json["revisions"][0]["id"]
    run("set", "Toy 7B", "batch=16", "output_tokens=100")
    document = run("diff", f"Toy 7B@{before}", "--json").json
    assert {name: (field["first"], field["second"]) for name, field in document["fields"].items()} == {
        "batch": (1, 16),
        "output_tokens": (500, 100),
    }
    assert "same inputs" in run("diff", "Toy 7B", "Toy 7B").out


def test_diff_refuses_what_is_not_there(refuse: Callable[..., str]) -> None:
    assert "nearest: Toy 7B" in refuse("diff", "Toy 7", "Toy 7B")
    assert "99999" in refuse("diff", "Toy 7B@99999")
    assert "tpot_s" in refuse("diff", PAIRS, SINGLE, "--result", "tpots")


def test_history_and_restore(run: Run, refuse: Callable[..., str]) -> None:
    run("set", "Toy 7B", "batch=2", "--why", "trial")
    revision = run("history", "Toy 7B", "--limit", "1", "--json").json["revisions"][0]
    assert revision["why"] == "trial"
    assert [*revision["after"].values()] == [{"batch": 2}]
    run("set", "Toy 7B", "batch=4")
    run("restore", str(revision["id"]))
    assert run("eval", "Toy 7B", "--json").json["inputs"]["batch"] == 2
    assert "trial" in run("history").out
    assert "4711" in refuse("restore", "4711")
    assert "shows more" in run("history", "--limit", "2").out


def test_nothing_to_undo_is_said_not_failed(run: Run) -> None:
    assert run("undo").err == "Nothing to undo.\n"
    assert run("redo", "--json").json is None


def test_a_snapshot_keeps_what_was(run: Run, refuse: Callable[..., str]) -> None:
    taken = run("snapshot", "to finance", "--notes", "sent", "--json").json
    assert taken["scenarios"] == 5
    run("set", "Toy 7B", "output_tokens=10")
    run("delete", SINGLE)
    document = run("compare", "--snapshot", "to finance", "--json").json
    assert len(document["scenarios"]) == 5
    assert document["inputs"][0]["output_tokens"] == 500
    assert run("compare", "--snapshot", str(taken["id"]), SINGLE, "--json").json["scenarios"] == [SINGLE]
    assert run("snapshot", "--json").json["snapshots"][0]["digest"] == taken["digest"]
    assert "to finance" in run("snapshot").out
    assert "to finance" in refuse("compare", "--snapshot", "to finanse")


def test_a_fleet_adds_up(run: Run) -> None:
    assert "planner fleet --add" in run("fleet").out
    document = run("fleet", "--add", PAIRS, "--add", SINGLE, "--json").json
    devices = document["rows"]["devices"]
    assert document["scenarios"] == [PAIRS, SINGLE]
    assert devices["total"] == sum(devices["values"])
    shown = run("fleet", "--add", "Toy 7B").out
    assert "has no total" in shown
    assert "Toy 7B" not in run("fleet", "--remove", "Toy 7B").out
