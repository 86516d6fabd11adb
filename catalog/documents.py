"""Entries as documents: plain data as a store keeps them, and TOML text as a person reads and edits it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import MISSING, fields, is_dataclass
from typing import Any

from catalog.book import Overlay
from catalog.schema import Entry

_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")
_WIDTH = 120


def plain(part: Any) -> Any:
    """An entry or a part of one as plain data, without what is at its default."""
    if is_dataclass(part) and not isinstance(part, type):
        made = {}
        for one in fields(part):
            value = getattr(part, one.name)
            default = one.default_factory() if one.default_factory is not MISSING else one.default
            if value != default:
                made[one.name] = plain(value)
        return made
    if isinstance(part, Mapping):
        return {name: plain(value) for name, value in part.items()}
    if isinstance(part, (tuple, list)):
        return [plain(value) for value in part]
    return part


def document(entries: Iterable[tuple[str, Entry]]) -> dict[str, Any]:
    """A document of entries by kind, in the catalogue's layout."""
    made: dict[str, Any] = {"schema": 1}
    for kind, entry in entries:
        made.setdefault(kind, []).append(plain(entry))
    return made


def overlay_document(overlay: Overlay) -> dict[str, Any]:
    """A layer as a document in the catalogue's layout, its sources included."""
    made = document((kind, entry) for kind, entries in overlay.entries.items() for entry in entries.values())
    if overlay.sources:
        made["source"] = [plain(source) for source in overlay.sources.values()]
    return made


def to_toml(made: Mapping[str, Any]) -> str:
    """A document as TOML text that reads back to the same data."""
    lines = [f"{_key(name)} = {_value(value)}" for name, value in made.items() if not _is_tables(value)]
    for name, value in made.items():
        for item in value if _is_tables(value) else ():
            lines += ["", f"[[{_key(name)}]]"]
            lines += [line for key, part in item.items() for line in _entry_lines(key, part)]
    return "\n".join(lines) + "\n"


def _is_tables(value: object) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(item, Mapping) for item in value)


def _entry_lines(name: str, value: Any) -> list[str]:
    line = f"{_key(name)} = {_value(value)}"
    if isinstance(value, list) and len(line) > _WIDTH:
        return [f"{_key(name)} = [", *(f"  {_value(item)}," for item in value), "]"]
    return [line]


def _key(name: str) -> str:
    return name if _BARE_KEY.fullmatch(name) else _text(name)


def _text(text: str) -> str:
    # JSON's escapes are TOML's as well, but DEL stands for itself in JSON and must not in TOML.
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007F")


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, (int, float)):
        return repr(value)
    if isinstance(value, Mapping):
        inner = ", ".join(f"{_key(str(name))} = {_value(part)}" for name, part in value.items())
        return f"{{ {inner} }}" if inner else "{}"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(_value(item) for item in value) + "]"
    raise TypeError(f"{type(value).__name__} has no place in a document")
