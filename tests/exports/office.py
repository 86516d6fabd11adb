"""Reading a workbook back, and having it recalculated by a spreadsheet program."""

from __future__ import annotations

import io
import math
import re
import shutil
import subprocess
import zipfile
from collections.abc import Iterable, Mapping
from pathlib import Path

from openpyxl.utils import get_column_letter
from python_calamine import CalamineWorkbook

from planner.model.evaluation import Results
from planner.model.rows import SHEET

ALWAYS_RECALCULATE = """<?xml version="1.0" encoding="UTF-8"?>
<oor:items xmlns:oor="http://openoffice.org/2001/registry" xmlns:xs="http://www.w3.org/2001/XMLSchema"
 xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">
<item oor:path="/org.openoffice.Office.Calc/Formula/Load"><prop oor:name="OOXMLRecalcMode" oor:op="fuse">
<value>0</value></prop></item>
</oor:items>
"""

CellValue = float | str
Values = dict[str, dict[str, CellValue]]
"""Values by sheet title and coordinate; what is empty is left out."""

RELATIVE = 1e-9


class LibreOffice:
    """One profile of LibreOffice, told to recalculate every file it opens (or, by default, not to)."""

    def __init__(self, folder: Path, *, recalculate: bool = True) -> None:
        self.profile = folder / "profile"
        (self.profile / "user").mkdir(parents=True)
        if recalculate:
            (self.profile / "user" / "registrymodifications.xcu").write_text(ALWAYS_RECALCULATE, encoding="utf-8")
        self.out = folder / "converted"

    def convert(self, files: Iterable[Path], to: str) -> list[Path]:
        """``files`` in another form, all in one run of the program."""
        sources = list(files)
        program = shutil.which("soffice") or shutil.which("libreoffice")
        assert program is not None
        done = subprocess.run(
            [program, f"-env:UserInstallation={self.profile.as_uri()}", "--headless", "--convert-to", to,
             "--outdir", str(self.out), *map(str, sources)],
            capture_output=True, text=True, timeout=600, check=False,
        )  # fmt: skip
        found = [self.out / f"{source.stem}.{to.partition(':')[0]}" for source in sources]
        assert all(path.is_file() for path in found), done.stderr
        return found


def without_results(data: bytes) -> bytes:
    """The workbook with every stored result of a formula taken out: whoever shows a number has computed it."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as new:
        for info in old.infolist():
            part = old.read(info)
            if info.filename.startswith("xl/worksheets/sheet"):
                part = re.sub(rb"(</f>)<v>[^<]*</v>", rb"\1<v></v>", part)
            new.writestr(info.filename, part)
    return buffer.getvalue()


def with_cells(data: bytes, cells: Mapping[tuple[str, str], CellValue | None], titles: Mapping[str, str]) -> bytes:
    """The workbook with other typed values: by sheet title and coordinate; ``titles`` maps titles to parts."""
    wanted: dict[str, dict[str, CellValue | None]] = {}
    for (title, coordinate), value in cells.items():
        wanted.setdefault(titles[title], {})[coordinate] = value
    buffer = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as new:
        for info in old.infolist():
            part = old.read(info)
            for coordinate, value in wanted.get(info.filename, {}).items():
                found = re.search(rf'<c r="{coordinate}"( s="\d+")?[^>]*?(?:/>|>.*?</c>)', part.decode(), re.DOTALL)
                assert found is not None, coordinate
                text = part.decode()
                part = (text[: found.start()] + _cell(coordinate, found[1] or "", value) + text[found.end() :]).encode()
            new.writestr(info.filename, part)
    return buffer.getvalue()


def _cell(coordinate: str, style: str, value: CellValue | None) -> str:
    if value is None:
        return f'<c r="{coordinate}"{style}/>'
    if isinstance(value, str):
        return f'<c r="{coordinate}"{style} t="inlineStr"><is><t>{value}</t></is></c>'
    return f'<c r="{coordinate}"{style}><v>{value!r}</v></c>'


def parts_by_title(data: bytes) -> dict[str, str]:
    """The part of every sheet by its title."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        book = archive.read("xl/workbook.xml").decode()
    titles = re.findall(r'<sheet [^>]*name="([^"]+)"', book)
    return {title: f"xl/worksheets/sheet{number}.xml" for number, title in enumerate(titles, start=1)}


def read_values(source: Path | bytes) -> Values:
    """The values that a reader sees."""
    book = (
        CalamineWorkbook.from_path(str(source))
        if isinstance(source, Path)
        else CalamineWorkbook.from_filelike(io.BytesIO(source))
    )
    found: Values = {}
    for title in book.sheet_names:
        cells = found.setdefault(title, {})
        for row, line in enumerate(book.get_sheet_by_name(title).to_python(skip_empty_area=False), start=1):
            for column, value in enumerate(line, start=1):
                if value != "" and value is not None:
                    assert isinstance(value, (str, int, float))
                    shown = value if isinstance(value, str) else float(value)
                    cells[f"{get_column_letter(column)}{row}"] = shown
    return found


def differences(left: Values, right: Values, within: float = RELATIVE) -> list[str]:
    """Cells that differ: texts must be equal, numbers within ``within`` relative to the larger."""
    found = []
    for title in left.keys() | right.keys():
        mine, theirs = left.get(title, {}), right.get(title, {})
        for coordinate in mine.keys() | theirs.keys():
            a, b = mine.get(coordinate, ""), theirs.get(coordinate, "")
            if not same(a, b, within):
                found.append(f"{title}!{coordinate}: {a!r} and {b!r}")
    return sorted(found)


def unlike_operands(data: bytes, left: Values, right: Values, within: float = RELATIVE) -> list[str]:
    """Cells that differ by more than ``within`` relative to the largest number that their formula reads.

    A difference of two numbers that are almost equal is 0 in one program and a rounding error in another.
    """
    formulas = formulas_of_cells(data)
    found = []
    for line in differences(left, right, within):
        title, coordinate = line.partition(":")[0].split("!")
        a, b = left[title].get(coordinate, ""), right[title].get(coordinate, "")
        read = [
            value
            for sheet, cell in re.findall(r"(?:(\w+)!)?\$?([A-Z]{1,3}\$?\d+)", formulas.get((title, coordinate), ""))
            if isinstance(value := left[sheet or title].get(cell.replace("$", "")), float)
        ]
        if isinstance(a, str) or isinstance(b, str) or abs(a - b) > within * max(map(abs, read), default=0.0):
            found.append(line)
    return found


def formulas_of_cells(data: bytes) -> dict[tuple[str, str], str]:
    """Every formula by sheet title and coordinate."""
    found = {}
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        for title, part in parts_by_title(data).items():
            for coordinate, text in re.findall(r'<c r="([A-Z]+\d+)"[^>]*><f>([^<]*)</f>', archive.read(part).decode()):
                found[title, coordinate] = text
    return found


def same(a: CellValue, b: CellValue, within: float = RELATIVE) -> bool:
    """Whether two values agree."""
    if isinstance(a, str) or isinstance(b, str):
        return a == b
    return math.isclose(a, b, rel_tol=within, abs_tol=1e-300)


def rows_by_ref(values: Values, title: str) -> dict[str, int]:
    """The row of every line by what stands in its Ref column."""
    return {
        str(value): int(coordinate[1:])
        for coordinate, value in values[title].items()
        if re.fullmatch(r"C\d+", coordinate) and int(coordinate[1:]) > 6
    }


def disagreements(values: Values, results: Iterable[Results], within: float = RELATIVE) -> list[str]:
    """Rows of the Model sheet that differ from what the planner computes."""
    rows = rows_by_ref(values, "Model")
    found = []
    for column, result in enumerate(results, start=5):
        letter = get_column_letter(column)
        for name, row in SHEET.rows.items():
            shown = values["Model"].get(f"{letter}{rows[name]}", "")
            wanted = result[name].value
            expected: CellValue = "" if wanted is None else float(wanted) if not isinstance(wanted, str) else wanted
            if not same(shown, expected, within):
                found.append(f"{letter} {name} ({row.label}): {shown!r} and {expected!r}")
    return found


def errors(values: Values) -> list[str]:
    """Cells that show an error."""
    return [
        f"{title}!{coordinate}: {value}"
        for title, cells in values.items()
        for coordinate, value in cells.items()
        if isinstance(value, str) and re.match(r"#(N/A|REF|VALUE|DIV/0|NUM|NAME|NULL)|Err:", value)
    ]
