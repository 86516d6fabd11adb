"""Reading an exported workbook back: the scenarios that its Inputs sheet holds now.

Lines are found by the Ref column and scenarios by the row of their ids, wherever these stand; all else is ignored. As
in any file, nothing is trusted: sizes are bounded, and every cell that cannot be used is named, with what it holds and
what is allowed.
"""

from __future__ import annotations

import io
import math
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, time
from itertools import islice
from pathlib import Path

from openpyxl import load_workbook
from openpyxl.utils import get_column_letter
from openpyxl.workbook import Workbook

from catalog.book import Catalog, Overlay
from catalog.errors import BadFileError
from catalog.files import read_bytes, shown
from catalog.resolve import resolve
from exports.json_plan import MAX_BYTES, MAX_PROBLEMS, Plan, Planned, Problem
from exports.own import LAYER
from exports.workbook import FORMAT
from exports.workbook.archive import sheet_alone
from exports.workbook.inputs import is_locked
from exports.workbook.page import FIRST_SCENARIO, NAMES_ROW, REF_COLUMN
from exports.workbook.stored import UNREADABLE
from exports.workbook.writing import inputs_digest
from planner.model.facts import FACT_FIELDS
from planner.model.fields import Field, FieldValue, InputError, printable
from planner.model.inputs import INPUTS, check_together
from planner.model.rows import CELLS, HOUR_NAMES
from planner.model.scenario import Scenario

MOST_ROWS = 5000
MOST_COLUMNS = 2000
"""Rows and columns of the Inputs sheet that are read; an export has some 250 and one for each scenario."""
_SAME = 1e-14
"""Programs that save a workbook keep 15 digits."""
_ERRORS = ("#NULL!", "#DIV/0!", "#VALUE!", "#REF!", "#NAME?", "#NUM!", "#N/A")
_TITLE = "Inputs"


@dataclass(frozen=True, slots=True)
class Known:
    """A saved scenario that the workbook's id stands for; what a workbook does not hold is taken from it."""

    scenario: Scenario
    tags: tuple[str, ...] = ()
    in_fleet: bool = False


def read_workbook(path: Path, catalog: Catalog, known: Mapping[str, Known]) -> Plan:
    """The scenarios of the workbook at ``path``; ``known`` are the saved ones by id.

    A fact that is not what ``catalog`` says of the scenario's names is an override. The plan's provenance
    has the catalogue's version at the export and, under ``moved_on``, whether a scenario has been changed here since.
    Raises MissingFileError where there is none, BadFileError where it is no export of this form.
    """
    where = shown(path)
    raw = read_bytes(path, limit=MAX_BYTES)
    try:
        part = sheet_alone(raw, _TITLE, where)
        # openpyxl warns of what it leaves out, which is all that is no value.
        with warnings.catch_warnings(action="ignore"):
            # Formulas and their results are in two readings; the first tells which cells hold a formula.
            written, values = (
                load_workbook(io.BytesIO(part), read_only=True, data_only=one, keep_links=False)
                for one in (False, True)
            )
            about = _form(written, where)
            grid = _Grid(_cells(written), _cells(values))
    except BadFileError:
        raise
    except (*UNREADABLE, TypeError, AttributeError, SyntaxError) as error:
        raise BadFileError(f"{where} is no workbook that can be read ({type(error).__name__}).") from None
    return _Reader(grid, catalog, known, where, about).plan()


def _form(book: Workbook, where: str) -> dict[str, str]:
    """What the file says of itself. Raises BadFileError where this program does not read it."""
    custom = {one.name: str(one.value) for one in book.custom_doc_props.props}
    form = custom.get("PlannerFormat", FORMAT)
    if form.removesuffix(".0") != FORMAT:
        raise BadFileError(f"{where} has format {printable(form)[:20]}; this program reads format {FORMAT}.")
    return {"catalogue_version": custom.get("PlannerCatalogueVersion", ""), "inputs": custom.get("PlannerInputs", "")}


def _cells(book: Workbook) -> list[tuple[object, ...]]:
    sheet = book[_TITLE]
    # What a file says of a sheet's size need not be so.
    sheet.reset_dimensions()
    rows = list(islice(sheet.iter_rows(max_col=MOST_COLUMNS + 1, values_only=True), MOST_ROWS + 1))
    wide = any(len(row) > MOST_COLUMNS and row[MOST_COLUMNS] is not None for row in rows)
    if wide or any(cell is not None for row in rows[MOST_ROWS:] for cell in row):
        raise BadFileError(
            f"The sheet {_TITLE} has more than {MOST_ROWS:,} rows or {MOST_COLUMNS:,} columns: import it in parts."
        )
    return rows[:MOST_ROWS]


@dataclass(frozen=True, slots=True)
class _Grid:
    """The Inputs sheet as it is written and as it is computed, rows and columns counted from 1."""

    written: Sequence[tuple[object, ...]]
    values: Sequence[tuple[object, ...]]

    def at(self, row: int, column: int) -> object:
        """The value of a cell, None where it is empty."""
        return _pick(self.values, row, column)

    def is_formula(self, row: int, column: int) -> bool:
        """Whether the cell computes its value."""
        text = _pick(self.written, row, column)
        return isinstance(text, str) and text.startswith("=") and self.at(row, column) != text


def _pick(rows: Sequence[tuple[object, ...]], row: int, column: int) -> object:
    found = rows[row - 1] if 0 < row <= len(rows) else ()
    return found[column - 1] if column <= len(found) else None


@dataclass(slots=True)
class _Reader:
    grid: _Grid
    catalog: Catalog
    known: Mapping[str, Known]
    where: str
    about: dict[str, str]
    problems: list[Problem] = field(default_factory=list)

    def plan(self) -> Plan:
        """Every scenario, or everything that is wrong."""
        refs = dict(self.refs())
        if "scenario_id" not in refs:
            raise BadFileError(f"{self.where} is no export of the planner: {_TITLE} has no line scenario_id.")
        row = refs["scenario_id"]
        names_row = row - 1 if row > 1 else NAMES_ROW
        missing = [name for name in self.wanted() if name not in refs]
        for name in missing:
            self.say(_TITLE, f"there is no line with Ref {name}: it was removed, or another version wrote the file.")
        columns = [
            column
            for column in range(FIRST_SCENARIO, max((len(line) for line in self.grid.values), default=0) + 1)
            if any(self.grid.at(one, column) not in (None, "") for one in (row, names_row))
        ]
        if not columns:
            self.say(f"{_TITLE}!E{row}", "there is no scenario.")
        planned = [] if missing else [self.scenario(refs, row, names_row, column) for column in columns]
        made = tuple(one for one in planned if one is not None)
        uids = [str(self.grid.at(row, column)) for column in columns]
        if all(uid in self.known for uid in uids):
            now = inputs_digest(uids, [self.known[uid].scenario for uid in uids])
            self.about["moved_on"] = "" if now == self.about["inputs"] else "yes"
        return Plan(made, Overlay(LAYER, {}), {}, None, self.about, tuple(self.problems[:MAX_PROBLEMS]))

    def refs(self) -> Iterator[tuple[str, int]]:
        """What stands in the Ref column, with its row; the first of equals counts."""
        seen = set()
        for row in range(1, len(self.grid.values) + 1):
            ref = self.grid.at(row, REF_COLUMN)
            if isinstance(ref, str) and ref not in seen:
                seen.add(ref)
                yield ref, row

    @staticmethod
    def wanted() -> Iterator[str]:
        """The lines that a scenario is made of; a fact without a line, as of an older program, is the catalogue's."""
        for name, cell in INPUTS.items():
            yield from HOUR_NAMES if cell.kind == "shares" else (name,)

    def say(self, place: str, text: str) -> None:
        self.problems.append(Problem(place, text))

    def scenario(self, refs: Mapping[str, int], ids: int, names: int, column: int) -> Planned | None:
        """The scenario in ``column``; None where it cannot be used."""
        letter, before = get_column_letter(column), len(self.problems)
        uid = str(self.grid.at(ids, column))
        old = self.known.get(uid)
        name = self.grid.at(names, column)
        if isinstance(name, (int, float)) and not isinstance(name, bool):
            name = f"{name:g}"
        if not isinstance(name, str) or not name.strip():
            self.say(f"{_TITLE}!{letter}{names}", "the scenario has no name.")
        values: dict[str, FieldValue] = {}
        for one, cell in INPUTS.items():
            if cell.kind == "shares":
                values[one] = self.shares(refs, column, old)
            else:
                before_it = old.scenario.values[one] if old is not None else None
                values[one] = self.value(cell, refs[one], column, before_it)
        # A column that was added has none of the facts, and needs none.
        rows = [one for one in refs if one in FACT_FIELDS]
        there = [one for one in rows if old or self.grid.at(refs[one], column) not in (None, "")]
        facts = {one: self.value(FACT_FIELDS[one], refs[one], column, None) for one in there}
        if old is not None:
            self.same_names(refs, column, old.scenario, values)
        if len(self.problems) > before:
            return None
        place = f"{_TITLE}!{letter}"
        try:
            check_together(values)
            basis = old.scenario if old is not None else Scenario("", values)
            overrides = self.overrides(refs, column, basis, facts)
        except InputError as error:
            self.say(place, str(error))
            return None
        if len(self.problems) > before:
            return None
        notes = old.scenario.notes if old is not None else ""
        called = old.scenario.name if old is not None else str(name).strip()
        made = Scenario(called, values, overrides, notes)
        tags, in_fleet = (old.tags, old.in_fleet) if old is not None else ((), False)
        return Planned(place, made, tags, in_fleet, uid=uid if old is not None else "")

    def same_names(self, refs: Mapping[str, int], column: int, old: Scenario, values: Mapping[str, FieldValue]) -> None:
        """Refuses another name of the catalogue: the facts in the workbook are still those of the first."""
        for one, cell in INPUTS.items():
            if is_locked(cell) and one != "currency" and values[one] not in (old.values[one], None):
                place = f"{_TITLE}!{get_column_letter(column)}{refs[one]}"
                said, now = (printable(cell.show(which[one])) for which in (old.values, values))
                text = f"{cell.label} is '{now}' and was '{said}': its facts do not follow in a workbook; "
                self.say(place, f"{text}change it in the planner.")

    def shares(self, refs: Mapping[str, int], column: int, old: Known | None) -> FieldValue:
        """The hourly profile: all 24 shares, or none."""
        saved = old.scenario.values["hourly_profile"] if old is not None else None
        before = saved if isinstance(saved, tuple) else (None,) * len(HOUR_NAMES)
        found = [
            self.value(CELLS[name], refs[name], column, share) for name, share in zip(HOUR_NAMES, before, strict=True)
        ]
        if all(share is None for share in found):
            return None
        place = f"{_TITLE}!{get_column_letter(column)}{refs[HOUR_NAMES[0]]}"
        try:
            return INPUTS["hourly_profile"].check(tuple(found))
        except InputError as error:
            self.say(place, str(error))
            return None

    def value(self, cell: Field, row: int, column: int, old: FieldValue) -> FieldValue:
        """One input; a number that only lost its last digits is the one that was exported."""
        raw = self.grid.at(row, column)
        place = f"{_TITLE}!{get_column_letter(column)}{row}"
        wrong = _wrong(cell, raw, is_formula=self.grid.is_formula(row, column))
        if wrong:
            self.say(place, f"{cell.label} {wrong}; it must be {cell.bounds()}.")
            return None
        try:
            value = cell.parse(raw) if isinstance(raw, str) else cell.check(_switched(cell, raw))
        except InputError as error:
            self.say(place, str(error))
            return None
        return old if _agrees(value, old) else value

    def overrides(
        self, refs: Mapping[str, int], column: int, scenario: Scenario, facts: Mapping[str, FieldValue]
    ) -> dict[str, float | None]:
        """The facts that are not what ``scenario``, as it is saved or else as it stands here, has looked up."""
        found = resolve(scenario.values, self.catalog, scenario.overrides).facts
        made = {name: own for name, own in scenario.overrides.items() if name not in facts}
        for name, value in facts.items():
            if name in scenario.overrides and _agrees(value, scenario.overrides[name]):
                made[name] = scenario.overrides[name]
            elif _agrees(value, found[name].value):
                continue
            elif isinstance(value, (int, float)):
                made[name] = float(value)
            else:
                place = f"{_TITLE}!{get_column_letter(column)}{refs[name]}"
                known = FACT_FIELDS[name].show(found[name].value)
                self.say(place, f"{FACT_FIELDS[name].label} is blank; it is {known} and can only be replaced.")
        return made


def _wrong(cell: Field, raw: object, *, is_formula: bool) -> str:
    """Why a cell cannot be used, whatever number it might stand for; empty where it can be."""
    if is_formula and raw is None:
        return "is a formula without a result: let a spreadsheet compute and save it"
    if isinstance(raw, (datetime, date, time)):
        return f"is the date {raw}"
    if isinstance(raw, str) and raw in _ERRORS:
        return f"is the error {raw}"
    if isinstance(raw, str) and cell.is_number and raw.strip():
        return f"is the text '{printable(raw)[:40]}', not a number"
    if isinstance(raw, bool) and cell.kind != "switch":
        return f"is {str(raw).upper()}"
    if raw is not None and not isinstance(raw, (str, int, float)):
        return "holds something that is no value"
    return ""


def _switched(cell: Field, raw: object) -> object:
    """A switch may come back as 1 or 0."""
    return bool(raw) if cell.kind == "switch" and raw in (0, 1) else raw


def _agrees(value: FieldValue, old: FieldValue) -> bool:
    """Whether two numbers are the same but for the digits that a spreadsheet drops."""
    if isinstance(value, bool) or isinstance(old, bool):
        return value is old
    if isinstance(value, (int, float)) and isinstance(old, (int, float)):
        return math.isclose(value, old, rel_tol=_SAME, abs_tol=0.0)
    return value == old
