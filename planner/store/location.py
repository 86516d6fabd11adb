"""Where a library is: a file, or a database on a server, and what it may be called in a message."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import URL, make_url
from sqlalchemy.exc import ArgumentError

from catalog.files import from_home
from planner.store.errors import CONFIGURATION, StoreError
from planner.store.redaction import redact_address

VARIABLE = "PLANNER_DB"
FOLDER = "llm-serving-planner"
FILE = "planner.db"
_POSTGRES = ("postgresql", "postgres")


@dataclass(frozen=True, slots=True)
class Location:
    """A SQLite file (``path``) or a PostgreSQL database (``url``). ``description`` holds no password."""

    path: Path | None
    url: URL | None
    description: str
    is_default: bool = False


def default_path() -> Path:
    """The database file in the platform's folder for a person's data."""
    from platformdirs import user_data_path  # noqa: PLC0415 - only where no file was named

    return user_data_path(FOLDER, appauthor=False) / FILE


def locate(where: str | Path | None) -> Location:
    """Where ``where`` points: a path, an address ``sqlite:///FILE`` or ``postgresql://...``, or None for PLANNER_DB
    and else the platform's data folder.

    Raises StoreError for an address that cannot be read or names another kind of database.
    """
    if where is None:
        where = os.environ.get(VARIABLE) or None
    if where is None:
        path = default_path()
        return Location(path, None, str(path), is_default=True)
    if isinstance(where, Path) or "://" not in where:
        text = str(where)
        if not text.strip() or "\0" in text:
            raise StoreError("The name of the database file must not be empty or hold a NUL character.", CONFIGURATION)
        path = from_home(text)
        return Location(path, None, str(path))
    return _from_address(where)


def _is_host(name: str) -> bool:
    """Whether ``name`` is the folder of a socket or can be a host's, whose parts have at most 63 characters."""
    if name.startswith("/"):
        return True
    try:
        name.encode("idna")
    except UnicodeError:
        return False
    return True


def _from_address(address: str) -> Location:
    shown = redact_address(address)
    try:
        url = make_url(address)
        kind = url.get_backend_name()
    except (ArgumentError, ValueError):
        raise StoreError(
            f"The database address {shown} cannot be read: write postgresql://USER@HOST/DATABASE, with every special "
            "character of a password as %XX, or better leave the password to PGPASSWORD or ~/.pgpass.",
            CONFIGURATION,
        ) from None
    if kind == "sqlite":
        if not url.database or url.database == ":memory:":
            raise StoreError("A SQLite address must name a file: sqlite:///FILE.", CONFIGURATION)
        path = Path(url.database)
        return Location(path, None, str(path))
    # A password with an unescaped @ ends up in the host.
    if kind not in _POSTGRES or "@" in (url.host or "") + (url.database or "") or not _is_host(url.host or ""):
        raise StoreError(
            f"The database address {shown} is not understood: it must be a file, sqlite:///FILE or "
            "postgresql://USER@HOST/DATABASE, with every special character of a password as %XX.",
            CONFIGURATION,
        )
    url = url.set(drivername="postgresql+psycopg")
    return Location(None, url, url.set(query={}, drivername="postgresql").render_as_string(hide_password=True))
