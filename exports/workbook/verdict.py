"""The verdict on the Comparison sheet: the cheapest of the scenarios that serve their load within their targets.

``planner.analysis.verdict`` says the same in words; here it is formulas, so that it follows what is changed.
"""

from __future__ import annotations

import math

from openpyxl.utils import get_column_letter

from exports.workbook import styles as look
from exports.workbook.book import Book, ShownLine
from exports.workbook.formats import FLAG, GENERAL, PERCENT_CHANGE, WHOLE, NumberFormat
from exports.workbook.formula import COLUMN
from exports.workbook.page import CONSTANT_COLUMN, FIRST_SCENARIO, NAMES_ROW, Page, clean
from exports.workbook.stored import Stored
from planner.model.constants import MS_PER_S
from planner.model.rules import CHECK_TOLERANCE

MONTH, OUTPUT = "Cost per month", "Cost per million output tokens"
_OWN = {MONTH: "self_host_cost_per_month", OUTPUT: "self_host_cost_per_million_output_tokens"}
_API = {MONTH: "api_cost_per_month", OUTPUT: "api_cost_per_million_output_tokens"}
_TARGETS = (("ttft", "TTFT", "ttft_s", "ttft_target_ms"), ("tpot", "TPOT", "tpot_s", "tpot_target_ms"))
_HEAD = ("cheapest", "cost", "above", "meets")
_STEPS = (
    *("served", "ttft", "tpot", "price", "bought", "calls", "prompt", "generated", "load", "currency"),
    *(MONTH, OUTPUT, "counts", "eligible"),
)
HEAD_LINES, STEP_LINES = len(_HEAD), len(_STEPS)


class Verdict:
    """The lines of the verdict: four that stand first on the sheet, and the steps that lead to them further below.

    ``head`` is the row of the first of the four; ``steps``, the row of the first step, is set before they are written.
    """

    def __init__(self, book: Book, page: Page, head: int) -> None:
        self.book, self.page, self.head, self.steps = book, page, head, 0
        self.values: dict[str, list[float]] = {}
        self._compute()

    def _compute(self) -> None:
        """The result of every line."""
        numbers, count = self.book.numbers, len(self.book.scenarios)
        served = float(len(self.book.layout.lists["serving_limit"]))
        known = self.values
        known["served"] = [float(code == served) for code in numbers["serving_limit"]]
        for key, _, row, target in _TARGETS:
            pairs = zip(numbers[row], numbers[target], strict=True)
            known[key] = [float(not value * float(MS_PER_S) > most * _slack()) for value, most in pairs]
        prices = zip(numbers["device_price_per_hour"], numbers["owned_device_price"], strict=True)
        known["price"] = [float(not (math.isnan(rent) and math.isnan(owned))) for rent, owned in prices]
        known["bought"] = [
            float(not price and not math.isnan(cost))
            for price, cost in zip(known["price"], numbers[_API[MONTH]], strict=True)
        ]
        days = zip(numbers["calls_per_day"], numbers["days_per_month"], strict=True)
        known["calls"] = [calls * month for calls, month in days]
        known["prompt"], known["generated"] = list(numbers["prompt_tokens"]), list(numbers["generated_tokens"])
        known["load"] = [
            float(all(known[key][place] == known[key][self.book.baseline] for key in ("calls", "prompt", "generated")))
            for place in range(count)
        ]
        known["currency"] = [float(code == self.currencies[self.book.baseline]) for code in self.currencies]
        for basis in (MONTH, OUTPUT):
            choice = zip(known["price"], numbers[_OWN[basis]], numbers[_API[basis]], strict=True)
            known[basis] = [own if price else api for price, own, api in choice]
        known["cost"] = known[self.basis]
        met = zip(known["bought"], known["served"], known["ttft"], known["tpot"], strict=True)
        known["meets"] = [max(bought, served * ttft * tpot) for bought, served, ttft, tpot in met]
        comparable = min(known["currency"]) == 1
        known["counts"] = [
            float(bool(meets) and comparable and not math.isnan(cost))
            for meets, cost in zip(known["meets"], known["cost"], strict=True)
        ]
        known["eligible"] = [
            cost if counts else math.nan for counts, cost in zip(known["counts"], known["cost"], strict=True)
        ]
        least = self.least
        known["cheapest"] = [float(cost <= least * _slack()) for cost in known["eligible"]]
        known["above"] = [cost / least - 1 if least else math.nan for cost in known["eligible"]]

    @property
    def currencies(self) -> list[str]:
        """Every scenario's currency, as a spreadsheet compares texts."""
        return [str(one.scenario.values["currency"]).lower() for one in self.book.scenarios]

    @property
    def basis(self) -> str:
        """What is compared: costs per month where all have one load, else per million output tokens."""
        return MONTH if min(self.values["load"]) == 1 else OUTPUT

    @property
    def least(self) -> float:
        """The lowest cost of those that meet their targets, NaN where there is none."""
        found = [cost for cost in self.values["eligible"] if not math.isnan(cost)]
        return min(found) if found else math.nan

    def at(self, key: str) -> int:
        """The row of a line."""
        return self.head + _HEAD.index(key) if key in _HEAD else self.steps + _STEPS.index(key)

    def cell(self, key: str) -> str:
        """The cell of a line in the open column."""
        return f"{COLUMN}{self.at(key)}"

    def span(self, key: str) -> str:
        """The scenarios' cells of a line."""
        first, last = get_column_letter(FIRST_SCENARIO), get_column_letter(self.page.last_column)
        return f"${first}{self.at(key)}:${last}{self.at(key)}"

    def model(self, row: str) -> str:
        """The cell of the Model sheet that holds ``row``."""
        return f"Model!{COLUMN}{self.book.layout.model_rows[row]}"

    def line(self, key: str, label: str, unit: str, text: str, shown: NumberFormat, *, is_key: bool = False) -> None:
        """One line across the scenarios."""
        label_style, style = (look.LABEL_KEY, look.CALC_KEY) if is_key else (look.LABEL, look.CALC)
        ref = {MONTH: "per_month", OUTPUT: "per_output"}.get(key, key)
        self.page.label(self.at(key), label, unit, f"verdict.{ref}", label_style)
        self.page.across(self.at(key), text, self.values[key], style, shown)
        self.book.compared[f"verdict.{ref}"] = ShownLine(self.at(key), label, unit, self.values[key], shown)

    def single(self, key: str, text: str, value: Stored, shown: NumberFormat = GENERAL) -> None:
        """The cell of a line in column D."""
        self.page.formula(self.at(key), CONSTANT_COLUMN, text, value, look.CALC_KEY, shown)

    def write_head(self) -> None:
        """Who is cheapest, at what cost, and how far the others lie above."""
        cell, span, known = self.cell, self.span, self.values
        eligible, slack = cell("eligible"), f"(1+{self.book.layout.constant_cell(CHECK_TOLERANCE)})"
        least = f"$D{self.at('eligible')}"
        text = f"=IF(ISNUMBER({eligible}),({eligible}<={least}*{slack})*1,0)"
        self.line("cheapest", "Cheapest that meets its targets", "1 = yes", text, FLAG, is_key=True)
        names = f"$E${NAMES_ROW}:${get_column_letter(self.page.last_column)}${NAMES_ROW}"
        text = f'=IF(SUM({span("cheapest")})>0,INDEX({names},MATCH(1,{span("cheapest")},0)),"none")'
        winner = known["cheapest"].index(1.0) if 1.0 in known["cheapest"] else None
        self.single("cheapest", text, "none" if winner is None else clean(self.book.names[winner]))
        same = f"$D{self.at('load')}=1"
        shown = self.book.number_format(_unit(self.basis), known["cost"])
        text = f"=IF({same},{cell(MONTH)},{cell(OUTPUT)})"
        self.line("cost", "Cost that is compared", "see D", text, shown, is_key=True)
        self.single("cost", f"=IF({same},$A{self.at(MONTH)},$A{self.at(OUTPUT)})", self.basis)
        above = f"{eligible}/{least}"
        self.line("above", "Above the cheapest", "%", f'=IF(ISNUMBER({above}),{above}-1,"")', PERCENT_CHANGE)
        text = f"=MAX({cell('bought')},{cell('served')}*{cell('ttft')}*{cell('tpot')})"
        self.line("meets", "Serves its load within its targets", "1 = yes", text, FLAG)

    def write_steps(self) -> None:
        """The steps, each a line."""
        layout, numbers, known = self.book.layout, self.book.numbers, self.values
        model, inputs = self.model, layout.input_rows
        words = layout.list_range("serving_limit")
        self.line("served", "Can be served", "1 = yes", f"=({model('serving_limit')}=ROWS({words}))*1", FLAG)
        slack = f"(1+{layout.constant_cell(CHECK_TOLERANCE)})"
        for key, label, row, target in _TARGETS:
            most, value = f"Inputs!{COLUMN}{inputs[target]}", model(row)
            holds = f"({value}*{layout.constant_cell(MS_PER_S)}<={most}*{slack})*1"
            text = f"=IF(ISNUMBER({value})*ISNUMBER({most}),{holds},1)"
            self.line(key, f"{label} is within its target", "1 = yes", text, FLAG)
        rent, owned = (f"Inputs!{COLUMN}{inputs[name]}" for name in ("device_price_per_hour", "owned_device_price"))
        text = f"=OR(ISNUMBER({rent}),ISNUMBER({owned}))*1"
        self.line("price", "A price of the device is given", "1 = yes", text, FLAG)
        text = f"=(1-{self.cell('price')})*ISNUMBER({model(_API[MONTH])})"
        self.line("bought", "Bought from an API", "1 = yes", text, FLAG)
        text = f"={model('calls_per_day')}*Inputs!{COLUMN}{inputs['days_per_month']}"
        self.of_load("calls", "Calls per month", "calls/month", text)
        self.of_load("prompt", "Prompt tokens of a call", "tokens", f"=Inputs!{COLUMN}{inputs['prompt_tokens']}")
        self.of_load("generated", "Generated tokens of a call", "tokens", f"={model('generated_tokens')}")
        same = "*".join(f"({self.cell(key)}=$D{self.at(key)})" for key in ("calls", "prompt", "generated"))
        self.line("load", "The load is the baseline's", "1 = yes", f"={same}", FLAG)
        self.single("load", f"=MIN({self.span('load')})", min(known["load"]), FLAG)
        at = inputs["currency"]
        every = f"Inputs!$E${at}:${get_column_letter(self.page.last_column)}${at}"
        text = f"=(Inputs!{COLUMN}{at}=INDEX({every},$D$4))*1"
        self.line("currency", "The currency is the baseline's", "1 = yes", text, FLAG)
        self.single("currency", f"=MIN({self.span('currency')})", min(known["currency"]), FLAG)
        for basis in (MONTH, OUTPUT):
            text = f"=IF({self.cell('price')}=1,{model(_OWN[basis])},{model(_API[basis])})"
            shown = self.book.number_format(_unit(basis), [*numbers[_OWN[basis]], *numbers[_API[basis]]])
            self.line(basis, basis, self.book.unit(_unit(basis)), text, shown)
        shown = self.book.number_format(_unit(self.basis), known["cost"])
        cost = self.cell("cost")
        text = f"=({self.cell('meets')}=1)*($D{self.at('currency')}=1)*ISNUMBER({cost})"
        self.line("counts", "Meets its targets at a cost that compares", "1 = yes", text, FLAG)
        text = f'=IF({self.cell("counts")}=1,{cost},"")'
        self.line("eligible", "Cost of those", "see D", text, shown)
        text = f'=IF(SUM({self.span("counts")})>0,MIN({self.span("eligible")}),"")'
        self.single("eligible", text, self.least, shown)

    def of_load(self, key: str, label: str, unit: str, text: str) -> None:
        """A part of the load, the baseline's in column D."""
        self.line(key, label, unit, text, self.book.number_format(unit, self.values[key]))
        base = self.values[key][self.book.baseline]
        shown = self.book.number_format(unit, self.values[key])
        self.single(key, f"=INDEX({self.span(key)},$D$4)", base, shown if base < 1e13 else WHOLE)


def _slack() -> float:
    return 1 + float(CHECK_TOLERANCE)


def _unit(basis: str) -> str:
    return "$/month" if basis == MONTH else "$/Mtok"
