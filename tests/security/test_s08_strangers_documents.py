"""S8: JSON and TOML of strangers: bounded, closed, literal; F31 and F34 have the broken ones."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from catalog.config_json.document import parse
from catalog.errors import BadFileError, ConfigError
from catalog.files import MAX_BYTES
from catalog.load import parse_toml
from tests.faults.support import planner, untouched

CANARY = "canary-in-the-environment"


def test_s08_there_is_a_limit_to_the_size() -> None:
    assert MAX_BYTES <= 4_000_000


@pytest.mark.parametrize("level", [33, 1000, 100_000])
def test_s08_depth_is_bounded(level: int) -> None:
    with pytest.raises(ConfigError, match="nested"):
        parse(b'{"a":' * level + b"1" + b"}" * level, "x")
    with pytest.raises(BadFileError, match="nested"):
        parse_toml(b"a = " + b"[" * max(level, 5000) + b"]" * max(level, 5000), "x")


def test_s08_numbers_of_any_length_are_refused_in_a_sentence() -> None:
    with pytest.raises(ConfigError, match="not usable"):
        parse(b'{"a": ' + b"1" * 10_000 + b"}", "x")


def test_s08_unknown_keys_of_a_plan_are_refused(database: Path, tmp_path: Path) -> None:
    made = tmp_path / "plan.json"
    assert planner("export", made, "Toy 7B", "--db", database).code == 0
    document = json.loads(made.read_text())
    document["include"] = "/etc/passwd"
    document["scenarios"][0]["__class__"] = "os.system"
    document["scenarios"][0]["inputs"]["$ref"] = "file:///etc/passwd"
    made.write_text(json.dumps(document))
    with untouched(database):
        ended = planner("import", made, "--apply", "--db", database)
    assert ended.code == 65
    for word in ("include", "__class__", "$ref"):
        assert word in ended.err
    assert "root:" not in ended.err


@pytest.mark.parametrize(
    "text", ["$CANARY", "${CANARY}", "%(CANARY)s", "{CANARY}", "{{CANARY}}", "~", "`echo x`", "!ENV CANARY"]
)
def test_s08_nothing_is_filled_in(database: Path, tmp_path: Path, text: str) -> None:
    path = tmp_path / "card.toml"
    path.write_text(
        f'[[accelerator]]\nid = "c"\nname = "{text}"\nvendor = "v"\nmemory_label_gb = 96\nbandwidth_tb_s = 2.5\n'
        'sources = ["s"]\ndate = "2026-10"\n[accelerator.dense_tflops]\nbf16 = 400\n'
        '[[source]]\nid = "s"\ntitle = "t"\ndate = "2026-10-01"\n'
    )
    environment = {"CANARY": CANARY}
    assert planner("catalog", "import", path, "--db", database, environment=environment).code == 0
    shown = planner("catalog", "show", "c", "--db", database, environment=environment)
    assert shown.code == 0
    assert text in shown.out
    assert CANARY not in shown.out
    assert os.environ["HOME"] not in shown.out
