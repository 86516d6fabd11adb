"""A scenario looked up in the catalogue and evaluated."""

from __future__ import annotations

from catalog.book import Catalog
from catalog.resolve import resolve
from planner.model.evaluation import Evaluated, evaluate
from planner.model.scenario import Scenario


def evaluate_scenario(scenario: Scenario, catalog: Catalog) -> Evaluated:
    """``scenario`` with the facts its names stand for in ``catalog`` and every result.

    Raises InputError when a name is unknown, a fact is out of bounds, or any of its stored values is damaged.
    """
    # Also one that no row reads, such as the currency: what is said of the results would read it.
    for stored in (scenario.values, scenario.overrides):
        dict(stored)
    resolution = resolve(scenario.values, catalog, scenario.overrides)
    results = evaluate(scenario.values, resolution.facts)
    return Evaluated(scenario, resolution.facts, results, resolution.notes)
