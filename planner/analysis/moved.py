"""What moved: the key results of saved scenarios as they were last seen, against what they are now.

A scenario keeps its inputs; its results follow the catalogue's figures and the model's formulas. Where either has
changed since a person looked, this names every result that is more than 1 % away from what was seen.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Protocol

from catalog.resolve import looks_like_path
from planner.model.evaluation import Evaluated
from planner.model.fields import InputError
from planner.model.inputs import INPUTS
from planner.model.rows import SHEET
from planner.model.scenario import Scenario
from planner.model.version import MODEL_VERSION

_NAMES = tuple(name for name, field in INPUTS.items() if field.kind == "name" and name != "currency")
Value = float | str | bool | None
THRESHOLD = 0.01
"""Share of what was seen that a result must be away from it to be named."""


class Saved(Protocol):
    """A saved scenario."""

    @property
    def id(self) -> int:
        """Its id."""

    @property
    def version(self) -> int:
        """Its version, which every change of it raises."""

    @property
    def scenario(self) -> Scenario:
        """What was saved."""


class Seen(Protocol):
    """What was last seen of a scenario's results, of which version of it, and under which versions."""

    @property
    def scenario_version(self) -> int:
        """The version of the scenario."""

    @property
    def catalogue_version(self) -> str:
        """The version of the catalogue."""

    @property
    def model_version(self) -> str:
        """The version of the model."""

    @property
    def results(self) -> Mapping[str, Value]:
        """The key results by row."""


@dataclass(frozen=True, slots=True)
class Moved:
    """One result of one scenario before and after, in the row's unit.

    ``relative`` is the change as a share of what it was; None where there is no such share: a word, a blank, a zero.
    Where the scenario can no longer be evaluated ``row`` is empty and ``problem`` says why.
    """

    scenario: str
    row: str
    before: Value
    after: Value
    relative: float | None = None
    problem: str = ""


@dataclass(frozen=True, slots=True)
class Noted:
    """The key results of a scenario as they are now, to be kept as what was seen of it."""

    scenario_id: int
    scenario_version: int
    results: Mapping[str, Value]


@dataclass(frozen=True, slots=True)
class Comparison:
    """What moved, the versions before and now, and what is to be noted once a person has seen it."""

    moved: tuple[Moved, ...]
    noted: tuple[Noted, ...]
    catalogue: tuple[str, str]
    model: tuple[str, str]

    @property
    def versions(self) -> str:
        """What changed, as in ``catalogue A -> B, model 1 -> 2``; empty where nothing did."""
        parts = (("catalogue", self.catalogue), ("model", self.model))
        return ", ".join(f"{what} {before} → {after}" for what, (before, after) in parts if before != after)


def key_results(evaluated: Evaluated) -> dict[str, Value]:
    """The key results of a scenario by row; a blank is None."""
    return {name: evaluated.results[name].value for name, row in SHEET.rows.items() if row.key}


def moved_results(scenario: str, before: Mapping[str, Value], after: Mapping[str, Value]) -> list[Moved]:
    """The rows of both that are more than THRESHOLD apart, or no longer the same word, flag or blank."""
    found = []
    for row, new in after.items():
        old = before.get(row)
        if row not in before or old == new:
            continue
        before_number, after_number = _number(old), _number(new)
        if not before_number or after_number is None:
            found.append(Moved(scenario, row, old, new))
        elif abs(after_number - before_number) > THRESHOLD * abs(before_number):
            found.append(Moved(scenario, row, old, new, (after_number - before_number) / abs(before_number)))
    return found


def _number(value: Value) -> float | None:
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)
    return float(value) if is_number and value is not None else None


def is_current(saved: Saved, seen: Seen | None, catalogue: str, model: str = MODEL_VERSION) -> bool:
    """Whether what was seen is of this version of the scenario, of the catalogue and of the model."""
    return seen is not None and (seen.scenario_version, seen.catalogue_version, seen.model_version) == (
        saved.version,
        catalogue,
        model,
    )


def _reads_a_file(scenario: Scenario) -> bool:
    """Whether a name of the scenario is that of a file, which may change without a new version of anything."""
    try:
        return any(looks_like_path(str(scenario.values[name] or "")) for name in _NAMES)
    except InputError:
        return False


def compare(
    scenarios: Iterable[Saved],
    seen: Mapping[int, Seen],
    catalogue: str,
    evaluate: Callable[[Scenario], Evaluated],
    *,
    model: str = MODEL_VERSION,
) -> Comparison:
    """What moved in ``scenarios`` since it was ``seen`` (by scenario id), under the present versions.

    Only scenarios that may have moved are evaluated: those seen under other versions, and those that read a file. One
    that has changed itself since then, or of which nothing was seen, has not moved: it is only noted. One that cannot
    be evaluated says so once.
    """
    moved: list[Moved] = []
    noted: list[Noted] = []
    earlier: dict[tuple[str, str], None] = {}
    for saved in scenarios:
        old = seen.get(saved.id)
        if is_current(saved, old, catalogue, model) and not _reads_a_file(saved.scenario):
            continue
        compared = old if old is not None and old.scenario_version == saved.version else None
        if compared is not None and not is_current(saved, compared, catalogue, model):
            earlier[compared.catalogue_version, compared.model_version] = None
        try:
            after = key_results(evaluate(saved.scenario))
        except InputError as error:
            after = {}
            if compared is not None and compared.results:
                moved.append(Moved(saved.scenario.name, "", None, None, problem=str(error)))
        else:
            if compared is not None:
                moved += moved_results(saved.scenario.name, compared.results, after)
        if old is None or not is_current(saved, old, catalogue, model) or old.results != after:
            noted.append(Noted(saved.id, saved.version, after))
    catalogues = " or ".join(dict.fromkeys(one for one, _ in earlier)) or catalogue
    models = " or ".join(dict.fromkeys(one for _, one in earlier)) or model
    return Comparison(tuple(moved), tuple(noted), (catalogues, catalogue), (models, model))
