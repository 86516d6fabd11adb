"""The open workspace: its scenarios as columns, each evaluated when somebody looks at it.

Every change goes through the library in one transaction and is evaluated before it is saved, so that what cannot be
computed is refused and what is shown is what was saved. No widget, no database session.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from catalog import Catalog
from catalog.resolve import full_path
from planner.analysis.evaluated import evaluate_scenario
from planner.analysis.trial import with_changes
from planner.analysis.verdict import Verdict, verdicts
from planner.model.bands import Band, band_of
from planner.model.evaluation import Evaluated
from planner.model.facts import FACT_FIELDS
from planner.model.fields import FieldValue, InputError
from planner.model.inputs import INPUTS
from planner.model.scenario import Fact, Result, Scenario
from planner.store import Change, Revision, Stored, StoreError
from planner.tui.lines import Line

if TYPE_CHECKING:
    from planner.store import Library

Edit = tuple[int, str, FieldValue]
"""A column, the name of an input or fact, and its new value (a fact's None takes the catalogue's again)."""


MOST_COMPARED = 1000
"""Scenarios up to which verdicts compare costs: every edit compares all of them anew."""


@dataclass(slots=True)
class Column:
    """One scenario. ``problem`` says in a sentence why it cannot be evaluated; its results are then blank."""

    stored: Stored
    evaluated: Evaluated | None = None
    problem: str = ""
    bands: Mapping[str, Band] = field(default_factory=dict)

    @property
    def id(self) -> int:
        """The scenario's id in the library."""
        return self.stored.id

    @property
    def name(self) -> str:
        """The scenario's name."""
        return self.stored.scenario.name

    @property
    def scenario(self) -> Scenario:
        """The scenario."""
        return self.stored.scenario


class Book:
    """The columns of the library's current workspace."""

    def __init__(self, library: Library, catalog: Catalog) -> None:
        self.library = library
        self.catalog = catalog
        self.columns: list[Column] = []
        self.workspace = ""
        self._currency = ""
        self._seen = 0
        self.compared = False
        self._verdicts: list[Verdict] = []
        self.reload()

    def __len__(self) -> int:
        return len(self.columns)

    @property
    def baseline(self) -> int:
        """The column that the others are compared with; the first where none is marked."""
        marked = (place for place, column in enumerate(self.columns) if column.stored.is_baseline)
        return next(marked, 0)

    def reload(self) -> None:
        """Read the scenarios again; what did not change keeps its results. Raises StoreError."""
        known = {(column.id, column.stored.version): column for column in self.columns}
        columns: list[Column] = []
        for stored in self.library.scenarios([column.stored for column in self.columns]):
            old = known.get((stored.id, stored.version))
            columns.append(replace(old, stored=stored) if old is not None else Column(stored))
        self.columns = columns
        self.compared, self._verdicts = False, []
        self.workspace = self.library.workspace.name
        self._currency = ""
        self._seen = self.library.last_revision()

    def changed_by_others(self) -> bool:
        """Whether somebody saved something since the scenarios were read. False where that cannot be seen now."""
        try:
            return self.library.last_revision() != self._seen
        except StoreError:
            return False

    @property
    def currency(self) -> str:
        """The currency of all scenarios; ¤ where they differ."""
        if not self._currency:
            found = {self.currency_of(place) for place in range(len(self.columns))}
            self._currency = found.pop() if len(found) == 1 else "¤" if found else "$"
        return self._currency

    def currency_of(self, place: int) -> str:
        """The currency of the scenario at ``place``."""
        return str(self.value(place, "currency") or "$")

    def place_of(self, scenario_id: int) -> int | None:
        """The column of the scenario with that id."""
        return next((place for place, column in enumerate(self.columns) if column.id == scenario_id), None)

    # ---- reading

    def look(self, place: int) -> Column:
        """The column at ``place``, evaluated."""
        column = self.columns[place]
        if column.evaluated is None and not column.problem:
            try:
                column.evaluated = evaluate_scenario(column.scenario, self.catalog)
            except InputError as error:
                column.problem = str(error)
            self._verdicts = []
        return column

    def settle(self, seconds: float, *, least: int = 1) -> bool:
        """Evaluate columns that nobody has looked at yet: for about so many seconds, and ``least`` of them anyway.

        Whether those were the last: from then on verdicts compare costs. More than MOST_COMPARED are left alone.
        """
        if self.compared or len(self.columns) > MOST_COMPARED:
            return False
        start = time.monotonic()
        waiting = [place for place, one in enumerate(self.columns) if one.evaluated is None and not one.problem]
        for number, place in enumerate(waiting):
            if number >= least and time.monotonic() - start > seconds:
                return False
            self.look(place)
        self.compared, self._verdicts = True, []
        return True

    def verdict(self, place: int) -> Verdict:
        """The comparison's verdict on the column at ``place``; costs are compared once every column is settled."""
        column = self.look(place)
        if not self.compared:
            found = verdicts([column.evaluated])[0]
        else:
            if not self._verdicts:
                self._verdicts = verdicts([one.evaluated for one in self.columns])
            found = self._verdicts[place]
        return replace(found, why=column.problem) if column.problem else found

    def known_verdicts(self) -> list[Verdict]:
        """Every verdict, where they compare costs; empty otherwise."""
        return [self.verdict(place) for place in range(len(self.columns))] if self.compared else []

    @property
    def verdict_unit(self) -> str:
        """In what the verdicts compare: ``$/mo`` or ``$/Mtok``; empty where there is no price."""
        row = next((one.row for one in self.known_verdicts() if one.row), "")
        return "" if not row else "$/mo" if row.endswith("_month") else "$/Mtok"

    def band(self, place: int, name: str) -> Band:
        """The low and high end of the result called ``name``."""
        column = self.look(place)
        if column.evaluated is None:
            return Band(None, None)
        if not column.bands:
            column.bands = band_of(column.evaluated)
        return column.bands[name]

    def value(self, place: int, name: str) -> FieldValue:
        """The input called ``name``, or the override of the fact called so (None: the catalogue's).

        A damaged value reads as None: ``damage`` has the sentence.
        """
        column = self.columns[place]
        if name in column.stored.damaged:
            return None
        return column.scenario.values[name] if name in INPUTS else column.scenario.overrides.get(name)

    def present(self, place: int, name: str) -> FieldValue:
        """The input called ``name``, or the figure that the fact called so has now."""
        if name in INPUTS:
            return self.value(place, name)
        fact = self.fact(place, name)
        return fact.value if fact is not None else None

    def damage(self, place: int, name: str) -> str:
        """Why the stored value of ``name`` must not be used; empty for a sound one."""
        return self.columns[place].stored.damaged.get(name, "")

    def fact(self, place: int, name: str) -> Fact | None:
        """The fact called ``name`` with its source; None where the scenario cannot be evaluated."""
        evaluated = self.look(place).evaluated
        return evaluated.facts.get(name) if evaluated is not None else None

    def result(self, place: int, name: str) -> Result:
        """The result of the row called ``name``."""
        column = self.look(place)
        if column.evaluated is None:
            return Result(None, column.problem)
        return column.evaluated.results[name]

    def evaluated(self, places: Iterable[int]) -> list[Evaluated]:
        """The columns at ``places``, evaluated. Raises InputError with the reason for the first that cannot be."""
        found: list[Evaluated] = []
        for place in places:
            column = self.look(place)
            if column.evaluated is None:
                raise InputError(f"{column.name}: {column.problem}")
            found.append(column.evaluated)
        return found

    def in_use(self) -> set[str]:
        """Inputs that some scenario does not leave at its default, and facts that some scenario overrides."""
        found: set[str] = set()
        for column in self.columns:
            values, overrides = column.scenario.values, column.scenario.overrides
            damaged = column.stored.damaged
            found |= {name for name in INPUTS if name in damaged or values[name] != INPUTS[name].default}
            found |= {name for name in FACT_FIELDS if name in damaged or overrides.get(name) is not None}
        return found

    # ---- changing

    def attempt(self, place: int, changes: Mapping[str, FieldValue]) -> Evaluated:
        """What the scenario at ``place`` would be with ``changes``.

        Raises InputError when a value is refused, contradicts another, or names what the catalogue does not know.
        """
        column = self.columns[place]
        for name, sentence in column.stored.damaged.items():
            if name not in changes:
                raise InputError(sentence)
        return evaluate_scenario(with_changes(column.scenario, changes), self.catalog)

    def edit(self, edits: Sequence[Edit], *, why: str = "", force: bool = False) -> list[int]:
        """Save ``edits`` as one action; the columns that changed.

        With ``force`` a change that somebody else made to the same field meanwhile is written over.
        Raises InputError or StoreError and changes nothing.
        """
        by_place: dict[int, dict[str, FieldValue]] = {}
        for place, name, given in edits:
            value = full_path(INPUTS[name], given, self.catalog) if name in INPUTS else given
            if self.damage(place, name) or self.value(place, name) != value:
                by_place.setdefault(place, {})[name] = value
        if not by_place:
            return []
        tried = {place: self.attempt(place, changes) for place, changes in by_place.items()}
        changes = [
            Change(column.id, name, value, None if force else column.stored.version)
            for place, names in by_place.items()
            for column in (self.columns[place],)
            for name, value in names.items()
        ]
        for stored in self.library.edit(changes, why=why):
            at = self.place_of(stored.id)
            if at is not None:
                same = tried[at].scenario == stored.scenario
                self.columns[at] = Column(stored, tried[at] if same else None)
        self._seen = self.library.last_revision()
        self._currency = ""
        self._verdicts = []
        return sorted(by_place)

    def undo(self, *, force: bool = False) -> Revision | None:
        """Take the last action back; with ``force`` over what others changed since. Raises StoreError."""
        return self._reloaded(self.library.undo(force=force))

    def redo(self, *, force: bool = False) -> Revision | None:
        """Bring back what was undone; with ``force`` over what others changed since. Raises StoreError."""
        return self._reloaded(self.library.redo(force=force))

    def _reloaded(self, revision: Revision | None) -> Revision | None:
        if revision is not None:
            self.reload()
        return revision

    def copy(self, place: int, name: str) -> int:
        """A copy of the scenario at ``place`` beside it, called ``name``; its column. Raises StoreError, InputError."""
        stored = self.library.copy(self.columns[place].id, name)
        self.reload()
        return self.place_of(stored.id) or 0

    def create(self, scenario: Scenario) -> int:
        """``scenario`` as a new last column. Raises StoreError, InputError."""
        stored = self.library.create(scenario)
        self.reload()
        return self.place_of(stored.id) or 0

    def rename(self, place: int, name: str) -> None:
        """Call the scenario at ``place`` ``name``. Raises StoreError, InputError."""
        self.library.rename(self.columns[place].id, name)
        self.reload()

    def delete(self, place: int) -> None:
        """Delete the scenario at ``place``; undo brings it back. Raises StoreError."""
        self.library.delete(self.columns[place].id)
        self.reload()

    def set_baseline(self, place: int) -> None:
        """Compare with the scenario at ``place``. Raises StoreError."""
        self.library.set_baseline(self.columns[place].id)
        self.reload()

    def move(self, place: int, step: int) -> int:
        """Move a column by ``step`` places; where it is now. Raises StoreError."""
        target = max(0, min(len(self.columns) - 1, place + step))
        if target == place:
            return place
        order = list(range(len(self.columns)))
        order.insert(target, order.pop(place))
        self.reorder(order)
        return target

    def reorder(self, order: Sequence[int]) -> None:
        """Put the columns into the order of their present places. Raises StoreError."""
        self.library.reorder([self.columns[place].id for place in order])
        self.reload()

    def free_name(self, wanted: str) -> str:
        """``wanted``, or with the first number behind it that makes it a name of its own."""
        taken = {column.name.casefold() for column in self.columns}
        name, number = wanted, 1
        while name.casefold() in taken:
            number += 1
            name = f"{wanted} {number}"
        return name

    def default(self, line: Line) -> FieldValue:
        """What clearing a cell of ``line`` gives: the input's default, or the catalogue's fact."""
        return INPUTS[line.name].default if line.kind == "input" else None
