"""A stranger's archive: only what an import looks at is inflated, and that is measured while it is."""

from __future__ import annotations

import io
import zipfile

import pytest
from openpyxl import Workbook, load_workbook

from catalog.errors import BadFileError
from exports.workbook.archive import MOST_PARTS, sheet_alone


def saved(*titles: str) -> bytes:
    book = Workbook()
    for title in titles:
        book.create_sheet(title)["A1"] = title
    buffer = io.BytesIO()
    book.save(buffer)
    return buffer.getvalue()


def changed(raw: bytes, **parts: bytes | None) -> bytes:
    """``raw`` with parts added, replaced or, where None, left out; ``__`` in a name stands for a slash."""
    made = io.BytesIO()
    named = {name.replace("__", "/"): content for name, content in parts.items()}
    with zipfile.ZipFile(io.BytesIO(raw)) as old, zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            if name not in named:
                new.writestr(name, old.read(name))
        for name, content in named.items():
            if content is not None:
                new.writestr(name, content)
    return made.getvalue()


def test_the_sheet_and_what_it_needs_are_kept() -> None:
    part = sheet_alone(saved("One", "Inputs", "Two"), "Inputs", "plan.xlsx")
    with zipfile.ZipFile(io.BytesIO(part)) as archive:
        sheets = [name for name in archive.namelist() if "worksheets" in name]
    assert sheets == ["xl/worksheets/sheet3.xml"], "the first is openpyxl's own"
    assert load_workbook(io.BytesIO(part), read_only=True)["Inputs"]["A1"].value == "Inputs"


@pytest.mark.parametrize(
    ("raw", "sentence"),
    [
        (
            changed(saved("Inputs"), **{"xl/styles.xml": b"<!DOCTYPE x [<!ENTITY a 'b'>]><x>&a;</x>"}),
            "declares entities",
        ),
        (saved("Other"), "no export of the planner: it has no sheet Inputs"),
        (changed(saved("Inputs"), xl__vbaProject__bin=b"x"), "has macros"),
        (changed(saved("Inputs"), **{f"p{number}": b"" for number in range(MOST_PARTS)}), "more than 1,000 parts"),
        (changed(saved("Inputs"), **{f"p{number}": b"" for number in range(3 * MOST_PARTS)}), "more than 1,000 parts"),
        (changed(saved("Inputs"), xl__sharedStrings_x=b"", **{"xl/sharedStrings.xml": bytes(2**25)}), "16 MiB"),
        (changed(saved("Inputs"), **{"xl/worksheets/sheet2.xml": bytes(2**25)}), "sheet2.xml is larger than 16 MiB"),
        (changed(saved("Inputs"), **{"docProps/custom.xml": bytes(2**22)}), "larger than 2 MiB"),
    ],
    ids=["entities", "no sheet", "macros", "parts", "many parts", "strings", "sheet", "properties"],
)
def test_what_is_refused(raw: bytes, sentence: str) -> None:
    with pytest.raises(BadFileError, match=sentence) as refused:
        sheet_alone(raw, "Inputs", "plan.xlsx")
    assert str(refused.value).startswith("plan.xlsx")


def test_other_parts_are_not_inflated() -> None:
    """Even a gigabyte of another sheet costs nothing."""
    bomb = changed(saved("Inputs", "Other"), **{"xl/worksheets/sheet3.xml": bytes(2**28)})
    assert len(sheet_alone(bomb, "Inputs", "plan.xlsx")) < 100_000


def test_a_size_that_lies() -> None:
    """The directory says that the sheet is a byte long; its data go on for 64 MiB."""
    raw = changed(saved("Inputs"), **{"xl/worksheets/sheet2.xml": bytes(2**26)})
    lying = raw.replace((2**26).to_bytes(4, "little"), (1).to_bytes(4, "little"))
    assert lying != raw
    with pytest.raises(zipfile.BadZipFile, match="CRC"):
        sheet_alone(lying, "Inputs", "plan.xlsx")
