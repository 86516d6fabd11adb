"""Lines and formulas of any row: they compute what the row computes, in every engine, and keep to the rules."""

from __future__ import annotations

import math
import re
from pathlib import Path

import formualizer
import pytest
from openpyxl.formula import Tokenizer
from openpyxl.utils import get_column_letter

from exports.workbook.formula import COLUMN
from exports.workbook.layout import Layout, planner_layout
from exports.workbook.planning import SOLVER_FROM
from planner.model.expression import Constant, Value, lift
from planner.model.fields import Field
from planner.model.functions import (
    argmax,
    blank,
    ceiling,
    chosen,
    exp,
    floor,
    given,
    let,
    log,
    maximum,
    minimum,
    otherwise,
    sqrt,
    where,
)
from planner.model.sheet import Row, Sheet
from tests.exports.office import LibreOffice, errors, read_values, same
from tests.exports.sheets import (
    FIELDS,
    TWO,
    WORDS,
    bare_workbook,
    computed,
    layout_of,
    line_numbers,
    make_row,
    number_field,
    random_cells,
    random_sheet,
)

SEEDS = range(12)
ROWS, COLUMNS = 25, 12


def sheet_of(*rows: Row, fields: dict[str, Field] | None = None) -> Sheet:
    return Sheet(rows, {name: field.optional for name, field in (fields or FIELDS).items()})


def formulas(layout: Layout) -> dict[str, str]:
    """The formulas of Model and Solver by key, in column E."""
    return {item.key or item.ref: item.formula.replace(COLUMN, "E") for item in [*layout.model, *layout.solver]}


@pytest.mark.parametrize("seed", SEEDS)
def test_lines_compute_what_the_rows_compute(seed: int) -> None:
    sheet = random_sheet(seed, ROWS)
    layout = layout_of(sheet)
    for number in range(40):
        cells = random_cells(seed * 100 + number)
        numbers = line_numbers(layout, cells)
        for name, wanted in zip(sheet.rows, computed(sheet, cells), strict=True):
            assert numbers[name] == wanted or (math.isnan(numbers[name]) and math.isnan(wanted)), (name, cells)


def check_against(layout: Layout, columns: list[list[float]], data: bytes) -> None:
    values = read_values(data)
    assert errors(values) == []
    rows = layout.model_rows
    for number, cells in enumerate(columns):
        letter = get_column_letter(5 + number)
        numbers = line_numbers(layout, cells)
        for key, row in rows.items():
            if key in layout.cells:
                continue
            shown = values["Model"].get(f"{letter}{row}", "")
            expected = "" if math.isnan(numbers[key]) else numbers[key]
            assert same(shown, expected, 1e-12), (key, letter)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_spreadsheet_engine_computes_the_same(seed: int, tmp_path: Path) -> None:
    layout = layout_of(random_sheet(seed, ROWS))
    columns = [random_cells(seed * 100 + number) for number in range(COLUMNS)]
    source, target = tmp_path / "source.xlsx", tmp_path / "target.xlsx"
    source.write_bytes(bare_workbook(layout, columns))
    formualizer.recalculate_xlsx_file(str(source), str(target))
    check_against(layout, columns, target.read_bytes())


@pytest.mark.libreoffice
def test_libreoffice_computes_the_same(office: LibreOffice, tmp_path: Path) -> None:
    layouts = [layout_of(random_sheet(seed, ROWS)) for seed in SEEDS]
    columns = [[random_cells(seed * 100 + number) for number in range(COLUMNS)] for seed in SEEDS]
    files = []
    for seed, (layout, sets) in enumerate(zip(layouts, columns, strict=True)):
        path = tmp_path / f"random{seed}.xlsx"
        path.write_bytes(bare_workbook(layout, sets))
        files.append(path)
    for layout, sets, found in zip(layouts, columns, office.convert(files, "xlsx"), strict=True):
        check_against(layout, sets, found.read_bytes())


@pytest.mark.parametrize("seed", SEEDS)
def test_formulas_keep_to_the_rules(seed: int) -> None:
    for key, formula in formulas(layout_of(random_sheet(seed, ROWS))).items():
        assert len(formula) <= 120, key
        tokens = Tokenizer(formula).items
        called = [token.value for token in tokens if token.type == "FUNC" and token.subtype == "OPEN"]
        assert called.count("IF(") <= 1, formula
        numbers = {token.value for token in tokens if token.type == "OPERAND" and token.subtype == "NUMBER"}
        assert numbers <= {"0", "1"}, formula
        assert not re.search(r"(^=|[=,*/^<>+])-", formula), formula


def only(row: Row, fields: dict[str, Field] | None = None) -> tuple[Layout, dict[str, str]]:
    layout = layout_of(sheet_of(row, fields=fields), fields or FIELDS)
    return layout, formulas(layout)


def test_a_strict_part_that_may_be_blank_is_tested() -> None:
    layout, found = only(make_row("r", ["a", "u"], [], lambda a, u: a + u))
    a, u = layout.model_rows["a"], layout.model_rows["u"]
    assert found["r"] == f'=IF(ISNUMBER(E{u}),E{a}+E{u},"")'
    assert found["u"] == f'=IF(ISNUMBER(Inputs!E{layout.input_rows["u"]}),Inputs!E{layout.input_rows["u"]},"")'
    assert found["a"] == f"=Inputs!E{layout.input_rows['a']}"


def test_a_division_is_tested_only_where_the_divisor_may_be_0() -> None:
    _, careful = only(make_row("r", ["a", "b"], [], lambda a, b: a / b))
    _, sure = only(make_row("r", ["a", "b"], [], lambda a, b: where(b > 0, a / b, 0)))
    _, never = only(make_row("r", ["a", "b"], [], lambda a, b: a / maximum(b, 1)))
    assert re.fullmatch(r'=IF\(E\d+<>0,E\d+/E\d+,""\)', careful["r"])
    assert re.fullmatch(r"=IF\(E\d+>0,E\d+/E\d+,0\)", sure["r"])
    assert re.fullmatch(r"=E\d+/MAX\(E\d+,1\)", never["r"])


def test_a_word_is_compared_as_a_word() -> None:
    _, found = only(make_row("r", ["a", "mode"], [], lambda a, mode: where(chosen(mode, WORDS, "large"), a, 0)))
    assert re.fullmatch(r'=IF\(E\d+="large",E\d+,0\)', found["r"])


def test_the_largest_is_found_over_lines_that_stand_together() -> None:
    row = make_row("r", ["a", "b", "u"], [], lambda a, b, u: argmax(a, b * TWO, u))
    row = Row(**{**{name: getattr(row, name) for name in Row.__slots__}, "kind": "word", "words": WORDS})
    layout, found = only(row)
    rows = [layout.model_rows[f"r.candidate{n}"] for n in (1, 2, 3)]
    assert rows == [rows[0], rows[0] + 1, rows[0] + 2]
    span = f"E{rows[0]}:E{rows[2]}"
    assert f"MATCH(MAX({span}),{span},0)" in found["r"]
    assert found["r:word"].startswith(f"=IF(ISNUMBER(E{layout.model_rows['r']}),INDEX(Lists!$D$")


def test_named_shared_and_long_parts_have_lines_of_their_own() -> None:
    def body(a: Value, b: Value, c: Value) -> Value:
        part = let("the part", a * b)
        product = b * c + a
        total = part + product * product
        for _ in range(12):
            total = total + a * b * c - b
        return total

    _, found = only(make_row("r", ["a", "b", "c"], [], body))
    assert "r.the_part" in found
    assert re.fullmatch(r"=E\d+\*E\d+\+E\d+", found["r.1"])
    assert len(found["r"]) <= 120
    assert sum(key.startswith("r.") for key in found) >= 3


def test_a_row_of_many_steps_goes_to_the_solver() -> None:
    def body(a: Value, b: Value) -> Value:
        x = a
        for number in range(SOLVER_FROM + 2):
            x = let(f"step {number}", x + b / maximum(x, 1))
        return x

    layout, found = only(make_row("r", ["a", "b"], [], body))
    solved = next(item for item in layout.solver if item.key == "r")
    assert found["r"] != ""
    assert next(item.formula for item in layout.model if item.key == "r") == f"=Solver!{COLUMN}{solved.row}"
    assert {item.ref for item in layout.solver if item.role == "link"} == {"r.a", "r.b"}


ROUNDED = (make_row("up", ["a"], [], lambda a: ceiling(a * 1)), make_row("down", ["a"], [], lambda a: floor(a * 1)))


def test_rounding_up_agrees_with_python_below_zero_too() -> None:
    fields = {"a": number_field("a"), "p": Field(name="p", label="P", group="Test", kind="real", low=0, high=9)}
    rows = [*ROUNDED, make_row("positive", ["p"], [], lambda p: ceiling(p * 1))]
    found = formulas(layout_of(sheet_of(*rows, fields=fields), fields))
    assert re.fullmatch(r"=\(-INT\(ROUND\(\(-E\d+\),\$D\$\d+\)\)\)", found["up"])
    assert re.fullmatch(r"=INT\(ROUND\(E\d+,\$D\$\d+\)\)", found["down"])
    assert re.fullmatch(r"=ROUNDUP\(ROUND\(E\d+,\$D\$\d+\),0\)", found["positive"])


NEAR = (0.1 + 0.2, 3 * 0.1, 1.1 * 1.1 * 100, 0.7 / 0.1, 4.35 * 100, 2.0 - 1e-12, 2.0 + 1e-12, 5.0000000004, -0.7 / 0.1,
        -2.0 + 1e-12, -1e-12, 1e-12, 7.9999999996)  # fmt: skip


@pytest.mark.libreoffice
def test_numbers_that_are_almost_whole_round_alike(office: LibreOffice, tmp_path: Path) -> None:
    fields = {"a": number_field("a")}
    layout = layout_of(sheet_of(*ROUNDED, fields=fields), fields)
    columns = [[value] for value in NEAR]
    path, fast = tmp_path / "near.xlsx", tmp_path / "fast.xlsx"
    path.write_bytes(bare_workbook(layout, columns))
    formualizer.recalculate_xlsx_file(str(path), str(fast))
    for data in (office.convert([path], "xlsx")[0].read_bytes(), fast.read_bytes()):
        values = read_values(data)["Model"]
        for number, value in enumerate(NEAR):
            letter = get_column_letter(5 + number)
            exact = round(value, 9)
            assert values[f"{letter}{layout.model_rows['up']}"] == math.ceil(exact), value
            assert values[f"{letter}{layout.model_rows['down']}"] == math.floor(exact), value


def test_functions_of_one_number() -> None:
    _, found = only(
        make_row(
            "r", ["a"], [], lambda a: exp(minimum(a, 1)) + log(maximum(a, 1)) + sqrt(maximum(a, 0)) + (a * a + 1) ** a
        )
    )
    assert re.fullmatch(
        r"=EXP\(MIN\(E\d+,1\)\)\+LN\(MAX\(E\d+,1\)\)\+SQRT\(MAX\(E\d+,0\)\)\+\(\(E\d+\*E\d+\+1\)\^E\d+\)", found["r"]
    )


def test_what_is_not_a_formula_is_refused() -> None:
    with pytest.raises(TypeError, match="mode is a word"):
        only(make_row("r", ["a", "mode"], [], lambda a, mode: a + mode))


def test_blank_in_a_comparison_fails_it() -> None:
    sheet = sheet_of(make_row("r", ["a", "v"], ["v"], lambda a, v: where(v < a, 1, where(given(v), TWO, blank()))))
    layout = layout_of(sheet)
    for v in (math.nan, -1.0, 5.0):
        cells = [2.0, 0.0, 0.0, 0.0, v, 0.0, 1.0, 1.0]
        (wanted,) = computed(sheet, cells)
        found = line_numbers(layout, cells)["r"]
        assert found == wanted or (math.isnan(found) and math.isnan(wanted))


def test_constants_are_cells_with_a_source() -> None:
    fifty = Constant(50, "fifty", "Half a hundred", "x", "a count")
    layout, found = only(make_row("r", ["a", "u"], ["u"], lambda a, u: a * fifty + otherwise(u, lift(1)) * fifty))
    assert layout.constants["fifty"].source == "a count"
    item = next(item for item in layout.model if item.constant is fifty)
    assert item.formula == f"=Inputs!$D${layout.constant_rows['fifty']}"
    assert found["r"].count(f"$D${item.row}") == 2


def test_the_planners_own_sheet_has_a_line_for_every_row() -> None:
    layout = planner_layout()
    assert set(layout.sheet.rows) <= set(layout.model_rows)
    assert {plan.row.name for plan in layout.plans.rows} == set(layout.sheet.rows)
