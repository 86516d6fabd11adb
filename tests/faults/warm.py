"""What the server that forks programs under test loads first: everything that commands use, by running a few."""

from __future__ import annotations

import contextlib
import io
from pathlib import Path
from tempfile import TemporaryDirectory

from planner.__main__ import main
from tests.faults import children

__all__ = ["children"]

with (
    TemporaryDirectory() as folder,
    contextlib.redirect_stdout(io.StringIO()),
    contextlib.redirect_stderr(io.StringIO()),
):
    where = ("--db", str(Path(folder) / "plan.db"))
    for command in (
        ("list",),
        ("set", "Toy 7B", "prompt_tokens=7"),
        ("history",),
        ("undo",),
        ("export", f"{folder}/plan.json"),
        ("import", f"{folder}/plan.json"),
        ("db", "backup"),
        ("catalog", "show", "h100-sxm-80gb"),
        ("list", "--db", "postgresql://nobody@127.0.0.1:9/x"),
    ):
        main([*command, *(where if "--db" not in command else ())])
