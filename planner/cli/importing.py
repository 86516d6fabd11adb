"""What an import would do to a library: which scenarios and own entries are new, the same, or in the way."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

from catalog.book import SNAPSHOT_KINDS, Catalog, Overlay, kinds
from catalog.documents import plain
from catalog.schema import Entry, Source
from exports.json_plan import Plan, Planned, Problem
from exports.own import NAMING
from planner.analysis.moved import Moved, key_results, moved_results
from planner.cli.own import OWN, documents_to_save
from planner.cli.session import catalogue_of
from planner.cli.values import DEFAULTS, evaluated
from planner.model.fields import InputError
from planner.model.rows import SHEET
from planner.model.scenario import Scenario
from planner.store.importing import Incoming
from planner.store.names import MAX_NAME, clean_name, clean_tags, clean_text, name_key
from planner.store.reading import list_scenarios, list_workspaces
from planner.store.records import Difference, Stored

if TYPE_CHECKING:
    from planner.store import Library

Choice = Literal["file", "here"]
SOURCE = "source"


@dataclass(frozen=True, slots=True)
class EntryStep:
    """What becomes of one own entry of the file.

    ``status`` is ``new``, ``same``, ``differs`` (another own entry has the id), ``replaces`` (it takes the place of a
    shipped one), or ``added`` (a dated snapshot whose id is taken: it gets another). ``found`` is the entry as it would
    be saved, ``differences`` its figures as they are here and in the file, ``users`` the saved scenarios whose facts
    would change with it.
    """

    path: str
    kind: str
    id: str
    status: Literal["new", "same", "differs", "replaces", "added"]
    found: Entry | Source
    differences: tuple[tuple[str, Any, Any], ...] = ()
    users: tuple[str, ...] = ()

    @property
    def is_choice(self) -> bool:
        """Whether a person must say which one counts."""
        return self.status in ("differs", "replaces")

    def is_saved(self, choice: Choice | None) -> bool:
        """Whether it is saved where ``choice`` says whose entries count."""
        return self.status in ("new", "added") or (self.is_choice and choice != "here")


@dataclass(frozen=True, slots=True)
class ScenarioStep:
    """What becomes of one scenario of the file: ``name`` is what it is called here afterwards.

    ``fields`` are the labels of what differs from the saved scenario of that name, ``changes`` the inputs and own
    facts among them.
    """

    planned: Planned
    status: Literal["new", "renamed", "replaces", "same"]
    name: str
    tags: tuple[str, ...]
    fields: tuple[str, ...] = ()
    replaces: Stored | None = None
    changes: tuple[Difference, ...] = ()


@dataclass(frozen=True, slots=True)
class Import:
    """All that an import would do, or the ``problems`` for which it does nothing."""

    scenarios: tuple[ScenarioStep, ...] = ()
    entries: tuple[EntryStep, ...] = ()
    moved: tuple[Moved, ...] = ()
    baseline: int = 0
    choice: Choice | None = None
    problems: tuple[Problem, ...] = ()

    @property
    def open_choices(self) -> tuple[EntryStep, ...]:
        """Entries about which a person must still say which one counts."""
        return tuple(one for one in self.entries if one.is_choice) if self.choice is None else ()

    @property
    def layer(self) -> Overlay:
        """The entries that would be saved."""
        return _layer_of([one for one in self.entries if one.is_saved(self.choice)])

    @property
    def is_empty(self) -> bool:
        """Whether all of it is here already."""
        saved = any(one.is_saved(self.choice) for one in self.entries)
        return not saved and all(one.status == "same" for one in self.scenarios)


def look(library: Library, plan: Plan, *, replacing: bool, choice: Choice | None) -> Import:
    """What importing ``plan`` would do to the current workspace; nothing is changed.

    ``replacing``: scenarios take the place of those of the same name, else they get another. ``choice`` says whose
    own entries count where they differ.
    """
    problems = list(plan.problems)
    named = list(_named(plan.scenarios, problems))
    if problems:
        return Import(problems=tuple(problems))
    book = catalogue_of(library)
    entries = _entry_steps(library, book, plan)
    after = book.with_overlay(_layer_of([one for one in entries if one.is_saved(choice)]))
    moved = list(_tried(plan.scenarios, after, problems))
    if problems:
        return Import(problems=tuple(problems))
    steps = _scenario_steps(library.scenarios(), named, replacing=replacing)
    return Import(steps, entries, tuple(moved), _baseline(steps, plan.baseline), choice)


def bring_in(library: Library, found: Import, why: str) -> list[Stored]:
    """Do what ``found`` says, as one action; the scenarios as they are saved then. Raises StoreError, InputError."""
    incoming = [
        Incoming(replace(one.planned.scenario, name=one.name), one.tags, one.planned.in_fleet, replaces=one.replaces)
        for one in found.scenarios
        if one.status != "same"
    ]
    return library.bring_in(incoming, documents_to_save(library, found.layer), baseline=found.baseline, why=why)


def _named(planned: Iterable[Planned], problems: list[Problem]) -> Iterator[tuple[Planned, tuple[str, ...]]]:
    """Each scenario with its name, notes and tags as they may be saved; what may not is added to ``problems``."""
    taken: dict[str, str] = {}
    for one in planned:
        try:
            name = clean_name(one.scenario.name)
        except InputError as error:
            problems.append(Problem(f"{one.path}.name", str(error)))
            continue
        other = taken.setdefault(name_key(name), one.path)
        if other != one.path:
            problems.append(Problem(f"{one.path}.name", f"'{name}' is the name of {other} too."))
        notes, tags = one.scenario.notes, one.tags
        try:
            notes = clean_text(notes, "notes")
        except InputError as error:
            problems.append(Problem(f"{one.path}.notes", str(error)))
        try:
            tags = clean_tags(tags)
        except InputError as error:
            problems.append(Problem(f"{one.path}.tags", str(error)))
        yield replace(one, scenario=replace(one.scenario, name=name, notes=notes)), tags


def _tried(planned: Iterable[Planned], book: Catalog, problems: list[Problem]) -> Iterator[Moved]:
    """What comes out otherwise than in the file; a scenario that cannot be evaluated is added to ``problems``."""
    for one in planned:
        try:
            results = key_results(evaluated(replace(one.scenario, name=DEFAULTS), book))
        except InputError as error:
            problems.append(Problem(f"{one.path}.inputs", str(error)))
            continue
        rows = {name: value for name, value in one.rows.items() if SHEET.rows[name].key}
        yield from moved_results(one.scenario.name, rows, results)


def _baseline(steps: Sequence[ScenarioStep], name: str | None) -> int:
    """The place of the file's baseline among the scenarios that are new here."""
    new = [one.planned.scenario.name for one in steps if one.status in ("new", "renamed")]
    wanted = name_key(name) if name is not None else ""
    return next((place for place, one in enumerate(new) if name_key(one) == wanted), 0)


def _scenario_steps(
    saved: Sequence[Stored], named: Iterable[tuple[Planned, tuple[str, ...]]], *, replacing: bool
) -> tuple[ScenarioStep, ...]:
    here = {name_key(one.name): one for one in saved}
    by_uid = {one.uid: one for one in saved if one.uid}
    pairs = list(named)
    taken = {*here, *(name_key(one.scenario.name) for one, _ in pairs)}
    steps = []
    for planned, tags in pairs:
        name = planned.scenario.name
        old = by_uid.get(planned.uid) or here.get(name_key(name))
        if old is None:
            steps.append(ScenarioStep(planned, "new", name, tags))
            continue
        fields = _differing(old, planned, tags)
        if not fields:
            steps.append(ScenarioStep(planned, "same", old.name, tags))
        elif replacing:
            steps.append(ScenarioStep(planned, "replaces", name, tags, fields, old, _changes(old, planned)))
        else:
            free = _free_name(name, taken)
            taken.add(name_key(free))
            steps.append(ScenarioStep(planned, "renamed", free, tags, fields, changes=_changes(old, planned)))
    return tuple(steps)


def _differing(old: Stored, planned: Planned, tags: tuple[str, ...]) -> tuple[str, ...]:
    """Labels of what differs between a saved scenario and one of the file."""
    if old.damaged:
        return ("damaged values",)
    new = planned.scenario
    labels = [one.label for one in _changes(old, planned)]
    others = (
        ("notes", old.scenario.notes, new.notes),
        ("tags", old.tags, tags),
        ("part of the fleet", old.in_fleet, planned.in_fleet),
    )
    return (*labels, *(label for label, before, after in others if before != after))


def _changes(old: Stored, planned: Planned) -> tuple[Difference, ...]:
    """The inputs and own facts in which a scenario of the file differs from a saved one."""
    from planner.store.history import differences

    return () if old.damaged else tuple(differences(old.scenario, planned.scenario))


def _free_name(name: str, taken: set[str]) -> str:
    number = 2
    while True:
        tail = f" ({number})"
        free = f"{name[: MAX_NAME - len(tail)].rstrip()}{tail}"
        if name_key(free) not in taken:
            return free
        number += 1


def _layer_of(steps: Iterable[EntryStep]) -> Overlay:
    entries: dict[str, dict[str, Entry]] = {}
    sources: dict[str, Source] = {}
    for one in steps:
        if isinstance(one.found, Source):
            sources[one.found.id] = one.found
        else:
            entries.setdefault(one.kind, {})[one.found.id] = one.found
    return Overlay(OWN, entries, sources)


def _entry_steps(library: Library, book: Catalog, plan: Plan) -> tuple[EntryStep, ...]:
    steps = [
        _entry_step(book, kind, entry, plan.own_paths[kind, entry.id])
        for kind, entries in plan.own.entries.items()
        for entry in entries.values()
    ]
    steps += [_source_step(book, one, plan.own_paths[SOURCE, one.id]) for one in plan.own.sources.values()]
    changing = [one for one in steps if one.is_choice and one.kind != SOURCE]
    if not changing:
        return tuple(steps)
    users = _users(library, book, book.with_overlay(_layer_of(changing)))
    return tuple(replace(one, users=tuple(users.get((one.kind, one.id), ()))) for one in steps)


def _entry_step(book: Catalog, kind: str, entry: Entry, path: str) -> EntryStep:
    mine = [one.entries.get(kind, {}) for one in reversed(book.overlays)]
    old = next((entries[entry.id] for entries in mine if entry.id in entries), None)
    shipped = book.replaced(kinds()[kind], entry.id)
    if old is None and shipped is None:
        return EntryStep(path, kind, entry.id, "new", entry)
    if _same(entry, old if old is not None else shipped):
        return EntryStep(path, kind, entry.id, "same", entry)
    if kind in SNAPSHOT_KINDS:
        return _snapshot_step(book, kind, entry, path)
    before = plain(old if old is not None else shipped)
    status: Literal["differs", "replaces"] = "differs" if old is not None else "replaces"
    return EntryStep(path, kind, entry.id, status, entry, _figures(before, plain(entry)))


def _snapshot_step(book: Catalog, kind: str, entry: Entry, path: str) -> EntryStep:
    """A dated snapshot is added beside the one that has its id, unless it was added before."""
    number = 2
    while True:
        free = replace(entry, id=f"{entry.id[:76]}-{number}")
        if not book.has(kinds()[kind], free.id):
            return EntryStep(path, kind, entry.id, "added", free)
        if _same(free, book.find(kinds()[kind], free.id).entry):
            return EntryStep(path, kind, entry.id, "same", free)
        number += 1


def _source_step(book: Catalog, source: Source, path: str) -> EntryStep:
    old = book.sources([source.id])[0]
    if not isinstance(old, Source):
        return EntryStep(path, SOURCE, source.id, "new", source)
    if _same(source, old):
        return EntryStep(path, SOURCE, source.id, "same", source)
    own = any(source.id in overlay.sources for overlay in book.overlays)
    status: Literal["differs", "replaces"] = "differs" if own else "replaces"
    return EntryStep(path, SOURCE, source.id, status, source, _figures(plain(old), plain(source)))


def _same(one: Entry | Source, other: Entry | Source | None) -> bool:
    return other is not None and plain(one) == plain(other)


def _figures(before: Mapping[str, Any], after: Mapping[str, Any]) -> tuple[tuple[str, Any, Any], ...]:
    names = dict.fromkeys((*before, *after))
    return tuple((name, before.get(name), after.get(name)) for name in names if before.get(name) != after.get(name))


def _users(library: Library, before: Catalog, after: Catalog) -> dict[tuple[str, str], list[str]]:
    """The saved scenarios of all workspaces for whom a name would stand for another entry, by that entry."""
    users: dict[tuple[str, str], list[str]] = {}
    known: dict[tuple[str, str], tuple[str, str] | None] = {}
    with library.database.reading() as session:
        saved = [(one, place.name) for place in list_workspaces(session) for one in list_scenarios(session, place)]
    for one, workspace in saved:
        for field in NAMING:
            name = _name_in(one.scenario, field)
            if (field, name) not in known:
                known[field, name] = _changed(before, after, field, name)
            changed = known[field, name]
            label = f"{workspace}/{one.name}"
            if changed is not None and label not in users.setdefault(changed, []):
                users[changed].append(label)
    return users


def _name_in(scenario: Scenario, field: str) -> str:
    try:
        return str(scenario.values[field] or "")
    except InputError:
        return ""


def _changed(before: Catalog, after: Catalog, field: str, name: str) -> tuple[str, str] | None:
    kind = NAMING[field]
    if not name or not after.has(kind, name):
        return None
    found = after.find(kind, name).entry
    if before.has(kind, name) and before.find(kind, name).entry == found:
        return None
    return kind.name, found.id
