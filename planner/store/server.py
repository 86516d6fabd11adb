"""Opening a library on a PostgreSQL server: a team's shared store."""

from __future__ import annotations

from sqlalchemy import Engine, exists, inspect, select, text
from sqlalchemy.exc import SQLAlchemyError

from planner.store import examples
from planner.store.database import Database
from planner.store.engines import postgres_engine
from planner.store.errors import UNAVAILABLE, NotFoundError, ReadOnlyError, StoreError
from planner.store.inspection import TABLES, check_version
from planner.store.location import Location
from planner.store.tables import SCHEMA_VERSION, RevisionRow
from planner.store.translation import from_database

FILLING_LOCK = 0x4C53504C_00000002


def open_server(location: Location, *, create: bool, filled: bool = True) -> Database:
    """The PostgreSQL database at ``location``; the tables and the examples are made in an empty one.

    An older database is not brought up to date here, since others may use it: `planner db upgrade` does. Raises
    StoreError.
    """
    engine = connect(location)
    try:
        database = Database(engine, location.description)
        with engine.connect() as connection:
            database.who = str(connection.scalar(text("SELECT session_user")))[:120]
            replica = connection.scalar(text("SELECT pg_is_in_recovery()"))
            read_only = connection.scalar(text("SHOW default_transaction_read_only")) == "on"
            superuser = connection.scalar(text("SHOW is_superuser")) == "on"
            tables = set(inspect(connection).get_table_names())
        if replica or read_only:
            database.read_only_reason = "the server is a replica." if replica else "the server allows only reading."
        if superuser:
            database.warnings = (
                f"{location.description} is used as a superuser; a role for the planner's tables alone is safer.",
            )
        if "alembic_version" not in tables:
            _start(database, tables, create=create)
        version = version_of(engine, location.description)
        if version < SCHEMA_VERSION:
            raise StoreError(
                f"{location.description} has version {version} of the tables and this planner needs {SCHEMA_VERSION}: "
                "when everybody has the new program, run `planner db upgrade`."
            )
        if create and filled and not database.read_only_reason:
            database.is_new = _fill(database)
    except SQLAlchemyError as error:
        engine.dispose()
        raise from_database(error, location.description) from None
    except BaseException:
        engine.dispose()
        raise
    return database


def connect(location: Location) -> Engine:
    """An engine for ``location``. Raises StoreError when the driver is not installed."""
    assert location.url is not None  # noqa: S101 - the caller's choice
    try:
        return postgres_engine(location.url, **_options(location))
    except ModuleNotFoundError:
        raise StoreError(
            f"{location.description} needs the PostgreSQL driver: install the planner with its extra 'postgres'.",
            UNAVAILABLE,
        ) from None


def _options(location: Location) -> dict[str, str]:
    """Options of the address that the engine adds its own to."""
    assert location.url is not None  # noqa: S101
    given = location.url.query.get("options")
    return {"options": given} if isinstance(given, str) else {}


def _start(database: Database, tables: set[str], *, create: bool) -> None:
    """Make the tables in an empty database. Raises StoreError where it is not empty."""
    if tables & TABLES:
        raise StoreError(
            f"{database.description} has some of the planner's tables but does not say which version; it was left as "
            "it is."
        )
    if tables:
        raise StoreError(
            f"{database.description} holds the tables of another application; it was left as it is: give the planner "
            "a database or a schema of its own."
        )
    if not create:
        raise NotFoundError(f"{database.description} is empty: there is no library in it yet.")
    if database.read_only_reason:
        raise ReadOnlyError(f"{database.description} is empty and cannot be written: {database.read_only_reason}")
    from planner.store.migrating import migrate  # noqa: PLC0415 - Alembic is loaded only to migrate

    migrate(database.engine)


def _fill(database: Database) -> bool:
    """Put the examples into a library in which nothing was ever done. One program does it, others wait for it."""
    if not _is_untouched(database.engine):
        return False
    with database.engine.connect() as connection:
        connection.execute(text("SET lock_timeout = '120s'"))
        connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": FILLING_LOCK})
        untouched = _is_untouched(database.engine)
        if untouched:
            examples.fill(database)
        return untouched


def _is_untouched(engine: Engine) -> bool:
    with engine.connect() as connection:
        return not connection.scalar(select(exists().select_from(RevisionRow)))


def version_of(engine: Engine, name: str) -> int:
    """The version of the tables. Raises StoreError when it is newer than this program's, or cannot be told."""
    with engine.connect() as connection:
        noted = [str(one) for one in connection.scalars(text("SELECT version_num FROM alembic_version"))]
        needed = ""
        if "setting" in inspect(connection).get_table_names():
            query = text("SELECT value FROM setting WHERE name = 'min_app_version' AND owner = ''")
            needed = str(connection.scalar(query) or "")
    return check_version(name, noted, needed)


def upgrade_server(location: Location) -> None:
    """Bring the tables at ``location`` to this program's version. Raises StoreError.

    Programs that have the library open notice it with their next change. A backup is the administrator's (pg_dump).
    """
    from planner.store.migrating import migrate  # noqa: PLC0415 - Alembic is loaded only to migrate

    engine = connect(location)
    try:
        if version_of(engine, location.description) < SCHEMA_VERSION:
            migrate(engine)
    except SQLAlchemyError as error:
        raise from_database(error, location.description) from None
    finally:
        engine.dispose()
