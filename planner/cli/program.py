"""The program: the commands in their order, the options before them, and the screen where no command is given."""

import inspect
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
    moved,
    pricing,
    projection,
    scenarios,
    validate,
    workspaces,
)
from planner.cli.diagnostics import guarded, prepare_streams
from planner.cli.options import Database, InWorkspace
from planner.cli.session import Place

NAME = "planner"
COMPLETION = "_PLANNER_COMPLETE"
"""Set by the shell when it asks for completions."""
PARTS = (
    evaluate.app,
    scenarios.app,
    comparing.app,
    moved.app,
    exporting.app,
    pricing.app,
    history.app,
    workspaces.app,
    catalogue.app,
    database.app,
    projection.app,
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


def build(arguments: Sequence[str] | None = None) -> typer.Typer:
    """The program with all its commands.

    With ``arguments`` those that they cannot run are there by name and help alone, which is quicker: reading the
    parameters of fifty commands takes longer than parsing those of one.
    """
    app = typer.Typer(
        name=NAME,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["--help", "-h"], "max_content_width": 100},
    )
    app.callback(invoke_without_command=True)(_root)
    for part in PARTS:
        for command in part.registered_commands:
            name = command.name or str(getattr(command.callback, "__name__", "")).replace("_", "-")
            if arguments is None or name in arguments:
                app.registered_commands.append(command)
            else:
                app.command(name, help=inspect.getdoc(command.callback))(_nothing)
        for group in part.registered_groups:
            if arguments is None or group.name in arguments:
                app.registered_groups.append(group)
            elif group.typer_instance is not None:
                app.command(group.name, help=group.typer_instance.info.help)(_nothing)
    return app


def _nothing() -> None:
    """Stands for a command that is not run."""


def run(arguments: Sequence[str]) -> int:
    """Run the command that ``arguments`` name; the exit code, with every error told in one sentence on stderr."""
    prepare_streams()
    completes = COMPLETION in os.environ
    program = typer.main.get_command(build(None if completes else arguments))

    def command() -> object:
        if completes:
            return program.main(args=list(arguments), prog_name=NAME)
        with program.make_context(NAME, list(arguments)) as context:
            return program.invoke(context)

    return guarded(command)
