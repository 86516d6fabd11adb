"""Texts without passwords: database addresses as they may be shown, logged and written."""

from __future__ import annotations

import re

# All up to the last @, since a password may hold an unescaped one; one slash in place of two is a slip.
_WITHIN = re.compile(r"(?P<head>[A-Za-z][A-Za-z0-9+.-]*:/{1,3})(?P<person>[^\s'\"]*)@")
_WHOLE = re.compile(r"(?P<head>[A-Za-z][A-Za-z0-9+.-]*:/{1,3})(?P<person>.*)@", re.DOTALL)
_SECRET = re.compile(
    r"(?i)(?P<key>(?:pass(?:word|wd|phrase|file)?|pwd|secret|token|sslpassword)\s*=\s*)(?P<value>'[^']*'|\"[^\"]*\"|[^\s&;'\"]+)"
)
HIDDEN = "***"


def _hide(found: re.Match[str]) -> str:
    user, colon, _ = found["person"].partition(":")
    return f"{found['head']}{user}:{HIDDEN}@" if colon else found[0]


def redact(text: str) -> str:
    """``text`` with the password of every database address, and of every ``password=``-like key, hidden.

    Works on text, before any parsing, so that an address that cannot be parsed is redacted too.
    """
    return _SECRET.sub(lambda found: found["key"] + HIDDEN, _WITHIN.sub(_hide, text))


def redact_address(address: str) -> str:
    """``address``, all of which is one database address, with its password hidden even where it holds blanks."""
    return redact(_WHOLE.sub(_hide, address))
