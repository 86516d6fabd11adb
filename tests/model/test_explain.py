"""The explanation of a cell: readable, complete, and equal to what was computed."""

import ast
import math
import re

import pytest

from catalog import Catalog, load_catalog
from planner.analysis.evaluated import evaluate_scenario
from planner.model.evaluation import Evaluated
from planner.model.explain import (
    DEFAULT,
    SET_HERE,
    explain,
    fact_origin,
    formula_text,
    number_text,
    roots,
    users_of,
)
from planner.model.expression import Constant, Value
from planner.model.facts import FACT_FIELDS
from planner.model.functions import both, either, given, let, maximum, opposite, otherwise, where
from planner.model.inputs import INPUTS, default_values
from planner.model.rows import SHEET
from planner.model.scenario import Fact, Scenario

A, B, C = (Value("input", name=name) for name in "abc")
TWO = Constant(2, "two", "Two")


def spelled(node: Value) -> str:
    def leaf(part: Value) -> str:
        if part.constant is not None:
            return number_text(float(part.constant))
        return part.name or ("" if part.args else number_text(part.number) if part.op == "number" else part.op)

    return formula_text(node, leaf)


@pytest.fixture(scope="module")
def catalog() -> Catalog:
    return load_catalog()


@pytest.fixture(scope="module")
def evaluated(catalog: Catalog) -> Evaluated:
    values = {**default_values(), "model": "llama-3.3-70b", "tensor_parallel": 4, "device_price_per_hour": 2.5}
    return evaluate_scenario(Scenario("s", values, {"memory_bandwidth": 3e12}), catalog)


@pytest.mark.parametrize(
    ("node", "text"),
    [
        (A + B * C, "a + b × c"),
        ((A + B) * C, "(a + b) × c"),
        (A - (B - C), "a − (b − c)"),
        (A - B - C, "a − b − c"),
        (A / (B * C), "a / (b × c)"),
        (A / B / C, "a / b / c"),
        (A / (B / C), "a / (b / c)"),
        (-(A + B), "−(a + b)"),
        ((-A) ** TWO, "(−a) ^ 2"),
        (-(A**TWO), "−a ^ 2"),
        ((A**B) ** C, "(a ^ b) ^ c"),
        (A**-B, "a ^ (−b)"),
        (maximum(A, B + 1), "max(a, b + 1)"),
        (where(A > 0, B, C), "if(a > 0, b, else c)"),
        (where(opposite(A <= 0), B, C), "if(a > 0, b, else c)"),
        (where(opposite(A < B), 1, 0), "if(a ≥ b, 1, else 0)"),
        (where(both(A < B, either(B <= C, given(A))), 1, 0), "if(a < b and (b ≤ c or a is given), 1, else 0)"),
        (otherwise(A, otherwise(B, 0)), "first given of(a, b, 0)"),
        (let("part", A + B) * C, "(a + b) × c"),
    ],
)
def test_formulas_have_the_parentheses_they_need_and_no_more(node: Value, text: str) -> None:
    assert spelled(node) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.0, "0"), (1312.0, "1312"), (-2.0, "−2"), (70553706496.0, "7.0554e10"), (7.9296e-5, "7.9296e−5"),
     (0.123456789, "0.12346"), (math.nan, "blank")],
)  # fmt: skip
def test_numbers_inside_formulas_have_no_separators(value: float, text: str) -> None:
    assert number_text(value) == text


@pytest.mark.parametrize("name", [*SHEET.rows, *INPUTS, *FACT_FIELDS])
def test_every_cell_can_be_explained(evaluated: Evaluated, name: str) -> None:
    found = explain(name, evaluated)
    assert found.name == name
    assert found.label
    assert found.text
    assert all(term.label and term.text for term in (*found.terms, *found.rests_on, *found.feeds))
    if name in SHEET.rows:
        assert found.formulas[0].name == name
        assert {term.name for term in found.terms} >= set(SHEET.rows[name].parameters)
        assert (found.reason != "") == (evaluated.results[name].value is None)
    else:
        assert found.origin


def calculated(text: str) -> float:
    """The value of a formula with numbers put in, by Python's own arithmetic."""
    plain = text.replace("−", "-").replace("×", "*").replace("^", "**")
    return float(eval(compile(ast.parse(plain, mode="eval"), "<formula>", "eval"), {"max": max, "min": min}))  # noqa: S307


def test_the_numbers_put_in_give_the_result(evaluated: Evaluated) -> None:
    tried = 0
    for name, row in SHEET.rows.items():
        found = explain(name, evaluated)
        numbers = found.formulas[0].numbers
        plain = re.fullmatch(r"[0-9e.()×/^+− ,]*(?:(?:max|min)\([0-9e.()×/^+− ,]*)*", numbers)
        if row.kind != "number" or found.reason or not plain or len(found.formulas) > 1:
            continue
        tried += 1
        assert calculated(numbers) == pytest.approx(evaluated.results.number(name), rel=2e-3, abs=1e-12), name
    assert tried > 40


def test_terms_say_where_they_come_from(evaluated: Evaluated) -> None:
    terms = {term.name: term for term in explain("devices_per_replica", evaluated).terms}
    assert terms["tensor_parallel"].origin == SET_HERE
    assert terms["pipeline_parallel"].origin == DEFAULT
    assert terms["tensor_parallel"].text == "4 devices"
    assert explain("memory_bandwidth", evaluated).origin == SET_HERE
    constants = [term for term in explain("weight_bytes", evaluated).terms if term.kind == "constant"]
    assert [(term.text, term.origin) for term in constants] == [("8 bit", "definition")]


def test_what_a_row_rests_on_goes_down_to_inputs_and_facts(evaluated: Evaluated) -> None:
    rests = roots("tpot_s")
    assert {"tensor_parallel", "memory_bandwidth", "weights_efficiency", "prompt_tokens"} <= set(rests)
    assert "hourly_profile" in rests
    assert not set(rests) & SHEET.rows.keys()
    assert [term.name for term in explain("tpot_s", evaluated).rests_on] == rests


def test_feeds_are_the_direct_users(evaluated: Evaluated) -> None:
    assert "devices_per_replica" in list(users_of("tensor_parallel"))
    assert [term.name for term in explain("tensor_parallel", evaluated).feeds] == list(users_of("tensor_parallel"))
    assert list(users_of("hourly_profile"))


def test_a_blank_says_which_input_is_missing(catalog: Catalog) -> None:
    values = {**default_values(), "output_price_ratio": 4.0}
    found = explain("api_cost_per_month", evaluate_scenario(Scenario("s", values), catalog))
    assert found.reason == "Input price per million tokens is not given"
    missing = {term.name: term.text for term in found.terms}
    assert any("blank" in text for text in missing.values())


def test_a_name_shows_the_facts_it_fills(evaluated: Evaluated) -> None:
    names = {term.name for term in explain("model", evaluated).terms}
    assert {"layers", "kv_heads", "parameters"} <= names


def test_an_unknown_name_names_the_nearest(evaluated: Evaluated) -> None:
    with pytest.raises(KeyError, match="tpot_s"):
        explain("tpot_ss", evaluated)


def test_the_origin_of_a_fact_is_one_line() -> None:
    assert fact_origin(Fact(1.0, "a page", "2026-01-02")) == "a page, 2026-01-02"
    assert fact_origin(Fact(1.0, "a page", "", "estimated")) == "a page; estimated"
    assert fact_origin(Fact(1.0, overridden=True)) == SET_HERE
    assert fact_origin(Fact(1.0)) == "catalogue"
