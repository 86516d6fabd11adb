"""Whatever a name, a file or a database holds, a terminal gets text: no escape sequence, no markup, no bidi control."""

import json
import os
import pty
import select
import sqlite3
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.conftest import REPOSITORY, Ran, command

Run = Callable[..., Ran]

HOSTILE = [
    "\x1b[31mred", "\x1b]52;c;ZXZpbA==\x07", "\x1b]0;title\x07", "\x9b31m", "\u202eevil", "\u2066x", "a\x08\x08b",
    "\x7f", "tab\there", "line\nbreak", "nul\x00", "\u200bhidden", "\ue000",
]  # fmt: skip
UNSAFE = set("\x1b\x07\x08\x7f\x9b\x9d\x90\u202e\u2066\u200b\ue000")


def unsafe(text: str) -> set[str]:
    return {character for character in text if character != "\n" and not character.isprintable()}


@pytest.mark.parametrize("name", [text for text in HOSTILE if "\x00" not in text])
def test_hostile_names_are_refused_or_harmless(run: Run, database: Path, name: str) -> None:
    for arguments in (
        ("new", name), ("copy", "Toy 7B", name), ("show", name), ("eval", "--set", name), (name,), ("diff", name),
        ("eval", "--set", f"model={name}"), ("tag", "Toy 7B", name), ("workspace", "new", name), ("snapshot", name),
        ("catalog", "show", name), ("eval", f"--{name}"), ("db", "restore", name, "--yes"), ("catalog", "add", name),
        ("--db", f"postgresql://{name}", "list"),
    ):  # fmt: skip
        ran = run(*arguments, code=None)
        assert unsafe(ran.out) == set(), arguments
        assert unsafe(ran.err) == set(), arguments


@pytest.mark.parametrize(
    "text", ["\x1b]0;title\x07\x9b31m\u202e", "[bold]name[/bold] [link=x]y[/link]", ":smile: #1e90ff"]
)
def test_what_a_stranger_wrote_into_the_database_is_shown_as_text(run: Run, database: Path, text: str) -> None:
    connection = sqlite3.connect(database)
    connection.execute("UPDATE scenario SET name = ?, notes = ? WHERE name = 'Toy 7B'", (text, f"{text}\nsecond"))
    connection.execute("UPDATE scenario SET currency = ? WHERE name <> ?", (text[:8], text))
    connection.execute("UPDATE workspace SET name = ?", (text,))
    connection.execute("UPDATE revision SET who = ?, subject = ?", (text, text))
    connection.commit()
    connection.close()
    for arguments in (
        (),
        ("list",),
        ("compare",),
        ("history",),
        ("workspace", "list"),
        ("list", "--json"),
        ("compare", "--json"),
    ):
        ran = run(*arguments, code=None)
        assert unsafe(ran.out) == set(), arguments
        assert unsafe(ran.err) == set(), arguments
        if not UNSAFE & set(text) and arguments != ("history",):
            assert text in (json.dumps(ran.json, ensure_ascii=False) if "--json" in arguments else ran.out), arguments


def on_a_terminal(*arguments: str, width: int, env: dict[str, str]) -> tuple[str, int]:
    """What the program writes to a terminal of ``width`` columns, and its exit code."""
    import fcntl
    import struct
    import termios

    main, side = pty.openpty()
    fcntl.ioctl(side, termios.TIOCSWINSZ, struct.pack("HHHH", 40, width, 0, 0))
    environment = {name: value for name, value in os.environ.items() if name not in ("COLUMNS", "LINES")}
    process = subprocess.Popen(
        command(*arguments), cwd=REPOSITORY, env={**environment, "TERM": "xterm-256color", **env},
        stdin=subprocess.DEVNULL, stdout=side, stderr=subprocess.PIPE,
    )  # fmt: skip
    os.close(side)
    content = b""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        ready, _, _ = select.select([main], [], [], 0.2)
        if ready:
            try:
                piece = os.read(main, 65536)
            except OSError:
                break
            if not piece:
                break
            content += piece
        elif process.poll() is not None:
            break
    os.close(main)
    _, _ = process.communicate(timeout=60)
    return content.decode(), process.returncode


@pytest.mark.parametrize("width", [60, 80, 160])
def test_tables_keep_to_the_width_of_the_terminal_and_lose_nothing(database: Path, width: int) -> None:
    from rich.text import Text

    raw, code = on_a_terminal("compare", width=width, env={"PLANNER_DB": str(database)})
    assert code == 0
    lines = [Text.from_ansi(line).plain.rstrip() for line in raw.splitlines()]
    assert max(map(len, lines)) <= width
    text = "\n".join(lines)
    squeezed = "".join(text.split())
    assert "…" not in text
    for name in ("70Bfp8,1xH200", "Toy7B", "8,856"):
        assert name in squeezed


def test_colours_go_to_a_terminal_alone_and_not_against_no_color(database: Path, process: Callable[..., Ran]) -> None:
    coloured, _ = on_a_terminal("list", width=100, env={"PLANNER_DB": str(database)})
    plain, _ = on_a_terminal("list", width=100, env={"PLANNER_DB": str(database), "NO_COLOR": "1"})
    assert "\x1b[1m" in coloured
    assert "\x1b[3" not in plain
    assert "\x1b" not in process("list", env={"PLANNER_DB": str(database)}).out
