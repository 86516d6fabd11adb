"""Watching over results: what moved under another catalogue or model since it was last seen, and keeping that current.

What was seen is kept beside each scenario. It is compared when a workspace is opened, and kept anew for whatever has
changed since, a few scenarios at a time. What moved is kept only after a person has seen it listed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from planner.analysis.evaluated import evaluate_scenario
from planner.analysis.moved import Comparison, Moved, Noted, compare
from planner.model.version import MODEL_VERSION
from planner.store import Stored, Witness
from planner.tui.book import Book

AT_ONCE = 300
"""Scenarios that are compared before the first paint; more follow behind it."""
A_FEW = 50


class Watch:
    """The comparison of the open workspace. ``look`` may run beside the screen, everything else with it."""

    def __init__(self, book: Book) -> None:
        self.book = book
        self.moved: list[Moved] = []
        self.versions = ""
        self.shown = False
        self._workspace = ""
        self._seen: Mapping[int, Witness] = {}
        self._known: dict[int, int] = {}
        self._held: dict[int, Witness] = {}
        self._ready: dict[int, Witness] = {}

    def open(self) -> bool:
        """Compare the workspace that was opened, as far as that takes no time; whether something moved.

        Raises StoreError.
        """
        self._workspace = self.book.workspace
        self._seen = self.book.library.witnesses()
        self.moved, self.versions, self.shown = [], "", False
        self._known, self._held, self._ready = {}, {}, {}
        version = self.book.catalog.version
        outdated: list[Stored] = []
        for column in self.book.columns:
            seen = self._seen.get(column.id)
            if seen is None or seen.scenario_version != column.stored.version:
                continue
            if (seen.catalogue_version, seen.model_version) != (version, MODEL_VERSION):
                outdated.append(column.stored)
        if outdated:
            self.take(self.look(outdated[:AT_ONCE]))
        return bool(self.moved)

    def due(self) -> list[Stored]:
        """A few scenarios that changed, or were not looked at yet."""
        if self.book.workspace != self._workspace:
            return []
        found = (column.stored for column in self.book.columns if self._known.get(column.id) != column.stored.version)
        return [stored for stored, _ in zip(found, range(A_FEW), strict=False)]

    def look(self, scenarios: Sequence[Stored]) -> Comparison:
        """The results of ``scenarios`` now against what was seen of them."""
        catalog = self.book.catalog
        return compare(scenarios, self._seen, catalog.version, lambda scenario: evaluate_scenario(scenario, catalog))

    def take(self, found: Comparison, looked_at: Sequence[Stored] = ()) -> bool:
        """Take over what ``look`` found; whether something moved."""
        self._known.update((stored.id, stored.version) for stored in looked_at)
        self._known.update((one.scenario_id, one.scenario_version) for one in found.noted)
        self.moved += found.moved
        self.versions = self.versions or found.versions
        names = {one.scenario for one in found.moved}
        for one in found.noted:
            place = self.book.place_of(one.scenario_id)
            has_moved = place is not None and self.book.columns[place].name in names
            (self._held if has_moved else self._ready)[one.scenario_id] = self._witness(one)
        return bool(found.moved)

    def _witness(self, noted: Noted) -> Witness:
        version = self.book.catalog.version
        return Witness(noted.scenario_id, noted.scenario_version, version, MODEL_VERSION, noted.results)

    def release(self) -> None:
        """The list of what moved was seen and put away: from now on that is what was seen."""
        if self.shown:
            self._ready = {**self._held, **self._ready}
            self._held = {}

    def ready(self) -> list[Witness]:
        """What is to be kept as seen; nothing where the library can only be read."""
        return [] if self.book.library.read_only else list(self._ready.values())

    def kept(self, witnesses: Sequence[Witness]) -> None:
        """These were kept."""
        for one in witnesses:
            if self._ready.get(one.scenario_id) == one:
                del self._ready[one.scenario_id]

    def finish(self) -> None:
        """Keep what is left when the screen closes, as far as that takes no time."""
        if self.book.library.read_only:
            return
        due = self.due()
        if due:
            self.take(self.look(due), due)
        self.book.library.note_seen(self.ready())
