"""S17: a team's server: the planner works with a role that may only read and write rows, and says when it has more."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import make_url

from planner.store import open_library
from tests.faults.newer import Newer
from tests.faults.support import REPOSITORY, planner, says, says_nothing
from tests.store.postgres import Server, running_server

pytestmark = pytest.mark.postgres
WORKER, PASSWORD = "planner_worker", "w0rker"


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with running_server() as started:
        with started.admin() as admin:
            admin.execute(f"CREATE ROLE {WORKER} LOGIN PASSWORD '{PASSWORD}'".encode())
        yield started


@pytest.fixture
def owners(server: Server) -> str:
    """The address of a library for the role that owns its tables."""
    address = server.url(server.new_database())
    open_library(address).close()
    name = str(make_url(address).database)
    with server.admin(name) as admin:
        admin.execute(f"GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO {WORKER}".encode())
        admin.execute(f"GRANT USAGE ON ALL SEQUENCES IN SCHEMA public TO {WORKER}".encode())
    return address


@pytest.fixture
def workers(server: Server, owners: str) -> str:
    """The address of the same library for a role that may only work with rows."""
    return server.url(str(make_url(owners).database), role=WORKER, password=PASSWORD)


def test_s17_a_role_for_rows_is_enough_for_everything_but_migrations(
    workers: str, server: Server, tmp_path: Path
) -> None:
    for command in (
        ("list",),
        ("set", "Toy 7B", "prompt_tokens=4001"),
        ("new", "one"),
        ("copy", "one", "two"),
        ("delete", "two"),
        ("undo",),
        ("snapshot", "sent"),
        ("export", tmp_path / "plan.csv"),
        ("db", "doctor"),
        ("workspace", "new", "more"),
    ):
        ended = planner(*command, "--db", workers)
        assert ended.code == 0, (command, ended.err)
        assert "superuser" not in ended.err
    name = str(make_url(workers).database)
    with server.admin(name) as admin:
        count = admin.execute("SELECT count(*) FROM pg_tables WHERE tableowner = %s", (WORKER,)).fetchone()
    assert count == (0,)


def test_s17_it_cannot_change_the_tables(workers: str, owners: str, server: Server, newer: Newer) -> None:
    """A later version of the program needs other tables: their owner's role makes them, the worker's is refused."""
    says(newer("list", PLANNER_DB=workers), 65, "needs 2", "run `planner db upgrade`")
    says(newer("db", "upgrade", PLANNER_DB=workers), 77, "he role may not do that", "nothing was changed")
    assert planner("list", "--db", workers).code == 0
    ended = newer("db", "upgrade", PLANNER_DB=owners)
    assert ended.code == 0, ended.err
    says_nothing(newer("list", PLANNER_DB=workers))
    says(planner("list", "--db", workers), 65, "version 2 of the tables")


def test_s17_it_cannot_make_a_library(server: Server) -> None:
    name = server.new_database()
    empty = server.url(name, role=WORKER, password=PASSWORD)
    says(planner("list", "--db", empty), 77, "he role may not do that", "nothing was changed")
    with server.admin(name) as admin:
        assert admin.execute("SELECT count(*) FROM pg_tables WHERE schemaname = 'public'").fetchone() == (0,)


def test_s17_a_superuser_is_told(server: Server, owners: str) -> None:
    with server.admin() as admin:
        admin.execute(b"ALTER ROLE planner_owner SUPERUSER")
    try:
        ended = planner("list", "--db", owners)
    finally:
        with server.admin() as admin:
            admin.execute(b"ALTER ROLE planner_owner NOSUPERUSER")
    assert ended.code == 0
    assert "superuser" in ended.err
    assert "safer" in ended.err
    assert "superuser" not in planner("list", "--db", owners).err


def test_s17_the_documentation_says_how_to_connect_safely() -> None:
    text = (REPOSITORY / "docs" / "reliability.md").read_text(encoding="utf-8")
    assert "sslmode=verify-full" in text
    assert "GRANT SELECT, INSERT, UPDATE, DELETE" in text
