"""`planner show --row`: where a number comes from, down to inputs and their sources."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from planner.cli.diagnostics import CommandError
from planner.cli.output import Column, write_line, write_table
from planner.model.evaluation import Evaluated
from planner.model.explain import Explanation, Term, explain
from planner.model.lookup import ALIASES
from planner.model.rows import SHEET


def _explained(name: str, evaluated: Evaluated) -> Explanation:
    try:
        return explain(name if name in SHEET.rows else ALIASES.get(name, name), evaluated)
    except KeyError as error:
        sentence = str(error.args[0])
        raise CommandError(f"{sentence[:1].upper()}{sentence[1:]}.") from None


def explanation_document(name: str, evaluated: Evaluated) -> dict[str, Any]:
    """The explanation as JSON."""
    return asdict(_explained(name, evaluated))


def write_explanation(name: str, evaluated: Evaluated) -> None:
    """The explanation for people."""
    found = _explained(name, evaluated)
    value = f"blank: {found.reason}" if found.reason else found.text
    write_line(f"{found.label} ({found.name}) = {value}   [{found.origin}]")
    if found.doc:
        write_line()
        write_line(found.doc)
    for formula in found.formulas:
        write_line()
        write_line(f"{formula.name} = {formula.symbols}")
        if formula.numbers != formula.symbols:
            write_line(f"{' ' * len(formula.name)} = {formula.numbers}")
    _terms("Made from" if found.formulas else "Stands for", found.terms)
    _terms("Rests on", found.rests_on)
    _terms("Used by", found.feeds)


def _terms(title: str, terms: tuple[Term, ...]) -> None:
    if terms:
        write_line()
        columns = [Column(title), Column("Name"), Column("Value", "right"), Column("From", wraps=True)]
        write_table(columns, [[term.label, term.name, term.text, term.origin] for term in terms], keep=3)
