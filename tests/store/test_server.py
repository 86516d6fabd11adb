"""PostgreSQL as a team's store: what only a server can do wrong."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from collections.abc import Callable

import pytest
from alembic import command
from psycopg import sql
from sqlalchemy import inspect, text
from sqlalchemy.exc import IntegrityError

from planner.model.inputs import INPUTS
from planner.model.scenario import Scenario
from planner.store import Change, NotFoundError, StoreError, maintenance, open_library
from planner.store.migrating import configuration
from planner.store.tables import Base, column_check
from tests.store.postgres import ROLE, SECRET, Server

pytestmark = pytest.mark.postgres

EDITS = """
import sys
from planner.store import Change, open_library
with open_library(sys.argv[1]) as library:
    for number in range(int(sys.argv[3])):
        one = library.find(sys.argv[2])
        library.edit([Change(one.id, sys.argv[4], number + 2)])
"""


def test_the_first_connection_makes_the_library(server: Server) -> None:
    address = server.url(server.new_database())
    with pytest.raises(NotFoundError, match="is empty: there is no library in it yet"):
        open_library(address, create=False)
    with open_library(address) as library:
        assert len(library.scenarios()) == 5
        assert library.who == ROLE
        assert not library.read_only
        assert library.warnings == ()


def test_two_first_connections_make_one_library(server: Server) -> None:
    address = server.url(server.new_database())
    code = "import sys; from planner.store import open_library; print(len(open_library(sys.argv[1]).scenarios()))"
    started = [
        subprocess.Popen([sys.executable, "-c", code, address], stdout=subprocess.PIPE, text=True) for _ in range(2)
    ]
    assert [process.communicate(timeout=60)[0] for process in started] == ["5\n", "5\n"]
    with open_library(address) as library:
        assert [one.name for one in library.workspaces()] == ["Examples"]


def test_tables_are_those_of_the_program(server_address: str) -> None:
    with open_library(server_address) as library, library.database.engine.connect() as connection:
        command.check(configuration(connection))
        for table in Base.metadata.sorted_tables:
            made = inspect(connection).get_check_constraints(table.name)
            wanted = {str(one.name) for one in table.constraints if one.__visit_name__.endswith("check_constraint")}
            assert {one["name"] for one in made} == wanted


@pytest.mark.parametrize("value", ["-1e9", "1e18", "'NaN'", "'Infinity'", "NULL"])
def test_the_server_refuses_what_is_out_of_bounds(server_address: str, value: str) -> None:
    numbers = [
        name for name, field in INPUTS.items() if field.kind == "real" and (not field.optional or value != "NULL")
    ]
    with open_library(server_address) as library:
        for name in numbers:
            assert column_check(INPUTS[name])
            with library.database.engine.connect() as connection, pytest.raises(IntegrityError):
                connection.execute(text(f"UPDATE scenario SET {name} = {value} WHERE id = 1"))  # noqa: S608 - ours


def test_a_database_of_another_application_is_left_alone(server: Server) -> None:
    name = server.new_database()
    with server.admin(name) as connection:
        connection.execute("CREATE TABLE bookmarks (url text)")
    with pytest.raises(StoreError, match="holds the tables of another application"):
        open_library(server.url(name))
    with server.admin(name) as connection:
        connection.execute("CREATE TABLE scenario (id int)")
    with pytest.raises(StoreError, match=r"some of the planner's tables but does not say which version"):
        open_library(server.url(name))


@pytest.mark.parametrize(
    ("statement", "message"),
    [
        (
            "UPDATE alembic_version SET version_num = '0099'",
            "has version 99 of the tables .* use version 0.1.0 or newer",
        ),
        ("UPDATE alembic_version SET version_num = 'abc'", "unknown version"),
        ("DELETE FROM alembic_version", "does not say which version"),
    ],
)
def test_other_versions_are_refused(server_address: str, statement: str, message: str) -> None:
    with open_library(server_address) as library:
        with library.database.engine.begin() as connection:
            connection.execute(text(statement))
        with pytest.raises(StoreError, match="Another version of the planner"):
            library.edit([Change(1, "batch", 3)])
    with pytest.raises(StoreError, match=message) as caught:
        open_library(server_address)
    assert caught.value.exit_code == 65


def failing(server: Server) -> dict[str, tuple[str, int]]:
    name = server.new_database()
    return {
        server.url(name, password="wrong-s3cr3t-canary"): ("authentication failed", 77),
        server.url("nowhere"): ("does not exist", 66),
        server.url(name).replace(str(server.folder), "/nonexistent"): ("cannot be opened", 69),
        f"postgresql://{ROLE}:s3cr3t-canary@127.0.0.1:1/x": ("cannot be opened", 69),
        f"postgresql://{ROLE}@127.0.0.1:1/x?password=s3cr3t-canary": ("cannot be opened", 69),
        f"postgresql://{ROLE}:s3cr3t-canary@x@127.0.0.1:1/x": ("is not understood|cannot be read", 78),
    }


def test_no_error_shows_a_password(server: Server) -> None:
    for address, (message, exit_code) in failing(server).items():
        with pytest.raises(StoreError, match=message) as caught:
            open_library(address)
        assert caught.value.exit_code == exit_code, address
        shown = str(caught.value) + repr(caught.value.__cause__)
        assert "canary" not in shown
        assert SECRET not in shown


def test_the_description_shows_no_password(server_address: str) -> None:
    with open_library(server_address) as library:
        assert "canary" not in library.description
        assert library.description.startswith(f"postgresql://{ROLE}:***@")
        assert "canary" not in repr(library.database)


def test_a_server_that_only_reads(server: Server, template: str) -> None:
    name = server.new_database(template)
    with server.admin() as connection:
        connection.execute(f"ALTER DATABASE {name} SET default_transaction_read_only = on".encode())
    with open_library(server.url(name)) as library:
        assert library.read_only_reason == "the server allows only reading."
        assert len(library.scenarios()) == 5
        with pytest.raises(StoreError, match="open for reading only") as caught:
            library.edit([Change(1, "batch", 3)])
        assert caught.value.exit_code == 77


def test_a_role_that_may_not_write(server: Server, template: str) -> None:
    name = server.new_database(template)
    with server.admin(name) as connection:
        connection.execute("DROP ROLE IF EXISTS reader")
        connection.execute("CREATE ROLE reader LOGIN PASSWORD 'x'")
        connection.execute("GRANT SELECT ON ALL TABLES IN SCHEMA public TO reader")
    with open_library(server.url(name, role="reader", password="x")) as library:
        assert len(library.scenarios()) == 5
        with pytest.raises(StoreError, match="The role may not do that") as caught:
            library.edit([Change(1, "batch", 3)])
        assert caught.value.exit_code == 77
    with server.admin(name) as connection:
        connection.execute("DROP OWNED BY reader")
        connection.execute("DROP ROLE reader")


def test_a_superuser_is_warned(server: Server, template: str) -> None:
    address = server.url(server.new_database(template), role=server.superuser, password="")
    with open_library(address) as library:
        assert "superuser" in library.warnings[0]


def test_a_lock_that_somebody_holds(server: Server, server_address: str) -> None:
    with open_library(server_address) as library:
        with library.database.engine.connect() as other:
            other.execute(text("SELECT * FROM workspace FOR UPDATE"))
            start = time.monotonic()
            with pytest.raises(StoreError, match=r"Somebody else held .* locked for too long") as caught:
                library.edit([Change(1, "batch", 3)])
            assert 4 < time.monotonic() - start < 15
            assert caught.value.exit_code == 75
        library.edit([Change(1, "batch", 3)])


def test_a_connection_that_ends_within_an_action(server: Server, server_address: str) -> None:
    with open_library(server_address) as library:
        before = library.scenarios()
        with library.database.engine.connect() as other:
            other.execute(text("SELECT * FROM workspace FOR UPDATE"))
            ended = threading.Timer(0.5, end_others, (server, library.database.engine.url.database or ""))
            ended.start()
            with pytest.raises(StoreError, match="nothing was changed: try again") as caught:
                library.edit([Change(1, "batch", 3)])
            ended.join()
            other.invalidate()
        assert caught.value.exit_code == 69
        assert library.scenarios() == before
        library.edit([Change(1, "batch", 3)])


def end_others(server: Server, database: str) -> None:
    with server.admin() as connection:
        connection.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s AND pid <> pg_backend_pid()",
            (database,),
        )


def test_a_restart_of_the_server_is_not_noticed(server: Server, server_address: str) -> None:
    with server.admin() as connection:
        # A copied database's sequences are logged from the next checkpoint on; without one a crash sets them back.
        connection.execute("CHECKPOINT")
    with open_library(server_address) as library:
        library.edit([Change(1, "batch", 3)])
        server.control("-m", "immediate", "restart", "-l", str(server.folder / "log"))
        library.edit([Change(1, "batch", 4)])
        assert library.get(1).scenario.values["batch"] == 4


def test_two_programs_write_at_once(server_address: str) -> None:
    with open_library(server_address) as library:
        first = library.scenarios()[0]
    # Both change the first scenario, each another field; nothing is lost and nobody is refused.
    started = [
        subprocess.Popen([sys.executable, "-c", EDITS, server_address, first.name, "30", field], stderr=subprocess.PIPE)
        for field in ("batch", "prompt_tokens")
    ]
    for process in started:
        _, error = process.communicate(timeout=120)
        assert process.returncode == 0, error.decode()
    with open_library(server_address) as library:
        after = library.get(first.id)
        assert (after.scenario.values["batch"], after.scenario.values["prompt_tokens"]) == (31, 31)
        assert after.version == first.version + 60
        assert [one.sequence for one in library.history(first.id)][:60] == list(range(62, 2, -1))


def test_an_older_library_is_upgraded_on_command_alone(server: Server, server_address: str) -> None:
    assert maintenance.upgrade(server_address)[1] is None
    with pytest.raises(StoreError, match="is on a server"):
        maintenance.restore(server_address)
    with pytest.raises(StoreError, match="name the file"):
        maintenance.take_backup(server_address)


def test_own_schema(server: Server) -> None:
    name = server.new_database()
    with server.admin(name) as connection:
        connection.execute("CREATE TABLE others (x int)")
        connection.execute(sql.SQL("CREATE SCHEMA plans AUTHORIZATION {}").format(sql.Identifier(ROLE)))
    with open_library(server.url(name) + "&options=-csearch_path%3Dplans") as library:
        assert len(library.scenarios()) == 5
    with server.admin(name) as connection:
        found = connection.execute("SELECT count(*) FROM plans.scenario").fetchone()
        assert found == (5,)


def test_what_sqlite_refuses_the_server_refuses_alike(server_address: str, scenario: Callable[..., Scenario]) -> None:
    with open_library(server_address) as library:
        library.create(scenario("🙂 größe 模型 " + "x" * 100, "\t'; DROP TABLE scenario;\n%_\\"))
        found = library.find("🙂 GRÖSSE 模型 " + "X" * 100)
        assert found.scenario.notes == "\t'; DROP TABLE scenario;\n%_\\"
