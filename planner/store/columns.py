"""Column types that read whatever a file holds: a damaged value is handed on to be flagged, never a traceback."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Boolean, DateTime, Dialect, SmallInteger, String, Text
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.types import TypeDecorator, TypeEngine

UNKNOWN_TIME = datetime(1970, 1, 1, tzinfo=UTC)
"""What an unreadable time is read as."""


class Unreadable(str):
    """The text of a stored document that is not JSON."""

    __slots__ = ()


class UtcTime(TypeDecorator[datetime]):
    """A moment in UTC: a timestamp with time zone, on SQLite its ISO text."""

    impl = String(32)
    cache_ok = True

    def load_dialect_impl(self, dialect: Dialect) -> TypeEngine[Any]:
        """ISO text on SQLite, a timestamp with time zone elsewhere."""
        return dialect.type_descriptor(String(32) if dialect.name == "sqlite" else DateTime(timezone=True))

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> Any:
        """``value`` in UTC."""
        if value is None:
            return None
        moment = value.astimezone(UTC)
        return moment.isoformat(timespec="microseconds") if dialect.name == "sqlite" else moment

    def result_processor(self, dialect: Dialect, coltype: object) -> Callable[[Any], Any] | None:
        """What reads the moment; UNKNOWN_TIME where it cannot be read."""
        if dialect.name == "sqlite":
            return read_time
        return self.load_dialect_impl(dialect).result_processor(dialect, coltype)


class JsonDocument(TypeDecorator[Any]):
    """A JSON document: JSONB on PostgreSQL, its text on SQLite. NaN and infinity are refused."""

    impl = Text
    cache_ok = True

    def load_dialect_impl(self, dialect: Dialect) -> TypeEngine[Any]:
        """Text on SQLite, JSONB elsewhere."""
        if dialect.name == "sqlite":
            return dialect.type_descriptor(Text())
        return dialect.type_descriptor(JSONB(none_as_null=True))

    def process_bind_param(self, value: Any, dialect: Dialect) -> Any:
        """``value`` as compact JSON text on SQLite, as it is elsewhere."""
        if value is None or dialect.name != "sqlite":
            return value
        return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))

    def result_processor(self, dialect: Dialect, coltype: object) -> Callable[[Any], Any] | None:
        """What reads the document; Unreadable where the text is not JSON."""
        if dialect.name == "sqlite":
            return read_document
        return self.load_dialect_impl(dialect).result_processor(dialect, coltype)


def read_switch(value: Any) -> Any:
    """SQLite's 0 and 1 as no and yes; anything else as it is."""
    return True if value == 1 else False if value == 0 else value


def read_document(value: Any) -> Any:
    """The JSON document that SQLite keeps as text; Unreadable where it is none."""
    # What nearly all of them are.
    if value == "{}":
        return {}
    if value == "[]":
        return []
    if value is None:
        return None
    try:
        return json.loads(value)
    except (TypeError, ValueError, RecursionError):
        return Unreadable(value)


def read_time(value: Any) -> datetime | None:
    """The moment that SQLite keeps as text; UNKNOWN_TIME where it is none."""
    if value is None:
        return None
    try:
        moment = datetime.fromisoformat(value)
    except (TypeError, ValueError):
        return UNKNOWN_TIME
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


class Switch(TypeDecorator[bool]):
    """Yes or no: BOOLEAN, on SQLite 0 or 1; any other number is handed on as it is."""

    impl = Boolean
    cache_ok = True

    def load_dialect_impl(self, dialect: Dialect) -> TypeEngine[Any]:
        """A small integer on SQLite, a boolean elsewhere."""
        return dialect.type_descriptor(SmallInteger() if dialect.name == "sqlite" else Boolean())

    def result_processor(self, dialect: Dialect, coltype: object) -> Callable[[Any], Any] | None:  # noqa: ARG002
        """What turns 1 and 0 of SQLite into True and False."""
        return read_switch if dialect.name == "sqlite" else None

    def process_bind_param(self, value: Any, dialect: Dialect) -> Any:
        """1 or 0 on SQLite."""
        return int(value) if dialect.name == "sqlite" and isinstance(value, bool) else value
