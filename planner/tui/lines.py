"""The lines of the grid: sections of inputs, results and facts, each folded, short or full. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Literal

from planner.model.display import display_of
from planner.model.facts import FACT_FIELDS
from planner.model.fields import Field
from planner.model.inputs import INPUTS
from planner.model.rows import SHEET
from planner.model.sheet import Row

LineKind = Literal["name", "input", "fact", "result", "verdict"]
Fold = Literal["closed", "short", "more", "full"]
"""closed: the heading alone; short: main lines; more: all but the steps on the way; full: every line."""

MAIN_INPUTS = frozenset(
    "accelerator tensor_parallel model weight_format kv_format requests_per_day prompt_tokens output_tokens "
    "peak_factor ttft_target_ms tpot_target_ms efficiency_profile device_price_per_hour input_price_per_million "
    "output_price_ratio".split()
)
"""Inputs that a short section shows even where every scenario leaves them at their default."""

MAIN_RESULTS = frozenset(
    "kv_bytes_per_token kv_pool_bytes_per_device capacity_requests_per_second utilization_peak ttft_p95_s "
    "tokens_per_second_per_user tokens_per_second_per_replica in_flight energy_kwh_per_month "
    "break_even_requests_per_day break_even_utilization".split()
)
"""Results that a short section shows beside the key rows."""

PINNED = (
    "verdict", "ttft_s", "tpot_s", "devices", "self_host_cost_per_month", "api_cost_per_month",
    "self_host_cost_per_million_output_tokens", "latency_s", "capacity_requests_per_second",
)  # fmt: skip
"""Results that stay in sight below the grid, the first ones where there is room for few; key rows follow them."""

SHORT_UNITS = {
    "requests/day": "req/day", "requests/s": "req/s", "requests": "req", "sequences": "seq", "tokens": "tok",
    "tokens/s": "tok/s", "devices": "dev", "replicas": "repl", "months": "mo",
    "h/month": "h/mo", "$/month": "$/mo", "kWh/month": "kWh/mo", "experts": "",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Line:
    """One quantity of the grid: an input or fact (``field``) or a result (``row``). ``main``: shown when short."""

    kind: LineKind
    name: str
    label: str
    unit: str
    section: str
    main: bool
    field: Field | None = None
    row: Row | None = None

    @property
    def editable(self) -> bool:
        """Whether a person may change it."""
        return self.kind not in ("result", "verdict")

    @property
    def short_unit(self) -> str:
        """The unit as the label column shows it."""
        unit = display_of(self.row).unit if self.row is not None else self.unit
        return SHORT_UNITS.get(unit, unit)

    @property
    def help(self) -> str:
        """What it is."""
        if self.kind == "name":
            return "The scenario's name: one of its own in the workspace. Enter renames it."
        if self.kind == "verdict":
            return "Whether it serves its load within its targets, and how its cost compares to the cheapest."
        if self.field is not None:
            return self.field.help
        return self.row.doc if self.row is not None else ""


@dataclass(frozen=True, slots=True)
class Section:
    """Lines under one heading."""

    key: str
    title: str
    kind: LineKind
    lines: tuple[Line, ...]


@dataclass(frozen=True, slots=True)
class Heading:
    """The line of a section's title; ``hidden`` lines of the section are not shown."""

    section: Section
    fold: Fold
    hidden: int

    @property
    def name(self) -> str:
        """The section's key: it tells headings from lines and from one another."""
        return self.section.key


Item = Line | Heading

NAME_LINE = Line("name", "scenario_name", "Scenario", "", "", True)
"""The header: the scenarios' names. It is the first item and never scrolls."""

VERDICT_LINE = Line("verdict", "verdict", "Verdict", "", "Answer", True)
"""The answer of the comparison, scenario by scenario."""


def _field_line(kind: LineKind, field: Field, section: str) -> Line:
    main = kind == "input" and field.name in MAIN_INPUTS
    return Line(kind, field.name, field.label, field.unit, section, main, field=field)


def _result_line(row: Row, groups: set[str]) -> Line:
    section = f"{row.section} (results)" if row.section in groups else row.section
    return Line("result", row.name, row.label, row.unit, section, row.key or row.name in MAIN_RESULTS, row=row)


def _sections_of(kind: LineKind, lines: Iterable[Line]) -> list[Section]:
    by_title: dict[str, list[Line]] = {}
    for line in lines:
        by_title.setdefault(line.section, []).append(line)
    return [Section(f"{kind}:{title}", title, kind, tuple(members)) for title, members in by_title.items()]


@cache
def all_sections() -> tuple[Section, ...]:
    """Inputs by group, then results by section of the sheet, then the facts that an input may override."""
    inputs = [_field_line("input", field, field.group) for field in INPUTS.values()]
    groups = {line.section for line in inputs}
    results = [_result_line(row, groups) for row in SHEET.rows.values()]
    facts = [
        _field_line("fact", field, f"{field.group} factors" if field.group in groups else field.group)
        for field in FACT_FIELDS.values()
    ]
    answer = Section("result:Answer", "Answer", "result", (VERDICT_LINE,))
    return (*_sections_of("input", inputs), answer, *_sections_of("result", results), *_sections_of("fact", facts))


@cache
def all_lines() -> dict[str, Line]:
    """Every line by name: inputs, facts and results have no name in common."""
    return {line.name: line for section in all_sections() for line in section.lines}


def pinned_lines(count: int, own: Sequence[str] = ()) -> list[Line]:
    """The ``count`` results that matter most: a person's ``own`` first, then the usual ones."""
    known = all_lines()
    rest = [row.name for row in SHEET.rows.values() if row.key]
    names = dict.fromkeys((*own, *PINNED, *rest))
    return [known[name] for name in names if name in known][: max(0, count)]


class Outline:
    """Which lines are visible.

    ``in_use`` names inputs and facts that some scenario sets: a short section shows them too. It only grows, so that
    no line vanishes under the cursor when a value returns to its default. ``revealed`` are sections that nobody
    unfolded: a search led into them.
    """

    def __init__(self, sections: Sequence[Section] | None = None) -> None:
        self.sections = tuple(sections) if sections is not None else all_sections()
        self.folds: dict[str, Fold] = {}
        self.revealed: set[str] = set()
        self.in_use: set[str] = set()
        self.only: Callable[[Line], bool] | None = None
        self.items: list[Item] = []
        self._places: dict[str, int] = {}
        self.rebuild()

    def rebuild(self) -> None:
        """Work out the visible items anew."""
        self.items = [NAME_LINE]
        for section in self.sections:
            fold = self.folds.get(section.key, "short")
            lines = [line for line in section.lines if self._shows(line, fold)]
            if self.only is not None and not lines:
                continue
            self.items.append(Heading(section, fold, len(section.lines) - len(lines)))
            self.items.extend(lines)
        self._places = {item.name: place for place, item in enumerate(self.items)}

    def _shows(self, line: Line, fold: Fold) -> bool:
        if self.only is not None:
            return self.only(line)
        if fold == "short":
            return line.main or line.name in self.in_use
        if fold == "more":
            return line.row is None or not line.row.detail or line.main
        return fold == "full"

    def use(self, names: Iterable[str]) -> None:
        """Show these inputs and facts from now on."""
        new = set(names) - self.in_use
        if new:
            self.in_use |= new
            self.rebuild()

    def place(self, name: str) -> int | None:
        """Where the line or heading called ``name`` stands; None where it is hidden."""
        return self._places.get(name)

    def section_of(self, item: Item) -> Section | None:
        """The section of a line or heading; the header has none."""
        if isinstance(item, Heading):
            return item.section
        return next((section for section in self.sections if item in section.lines), None)

    def cycle(self, section: Section) -> Fold:
        """Show more of ``section``: main lines, more, all, none, in turn, as far as they differ."""
        fold = self.folds.get(section.key, "short")
        folds: tuple[Fold, ...] = ("closed", "short", "more", "full")
        shown = {way: [line for line in section.lines if self._shows(line, way)] for way in folds}
        distinct = [way for place, way in enumerate(folds) if place == 0 or shown[way] != shown[folds[place - 1]]]
        now = max((place for place, way in enumerate(distinct) if folds.index(way) <= folds.index(fold)), default=0)
        return self.fold(section, distinct[(now + 1) % len(distinct)])

    def fold(self, section: Section, fold: Fold) -> Fold:
        """Fold ``section`` that way."""
        self.folds[section.key] = fold
        self.revealed.discard(section.key)
        self.rebuild()
        return fold

    def fold_all(self, fold: Fold) -> None:
        """Fold every section that way."""
        self.folds = dict.fromkeys((section.key for section in self.sections), fold)
        self.revealed.clear()
        self.rebuild()

    def reveal(self, name: str) -> int:
        """Make the line called ``name`` visible; where it stands. Raises KeyError for an unknown line."""
        place = self.place(name)
        if place is None:
            line = all_lines()[name]
            self.only = None
            self.rebuild()
            if self.place(name) is None:
                section = next(section for section in self.sections if line in section.lines)
                self.fold(section, "full")
                self.revealed.add(section.key)
            place = self._places[name]
        return place
