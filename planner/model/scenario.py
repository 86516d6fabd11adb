"""A scenario and what evaluating it gives."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from planner.model.fields import FieldValue


@dataclass(frozen=True, slots=True)
class Fact:
    """One fact of a scenario with where it comes from.

    ``source`` names the data set or page, ``date`` is when the figure was read (ISO), ``doubt`` says what is weak
    about it; ``overridden`` marks a figure that the scenario gives itself.
    """

    value: float | None
    source: str = ""
    date: str = ""
    doubt: str = ""
    overridden: bool = False


@dataclass(frozen=True, slots=True)
class Scenario:
    """A named set of inputs: a complete mapping of input values, and the facts it overrides.

    Values are checked where they enter (``check_values``); a Scenario holds only checked ones.
    """

    name: str
    values: Mapping[str, FieldValue]
    overrides: Mapping[str, float | None] = field(default_factory=dict)
    notes: str = ""


@dataclass(frozen=True, slots=True)
class Result:
    """One row's result: a number, a word, a flag, or None with the reason why it is blank."""

    value: float | str | bool | None
    reason: str = ""
