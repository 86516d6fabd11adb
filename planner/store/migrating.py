"""Bringing the tables to another version: on SQLite after a verified backup, in one transaction, or not at all."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from alembic import command
from alembic.config import Config
from sqlalchemy import Connection, Engine, inspect, text

import migrations
from planner.store.engines import writing
from planner.store.errors import DamagedError
from planner.store.failpoints import failpoint

# A number of our own for PostgreSQL's advisory locks: the bytes "LSPL" and a running number.
ADVISORY_LOCK = 0x4C53504C_00000001


def configuration(connection: Connection) -> Config:
    """Alembic's settings for migrating over ``connection``, found wherever the package is installed."""
    config = Config()
    config.set_main_option("script_location", str(Path(migrations.__file__).parent).replace("%", "%%"))
    config.set_main_option("path_separator", "os")
    config.attributes["connection"] = connection
    return config


def migrate(
    engine: Engine,
    target: str = "head",
    *,
    down: bool = False,
    prepare: Callable[[Connection], None] | None = None,
    check: Callable[[Connection], None] | None = None,
) -> bool:
    """Bring the tables behind ``engine`` to revision ``target``, in one transaction; whether there was anything to do.

    Two programs that begin at once follow one another, and the second finds nothing to do. ``prepare`` runs before
    the change and ``check`` after it, both under the lock; what they raise undoes everything. Raises DamagedError when
    rows would be left without those they refer to; then nothing was changed.
    """
    is_sqlite = engine.dialect.name == "sqlite"
    with writing(engine).connect() as connection:
        raw = connection.connection.dbapi_connection
        if is_sqlite and raw is not None:
            # Outside the transaction, where alone it works: rebuilding a table must not delete the rows of others.
            raw.cursor().execute("PRAGMA foreign_keys=OFF")
        try:
            with connection.begin():
                if not is_sqlite:
                    # Rebuilding a large table takes what it takes, and so does waiting for who does it already.
                    connection.execute(text("SET LOCAL statement_timeout = 0"))
                    connection.execute(text("SET LOCAL lock_timeout = '120s'"))
                    connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": ADVISORY_LOCK})
                before = _version(connection)
                failpoint("migrate-begun")
                if prepare is not None:
                    prepare(connection)
                run = command.downgrade if down else command.upgrade
                run(configuration(connection), target)
                if is_sqlite:
                    check_keys(connection)
                if check is not None:
                    check(connection)
                after = _version(connection)
                failpoint("migrate-before-commit")
            failpoint("migrate-committed")
        finally:
            if is_sqlite and raw is not None:
                raw.cursor().execute("PRAGMA foreign_keys=ON")
    return before != after


def _version(connection: Connection) -> str | None:
    """The revision that the tables have; None before the first."""
    if not inspect(connection).has_table("alembic_version"):
        return None
    version = connection.scalar(text("SELECT version_num FROM alembic_version"))
    return None if version is None else str(version)


def check_keys(connection: Connection) -> None:
    """Raise StoreError when a row refers to one that is not there."""
    orphans = connection.exec_driver_sql("PRAGMA foreign_key_check").fetchall()
    if orphans:
        raise DamagedError(f"{len(orphans)} rows of table {orphans[0][0]} refer to rows that are missing.")
