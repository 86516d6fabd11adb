"""What the shell offers behind TAB: names of inputs, facts, scenarios and workspaces. It never fails aloud."""

import contextlib
from collections.abc import Iterator

from typer import Context


def settings(incomplete: str) -> Iterator[str]:
    """NAME= for every input and fact, and the choices behind it."""
    from planner.model.facts import FACT_FIELDS
    from planner.model.inputs import INPUTS

    name, equals, begun = incomplete.partition("=")
    if not equals:
        yield from (f"{known}=" for known in (*INPUTS, *FACT_FIELDS) if known.startswith(name))
    elif name in INPUTS:
        field = INPUTS[name]
        choices = field.choices or (("yes", "no") if field.kind == "switch" else _catalogue_names(name))
        yield from (f"{name}={choice}" for choice in choices if choice.startswith(begun))


def _catalogue_names(name: str) -> tuple[str, ...]:
    with contextlib.suppress(Exception):
        from catalog import load_catalog
        from catalog.listing import describe

        return tuple(choice for choice, _ in describe(load_catalog(), name))
    return ()


def rows(incomplete: str) -> Iterator[tuple[str, str]]:
    """Names of rows with their labels."""
    from planner.model.rows import SHEET

    yield from ((name, row.label) for name, row in SHEET.rows.items() if name.startswith(incomplete))


def scenarios(context: Context, incomplete: str) -> list[str]:
    """Names of saved scenarios."""
    with contextlib.suppress(Exception), _library(context) as library:
        return [one.name for one in library.scenarios() if one.name.startswith(incomplete)]
    return []


def workspaces(context: Context, incomplete: str) -> list[str]:
    """Names of workspaces."""
    with contextlib.suppress(Exception), _library(context) as library:
        return [one.name for one in library.workspaces() if one.name.startswith(incomplete)]
    return []


def _library(context: Context):  # type: ignore[no-untyped-def]
    """The library that the command line names so far; an existing one, never a new one."""
    from planner.store import open_library

    where = context.params.get("db")
    parent = context.parent
    while where is None and parent is not None:
        where, parent = parent.params.get("db"), parent.parent
    return open_library(where, create=False)
