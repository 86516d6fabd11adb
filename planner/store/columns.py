"""Column types that read whatever a file holds: a damaged value is handed on to be flagged, never a traceback."""

from __future__ import annotations

import json
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

    def process_result_value(self, value: Any, dialect: Dialect) -> datetime | None:  # noqa: ARG002
        """The moment; UNKNOWN_TIME where it cannot be read."""
        if value is None:
            return None
        if isinstance(value, datetime):
            return value.astimezone(UTC)
        try:
            moment = datetime.fromisoformat(value)
        except (TypeError, ValueError):
            return UNKNOWN_TIME
        return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


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

    def process_result_value(self, value: Any, dialect: Dialect) -> Any:
        """The document; Unreadable where the text is not JSON."""
        if value is None or dialect.name != "sqlite":
            return value
        try:
            return json.loads(value)
        except (TypeError, ValueError, RecursionError):
            return Unreadable(value)


class Switch(TypeDecorator[bool]):
    """Yes or no: BOOLEAN, on SQLite 0 or 1; any other number is handed on as it is."""

    impl = Boolean
    cache_ok = True

    def load_dialect_impl(self, dialect: Dialect) -> TypeEngine[Any]:
        """A small integer on SQLite, a boolean elsewhere."""
        return dialect.type_descriptor(SmallInteger() if dialect.name == "sqlite" else Boolean())

    def process_result_value(self, value: Any, dialect: Dialect) -> Any:  # noqa: ARG002
        """True or False for 1 or 0."""
        return bool(value) if value in (0, 1) else value

    def process_bind_param(self, value: Any, dialect: Dialect) -> Any:
        """1 or 0 on SQLite."""
        return int(value) if dialect.name == "sqlite" and isinstance(value, bool) else value
