"""Writing a workbook whose formulas hold the planner's results.

openpyxl writes a formula with an empty result. The two writers here, subclasses of its own, put the result beside it,
so that every program that reads the file sees numbers before anything is recalculated. Formulas that are copied across
a row are written from one text each, without a cell object for every scenario.
"""

from __future__ import annotations

import hashlib
import io
import lzma
import math
import re
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from typing import IO, Any, Final
from xml.sax.saxutils import escape

from openpyxl.cell._writer import write_cell
from openpyxl.cell.cell import Cell
from openpyxl.drawing.spreadsheet_drawing import SpreadsheetDrawing
from openpyxl.utils import get_column_letter
from openpyxl.workbook import Workbook
from openpyxl.worksheet._writer import WorksheetWriter
from openpyxl.worksheet.dimensions import SheetDimension
from openpyxl.worksheet.worksheet import Worksheet
from openpyxl.writer.excel import ExcelWriter
from openpyxl.xml.functions import fromstring

from exports.files import INTERNAL, ExportError, digest
from exports.workbook.formula import COLUMN

CUSTOM_PROPERTIES: Final = "docProps/custom.xml"

DIGEST_PLACE: Final = "0" * 63 + "x"
"""Stands in the custom properties where the digest of the other parts goes."""

_BYTES_PER_CELL: Final = 200
"""More than a cell takes on average: a formula has 120 characters at most."""

_LARGEST_READ: Final = 2**31
_LARGEST_PROPERTIES: Final = 2**20

Stored = float | str
"""A formula's result: a number (blank is NaN) or a word."""


@dataclass(frozen=True, slots=True)
class Across:
    """One formula copied across the scenarios of a row, with their results."""

    formula: str
    values: Sequence[Stored]
    style: int


@dataclass(slots=True)
class StoredValues:
    """The results of all formulas of a workbook.

    ``cells`` by sheet title and coordinate; ``rows`` by sheet title and row number.
    """

    first_column: int
    cells: dict[tuple[str, str], Stored] = field(default_factory=dict)
    rows: dict[str, dict[int, Across]] = field(default_factory=dict)


_ESCAPE = re.compile(r"_(?=x[0-9A-Fa-f]{4}_)")


def as_written(text: str) -> str:
    """``text`` as a workbook's parts hold it: what looks like an escaped character, as _x0041_ does, is kept as it is.

    ECMA-376 part 1, 22.9.2.19: a program reads _xHHHH_ as that character, and _x005F_ as the underscore itself.
    """
    return _ESCAPE.sub("_x005F_", text)


def result_xml(value: Stored, where: str) -> tuple[str, str]:
    """The type attribute and the text of a stored result; a blank is an empty text, as the formula gives it.

    Raises ExportError for a number that is not finite.
    """
    if isinstance(value, str):
        return ' t="str"', escape(as_written(value))
    if math.isnan(value):
        return ' t="str"', ""
    if math.isinf(value):
        raise ExportError(f"{where} is not a finite number, so the workbook was not written.", INTERNAL)
    return "", str(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(float(value))


class _SheetWriter(WorksheetWriter):  # type: ignore[misc]
    """Writes one sheet with results beside its formulas."""

    def __init__(self, sheet: Worksheet, out: _Part, stored: StoredValues, row_written: Callable[[], None]) -> None:
        self.stored = stored
        self.row_written = row_written
        self.across = stored.rows.get(sheet.title, {})
        super().__init__(sheet, out)

    def write_dimensions(self) -> None:
        """The sheet's size, the rows' copied formulas included."""
        last_row = max([self.ws.max_row, *self.across])
        widths = [self.stored.first_column - 1 + len(row.values) for row in self.across.values()]
        last_column = max([self.ws.max_column, *widths])
        self.xf.send(SheetDimension(f"A1:{get_column_letter(last_column)}{last_row}").to_tree())

    def write_row(self, xf: Any, row: Sequence[Cell], row_idx: int) -> None:
        """One row: cells of its own, then the formula that is copied across it."""
        attributes = {"r": f"{row_idx}"}
        attributes.update(self.ws.row_dimensions.get(row_idx, {}))
        with xf.element("row", attributes):
            for cell in row:
                if cell._value is None and not cell.has_style:
                    continue
                if cell.data_type == "f":
                    xf.write(fromstring(self._formula_cell(cell)))
                elif isinstance(cell._value, float):
                    # openpyxl writes 16 digits, which are not always the same number.
                    number = result_xml(cell._value, f"{self.ws.title}!{cell.coordinate}")[1]
                    xf.write(fromstring(f'<c r="{cell.coordinate}" s="{cell.style_id}"><v>{number}</v></c>'))
                else:
                    write_cell(xf, self.ws, cell, cell.has_style)
            if row_idx in self.across:
                for element in fromstring(self._across(row_idx)):
                    xf.write(element)
        self.row_written()

    def _formula_cell(self, cell: Cell) -> str:
        key = (self.ws.title, cell.coordinate)
        where = f"{key[0]}!{key[1]}"
        if key not in self.stored.cells:
            raise ExportError(f"{where} has no result, so the workbook was not written.", INTERNAL)
        kind, text = result_xml(self.stored.cells[key], where)
        formula = escape(str(cell.value)[1:])
        return f'<c r="{cell.coordinate}" s="{cell.style_id}"{kind}><f>{formula}</f><v>{text}</v></c>'

    def _across(self, row: int) -> str:
        across = self.across[row]
        pieces = escape(across.formula[1:]).split(COLUMN)
        cells = ["<row>"]
        for column, value in enumerate(across.values, start=self.stored.first_column):
            letter = get_column_letter(column)
            kind, text = result_xml(value, f"{self.ws.title}!{letter}{row}")
            formula = letter.join(pieces)
            cells.append(f'<c r="{letter}{row}" s="{across.style}"{kind}><f>{formula}</f><v>{text}</v></c>')
        cells.append("</row>")
        return "".join(cells)


class _Drawing(SpreadsheetDrawing):  # type: ignore[misc]
    """A drawing whose charts carry their alternative text."""

    # The metaclass rebuilds these for each class; without them the drawing is written empty.
    __elements__ = SpreadsheetDrawing.__elements__
    __attrs__ = SpreadsheetDrawing.__attrs__
    __nested__ = SpreadsheetDrawing.__nested__

    def _chart_frame(self, idx: int) -> Any:
        frame = super()._chart_frame(idx)
        frame.nvGraphicFramePr.cNvPr.descr = getattr(self.charts[idx - 1], "alternative_text", "")
        return frame


class _Part:
    """A part of an archive while it is written; what goes by is digested."""

    def __init__(self, file: IO[bytes]) -> None:
        self.file = file
        self.digest = hashlib.sha256()

    def write(self, data: bytes) -> int:
        """Adds ``data``."""
        self.digest.update(data)
        return self.file.write(data)


class _Archive(zipfile.ZipFile):
    """An archive in which every part has the same date, so that equal content gives equal bytes.

    The custom properties are written last, with the digest of all other parts in them.
    """

    moment: tuple[int, int, int, int, int, int] = (1980, 1, 1, 0, 0, 0)
    custom: bytes = b""

    def __init__(self, file: io.BytesIO) -> None:
        super().__init__(file, "w", zipfile.ZIP_DEFLATED, allowZip64=True)
        self.digests: dict[str, str] = {}

    def writestr(self, zinfo_or_arcname: Any, data: Any, *args: Any, **kwargs: Any) -> None:
        """Adds a part from memory."""
        name = getattr(zinfo_or_arcname, "filename", zinfo_or_arcname)
        content = data.encode() if isinstance(data, str) else bytes(data)
        if name == CUSTOM_PROPERTIES and not self.custom:
            self.custom = content
            return
        self.digests[name] = digest(content)
        super().writestr(self._info(name), content, *args, **kwargs)

    def _info(self, name: str) -> zipfile.ZipInfo:
        info = zipfile.ZipInfo(name, self.moment)
        info.compress_type = zipfile.ZIP_DEFLATED
        info.external_attr = 0o600 << 16
        return info

    @contextmanager
    def part(self, name: str, *, cells: int) -> Iterator[_Part]:
        """A part that is packed while it is written, so that a large one is never whole in memory.

        Room for more than 2 GB is made only where ``cells`` may need it, since Excel offers to repair such a file.
        """
        with self.open(self._info(name), "w", force_zip64=cells * _BYTES_PER_CELL > zipfile.ZIP64_LIMIT) as file:
            made = _Part(file)
            yield made
        self.digests[name] = made.digest.hexdigest()

    def finish(self) -> None:
        """Adds the custom properties."""
        found = content_digest(self.digests).encode()
        self.writestr(CUSTOM_PROPERTIES, self.custom.replace(DIGEST_PLACE.encode(), found))


class _BookWriter(ExcelWriter):  # type: ignore[misc]
    """Writes the workbook's sheets with _SheetWriter."""

    def __init__(
        self, workbook: Workbook, archive: zipfile.ZipFile, stored: StoredValues, progress: Callable[[float], None]
    ) -> None:
        super().__init__(workbook, archive)
        self.stored, self.progress = stored, progress
        self.rows = sum(sheet.max_row for sheet in workbook.worksheets)
        self.done = 0

    def row_written(self) -> None:
        """One more row is written."""
        self.done += 1
        self.progress(min(1.0, self.done / self.rows))

    def write_worksheet(self, ws: Worksheet) -> None:
        """One sheet, into memory and from there into the archive."""
        ws._drawing = _Drawing()
        ws._drawing.charts = ws._charts
        ws._drawing.images = ws._images
        copied = sum(len(row.values) for row in self.stored.rows.get(ws.title, {}).values())
        with self._archive.part(ws.path[1:], cells=copied + ws.max_row * ws.max_column) as part:
            writer = _SheetWriter(ws, part, self.stored, self.row_written)
            writer.write()
        ws._rels = writer._rels
        self.manifest.append(ws)


def render(
    workbook: Workbook, stored: StoredValues, moment: datetime, progress: Callable[[float], None] = lambda _: None
) -> bytes:
    """The whole file in memory, read back once; ``progress`` is told the share that is done.

    Raises ExportError when a formula has no finite result."""
    buffer = io.BytesIO()
    with _Archive(buffer) as archive:
        archive.moment = (moment.year, moment.month, moment.day, moment.hour, moment.minute, moment.second // 2 * 2)
        _BookWriter(workbook, archive, stored, progress).write_data()
        archive.finish()
    data = buffer.getvalue()
    with zipfile.ZipFile(io.BytesIO(data)) as written:
        damaged = written.testzip()
    if damaged is not None:
        raise ExportError(f"The workbook's part {damaged} was damaged in memory; nothing was written.", INTERNAL)
    return data


def content_digest(digests: Mapping[str, str]) -> str:
    """SHA-256 over the digests of all parts but the custom properties, in which it is kept."""
    listing = "".join(f"{name}\n{part}\n" for name, part in sorted(digests.items()) if name != CUSTOM_PROPERTIES)
    return digest(listing.encode())


def _digest_of(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> str:
    """The digest of a part, which may be larger than the memory that there is."""
    with archive.open(info) as part:
        return hashlib.file_digest(part, "sha256").hexdigest()  # type: ignore[arg-type]


UNREADABLE = (
    *(zipfile.BadZipFile, zlib.error, lzma.LZMAError, struct.error, EOFError, LookupError),
    *(OSError, OverflowError, RuntimeError, ValueError),
)
"""What reading a broken archive may raise, whichever way its parts say that they are packed."""


def is_untouched(data: bytes) -> bool:
    """Whether ``data`` is a workbook of ours that nobody has saved since it was written."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            if sum(info.file_size for info in archive.infolist()) > _LARGEST_READ:
                return False
            if archive.getinfo(CUSTOM_PROPERTIES).file_size > _LARGEST_PROPERTIES:
                return False
            custom = archive.read(CUSTOM_PROPERTIES)
            digests = {info.filename: _digest_of(archive, info) for info in archive.infolist()}
    except UNREADABLE:
        return False
    return content_digest(digests).encode() in custom
