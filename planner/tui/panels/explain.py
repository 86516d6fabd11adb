"""Explaining a cell: what it is, its formula and the numbers in it, and where each of them comes from."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from planner.model.explain import DEFAULT, SET_HERE, Explanation, Term, explain
from planner.tui.lines import all_lines
from planner.tui.panels.panel import Panel, PanelLine, PanelTone, text_line
from planner.tui.text import fit, one_line, width, wrapped

if TYPE_CHECKING:
    from planner.tui.desk import Desk

MOST = 40


class ExplainPanel(Panel):
    """The explanation of one cell; Enter follows a term of it, Backspace goes back."""

    def __init__(self, desk: Desk, name: str) -> None:
        super().__init__()
        self.desk = desk
        self.path = [name]
        self.place = desk.column

    def heading(self) -> str:
        """The cell."""
        return f"{self.desk.scenario_name(self.place)} ▸ {all_lines()[self.path[-1]].label}"

    def hints(self) -> tuple[tuple[str, str], ...]:
        """Its keys for the bar of keys."""
        back = (("⌫", "Back"),) if len(self.path) > 1 else ()
        return (("↑↓", "Choose"), ("Enter", "Follow"), *back, ("G", "Go to its line"), ("Esc", "Close"))

    def press(self, desk: Desk, key: str) -> None:
        """Act on a key."""
        if key in ("backspace", "left"):
            if len(self.path) > 1:
                self.path.pop()
                self.changed()
        elif key == "g":
            desk.close()
            desk.go_to(self.path[-1], self.place)
        else:
            super().press(desk, key)

    def follow(self, desk: Desk, target: str) -> None:  # noqa: ARG002 - as the base has it
        """Explain a term."""
        self.path.append(target)
        self.changed()

    def build(self, width: int) -> Sequence[PanelLine]:
        """The page."""
        column = self.desk.book.look(self.place)
        name = self.path[-1]
        if column.evaluated is None:
            return [text_line(line, "error") for line in wrapped(column.problem, width)]
        found = explain(name, column.evaluated)
        lines = [PanelLine(((found.text, "value"), ("   " + one_line(found.origin), "muted")))]
        if found.reason:
            lines += [text_line(line, "error") for line in wrapped(f"Blank: {found.reason}.", width)]
        lines += [text_line(line) for line in wrapped(found.doc, width)]
        lines += [PanelLine(((f"{name}", "name"), (f"  {found.unit}" if found.unit else "", "muted")))]
        lines += _formulas(found, width)
        title = "Made of" if found.formulas else "Fills these facts"
        lines += _terms(title, found.terms, width)
        lines += _terms("Rests on these inputs and facts", sorted(found.rests_on, key=_weight), width)
        lines += _terms("Feeds", found.feeds, width)
        return lines


def _weight(term: Term) -> int:
    """What was decided comes before figures of the catalogue, and these before defaults."""
    if term.origin == SET_HERE:
        return 0
    return 2 if term.origin == DEFAULT else 1


def _formulas(found: Explanation, cells: int) -> list[PanelLine]:
    lines: list[PanelLine] = []
    for formula in found.formulas:
        lines.append(PanelLine())
        lines += _indented(f"{formula.name} = {formula.symbols}", cells, "name")
        lines += _indented(f"= {formula.numbers}", cells, "value")
    return [PanelLine(), text_line("FORMULA", "heading"), *lines[1:]] if lines else []


def _indented(text: str, cells: int, tone: PanelTone) -> list[PanelLine]:
    first, *rest = wrapped(text, cells - 2) or [""]
    return [text_line(first, tone), *(text_line(f"  {line}", tone) for line in rest)]


def _terms(title: str, terms: Sequence[Term], cells: int) -> list[PanelLine]:
    if not terms:
        return []
    label_cells = min(max(width(term.label) for term in terms), max(16, cells * 2 // 5))
    value_cells = min(max(width(term.text) for term in terms), max(12, cells // 4))
    rest = cells - label_cells - value_cells - 4
    lines = [PanelLine(), text_line(title.upper(), "heading")]
    for term in terms[:MOST]:
        target = "" if term.kind == "constant" or term.name not in all_lines() else term.name
        lines.append(
            PanelLine(
                (
                    (fit(one_line(term.label), label_cells), "plain"),
                    ("  " + fit(one_line(term.text), value_cells, "right"), "value"),
                    ("  " + fit(one_line(term.origin), max(0, rest)), "muted"),
                ),
                target,
            )
        )
    if len(terms) > MOST:
        lines.append(text_line(f"and {len(terms) - MOST} more", "muted"))
    return lines
