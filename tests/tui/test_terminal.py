"""Keys in bursts, signals and faults, in a real pseudo-terminal against the real program and a real file."""

import random
import signal
import sqlite3
import sys
from contextlib import closing
from pathlib import Path

import pytest

from planner.store import open_library
from tests.tui.terminal import Terminal

RESTORED = b"\x1b[?1049l"
F2 = b"\x1bOQ"
DOWN, RIGHT, LEFT = b"\x1b[B", b"\x1b[C", b"\x1b[D"


def saved(database: Path, name: str, place: int = 0) -> object:
    """What stands in the file, read without the program's own code."""
    query = (
        f"SELECT scenario.{name} FROM scenario JOIN workspace ON workspace.id = scenario.workspace_id "  # noqa: S608
        "WHERE workspace.name = 'tests' AND scenario.deleted_at IS NULL ORDER BY scenario.position LIMIT 1 OFFSET ?"
    )
    with closing(sqlite3.connect(database, timeout=10)) as raw:
        return raw.execute(query, (place,)).fetchone()[0]


def names(database: Path) -> list[str]:
    with open_library(database) as library:
        return [stored.name for stored in library.scenarios()]


def find(words: bytes) -> bytes:
    return b"/" + words + b"\r"


@pytest.mark.parametrize(
    ("burst", "expected"),
    [
        (find(b"prompt tokens") + b"1234\r56\r", {"prompt_tokens": 1234, "output_tokens": 56}),
        (find(b"prompt tokens") + b"12\x7f3\r", {"prompt_tokens": 13}),
        (find(b"prompt tokens") + F2 + b"\x1512" + LEFT + b"3\r", {"prompt_tokens": 132}),
        (find(b"prompt tokens") + b"x\r\x1577\r", {"prompt_tokens": 77}),
        (b"\rh200-s\r" + b"8\r", {"accelerator": "h200-sxm-141gb", "tensor_parallel": 8}),
        (find(b"prompt tokens") + b"5" + DOWN + b"67" + RIGHT + b"8\r", {"prompt_tokens": 5, "output_tokens": 67}),
        (b"\x1b[200~a100-sxm-80gb\r2\r\x1b[201~", {"accelerator": "a100-sxm-80gb", "tensor_parallel": 2}),
    ],
    ids=["two cells", "backspace", "caret", "refused then right", "list", "arrows", "paste"],
)  # fmt: skip
def test_no_key_of_a_burst_is_lost(database: Path, burst: bytes, expected: dict[str, object]) -> None:
    with Terminal(database) as terminal:
        terminal.wait_until_ready()
        terminal.write(burst)
        last = list(expected)[-1]
        terminal.wait_for(lambda: saved(database, last) == expected[last], f"{last} = {expected[last]}")
        assert {name: saved(database, name) for name in expected} == expected


def test_a_burst_through_every_kind_of_prompt_and_out(database: Path) -> None:
    burst = (
        b"\x0eburst\r"  # a new scenario, named
        + find(b"prompt tokens")
        + b"10\t20\t30\r40\r"  # a run of Tab, and Enter back to its first column
        + b"\x10fold all\r"  # a command by its name
        + b"\x07visible output\r"  # go to a hidden line
        + b"\x1bOSq"  # explain, close
        + b"50\r"
        + b"\x11"  # quit
    )
    with Terminal(database) as terminal:
        terminal.wait_until_ready()
        terminal.write(burst)
        assert terminal.wait_for_end() == 0
        assert RESTORED in terminal.output
    assert names(database)[:3] == ["base", "burst", "fp8"]
    assert [saved(database, "prompt_tokens", place) for place in (1, 2, 3)] == [10, 20, 30]
    assert saved(database, "output_tokens", 1) == 50


def test_quitting_in_the_same_burst_keeps_the_edit(database: Path) -> None:
    with Terminal(database) as terminal:
        terminal.wait_until_ready()
        terminal.write(find(b"prompt tokens") + b"777\r888\x11")
        assert terminal.wait_for_end() == 0
    assert (saved(database, "prompt_tokens"), saved(database, "output_tokens")) == (777, 888)


def test_a_kill_after_saved_loses_nothing(database: Path) -> None:
    with Terminal(database) as terminal:
        terminal.wait_until_ready()
        terminal.write(find(b"prompt tokens") + b"4321\r5")
        terminal.wait_for(lambda: b"4,321" in terminal.output and b"saved" in terminal.output, "the edit")
        terminal.kill(signal.SIGKILL)
        assert terminal.wait_for_end() == -signal.SIGKILL
    with closing(sqlite3.connect(database)) as raw:
        assert raw.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    assert (saved(database, "prompt_tokens"), saved(database, "output_tokens")) == (4321, 300)


@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGTERM, 143), (signal.SIGHUP, 129), (signal.SIGINT, 130), (signal.SIGQUIT, 131)]
)
def test_a_signal_ends_the_program_in_order(database: Path, number: int, code: int) -> None:
    with Terminal(database) as terminal:
        terminal.wait_until_ready()
        terminal.write(find(b"prompt tokens") + b"99\r1")
        terminal.wait_for(lambda: saved(database, "prompt_tokens") == 99, "the edit")
        terminal.kill(number)
        assert terminal.wait_for_end(10) == code
        assert RESTORED in terminal.output
    assert saved(database, "output_tokens") == 300


def test_the_program_can_be_stopped_and_goes_on(database: Path) -> None:
    with Terminal(database) as terminal:
        terminal.wait_until_ready()
        terminal.kill(signal.SIGTSTP)
        terminal.wait_for(lambda: RESTORED in terminal.output, "leaving the screen")
        terminal.read(0.2)
        terminal.output = b""
        terminal.kill(signal.SIGCONT)
        terminal.wait_for(lambda: b"Explain" in terminal.output, "the repaint")
        terminal.write(find(b"prompt tokens") + b"55\r")
        terminal.wait_for(lambda: saved(database, "prompt_tokens") == 55, "the edit")


def test_a_closed_window_ends_the_program(database: Path) -> None:
    with Terminal(database) as terminal:
        terminal.wait_until_ready()
        terminal.write(find(b"prompt tokens") + b"99\r")
        terminal.wait_for(lambda: saved(database, "prompt_tokens") == 99, "the edit")
        terminal.close()
        assert terminal.wait_for_end(10) == 129


def test_a_storm_of_sizes_is_survived(database: Path) -> None:
    chance = random.Random(8)  # noqa: S311 - a seeded test
    with Terminal(database) as terminal:
        terminal.wait_until_ready()
        for _ in range(60):
            terminal.resize(chance.choice((0, 1, 5, 40, 80, 300)), chance.choice((0, 1, 3, 15, 24, 100)))
            terminal.read(0.01)
        terminal.resize(80, 24)
        terminal.read(0.3)
        terminal.write(find(b"prompt tokens") + b"66\r\x11")
        assert terminal.wait_for_end() == 0
    assert saved(database, "prompt_tokens") == 66
    assert not terminal.crash_log.exists()


def ticks_to_answer(terminal: Terminal, first: bytes) -> int:
    """Ticks of processor time (of 10 ms) from ``first`` until a key is answered again."""

    def spent() -> int:
        fields = Path(f"/proc/{terminal.pid}/stat").read_text().rpartition(")")[2].split()
        return int(fields[11]) + int(fields[12])

    start = spent()
    terminal.write(first)
    terminal.read(0.3)
    terminal.output = b""
    terminal.write(b"\x1b[B")
    terminal.wait_for(lambda: b"\x1b[" in terminal.output, "the answer")
    return spent() - start


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_a_paste_full_of_escape_sequences_costs_what_its_length_costs(database: Path) -> None:
    with Terminal(database) as terminal:
        terminal.wait_until_ready()
        letters = ticks_to_answer(terminal, b"\x1b[200~" + b"x" * 40_000 + b"\x1b[201~")
        escapes = ticks_to_answer(terminal, b"\x1b[200~" + b"\x1b[31m" * 8_000 + b"\x1b[201~")
        terminal.write(b"\x11")
        assert terminal.wait_for_end() == 0
    assert escapes < 3 * letters + 30


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_a_window_of_65535_lines_costs_little_more_than_a_large_one(database: Path) -> None:
    with Terminal(database) as terminal:
        terminal.wait_until_ready()
        terminal.resize(500, 200)
        large = ticks_to_answer(terminal, b"")
        terminal.resize(65535, 65535)
        absurd = ticks_to_answer(terminal, b"")
        terminal.resize(80, 24)
        terminal.read(0.3)
        terminal.write(b"\x11")
        assert terminal.wait_for_end() == 0
    assert absurd < 10 * large + 50


def test_garbage_with_bytes_that_are_no_text_is_survived(database: Path) -> None:
    chance = random.Random(20)  # noqa: S311 - a seeded test
    noise = bytes(byte for byte in chance.randbytes(3000) if byte not in (0x11, 0x1B))
    noise += b"\x1b[\x1b[1;\xff\xfe\x1bO\x80\x1b]0;x\x07" + b"\x1b[200~" + b"9\t" * 20_000 + b"\x1b[201~"
    with Terminal(database) as terminal:
        terminal.wait_until_ready()
        terminal.write(noise)
        terminal.read(1.0)
        terminal.write(b"\x1b")
        terminal.read(0.3)
        terminal.write(b"\x1b")
        terminal.read(0.3)
        terminal.write(b"\x11")
        assert terminal.wait_for_end() == 0
        assert RESTORED in terminal.output
    assert not terminal.crash_log.exists()
    with closing(sqlite3.connect(database)) as raw:
        assert raw.execute("PRAGMA integrity_check").fetchone() == ("ok",)


def test_a_fault_of_the_program_leaves_the_terminal_and_tells_where_the_report_is(database: Path) -> None:
    program = """
import sys
from pathlib import Path
from planner.store import open_library
from planner.tui import app, desk
desk.Desk.press = lambda *_: 1 / 0
with open_library(sys.argv[1]) as library:
    sys.exit(app.run(library, crash_log=Path(sys.argv[2])))
"""
    with Terminal(database, program=program) as terminal:
        terminal.wait_until_ready()
        terminal.write(b"x")
        assert terminal.wait_for_end(10) == 70
        assert RESTORED in terminal.output
        after = terminal.output.rpartition(RESTORED)[2]
        assert b"Traceback" not in after
        assert b"crash.log" in after
    assert "ZeroDivisionError" in terminal.crash_log.read_text()
    assert terminal.crash_log.stat().st_mode & 0o077 == 0


def test_no_escape_sequence_of_a_name_reaches_the_terminal(database: Path) -> None:
    payload = "x\x1b]52;c;ZXZpbA==\x07\x1b]0;title\x07\x9b31mred\u202eback"
    with closing(sqlite3.connect(database)) as raw:
        raw.execute("UPDATE scenario SET name = ?, notes = ? WHERE position = 1", (payload, payload))
        raw.commit()
    with Terminal(database) as terminal:
        terminal.wait_for(lambda: b"Edit" in terminal.output or b"planner" in terminal.output, "the first paint")
        terminal.write(RIGHT + b"\x1bOP\x1b" + b"\x07" + b"\x1b\x11")
        terminal.wait_for_end()
        assert b"\x1b]52" not in terminal.output
        assert b"\x1b]0;title" not in terminal.output
        assert b"\xc2\x9b" not in terminal.output
        assert "\u202e".encode() not in terminal.output
