"""`planner` without a command: the screen, or the comparison as a table where there is no terminal for it."""

import sys

from planner.cli.session import Place, catalogue_of, library_at


def show(place: Place) -> int:
    """Open the screen on the library at ``place``, or print the comparison; the exit code."""
    if not _is_terminal():
        return _print_comparison(place)
    from planner.cli import log
    from planner.tui.app import run

    with library_at(place) as library:
        return run(library, catalogue_of(library), crash_log=log.path().with_name("screen.log"))


def _is_terminal() -> bool:
    return all(stream is not None and stream.isatty() for stream in (sys.stdin, sys.stdout))


def _print_comparison(place: Place) -> int:
    from planner.cli.comparing import of_workspace
    from planner.cli.comparison import Comparison, write_comparison
    from planner.cli.diagnostics import say
    from planner.cli.seen import remind

    with library_at(place) as library:
        remind(library)
        if library.scenarios():
            found, base, left_out = of_workspace(library, (), None)
            chosen = [evaluated for _, evaluated in found]
            write_comparison(Comparison(library.workspace.name, chosen, base, left_out), everything=False)
        else:
            say(f"Workspace '{library.workspace.name}' has no scenario yet: `planner new NAME` saves one.")
    say("`planner` opens the screen where input and output are a terminal; `planner --help` lists the commands.")
    return 0
