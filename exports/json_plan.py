"""Reading what ``exports.json`` writes: scenarios and the own catalogue entries that go with them.

Nothing of the file is trusted. A document is bounded in size and depth; unknown keys, wrong types, values out of
bounds and numbers that are not finite are refused, all of them at once, each with its place in the document. Facts
that no scenario overrides, and results, are for readers: their numbers must be numbers, and results are kept only to
be compared with what comes out here.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from catalog.book import Overlay, kinds
from catalog.config_json.document import parse
from catalog.errors import BadFileError
from catalog.files import read_bytes, shown
from exports.json import FORMAT
from exports.own import LAYER
from planner.model.facts import FACT_FIELDS
from planner.model.fields import Field, FieldValue, InputError, nearest, printable
from planner.model.inputs import INPUTS, check_together, default_values
from planner.model.lookup import ALIASES
from planner.model.rows import SHEET
from planner.model.scenario import Scenario

MAX_BYTES = 64_000_000
"""About 1,500 scenarios with all their facts and results."""
MAX_PROBLEMS = 1000
_KEYS = ("format", "exported_at", "provenance", "baseline", "scenarios", "catalogue")
_SCENARIO_KEYS = ("id", "name", "notes", "tags", "fleet", "inputs", "overrides", "facts", "rows")
_ZIP = b"PK\x03\x04"


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong in a document: where, as a JSON path, and what."""

    path: str
    text: str

    def __str__(self) -> str:
        return f"{self.path}: {self.text}"


@dataclass(frozen=True, slots=True)
class Planned:
    """A scenario of the document; ``rows`` are the results that it had where it was written."""

    path: str
    scenario: Scenario
    tags: tuple[str, ...] = ()
    in_fleet: bool = False
    rows: Mapping[str, float | str | bool | None] = field(default_factory=dict)
    defaulted: tuple[str, ...] = ()
    """Inputs that the document does not give; they have their defaults."""
    uid: str = ""
    """The saved scenario that it is known to be, where it is."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What a document holds. Where there are ``problems`` the rest is not to be used."""

    scenarios: tuple[Planned, ...]
    own: Overlay
    own_paths: Mapping[tuple[str, str], str]
    """Where each own entry stands, by kind and id."""
    baseline: str | None = None
    provenance: Mapping[str, str] = field(default_factory=dict)
    problems: tuple[Problem, ...] = ()


def read_plan(path: Path) -> Plan:
    """The plan in a regular file of at most 64 MB.

    Raises MissingFileError where there is none, BadFileError where it is no JSON document of this form.
    """
    if path.suffix.lower() in (".xlsx", ".xlsm"):
        raise BadFileError(f"{shown(path)} is a workbook, not a JSON export; of those only .xlsx is read.")
    raw = read_bytes(path, limit=MAX_BYTES)
    if raw.startswith(_ZIP):
        raise BadFileError(f"{shown(path)} is an archive; of those only workbooks are read, by the ending .xlsx.")
    return plan_from(parse(raw, shown(path)), shown(path))


def plan_from(document: Mapping[str, Any], where: str) -> Plan:
    """The plan in ``document``. Raises BadFileError naming ``where`` when it has not the form of an export at all."""
    if "format" not in document or "scenarios" not in document:
        raise BadFileError(f"{where} is no export of the planner: it has no format or no scenarios.")
    number = document["format"]
    if isinstance(number, bool) or not isinstance(number, int) or number != FORMAT:
        said = printable(str(number)[:20])
        raise BadFileError(f"{where} has format {said}; this program reads format {FORMAT}.")
    return _Reader().plan(document)


class _Reader:
    """Reads one document and collects what is wrong with it."""

    def __init__(self) -> None:
        self.problems: list[Problem] = []
        self.refused: set[str] = set()
        """Paths of values that are refused already."""

    def say(self, path: str, text: str) -> None:
        if len(self.problems) < MAX_PROBLEMS:
            self.problems.append(Problem(path, text))

    def plan(self, document: Mapping[str, Any]) -> Plan:
        for path in _not_finite(document, "$"):
            self.refused.add(path)
            self.say(path, "the number is not finite, or larger than 1e308.")
        self.known(document, _KEYS, "$")
        scenarios = self.listed(document.get("scenarios"), "$.scenarios")
        if not scenarios and isinstance(document.get("scenarios"), list):
            self.say("$.scenarios", "there is no scenario in it.")
        planned = [self.scenario(raw, f"$.scenarios[{place}]") for place, raw in enumerate(scenarios)]
        made = tuple(one for one in planned if one is not None)
        baseline = self.text(document.get("baseline"), "$.baseline", optional=True)
        if baseline and made and baseline not in {one.scenario.name for one in made}:
            names = [one.scenario.name for one in made]
            hint = nearest(baseline, names)
            self.say("$.baseline", f"'{printable(baseline)[:80]}' is none of the scenarios{hint}.")
        self.text(document.get("exported_at"), "$.exported_at", optional=True)
        provenance = self.table(document.get("provenance"), "$.provenance", optional=True)
        own, paths = self.own(document.get("catalogue"))
        texts = {str(name)[:40]: value for name, value in provenance.items() if isinstance(value, str)}
        return Plan(made, own, paths, baseline or None, texts, tuple(self.problems))

    def known(self, table: Mapping[str, Any], names: Iterable[str], path: str) -> None:
        for name in table:
            if name not in names:
                self.say(_below(path, name), f"the key is not known{nearest(name[:80], names)}.")

    def table(self, raw: object, path: str, *, optional: bool = False) -> dict[str, Any]:
        if isinstance(raw, dict):
            return raw
        if not (optional and raw is None):
            self.say(path, f"it must be an object{_got(raw)}.")
        return {}

    def listed(self, raw: object, path: str) -> list[Any]:
        if isinstance(raw, list):
            return raw
        self.say(path, f"it must be a list{_got(raw)}.")
        return []

    def text(self, raw: object, path: str, *, optional: bool = False) -> str:
        if isinstance(raw, str):
            return raw
        if not (optional and raw is None):
            self.say(path, f"it must be a text{_got(raw)}.")
        return ""

    def scenario(self, raw: object, path: str) -> Planned | None:
        """One scenario; None where it has no name to be called by."""
        table = self.table(raw, path)
        if not isinstance(raw, dict):
            return None
        self.known(table, _SCENARIO_KEYS, path)
        name = self.text(table.get("name"), f"{path}.name")
        self.text(table.get("id"), f"{path}.id", optional=True)
        notes = self.text(table.get("notes"), f"{path}.notes", optional=True)
        tags = self.listed(table.get("tags", []), f"{path}.tags")
        texts = tuple(self.text(tag, f"{path}.tags[{place}]") for place, tag in enumerate(tags))
        fleet = table.get("fleet", False)
        if not isinstance(fleet, bool):
            self.say(f"{path}.fleet", f"it must be true or false{_got(fleet)}.")
        inputs = self.table(table.get("inputs"), f"{path}.inputs")
        before = len(self.problems)
        values = self.values(inputs, INPUTS, f"{path}.inputs")
        overrides = self.overrides(self.table(table.get("overrides"), f"{path}.overrides", optional=True), path)
        self.table(table.get("facts"), f"{path}.facts", optional=True)
        rows = self.rows(self.table(table.get("rows"), f"{path}.rows", optional=True))
        complete = default_values() | values
        if len(self.problems) == before:
            try:
                check_together(complete)
            except InputError as error:
                self.say(f"{path}.inputs", str(error))
        missing = tuple(one for one in INPUTS if one not in values)
        return Planned(path, Scenario(name, complete, overrides, notes), texts, fleet is True, rows, missing)

    def values(self, raw: Mapping[str, Any], fields: Mapping[str, Field], path: str) -> dict[str, FieldValue]:
        found: dict[str, FieldValue] = {}
        for name, value in raw.items():
            at = _below(path, name)
            one = fields.get(name)
            if one is None:
                other = " It is a fact: give it under overrides." if fields is INPUTS and name in FACT_FIELDS else ""
                self.say(
                    at,
                    f"there is no such {'input' if fields is INPUTS else 'fact'}{nearest(name[:80], fields)}.{other}",
                )
            elif not any(refused == at or refused.startswith(f"{at}[") for refused in self.refused):
                try:
                    found[name] = one.check(value)
                except InputError as error:
                    self.say(at, str(error))
        return found

    def overrides(self, raw: Mapping[str, Any], path: str) -> dict[str, float | None]:
        """Overridden facts; null is the catalogue's, as in a scenario that does not override the fact."""
        given = {ALIASES.get(name, name): value for name, value in raw.items() if value is not None}
        found = self.values(given, FACT_FIELDS, f"{path}.overrides")
        return {name: float(value) for name, value in found.items() if isinstance(value, (int, float))}

    def rows(self, raw: Mapping[str, Any]) -> dict[str, float | str | bool | None]:
        """The results that this program has too, as far as they can be read."""
        found: dict[str, float | str | bool | None] = {}
        for name, row in raw.items():
            value = row.get("value") if isinstance(row, dict) else ...
            if name in SHEET.rows and (value is None or isinstance(value, (bool, int, float, str))):
                found[name] = value
        return found

    def own(self, raw: object) -> tuple[Overlay, dict[tuple[str, str], str]]:
        """The own entries of the document, each checked by the catalogue by itself."""
        entries: dict[str, dict[str, Any]] = {}
        sources: dict[str, Any] = {}
        paths: dict[tuple[str, str], str] = {}
        document = self.table(raw, "$.catalogue", optional=True)
        tables = (*kinds(), "source")
        self.known(document, (*tables, "schema", "collected"), "$.catalogue")
        self.part({"schema": document.get("schema", 1)}, "$.catalogue.schema")
        for kind in tables:
            items = self.listed(document.get(kind, []), f"$.catalogue.{kind}")
            for place, item in enumerate(items):
                path = f"$.catalogue.{kind}[{place}]"
                if any(refused.startswith(path) for refused in self.refused):
                    continue
                part = self.part({kind: [item]}, path) if isinstance(item, dict) else Overlay(LAYER, {})
                if not isinstance(item, dict):
                    self.table(item, path)
                for one in (*part.sources, *part.entries.get(kind, {})):
                    if (kind, one) in paths:
                        self.say(path, f"{kind} {one} is there twice.")
                    paths[kind, one] = path
                sources |= part.sources
                for name, found in part.entries.items():
                    entries.setdefault(name, {}).update(found)
        return Overlay(LAYER, entries, sources), paths

    def part(self, document: dict[str, Any], path: str) -> Overlay:
        try:
            return Overlay.from_document(document, path)
        except BadFileError as error:
            self.say(path, str(error).removeprefix(f"{path}: "))
            return Overlay(LAYER, {})


def _below(path: str, name: str) -> str:
    """The path of key ``name`` below ``path``."""
    is_plain = name.isidentifier() and name.isascii() and len(name) <= 60
    return f"{path}.{name}" if is_plain else f"{path}['{printable(name)[:60]}']"


def _got(raw: object) -> str:
    if raw is None:
        return ", and it is missing or null"
    if isinstance(raw, (dict, list)):
        return ", not an object" if isinstance(raw, dict) else ", not a list"
    return f", not '{printable(str(raw))[:40]}'"


def _not_finite(value: object, path: str) -> Iterator[str]:
    """Paths of numbers below ``value`` that no float holds."""
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from _not_finite(inner, _below(path, name))
    elif isinstance(value, list):
        for place, inner in enumerate(value):
            yield from _not_finite(inner, f"{path}[{place}]")
    elif isinstance(value, float):
        if not math.isfinite(value):
            yield path
    elif isinstance(value, int) and not isinstance(value, bool) and value.bit_length() > 1023:
        yield path
