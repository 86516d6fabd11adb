"""Every command has help, and docs/cli.md says what the program says."""

import re
from pathlib import Path

import pytest

from planner.cli import reference

COMMANDS = {name: command for name, command, _ in reference.commands()}
PROMISED = """
eval inputs rows list show new copy set rename delete undelete compare diff history undo redo restore snapshot tag notes
baseline order fleet price export import validate workspace catalog db
""".split()
PROMISED_BELOW = {
    "catalog": "list show add import export remove check prices refresh-prices",
    "db": "upgrade backup restore doctor copy purge",
    "workspace": "list use new rename notes delete undelete",
}


def test_every_promised_command_is_there() -> None:
    assert {f"planner {name}" for name in PROMISED} <= set(COMMANDS)
    for group, names in PROMISED_BELOW.items():
        assert {f"planner {group} {name}" for name in names.split()} <= set(COMMANDS)


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_and_its_parameters_have_help(name: str) -> None:
    command = COMMANDS[name]
    first = (command.help or "").strip().splitlines()[0]
    assert first[0].isupper()
    assert first.endswith(".")
    assert len(first) <= 80
    # In the list of commands nothing is cut off.
    assert name == "planner" or "..." not in command.get_short_help_str(60)
    for parameter in command.params:
        if parameter.name != "context":
            assert parameter.help, f"{name} {parameter.name}"


def test_the_page_is_what_the_program_says(repository: Path) -> None:
    page = (repository / "docs" / "cli.md").read_text(encoding="utf-8")
    assert page == reference.updated(page), "write it anew: python -m planner.cli.reference docs/cli.md"


def test_the_page_names_every_exit_code(repository: Path) -> None:
    page = (repository / "docs" / "cli.md").read_text(encoding="utf-8")
    codes = set(map(int, re.findall(r"\b\d+\b", " ".join(re.findall(r"^\| ([\d, ]+) \|", page, re.MULTILINE)))))
    assert codes == {0, 1, 2, 65, 66, 69, 70, 73, 74, 75, 77, 78, 130, 141}
