"""How fast the screen is, in a real pseudo-terminal: the first paint, and from a key to the end of its repaint.

Times on a shared machine say little alone, so each stands beside that of an empty Textual program which imports the
same packages. `./run test -m benchmark tests/benchmarks/test_screen.py -s` prints the table.
"""

from __future__ import annotations

import statistics
import time
from pathlib import Path

import pytest

from planner.model.inputs import default_values
from planner.model.scenario import Scenario
from planner.store import open_library
from tests.tui.terminal import PROGRAM, Terminal

pytestmark = pytest.mark.benchmark

EMPTY = """
import sys
import catalog.resolve
import planner.store.library
import planner.tui.app
from textual.app import App
from textual.widgets import Static

class Empty(App):
    pressed = 0
    def compose(self):
        yield Static("Explain TTFT", markup=False)
    def on_key(self, event):
        self.pressed += 1
        self.query_one(Static).update(f"Explain TTFT {self.pressed}", layout=False)

Empty().run()
"""
QUIET = 0.15
ROUNDS = 7
KEYS = {
    "right": b"\x1b[C", "left": b"\x1b[D", "down": b"\x1b[B", "up": b"\x1b[A", "a digit typed": b"7",
    "the edit saved (Enter)": b"\r", "undo": b"\x1a", "difference (F6)": b"\x1b[17~",
}  # fmt: skip


@pytest.fixture(scope="module")
def libraries(tmp_path_factory: pytest.TempPathFactory) -> dict[int, Path]:
    """Library files with 5 and with 50 scenarios."""
    found = {}
    for count in (5, 50):
        found[count] = tmp_path_factory.mktemp("library") / f"{count}.db"
        with open_library(found[count]) as made:
            made.create_workspace("many")
            made.use_workspace("many")
            base = {**default_values(), "model": "llama-3.3-70b", "tensor_parallel": 4, "device_price_per_hour": 2.5}
            made.create_many(
                [
                    Scenario(f"s{number}", {**base, "requests_per_day": 1000.0 * number})
                    for number in range(1, count + 1)
                ]
            )
    return found


def time_to_quiet(terminal: Terminal) -> float:
    """Seconds until the last byte of what is being painted, and read it."""
    start = last = time.monotonic()
    while time.monotonic() - last < QUIET:
        if terminal.read(0.001):
            last = time.monotonic()
    return last - start


def first_paint(database: Path, program: str) -> float:
    """Seconds from the start of the process to the last byte of its first paint."""
    start = time.monotonic()
    with Terminal(database, program=program, size=(120, 40)) as terminal:
        terminal.wait_for(lambda: b"TTFT" in terminal.output, "the first paint")
        return time.monotonic() - start + time_to_quiet(terminal)


def after_keys(terminal: Terminal, keys: list[bytes]) -> list[float]:
    """Seconds from writing each key to the last byte of its repaint."""
    times = []
    for key in keys:
        terminal.write(key)
        times.append(time_to_quiet(terminal))
    return times


def key_times(database: Path, program: str) -> dict[str, float]:
    """The median for every key, in seconds."""
    taken: dict[str, list[float]] = {name: [] for name in KEYS}
    with Terminal(database, program=program, size=(120, 40)) as terminal:
        terminal.wait_for(lambda: b"TTFT" in terminal.output, "the first paint")
        time_to_quiet(terminal)
        after_keys(terminal, [b"/", b"prompt tokens", b"\r", KEYS["right"]])
        for _ in range(ROUNDS):
            for name, key in KEYS.items():
                taken[name] += after_keys(terminal, [key])
            after_keys(terminal, [KEYS["difference (F6)"], KEYS["difference (F6)"]])
    return {name: statistics.median(times) for name, times in taken.items()}


def test_first_paint_beside_an_empty_program(libraries: dict[int, Path]) -> None:
    times: dict[str, list[float]] = {"empty program": [], "5 scenarios": [], "50 scenarios": []}
    for _ in range(ROUNDS):
        times["empty program"].append(first_paint(libraries[5], EMPTY))
        times["5 scenarios"].append(first_paint(libraries[5], PROGRAM))
        times["50 scenarios"].append(first_paint(libraries[50], PROGRAM))
    least = {name: min(found) for name, found in times.items()}
    print("\nstart of the process to the end of the first paint, least and median of", ROUNDS)
    for name, found in times.items():
        ratio = least[name] / least["empty program"]
        print(f"  {name:24} {least[name] * 1000:7.0f} ms  {statistics.median(found) * 1000:7.0f} ms   x {ratio:.2f}")
    assert least["5 scenarios"] < 2 * least["empty program"]
    assert least["50 scenarios"] < 1.5 * least["5 scenarios"]


def test_keys_cost_the_same_with_ten_times_the_scenarios(libraries: dict[int, Path]) -> None:
    found = {
        "empty program": key_times(libraries[5], EMPTY),
        "5 scenarios": key_times(libraries[5], PROGRAM),
        "50 scenarios": key_times(libraries[50], PROGRAM),
    }
    print("\nkey to the last byte of its repaint, median of", ROUNDS, "in ms")
    print(f"  {'':24}" + "".join(f"{name:>16}" for name in found))
    for key in KEYS:
        print(f"  {key:24}" + "".join(f"{times[key] * 1000:16.1f}" for times in found.values()))
    echo = statistics.median(found["empty program"].values())
    for key in KEYS:
        assert found["50 scenarios"][key] < 2 * found["5 scenarios"][key] + echo, key
