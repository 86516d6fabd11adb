"""The program as a process: pipes, signals, a full disk, kills, and that it starts fast."""

import json
import os
import pty
import re
import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from planner.store import open_library
from tests.cli.conftest import REPOSITORY, Ran, command

Process = Callable[..., Ran]


def test_json_is_alone_on_stdout(process: Process, tmp_path: Path) -> None:
    ran = process("list", "--json", env={"PLANNER_DB": str(tmp_path / "new.db")})
    assert ran.code == 0
    assert len(ran.json["scenarios"]) == 5
    assert ran.err.startswith("Made ")


def test_without_a_terminal_it_prints_the_comparison(process: Process, database: Path) -> None:
    ran = process()
    assert ran.code == 0
    assert "TPOT" in ran.out
    assert "opens the screen" in ran.err


def test_a_reader_that_leaves_early_is_no_error(database: Path) -> None:
    for arguments in ("rows --json", "eval --json", "inputs", "compare"):
        shell = f"{' '.join(command())} {arguments} | head -n 1; echo ${{PIPESTATUS[0]}} >&2"
        done = subprocess.run(
            ["bash", "-c", shell], cwd=REPOSITORY, capture_output=True, text=True, timeout=60, check=False
        )
        lines = done.stderr.split()
        assert len(lines) == 1, done.stderr
        assert int(lines[0]) in (0, 141)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full here")
def test_output_to_a_full_disk_is_said(database: Path) -> None:
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            command("eval", "--json"),
            cwd=REPOSITORY,
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            timeout=60,
            check=False,
        )
    assert done.returncode == 74
    assert len(done.stderr.splitlines()) == 1
    assert "No space left" in done.stderr


def test_closed_streams_are_survived(database: Path) -> None:
    shell = f"{' '.join(command())} new Fresh <&- >&- 2>&-; echo $?"
    done = subprocess.run(
        ["bash", "-c", shell], cwd=REPOSITORY, capture_output=True, text=True, timeout=60, check=False
    )
    assert done.stdout.strip() == "0"


@pytest.mark.parametrize("arguments", ["compare", "compare --json", "list", "", "--version", "--help", "inputs"])
def test_data_that_nothing_takes_is_an_error(database: Path, arguments: str) -> None:
    shell = f"{' '.join(command())} {arguments} >&-"
    done = subprocess.run(
        ["bash", "-c", shell], cwd=REPOSITORY, stderr=subprocess.PIPE, text=True, timeout=60, check=False
    )
    assert done.returncode == 74
    assert done.stderr == "Reading or writing failed: standard output is closed.\n"


def test_any_encoding_is_written_to(process: Process, database: Path) -> None:
    for encoding in ("ascii", "latin-1", "utf-8"):
        environment = {"PYTHONIOENCODING": encoding, "PYTHONUTF8": "0"}
        assert process("eval", "--json", env=environment).json["rows"]
        assert process("compare", env=environment).code == 0
        ran = process("show", "Töy", env=environment)
        assert ran.code == 2
        assert len(ran.err.splitlines()) == 1


def test_a_name_that_is_no_text_is_refused(database: Path) -> None:
    done = subprocess.run(
        [*command("new"), b"bad\xff\xfe"], cwd=REPOSITORY, capture_output=True, timeout=60, check=False
    )
    assert done.returncode == 2
    assert b"Traceback" not in done.stderr


def test_sigint_ends_with_130(database: Path) -> None:
    code = "import planner.cli.evaluate as e, time\nfrom planner.__main__ import main\n"
    code += "import planner.cli.output as o\no.write_json = lambda _: (print('ready', flush=True), time.sleep(30))\n"
    code += "import sys; sys.exit(main(['eval', '--json']))"
    running = subprocess.Popen(
        [sys.executable, "-c", code], cwd=REPOSITORY, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert running.stdout is not None
    assert running.stdout.readline() == "ready\n"
    running.send_signal(signal.SIGINT)
    _, said = running.communicate(timeout=30)
    assert running.returncode == 130
    assert said == "Interrupted.\n"


def test_a_kill_between_two_commands_loses_nothing(database: Path, process: Process) -> None:
    """Every `set` that ended well is there after kill -9 of the next one at any moment."""
    expected = 0
    for turn in range(1, 7):
        running = subprocess.Popen(
            command("set", "Toy 7B", f"output_tokens={500 + turn}"),
            cwd=REPOSITORY, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        if turn % 3:
            assert running.wait(timeout=60) == 0
            expected = 500 + turn
            continue
        time.sleep(0.1 * (turn // 3 + 1))
        running.kill()
        running.wait(timeout=60)
        now = process("show", "Toy 7B", "--json").json["inputs"]["output_tokens"]
        assert now in (expected, 500 + turn)
        expected = now
    assert process("eval", "Toy 7B", "--json").json["inputs"]["output_tokens"] == expected
    assert process("db", "doctor", "--json").json["problems"] == []


def test_completion_offers_names(process: Process, database: Path) -> None:
    def complete(words: str) -> str:
        environment = {"_PLANNER_COMPLETE": "complete_bash", "COMP_WORDS": words, "COMP_CWORD": str(words.count(" "))}
        return process(env=environment).out

    assert "prompt_tokens=" in complete("planner eval --set prompt_t")
    assert "catalog" in complete("planner cata")
    assert "Toy 7B" in complete("planner show To")
    assert "weight_format=fp8" in complete("planner eval --set weight_format=f")


def test_completion_scripts_are_printed(process: Process) -> None:
    environment = {"SHELL": "/bin/bash", "_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION": "1"}
    assert "_PLANNER_COMPLETE" in process("--show-completion", "bash", env=environment).out


def test_the_version_is_printed(process: Process) -> None:
    from planner import __version__

    assert process("--version").out == f"planner {__version__}\n"


@pytest.mark.parametrize("arguments", [["--help"], ["-h"]])
def test_help_loads_nothing_heavy(arguments: list[str]) -> None:
    code = "import sys, json\nfrom planner.__main__ import main\n"
    code += f"main({arguments!r})\nprint(json.dumps(sorted(sys.modules)), file=sys.stderr)"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=REPOSITORY, capture_output=True, text=True, timeout=60, check=True
    )
    loaded = {name.partition(".")[0] for name in json.loads(done.stderr)}
    assert loaded.isdisjoint({"alembic", "numpy", "openpyxl", "pydantic", "rich", "sqlalchemy", "textual"})


def test_eval_loads_neither_the_screen_nor_the_store() -> None:
    code = "import sys, json\nfrom planner.__main__ import main\n"
    code += "main(['eval', '--json'])\nprint(json.dumps(sorted(sys.modules)), file=sys.stderr)"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=REPOSITORY, capture_output=True, text=True, timeout=60, check=True,
        env={**os.environ, "PLANNER_DB": "/nowhere/x.db"},
    )  # fmt: skip
    loaded = {name.partition(".")[0] for name in json.loads(done.stderr)}
    assert loaded.isdisjoint({"alembic", "numpy", "openpyxl", "rich", "sqlalchemy", "textual"})


@pytest.mark.skipif(os.name != "posix", reason="there are no signals here")
def test_a_long_export_counts_on_a_terminal_and_can_be_interrupted(database: Path, tmp_path: Path) -> None:
    library = open_library(str(database))
    known = library.scenarios()[-1].scenario
    for number in range(100):
        library.create(replace(known, name=f"Copy {number}"))
    library.close()
    out = tmp_path / "plan.xlsx"
    out.write_bytes(b"what was there")
    main, side = pty.openpty()
    process = subprocess.Popen(
        command("export", out, "--force"), cwd=REPOSITORY, stdin=subprocess.DEVNULL, stdout=side, stderr=side
    )
    os.close(side)
    seen = b""
    deadline = time.monotonic() + 120
    while b"%" not in seen and time.monotonic() < deadline:
        seen += os.read(main, 65536)
    process.send_signal(signal.SIGINT)
    code = process.wait(timeout=60)
    while select.select([main], [], [], 0.5)[0]:
        try:
            seen += os.read(main, 65536)
        except OSError:
            break
    os.close(main)
    text = seen.decode()
    assert re.search(r"Writing plan\.xlsx: +\d+%", text), text
    assert text.rstrip().endswith("Interrupted.")
    assert code == 130
    assert out.read_bytes() == b"what was there"
    assert [path.name for path in tmp_path.iterdir() if path.suffix == ".part"] == []
