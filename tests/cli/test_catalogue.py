"""planner catalog and planner price: search, show, check, own entries, prices."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.conftest import Ran

Run = Callable[..., Ran]
pytestmark = pytest.mark.usefixtures("database")

DEVICE = """
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
def device(tmp_path: Path) -> Path:
    path = tmp_path / "card.toml"
    path.write_text(DEVICE)
    return path


def ids(run: Run, *arguments: str) -> list[str]:
    return [one["id"] for one in run("catalog", "list", *arguments, "--json").json["entries"]]


def test_list_searches_and_filters(run: Run) -> None:
    every = ids(run)
    assert {"h100-sxm-80gb", "llama-3.3-70b"} <= set(every)
    assert set(ids(run, "--memory", "180")) < set(ids(run, "accelerators"))
    assert "h100-sxm-80gb" not in ids(run, "--bandwidth", "4")
    assert "h200-sxm-141gb" in ids(run, "--bandwidth", "4")
    assert all("qwen" in one for one in ids(run, "models", "qwen"))
    assert ids(run, "models", "qwen")
    assert set(ids(run, "--kind", "model", "--family", "llama3.3")) == {"llama-3.3-70b"}
    assert "vllm" in ids(run, "engines")
    shown = run("catalog", "list", "h100").out
    assert "h100-sxm-80gb" in shown
    assert "No entry" in run("catalog", "list", "no such thing at all").err


def test_show_has_source_date_and_doubt_of_every_figure(run: Run) -> None:
    document = run("catalog", "show", "H100 SXM", "--json").json
    assert document["id"] == "h100-sxm-80gb"
    figures = {figure["name"]: figure for figure in document["figures"]}
    assert figures["bandwidth_tb_s"]["value"] == 3.35
    assert figures["bandwidth_tb_s"]["source"]
    assert figures["bandwidth_tb_s"]["date"]
    assert all("doubt" in figure for figure in document["figures"])
    assert "NVLink" in run("catalog", "show", "h100-sxm-80gb").out


def test_unknown_names_give_the_nearest(refuse: Callable[..., str]) -> None:
    assert "h100-sxm-80gb" in refuse("catalog", "show", "h1000-sxm-80gb")
    assert "model" in refuse("catalog", "list", "--kind", "modle")
    assert "llama-3.3-70b" in refuse("catalog", "show", "llama-3.3-70", "--kind", "model")


def test_check_passes_and_finds(run: Run, tmp_path: Path) -> None:
    ran = run("catalog", "check", "--json")
    assert ran.json["findings"] == []
    assert ran.json["entries"] > 100
    bad = tmp_path / "bad.toml"
    bad.write_text(DEVICE.replace("bf16 = 400", "bf16 = 400\nfp8 = 3300"))
    found = run("catalog", "check", bad, code=1)
    assert "our-card" in found.out
    assert "sparse" in found.out


def test_own_entries_are_kept_used_exported_imported_and_removed(run: Run, device: Path, tmp_path: Path) -> None:
    assert run("catalog", "add", device, "--json").json["kept"] == [{"kind": "accelerator", "id": "our-card"}]
    assert ids(run, "--own") == ["our-card"]
    document = run("catalog", "show", "our-card", "--json").json
    assert document["own"] is True
    assert all("Our data sheet" in figure["source"] for figure in document["figures"])
    assert run("new", "On ours", "--set", "accelerator=our-card", "--json").json["inputs"]["accelerator"] == "our-card"
    assert run("eval", "On ours", "--json").json["facts"]["memory_bandwidth"]["value"] == 2.5e12
    out = tmp_path / "own.toml"
    assert run("catalog", "export", out, "--json").json["entries"] == 1
    run("catalog", "remove", "accelerator", "our-card", "--yes")
    assert ids(run, "--own") == []
    assert "our-card" in run("eval", "On ours", code=65).err
    assert "On ours" in run("compare").out
    run("catalog", "import", out)
    assert "Our data sheet" in run("catalog", "show", "our-card").out
    run("eval", "On ours", "--json")


def test_an_own_entry_takes_the_place_of_a_shipped_one_in_sight(run: Run, device: Path) -> None:
    device.write_text(DEVICE.replace('"our-card"', '"h100-sxm-80gb"'))
    assert "in place of the shipped one" in run("catalog", "add", device).err
    assert "in place of the shipped one" in run("catalog", "list", "h100-sxm").out
    assert run("eval", "70B fp8, 2 x H100", "--json").json["facts"]["memory_bandwidth"]["value"] == 2.5e12


def test_a_model_is_added_from_its_config_json(run: Run, tmp_path: Path) -> None:
    folder = tmp_path / "Our Model"
    folder.mkdir()
    config = {
        "model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": 256, "intermediate_size": 512,
        "num_hidden_layers": 4, "num_attention_heads": 8, "num_key_value_heads": 2, "vocab_size": 1000,
        "max_position_embeddings": 4096, "tie_word_embeddings": False, "torch_dtype": "bfloat16",
    }  # fmt: skip
    (folder / "config.json").write_text(json.dumps(config))
    assert run("catalog", "show", folder / "config.json", "--json").json["id"] == "our-model"
    assert run("catalog", "add", folder, "--id", "ours-4l", "--json").json["kept"] == [
        {"kind": "model", "id": "ours-4l"}
    ]
    assert run("eval", "Toy 7B", "--set", "model=ours-4l", "--json").json["facts"]["layers"]["value"] == 4


@pytest.mark.parametrize(
    ("name", "content", "code", "words"),
    [
        ("missing.toml", None, 66, "does not exist"),
        ("broken.toml", "a = = 1", 65, "TOML"),
        ("unknown.toml", DEVICE.replace("vendor", "colour = 1\nvendor"), 65, "colour"),
        ("bounds.toml", DEVICE.replace("2.5", "-1"), 65, "bandwidth_tb_s"),
        ("nothing.toml", "schema = 1", 65, "no entry"),
        ("config.json", '{"model_type": "martian"}', 65, "martian"),
        ("config.json", '{"model_type": "llama", "hidden_size": NaN}', 65, "hidden_size"),
    ],
)
def test_bad_files_are_refused_with_the_file_and_what_is_wrong(
    refuse: Callable[..., str], run: Run, tmp_path: Path, name: str, content: str | None, code: int, words: str
) -> None:
    path = tmp_path / name
    if content is not None:
        path.write_text(content)
    assert words in refuse("catalog", "add", path, code=code)
    assert ids(run, "--own") == []


def test_a_damaged_own_entry_is_left_out_and_said(run: Run, device: Path, database: Path) -> None:
    import sqlite3

    run("catalog", "add", device)
    with sqlite3.connect(database) as connection:
        connection.execute("UPDATE catalogue_entry SET document = '{\"id\": \"our-card\"}' WHERE kind = 'accelerator'")
    connection.close()
    ran = run("eval", "Toy 7B", "--json")
    assert "our-card" in ran.err
    assert ran.json["rows"]


def test_a_seller_fills_price_and_plan(run: Run, refuse: Callable[..., str]) -> None:
    scenario = "70B fp8, 2 x H100"
    offers = run("catalog", "prices", "h100-sxm-80gb", "--json").json["offers"]
    assert offers
    assert all(offer["date"] and offer["usd_h"] >= 0 for offer in offers)
    changed = run("price", scenario, "--seller", "runpod", "--json").json["inputs"]
    assert changed["price_plan"] == "on_demand"
    assert changed["device_price_per_hour"] > 0
    assert run("history", scenario, "--limit", "1", "--json").json["revisions"][0]["why"]
    tokens = run("catalog", "prices", "--api", "openai", "--json").json["offers"]
    changed = run("price", scenario, "--api", tokens[0]["name"], "--json").json["inputs"]
    assert changed["input_price_per_million"] == tokens[0]["input"]
    assert "runpod" in refuse("price", scenario, "--seller", "runpot")
    assert "--seller" in refuse("price", scenario)
    assert "DEVICE" in refuse("catalog", "prices")
