"""The Assumptions sheet: where every input and fact comes from, the sources, and how each result is computed."""

from __future__ import annotations

import math
from collections.abc import Sequence

from exports.workbook import styles as look
from exports.workbook.book import Book
from exports.workbook.layout import FIRST_ROW, shown_unit
from exports.workbook.page import CONSTANT_COLUMN, FIRST_SCENARIO, Page
from planner.model.evaluation import Evaluated
from planner.model.facts import FACT_FIELDS
from planner.model.fields import Field
from planner.model.inputs import INPUTS
from planner.model.rows import HOUR_NAMES
from planner.model.scenario import Fact

_WIDE = 70
_MOST_NUMBERS = 12
_Source = tuple[str, str]


def write_assumptions(book: Book) -> None:
    """The Assumptions sheet."""
    page = book.page("Assumptions")
    page.heading(
        "Assumptions",
        "Where each value of each scenario comes from. S1, S2 ... are the sources listed first; 'entered' was set in "
        "the scenario, 'default' is the planner's own. Notes and sources are printed.",
    )
    page.scenario_header(book.names, "What it is, or what to know", is_text=True)
    writer = _Writer(book, page)
    writer.notes()
    writer.sources()
    printed = writer.row - 1
    writer.fields()
    writer.constants()
    writer.rows()
    page.finish(header_text=book.header_text, wide={CONSTANT_COLUMN: _WIDE, 3: 30})
    page.print_rows(1, printed)


class _Writer:
    def __init__(self, book: Book, page: Page) -> None:
        self.book, self.page, self.row = book, page, FIRST_ROW
        self.numbers: dict[_Source, str] = {}
        for evaluated in book.scenarios:
            for name in FACT_FIELDS:
                fact = evaluated.facts.get(name)
                if fact is not None and not fact.overridden and fact.value is not None:
                    self.numbers.setdefault(_source(fact), f"S{len(self.numbers) + 1}")

    def section(self, title: str) -> None:
        self.page.section(self.row, title)
        self.row += 1

    def line(self, label: str, unit: str, ref: str, text: str) -> None:
        """One line with a wrapped text in column D."""
        self.page.label(self.row, label, unit, ref)
        self.page.text(self.row, CONSTANT_COLUMN, text, look.TEXT)
        self.height(text, _WIDE)
        self.row += 1

    def height(self, text: str, width: int) -> None:
        """Makes the row high enough for ``text`` in a column of ``width`` characters."""
        lines = sum(max(1, math.ceil(len(part) / width)) for part in text.split("\n"))
        row = self.page.sheet.row_dimensions[self.row]
        row.height = max(row.height or 0, 12.8 * min(lines, 30) + 3)

    def notes(self) -> None:
        """What the scenarios' authors and the catalogue have to say."""
        scenarios = self.book.scenarios
        self.section("Notes")
        self.page.label(self.row, "Notes of the scenario", "text", "notes")
        self.page.text(self.row, CONSTANT_COLUMN, "Written by whoever made the scenario.", look.TEXT)
        self.texts([evaluated.scenario.notes for evaluated in scenarios])
        self.page.label(self.row, "Notes of the look-up", "text", "catalogue_notes")
        self.page.text(
            self.row, CONSTANT_COLUMN, "What the catalogue says about the names: substitutions, estimates.", look.TEXT
        )
        self.texts(["\n".join(evaluated.notes) for evaluated in scenarios])

    def texts(self, texts: Sequence[str]) -> None:
        """A row of wrapped texts, one a scenario."""
        for position, text in enumerate(texts):
            if text:
                self.page.text(self.row, FIRST_SCENARIO + position, text, look.TEXT)
                self.height(text, 24)
        self.page.widths[FIRST_SCENARIO] = max(self.page.widths.get(FIRST_SCENARIO, 0), 22)
        self.row += 1

    def sources(self) -> None:
        """The sources that the scenarios' facts rest on, each once."""
        self.section("Sources: the date they were read, their number, their name")
        for position, ((source, date), number) in enumerate(self.numbers.items(), start=1):
            self.line(f"Source {position}", date or "undated", number, source or "The catalogue itself")

    def fields(self) -> None:
        """Every input and fact with its meaning and, for each scenario, its origin."""
        heading = ""
        for item in self.book.layout.inputs:
            if item.constant is not None:
                break
            if item.field is None:
                heading = item.label
                self.section(heading)
                continue
            cell = item.field
            for position, evaluated in enumerate(self.book.scenarios):
                self.page.text(self.row, FIRST_SCENARIO + position, self.origin(cell, evaluated), look.LOCKED)
            self.line(cell.label, self.book.unit(shown_unit(cell)), cell.name, _meaning(cell) + self.doubts(cell))

    def doubts(self, cell: Field) -> str:
        """What is weak about a fact, with the numbers of the scenarios where it differs between them."""
        facts = [evaluated.facts.get(cell.name) for evaluated in self.book.scenarios]
        found: dict[str, list[str]] = {}
        for number, fact in enumerate(facts, start=1):
            doubt = fact.doubt.strip().rstrip(".") if fact is not None and not fact.overridden else ""
            found.setdefault(doubt, []).append(str(number))
        doubts = [
            doubt if len(found) == 1 else f"{doubt} (scenario {', '.join(numbers[:_MOST_NUMBERS])})"
            for doubt, numbers in found.items()
            if doubt
        ]
        return f" Doubt: {'; '.join(doubts[:_MOST_NUMBERS])}." if doubts else ""

    def origin(self, cell: Field, evaluated: Evaluated) -> str:
        """Where the value of ``cell`` in a scenario comes from, in a word."""
        if cell.name in FACT_FIELDS:
            fact = evaluated.facts.get(cell.name)
            if fact is None or (fact.value is None and not fact.overridden):
                return "not known"
            return "entered" if fact.overridden else self.numbers[_source(fact)]
        name = "hourly_profile" if cell.name in HOUR_NAMES else cell.name
        return "default" if evaluated.scenario.values.get(name) == INPUTS[name].default else "entered"

    def constants(self) -> None:
        """The model's constants and where each comes from."""
        self.section("Constants of the model")
        for constant in self.book.layout.constants.values():
            self.line(constant.label, constant.unit or "number", constant.name, f"Source: {constant.source}.")

    def rows(self) -> None:
        """What each line of the Model sheet is, by its formula and source."""
        section = ""
        for row in self.book.layout.sheet.rows.values():
            if row.name not in self.book.layout.model_rows:
                continue
            if row.section != section:
                section = row.section
                self.section(f"How it is computed: {section}")
            self.line(row.label, self.book.unit(row.unit) or "number", row.name, row.doc or row.label)


def _source(fact: Fact) -> _Source:
    return fact.source, fact.date


def _meaning(cell: Field) -> str:
    allowed = f"{cell.bounds()[:1].upper()}{cell.bounds()[1:]}"
    blank = f" or blank ({cell.blank})" if cell.optional and cell.blank else ""
    return f"{cell.help} Allowed: {allowed}{blank}." if cell.help else f"Allowed: {allowed}{blank}."
