"""Arguments and options that several commands share, each described once."""

from typing import Annotated

import typer

from planner.cli import completion

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
Yes = Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")]
Force = Annotated[bool, typer.Option("--force", help="Write over what somebody else changed meanwhile.")]
