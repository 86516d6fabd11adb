"""F07: the disk answers with EIO; the sentence says so, nothing is called damaged, and nothing is half written."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.faults import children
from tests.faults.support import (
    Child,
    assert_sound,
    first_tokens,
    fresh_planner,
    injecting,
    lines_of,
    says,
    untouched,
    wait_for_lines,
)


@pytest.mark.strace
@pytest.mark.parametrize("calls", ["pread64,read", "pwrite64", "fsync,fdatasync"])
def test_f07_the_disk_fails_while_the_library_is_open(database: Path, tmp_path: Path, calls: str) -> None:
    before = first_tokens(database)
    acknowledgements, requests = tmp_path / "acks", tmp_path / "requests"
    arguments = (str(database), str(acknowledgements), str(requests), True)
    paths = [database, database.with_name(database.name + "-journal")]
    with Child(tmp_path, children.edit_on_request, *arguments) as child:
        with injecting(child, acknowledgements, calls, "error=EIO", paths):
            requests.write_text("4001\n4002\n")
            said = wait_for_lines(acknowledgements, 4, child)[2:]
        for line in said:
            code, _, sentence = line.partition(" ")
            assert code == "74", line
            assert "the disk" in sentence
            assert "damaged" not in sentence
            assert sentence.endswith(".")
        requests.write_text("4001\n4002\nend\n")
        ended = child.wait()
    assert (ended.code, ended.err) == (0, "")
    assert lines_of(acknowledgements)[4:] == []
    assert first_tokens(database) == before
    assert_sound(database)


@pytest.mark.strace
@pytest.mark.parametrize(
    "command", [("list",), ("set", "Toy 7B", "prompt_tokens=4001"), ("db", "doctor"), ("db", "backup")]
)
@pytest.mark.parametrize("first", [0, 1, 3, 4, 8])
def test_f07_the_disk_fails_from_the_start(database: Path, command: tuple[str, ...], first: int) -> None:
    """Whatever a command reads first, and later: the disk is said to be at fault, not what is on it."""
    # The first is the look at the header, past SQLite.
    calls, when = ("read", 1) if first == 0 else ("pread64", first)
    fault = ("-e", f"trace={calls}", "-e", f"inject={calls}:error=EIO:when={when}+", "-P", str(database))
    with untouched(database):
        ended = fresh_planner(*command, "--db", database, under=("strace", "-f", "-qq", "-o", "/dev/null", *fault))
    sentence = says(ended, 74, str(database))
    assert "failed on the disk" in sentence or "Input/output error" in sentence
    assert "damaged" not in sentence
    assert ended.out == ""
    assert_sound(database)
