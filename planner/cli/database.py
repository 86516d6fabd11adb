"""planner db: upgrade, back up, restore, examine, copy and purge a library."""

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from planner.cli.options import Database, Json, Yes, number
from planner.cli.session import opens, place_of

if TYPE_CHECKING:
    from planner.store import Library
    from planner.store.doctor import Report

group = typer.Typer(no_args_is_help=True, help="The database: backup, restore, doctor, copy.")
app = typer.Typer()
app.add_typer(group, name="db")


def _where(context: typer.Context, db: str | None) -> str | None:
    return place_of(context).behind(db, None).db


@group.command()
def upgrade(context: typer.Context, db: Database = None, as_json: Json = False) -> None:
    """Bring the tables up to date, behind a verified backup."""
    from planner.cli.diagnostics import say
    from planner.cli.output import write_json
    from planner.store.maintenance import upgrade as run

    version, saved = run(_where(context, db))
    if as_json:
        write_json({"version": version, "backup": str(saved) if saved is not None else None})
    else:
        say(
            f"The tables are at version {version}."
            + (f" Before that they are in {saved}." if saved is not None else "")
        )


@group.command()
def backup(
    context: typer.Context,
    target: Annotated[
        Path | None, typer.Argument(metavar="FILE", help="New file; without it one in the folder of backups.")
    ] = None,
    listed: Annotated[bool, typer.Option("--list", help="List the backups there are instead.")] = False,
    db: Database = None,
    as_json: Json = False,
) -> None:
    """Take a verified backup, or list them."""
    from planner.cli.diagnostics import say
    from planner.cli.output import Column, write_json, write_table
    from planner.store.maintenance import backups, take_backup

    where = _where(context, db)
    if listed:
        found = backups(where)
        if as_json:
            write_json({"backups": [{"path": str(one.path), "at": one.at, "before": one.before} for one in found]})
            return
        rows = [
            [one.path.name, f"{one.at:%Y-%m-%d %H:%M}", f"{one.path.stat().st_size:,}", one.before] for one in found
        ]
        write_table([Column("Backup"), Column("UTC"), Column("Bytes", "right"), Column("Before version")], rows)
        return
    taken = take_backup(where, target)
    if as_json:
        write_json({"path": str(taken.path), "at": taken.at})
    else:
        say(f"Backed up to {taken.path}.")


@group.command()
def restore(
    context: typer.Context,
    backup_file: Annotated[
        str | None, typer.Argument(metavar="BACKUP", help="File or name of a backup; without it the newest sound one.")
    ] = None,
    yes: Yes = False,
    db: Database = None,
    as_json: Json = False,
) -> None:
    """Put a backup in the place of the library.

    What was there is kept beside it.
    """
    from planner.cli.diagnostics import confirm, say
    from planner.cli.output import write_json
    from planner.store.location import locate
    from planner.store.maintenance import restore as run

    where = _where(context, db)
    what = f"the backup {backup_file}" if backup_file is not None else "the newest sound backup"
    confirm(f"Put {what} in the place of {locate(where).description}?", yes)
    done = run(where, backup_file)
    if as_json:
        write_json({"source": str(done.source), "kept": [str(path) for path in done.kept]})
        return
    kept = f" What was there is kept as {', '.join(str(path) for path in done.kept)}." if done.kept else ""
    say(f"Restored {done.source}.{kept}")


@group.command()
def doctor(
    context: typer.Context,
    salvage: Annotated[
        Path | None, typer.Option("--salvage", metavar="FILE", help="Save all that can be read in this new file.")
    ] = None,
    db: Database = None,
    as_json: Json = False,
) -> int:
    """Look the library through and name what is damaged.

    Ends with 1 when something is wrong. Nothing is changed.
    """
    from planner.cli.diagnostics import FINDINGS, OK
    from planner.store.maintenance import examine
    from planner.store.maintenance import salvage as run

    where = _where(context, db)
    report = run(where, salvage) if salvage is not None else examine(where)
    _write_report(report, as_json, saved=salvage)
    return OK if report.sound else FINDINGS


def _write_report(report: "Report", as_json: bool, *, saved: Path | None) -> None:
    from planner.cli.diagnostics import say
    from planner.cli.output import write_json, write_line

    if as_json:
        document = {"sound": report.sound, "problems": report.problems, "notes": report.notes}
        write_json(document | {"rows": report.checked, "saved": str(saved) if saved is not None else None})
        return
    for line in report.problems:
        write_line(line)
    for line in report.notes:
        write_line(f"Note: {line}")
    counted = ", ".join(f"{number:,} {table}" for table, number in report.checked.items() if number)
    verb = f"Saved in {saved}" if saved is not None else "Looked through"
    say(f"{verb}: {counted or 'nothing'}. {_counted(len(report.problems))}.")


def _counted(problems: int) -> str:
    return f"{problems:,} problem{'' if problems == 1 else 's'}" if problems else "No problems"


@group.command()
def copy(
    source: Annotated[str, typer.Argument(metavar="FROM", help="File or address of the library to copy from.")],
    target: Annotated[str, typer.Argument(metavar="TO", help="File or address to copy to; made where it is missing.")],
    workspace: Annotated[
        str | None, typer.Option("--workspace", metavar="NAME", help="Workspace to copy; without it the last used one.")
    ] = None,
    name: Annotated[
        str | None, typer.Option("--as", metavar="NAME", help="Its name there; without it the same.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Copy a workspace with its history to another database."""
    from planner.cli.diagnostics import names_from_the_command_line, say
    from planner.cli.output import write_json
    from planner.cli.stored import workspace_document
    from planner.store.location import locate
    from planner.store.maintenance import copy as run

    _refuse_missing(source)
    with names_from_the_command_line():
        copied = run(source, target, workspace, name)
    if as_json:
        write_json(workspace_document(copied, current=False))
    else:
        say(f"Copied workspace '{copied.name}' with {copied.scenarios} scenarios to {locate(target).description}.")


def _refuse_missing(source: str) -> None:
    """A file that is not there is no matter of usage. Raises CommandError (66)."""
    from planner.cli.diagnostics import CommandError
    from planner.store.location import locate

    path = locate(source).path
    if path is not None and not os.path.lexists(path):
        raise CommandError(f"There is no file {path}.", 66)


@group.command()
@opens
def purge(
    library: "Library",
    days: Annotated[
        float,
        typer.Option(
            "--days",
            metavar="DAYS",
            parser=number(0, 36_500, "days"),
            help="Only what has been in the bin for longer than this.",
        ),
    ] = 30,
    yes: Yes = False,
    as_json: Json = False,
) -> None:
    """Remove for good what was deleted long ago, behind a backup.

    That cannot be undone.
    """
    from planner.cli.diagnostics import confirm, say
    from planner.cli.output import write_json
    from planner.store.maintenance import purge as run

    what = f"Remove for good what was deleted more than {days:g} days ago from {library.description}?"
    confirm(f"{what} That cannot be undone.", yes)
    gone = run(library, days)
    if as_json:
        write_json(gone)
    else:
        say(f"Removed {', '.join(f'{number} {name}' for name, number in gone.items())}.")
