"""Who imports whom, and what a command loads: the rules of ARCHITECTURE.md."""

import ast
import json
import re
import subprocess
import sys
import tomllib
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from importlinter.cli import lint_imports

PACKAGES = ("planner", "catalog", "exports", "migrations")

# Distributions whose import name differs.
IMPORT_NAMES = {"annotated-types": "annotated_types", "genai-prices": "genai_prices", "psycopg[binary]": "psycopg"}


def imported_names(file: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            yield node.module.partition(".")[0]


def foreign_imports(folder: Path) -> dict[str, str]:
    """Top-level packages that are neither ours nor the standard library's, each with a file that imports it."""
    return {
        name: str(file)
        for file in folder.rglob("*.py")
        for name in imported_names(file)
        if name not in PACKAGES and name not in sys.stdlib_module_names
    }


def run_python(code: str, *arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", code, *arguments],
        cwd=cwd,
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        timeout=120,
        check=False,
    )


def modules_after_command(repository: Path, *arguments: str) -> set[str]:
    """The top-level modules that are loaded when `planner ARGUMENTS` has ended well."""
    code = """
import atexit, json, sys
atexit.register(lambda: print("\\nLOADED " + json.dumps(sorted(sys.modules)), file=sys.stderr))
from planner.__main__ import main
sys.argv[0] = "planner"
sys.exit(main())
"""
    done = run_python(code, *arguments, cwd=repository)
    said, _, line = done.stderr.rpartition("\nLOADED ")
    assert done.returncode == 0, said
    return {name.partition(".")[0] for name in json.loads(line)}


def modules_after_import(repository: Path, module: str) -> set[str]:
    done = run_python(f"import sys, json, {module}; print(json.dumps(sorted(sys.modules)))", cwd=repository)
    assert done.returncode == 0, done.stderr
    return {name.partition(".")[0] for name in json.loads(done.stdout)}


def test_imports_run_one_way(repository: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status = lint_imports(config_filename=str(repository / "pyproject.toml"), no_cache=True)
    assert status == 0, capsys.readouterr().out


def test_the_model_is_pure(repository: Path) -> None:
    assert foreign_imports(repository / "planner" / "model").keys() <= {"numpy"}


def test_what_is_imported_is_declared(repository: Path) -> None:
    project = tomllib.loads((repository / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    requirements = [*project["dependencies"], *extras["postgres"], *extras["prices"]]
    distributions = [re.split(r"[<>=~!]", requirement)[0] for requirement in requirements]
    declared = {IMPORT_NAMES.get(name, name) for name in distributions}
    found = {name: file for package in PACKAGES for name, file in foreign_imports(repository / package).items()}
    assert found, "no file was read"
    undeclared = {name: file for name, file in found.items() if name not in declared}
    assert not undeclared


def test_the_model_loads_neither_packages_nor_the_rest_of_the_planner(repository: Path) -> None:
    loaded = modules_after_import(repository, "planner.model.sheet")
    assert loaded.isdisjoint({"catalog", "exports", "migrations", "pydantic", "rich", "sqlalchemy", "textual", "typer"})


def test_help_is_light(repository: Path) -> None:
    loaded = modules_after_command(repository, "--help")
    assert loaded.isdisjoint({"alembic", "numpy", "openpyxl", "pydantic", "sqlalchemy", "textual"})


def test_eval_needs_no_screen_no_database_and_no_workbook(repository: Path) -> None:
    loaded = modules_after_command(repository, "eval", "--json")
    assert loaded.isdisjoint({"alembic", "openpyxl", "textual"})


def test_the_screen_loads_alembic_and_openpyxl_when_it_needs_them(repository: Path) -> None:
    loaded = modules_after_import(repository, "planner.tui.app")
    assert "textual" in loaded
    assert loaded.isdisjoint({"alembic", "openpyxl"})


def test_the_wheel_holds_every_module_and_all_data(repository: Path, tracked_files: list[Path], tmp_path: Path) -> None:
    source = tmp_path / "source"
    for file in tracked_files:
        copy = source / file
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_bytes((repository / file).read_bytes())
    build = "import setuptools.build_meta as b, sys; print(b.build_wheel(sys.argv[1]))"
    done = run_python(build, str(tmp_path), cwd=source)
    assert done.returncode == 0, done.stderr
    (wheel,) = tmp_path.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        shipped = {name for name in archive.namelist() if ".dist-info/" not in name}
    ours = {file.as_posix() for file in tracked_files if file.parts[0] in PACKAGES}
    assert {name for name in ours if not name.endswith((".md", ".py.txt"))} == shipped
