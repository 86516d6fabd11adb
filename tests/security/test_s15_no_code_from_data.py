"""S15: no data is ever run: no pickle, no YAML, no eval; exec only for source made from the program's own rows."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from tests.faults.support import REPOSITORY

PACKAGES = ("planner", "catalog", "exports", "migrations")
MODULES = {
    "pickle",
    "cPickle",
    "dill",
    "shelve",
    "marshal",
    "yaml",
    "jsonpickle",
    "cloudpickle",
    "joblib",
    "code",
    "codeop",
}
RUNNING = {"eval", "exec", "compile", "__import__", "execfile"}
METHODS = {
    "system",
    "popen",
    "execv",
    "execve",
    "spawnv",
    "load_module",
    "read_pickle",
    "unsafe_load",
    "enable_load_extension",
}
OWN_SOURCE = {"planner/model/compiler.py", "planner/store/reading.py"}
PROGRAMS = {"planner/tui/clipboard.py"}
"""Where another program is started: the system's clipboard."""


def sources() -> Iterator[tuple[str, ast.Module]]:
    for package in PACKAGES:
        for path in sorted((REPOSITORY / package).rglob("*.py")):
            yield path.relative_to(REPOSITORY).as_posix(), ast.parse(path.read_text(encoding="utf-8"))


def calls(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            if isinstance(node.func, ast.Name):
                yield node.func.id
            elif isinstance(node.func, ast.Attribute):
                yield node.func.attr


def imports(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module.partition(".")[0]


def test_s15_no_module_that_runs_data_is_imported() -> None:
    found = {(path, name) for path, tree in sources() for name in imports(tree) if name in MODULES}
    assert found == set()


def test_s15_source_is_run_in_two_places_made_from_our_own_rows() -> None:
    found: dict[str, set[str]] = {}
    for path, tree in sources():
        names = {
            node.func.id
            for node in ast.walk(tree)
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in RUNNING
        }
        if names:
            found[path] = names
    assert set(found) <= OWN_SOURCE, found
    assert all("eval" not in names and "__import__" not in names for names in found.values())


def test_s15_nothing_is_handed_to_a_shell_or_loaded_from_a_folder() -> None:
    found = {(path, name) for path, tree in sources() for name in calls(tree) if name in METHODS}
    assert found == set()
    starting = {path for path, tree in sources() if "subprocess" in set(imports(tree))}
    assert starting <= PROGRAMS, starting
    for path in starting:
        assert "shell=True" not in (REPOSITORY / path).read_text(encoding="utf-8")


def test_s15_names_and_values_never_reach_a_compiled_row(tmp_path: Path) -> None:
    """The source of the sheet is the same whatever is saved."""
    from planner.model import compiler

    text = Path(compiler.__file__).read_text(encoding="utf-8")
    assert "scenario" not in text.lower().replace("scenarios", "") or "Scenario(" not in text
