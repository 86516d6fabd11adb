"""Arguments and options that several commands share, each described once."""

import math
from collections.abc import Callable
from datetime import date
from typing import Annotated

import typer

from planner.cli import completion
from planner.model.fields import show_number

_SHOWN = 40
"""Characters of a refused value that are shown."""


def count_in(text: str, low: int, high: int) -> int | None:
    """The whole number from ``low`` to ``high`` that ``text`` is, if it is one; Python reads no 5,000 digits."""
    digits = text.lstrip("0") or text[-1:]
    if not digits.isdecimal() or len(digits) > len(str(high)):
        return None
    return int(digits) if low <= int(digits) <= high else None


def whole(low: int, high: int) -> Callable[[str | int], int]:
    """Reads a whole number from ``low`` to ``high``, and names what it refuses."""

    def read(text: str | int) -> int:
        words = str(text).strip()
        value = count_in(words, low, high)
        if value is None:
            raise typer.BadParameter(f"'{_short(words)}' is not a whole number from {low:,} to {high:,}")
        return value

    return read


def number(low: float, high: float, unit: str = "") -> Callable[[str | float], float]:
    """Reads a number from ``low`` to ``high``, and names what it refuses."""

    def read(text: str | float) -> float:
        try:
            value = float(text)
        except ValueError:
            value = math.nan
        if not low <= value <= high:
            bounds = f"{show_number(low)} to {show_number(high)} {unit}".rstrip()
            raise typer.BadParameter(f"'{_short(str(text))}' is not a number from {bounds}")
        return value

    return read


def day(text: str) -> str:
    """Reads a date as YYYY-MM-DD."""
    words = text.strip()
    try:
        found = date.fromisoformat(words).isoformat()
    except ValueError:
        found = ""
    if found != words:
        raise typer.BadParameter(f"'{_short(words)}' is not a date as 2026-11-30 is")
    return words


def _short(text: str) -> str:
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"


Json = Annotated[bool, typer.Option("--json", help="Print JSON on stdout, and nothing else there.")]
Database = Annotated[
    str | None,
    typer.Option(
        "--db",
        metavar="FILE-OR-URL",
        help="Saved scenarios: a SQLite file, or postgresql://USER@HOST/DATABASE. PLANNER_DB names it too.",
    ),
]
InWorkspace = Annotated[
    str | None,
    typer.Option(
        "--workspace",
        metavar="NAME",
        help="Workspace to work in; without it the last used one.",
        autocompletion=completion.workspaces,
    ),
]
ScenarioName = Annotated[
    str,
    typer.Argument(metavar="SCENARIO", help="NAME, or WORKSPACE/NAME.", autocompletion=completion.scenarios),
]
MaybeScenario = Annotated[
    str | None,
    typer.Argument(metavar="SCENARIO", help="NAME, or WORKSPACE/NAME.", autocompletion=completion.scenarios),
]
ScenarioNames = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="SCENARIO",
        help="NAME, or WORKSPACE/NAME; without any, all of the workspace.",
        autocompletion=completion.scenarios,
    ),
]
Set = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="NAME=VALUE",
        help="Value of an input or fact, for this once; may be repeated. Empty is blank; for a fact, the catalogue's.",
        autocompletion=completion.settings,
    ),
]
SetNow = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="NAME=VALUE",
        help="Value of an input or fact; may be repeated.",
        autocompletion=completion.settings,
    ),
]
Why = Annotated[str, typer.Option("--why", metavar="TEXT", help="Reason, kept in the history.")]
Notes = Annotated[str, typer.Option("--notes", metavar="TEXT", help="Notes to keep with it.")]
All = Annotated[bool, typer.Option("--all", help="Every row, not only the chief ones.")]
LowHigh = Annotated[
    bool, typer.Option("--low-high", help="Also the low and high end of every result (two more evaluations).")
]
Yes = Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")]
Force = Annotated[bool, typer.Option("--force", help="Write over what somebody else changed meanwhile.")]
