"""The parts of a stranger's workbook that an import looks at, inflated within bounds.

What an archive says of its own sizes need not be so: everything is measured while it is inflated, and what is not asked
for is not inflated at all.
"""

from __future__ import annotations

import io
import posixpath
import zipfile

from openpyxl.packaging.relationship import RelationshipList
from openpyxl.packaging.workbook import WorkbookPackage
from openpyxl.xml.functions import fromstring

from catalog.errors import BadFileError

MOST_PARTS = 1000
"""Parts of an archive; an export has some thirty."""
_ENTRY = b"PK\x01\x02"
"""Begins an entry of the archive's directory."""
_MACROS = "vbaproject"
_BOOK = "xl/workbook.xml"
_LINKS = "xl/_rels/workbook.xml.rels"
_SMALL, _LARGE = 2**21, 2**24
_WANTED = {
    "[Content_Types].xml": _SMALL, "_rels/.rels": _SMALL, _BOOK: _SMALL, _LINKS: _SMALL, "docProps/core.xml": _SMALL,
    "docProps/custom.xml": _SMALL, "xl/styles.xml": _SMALL, "xl/sharedStrings.xml": _LARGE,
}  # fmt: skip
"""Parts that are read besides the sheet, with the largest size of each in bytes."""


def sheet_alone(raw: bytes, title: str, where: str) -> bytes:
    """The workbook ``raw`` with the sheet ``title`` and what it needs, and nothing else.

    Raises BadFileError, naming the file as ``where``, for one with macros, with more than MOST_PARTS parts, without the
    sheet or with a part that is larger inside than a sheet of a thousand scenarios; and what zipfile raises for an
    archive that is broken.
    """
    # Before a list is made of them; in what is packed the four bytes stand by chance once in four gigabytes.
    if raw.count(_ENTRY) > 2 * MOST_PARTS:
        raise BadFileError(f"{where} has more than {MOST_PARTS:,} parts.")
    made = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(raw)) as archive, zipfile.ZipFile(made, "w") as kept:
        names = archive.namelist()
        if len(names) > MOST_PARTS or len(set(names)) < len(names):
            raise BadFileError(f"{where} has more than {MOST_PARTS:,} parts, or one of them twice.")
        if any(_MACROS in name.lower() for name in names):
            raise BadFileError(f"{where} has macros: save it as a workbook without, and import that.")
        for name in _WANTED.keys() & names:
            kept.writestr(name, _inflated(archive, name, _WANTED[name], where))
        sheet = _part_of(archive, title, where)
        kept.writestr(sheet, _inflated(archive, sheet, _LARGE, where))
    return made.getvalue()


def _inflated(archive: zipfile.ZipFile, name: str, most: int, where: str) -> bytes:
    with archive.open(name) as part:
        content = part.read(most + 1)
    if len(content) > most:
        raise BadFileError(f"{where}: its part {name} is larger than {most // 2**20} MiB.")
    if b"<!" in content.replace(b"\0", b"").replace(b"<!--", b"").replace(b"<![CDATA[", b""):
        raise BadFileError(f"{where}: its part {name} declares entities, which no workbook needs.")
    return content


def _part_of(archive: zipfile.ZipFile, title: str, where: str) -> str:
    """The name of the part that holds the sheet ``title``."""
    book = WorkbookPackage.from_tree(fromstring(_inflated(archive, _BOOK, _SMALL, where)))
    links = RelationshipList.from_tree(fromstring(_inflated(archive, _LINKS, _SMALL, where)))
    if len(book.sheets) > MOST_PARTS:
        raise BadFileError(f"{where} has more than {MOST_PARTS:,} sheets.")
    for sheet in book.sheets:
        if sheet.name == title and sheet.id:
            target = links.get(sheet.id).target
            return target.lstrip("/") if target.startswith("/") else posixpath.normpath(f"xl/{target}")
    raise BadFileError(f"{where} is no export of the planner: it has no sheet {title}.")
