"""The ground all catalogue entries stand on: immutable, bounded dataclasses, each figure with its origin.

One definition serves two readers. ``build`` makes shipped data, which tests and ``planner catalog check`` validate,
into entries without loading pydantic; ``validate`` checks what a user hands in against the annotated bounds, refuses
unknown keys and wrong types, and says what is wrong in one sentence.
"""

from __future__ import annotations

import json
import re
import types
import typing
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from datetime import date
from functools import cache
from typing import Annotated, Any, ClassVar, Generic, TypeVar

from annotated_types import Interval, MaxLen, MinLen

from catalog.errors import BadFileError
from planner.model.fields import nearest, printable

T = TypeVar("T")

MAX_TEXT = 1000
MAX_DEPTH = 12

Text = Annotated[str, MinLen(1), MaxLen(MAX_TEXT)]
Note = Annotated[str, MaxLen(MAX_TEXT)]
Count = Annotated[int, Interval(ge=0, le=10**15)]
Positive = Annotated[int, Interval(ge=1, le=10**15)]
Layers = Annotated[int, Interval(ge=1, le=1000)]
Width = Annotated[int, Interval(ge=1, le=10**6)]
Words = Annotated[int, Interval(ge=1, le=10**7)]
Context = Annotated[int, Interval(ge=1, le=10**9)]
StateBits = Annotated[int, Interval(ge=8, le=64)]
Bits = Annotated[float, Interval(ge=0, le=64)]
Price = Annotated[float, Interval(ge=0, le=10**6)]
Ratio = Annotated[float, Interval(ge=0, le=1000)]
Share = Annotated[float, Interval(ge=0, le=1)]

_SLUG = re.compile(r"[a-z0-9]+([._-][a-z0-9]+)*")
_DATE = re.compile(r"\d{4}(-(0[1-9]|1[0-2])(-(0[1-9]|[12]\d|3[01]))?)?")


@dataclass(frozen=True, slots=True, kw_only=True)
class Strict:
    """A part of an entry: refuses unknown keys, wrong types, NaN and infinity when validated."""

    __pydantic_config__: ClassVar[dict[str, object]] = {"extra": "forbid", "strict": True, "allow_inf_nan": False}


@dataclass(frozen=True, slots=True, kw_only=True)
class Source(Strict):
    """Where figures come from: a public file, page or paper, and the date of the version that was read.

    ``undated``: the page carries no date and ``date`` is the day it was read.
    """

    id: Text
    title: Text
    reference: Text = "—"
    date: Text
    undated: bool = False
    doubt: Note = ""

    def __post_init__(self) -> None:
        check_slug(self.id)
        check_date(self.date)


@dataclass(frozen=True, slots=True, kw_only=True)
class Other(Strict):
    """Another source's figure that differs, and why it was not chosen (a sentence, or a key of ``reasons``)."""

    figure: Text
    value: float
    source: Text
    why: Text


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry(Strict):
    """What every named entry carries beside its figures."""

    id: Text
    name: Text
    aliases: tuple[Text, ...] = ()
    sources: tuple[Text, ...] = ()
    date: Text | None = None
    origins: dict[str, Text] = field(default_factory=dict)
    others: tuple[Other, ...] = ()
    doubts: dict[str, Text] = field(default_factory=dict)
    note: Note = ""

    def __post_init__(self) -> None:
        check_slug(self.id)
        if self.date is not None:
            check_date(self.date)

    def origin_ids(self, figure: str) -> tuple[str, ...]:
        """Source ids of one figure: its own where ``origins`` names them, else the entry's."""
        named = self.origins.get(figure)
        return tuple(named.split()) if named else self.sources

    def doubt(self, figure: str) -> str:
        """What makes a figure weak; empty when nothing does. ``*`` in the data speaks for all figures."""
        return self.doubts.get(figure) or self.doubts.get("*", "")


E = TypeVar("E", bound=Entry)


@dataclass(frozen=True, slots=True)
class Kind(Generic[E]):
    """A kind of entry: its name (the TOML table), its class, and the shipped document that holds it."""

    name: str
    cls: type[E]
    document: str
    title: str


def key(name: str) -> str:
    """``name`` as look-ups compare it: case, spaces, underscores, slashes and brackets make no difference."""
    return re.sub(r"[\s_/()]+", "-", name.strip().casefold()).strip("-")


def check_slug(text: str) -> None:
    """Raises ValueError unless ``text`` is an id: lower case and digits joined by single . - or _, at most 80 long."""
    if len(text) > 80 or not _SLUG.fullmatch(text):
        raise ValueError(
            f"{text[:80]!r} is no id: lower-case letters and digits, joined by single dots, hyphens or underscores"
        )


def check_date(text: str) -> None:
    """Raises ValueError unless ``text`` is a year, a month or a day as ISO 8601 writes it."""
    if not _DATE.fullmatch(text):
        raise ValueError(f"{text[:40]!r} is no date: write YYYY, YYYY-MM or YYYY-MM-DD")


@cache
def _hints(cls: Any) -> dict[str, Any]:
    return typing.get_type_hints(cls)


def build(cls: type[T], data: Mapping[str, Any]) -> T:
    """An entry of class ``cls`` from trusted ``data``: nested parts are built, bounds are not checked."""
    hints = _hints(typing.cast("Any", cls))
    return cls(**{name: _part(hints[name], value) for name, value in data.items()})


def _part(hint: Any, value: Any) -> Any:
    if isinstance(value, dict) or (isinstance(value, list) and value and isinstance(value[0], dict)):
        for inner in _classes(hint):
            if isinstance(value, dict):
                return build(inner, value)
            return tuple(build(inner, item) for item in value)
        if isinstance(value, dict) and typing.get_origin(hint) is dict:
            item = typing.get_args(hint)[1]
            return {name: _part(item, one) for name, one in value.items()}
    return tuple(value) if isinstance(value, list) else value


@cache
def _classes(hint: Any) -> tuple[type, ...]:
    """The dataclass inside ``X``, ``X | None`` or ``tuple[X, ...]``; none in a dict."""
    if is_dataclass(hint):
        return (hint,) if isinstance(hint, type) else ()
    if typing.get_origin(hint) in (tuple, types.UnionType, typing.Union):
        return tuple(found for arg in typing.get_args(hint) for found in _classes(arg))
    return ()


@cache
def _adapter(cls: Any) -> Any:
    from pydantic import TypeAdapter  # noqa: PLC0415 - only what users hand in is validated

    return TypeAdapter(cls)


def validate(cls: type[T], data: object, where: str) -> T:
    """An entry of class ``cls`` from a user's ``data``.

    Raises BadFileError with one sentence that names ``where``, the key, the value and the bound.
    """
    from pydantic import ValidationError  # noqa: PLC0415 - the same

    clean(data, where)
    try:
        made: T = _adapter(typing.cast("Any", cls)).validate_json(json.dumps(data, default=_day))
    except ValidationError as error:
        raise BadFileError(_sentence(cls, error.errors(include_url=False)[0], where)) from None
    return made


def _day(value: object) -> str:
    """A TOML date as the text that entries keep."""
    if isinstance(value, date):
        return value.isoformat()[:10]
    raise TypeError


def _sentence(cls: type, error: Any, where: str) -> str:
    path = [str(part) for part in error["loc"]]
    name = ".".join(path) or "entry"
    if error["type"] in ("unexpected_keyword_argument", "extra_forbidden"):
        known = [one.name for one in fields(cls)] if len(path) == 1 and is_dataclass(cls) else []
        return f"{where}: {printable(name)} is not known{nearest(path[-1], known)}."
    if error["type"] == "missing":
        return f"{where}: {printable(name)} is missing."
    message = str(error["msg"]).removeprefix("Value error, ")
    value = printable(repr(error.get("input")))
    shown = "" if error["type"] == "value_error" else f" = {value[:60]}"
    return f"{where}: {printable(name)}{shown} is refused: {message[:1].lower()}{message[1:]}."


def clean(data: object, where: str, depth: int = 0) -> None:
    """Raises BadFileError when ``data`` nests too deep or holds text that is not plain or too long."""
    if depth > MAX_DEPTH:
        raise BadFileError(f"{where}: nested more than {MAX_DEPTH} levels deep.")
    if isinstance(data, str):
        if printable(data) != data:
            raise BadFileError(f"{where}: {printable(data)[:60]!r} holds control characters.")
        if len(data) > MAX_TEXT:
            raise BadFileError(f"{where}: {data[:40]!r}… has more than {MAX_TEXT} characters.")
    elif isinstance(data, Mapping):
        for name, value in data.items():
            clean(name, where, depth + 1)
            clean(value, where, depth + 1)
    elif isinstance(data, (list, tuple)):
        for value in data:
            clean(value, where, depth + 1)
    elif not (data is None or isinstance(data, (bool, int, float, date))):
        raise BadFileError(f"{where}: {printable(str(data))[:60]!r} is no value of an entry.")
