"""What may be entered: one typed, bounded, documented field per input and fact.

A field drives the grid's editor, validation, the command line, the database columns, import checks and the
workbook's input sheet. Values are ``float``, ``int``, ``str``, ``bool``, a tuple of 24 floats, or None for blank.
"""

from __future__ import annotations

import difflib
import math
import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

FieldValue = float | int | str | bool | tuple[float, ...] | None
Kind = Literal["integer", "real", "choice", "switch", "name", "shares"]

_SUFFIXES = {"k": 1e3, "m": 1e6, "g": 1e9, "b": 1e9, "t": 1e12}
_YES = {"yes", "on", "true", "y", "1"}
_NO = {"no", "off", "false", "n", "0"}
_TYPES = {"integer": "a whole number", "real": "a number"}
MAX_NAME_LENGTH = 200
HOURS = 24
MINUS = "\u2212"
"""The sign of negative numbers wherever they are shown; typed, it is read like the hyphen."""


class InputError(ValueError):
    """One clear sentence about a value that was refused: field, value, bound and unit."""


_GROUPED = re.compile(r"(?P<whole>[+-]?\d{1,3}(?:(?P<mark>[,_ ])\d{3})(?:(?P=mark)\d{3})*)(?P<rest>(?:\.\d*)?.*)")


def _ungrouped(text: str) -> str:
    """``text`` without the marks between groups of three digits; a mark anywhere else stays, and is refused."""
    found = _GROUPED.fullmatch(text)
    return found["whole"].replace(found["mark"], "") + found["rest"].strip() if found else text


def nearest(word: str, known: Iterable[str]) -> str:
    """A sentence tail that names up to three of ``known`` that look like ``word``; empty when none does."""
    names = list(known)
    lowered = {name.lower(): name for name in names}
    close = difflib.get_close_matches(word.lower(), lowered, n=3, cutoff=0.5)
    close += [low for low in lowered if word and word.lower() in low and low not in close][: 3 - len(close)]
    return f"; nearest: {', '.join(lowered[low] for low in close)}" if close else ""


def printable(text: str) -> str:
    """``text`` with control, bidirectional and other unprintable characters shown as U+FFFD."""
    return "".join(character if character.isprintable() else "\ufffd" for character in text)


def _quoted(value: object) -> str:
    text = printable(str(value)[:61])
    return f"'{text[:60]}…'" if len(text) > 60 else f"'{text}'"


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """One input or fact.

    ``low`` and ``high`` are inclusive bounds in ``unit``. An ``optional`` field may be blank (None) and ``blank``
    says in a few words what a blank stands for. With ``above_low`` the low bound itself is refused.
    """

    name: str
    label: str
    group: str
    kind: Kind
    unit: str = ""
    low: float | None = None
    high: float | None = None
    default: FieldValue = None
    optional: bool = False
    blank: str = ""
    choices: tuple[str, ...] = ()
    help: str = ""
    above_low: bool = False

    @property
    def is_number(self) -> bool:
        """Whether the sheet sees the value as the number that was entered."""
        return self.kind in ("integer", "real")

    def bounds(self) -> str:
        """The bounds as words: ``1 to 64 devices`` or ``yes or no`` or the choices."""
        if self.kind == "choice":
            return "one of " + ", ".join(self.choices)
        if self.kind == "switch":
            return "yes or no"
        if self.kind == "name":
            return f"a name of at most {MAX_NAME_LENGTH} characters"
        if self.kind == "shares":
            return f"{HOURS} shares that sum to 1"
        unit = f" {self.unit}" if self.unit else ""
        low = f"{MINUS}∞" if self.low is None else f"{self.low:,.12g}".replace("-", MINUS)
        high = "∞" if self.high is None else f"{self.high:,.12g}"
        joiner = f"more than {low} and at most {high}" if self.above_low else f"{low} to {high}"
        return f"{joiner}{unit}"

    def _refuse(self, value: object, why: str) -> InputError:
        return InputError(f"{self.label} ({self.name}) = {_quoted(value)} is refused: {why}.")

    def check(self, value: object) -> FieldValue:
        """``value`` in the field's own type.

        Raises InputError when the type is wrong, the number is not finite or out of bounds, or a blank is not allowed.
        """
        if value is None:
            if self.optional:
                return None
            raise InputError(f"{self.label} ({self.name}) must not be blank: give {self.bounds()}.")
        if self.kind == "choice":
            return self._check_choice(value)
        if self.kind == "switch":
            if isinstance(value, bool):
                return value
            raise self._refuse(value, "it must be yes or no")
        if self.kind == "name":
            return self._check_name(value)
        if self.kind == "shares":
            return self._check_shares(value)
        return self._check_number(value)

    def _check_choice(self, value: object) -> str:
        if isinstance(value, str) and value in self.choices:
            return value
        raise self._refuse(value, f"it must be {self.bounds()}{nearest(str(value), self.choices)}")

    def _check_name(self, value: object) -> str:
        if not isinstance(value, str):
            raise self._refuse(value, "it must be a name")
        text = unicodedata.normalize("NFC", value).strip()
        if not text:
            raise self._refuse(value, "it must not be empty")
        if len(text) > MAX_NAME_LENGTH:
            raise self._refuse(value, f"it must have at most {MAX_NAME_LENGTH} characters")
        if printable(text) != text:
            raise self._refuse(value, "it must not hold control characters")
        return text

    def _check_number(self, value: object) -> float | int:
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            raise self._refuse(value, f"it must be {_TYPES[self.kind]}, {self.bounds()}")
        if not math.isfinite(value):
            raise self._refuse(value, f"it must be a finite number, {self.bounds()}")
        if self.kind == "integer" and value != int(value):
            raise self._refuse(value, f"it must be a whole number, {self.bounds()}")
        too_low = self.low is not None and (value <= self.low if self.above_low else value < self.low)
        if too_low or (self.high is not None and value > self.high):
            raise self._refuse(value, f"it must be {self.bounds()}")
        return int(value) if self.kind == "integer" else float(value)

    def _check_shares(self, value: object) -> tuple[float, ...]:
        if isinstance(value, str) or not isinstance(value, Sequence) or len(value) != HOURS:
            raise self._refuse(value, f"it must be {HOURS} numbers, one an hour")
        shares: list[float] = []
        for hour, share in enumerate(value):
            if isinstance(share, bool) or not isinstance(share, (int, float)) or not math.isfinite(share):
                raise self._refuse(share, f"the share of hour {hour} must be a finite number")
            if not 0 <= share <= 1:
                raise self._refuse(share, f"the share of hour {hour} must be 0 to 1")
            shares.append(float(share))
        if abs(sum(shares) - 1) > 1e-6:
            raise self._refuse(f"sum {sum(shares):g}", f"the {HOURS} shares must sum to 1")
        return tuple(shares)

    def parse(self, text: str) -> FieldValue:
        """The value that a person typed; ``10k``, ``1,500``, ``5%`` and ``1e6`` are numbers, an empty text is blank.

        Raises InputError, see check().
        """
        stripped = text.strip()
        if not stripped or (
            self.optional and stripped.lower() in ("blank", "none", "—") and stripped not in self.choices
        ):
            return self.check(None)
        if self.kind == "choice":
            return self.check(self._complete(stripped))
        if self.kind == "switch":
            word = stripped.lower()
            if word in _YES | _NO:
                return word in _YES
            raise self._refuse(text, "it must be yes or no")
        if self.kind == "name":
            return self.check(stripped)
        if self.kind == "shares":
            parts = stripped.strip("[]()").replace(";", " ").replace(",", " ").split()
            return self.check([self._number(part) for part in parts])
        return self.check(self._number(stripped))

    def _complete(self, text: str) -> str:
        word = text.lower().replace(" ", "_").replace("-", "_")
        known = {choice.lower().replace("-", "_"): choice for choice in self.choices}
        if word in known:
            return known[word]
        starts = [choice for low, choice in known.items() if low.startswith(word)]
        return starts[0] if len(starts) == 1 else text

    def _number(self, text: str) -> float | int:
        word = _ungrouped(text.replace("\u00a0", " ").replace(MINUS, "-").strip())
        scale, percent = 1.0, word.endswith("%") and len(word) > 1
        if percent:
            word = word[:-1]
        elif word and word[-1].lower() in _SUFFIXES and word[:-1]:
            scale = _SUFFIXES[word[-1].lower()]
            word = word[:-1]
        try:
            number = float(word) if word.isascii() and "_" not in word else math.nan
        except ValueError:
            number = math.nan
            word = ""
        if math.isnan(number):
            raise self._refuse(text, f"it must be {_TYPES.get(self.kind, 'a number')}, {self.bounds()}")
        number = number / 100 if percent else number * scale
        return int(number) if math.isfinite(number) and number == int(number) else number

    def show(self, value: FieldValue) -> str:
        """``value`` as a person reads and may type it again; blank is an em dash."""
        if value is None:
            return "—"
        if isinstance(value, bool):
            return "yes" if value else "no"
        if isinstance(value, tuple):
            return " ".join(f"{share:g}" for share in value)
        if isinstance(value, (int, float)):
            return show_large(value)
        return value

    def edit_text(self, value: FieldValue) -> str:
        """``value`` as the text an editor starts with: exact, parse() gives the same value back."""
        if value is None:
            return ""
        if isinstance(value, bool):
            return "yes" if value else "no"
        if isinstance(value, tuple):
            return " ".join(repr(share) for share in value)
        if isinstance(value, float):
            return str(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)
        return str(value)


def show_large(value: float) -> str:
    """``value`` as it may be typed again: whole numbers in full, from 1e9 up in G or T."""
    for scale, suffix in ((1e12, "T"), (1e9, "G")):
        if abs(value) >= scale:
            return f"{show_number(value / scale)}{suffix}"
    return f"{value:,}".replace("-", MINUS) if isinstance(value, int) else show_number(value)


def show_number(value: float, digits: int = 4) -> str:
    """``value`` with ``digits`` significant digits, thousands separated, without a trailing zero tail.

    Numbers from 1e15 up and below 1e-4 are shown in powers of ten.
    """
    if not math.isfinite(value):
        return "—"
    if value == 0:
        return "0"
    size = abs(value)
    if size >= 1e15 or size < 1e-4:
        return f"{value:.{digits - 1}e}".replace("-", MINUS)
    decimals = max(0, digits - 1 - math.floor(math.log10(size)))
    text = f"{value:,.{decimals}f}".replace("-", MINUS)
    return text.rstrip("0").rstrip(".") if "." in text else text
