"""Finding an input or a fact by the name that a person gives it."""

from __future__ import annotations

from planner.model.facts import FACT_FIELDS
from planner.model.fields import Field, InputError, nearest
from planner.model.inputs import INPUTS

ALIASES = {"weight_bytes": "measured_weight_bytes"}
"""Names under which people give a fact whose own name is another."""


def field_called(name: str) -> Field:
    """The input or fact called ``name``. Raises InputError that names the nearest ones."""
    found = INPUTS.get(name) or FACT_FIELDS.get(ALIASES.get(name, name))
    if found is None:
        raise InputError(f"There is no input or fact '{name}'{nearest(name, [*INPUTS, *FACT_FIELDS, *ALIASES])}.")
    return found
