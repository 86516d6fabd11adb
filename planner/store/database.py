"""One open database: who writes, which versions are noted, and how a unit of work runs in one transaction."""

from __future__ import annotations

import contextlib
import getpass
import os
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TypeVar

from sqlalchemy import Engine, text
from sqlalchemy.exc import DBAPIError, SQLAlchemyError
from sqlalchemy.orm import Session
from sqlalchemy.orm.exc import StaleDataError

import planner
from planner.model.version import MODEL_VERSION
from planner.store import instances
from planner.store.engines import be_patient, patience_of, writing
from planner.store.errors import IO, BusyError, ReadOnlyError, StoreError
from planner.store.tables import SCHEMA_VERSION
from planner.store.translation import from_database, from_sqlite

T = TypeVar("T")
ATTEMPTS = 5
# Serialization failure and deadlock: the transaction did nothing and may run again.
_RETRY = ("40001", "40P01")


@dataclass(frozen=True, slots=True)
class Versions:
    """What a revision notes of the program that made it."""

    program: str = planner.__version__
    model: str = MODEL_VERSION
    catalogue: str = ""


def login() -> str:
    """The name of the person at this machine."""
    try:
        return getpass.getuser()[:120]
    except (OSError, KeyError):
        return f"user {os.getuid()}"


def now() -> datetime:
    """The present moment in UTC."""
    return datetime.now(UTC)


@dataclass(slots=True)
class Database:
    """An engine with what is known of the database behind it.

    ``read_only_reason`` is empty where it may be written. ``identity`` is the device and inode of a SQLite file.
    ``before_write`` runs before every transaction that may write, ``token`` is what this program noted itself as, and
    ``is_new`` says that this program has just made it.
    """

    engine: Engine
    description: str
    path: Path | None = None
    identity: tuple[int, int] | None = None
    read_only_reason: str = ""
    who: str = ""
    versions: Versions = field(default_factory=Versions)
    warnings: tuple[str, ...] = ()
    clock: Callable[[], datetime] = now
    before_write: Callable[[], None] | None = None
    token: str = ""
    is_new: bool = False

    @property
    def patience(self) -> float:
        """How many seconds it waits for a SQLite file that somebody else has locked."""
        return patience_of(self.engine)

    @patience.setter
    def patience(self, seconds: float) -> None:
        be_patient(self.engine, seconds)

    @property
    def is_sqlite(self) -> bool:
        """Whether it is a SQLite file."""
        return self.engine.dialect.name == "sqlite"

    def noted_versions(self) -> Versions:
        """The versions that a revision notes; the catalogue's is looked up when the first one is written."""
        if not self.versions.catalogue:
            from catalog.load import version  # noqa: PLC0415 - who only reads does not wait for it

            self.versions = replace(self.versions, catalogue=version())
        return self.versions

    @contextmanager
    def reading(self) -> Iterator[Session]:
        """A session that sees one state of the database, and changes nothing. Raises StoreError."""
        try:
            with Session(self.engine, expire_on_commit=False, autoflush=False) as session:
                yield session
        except SQLAlchemyError as error:
            translated = from_database(error, self.description, waited=self.patience)
            if not isinstance(translated, BusyError):
                self._explain_by_schema()
            raise translated from error
        except sqlite3.Error as error:
            raise from_sqlite(error, self.description, waited=self.patience) from error

    def _explain_by_schema(self) -> None:
        """Raise StoreError when what went wrong is that another program has changed the tables."""
        with contextlib.suppress(SQLAlchemyError), Session(self.engine) as session:
            self.check_schema(session)

    def write(self, work: Callable[[Session], T]) -> T:
        """What ``work`` returns, run in one transaction that is committed when this returns.

        The write lock is taken before anything is read. Work that collides with somebody else's is run again. Raises
        StoreError, and whatever ``work`` raises; then nothing was changed.
        """
        self.check_writable()
        if self.before_write is not None:
            self.before_write()
        for attempt in range(ATTEMPTS):
            try:
                with Session(writing(self.engine), expire_on_commit=False) as session, session.begin():
                    self.check_schema(session)
                    token = self.token or instances.note(session, self.who, self.clock())
                    result = work(session)
                self.token = token
                return result
            except StaleDataError:
                last: Exception | None = None
            except DBAPIError as error:
                if getattr(error.orig, "sqlstate", None) not in _RETRY:
                    raise from_database(error, self.description, waited=self.patience) from error
                last = error
            except SQLAlchemyError as error:
                raise from_database(error, self.description) from error
            except sqlite3.Error as error:
                raise from_sqlite(error, self.description, waited=self.patience) from error
            if attempt == ATTEMPTS - 1:
                raise BusyError(
                    f"Others kept changing the same scenarios in {self.description}; nothing was changed: try again."
                ) from last
        raise AssertionError("unreachable")

    def check_writable(self) -> None:
        """Raise StoreError where the library is read-only, or its file is no longer the one that was opened."""
        if self.read_only_reason:
            raise ReadOnlyError(f"{self.description} is open for reading only: {self.read_only_reason}")
        if self.path is None or self.identity is None:
            return
        try:
            status = self.path.stat()
        except OSError:
            status = None
        if status is None or (status.st_dev, status.st_ino) != self.identity:
            what = "deleted or moved" if status is None else "replaced by another file"
            raise StoreError(
                f"{self.description} was {what} while it was open; nothing was changed: "
                "put it back, or open it where it is now.",
                IO,
            )

    def check_schema(self, session: Session) -> None:
        """Raise StoreError when another program has changed the tables since they were opened."""
        if self.is_sqlite:
            version = session.connection().exec_driver_sql("PRAGMA user_version").scalar()
        else:
            version = session.scalar(text("SELECT version_num FROM alembic_version"))
        if version is None or str(version).lstrip("0") != str(SCHEMA_VERSION):
            raise StoreError(
                f"Another version of the planner has changed the tables of {self.description} (to version {version}); "
                "nothing was changed: close this one and open the library again."
            )

    def close(self) -> None:
        """Withdraw this program's note and close every connection; whoever holds a lock is not waited for."""
        if self.token:
            token, self.token = self.token, ""
            with contextlib.suppress(SQLAlchemyError, sqlite3.Error, StoreError):
                self.check_writable()
                with Session(writing(self.engine)) as session:
                    if self.is_sqlite:
                        session.connection(execution_options={"planner_writes": False}).exec_driver_sql(
                            "PRAGMA busy_timeout=200"
                        )
                    instances.withdraw(session, token)
                    session.commit()
        self.engine.dispose()
