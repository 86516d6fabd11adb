"""A PostgreSQL server of the tests' own, on a socket in a temporary folder."""

from __future__ import annotations

import itertools
import os
import pwd
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import psycopg

from tests.conftest import find_postgres_programs

ROLE = "planner_owner"
SECRET = "s3cr3t-canary@%"
IN_ADDRESS = "s3cr3t-canary%40%25"


@dataclass(slots=True)
class Server:
    """A running server. ``url()`` addresses a database of it, ``admin()`` connects as its superuser."""

    programs: Path
    folder: Path
    data: Path
    port: int
    superuser: str
    numbers: Iterator[int] = field(default_factory=itertools.count)

    def admin(self, database: str = "postgres") -> psycopg.Connection:
        return psycopg.connect(
            host=str(self.folder), port=self.port, user=self.superuser, dbname=database, autocommit=True
        )

    def url(self, database: str, *, role: str = ROLE, password: str = IN_ADDRESS) -> str:
        return f"postgresql://{role}:{password}@/{database}?host={self.folder}&port={self.port}"

    def new_database(self, template: str | None = None) -> str:
        """A new database of the role, empty or like ``template``; its name."""
        name = f"plan_{next(self.numbers)}"
        copied = f" TEMPLATE {template}" if template else ""
        with self.admin() as connection:
            connection.execute(f"CREATE DATABASE {name} OWNER {ROLE}{copied}".encode())
        return name

    def drop_database(self, name: str) -> None:
        """Remove a database, whoever is connected to it."""
        with self.admin() as connection:
            connection.execute(f"DROP DATABASE {name} WITH (FORCE)".encode())

    def control(self, *arguments: str) -> None:
        """Run pg_ctl as the server's own user."""
        as_owner([str(self.programs / "pg_ctl"), "-D", str(self.data), "-w", *arguments])


def owner() -> pwd.struct_passwd | None:
    """Who runs the server: PostgreSQL refuses to run as root."""
    return pwd.getpwnam("postgres") if os.geteuid() == 0 else None


def as_owner(command: list[str]) -> None:
    user = owner()
    identity = {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []} if user else {}
    with tempfile.TemporaryFile() as output:
        done = subprocess.run(
            command, stdin=subprocess.DEVNULL, stdout=output, stderr=output, cwd="/", check=False, timeout=120,
            env={"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8"}, **identity,
        )  # type: ignore[call-overload]  # fmt: skip
        output.seek(0)
        if done.returncode:
            raise RuntimeError(output.read().decode(errors="replace"))


@contextmanager
def running_server() -> Iterator[Server]:
    """Make, start, and in the end stop and remove a server. Its folder has a short name, as sockets need."""
    programs = find_postgres_programs()
    assert programs is not None
    memory = Path("/dev/shm")  # noqa: S108 - the folder made in it is nobody else's
    folder = Path(tempfile.mkdtemp(prefix="pg-", dir=memory if os.access(memory, os.W_OK) else None))
    user = owner()
    if user:
        os.chown(folder, user.pw_uid, user.pw_gid)
    else:
        folder.chmod(0o755)
    data, port = folder / "data", 54321
    superuser = user.pw_name if user else pwd.getpwuid(os.geteuid()).pw_name
    server = Server(programs, folder, data, port, superuser)
    try:
        as_owner([str(programs / "initdb"), "-D", str(data), "-A", "trust", "-E", "UTF8", "--locale", "C.UTF-8", "-N"])
        (data / "pg_hba.conf").write_text(
            f"local all {superuser} trust\nlocal all all scram-sha-256\nlocal replication all trust\n"
        )
        with (data / "postgresql.conf").open("a", encoding="utf-8") as settings:
            settings.write(
                f"listen_addresses = ''\nport = {port}\nunix_socket_directories = '{folder}'\nfsync = off\n"
                "full_page_writes = off\nmax_connections = 40\nshared_buffers = 16MB\n"
            )
        server.control("-l", str(folder / "log"), "start")
        with server.admin() as connection:
            connection.execute(f"CREATE ROLE {ROLE} LOGIN PASSWORD '{SECRET}'".encode())
        yield server
    finally:
        if (data / "postmaster.pid").exists():
            pid = int((data / "postmaster.pid").read_text().splitlines()[0])
            try:
                server.control("-m", "immediate", "stop")
            except RuntimeError:
                os.kill(pid, signal.SIGKILL)
        shutil.rmtree(folder, ignore_errors=True)
