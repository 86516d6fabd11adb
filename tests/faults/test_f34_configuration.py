"""F34: files that configure something (a model's config.json, own entries, the environment) in every broken shape."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.faults.support import planner, says, says_nothing, untouched

LLAMA = {
    "model_type": "llama", "hidden_size": 4096, "num_hidden_layers": 32, "num_attention_heads": 32,
    "num_key_value_heads": 8, "intermediate_size": 14336, "vocab_size": 128256, "max_position_embeddings": 8192,
    "torch_dtype": "bfloat16", "tie_word_embeddings": False,
}  # fmt: skip

CASES: dict[str, tuple[bytes, str]] = {
    "empty": (b"", "is empty"),
    "blank": (b" \n\t ", "is empty"),
    "10 MB": (b'{"a": "' + b"x" * 10_000_000 + b'"}', "larger than 4 MB"),
    "deep": (b'{"a":' * 40 + b"1" + b"}" * 40, "nested more than"),
    "very deep": (b"[" * 200_000, "nested more than"),
    "not JSON": (b"{'model_type': 'llama'}", "line 1"),
    "cut off": (json.dumps(LLAMA).encode()[:60], "not JSON"),
    "a list": (b"[1, 2]", "must hold a JSON object"),
    "a number": (b"7", "must hold a JSON object"),
    "Latin-1": ('{"model_type": "llämä"}'.encode("latin-1"), "not UTF-8"),
    "UTF-16": (json.dumps(LLAMA).encode("utf-16"), "not UTF-8"),
    "twice": (b'{"model_type": "llama", "model_type": "llama"}', "'model_type' twice"),
    "wrong type": (json.dumps({**LLAMA, "hidden_size": "4096"}).encode(), "hidden_size"),
    "NaN": (json.dumps({**LLAMA, "num_hidden_layers": float("nan")}).encode(), "num_hidden_layers"),
    "infinite": (json.dumps({**LLAMA, "hidden_size": float("inf")}).encode(), "hidden_size"),
    "negative": (json.dumps({**LLAMA, "vocab_size": -1}).encode(), "vocab_size"),
    "huge": (json.dumps({**LLAMA, "num_hidden_layers": 10**30}).encode(), "num_hidden_layers"),
    "too many digits": (b'{"hidden_size": ' + b"9" * 5000 + b"}", "not usable"),
    "unknown kind": (json.dumps({**LLAMA, "model_type": "lama"}).encode(), "llama"),
    "contradictory": (json.dumps({**LLAMA, "num_key_value_heads": 5}).encode(), "num_key_value_heads"),
    "missing": (
        json.dumps({name: LLAMA[name] for name in LLAMA if name != "num_hidden_layers"}).encode(),
        "num_hidden_layers",
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_f34_a_config_json(database: Path, tmp_path: Path, case: str) -> None:
    content, words = CASES[case]
    path = tmp_path / "config.json"
    path.write_bytes(content)
    with untouched(database):
        says(planner("catalog", "add", path, "--db", database), 65, "config.json", words)
        ended = planner("eval", "--set", f"model={path}")
        assert ended.code == 65, ended.err
        assert words in ended.err


def test_f34_with_a_byte_order_mark_it_is_read(database: Path, tmp_path: Path) -> None:
    path = tmp_path / "config.json"
    path.write_bytes(b"\xef\xbb\xbf" + json.dumps(LLAMA).encode())
    assert planner("catalog", "add", path, "--db", database).code == 0


def test_f34_a_file_that_is_not_there(database: Path, tmp_path: Path) -> None:
    says(planner("catalog", "add", tmp_path / "config.json", "--db", database), 66, "does not exist")
    says(planner("import", tmp_path / "plan.json", "--db", database), 66, "does not exist")


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "no entr"),
        (b"[[accelerator]\n", "line 1"),
        (b"[[accelerator]]\nid = 'x'\nid = 'y'\n", "line 3"),
        (b"[[accelerator]]\nid = 'x'\n", "x"),
        (b"[[accelerator]]\nid = 'x'\nunknown = 1\n", "unknown"),
        (b"[[device]]\nid = 'x'\n", "device"),
        (b"a = nan\n", "a"),
        ("x = 'ä'\n".encode("latin-1"), "not UTF-8"),
        (b"x = " + b"9" * 5000 + b"\n", "number"),
        (b"x = " + b"[" * 50_000, "nested"),
        (b"x = 1\n" * 900_000, "larger than 4 MB"),
        (b"x = 1979-13-32\n", "TOML"),
    ],
    ids=["empty", "syntax", "twice", "missing", "unknown", "kind", "nan", "latin", "digits", "deep", "large", "date"],
)
def test_f34_own_entries(database: Path, tmp_path: Path, content: bytes, words: str) -> None:
    path = tmp_path / "own.toml"
    path.write_bytes(content)
    with untouched(database):
        says(planner("catalog", "import", path, "--db", database), 65, "own.toml", words)


@pytest.mark.parametrize(
    "address",
    [
        "mysql://u:s3cr3t@h/d",
        "://",
        "sqlite://",
        "sqlite:///:memory:",
        "postgresql://u:s3@cr3t@h/d",
    ],
)
def test_f34_an_address_that_is_none(address: str) -> None:
    for ended in (planner("list", environment={"PLANNER_DB": address}), planner("list", "--db", address)):
        sentence = says(ended, 78)
        assert "s3" not in sentence.replace("sqlite:///", "")


def test_f34_an_empty_variable_is_none(tmp_path: Path) -> None:
    environment = {"PLANNER_DB": "", "HOME": str(tmp_path)}
    ended = planner("list", environment=environment)
    assert ended.code == 0
    assert str(tmp_path) in ended.err
    says_nothing(planner("list", environment=environment))
