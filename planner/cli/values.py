"""NAME=VALUE of the command line, and the scenario that such settings make."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from planner.cli.diagnostics import CommandError
from planner.model.fields import Field, FieldValue, InputError, printable
from planner.model.inputs import INPUTS, default_values
from planner.model.lookup import field_called
from planner.model.scenario import Scenario

if TYPE_CHECKING:
    from catalog import Catalog
    from planner.model.evaluation import Evaluated

Settings = dict[str, FieldValue]
"""Values by the name of the input or fact; None for a fact takes the catalogue's."""

DEFAULTS = "defaults"
_CATALOGUE = ("", "blank", "catalogue", "catalog")


def parse_settings(texts: Iterable[str]) -> Settings:
    """The values that NAME=VALUE texts give. Raises InputError, and CommandError where one is no NAME=VALUE."""
    settings: Settings = {}
    for text in texts:
        name, equals, value = text.partition("=")
        name = name.strip()
        if not equals or not name:
            shown = printable(text)[:80]
            raise CommandError(f"'{shown}' is not understood: write NAME=VALUE, as in prompt_tokens=2000.")
        field = field_called(name if name in INPUTS else name.lower().replace("-", "_"))
        if field.name in settings:
            raise CommandError(f"{field.label} ({field.name}) is given twice.")
        if field.name not in INPUTS and value.strip().lower() in _CATALOGUE:
            settings[field.name] = None
        else:
            settings[field.name] = _full_path(field, field.parse(value))
    return settings


def _full_path(field: Field, value: FieldValue) -> FieldValue:
    """The full path where ``value`` is that of a file or folder, so that it holds wherever the planner is started."""
    if field.kind != "name" or not isinstance(value, str):
        return value
    from catalog import load_catalog
    from catalog.resolve import full_path

    return full_path(field, value, load_catalog())


def default_scenario(name: str = DEFAULTS) -> Scenario:
    """A scenario of nothing but defaults."""
    return Scenario(name, default_values())


def evaluated(scenario: Scenario, catalog: Catalog) -> Evaluated:
    """``scenario`` with its facts and results. Raises InputError, which names the scenario unless it has no name."""
    from planner.analysis.evaluated import evaluate_scenario

    try:
        return evaluate_scenario(scenario, catalog)
    except InputError as error:
        if scenario.name == DEFAULTS:
            raise
        raise type(error)(f"{printable(scenario.name)}: {error}") from None


def check_rows(names: Iterable[str]) -> list[str]:
    """``names`` when each is a row of the sheet. Raises CommandError with the nearest ones otherwise."""
    from planner.model.fields import nearest
    from planner.model.rows import SHEET

    wanted = list(names)
    for name in wanted:
        if name not in SHEET.rows:
            raise CommandError(f"There is no result '{printable(name)[:80]}'{nearest(name, SHEET.rows)}.")
    return wanted
