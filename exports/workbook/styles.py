"""The workbook's named styles, made once. Blue is typed, black is computed here, green comes from another sheet."""

from __future__ import annotations

from copy import copy
from typing import Any, Final

from openpyxl.styles import Alignment, Border, Font, NamedStyle, PatternFill, Protection, Side
from openpyxl.workbook import Workbook
from openpyxl.worksheet.worksheet import Worksheet

from exports.workbook.formats import GENERAL, NumberFormat

FONT: Final = "Arial"
SIZE: Final = 10
BLUE, BLACK, GREEN, GREY, NAVY, WHITE = "0000FF", "000000", "006100", "595959", "1F3A5F", "FFFFFF"
BAND, INPUT_FILL, LOCKED_FILL, KEY_FILL = "E7ECF2", "FFFBE6", "F2F2F2", "F4F7FA"
GOOD_FILL, GOOD_FONT, BAD_FILL, BAD_FONT, BASE_FILL = "E2F0D9", "1E5C1E", "FFE1E1", "9C0006", "DDEBF7"

TITLE, NOTE, TEXT, SECTION = "Planner title", "Planner note", "Planner text", "Planner section"
HEADER, HEADER_NUMBER, HEADER_CALC, HEADER_LINK, HEADER_INPUT, HEADER_ID = (
    "Planner header",
    "Planner header right",
    "Planner header calc",
    "Planner header link",
    "Planner header input",
    "Planner header id",
)
LABEL, LABEL_KEY, LABEL_DETAIL, UNIT, REF = (
    "Planner label",
    "Planner label key",
    "Planner label detail",
    "Planner unit",
    "Planner ref",
)
INPUT, INPUT_WORD, LOCKED, CONSTANT = "Planner input", "Planner input word", "Planner locked", "Planner constant"
CALC, CALC_KEY, CALC_DETAIL, LINK, LINK_KEY, LINK_TEXT = (
    "Planner calc",
    "Planner calc key",
    "Planner calc detail",
    "Planner link",
    "Planner link key",
    "Planner link text",
)

LINKED: Final = {CALC: LINK, CALC_KEY: LINK_KEY, CALC_DETAIL: LINK}
"""The style of a formula that reads another sheet, by its style without."""


def _font(color: str = BLACK, *, bold: bool = False, italic: bool = False, size: int = SIZE) -> Font:
    return Font(name=FONT, size=size, bold=bold, italic=italic, color=f"FF{color}")


def _fill(color: str) -> PatternFill:
    return PatternFill("solid", start_color=f"FF{color}", end_color=f"FF{color}")


def _style(
    name: str,
    font: Font,
    *,
    fill: str = "",
    align: str = "general",
    wrap: bool = False,
    indent: int = 0,
    locked: bool = True,
    line: str = "",
    shrink: bool = False,
) -> NamedStyle:
    border = Border(bottom=Side("hair", color=f"FF{line}")) if line else Border()
    return NamedStyle(
        name,
        font=font,
        fill=_fill(fill) if fill else PatternFill(),
        border=border,
        alignment=Alignment(horizontal=align, vertical="center", wrap_text=wrap, indent=indent, shrink_to_fit=shrink),
        protection=Protection(locked=locked),
        number_format="General",
    )


def _all_styles() -> list[NamedStyle]:
    rule = "C9D1DA"
    return [
        _style(TITLE, _font(NAVY, bold=True, size=16)),
        _style(NOTE, _font(GREY, italic=True)),
        _style(TEXT, _font(), wrap=True, align="left", line=rule, indent=1),
        _style(SECTION, _font(WHITE, bold=True), fill=NAVY),
        _style(HEADER, _font(NAVY, bold=True), fill=BAND, align="left", wrap=True),
        _style(HEADER_NUMBER, _font(NAVY, bold=True), fill=BAND, align="right", wrap=True),
        _style(HEADER_CALC, _font(bold=True), fill=BAND, align="right", wrap=True),
        _style(HEADER_LINK, _font(GREEN, bold=True), fill=BAND, align="right", wrap=True),
        _style(HEADER_INPUT, _font(BLUE, bold=True), fill=INPUT_FILL, align="right", wrap=True, locked=False),
        _style(HEADER_ID, _font(GREY, size=8), fill=BAND, align="right", shrink=True),
        _style(LABEL, _font(), line=rule, shrink=True),
        _style(LABEL_KEY, _font(bold=True), line=rule, fill=KEY_FILL, shrink=True),
        _style(LABEL_DETAIL, _font(GREY, size=9), line=rule, indent=1, shrink=True),
        _style(UNIT, _font(GREY), line=rule, shrink=True),
        _style(REF, _font(GREY, size=8), line=rule, shrink=True),
        _style(INPUT, _font(BLUE), fill=INPUT_FILL, line=rule, locked=False, align="right", shrink=True),
        _style(INPUT_WORD, _font(BLUE), fill=INPUT_FILL, line=rule, locked=False, align="right", shrink=True),
        _style(LOCKED, _font(BLACK), fill=LOCKED_FILL, line=rule, align="right", shrink=True),
        _style(CONSTANT, _font(BLUE), line=rule, align="right", shrink=True),
        _style(CALC, _font(), line=rule, align="right", shrink=True),
        _style(CALC_KEY, _font(bold=True), line=rule, align="right", fill=KEY_FILL, shrink=True),
        _style(CALC_DETAIL, _font(size=9), line=rule, align="right", shrink=True),
        _style(LINK, _font(GREEN), line=rule, align="right", shrink=True),
        _style(LINK_TEXT, _font(GREEN), line=rule, align="left"),
        _style(LINK_KEY, _font(GREEN, bold=True), line=rule, align="right", fill=KEY_FILL, shrink=True),
    ]


class Styles:
    """Named styles with number formats, as ready arrays that cells copy."""

    def __init__(self, workbook: Workbook) -> None:
        for style in _all_styles():
            workbook.add_named_style(style)
        normal = workbook._named_styles["Normal"]
        normal.font = _font()
        self._ready: dict[tuple[str, str], Any] = {}
        self._sample = workbook.create_sheet("Sample")
        self._workbook = workbook

    def array(self, name: str, shown: NumberFormat = GENERAL) -> Any:
        """The style array of the style ``name`` with the format ``shown``: copy it, cells change theirs in place."""
        key = (name, shown.code)
        found = self._ready.get(key)
        if found is None:
            cell = self._sample.cell(1, 1)
            cell.style = name
            cell.number_format = shown.code
            found = self._ready[key] = copy(cell._style)
        return found

    def number(self, name: str, shown: NumberFormat = GENERAL) -> int:
        """The number under which the stylesheet holds that combination."""
        return int(self._workbook._cell_styles.add(self.array(name, shown)))

    def quoted(self, name: str, shown: NumberFormat = GENERAL) -> Any:
        """array() for a text that begins like a formula: the program is told that it is text."""
        found = copy(self.array(name, shown))
        found.quotePrefix = 1
        return found

    def finish(self) -> None:
        """Removes the sheet on which the styles were tried."""
        self._workbook.remove(self._sample)


def frame(sheet: Worksheet) -> None:
    """No grid lines: the styles draw their own."""
    sheet.sheet_view.showGridLines = False
