"""Texts that other programs were fooled by."""

from __future__ import annotations

FORMULAS = [
    "=1+1", "+1+1", "-1+1", "@SUM(1)", "=HYPERLINK(\"http://127.0.0.1:9/\",\"x\")", "=cmd|' /C calc'!A0",
    "=DDE(\"cmd\",\"/C calc\",\"x\")", "=IMPORTXML(\"http://127.0.0.1:9/\",\"//x\")", "#N/A", "#REF!", "TRUE", "1e5",
    "'=1+1", "{=1+1}", "＝1+1", "2026-01-01", "%0A=1",
]  # fmt: skip
MARKUP = [
    "[bold]x[/bold]", "[@click=app.quit]x[/]", "[link=file:///etc/passwd]x[/link]", "[", "[/", "[/]", "\\[x", "[x",
    "[[x]]", ":skull:", "[on red]", "[$primary]x", "[not closed", "{x}", "%s %d", "{0}", "<b>x</b>", "&amp;", "| a |",
]  # fmt: skip
SQL = [
    "'); DROP TABLE scenario;--", "x' OR '1'='1", "%", "_", "\\", "100%_\\", "a%b", "\"; DELETE FROM revision", "$1",
    "?", ":name", "--", "/*", "*/", ";", "%s", "NULL", "\\'; --",
]  # fmt: skip
TERMINAL = [
    "\x1b]52;c;ZXZpbA==\x07", "\x1b]0;title\x07", "\x1b[2J\x1b[H", "\x1bP+q544e\x1b\\", "\x9b2J", "\x9d0;x\x9c",
    "\x90x\x9c", "\x07", "\x08\x08\x08", "\r", "\x7f", "\u202eevil", "\u2066x\u2069", "\u200b\u200c",
    "\x1b[200~x\x1b[201~", "\x1b]8;;file:///etc/passwd\x1b\\x", "\ue000", "\u2028", "\x85",
]  # fmt: skip
PATHS = [
    "../../etc/passwd", "/etc/passwd", "..", ".", "~root/x", "a/../../b", "C:\\Windows\\x", "\\\\server\\share", "CON",
    "nul", "com1", "x" * 120, ".hidden", "-rf", "a:b", "x.xlsx ", "%2e%2e%2f", "$HOME", "`id`", "$(id)",
    "|id", "\u2215etc",
]  # fmt: skip
