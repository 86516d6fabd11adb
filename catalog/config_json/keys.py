"""Typed, bounded access to the keys of a configuration; what is missing or wrong is named in one sentence."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from catalog.errors import ConfigError
from planner.model.fields import printable

_ABSENT = object()
LIMIT = 10**9


class Keys:
    """The keys of one JSON object. A getter takes several spellings of one key; null counts as absent.

    Spellings that are there with different values contradict each other and are refused. ``assumed`` collects the
    class defaults that stood in for absent keys.
    """

    def __init__(self, data: Mapping[str, Any], where: str, path: str = "") -> None:
        self.data = data
        self.where = where
        self.path = path
        self.assumed: list[str] = []

    def refuse(self, why: str) -> ConfigError:
        """The error that names this file; ``why`` is the rest of the sentence."""
        return ConfigError(f"{self.where}: {why}.")

    def name(self, key: str) -> str:
        """``key`` with the path that leads to it."""
        return f"{self.path}.{key}" if self.path else key

    def has(self, *names: str) -> bool:
        """Whether any of the spellings is there and not null."""
        return any(self.data.get(name) is not None for name in names)

    def _find(self, names: tuple[str, ...]) -> tuple[str, Any]:
        found = [(name, self.data[name]) for name in names if self.data.get(name) is not None]
        if not found:
            return names[0], None
        first, value = found[0]
        for other, second in found[1:]:
            if second != value:
                raise self.refuse(
                    f"{self.name(first)} = {_show(value)} contradicts {self.name(other)} = {_show(second)}"
                )
        return first, value

    def integer(self, *names: str, default: int | None = None, low: int = 1, high: int = LIMIT) -> int:
        """A whole number; raises ConfigError when absent without ``default``, of a wrong type or out of bounds."""
        value = self.maybe_integer(*names, low=low, high=high)
        if value is not None:
            return value
        if default is None:
            raise self.refuse(f"{self.name(names[0])} is missing")
        return default

    def maybe_integer(self, *names: str, low: int = 1, high: int = LIMIT) -> int | None:
        """A whole number, or None when absent."""
        name, value = self._find(names)
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            raise self.refuse(f"{self.name(name)} = {_show(value)} is not a whole number")
        if isinstance(value, float) and (not math.isfinite(value) or value != int(value)):
            raise self.refuse(f"{self.name(name)} = {_show(value)} is not a whole number")
        if not low <= value <= high:
            raise self.refuse(f"{self.name(name)} = {_show(value)} is not within {low} to {high}")
        return int(value)

    def number(self, *names: str, low: float, high: float) -> float | None:
        """A finite number, or None when absent."""
        name, value = self._find(names)
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
            raise self.refuse(f"{self.name(name)} = {_show(value)} is not a finite number")
        if not low <= value <= high:
            raise self.refuse(f"{self.name(name)} = {_show(value)} is not within {low:g} to {high:g}")
        return float(value)

    def flag(self, *names: str, default: bool = False, note: bool = False) -> bool:
        """True or false; ``note`` records the default as assumed when the key is absent."""
        name, value = self._find(names)
        if value is None:
            if note:
                self.assumed.append(f"{self.name(name)}: {str(default).lower()}, the default of its class")
            return default
        if not isinstance(value, bool):
            raise self.refuse(f"{self.name(name)} = {_show(value)} is not true or false")
        return value

    def text(self, *names: str) -> str | None:
        """A text of at most 200 characters, or None when absent."""
        name, value = self._find(names)
        if value is None:
            return None
        if not isinstance(value, str) or len(value) > 200 or printable(value) != value:
            raise self.refuse(f"{self.name(name)} = {_show(value)} is not a short plain text")
        return value

    def items(self, *names: str, length: int | None = None) -> list[Any] | None:
        """A list, or None when absent; raises ConfigError when it has not ``length`` items."""
        name, value = self._find(names)
        if value is None:
            return None
        if not isinstance(value, list):
            raise self.refuse(f"{self.name(name)} = {_show(value)} is not a list")
        if length is not None and len(value) != length:
            raise self.refuse(f"{self.name(name)} has {len(value)} entries for {length} layers")
        return value

    def table(self, name: str) -> Keys | None:
        """The object under ``name``, or None when absent."""
        value = self.data.get(name)
        if value is None:
            return None
        if not isinstance(value, dict):
            raise self.refuse(f"{self.name(name)} = {_show(value)} is not an object")
        inner = Keys(value, self.where, self.name(name))
        inner.assumed = self.assumed
        return inner

    def only(self, name: str, allowed: object, meaning: str) -> None:
        """Raises ConfigError when ``name`` is there with a value other than ``allowed``, whose meaning is unknown."""
        value = self.data.get(name, _ABSENT)
        if value is not _ABSENT and value is not None and value != allowed:
            raise self.refuse(f"{self.name(name)} = {_show(value)} is not known: {meaning}")

    def without(self, *names: str) -> None:
        """Raises ConfigError when a key is there that this model type does not have."""
        for name in names:
            value = self.data.get(name)
            if value not in (None, 0, False, 1, [], ""):
                raise self.refuse(f"{self.name(name)} = {_show(value)} is not known for this model type")


def _show(value: object) -> str:
    text = printable(repr(value) if not isinstance(value, (dict, list)) else type(value).__name__)
    if isinstance(value, bool):
        text = str(value).lower()
    return text if len(text) <= 40 else text[:40] + "…"
