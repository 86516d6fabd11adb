"""A scenario as it would be with other values: what an edit is tried on before it is saved."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from planner.model.facts import FACT_FIELDS
from planner.model.fields import FieldValue
from planner.model.inputs import INPUTS, check_together
from planner.model.scenario import Scenario


def with_changes(scenario: Scenario, changes: Mapping[str, FieldValue]) -> Scenario:
    """``scenario`` with ``changes`` to inputs and facts in place of its own; a fact's None takes the catalogue's again.

    Raises InputError when a value is refused, or contradicts another.
    """
    values = {name: INPUTS[name].check(changes[name]) if name in changes else scenario.values[name] for name in INPUTS}
    overrides = {name: value for name, value in scenario.overrides.items() if name not in changes}
    for name, value in changes.items():
        checked = None if name in INPUTS or value is None else FACT_FIELDS[name].check(value)
        if isinstance(checked, (int, float)):
            overrides[name] = float(checked)
    check_together(values)
    return replace(scenario, values=values, overrides=overrides)
