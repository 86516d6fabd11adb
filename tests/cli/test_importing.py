"""Export to JSON and import: what comes back, what is in the way, what is refused, what undo takes back."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import openpyxl
import pytest

from exports.workbook.layout import planner_layout
from tests.cli.conftest import Ran

Run = Callable[..., Ran]
Refuse = Callable[..., str]
pytestmark = pytest.mark.usefixtures("database")

CARD = """
[[accelerator]]
id = "our-card"
name = "Our card"
vendor = "Own"
memory_label_gb = 96
bandwidth_tb_s = 2.5
sources = ["own-sheet"]
date = "2026-10"
dense_tflops = { bf16 = 400 }

[[device_prices]]
id = "our-lease"
name = "Our lease"
seller = "Us"
date = "2026-10-01"
rows = [{ device = "our-card", usd_h = 1.5 }]

[[source]]
id = "own-sheet"
title = "Our data sheet"
date = "2026-10-01"
"""
PLACES = {"accelerator our-card", "device_prices our-lease", "source own-sheet"}


@pytest.fixture
def plan(run: Run, tmp_path: Path) -> Path:
    """An export of a scenario on a card of one's own, which is kept in the library that wrote it."""
    card = tmp_path / "card.toml"
    card.write_text(CARD)
    run("catalog", "add", card)
    run("new", "On ours", "--set", "accelerator=our-card", "--set", "batch=4", "--set", "layers=20")
    run("notes", "On ours", "line one\n=line(two)")
    run("tag", "On ours", "b", "a")
    run("fleet", "--add", "On ours")
    run("export", tmp_path / "plan.json", "On ours", "Toy 7B", "--baseline", "On ours")
    return tmp_path / "plan.json"


@pytest.fixture
def elsewhere(tmp_path: Path) -> tuple[str, str]:
    """Options for another library."""
    return "--db", str(tmp_path / "elsewhere.db")


def steps(ran: Ran) -> dict[str, str]:
    return {one["name"]: one["status"] for one in ran.json["scenarios"]}


def own(ran: Ran) -> dict[str, str]:
    return {f"{one['kind']} {one['id']}": one["status"] for one in ran.json["entries"]}


def change(path: Path, edit: Callable[[Any], None]) -> None:
    document = json.loads(path.read_text())
    edit(document)
    path.write_text(json.dumps(document))


def test_another_library_gets_the_scenarios_with_their_entries(
    run: Run, plan: Path, elsewhere: tuple[str, str]
) -> None:
    dry = run("import", plan, *elsewhere, "--json")
    assert steps(dry) == {"On ours": "new", "Toy 7B": "same"}
    assert own(dry) == dict.fromkeys(PLACES, "new")
    assert dry.json["applied"] is False
    assert dry.json["moved"] == []
    assert "On ours" not in run("list", *elsewhere).out
    assert "would be saved as new" in run("import", plan, *elsewhere).out

    before = len(run("history", *elsewhere, "--json").json["revisions"])
    done = run("import", plan, "--apply", *elsewhere, "--json").json
    assert done["applied"] is True
    revisions = run("history", *elsewhere, "--json").json["revisions"]
    assert len(revisions) == before + 1
    assert revisions[0]["id"] == done["revision"]
    assert revisions[0]["why"] == "from plan.json"
    assert "our-card" in revisions[0]["description"]
    here, there = run("show", "On ours", "--json").json, run("show", "On ours", *elsewhere, "--json").json
    for name in ("inputs", "overrides", "facts", "rows", "notes", "tags", "fleet"):
        assert here[name] == there[name], name
    shown = run("catalog", "show", "our-card", *elsewhere).out
    assert "Our data sheet" in shown
    assert run("catalog", "prices", "our-card", *elsewhere, "--json").json["offers"][0]["usd_h"] == 1.5
    assert "already" in run("import", plan, "--apply", *elsewhere).err
    assert len(run("history", *elsewhere, "--json").json["revisions"]) == before + 1


def test_undo_takes_all_of_it_back_and_redo_brings_it_again(
    run: Run, refuse: Refuse, plan: Path, elsewhere: tuple[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    run("import", plan, "--apply", *elsewhere)
    assert "our-card" in run("undo", *elsewhere).err
    assert "On ours" not in run("list", *elsewhere).out
    assert run("catalog", "list", "--own", *elsewhere, "--json").json["entries"] == []
    run("redo", *elsewhere)
    assert run("eval", "On ours", *elsewhere, "--json").json["facts"]["memory_bandwidth"]["value"] == 2.5e12
    assert "Our data sheet" in run("catalog", "show", "our-card", *elsewhere).out
    with monkeypatch.context() as patch:
        patch.setenv("LOGNAME", "somebody")
        run("catalog", "remove", "accelerator", "our-card", "--yes", *elsewhere)
    assert "accelerator our-card was changed since" in refuse("undo", *elsewhere, code=75)
    assert "On ours" in run("list", *elsewhere).out


def test_a_new_workspace_gets_the_baseline_of_the_file(run: Run, plan: Path) -> None:
    run("workspace", "new", "Empty")
    change(plan, lambda document: document["scenarios"].reverse())
    run("import", plan, "--apply", "--workspace", "Empty")
    found = run("list", "--workspace", "Empty", "--json").json["scenarios"]
    assert {one["name"]: one["baseline"] for one in found} == {"Toy 7B": False, "On ours": True}


def test_a_name_that_is_taken_gets_a_number_or_is_replaced(run: Run, plan: Path) -> None:
    run("set", "on ours", "batch=9")
    run("set", "On ours", "layers=")
    dry = run("import", plan, "--json").json["scenarios"][0]
    assert (dry["status"], dry["saved_as"], dry["differs_in"]) == ("renamed", "On ours (2)", ["Fixed batch", "Layers"])
    run("import", plan, "--apply")
    assert run("eval", "On ours (2)", "--json").json["inputs"]["batch"] == 4
    assert run("eval", "On ours", "--json").json["inputs"]["batch"] == 9
    run("undo")
    replaced = run("import", plan, "--replace", "--apply", "--why", "agreed")
    assert "in place of yours" in replaced.out
    document = run("show", "On ours", "--json").json
    assert (document["inputs"]["batch"], document["overrides"], document["tags"]) == (4, {"layers": 20}, ["a", "b"])
    assert run("history", "On ours", "--limit", "1", "--json").json["revisions"][0]["why"] == "agreed"
    run("undo")
    document = run("show", "On ours", "--json").json
    assert (document["inputs"]["batch"], document["overrides"]) == (9, {})


def faster(document: Any) -> None:
    document["catalogue"]["accelerator"][0]["bandwidth_tb_s"] = 5
    document["catalogue"]["device_prices"][0]["rows"][0]["usd_h"] = 2


def bandwidth(run: Run) -> float:
    value: float = run("eval", "On ours", "--json").json["facts"]["memory_bandwidth"]["value"]
    return value


def test_an_entry_that_differs_is_decided_by_a_person(run: Run, plan: Path) -> None:
    change(plan, faster)
    dry = run("import", plan, "--json")
    assert own(dry) == {
        "accelerator our-card": "differs", "device_prices our-lease": "added", "source own-sheet": "same",
    }  # fmt: skip
    card = next(one for one in dry.json["entries"] if one["kind"] == "accelerator")
    assert card["differences"] == [{"figure": "bandwidth_tb_s", "here": 2.5, "file": 5}]
    assert card["used_by"] == ["Examples/On ours"]
    assert {one["row"] for one in dry.json["moved"]} >= {"tpot_s"}
    assert "2.5 here, 5 in the file" in run("import", plan).out
    ran = run("import", plan, "--apply", code=65)
    assert "--entries" in ran.err
    assert bandwidth(run) == 2.5e12

    assert "your own stays" in run("import", plan, "--apply", "--entries", "here").out
    assert bandwidth(run) == 2.5e12
    assert {one["usd_h"] for one in run("catalog", "prices", "our-card", "--json").json["offers"]} == {1.5, 2}
    run("undo")
    assert {one["usd_h"] for one in run("catalog", "prices", "our-card", "--json").json["offers"]} == {1.5}

    run("import", plan, "--apply", "--entries", "file")
    assert bandwidth(run) == 5e12
    assert set(own(run("import", plan, "--json")).values()) == {"same"}
    run("undo")
    assert bandwidth(run) == 2.5e12


def test_an_entry_in_place_of_a_shipped_one_is_in_sight(run: Run, plan: Path, elsewhere: tuple[str, str]) -> None:
    def rename(document: Any) -> None:
        document["catalogue"]["accelerator"][0]["id"] = "h100-sxm-80gb"
        document["scenarios"][0]["inputs"]["accelerator"] = "h100-sxm-80gb"
        del document["catalogue"]["device_prices"]

    change(plan, rename)
    dry = run("import", plan, *elsewhere, "--json")
    assert own(dry)["accelerator h100-sxm-80gb"] == "replaces"
    assert dry.json["to_decide"] == [{"kind": "accelerator", "id": "h100-sxm-80gb"}]
    assert "Examples/70B fp8, 2 x H100" in dry.json["entries"][0]["used_by"]
    run("import", plan, "--apply", *elsewhere, code=65)
    assert "shipped one stays" in run("import", plan, "--apply", "--entries", "here", *elsewhere).out
    assert run("eval", "On ours", *elsewhere, "--json").json["facts"]["memory_bandwidth"]["value"] == 3.35e12


def test_a_kept_snapshot_is_never_overwritten(run: Run, refuse: Refuse, plan: Path, tmp_path: Path) -> None:
    card = tmp_path / "card.toml"
    card.write_text(CARD.replace("usd_h = 1.5", "usd_h = 3"))
    assert "our-lease is a dated snapshot" in refuse("catalog", "add", card, code=65)
    assert run("catalog", "prices", "our-card", "--json").json["offers"][0]["usd_h"] == 1.5
    card.write_text(CARD.replace("usd_h = 1.5", "usd_h = 3").replace("our-lease", "our-lease-2"))
    run("catalog", "add", card)
    assert {one["usd_h"] for one in run("catalog", "prices", "our-card", "--json").json["offers"]} == {1.5, 3}


def test_all_problems_are_told_and_nothing_is_saved(
    run: Run, refuse: Refuse, plan: Path, elsewhere: tuple[str, str]
) -> None:
    def spoil(document: Any) -> None:
        document["scenarios"][0]["inputs"]["batch"] = 0
        document["scenarios"][0]["tag"] = []
        document["scenarios"][1]["name"] = "x" * 121
        document["catalogue"]["accelerator"][0]["bandwidth_tb_s"] = -1

    change(plan, spoil)
    ran = run("import", plan, "--apply", *elsewhere, code=65)
    assert ran.out == ""
    for words in ("4 problems", "inputs.batch", "nearest: tags", "$.scenarios[1].name", "bandwidth_tb_s = -1"):
        assert words in ran.err
    found = run("import", plan, "--apply", "--json", *elsewhere, code=65).json
    assert len(found["problems"]) == 4
    assert found["applied"] is False
    assert run("catalog", "list", "--own", *elsewhere, "--json").json["entries"] == []
    assert "On ours" not in run("list", *elsewhere).out


@pytest.mark.parametrize(
    ("edit", "words"),
    [
        (lambda d: d["scenarios"][0]["inputs"].update(accelerator="our-cart"), "our-card"),
        (lambda d: d["scenarios"][1].update(name="\x1b[31mred"), "control"),
        (lambda d: d["scenarios"][1].update(name="ON OURS"), "$.scenarios[0] too"),
        (lambda d: d["scenarios"][0].update(notes="\u202e"), "notes"),
        (lambda d: d["scenarios"][0].update(tags=["x" * 61]), "tag"),
        (lambda d: d["scenarios"][0]["inputs"].update(batch=float("nan")), "not finite"),
    ],
)
def test_one_problem_is_one_sentence_with_its_place(
    run: Run, refuse: Refuse, plan: Path, edit: Callable[[Any], None], words: str
) -> None:
    change(plan, edit)
    said = refuse("import", plan, "--apply", code=65)
    assert words in said
    assert "$.scenarios[" in said
    assert "\x1b" not in said


def test_what_is_no_export_is_refused(run: Run, refuse: Refuse, tmp_path: Path, plan: Path) -> None:
    assert "does not exist" in refuse("import", tmp_path / "plan.xlsx", code=66)
    (tmp_path / "plan.xlsx").write_bytes(b"PK")
    assert "no workbook" in refuse("import", tmp_path / "plan.xlsx", code=65)
    assert "does not exist" in refuse("import", tmp_path / "none.json", code=66)
    assert "does not exist" in run("import", "~nobody-at-all/plan.json", code=66).err
    (tmp_path / "broken.json").write_text("{")
    assert "not JSON" in refuse("import", tmp_path / "broken.json", code=65)
    assert "--entries" in refuse("import", plan, "--entries", "theirs")


def test_a_model_that_is_a_file_is_said_not_to_go_along(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "m.toml"
    path.write_text('[[model]]\nid = "m"\nname = "M"\nvendor = "V"\nfamily = "f"\nparameters = 1000000000\n')
    run("set", "Toy 7B", f"model={path}")
    assert "planner catalog add" in run("export", tmp_path / "plan.json", "Toy 7B").err


def test_several_scenarios_join_the_fleet_in_one_change(run: Run) -> None:
    before = len(run("history", "--json").json["revisions"])
    run("fleet", "--add", "Toy 7B", "--add", "70B fp8, 1 x H200")
    run("fleet", "--add", "70B fp8, 2 x H100", "--remove", "Toy 7B")
    assert len(run("history", "--json").json["revisions"]) == before + 2
    run("undo")
    assert run("fleet", "--json").json["scenarios"] == ["Toy 7B", "70B fp8, 1 x H200"]


def test_an_edited_workbook_comes_back(run: Run, refuse: Refuse, tmp_path: Path) -> None:
    out, name = tmp_path / "plan.xlsx", "70B fp8, 2 x H100"
    run("tag", name, "mine")
    run("export", out)
    assert "already" in run("import", out, "--apply").err
    book = openpyxl.load_workbook(out)
    rows = planner_layout().input_rows
    book["Inputs"].cell(rows["output_tokens"], 8).value = 900
    book["Inputs"].cell(rows["memory_bandwidth"], 8).value = 3e12
    book["Inputs"].cell(5, 8).value = "Seen by finance"
    for title in ("Solver", "Model"):
        del book[title]
    book.save(out)
    said = run("import", out, "--replace")
    assert "would be saved in place of yours" in said.out
    assert re.search(r"Visible output tokens +350 tokens +900 tokens", said.out)
    assert re.search(r"Memory bandwidth +the catalogue's +3 TB/s", said.out)
    assert "--apply" in said.err
    document = run("import", out, "--replace", "--apply", "--json").json
    assert [one["status"] for one in document["scenarios"]] == ["same", "same", "same", "replaces", "same"]
    assert document["scenarios"][3]["path"] == "Inputs!H"
    assert document["scenarios"][3]["changes"][0] == {"name": "output_tokens", "here": 350, "file": 900}
    saved = run("show", name, "--json").json
    assert saved["inputs"]["output_tokens"] == 900
    assert saved["overrides"] == {"memory_bandwidth": 3e12}
    assert saved["tags"] == ["mine"]
    assert "A service of" in saved["notes"]
    assert "changed here since" in run("import", out).err
    run("undo")
    assert run("show", name, "--json").json["inputs"]["output_tokens"] == 350
    book["Inputs"].cell(rows["prompt_tokens"], 5).value = "4,99"
    book.save(out)
    sentence = refuse("import", out, "--replace", "--apply", code=65)
    assert f"Inputs!E{rows['prompt_tokens']}: Prompt tokens is the text '4,99', not a number" in sentence


def test_a_workbook_brings_its_scenarios_to_another_library(
    run: Run, tmp_path: Path, elsewhere: tuple[str, str]
) -> None:
    run("export", tmp_path / "plan.xlsx", "70B fp8, 1 x H200")
    run(*elsewhere, "delete", "70B fp8, 1 x H200")
    run(*elsewhere, "import", tmp_path / "plan.xlsx", "--apply")
    there = run(*elsewhere, "show", "70B fp8, 1 x H200", "--json").json
    assert there["inputs"] == run("show", "70B fp8, 1 x H200", "--json").json["inputs"]
