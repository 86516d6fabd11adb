"""S12: no password of a database's address is in any output: messages, logs, exports, backups, the process's title."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from planner.store import StoreError, open_library
from tests.faults import children
from tests.faults.support import REPOSITORY, Child, Ended, planner, wait_for_lines
from tests.faults.terminal import Terminal
from tests.store.postgres import Server, running_server

CANARY = "s3cr3t-canary"
ADDRESSES = [
    "postgresql://u:{}@127.0.0.1:9/d",
    "postgresql://u:{}@[::1]:9/d?sslmode=disable",
    "postgresql://u:a@b{}@127.0.0.1:9/d",
    "postgresql://127.0.0.1:9/d?user=u&password={}",
    "postgresql://127.0.0.1:9/d?PASSWORD={}",
    "postgresql+psycopg://u:{}@127.0.0.1:9/d",
    "postgres://u:{}@127.0.0.1:9/d",
    "mysql://u:{}@127.0.0.1/d",
    "postgresql://u:{}@127.0.0.1:port/d",
    "postgresql://u:{}%@127.0.0.1:9/d",
    "postgresql://u:{}/x@127.0.0.1:9/d",
    "postgresql://u:{}#x@127.0.0.1:9/d",
    "POSTGRESQL://U:{}@127.0.0.1:9/D",
    "postgresql:/u:{}@127.0.0.1:9/d",
]


def everything(home: Path, ended: Ended) -> str:
    """What a run left anywhere: its output and every file of its home."""
    files = [path.read_bytes().decode("latin-1") for path in home.rglob("*") if path.is_file()]
    return "\n".join([ended.out, ended.err, *files])


@pytest.mark.parametrize("address", ADDRESSES)
def test_s12_an_address_that_fails(tmp_path: Path, address: str) -> None:
    full = address.format(CANARY)
    for number, command in enumerate(
        (("list", "--db", full), ("db", "backup", "--db", full), ("db", "copy", full, tmp_path / "x.db"))
    ):
        home = tmp_path / f"home-{number}"
        home.mkdir()
        ended = planner(*command, environment={"HOME": str(home)})
        assert ended.code in (2, 65, 66, 69, 73, 78), ended.err
        assert CANARY not in everything(home, ended)
    home = tmp_path / "home"
    home.mkdir()
    assert CANARY not in everything(home, planner("list", environment={"HOME": str(home), "PLANNER_DB": full}))


CRASHING = """
import sys
from planner.__main__ import main
from planner.store.library import Library

def crash(self, *arguments, **options):
    raise RuntimeError(f"cannot do that with {sys.argv[-1]} as password={sys.argv[1]}")

Library.search = crash
sys.exit(main(sys.argv[2:]))
"""


def test_s12_a_report_of_a_crash(tmp_path: Path) -> None:
    """The error itself names the address; its report does not."""
    home = tmp_path / "home"
    home.mkdir()
    address = f"postgresql://u:{CANARY}@127.0.0.1/d"
    path = tmp_path / "x.db"
    done = subprocess.run(
        [sys.executable, "-c", CRASHING, CANARY, "--db", str(path), "list", address],
        env={**os.environ, "HOME": str(home), "PYTHONPATH": str(REPOSITORY)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 70
    (log,) = [file for file in home.rglob("*.log") if file.is_file()]
    assert "RuntimeError" in log.read_text()
    assert CANARY not in everything(home, Ended(done.returncode, done.stdout, done.stderr))


BROKEN = """
import sys
from planner.__main__ import main
from planner.tui.desk import Desk

press = Desk.press

def broken(desk, key, character=None):
    if character == "!":
        raise RuntimeError("cannot do that with %s as password=%s\\x1b]0;x\\x07" % (sys.argv[2], sys.argv[1]))
    return press(desk, key, character)

Desk.press = broken
sys.exit(main(sys.argv[3:]))
"""


def test_s12_a_report_of_a_crash_of_the_screen(database: Path, tmp_path: Path) -> None:
    """The error names the address and holds a control character; what is shown and kept of it does not."""
    home = tmp_path / "home"
    home.mkdir()
    address = f"postgresql://u:{CANARY}@127.0.0.1/d"
    with Terminal(CANARY, address, "--db", database, code=BROKEN, HOME=str(home), size=(200, 30)) as terminal:
        terminal.wait_for("Toy 7B")
        terminal.send("!")
        assert terminal.wait() == 70
        after = terminal.raw[terminal.raw.rindex("\x1b[?1049l") :]
    (log,) = [file for file in home.rglob("*.log") if file.is_file()]
    assert "RuntimeError" in log.read_text()
    assert "RuntimeError" in after
    assert CANARY not in everything(home, Ended(70, after, ""))
    assert "\x1b]0;" not in log.read_text() + after
    assert log.stat().st_mode & 0o077 == 0


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with running_server() as started:
        yield started


@pytest.mark.postgres
def test_s12_a_server_that_is_used(server: Server, tmp_path: Path) -> None:
    secret = "s3cr3t-canary"
    address = server.url(server.new_database())
    assert secret in address
    home = tmp_path / "home"
    home.mkdir()
    environment = {"HOME": str(home), "PLANNER_DB": address}
    for command in (
        ("list",),
        ("list", "--json"),
        ("history", "--json"),
        ("set", "Toy 7B", "prompt_tokens=4001"),
        ("set", "Toy 7B", "prompt_tokens=x"),
        ("export", home / "plan.csv"),
        ("export", home / "plan.json"),
        ("export", home / "plan.md"),
        ("db", "doctor"),
        ("db", "backup", home / "saved.db"),
        ("db", "copy", address, home / "copied.db"),
        ("db", "restore", "--yes"),
        ("show", "no such"),
    ):
        ended = planner(*command, environment=environment)
        assert ended.code in (0, 1, 2), (command, ended.err)
        assert secret not in everything(home, ended), command
    assert (home / "plan.json").exists()
    wrong = address.replace("s3cr3t", "s3cr3t-wrong")
    ended = planner("list", environment={**environment, "PLANNER_DB": wrong})
    assert ended.code == 77, ended.err
    assert "s3cr3t" not in everything(home, ended)


@pytest.mark.postgres
def test_s12_the_title_of_a_process_that_got_it_from_the_environment(server: Server, tmp_path: Path) -> None:
    address = server.url(server.new_database())
    open_library(address).close()
    acknowledgements = tmp_path / "acks"
    with Child(tmp_path, children.edit_default, str(acknowledgements), environment={"PLANNER_DB": address}) as child:
        wait_for_lines(acknowledgements, 1, child)
        assert b"s3cr3t" not in Path(f"/proc/{child.pid}/cmdline").read_bytes()


def test_s12_an_error_s_own_text(tmp_path: Path) -> None:
    error = StoreError(f"postgresql://u:{CANARY}@h/d and password={CANARY} and pwd = '{CANARY}'.")
    assert CANARY not in str(error)
    assert CANARY not in repr(error)
