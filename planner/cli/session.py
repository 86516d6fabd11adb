"""Opening the library for a command: `--db` and `--workspace` before or behind the command's name, or the environment.

``opens`` makes a command of a function whose first parameter is the open library; its other parameters are the
command's own.
"""

import functools
import inspect
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

import typer

from planner.cli.diagnostics import names_from_the_command_line, say
from planner.cli.options import Database, InWorkspace

if TYPE_CHECKING:
    from catalog import Catalog
    from planner.store import Library, Stored

R = TypeVar("R")


@dataclass(frozen=True, slots=True)
class Place:
    """Where the command works: the database and the workspace that the command line names, None for the usual ones."""

    db: str | None = None
    workspace: str | None = None

    def behind(self, db: str | None, workspace: str | None) -> "Place":
        """This place with what stood behind the command's name, which is nearer and wins."""
        return Place(db if db is not None else self.db, workspace if workspace is not None else self.workspace)


@contextmanager
def library_at(place: Place) -> Iterator["Library"]:
    """The library, open in the workspace asked for; a new one says so. Raises StoreError and CommandError."""
    from planner.store import open_library

    library = open_library(place.db)
    try:
        if library.is_new:
            say(f"Made {library.description} with the example workspace.")
        said = library.warnings
        for warning in said:
            say(warning)
        if place.workspace is not None:
            with names_from_the_command_line():
                library.use_workspace(place.workspace)
        yield library
        for warning in library.warnings[len(said) :]:
            say(warning)
    finally:
        library.close()


def place_of(context: typer.Context) -> Place:
    """What stood before the command's name."""
    found = context.find_root().obj
    return found if isinstance(found, Place) else Place()


def opens(command: Callable[..., R]) -> Callable[..., R]:
    """A command that gets the open library as its first argument, with the options --db and --workspace."""

    @functools.wraps(command)
    def run(*, context: typer.Context, db: str | None, workspace: str | None, **arguments: Any) -> R:
        from planner.cli.seen import watching

        with library_at(place_of(context).behind(db, workspace)) as library, watching(library):
            return command(library, **arguments)

    own = list(inspect.signature(command).parameters.values())[1:]
    added = [_parameter("db", Database, None), _parameter("workspace", InWorkspace, None)]
    # The parameters of the command itself lead in its help; the context is no option.
    parameters = [_parameter("context", typer.Context), *(one.replace(kind=one.KEYWORD_ONLY) for one in own), *added]
    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {one.name: one.annotation for one in parameters}
    del run.__wrapped__
    return run


def _parameter(name: str, annotation: Any, default: Any = inspect.Parameter.empty) -> inspect.Parameter:
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)


def find(library: "Library", name: str) -> "Stored":
    """The saved scenario that the command line names. Raises CommandError with the nearest names."""
    with names_from_the_command_line():
        return library.find(name)


def catalogue_of(library: "Library | None") -> "Catalog":
    """The shipped catalogue, with the library's own entries over it."""
    if library is None:
        from catalog import load_catalog

        return load_catalog()
    from planner.cli import own

    return own.catalogue_of(library)
