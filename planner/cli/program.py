"""The program: the commands in their order, the options before them, and the screen where no command is given."""

import os
from collections.abc import Sequence
from typing import Annotated

import typer

from planner.cli import (
    catalogue,
    comparing,
    database,
    evaluate,
    exporting,
    history,
    pricing,
    scenarios,
    validate,
    workspaces,
)
from planner.cli.diagnostics import guarded
from planner.cli.options import Database, InWorkspace
from planner.cli.session import Place

NAME = "planner"
COMPLETION = "_PLANNER_COMPLETE"
"""Set by the shell when it asks for completions."""
GROUPS = (
    evaluate.app,
    scenarios.app,
    comparing.app,
    exporting.app,
    pricing.app,
    history.app,
    workspaces.app,
    catalogue.app,
    database.app,
    validate.app,
)


def _root(
    context: typer.Context,
    db: Database = None,
    workspace: InWorkspace = None,
    version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False,
) -> int:
    """Plan the speed, hardware and cost of serving large language models.

    Without a command: the screen; where input or output is no terminal, the comparison as a table.
    """
    if version:
        from planner import __version__

        typer.echo(f"planner {__version__}")
        raise typer.Exit
    context.obj = Place(db, workspace)
    if context.invoked_subcommand is not None:
        return 0
    from planner.cli.screen import show

    return show(context.obj)


def build() -> typer.Typer:
    """The program with all its commands."""
    app = typer.Typer(
        name=NAME,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["--help", "-h"], "max_content_width": 100},
    )
    app.callback(invoke_without_command=True)(_root)
    for group in GROUPS:
        app.registered_commands.extend(group.registered_commands)
        app.registered_groups.extend(group.registered_groups)
    return app


def run(arguments: Sequence[str]) -> int:
    """Run the command that ``arguments`` name; the exit code, with every error told in one sentence on stderr."""
    from planner.cli import output

    output.prepare()
    program = typer.main.get_command(build())

    def command() -> object:
        if COMPLETION in os.environ:
            return program.main(args=list(arguments), prog_name=NAME)
        with program.make_context(NAME, list(arguments)) as context:
            return program.invoke(context)

    return guarded(command)
