"""Saved scenarios from the command line: each command, its JSON, its undo."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.conftest import Ran

Run = Callable[..., Ran]
pytestmark = pytest.mark.usefixtures("database")


def names(run: Run) -> list[str]:
    return [one["name"] for one in run("list", "--json").json["scenarios"]]


def test_the_first_start_makes_the_examples_and_says_so(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "new.db"
    monkeypatch.setenv("PLANNER_DB", str(path))
    ran = run("list", "--json")
    assert ran.err.startswith(f"Made {path}")
    assert len(ran.json["scenarios"]) == 5
    assert run("list", "--json").err == ""


@pytest.mark.parametrize("place", ["before", "behind", "environment"])
def test_the_database_is_named_before_or_behind_the_command_or_by_the_environment(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    path = tmp_path / "other.db"
    if place == "environment":
        monkeypatch.setenv("PLANNER_DB", str(path))
        run("new", "Here")
    else:
        run(*(("--db", path, "new", "Here") if place == "before" else ("new", "Here", "--db", path)))
    monkeypatch.setenv("PLANNER_DB", str(path))
    assert "Here" in names(run)


def test_new_set_copy_rename_delete_and_the_way_back(run: Run) -> None:
    made = run("new", "Mine", "--set", "tensor_parallel=2", "--notes", "first line", "--json").json
    assert made["inputs"]["tensor_parallel"] == 2
    assert made["notes"] == "first line"
    assert made["workspace"] == "Examples"
    said = run("set", "Mine", "prompt_tokens=2k", "memory_bandwidth=4e12", "--why", "measured").err
    assert "1,000" in said
    assert "2,000" in said
    assert run("copy", "Mine", "Other", "--json").json["overrides"] == {"memory_bandwidth": 4e12}
    assert run("rename", "Other", "Third", "--json").json["name"] == "Third"
    assert names(run)[-2:] == ["Mine", "Third"]
    assert run("delete", "Third", "mine", "--json").json["deleted"][1]["name"] == "Mine"
    assert "Mine" not in names(run)
    assert "'Mine'" in run("undo").err
    assert names(run)[-2:] == ["Mine", "Third"]
    assert "Redo" in run("redo").err
    assert "Mine" not in names(run)
    assert run("list", "--deleted", "--json").json["scenarios"][0]["name"] in {"Mine", "Third"}
    assert run("undelete", "mine", "--json").json["name"] == "Mine"
    history = run("history", "Mine", "--json").json["revisions"]
    assert "measured" in {one["why"] for one in history}


def test_a_fact_goes_back_to_the_catalogue(run: Run) -> None:
    run("set", "Toy 7B", "weight_bytes=15e9")
    assert run("eval", "Toy 7B", "--json").rows["weight_bytes"] == 15e9
    run("set", "Toy 7B", "weight_bytes=")
    assert run("show", "Toy 7B", "--json").json["overrides"] == {}


def test_nothing_is_saved_that_cannot_be_computed(run: Run, refuse: Callable[..., str]) -> None:
    before = run("list", "--json").out
    assert "nearest" in refuse("set", "Toy 7B", "model=lama")
    assert "at most 1" in refuse("set", "Toy 7B", "cached_share=0.9", "cache_write_share=0.9")
    assert "nearest" in refuse("new", "X", "--set", "accelerator=h1000-sxm")
    assert "already" in refuse("new", "toy 7b", code=65)
    assert "already" in refuse("copy", "Toy 7B", "TOY 7B", code=65)
    assert run("list", "--json").out == before


def test_setting_what_is_there_already_changes_nothing(run: Run) -> None:
    before = len(run("history", "--json").json["revisions"])
    run("set", "Toy 7B", "prompt_tokens=500")
    assert len(run("history", "--json").json["revisions"]) == before


def test_an_unknown_scenario_gives_the_nearest(refuse: Callable[..., str]) -> None:
    for arguments in (("show", "Toy 8B"), ("eval", "Toy 8B"), ("set", "Toy 8B", "batch=2"), ("delete", "Toy 8B")):
        assert "nearest: Toy 7B" in refuse(*arguments)
    assert "Examples" in refuse("list", "--workspace", "Exampels")


def test_a_scenario_of_another_workspace_is_named_by_both(run: Run) -> None:
    run("workspace", "new", "Side")
    assert names(run) == []
    assert run("eval", "Examples/Toy 7B", "--json").json["inputs"]["model"] == "toy-7b"
    run("new", "Only here")
    assert run("list", "--workspace", "Examples", "--json").json["workspace"] == "Examples"
    run("workspace", "use", "Side")
    assert names(run) == ["Only here"]
    shown = run("workspace", "list", "--json").json["workspaces"]
    assert [(one["name"], one["scenarios"], one["current"]) for one in shown] == [
        ("Examples", 5, False),
        ("Side", 1, True),
    ]
    run("workspace", "rename", "Side", "Lab")
    assert run("workspace", "delete", "Lab", "--json").json["current"]["name"] == "Examples"
    run("workspace", "undelete", "Lab")
    assert "Lab" in run("workspace", "list").out


def test_tags_notes_baseline_order_and_search(run: Run) -> None:
    run("tag", "Toy 7B", "draft", "Lab")
    assert run("tag", "Toy 7B", "--remove", "DRAFT", "--json").json["tags"] == ["Lab"]
    assert [one["name"] for one in run("list", "--tag", "lab", "--json").json["scenarios"]] == ["Toy 7B"]
    assert len(run("list", "llama-3.3", "--json").json["scenarios"]) == 3
    run("notes", "Toy 7B", "line one\nline two")
    assert run("notes", "Toy 7B").out == "line one\nline two\n"
    assert run("baseline", "70B ideal, 2 x H100", "--json").json["baseline"] is True
    assert "(baseline)" in run("list").out
    run("order", "70B fp8, 1 x H200", "Toy 7B")
    assert names(run)[:2] == ["70B fp8, 1 x H200", "Toy 7B"]


def test_show_has_everything_and_explains_a_row(run: Run) -> None:
    document = run("show", "70B fp8, 1 x H200", "--json").json
    assert {"id", "version", "tags", "inputs", "facts", "rows", "overrides", "notes"} <= set(document)
    shown = run("show", "70B fp8, 1 x H200").out
    assert "The same service on single rented H200." in shown
    assert "h200-sxm-141gb" in shown
    explained = run("show", "70B fp8, 1 x H200", "--row", "tpot_s").out
    assert "tpot_s = " in explained
    assert "Rests on" in explained
    document = run("show", "70B fp8, 1 x H200", "--row", "weight_bytes", "--json").json
    assert document["formulas"][0]["symbols"]
    assert {term["kind"] for term in document["terms"]} <= {"input", "fact", "row", "constant"}


def test_explaining_what_is_not_there_gives_the_nearest(refuse: Callable[..., str]) -> None:
    assert "tpot_s" in refuse("show", "Toy 7B", "--row", "tpott_s")


def test_eval_of_a_saved_scenario_saves_nothing(run: Run) -> None:
    before = run("history", "--json").out
    assert run("eval", "Toy 7B", "--set", "batch=8", "--json").json["inputs"]["batch"] == 8
    assert run("history", "--json").out == before
    assert run("eval", "Toy 7B", "--json").json["inputs"]["batch"] == 1
