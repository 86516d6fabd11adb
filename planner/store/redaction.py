"""Texts without passwords: database addresses as they may be shown, logged and written."""

from __future__ import annotations

import re

# The user part runs to the last @ before the path, since a password may hold an unescaped @.
_USER = re.compile(r"(?P<head>[A-Za-z][A-Za-z0-9+.-]*://)(?P<user>[^\s:@/]*)(?::[^\s]*)?@(?=[^\s@]*(?:\s|$))")
_SECRET = re.compile(
    r"(?i)(?P<key>(?:pass(?:word|wd|phrase|file)?|pwd|secret|token|sslpassword)\s*=\s*)(?P<value>'[^']*'|\"[^\"]*\"|[^\s&;'\"]+)"
)
HIDDEN = "***"


def redact(text: str) -> str:
    """``text`` with the password of every database address, and of every ``password=``-like key, hidden.

    Works on text, before any parsing, so that an address that cannot be parsed is redacted too.
    """
    text = _USER.sub(
        lambda found: f"{found['head']}{found['user']}:{HIDDEN}@" if found["user"] else found["head"], text
    )
    return _SECRET.sub(lambda found: found["key"] + HIDDEN, text)
