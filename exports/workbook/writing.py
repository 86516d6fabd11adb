"""Putting the workbook together: sheets in their order, properties, protection."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import fields

from openpyxl.packaging.custom import StringProperty
from openpyxl.workbook.properties import CalcProperties

from exports.files import digest
from exports.workbook import styles as look
from exports.workbook.about import write_about
from exports.workbook.assumptions import write_assumptions
from exports.workbook.book import Book
from exports.workbook.checks import write_checks
from exports.workbook.comparison import write_comparison
from exports.workbook.inputs import write_inputs
from exports.workbook.lists import write_lists
from exports.workbook.model import write_model, write_solver
from exports.workbook.results import FROM_SCENARIOS, write_results
from exports.workbook.stored import DIGEST_PLACE
from planner.model.scenario import Scenario

_TAB_COLOURS = {"Comparison": look.NAVY, "Results": look.NAVY, "Inputs": "F2B800", "Checks": look.GREEN}


def write_sheets(book: Book, *, protect: bool) -> None:
    """All sheets, in the order in which they are read."""
    write_checks(book)
    write_comparison(book)
    many = len(book.scenarios) >= FROM_SCENARIOS
    if many:
        write_results(book)
    write_inputs(book)
    write_model(book)
    write_solver(book)
    write_assumptions(book)
    write_lists(book)
    titles = ["About", "Comparison", *(["Results"] if many else []), "Inputs", "Model", "Solver", "Assumptions"]
    titles += ["Checks", "Lists"]
    write_about(book, titles)
    book.styles.finish()
    book.workbook._sheets = [book.pages[title].sheet for title in titles]
    book.workbook.active = titles.index("Comparison")
    for title, page in book.pages.items():
        page.sheet.sheet_view.tabSelected = title == "Comparison"
        page.sheet.sheet_view.zoomScale = 90
        if title in _TAB_COLOURS:
            page.sheet.sheet_properties.tabColor = f"FF{_TAB_COLOURS[title]}"
        if protect:
            page.sheet.protection.sheet = True
            page.sheet.protection.formatColumns = page.sheet.protection.formatRows = False


def write_properties(book: Book, form: str) -> None:
    """What the file says of itself: document properties, and custom ones for the way back."""
    properties = book.workbook.properties
    properties.title = book.title
    properties.creator = properties.lastModifiedBy = book.provenance.exported_by or "LLM serving planner"
    properties.subject = "Cost and speed of serving language models"
    properties.description = f"{len(book.scenarios)} scenarios, live formulas"
    properties.keywords = "LLM serving; capacity planning; cost"
    properties.category = "Financial model"
    properties.language = "en"
    properties.created = properties.modified = book.moment
    book.workbook.calculation = CalcProperties(fullCalcOnLoad=True)
    inputs = inputs_digest(book.ids, [evaluated.scenario for evaluated in book.scenarios])
    custom = {
        "PlannerFormat": form,
        "PlannerWorkbookId": digest(f"{inputs} {book.moment.isoformat()} {' '.join(book.ids)}".encode())[:32],
        "PlannerInputs": inputs,
        "PlannerContent": DIGEST_PLACE,
        "PlannerScenarioIds": " ".join(book.ids)[:2000],
        **{
            f"Planner{''.join(word.capitalize() for word in field.name.split('_'))}": text
            for field in fields(book.provenance)
            if (text := str(getattr(book.provenance, field.name)))
        },
    }
    for name, text in custom.items():
        book.workbook.custom_doc_props.append(StringProperty(name=name, value=text))


def inputs_digest(ids: Sequence[str], scenarios: Sequence[Scenario]) -> str:
    """SHA-256 over ids, names, inputs and overridden facts: tells whether the plan has moved on since."""
    content = [
        [identity, scenario.name, sorted(scenario.values.items()), sorted(scenario.overrides.items())]
        for identity, scenario in zip(ids, scenarios, strict=True)
    ]
    return digest(json.dumps(content, ensure_ascii=True, allow_nan=False).encode())
