"""A list to choose from, narrowed by what is typed. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Option:
    """One choice: ``text`` is what is typed or committed, ``detail`` explains it, ``keys`` is a shortcut to it."""

    text: str
    detail: str = ""
    keys: str = ""
    value: object = None


MAX_QUERY = 300
"""Characters of a query beyond which nothing is as long."""


def plain(text: str) -> str:
    """``text`` as it is compared: capitals and underscores make no difference."""
    return text.strip().casefold().replace("_", " ")


def _rank(option: Option, words: list[str]) -> int | None:
    """How well ``option`` answers to ``words``: 0 is best, None not at all."""
    text = plain(option.text)
    whole = " ".join(words)
    if text == whole:
        return 0
    if text.startswith(whole):
        return 1
    parts = text.replace("-", " ").replace(".", " ").split()
    if all(any(part.startswith(word) for part in parts) for word in words):
        return 2
    if all(word in text for word in words):
        return 3
    everything = f"{text} {option.detail.casefold()}"
    return 4 if all(word in everything for word in words) else None


class Choices:
    """``options`` narrowed to those that match a query, one of them highlighted: at first the one called ``current``,
    none where there is no such option.
    """

    def __init__(self, options: Iterable[Option], *, current: str = "") -> None:
        self.options = tuple(options)
        self.shown: list[Option] = list(self.options)
        found = (place for place, option in enumerate(self.shown) if option.text == current)
        self.index = next(found, -1 if current else 0)

    def narrow(self, query: str) -> None:
        """Show what matches ``query``, best first; an empty query shows everything."""
        words = plain(query[: MAX_QUERY + 1]).split()
        if not words:
            self.shown = list(self.options)
        elif len(query) > MAX_QUERY:
            self.shown = []
        else:
            ranked = [(_rank(option, words), place) for place, option in enumerate(self.options)]
            found = sorted((rank, place) for rank, place in ranked if rank is not None)
            self.shown = [self.options[place] for _, place in found]
        self.index = 0

    def move(self, step: int) -> None:
        """Highlight another one; beyond an end it comes round at the other when the step is a single one."""
        if self.shown:
            target = self.index + step if self.index >= 0 or step > 0 else len(self.shown) + step
            self.index = target % len(self.shown) if abs(step) == 1 else max(0, min(len(self.shown) - 1, target))

    @property
    def current(self) -> Option | None:
        """What is highlighted."""
        return self.shown[self.index] if 0 <= self.index < len(self.shown) else None

    def window(self, height: int) -> tuple[int, list[Option]]:
        """The part of the list that ``height`` lines show around the highlight, and the place of its first."""
        first = max(0, min(self.index - height // 2, len(self.shown) - height))
        return first, self.shown[first : first + height]
