"""The commands' part of docs/cli.md, made from the program itself: `python -m planner.cli.reference docs/cli.md`."""

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import typer

from planner.cli.program import NAME, build

MARK = "<!-- What follows is written by `python -m planner.cli.reference docs/cli.md`. -->"
WIDTH = 96


def commands() -> Iterator[tuple[str, Any, Any]]:
    """Every command with its full name and its context, groups before their commands."""
    program: Any = typer.main.get_command(build())
    yield from _below(NAME, program, None)


def _below(name: str, command: Any, parent: Any) -> Iterator[tuple[str, Any, Any]]:
    context = command.context_class(
        command,
        info_name=name.rpartition(" ")[2],
        parent=parent,
        terminal_width=WIDTH,
        **{key: value for key, value in command.context_settings.items() if key == "help_option_names"},
    )
    yield name, command, context
    for below, one in getattr(command, "commands", {}).items():
        yield from _below(f"{name} {below}", one, context)


def text() -> str:
    """The help of every command as Markdown."""
    os.environ.pop("COLUMNS", None)
    parts = [MARK]
    for name, command, context in commands():
        shown = "\n".join(line.rstrip() for line in command.get_help(context).strip().splitlines())
        parts.append(f"## {name}\n\n```text\n{shown}\n```")
    return "\n\n".join(parts) + "\n"


def updated(page: str) -> str:
    """``page`` with its part about the commands written anew."""
    return page.partition(MARK)[0] + text()


if __name__ == "__main__":
    file = Path(sys.argv[1])
    file.write_text(updated(file.read_text(encoding="utf-8")), encoding="utf-8")
