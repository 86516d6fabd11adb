"""Paths typed where the catalogue's names are listed, in a real terminal: ~, folders, and one sentence of refusal."""

import re
import shutil
from pathlib import Path

import pytest

from tests.tui.terminal import Terminal
from tests.tui.test_terminal import find, saved

CONFIGS = Path(__file__).parent.parent / "catalog" / "fixtures" / "configs"
DEVICE = """
[[accelerator]]
id = "card"
name = "Card"
vendor = "own"
runtime_memory_gib = 94
bandwidth_tb_s = 2.5
dense_tflops = { bf16 = 700.0, fp8 = 1400.0 }
link_gb_s = 300.0
"""


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home folder with a model folder, its config.json, and a device."""
    folder = tmp_path / "home folder"
    (folder / "models" / "my model").mkdir(parents=True)
    shutil.copy(CONFIGS / "grouped-heads.json", folder / "models" / "my model" / "config.json")
    (folder / "card.toml").write_text(DEVICE)
    (folder / "broken.toml").write_text("[[accelerator]\n")
    (folder / "odd.json").write_text('{"model_type": "unheard-of"}')
    (folder / "empty").mkdir()
    monkeypatch.setenv("HOME", str(folder))
    return folder


def screen(terminal: Terminal) -> str:
    """What was painted, without the sequences between."""
    return re.sub(rb"\x1b\[[0-9;?]*[A-Za-z]", b" ", terminal.output).decode(errors="replace")


@pytest.mark.parametrize(
    ("line", "name", "path"),
    [
        (b"accelerator", "accelerator", "~/card.toml"),
        (b"accelerator", "accelerator", " {home}/card.toml"),
        (b"model", "model", "~/models/my model"),
        (b"model", "model", "~/models/my model/config.json"),
        (b"model", "model", " {home}/models/my model"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("opens", [b"\r", b""], ids=["from the list", "typed"])
def test_a_path_is_taken(database: Path, home: Path, line: bytes, name: str, path: str, opens: bytes) -> None:
    typed = path.format(home=home)
    full = typed.strip().replace("~", str(home))
    with Terminal(database, size=(120, 40)) as terminal:
        terminal.wait_until_ready()
        terminal.write((find(line) if name != "accelerator" else b"") + opens + typed.encode() + b"\r")
        terminal.wait_for(lambda: saved(database, name) == full, f"{name} = {full}")
        terminal.write(b"\x11")
        assert terminal.wait_for_end() == 0


@pytest.mark.parametrize(
    ("name", "path", "said"),
    [
        ("accelerator", "~/no such card.toml", "neither in the catalogue nor a file"),
        ("accelerator", "~/broken.toml", "is not TOML"),
        ("accelerator", "~/empty", "neither in the catalogue nor a file|is not a regular file"),
        ("model", "~/odd.json", "unheard-of"),
        ("model", "~/nowhere", "neither in the catalogue nor a file|there is no"),
        ("model", "~/empty", "config.json"),
        ("model", "~nobody-of-that-name/x.json", "nobody-of-that-name"),
    ],
)
def test_a_path_is_refused_in_a_sentence(database: Path, home: Path, name: str, path: str, said: str) -> None:
    before = saved(database, name)
    with Terminal(database, size=(180, 40)) as terminal:
        terminal.wait_until_ready()
        terminal.write((find(b"model") if name == "model" else b"") + b"\r" + path.encode())
        terminal.read(0.5)
        terminal.output = b""
        terminal.write(b"\r")
        terminal.wait_for(lambda: re.search(said, " ".join(screen(terminal).split())) is not None, said)
        assert "Traceback" not in screen(terminal)
        terminal.write(b"\x1b")
        terminal.read(0.2)
        terminal.write(b"\x11")
        assert terminal.wait_for_end() == 0
    assert saved(database, name) == before
