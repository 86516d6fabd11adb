"""The program in tmux, as a person on a remote machine runs it: what the terminal really shows."""

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.tui.terminal import PROGRAM, REPOSITORY

pytestmark = pytest.mark.tmux
DEADLINE = 30.0


class Tmux:
    """One tmux server of its own with one window."""

    def __init__(self, folder: Path, database: Path, size: tuple[int, int]) -> None:
        self.command = [shutil.which("tmux") or "tmux", "-f", "/dev/null", "-S", str(folder / "tmux.socket")]
        script = folder / "program.py"
        script.write_text(PROGRAM)
        environment = {**os.environ, "PYTHONPATH": str(REPOSITORY), "TERM": "xterm-256color"}
        columns, lines = size
        self.run(
            "new-session", "-d", "-x", str(columns), "-y", str(lines),
            f"PYTHONPATH={REPOSITORY} {sys.executable} {script} {database} {folder}/crash.log; echo CODE $?; sleep 60",
            env=environment,
        )  # fmt: skip

    def run(self, *arguments: str, env: dict[str, str] | None = None) -> str:
        done = subprocess.run(
            [*self.command, *arguments], capture_output=True, text=True, check=True, env=env, timeout=20
        )
        return done.stdout

    def lines(self) -> list[str]:
        return self.run("capture-pane", "-p").splitlines()

    def send(self, *keys: str) -> None:
        self.run("send-keys", *keys)

    def wait_for(self, condition: Callable[[list[str]], bool], what: str) -> list[str]:
        end = time.monotonic() + DEADLINE
        while True:
            lines = self.lines()
            if condition(lines):
                return lines
            assert time.monotonic() < end, f"{what} did not happen:\n" + "\n".join(lines)
            time.sleep(0.05)


@pytest.fixture
def window(tmp_path: Path, database: Path) -> Iterator[Callable[[int, int], Tmux]]:
    opened: list[Tmux] = []

    def open_window(columns: int, lines: int) -> Tmux:
        made = Tmux(tmp_path, database, (columns, lines))
        opened.append(made)
        return made

    yield open_window
    for made in opened:
        made.run("kill-server")


def test_eighty_by_twenty_four_from_first_paint_to_quit(window: Callable[[int, int], Tmux]) -> None:
    tmux = window(80, 24)
    lines = tmux.wait_for(lambda lines: "F2 Edit" in lines[-1], "the first paint")
    assert len(lines) == 24
    assert "base ▸ Accelerator = h100-sxm-80gb" in lines[0]
    assert lines[1].split()[-3:] == ["H200", "too", "small"]
    assert lines[16].startswith(" Verdict")
    assert lines[17].startswith(" TTFT")
    tmux.send("/", "prompt tokens", "Enter", "9000", "Enter")
    lines = tmux.wait_for(lambda lines: "→ 9,000" in lines[-2], "the edit")
    assert "saved " in lines[-2]
    tmux.send("C-z")
    tmux.wait_for(lambda lines: "1,000" in lines[0], "the undo")
    tmux.send("F6")
    tmux.wait_for(lambda lines: any("−" in line and "✓" in line for line in lines[2:-2]), "the differences")
    tmux.send("F4")
    tmux.wait_for(lambda lines: "─" in "".join(lines), "the explanation")
    tmux.send("q", "C-q")
    tmux.wait_for(lambda lines: "CODE 0" in "".join(lines), "the end")


def test_a_wide_name_keeps_the_columns_straight(window: Callable[[int, int], Tmux]) -> None:
    tmux = window(160, 50)
    lines = tmux.wait_for(lambda lines: "F2 Edit" in lines[-1], "the first paint")
    header = next(line for line in lines if "日本語" in line)
    assert len(header) <= 160
    assert sum(1 for line in lines if line.startswith((" TTFT", " TPOT", " Devices"))) >= 3
    tmux.run("resize-window", "-x", "60", "-y", "15")
    tmux.wait_for(lambda lines: len(lines) == 15 and "F2 Edit" in lines[-1], "the smaller size")
    tmux.run("resize-window", "-x", "20", "-y", "5")
    tmux.wait_for(lambda lines: "Too small" in "".join(lines), "the notice")
    tmux.run("resize-window", "-x", "80", "-y", "24")
    tmux.wait_for(lambda lines: len(lines) == 24 and "F2 Edit" in lines[-1], "the size from before")
    tmux.send("C-q")
    tmux.wait_for(lambda lines: "CODE 0" in "".join(lines), "the end")
