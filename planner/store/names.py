"""Names, notes and tags as they may be stored: normalised, bounded, without anything unprintable."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable

from planner.model.fields import InputError, printable

MAX_NAME = 120
MAX_NOTES = 20_000
MAX_WHY = 1_000
MAX_TAGS = 32
MAX_TAG = 60
_EDGES = ("Cf", "Zs", "Zl", "Zp")


def _strip(text: str) -> str:
    """``text`` without white space and invisible format characters at its ends."""
    start, end = 0, len(text)
    while start < end and (text[start].isspace() or unicodedata.category(text[start]) in _EDGES):
        start += 1
    while end > start and (text[end - 1].isspace() or unicodedata.category(text[end - 1]) in _EDGES):
        end -= 1
    return text[start:end]


def clean_name(text: object, what: str = "name", *, longest: int = MAX_NAME) -> str:
    """``text`` as a name: NFC, without white space at its ends.

    Raises InputError when it is no text, empty, longer than ``longest`` characters, or holds control, bidirectional
    or other unprintable characters.
    """
    if not isinstance(text, str):
        raise InputError(f"The {what} must be a text.")
    name = _strip(unicodedata.normalize("NFC", text))
    if not name:
        raise InputError(f"The {what} must not be empty.")
    if printable(name) != name:
        raise InputError(f"The {what} '{printable(name)[:60]}' must not hold control or invisible characters.")
    if len(name) > longest:
        raise InputError(f"The {what} '{name[:40]}…' has {len(name)} characters; it may have {longest}.")
    return name


def name_key(name: str) -> str:
    """What two names share that count as the same: their casefolded NFC form."""
    return unicodedata.normalize("NFC", name.casefold())


def clean_text(text: object, what: str, longest: int = MAX_NOTES) -> str:
    """``text`` of several lines: NFC, line ends as \\n, tabs kept, everything else unprintable refused.

    Raises InputError.
    """
    if not isinstance(text, str):
        raise InputError(f"The {what} must be a text.")
    lines = unicodedata.normalize("NFC", text).replace("\r\n", "\n").replace("\r", "\n")
    if len(lines) > longest:
        raise InputError(f"The {what} have {len(lines):,} characters; they may have {longest:,}.")
    bare = lines.replace("\n", "").replace("\t", "")
    if printable(bare) != bare:
        raise InputError(f"The {what} must not hold control or invisible characters.")
    return lines


def shown_text(text: str) -> str:
    """Stored ``text`` of several lines with whatever is unprintable in it shown as U+FFFD."""
    return "\n".join("\t".join(printable(part) for part in line.split("\t")) for line in text.split("\n"))


def clean_tags(tags: Iterable[object]) -> tuple[str, ...]:
    """``tags`` in alphabetical order, each a name of at most 60 characters, once. Raises InputError."""
    found: dict[str, str] = {}
    for tag in tags:
        name = clean_name(tag, "tag", longest=MAX_TAG)
        found.setdefault(name_key(name), name)
    if len(found) > MAX_TAGS:
        raise InputError(f"A scenario may have {MAX_TAGS} tags, not {len(found)}.")
    return tuple(found[key] for key in sorted(found))
