"""The commands' part of docs/screen.md, made from the registry: `python -m planner.tui.reference docs/screen.md`."""

from __future__ import annotations

import sys
from pathlib import Path

import planner.tui.commands  # noqa: F401 - registers every command
from planner.tui.actions import ACTIONS, GROUPS, key_names

MARK = "<!-- What follows is written by `python -m planner.tui.reference docs/screen.md`. -->"


def text() -> str:
    """Every command with its keys, its name in a file of keys, and what it does, as Markdown."""
    parts = [MARK]
    for group in GROUPS:
        found = [one for one in ACTIONS.values() if one.group == group]
        rows = [f"| {key_names(one).replace('|', '')} | {one.label} | `{one.name}` | {one.help} |" for one in found]
        parts.append(
            f"## {group}\n\n| keys | command | name | what it does |\n| --- | --- | --- | --- |\n" + "\n".join(rows)
        )
    return "\n\n".join(parts) + "\n"


def updated(page: str) -> str:
    """``page`` with its part about the commands written anew."""
    return page.partition(MARK)[0] + text()


if __name__ == "__main__":
    file = Path(sys.argv[1])
    file.write_text(updated(file.read_text(encoding="utf-8")), encoding="utf-8")
