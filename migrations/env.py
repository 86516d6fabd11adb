"""How Alembic runs the migrations.

The planner hands over its own open connection. From the command line, give the database:
``alembic -c pyproject.toml -x url=sqlite:///planner.db upgrade head`` (or check, downgrade, revision --autogenerate).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

from alembic import context
from alembic.runtime.migration import MigrationContext, MigrationInfo
from sqlalchemy import Connection, Engine, make_url

from planner.store.engines import postgres_engine, sqlite_engine, writing
from planner.store.failpoints import failpoint
from planner.store.tables import APPLICATION_ID, Base


def note_version(
    ctx: MigrationContext,
    step: MigrationInfo,  # noqa: ARG001 - Alembic passes it by name
    heads: Collection[Any],
    run_args: Mapping[str, Any],  # noqa: ARG001 - the same
) -> None:
    """Keep SQLite's own version number equal to the revision, in the same transaction."""
    if ctx.dialect.name == "sqlite":
        connection = ctx.connection
        assert connection is not None  # noqa: S101
        number = max((int(str(head)) for head in heads), default=0)
        connection.exec_driver_sql(f"PRAGMA user_version = {number}")
        connection.exec_driver_sql(f"PRAGMA application_id = {APPLICATION_ID if number else 0}")
    failpoint("migrate-step")


def run(connection: Connection) -> None:
    """Migrate over ``connection``, in one transaction that is the caller's where there is one."""
    context.configure(
        connection=connection,
        target_metadata=Base.metadata,
        render_as_batch=True,
        transactional_ddl=True,
        compare_type=True,
        on_version_apply=note_version,
    )
    with context.begin_transaction():
        context.run_migrations()


def engine_of(address: str) -> Engine:
    """The engine for the database that the command line names."""
    url = make_url(address)
    if url.get_backend_name() == "sqlite":
        return sqlite_engine(Path(url.database or ""), "rwc")
    return postgres_engine(url.set(drivername="postgresql+psycopg"))


def run_on(engine: Engine) -> None:
    """Migrate over a connection of ``engine``, in one transaction."""
    with engine.connect() as opened:
        if engine.dialect.name == "sqlite":
            # Outside the transaction, where alone it works: a table that is rebuilt must not delete the rows of others.
            opened.connection.cursor().execute("PRAGMA foreign_keys=OFF")
        with opened.begin():
            run(opened)
        if engine.dialect.name == "sqlite":
            opened.connection.cursor().execute("PRAGMA foreign_keys=ON")


given = context.config.attributes.get("connection")
address = context.get_x_argument(as_dictionary=True).get("url")
if isinstance(given, Engine):
    run_on(writing(given))
elif isinstance(given, Connection):
    run(given)
elif given is not None:
    # What stands in for an engine gives out connections whose transaction is its own affair.
    with given.connect() as lent:
        run(lent)
elif address:
    made = engine_of(address)
    run_on(writing(made))
    made.dispose()
else:
    raise SystemExit("Name the database: -x url=sqlite:///FILE or -x url=postgresql://HOST/NAME")
