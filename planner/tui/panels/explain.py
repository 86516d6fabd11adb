"""Explaining a cell: what it is, its formula and the numbers in it, and where each of them comes from."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from planner.model.explain import DEFAULT, SET_HERE, Explanation, Term, explain
from planner.tui.cells import range_text
from planner.tui.lines import all_lines
from planner.tui.panels.panel import Panel, PanelLine, PanelTone, text_line
from planner.tui.text import fit, one_line, wrapped
from planner.tui.text import width as cells_of

if TYPE_CHECKING:
    from planner.tui.desk import Desk

LONG = 8
"""Lines of a part from which it is folded at first."""
FOLD = "fold:"
"""What the target of a line begins with that shows or hides a part."""


class ExplainPanel(Panel):
    """The explanation of one cell; Enter follows a term of it or unfolds a part, Backspace goes back."""

    def __init__(self, desk: Desk, name: str) -> None:
        super().__init__()
        self.desk = desk
        self.path = [name]
        self.place = desk.column
        self.open: set[str] = set()

    def heading(self) -> str:
        """The cell."""
        return f"{self.desk.scenario_name(self.place)} ▸ {all_lines()[self.path[-1]].label}"

    def hints(self) -> tuple[tuple[str, str], ...]:
        """Its keys for the bar of keys."""
        back = (("⌫", "Back"),) if len(self.path) > 1 else ()
        return (("↑↓", "Choose"), ("Enter", "Follow, show more"), *back, ("G", "Go to its line"), ("Esc", "Close"))

    def press(self, desk: Desk, key: str) -> None:
        """Act on a key."""
        if key in ("backspace", "left"):
            if len(self.path) > 1:
                self.path.pop()
                self.open.clear()
                self.changed()
        elif key == "g":
            desk.close()
            desk.go_to(self.path[-1], self.place)
        else:
            super().press(desk, key)

    def follow(self, desk: Desk, target: str) -> None:  # noqa: ARG002 - as the base has it
        """Explain a term, or show or hide a part."""
        if target.startswith(FOLD):
            self.open ^= {target}
            self.changed(keep_place=True)
            return
        self.path.append(target)
        self.open.clear()
        self.changed()

    def build(self, width: int) -> Sequence[PanelLine]:
        """The page."""
        column = self.desk.book.look(self.place)
        name = self.path[-1]
        if column.evaluated is None:
            return [text_line(line, "error") for line in wrapped(column.problem, width)]
        found = explain(name, column.evaluated)
        band = range_text(self.desk.book, self.place, all_lines()[name], 4)
        about = f"{f'{band} from low to high   ' if band else ''}{one_line(found.origin)}"
        head: tuple[tuple[str, PanelTone], ...] = ((found.text, "value"), (f"   {name}", "name"))
        if sum(cells_of(text) for text, _ in head) + 3 + cells_of(about) <= width:
            lines = [PanelLine((*head, (f"   {about}", "muted")))]
        else:
            lines = [PanelLine(head), *(text_line(line, "muted") for line in wrapped(about, width))]
        if found.reason:
            lines += [text_line(line, "error") for line in wrapped(f"Blank: {found.reason}.", width)]
        first, _, more = found.doc.partition("\n")
        lines += [text_line(line) for line in wrapped(first, width)]
        rest = [text_line(line) for line in wrapped(more.strip(), width)] if more.strip() else []
        lines += self._part("More about it", rest, 0) if len(rest) > LONG // 2 else rest
        row = all_lines()[name].row
        words = [_word(word, found.text) for word in row.words] if row is not None else []
        lines += self._part("One of these", words, len(words))
        formulas = _formulas(found, width)
        lines += self._part("Formula", formulas, len(formulas) if len(formulas) <= LONG else 0)
        terms = _terms(found.terms, width)
        lines += self._part("Made of" if found.formulas else "Fills these facts", terms, _first(len(terms)))
        rests = sorted(found.rests_on, key=_weight)
        decided = sum(_weight(term) == 0 for term in rests)
        lines += self._part("Rests on these inputs and facts", _terms(rests, width), _first(len(rests), decided))
        feeds = _terms(found.feeds, width)
        lines += self._part("Feeds", feeds, _first(len(feeds), 0))
        return lines

    def _part(self, title: str, lines: Sequence[PanelLine], shown: int) -> list[PanelLine]:
        """A heading and the first ``shown`` lines, or all once its fold was opened."""
        if not lines:
            return []
        key = f"{FOLD}{title}"
        head = [PanelLine(), text_line(title.upper(), "heading")]
        if shown >= len(lines):
            return [*head, *lines]
        if key in self.open:
            return [*head, *lines, PanelLine((("▾ fewer", "name"),), key)]
        count = len(lines) - shown
        return [*head, *lines[:shown], PanelLine(((f"▸ {count} {'more ' if shown else ''}lines", "name"),), key)]


def _first(count: int, most: int = LONG) -> int:
    """How many of ``count`` lines a part shows at first: all where a fold would save next to nothing."""
    return count if count <= max(3, min(most, LONG) + 1) else min(most, LONG)


def _word(word: str, answer: str) -> PanelLine:
    return text_line(f"→ {word}", "value") if word == answer else text_line(f"  {word}", "muted")


def _weight(term: Term) -> int:
    """What was decided comes before figures of the catalogue, and these before defaults."""
    if term.origin == SET_HERE:
        return 0
    return 2 if term.origin == DEFAULT else 1


def _formulas(found: Explanation, cells: int) -> list[PanelLine]:
    lines: list[PanelLine] = []
    for formula in found.formulas:
        lines += [PanelLine()] if lines else []
        lines += _indented(f"{formula.name} = {formula.symbols}", cells, "name")
        lines += _indented(f"= {formula.numbers}", cells, "value")
    return lines


def _indented(text: str, cells: int, tone: PanelTone) -> list[PanelLine]:
    first, *rest = wrapped(text, cells - 2) or [""]
    return [text_line(first, tone), *(text_line(f"  {line}", tone) for line in rest)]


def _terms(terms: Sequence[Term], cells: int) -> list[PanelLine]:
    """A line for each term: what it is, its value, and where that comes from as far as there is room."""
    if not terms:
        return []
    label_cells = min(max(cells_of(term.label) for term in terms), max(16, cells * 2 // 5))
    value_cells = min(max(cells_of(term.text) for term in terms), max(12, cells // 4))
    rest = cells - label_cells - value_cells - 4
    return [
        PanelLine(
            (
                (fit(one_line(term.label), label_cells), "plain"),
                ("  " + fit(one_line(term.text), value_cells, "right"), "value"),
                ("  " + fit(one_line(term.origin), max(0, rest)), "muted"),
            ),
            "" if term.kind == "constant" or term.name not in all_lines() else term.name,
        )
        for term in terms
    ]
