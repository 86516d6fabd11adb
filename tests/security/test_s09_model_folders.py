"""S9: a model's folder of a stranger: its config.json is read, nothing in it runs, and nothing is guessed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.faults.support import fresh_planner, planner, says
from tests.faults.test_f34_configuration import LLAMA


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with code that would leave a mark if anybody ran it."""
    made = tmp_path / "a-model"
    made.mkdir()
    mark = f"import pathlib; pathlib.Path({str(tmp_path / 'ran')!r}).touch()\n"
    for name in ("modeling_x.py", "configuration_x.py", "__init__.py", "config.py", "setup.py", "sitecustomize.py"):
        (made / name).write_text(mark)
    return made


def write(folder: Path, **changes: object) -> None:
    document = {**LLAMA, "auto_map": {"AutoConfig": "configuration_x.X", "AutoModel": "modeling_x.X"}, **changes}
    (folder / "config.json").write_text(json.dumps(document))


def test_s09_no_code_of_the_folder_runs(database: Path, folder: Path) -> None:
    write(folder, trust_remote_code=True)
    ended = fresh_planner("eval", "--set", f"model={folder}", cwd=folder)
    assert ended.code in (0, 65), ended.err
    ended = fresh_planner("catalog", "add", folder, "--db", database, cwd=folder)
    assert ended.code in (0, 65), ended.err
    assert not folder.with_name("ran").exists()


def test_s09_an_unknown_architecture_is_refused_and_not_guessed(database: Path, folder: Path) -> None:
    write(folder, model_type="mystery", architectures=["LlamaForCausalLM"])
    says(planner("catalog", "add", folder, "--db", database), 65, "mystery")
    says(planner("eval", "--set", f"model={folder}"), 65, "mystery")
    assert not folder.with_name("ran").exists()


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("hidden_size", 10**12),
        ("num_hidden_layers", 10**9),
        ("vocab_size", 0),
        ("num_attention_heads", 1.5),
        ("intermediate_size", True),
    ],
)
def test_s09_numbers_have_ranges(database: Path, folder: Path, name: str, value: object) -> None:
    write(folder, **{name: value})
    says(planner("catalog", "add", folder, "--db", database), 65, name)


def test_s09_a_config_that_leads_out_of_its_folder(database: Path, folder: Path, tmp_path: Path) -> None:
    secret = tmp_path / "secret.json"
    secret.write_text('{"password": "canary"}')
    (folder / "config.json").symlink_to(secret)
    ended = planner("catalog", "add", folder, "--db", database)
    assert ended.code == 65
    assert "canary" not in ended.err + ended.out


def test_s09_weights_that_are_pickled_are_never_opened(database: Path, folder: Path, tmp_path: Path) -> None:
    write(folder)
    trap = folder / "pytorch_model.bin"
    trap.symlink_to("/dev/zero")
    (folder / "model.safetensors.index.json").symlink_to("/dev/zero")
    assert planner("catalog", "add", folder, "--db", database).code in (0, 65)
