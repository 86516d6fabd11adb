"""A later version of the program, with one more migration, as it will be one day: a copy of the checkout."""

from __future__ import annotations

import re
import shutil
from dataclasses import dataclass
from pathlib import Path

from planner.store.tables import SCHEMA_VERSION
from tests.faults.support import REPOSITORY, Ended, fresh_planner

LATER = SCHEMA_VERSION + 1
NEEDED = "7.0"
"""The program that the later migration says one needs."""
PACKAGES = ("planner", "catalog", "exports", "migrations")


@dataclass(frozen=True, slots=True)
class Newer:
    """The copy in ``tree``."""

    tree: Path

    def __call__(self, *arguments: object, under: tuple[str, ...] = (), **environment: str) -> Ended:
        """Run it."""
        return fresh_planner(*arguments, environment=environment, under=under, tree=self.tree)


def make_newer(folder: Path) -> Newer:
    """Make the copy in ``folder``."""
    for package in PACKAGES:
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(REPOSITORY / package, folder / package, ignore=ignored)
    shutil.copy2(REPOSITORY / "pyproject.toml", folder)
    tables = folder / "planner" / "store" / "tables.py"
    text, number = re.subn(rf"(?m)^SCHEMA_VERSION = {SCHEMA_VERSION}$", f"SCHEMA_VERSION = {LATER}", tables.read_text())
    assert number == 1
    tables.write_text(text)
    (migration,) = (REPOSITORY / "tests" / "store" / "later").glob(f"{LATER:04d}_*.py")
    shutil.copy2(migration, folder / "migrations" / "versions")
    return Newer(folder)
