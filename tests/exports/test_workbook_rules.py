"""What finance people expect of a model, as rules that a program can test."""

from __future__ import annotations

import io
import re
import zipfile
from collections import defaultdict
from collections.abc import Iterator

import pytest
from openpyxl import load_workbook
from openpyxl.cell import Cell
from openpyxl.formula import Tokenizer
from openpyxl.utils import FORMULAE, column_index_from_string
from openpyxl.workbook import Workbook
from openpyxl.worksheet.worksheet import Worksheet

from exports.workbook.about import SHEETS
from exports.workbook.inputs import is_locked
from exports.workbook.layout import planner_layout
from planner.model.facts import FACT_FIELDS
from planner.model.inputs import INPUTS
from planner.model.rows import CELLS, HOUR_NAMES, SHEET
from tests.exports.office import Values, errors, read_values

FUNCTIONS = frozenset(
    "ABS AND COLUMNS COUNTA EXP IF INDEX INT ISNUMBER LN MATCH MAX MIN NOT OR ROUND ROUNDUP ROWS SQRT SUM "
    "SUMPRODUCT".split()
)
VOLATILE = frozenset("NOW TODAY RAND RANDBETWEEN OFFSET INDIRECT CELL INFO".split())
MAIN = ("Comparison", "Inputs", "Model")
REFERENCE = re.compile(r"(\$?)([A-Z]{1,3})(\$?)(\d+)")
TYPED, GREEN, BLACK = "FF0000FF", "FF006100", "FF000000"
BLUE_STYLES = ("Planner input", "Planner input word", "Planner constant", "Planner header input")


@pytest.fixture(scope="module", params=["example_workbook", "large_workbook"])
def data(request: pytest.FixtureRequest) -> bytes:
    found: bytes = request.getfixturevalue(request.param)
    return found


@pytest.fixture(scope="module")
def book(data: bytes) -> Workbook:
    return load_workbook(io.BytesIO(data))


@pytest.fixture(scope="module")
def values(data: bytes) -> Values:
    return read_values(data)


def cells_of(book: Workbook) -> Iterator[tuple[Worksheet, Cell]]:
    for sheet in book.worksheets:
        for row in sheet.iter_rows():
            yield from ((sheet, cell) for cell in row if cell.value is not None)


def formulas_of(book: Workbook) -> Iterator[tuple[Worksheet, Cell, str]]:
    for sheet, cell in cells_of(book):
        if cell.data_type == "f":
            yield sheet, cell, str(cell.value)


def relative(formula: str, row: int, column: int) -> str:
    """``formula`` with relative references written as distances: the same text wherever it is copied to."""

    def shift(found: re.Match[str]) -> str:
        absolute_column, letters, absolute_row, number = found.groups()
        to_column = letters if absolute_column else f"C[{column_index_from_string(letters) - column}]"
        return f"<{number if absolute_row else f'R[{int(number) - row}]'},{to_column}>"

    return REFERENCE.sub(shift, formula)


def test_sheets_and_their_names(book: Workbook) -> None:
    assert [title for title in SHEETS if title in book.sheetnames] == book.sheetnames
    assert set(SHEETS) - set(book.sheetnames) <= {"Results"}
    assert all(re.fullmatch(r"[A-Za-z0-9 _-]{1,31}", title) for title in book.sheetnames)


def test_every_sheet_says_what_it_holds(book: Workbook) -> None:
    for sheet in book.worksheets:
        assert sheet["A1"].value
        assert str(sheet["A2"].value).endswith(".")


def test_nothing_is_merged_or_hidden(book: Workbook) -> None:
    for sheet in book.worksheets:
        assert not sheet.merged_cells.ranges
        assert sheet.sheet_state == "visible"
        assert not any(row.hidden for row in sheet.row_dimensions.values())
        assert not any(column.hidden for column in sheet.column_dimensions.values())


def test_blue_is_typed_and_nothing_else(book: Workbook) -> None:
    for sheet, cell in cells_of(book):
        where = f"{sheet.title}!{cell.coordinate}"
        blue = cell.font.color is not None and cell.font.color.rgb == TYPED
        assert blue == (cell.style in BLUE_STYLES), where
        if blue:
            assert cell.data_type != "f", where
        if cell.data_type == "n" and not isinstance(cell.value, bool):
            assert blue, where


def test_green_reads_another_sheet_and_black_its_own(book: Workbook) -> None:
    for sheet, cell, formula in formulas_of(book):
        color = cell.font.color.rgb
        assert color == (GREEN if "!" in formula else BLACK), f"{sheet.title}!{cell.coordinate} {formula}"


def test_one_line_one_formula(book: Workbook) -> None:
    patterns: dict[tuple[str, int], set[str]] = defaultdict(set)
    for sheet, cell, formula in formulas_of(book):
        if sheet.title == "Results":
            patterns["Results", -cell.column].add(relative(formula, cell.row, cell.column))
        elif cell.column >= 5:
            patterns[sheet.title, cell.row].add(relative(formula, cell.row, cell.column))
    assert patterns
    assert {where: found for where, found in patterns.items() if len(found) > 1} == {}


def test_formulas_are_plain(book: Workbook) -> None:
    """No numbers but 0 and 1, few and old functions, one IF, short, no outside or whole-column references."""
    assert FUNCTIONS <= FORMULAE
    seen = set()
    for sheet, cell, formula in formulas_of(book):
        pattern = relative(formula, cell.row, cell.column)
        where = f"{sheet.title}!{cell.coordinate} {formula}"
        assert len(formula) <= 120, where
        if pattern in seen:
            continue
        seen.add(pattern)
        tokens = Tokenizer(formula).items
        called = [token.value[:-1].upper() for token in tokens if token.type == "FUNC" and token.subtype == "OPEN"]
        assert set(called) <= FUNCTIONS, where
        assert VOLATILE.isdisjoint(called), where
        assert called.count("IF") <= 1, where
        for token in tokens:
            if token.type == "OPERAND" and token.subtype == "NUMBER":
                assert token.value in ("0", "1"), where
            if token.type == "OPERAND" and token.subtype == "RANGE":
                assert "[" not in token.value, where
                assert re.search(r"[A-Z]\$?\d", token.value), where


def test_a_minus_in_front_and_a_power_stand_in_parentheses(book: Workbook) -> None:
    for sheet, cell, formula in formulas_of(book):
        where = f"{sheet.title}!{cell.coordinate} {formula}"
        assert not re.search(r"(^=|[=,*/^<>+])-", formula), where
        for match in re.finditer(r"\^", formula):
            before, after = formula[: match.start()], formula[match.end() :]
            assert re.search(r"[)\w]$", before), where
            assert re.match(r"[(A-Z$01]", after), where
            assert before.count("(") > before.count(")"), where


def test_the_model_flows_down(book: Workbook) -> None:
    """A formula reads lines above it, so nothing can go round in a circle."""
    for title in ("Model", "Solver"):
        for row in book[title].iter_rows(min_row=7, min_col=4, max_col=5):
            for cell in row:
                if cell.data_type != "f":
                    continue
                for token in Tokenizer(str(cell.value)).items:
                    if token.type == "OPERAND" and token.subtype == "RANGE" and "!" not in token.value:
                        rows = [int(match[3]) for match in REFERENCE.findall(token.value)]
                        assert max(rows) < cell.row, f"{title}!{cell.coordinate} {cell.value}"


def test_the_solver_goes_in_no_circle(book: Workbook) -> None:
    """A block of the Solver reads lines of the Model above the line that takes its result."""
    takes = {}
    for (cell,) in book["Model"].iter_rows(min_row=7, min_col=5, max_col=5):
        match = re.fullmatch(r"=Solver!E(\d+)", str(cell.value))
        if match:
            takes[int(match[1])] = cell.row
    results = sorted(takes)
    assert results
    for (cell,) in book["Solver"].iter_rows(min_row=7, min_col=5, max_col=5):
        match = re.fullmatch(r"=Model!E(\d+)", str(cell.value))
        if match:
            result = next(row for row in results if row > cell.row)
            assert int(match[1]) < takes[result]


def test_every_line_has_label_unit_and_ref(book: Workbook) -> None:
    for title in ("Comparison", "Inputs", "Model", "Solver", "Assumptions", "Checks"):
        sheet = book[title]
        refs = []
        for row in range(7, sheet.max_row + 1):
            label, unit, ref = (sheet.cell(row, column).value for column in (1, 2, 3))
            if sheet.cell(row, 1).style == "Planner section" or (label is None and ref is None):
                continue
            assert label, f"{title} row {row}"
            assert unit or ref == "chart_result", f"{title} row {row}"
            assert ref, f"{title} row {row}"
            refs.append(ref)
        assert len(refs) == len(set(refs)), title


def test_every_row_of_the_planner_is_there(book: Workbook) -> None:
    refs = {cell.value for (cell,) in book["Model"].iter_rows(min_row=7, min_col=3, max_col=3)}
    assert set(SHEET.rows) <= refs
    inputs = {cell.value for (cell,) in book["Inputs"].iter_rows(min_row=7, min_col=3, max_col=3)}
    shown = {name for name in INPUTS if name != "hourly_profile"} | set(HOUR_NAMES) | set(FACT_FIELDS)
    assert shown <= inputs
    assert set(planner_layout().constants) <= inputs


def test_every_input_has_a_line_among_the_assumptions(book: Workbook) -> None:
    refs = {cell.value for (cell,) in book["Assumptions"].iter_rows(min_row=7, min_col=3, max_col=3)}
    assert set(planner_layout().input_rows) <= refs
    assert set(SHEET.rows) <= refs


def test_every_formula_has_a_result_and_none_is_an_error(data: bytes, values: Values) -> None:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        for name in archive.namelist():
            if name.startswith("xl/worksheets/sheet"):
                text = archive.read(name).decode()
                stored = re.findall(r'<c r="[A-Z]+\d+" s="\d+"( t="str")?><f>[^<]*</f>(?:<v/>|<v>([^<]*)</v>)', text)
                assert text.count("<f>") == len(stored)
                for kind, result in stored:
                    assert kind or re.fullmatch(r"-?\d+(\.\d+)?(e[+-]?\d+)?", result)
    assert errors(values) == []


def test_numbers_are_numbers(book: Workbook) -> None:
    for row, name in [(row, name) for name, row in planner_layout().input_rows.items()]:
        cell = CELLS.get(name)
        if cell is not None and cell.is_number:
            for column in range(5, book["Inputs"].max_column + 1):
                assert book["Inputs"].cell(row, column).data_type == "n"


def test_every_open_input_is_validated(book: Workbook) -> None:
    sheet = book["Inputs"]
    rules = {
        str(part).partition(":")[0][1:]: rule
        for rule in sheet.data_validations.dataValidation
        for part in rule.sqref.ranges
    }
    for name, row in planner_layout().input_rows.items():
        cell = CELLS.get(name) or INPUTS[name]
        locked = sheet.cell(row, 5).protection.locked
        assert locked == is_locked(cell), name
        if locked:
            continue
        rule = rules[str(row)]
        assert rule.showErrorMessage
        assert rule.errorStyle == "stop"
        assert len(rule.error) <= 255
        assert len(rule.prompt) <= 255
        assert max(len(rule.errorTitle), len(rule.promptTitle)) <= 32
        if cell.is_number:
            assert rule.type in ("whole", "decimal", "custom")
            assert cell.bounds() in rule.error
            assert cell.unit in rule.error
        else:
            assert rule.type == "list"


def test_panes_and_print(book: Workbook) -> None:
    for sheet in book.worksheets:
        assert sheet.page_setup.orientation == "landscape"
        assert sheet.sheet_properties.pageSetUpPr.fitToPage
        assert sheet.page_setup.fitToWidth >= 1
        assert sheet.oddFooter.left.text == "&F"
        assert sheet.oddFooter.center.text == "&A"
        assert "&P" in sheet.oddFooter.right.text
        assert "UTC" in sheet.oddHeader.right.text
        if sheet.title != "About":
            assert sheet.freeze_panes
            assert sheet.print_title_rows


def test_named_styles_only(book: Workbook) -> None:
    assert {cell.style for _, cell in cells_of(book)} <= {
        name for name in book.named_styles if name.startswith("Planner ")
    }


def luminance(rgb: str) -> float:
    parts = [int(rgb[at : at + 2], 16) / 255 for at in (2, 4, 6)]
    red, green, blue = (part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(first: str, second: str) -> float:
    lighter, darker = sorted((luminance(first), luminance(second)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def test_contrast(book: Workbook) -> None:
    pairs = set()
    for _, cell in cells_of(book):
        fill = cell.fill.start_color.rgb if cell.fill.fill_type == "solid" else "FFFFFFFF"
        pairs.add((cell.font.color.rgb, fill))
    for sheet in book.worksheets:
        for rules in sheet.conditional_formatting:
            for rule in rules.rules:
                if rule.dxf.font is not None:
                    pairs.add((rule.dxf.font.color.rgb, rule.dxf.fill.bgColor.rgb))
                else:
                    pairs.update((text, rule.dxf.fill.bgColor.rgb) for text in (BLACK, GREEN))
    assert min(contrast(font, fill) for font, fill in pairs) >= 4.5


def test_one_font_family(book: Workbook) -> None:
    assert {cell.font.name for _, cell in cells_of(book)} == {"Arial"}


def test_properties(book: Workbook) -> None:
    properties = book.properties
    for name in ("title", "creator", "subject", "keywords", "category", "created", "language"):
        assert getattr(properties, name), name
    assert properties.creator != "openpyxl"
    assert book.calculation.fullCalcOnLoad
    custom = {prop.name: prop.value for prop in book.custom_doc_props.props}
    assert custom["PlannerFormat"] == "1"
    for name in ("PlannerWorkbookId", "PlannerInputs", "PlannerContent"):
        assert re.fullmatch(r"[0-9a-f]{32,64}", custom[name]), name


def test_the_master_check_stands_on_the_main_sheets(book: Workbook, values: Values) -> None:
    for title in MAIN:
        assert book[title]["D3"].value == "=Checks!$D$3"
        assert values[title]["D3"] == 1.0
    assert book["Checks"]["D3"].value.startswith("=MIN(D7:D")


def test_names_are_valid_everywhere_and_point_at_their_cells(book: Workbook) -> None:
    assert len(book.defined_names) >= len(planner_layout().input_rows)
    for name, defined in book.defined_names.items():
        assert re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]{0,249}", name)
        assert not re.fullmatch(r"[A-Za-z]{1,3}\d{1,7}", name)
        assert not re.match(r"(?i)[rc]\d", name)
        assert name.upper() not in ("R", "C", "TRUE", "FALSE")
        ((title, cells),) = defined.destinations
        row = int(REFERENCE.findall(cells)[0][3])
        assert book[title].cell(row, 3).value == name


def test_formulas_do_not_use_names(book: Workbook) -> None:
    cells = re.compile(r"([A-Z][a-z]+!)?\$?[A-Z]{1,3}\$?\d+(:\$?[A-Z]{1,3}\$?\d+)?")
    for _, cell, formula in formulas_of(book):
        if cell.column <= 5:
            for token in Tokenizer(formula).items:
                if token.type == "OPERAND" and token.subtype == "RANGE":
                    assert cells.fullmatch(token.value), formula


def test_the_chart(data: bytes) -> None:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        charts = [archive.read(name).decode() for name in archive.namelist() if name.startswith("xl/charts/chart")]
        drawings = [
            archive.read(name).decode() for name in archive.namelist() if re.match(r"xl/drawings/drawing\d", name)
        ]
    (chart,), (drawing,) = charts, drawings
    assert drawing.count("<c:chart ") == 1
    description = re.search(r'descr="([^"]+)"', drawing)
    assert description is not None
    assert description[1].startswith("Bar chart of ")
    assert "numCache" in chart
    assert "strCache" in chart
    assert "<title>" in chart
    assert chart.count('<delete val="0"') == 2
    assert re.search(r"<numFmt formatCode=\"[^\"]+\"", chart)


def test_ids_stand_in_their_row(book: Workbook) -> None:
    sheet = book["Inputs"]
    assert sheet["C6"].value == "scenario_id"
    ids = [sheet.cell(6, column).value for column in range(5, sheet.max_column + 1)]
    assert len(ids) == len(set(ids))
    assert all(isinstance(identity, str) for identity in ids)


def test_results_are_a_table_where_there_are_many(book: Workbook) -> None:
    many = book["Inputs"].max_column - 4 > 12
    assert ("Results" in book.sheetnames) == many
    if many:
        assert book["Results"].auto_filter.ref
        heads = {str(book["Results"].cell(5, column).value): column for column in range(1, 40)}
        units = [book["Results"].cell(6, heads[name]).value for name in ("TTFT", "Weights", "Above the cheapest")]
        assert units == ["ms", "GiB", "%"]
        assert book["Results"].max_row - 6 == book["Inputs"].max_column - 4
