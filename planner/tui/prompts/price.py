"""Picking a price: the sellers of the scenario's device, or the APIs, each of which fills several inputs at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from planner.model.fields import Field, FieldValue, show_number
from planner.model.inputs import INPUTS
from planner.tui.cells import field_text
from planner.tui.choices import Option
from planner.tui.lines import Line
from planner.tui.prompts.cell import NONE, CellPrompt, options_of
from planner.tui.text import one_line

if TYPE_CHECKING:
    from catalog.picking import SellerPick
    from catalog.prices import Pick
    from planner.tui.desk import Desk

DEVICE, PLAN, API = "device_price_per_hour", "price_plan", "input_price_per_million"
STANDS_IN = " price in the place of one on demand"
"""How the catalogue marks the price of another market than the plan's."""
PRICED = (DEVICE, PLAN, API)
"""Inputs whose list is one of prices."""


def price_options(desk: Desk, field: Field) -> list[Option]:
    """The prices that may be picked for ``field`` of the scenario under the cursor. Raises InputError."""
    from catalog.picking import api_picks, device_picks

    book, place = desk.book, desk.column
    if field.name == API:
        model = str(book.value(place, "model") or "")
        options = []
        for one in api_picks(book.catalog, model):
            tokens = one.offer.price
            about = f"{show_number(tokens.input)} in, {show_number(tokens.output)} out a million, {one.offer.date}"
            options.append(Option(one.offer.name, ("this model: " if one.same else "") + about, value=one.pick))
        return options
    device = str(book.value(place, "accelerator") or "")
    options = []
    for each in device_picks(book.catalog, device):
        price, ratio = each.pick.values[DEVICE], each.pick.values["plan_price_ratio"]
        paid = f"{each.paid_per_hour:.2f} an hour"
        if ratio != 1:
            paid += f" ({_number(price)} × {_number(ratio)})"
        kind, doubts = _kind_of(each)
        detail = "; ".join([f"{paid}, {each.pick.date}", *doubts])
        options.append(Option(f"{each.seller} {kind}", one_line(detail), value=each.pick))
    return options


def _kind_of(one: SellerPick) -> tuple[str, list[str]]:
    """What kind of price it is, in the plan's name or that of what stands in for it, and the other doubts about it."""
    stand_in = next((doubt for doubt in one.pick.doubts if doubt.endswith(STANDS_IN) and one.plan == "on_demand"), "")
    doubts = [doubt for doubt in one.pick.doubts if doubt != stand_in]
    return stand_in.removesuffix(STANDS_IN) or one.plan.replace("_", " "), doubts


def _number(value: FieldValue) -> str:
    return show_number(value) if isinstance(value, (int, float)) else ""


class PricePrompt(CellPrompt):
    """A price being edited over the list of those that are asked; a number that is typed counts as it is."""

    def __init__(self, desk: Desk, line: Line, field: Field, prices: list[Option], text: str | None = None) -> None:
        self.prices = prices
        super().__init__(desk, line, field, text)
        self.buffer.replace = text is None

    def options(self, desk: Desk) -> list[Option] | None:
        """A blank and the plans, as without prices; then the prices."""
        first = options_of(desk, self.field)
        if first is None:
            first = [Option(NONE, self.field.blank)] if self.field.optional else []
        return [*first, *self.prices]

    def _guide(self, desk: Desk) -> None:
        what = "An API" if self.field.name == API else "A seller"
        desk.say(f"{self.line.label}: {what} of the list fills its prices, in one step; or type {self._typed()}.")

    def _typed(self) -> str:
        return "a plan" if self.field.kind == "choice" else f"a number, {self.field.bounds()}"

    def edited(self, desk: Desk) -> None:
        """Words narrow the list; a number leaves it."""
        super().edited(desk)
        if self.choices is not None and self.is_value():
            self.choices.narrow("")
            self.choices.index = -1

    def picked(self) -> Option | None:
        """The highlighted option, unless a number was typed, or a blank."""
        typed = not self.buffer.fresh and not self.touched
        if typed and (not self.buffer.text.strip() or self.is_value()):
            return None
        return self.option

    def commit(self, desk: Desk) -> bool:
        """Save a picked price with all that belongs to it, as one action."""
        from catalog.prices import Pick

        option = self.picked()
        if option is None or not isinstance(option.value, Pick):
            return super().commit(desk)
        pick = option.value
        edits = [(self.column, name, INPUTS[name].check(value)) for name, value in pick.values.items()]
        text = f"{desk.scenario_name(self.column)}: {option.text} of {pick.date}: {self._filled(desk, pick)}"
        notes = f" ({'; '.join(pick.doubts)})" if pick.doubts else ""
        if desk.save(edits, one_line(text + notes), why=f"{pick.source}, {pick.date}"):
            desk.close()
            return True
        if desk.prompt is self:
            self.error = desk.message.text
        return False

    def _filled(self, desk: Desk, pick: Pick) -> str:
        """The inputs that the price changes, with their new values."""
        changed = []
        for name, value in pick.values.items():
            field = INPUTS[name]
            if desk.book.value(self.column, name) != field.check(value):
                changed.append(f"{field.label} {field_text(field, value)}")
        return ", ".join(changed) or "the prices that it has already"
