"""The rules that join several inputs, each once: a function like a row, 1 where it holds and 0 where it is broken.

What is typed, imported or read from a store is held to them; a workbook's Checks sheet has the same as formulas.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Mapping
from functools import cache
from typing import cast

from planner.model.constants import HOURS_PER_DAY
from planner.model.expression import Constant, Value
from planner.model.fields import FieldValue
from planner.model.fleet import hours_billed_per_day
from planner.model.functions import both, given, is_on, let, opposite, otherwise, plain, where
from planner.model.inputs import INPUTS
from planner.model.rows import HOUR_NAMES
from planner.model.sheet import Maybe, Row, RowFunction, row, rows_of

SECTION = "Rules that join inputs"
CHECK_TOLERANCE = Constant(
    1e-9, "check_tolerance", "Relative difference within which two results count as equal", "share", "convention"
)
_SENTENCES: dict[str, str] = {}


def _rule(label: str, broken: str) -> Callable[[RowFunction], RowFunction]:
    """Declares a rule; ``broken`` is what is said where it does not hold, with inputs by name in braces."""

    def declare(function: RowFunction) -> RowFunction:
        _SENTENCES[function.__name__] = broken
        return row(label=label, section=SECTION, kind="flag")(function)

    return declare


def satisfied_unless(condition: Value, holds: Value) -> Value:
    """1 where ``condition`` is not met or ``holds``, else 0."""
    return where(condition, where(holds, 1, 0), 1)


@_rule(
    "An answer has at least one token",
    "Visible output tokens + reasoning tokens must be at least 1 token: an answer has a token.",
)
def answer_has_a_token(output_tokens: Value, reasoning_tokens: Value) -> Value:
    """Visible and reasoning tokens together."""
    return where(output_tokens + reasoning_tokens >= 1, 1, 0)


@_rule(
    "Cached and written share are parts of one prompt",
    "Cached share + written share of the prompt must be at most 1: both are parts of one prompt.",
)
def prompt_shares_fit(cached_share: Value, cache_write_share: Value) -> Value:
    """They sum to 1 at most."""
    return where(cached_share + cache_write_share - CHECK_TOLERANCE <= 1, 1, 0)


@_rule(
    "Fixed replicas exceed the spares",
    "Fixed replicas = {replicas_fixed} must exceed spare replicas = {spare_replicas}: spares serve nothing.",
)
def fixed_replicas_exceed_spares(replicas_fixed: Maybe, spare_replicas: Value) -> Value:
    """Spares serve nothing."""
    return satisfied_unless(given(replicas_fixed), spare_replicas < replicas_fixed)


@_rule(
    "The peak is not below the hours billed",
    "Peak factor = {peak_factor} must be at least 24 h / hours billed per day = {least}: below it the fleet would "
    "serve hours that are not billed.",
)
def peak_fits_hours(peak_factor: Value, hours_per_day: Value, price_plan: Value, hour_share_00: Maybe) -> Value:
    """Without a profile the peak factor is at least 24 / hours billed."""
    billed = hours_billed_per_day(price_plan, hours_per_day)
    return satisfied_unless(opposite(given(hour_share_00)), peak_factor >= HOURS_PER_DAY / billed - CHECK_TOLERANCE)


@_rule(
    "The hours billed cover the profile",
    "Hours billed per day = {hours_per_day} h must be no fewer than the hours of the profile that have requests, or "
    "replicas follow the hours (autoscale): else the fleet would serve hours that are not billed.",
)
def hours_cover_profile(
    hours_per_day: Value, price_plan: Value, autoscale: Value,
    hour_share_00: Maybe, hour_share_01: Maybe, hour_share_02: Maybe, hour_share_03: Maybe, hour_share_04: Maybe,
    hour_share_05: Maybe, hour_share_06: Maybe, hour_share_07: Maybe, hour_share_08: Maybe, hour_share_09: Maybe,
    hour_share_10: Maybe, hour_share_11: Maybe, hour_share_12: Maybe, hour_share_13: Maybe, hour_share_14: Maybe,
    hour_share_15: Maybe, hour_share_16: Maybe, hour_share_17: Maybe, hour_share_18: Maybe, hour_share_19: Maybe,
    hour_share_20: Maybe, hour_share_21: Maybe, hour_share_22: Maybe, hour_share_23: Maybe,
) -> Value:  # fmt: skip
    """With a profile and replicas that are always on, each of its hours with requests is billed."""
    shares = [
        hour_share_00, hour_share_01, hour_share_02, hour_share_03, hour_share_04, hour_share_05,
        hour_share_06, hour_share_07, hour_share_08, hour_share_09, hour_share_10, hour_share_11,
        hour_share_12, hour_share_13, hour_share_14, hour_share_15, hour_share_16, hour_share_17,
        hour_share_18, hour_share_19, hour_share_20, hour_share_21, hour_share_22, hour_share_23,
    ]  # fmt: skip
    busy = where(otherwise(shares[0], 0) > 0, 1, 0)
    for hour, share in enumerate(shares[1:], start=1):
        busy = let(f"busy hours to {hour:02d}", busy + where(otherwise(share, 0) > 0, 1, 0))
    billed = hours_billed_per_day(price_plan, hours_per_day)
    return satisfied_unless(opposite(is_on(autoscale)), busy - CHECK_TOLERANCE <= billed)


@_rule(
    "A device draws no more when idle than under load",
    "Device idle power = {device_idle_power_w} W must not exceed device power = {device_power_w} W.",
)
def idle_power_is_lower(device_power_w: Maybe, device_idle_power_w: Maybe) -> Value:
    """Where both are given."""
    return satisfied_unless(
        both(given(device_power_w), given(device_idle_power_w)), device_idle_power_w <= device_power_w
    )


@cache
def rules() -> tuple[Row, ...]:
    """Every rule, in the order in which they are looked at."""
    return tuple(rows_of(sys.modules[__name__]))


def broken_rule(values: Mapping[str, FieldValue]) -> str:
    """The sentence of the first rule that a complete set of ``values`` breaks; empty when all hold."""
    for one in rules():
        if cast(float, one.call(lambda name: _number(values, name))) != 1:
            shown = {name: INPUTS[name].show(values[name]) for name in one.parameters if name in INPUTS}
            return _SENTENCES[one.name].format(**shown, least=f"{_least_peak(values):.4g}")
    return ""


def _least_peak(values: Mapping[str, FieldValue]) -> float:
    """The peak factor of a fleet that is busy every hour it is billed."""
    plan, hours = (plain(_number(values, name)) for name in ("price_plan", "hours_per_day"))
    return float(cast(float, HOURS_PER_DAY / hours_billed_per_day(plan, hours)))


def _number(values: Mapping[str, FieldValue], name: str) -> float:
    """An input as the number that a row sees: a choice counts from 1, blank is NaN."""
    if name in HOUR_NAMES:
        shares = values["hourly_profile"]
        return shares[HOUR_NAMES.index(name)] if isinstance(shares, tuple) else math.nan
    value, choices = values[name], INPUTS[name].choices
    if choices:
        return float(choices.index(value) + 1) if value in choices else math.nan
    return float(value) if isinstance(value, (int, float)) else math.nan
