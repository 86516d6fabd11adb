"""What was seen of saved scenarios: kept beside each, and compared with what another catalogue or model makes of it.

Commands that save keep it current; those that only read say in one line that there is something to look at.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from catalog import Catalog
    from planner.analysis.moved import Comparison, Moved, Value
    from planner.store import Library, Stored, Witness

MOST = 200
"""Scenarios that one command looks at besides its work; others follow with the next."""


def compare_workspace(library: "Library", catalog: "Catalog") -> "Comparison":
    """What moved in the current workspace. Raises StoreError."""
    return _compared(library.scenarios(), library.witnesses(), catalog)


def _compared(scenarios: Sequence["Stored"], seen: Mapping[int, "Witness"], catalog: "Catalog") -> "Comparison":
    from planner.analysis.evaluated import evaluate_scenario
    from planner.analysis.moved import compare

    return compare(scenarios, seen, catalog.version, lambda scenario: evaluate_scenario(scenario, catalog))


def keep(library: "Library", catalog: "Catalog", found: "Comparison") -> bool:
    """Keep the results in ``found`` as what was seen; False where that cannot be done now."""
    from planner.model.version import MODEL_VERSION
    from planner.store import Witness

    return library.note_seen(
        [
            Witness(one.scenario_id, one.scenario_version, catalog.version, MODEL_VERSION, one.results)
            for one in found.noted
        ]
    )


def remind(library: "Library") -> None:
    """Say in one line that there are results that moved. Raises StoreError."""
    from planner.cli.diagnostics import say
    from planner.cli.own import catalogue_of
    from planner.model.version import MODEL_VERSION

    # Where nothing was seen, the catalogue is not needed.
    if not library.outdated("", "", 1)[0]:
        return
    catalog = catalogue_of(library)
    outdated, seen = library.outdated(catalog.version, MODEL_VERSION, MOST)
    if not outdated:
        return
    found = _compared(outdated, seen, catalog)
    if found.moved:
        scenarios = len({one.scenario for one in found.moved})
        several = "s" if scenarios > 1 else ""
        at_least = "at least " if len(outdated) == MOST else ""
        why = f" ({found.versions})" if found.versions else ""
        say(
            f"Results of {at_least}{scenarios} scenario{several} moved by more than 1 % since they were last seen"
            f"{why}: `planner moved` lists them."
        )


@contextmanager
def watching(library: "Library") -> Iterator[None]:
    """Around a command: the results of what it saves are kept as seen behind it."""
    from planner.store import StoreError

    revision = library.last_revision()
    yield
    # What the command saved is saved; where what was seen of it cannot be kept now, the next one does.
    with suppress(StoreError):
        if not library.read_only and library.last_revision() != revision:
            _keep_saved(library, revision)


def _keep_saved(library: "Library", revision: int) -> None:
    """Keep the results of scenarios that changed since ``revision``, or of which nothing was seen yet.

    What had moved in one of them before it was changed can be listed no more, so it is said now.
    """
    from planner.cli.diagnostics import say
    from planner.cli.own import catalogue_of

    catalog = catalogue_of(library)
    changed, seen = library.unseen(MOST)
    known = {identifier: one.scenario_version for identifier, one in seen.items()}
    for one in changed:
        if known.get(one.id) == one.version - 1:
            earlier = replace(one, version=one.version - 1, scenario=library.scenario_at(one.id, revision))
            found = _compared([earlier], seen, catalog)
            for result in found.moved:
                say(f"Before this change, {found.versions} had moved {_sentence(result)}.")
    keep(library, catalog, _compared(changed, seen, catalog))


def _sentence(one: "Moved") -> str:
    name, result, before, after, change = moved_row(one)
    if one.problem:
        return f"{name}: {one.problem.rstrip('.')}"
    return f"{result} of {name} from {before} to {after}" + (f" ({change})" if change else "")


def moved_row(one: "Moved") -> list[str]:
    """Scenario, result, before, after, change."""
    from planner.model.display import percent_text
    from planner.model.rows import SHEET

    if one.problem:
        return [one.scenario, one.problem, "", "", ""]
    change = percent_text(one.relative) if one.relative is not None else ""
    return [one.scenario, SHEET.rows[one.row].label, _shown(one, one.before), _shown(one, one.after), change]


def _shown(one: "Moved", value: "Value") -> str:
    from planner.model.display import show_with_unit
    from planner.model.rows import SHEET
    from planner.model.scenario import Result

    return show_with_unit(SHEET.rows[one.row], Result(value))
