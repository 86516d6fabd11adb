"""The chart of the Comparison sheet."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from openpyxl.chart import BarChart, Reference, Series
from openpyxl.chart.data_source import AxDataSource, NumData, NumFmt, NumVal, StrData, StrRef, StrVal
from openpyxl.chart.label import DataLabelList
from openpyxl.chart.shapes import GraphicalProperties
from openpyxl.chart.text import RichText, Text
from openpyxl.chart.title import Title
from openpyxl.drawing.line import LineProperties
from openpyxl.drawing.text import CharacterProperties, Font, Paragraph, ParagraphProperties, RichTextProperties
from openpyxl.utils import get_column_letter

from exports.workbook import styles as look
from exports.workbook.page import FIRST_SCENARIO, NAMES_ROW, Page, clean
from exports.workbook.stored import as_written

if TYPE_CHECKING:
    from exports.workbook.book import Book

MOST_BARS = 12
_BAR = "2F6DA8"


def add_chart(page: Page, book: Book, result: str, at: int, values: Sequence[float]) -> None:
    """Bars for the first scenarios; ``at`` is the row in which the result is chosen, two above the values."""
    count = min(len(values), MOST_BARS)
    shown = [clean(name) for name in book.names[:count]]
    last = FIRST_SCENARIO + count - 1
    span = f"${get_column_letter(FIRST_SCENARIO)}${at + 2}:${get_column_letter(last)}${at + 2}"
    names = f"${get_column_letter(FIRST_SCENARIO)}${NAMES_ROW}:${get_column_letter(last)}${NAMES_ROW}"
    chart = BarChart()
    chart.type, chart.style, chart.gapWidth, chart.legend = "col", 10, 60, None
    series = Series(Reference(page.sheet, range_string=f"Comparison!{span}"), title=None)
    series.val.numRef.f = f"Comparison!{span}"
    series.val.numRef.numCache = NumData(
        formatCode="General",
        ptCount=count,
        pt=[NumVal(idx=n, v=repr(float(v))) for n, v in enumerate(values[:count]) if not math.isnan(v)],
    )
    series.cat = _categories(f"Comparison!{names}", shown)
    series.tx = None
    series.graphicalProperties = GraphicalProperties(solidFill=_BAR)
    series.graphicalProperties.line = LineProperties(noFill=True)
    series.dLbls = DataLabelList()
    series.dLbls.showVal = True
    for part in ("showSerName", "showCatName", "showLegendKey", "showPercent"):
        setattr(series.dLbls, part, False)
    series.dLbls.txPr = _small_text()
    chart.series.append(series)
    chart.title = _linked_title(f"Comparison!$D${at}", result)
    chart.y_axis.numFmt = NumFmt("#,##0.###", sourceLinked=True)
    chart.y_axis.majorGridlines.spPr = GraphicalProperties(ln=LineProperties(solidFill="D9D9D9"))
    for axis in (chart.x_axis, chart.y_axis):
        axis.delete = False
        axis.txPr = _small_text()
        axis.title = None
    chart.width, chart.height = min(34.0, 12.0 + 3.4 * count), 7.4
    chart.alternative_text = (
        f"Bar chart of {result} for {count} scenarios: "
        + "; ".join(
            f"{name}: {'blank' if math.isnan(value) else f'{value:,.6g}'}"
            for name, value in zip(shown, values, strict=False)
        )
    )[:1000]
    page.sheet.add_chart(chart, f"A{at + 4}")


def _categories(reference: str, names: Sequence[str]) -> AxDataSource:
    cache = StrData(ptCount=len(names), pt=[StrVal(idx=n, v=as_written(name)) for n, name in enumerate(names)])
    return AxDataSource(strRef=StrRef(f=reference, strCache=cache))


def _linked_title(reference: str, text: str) -> Title:
    """A title that follows a cell."""
    cache = StrData(ptCount=1, pt=[StrVal(idx=0, v=text)])
    title = Title(tx=Text(strRef=StrRef(f=reference, strCache=cache)), overlay=False)
    title.txPr = _text(1200, bold=True, color=look.NAVY)
    return title


def _small_text() -> RichText:
    return _text(900, bold=False, color=look.GREY)


def _text(size: int, *, bold: bool, color: str) -> RichText:
    properties = CharacterProperties(sz=size, b=bold, solidFill=color, latin=Font(typeface=look.FONT))
    paragraph = Paragraph(pPr=ParagraphProperties(defRPr=properties), endParaRPr=properties)
    return RichText(bodyPr=RichTextProperties(), p=[paragraph])
