"""What the project's files must and must not hold."""

import os
import re
from pathlib import Path

import pytest

THIS = Path("tests") / Path(__file__).name

FORBIDDEN = {
    "a path of somebody's machine": re.compile(r"(?<![\w.}~-])/(?:work|farm|root|home/\w+|Users/\w+|tmp)/[a-z]"),
    "the address of a package index": re.compile(
        r"--(?:extra-)?index-url[ =]http|pypi\.org|pythonhosted\.org|deb\.debian\.org|registry\.npmjs", re.IGNORECASE
    ),
    "the address of a file to install": re.compile(r"https?://[^\s\"']*\.(?:whl|tar\.gz|deb)\b"),
}
UNFINISHED = re.compile(r"\b(?:TODO|FIXME|XXX|NotImplementedError)\b")

PIN = re.compile(r"^([A-Za-z0-9._-]+)==(\S+)(?: ; ([^\\]+?))? \\$")
HASH = re.compile(r"^    --hash=sha256:[0-9a-f]{64}(?: \\)?$")


def lines_of(repository: Path, files: list[Path]) -> list[tuple[str, str]]:
    """Every line of the text files, each with where it stands."""
    lines = []
    for file in files:
        content = (repository / file).read_bytes()
        if file != THIS and b"\0" not in content:
            text = content.decode("utf-8")
            lines += [(f"{file}:{number}", line) for number, line in enumerate(text.splitlines(), start=1)]
    return lines


@pytest.mark.parametrize("what", FORBIDDEN)
def test_no_file_holds(what: str, repository: Path, tracked_files: list[Path]) -> None:
    found = [
        f"{where}: {line.strip()}"
        for where, line in lines_of(repository, tracked_files)
        if FORBIDDEN[what].search(line)
    ]
    assert not found


def test_nothing_is_left_unfinished(repository: Path, tracked_files: list[Path]) -> None:
    sources = [
        file for file in tracked_files if file.suffix in {".py", ".toml", ".tcss", ".md", ".mako"} or not file.suffix
    ]
    found = [f"{where}: {line.strip()}" for where, line in lines_of(repository, sources) if UNFINISHED.search(line)]
    assert not found


def pins(file: Path) -> dict[tuple[str, str | None], str]:
    """(name, marker) -> version of a requirements file, each of whose lines is a pin or one of its hashes."""
    found: dict[tuple[str, str | None], str] = {}
    hashes = 0
    for line in file.read_text(encoding="utf-8").splitlines():
        pin = PIN.match(line)
        if pin:
            assert not found or hashes, f"{file.name}: no hash above {line}"
            found[pin[1], pin[3]] = pin[2]
            hashes = 0
        else:
            assert HASH.match(line), f"{file.name}: neither a pin nor a hash: {line}"
            hashes += 1
    assert hashes
    return found


def test_requirements_are_pinned_by_hash_and_development_includes_runtime(repository: Path) -> None:
    runtime = pins(repository / "requirements.txt")
    development = pins(repository / "requirements-dev.txt")
    names = {name for name, _ in runtime}
    assert {"setuptools", "textual", "sqlalchemy", "psycopg"} <= names
    assert names.isdisjoint({"pytest", "hypothesis", "mypy", "ruff"})
    assert {(name, version) for (name, _), version in runtime.items()} <= {
        (name, version) for (name, _), version in development.items()
    }


@pytest.mark.parametrize("script", ["run", ".ci/run"])
def test_scripts_can_be_run(script: str, repository: Path) -> None:
    assert os.access(repository / script, os.X_OK)


def test_readme_gives_both_commands(repository: Path) -> None:
    commands = re.findall(r"^ {4}(\./run.*)$", (repository / "README.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert commands[:2] == ["./run", "./run test"]
