"""F35: the PostgreSQL server is down, dies in the middle, restarts, allows only reading, is locked, or full."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from sqlalchemy import make_url

from planner.store import Change, StoreError, open_library
from tests.faults import children
from tests.faults.support import Child, Ended, lines_of, planner, says, wait_for_lines, wait_until
from tests.faults.terminal import Terminal
from tests.store.postgres import ROLE, Server, as_owner, running_server

pytestmark = pytest.mark.postgres
CANARY = "s3cr3t"


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with running_server() as started:
        yield started


@pytest.fixture
def address(server: Server) -> str:
    """A library with the examples."""
    url = server.url(server.new_database())
    open_library(url).close()
    return url


def tokens(address: str) -> int:
    with open_library(address, create=False) as library:
        return int(str(library.scenarios()[0].scenario.values["prompt_tokens"]))


def without_secret(ended: Ended) -> Ended:
    assert CANARY not in ended.out + ended.err
    return ended


def without_warning(ended: Ended) -> Ended:
    """``ended`` with its last line alone on stderr."""
    return Ended(ended.code, ended.out, ended.err.strip().splitlines()[-1])


def test_f35_down_at_the_start(server: Server, address: str) -> None:
    server.control("-m", "fast", "stop")
    try:
        for command in (("list",), ("set", "Toy 7B", "prompt_tokens=7")):
            ended = without_secret(planner(*command, "--db", address))
            says(ended, 69, "postgresql://", "***", "cannot be opened")
    finally:
        server.control("-l", str(server.folder / "log"), "start")
    assert planner("list", "--db", address).code == 0


def test_f35_nobody_listens_there(tmp_path: Path) -> None:
    url = f"postgresql://someone:{CANARY}@/plan?host={tmp_path}&port=5"
    says(without_secret(planner("list", "--db", url)), 69, "cannot be opened")


def test_f35_killed_while_edits_run(server: Server, address: str, tmp_path: Path) -> None:
    acknowledgements, requests = tmp_path / "acks", tmp_path / "requests"
    with Child(tmp_path, children.edit_on_request, address, str(acknowledgements), str(requests)) as child:
        requests.write_text("4001\n")
        wait_for_lines(acknowledgements, 2, child)
        server.control("-m", "immediate", "stop")
        requests.write_text("4001\n4002\n")
        wait_for_lines(acknowledgements, 3, child)
        server.control("-l", str(server.folder / "log"), "start")
        # The edit that failed is made again, by the same program.
        requests.write_text("4001\n4002\n4003\nend\n")
        ended = child.wait()
    without_secret(ended)
    opened, first, failed, again = lines_of(acknowledgements)
    assert (opened, first, again) == ("open", "ok", "ok")
    code, _, sentence = failed.partition(" ")
    assert code == "69"
    assert "nothing was changed" in sentence or "cannot be opened" in sentence
    assert CANARY not in sentence
    assert tokens(address) == 4003


def test_f35_a_connection_that_is_ended_is_made_again(server: Server, address: str, tmp_path: Path) -> None:
    acknowledgements, requests = tmp_path / "acks", tmp_path / "requests"
    with Child(tmp_path, children.edit_on_request, address, str(acknowledgements), str(requests)) as child:
        requests.write_text("4001\n")
        wait_for_lines(acknowledgements, 2, child)
        with server.admin() as admin:
            admin.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = %s", (ROLE,))
        requests.write_text("4001\n4002\nend\n")
        assert child.wait().code == 0
    assert lines_of(acknowledgements) == ["open", "ok", "ok"]
    assert tokens(address) == 4002


def test_f35_ended_within_a_transaction(server: Server, address: str) -> None:
    with open_library(address, create=False) as library:
        before = library.last_revision()

        def die(_: object) -> None:
            with server.admin() as admin:
                admin.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = %s", (ROLE,))

        with pytest.raises(StoreError) as caught:
            library.database.write(die)
        # Nothing was sent after it in this transaction: the commit is what fails.
        assert caught.value.exit_code == 69
        assert library.last_revision() == before
        library.edit([Change(library.scenarios()[0].id, "prompt_tokens", 4001)])
    assert tokens(address) == 4001


def test_f35_only_reading_is_allowed(server: Server, address: str) -> None:
    name = str(make_url(address).database)
    with server.admin() as admin:
        admin.execute(f"ALTER DATABASE {name} SET default_transaction_read_only = on".encode())
    assert without_secret(planner("list", "--db", address)).code == 0
    ended = without_secret(planner("set", "Toy 7B", "prompt_tokens=7", "--db", address))
    says(without_warning(ended), 77, "reading only", "the server allows only reading")


@pytest.fixture
def replica(server: Server) -> Iterator[int]:
    """The port of a second server that follows the first one."""
    port = server.port + 1
    data = server.folder / "replica"
    source = ["-h", str(server.folder), "-p", str(server.port), "-U", server.superuser]
    copy = (server.programs / "initdb").resolve().with_name("pg_basebackup")
    as_owner([str(copy), *source, "-D", str(data), "-R", "-X", "stream", "-c", "fast"])
    with (data / "postgresql.conf").open("a", encoding="utf-8") as settings:
        settings.write(f"port = {port}\n")
    control = [str(server.programs / "pg_ctl"), "-D", str(data), "-w"]
    as_owner([*control, "-l", str(server.folder / "replica-log"), "start"])
    yield port
    as_owner([*control, "-m", "immediate", "stop"])


def test_f35_a_replica(server: Server, address: str, replica: int) -> None:
    there = address.replace(f"port={server.port}", f"port={replica}")
    assert planner("set", "Toy 7B", "prompt_tokens=4001", "--db", address).code == 0
    wait_until(lambda: tokens(there) == 4001, "the replica has followed")
    ended = without_secret(planner("set", "Toy 7B", "prompt_tokens=7", "--db", there))
    says(ended, 77, "reading only", "the server is a replica")
    for command in (("db", "upgrade"), ("list",), ("compare",), ("db", "doctor")):
        assert without_secret(planner(*command, "--db", there)).code == 0
    assert tokens(address) == 4001


def test_f35_the_screen_keeps_what_was_typed(server: Server, address: str) -> None:
    with Terminal(PLANNER_DB=address, size=(250, 40)) as terminal:
        terminal.wait_for("Toy 7B")
        terminal.send("/prompt tok\r")
        terminal.send("4001\r")
        terminal.wait_for("→ 4,001")
        server.control("-m", "immediate", "stop")
        try:
            terminal.mark()
            # Enter went one cell down.
            terminal.send("\x1b[A4002\r")
            wait_until(lambda: "cannot be opened" in terminal.text or "was lost" in terminal.text, "the sentence")
        finally:
            server.control("-l", str(server.folder / "log"), "start")
        terminal.mark()
        terminal.send("\r")
        terminal.wait_for("→ 4,002")
        assert CANARY not in terminal.raw
        terminal.signal(15)
        assert terminal.wait() == 143
        terminal.assert_restored()
    assert tokens(address) == 4002


def test_f35_somebody_holds_the_row(server: Server, address: str) -> None:
    before = tokens(address)
    name = str(make_url(address).database)
    with server.admin(name) as admin, admin.transaction():
        admin.execute("SELECT * FROM scenario FOR UPDATE")
        ended = without_secret(planner("set", "Toy 7B", "prompt_tokens=7", "--db", address))
        says(without_warning(ended), 75, "locked", "nothing was changed", "try again")
    assert tokens(address) == before
    assert planner("set", "Toy 7B", "prompt_tokens=7", "--db", address).code == 0


@pytest.mark.root
def test_f35_the_server_s_disk_is_full(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # Sockets need short names.
    disk = Path(tempfile.mkdtemp(prefix="full-"))
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=160m,mode=755", "tmpfs", disk], check=True)
    (disk / "pg").mkdir()
    try:
        with ExitStack() as stack:
            with monkeypatch.context() as patch:
                patch.setattr(tempfile, "mkdtemp", lambda *_, **__: str(disk / "pg"))
                server = stack.enter_context(running_server())
            address = server.url(server.new_database())
            open_library(address).close()
            with open_library(address, create=False) as library:
                identifier = library.scenarios()[0].id
                (disk / "ballast").write_bytes(bytes(shutil.disk_usage(disk).free))
                refused: StoreError | None = None
                for number in range(300):
                    try:
                        library.set_notes(
                            identifier,
                            f"{number} " + "".join(chr(0x100 + number % 400 + k % 97) for k in range(15_000)),
                        )
                    except StoreError as error:
                        refused = error
                        break
                assert refused is not None
                assert refused.exit_code in (69, 74), str(refused)
                assert "nothing was changed" in str(refused) or "cannot be opened" in str(refused)
                assert CANARY not in str(refused)
                (disk / "ballast").unlink()
                wait_until(lambda: works(address), "the server works again")
                library.set_notes(identifier, "there is space")
            with open_library(address, create=False) as library:
                assert library.scenarios()[0].scenario.notes == "there is space"
    finally:
        subprocess.run(["umount", "-l", disk], check=True)
        disk.rmdir()


def works(address: str) -> bool:
    return planner("list", "--db", address).code == 0
