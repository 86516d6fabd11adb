"""What the same calls cost at an API."""

from __future__ import annotations

from planner.model.constants import MILLION
from planner.model.expression import Value
from planner.model.functions import blank, otherwise, where
from planner.model.sheet import Maybe, row

SECTION = "API bill"


@row(label="Long-context tier", section=SECTION, kind="flag")
def long_context(prompt_tokens: Value, long_context_threshold_tokens: Maybe) -> Value:
    """Whether the whole prompt of a call, cached and written part included, is strictly above the threshold."""
    threshold = otherwise(long_context_threshold_tokens, prompt_tokens)
    return where(prompt_tokens > threshold, 1, 0)


@row(label="Input price used", unit="$/Mtok", section=SECTION)
def input_price_used(input_price_per_million: Value, long_context: Value, long_context_input_ratio: Value) -> Value:
    """Input price of the tier that the call falls in."""
    return input_price_per_million * where(long_context > 0, long_context_input_ratio, 1)


@row(label="Output : input price used", unit="x", section=SECTION, reason="Output : input price is not given")
def output_ratio_used(output_price_ratio: Maybe, long_context: Value, long_context_output_ratio: Maybe) -> Value:
    """Output over input price within the tier."""
    standard = otherwise(output_price_ratio, -1)
    ratio = where(long_context > 0, otherwise(long_context_output_ratio, standard), standard)
    return where(ratio >= 0, ratio, blank())


@row(label="Input-token equivalents per call", unit="tokens", section=SECTION)
def billed_input_tokens(
    prompt_tokens: Value,
    output_tokens: Value,
    reasoning_tokens: Value,
    cached_share: Value,
    cache_write_share: Value,
    cached_price_ratio: Value,
    cache_write_price_ratio: Value,
    output_ratio_used: Value,
    reasoning_price_ratio: Maybe,
) -> Value:
    """Every token class of a call at its price over the tier's input price; reasoning at output's unless given."""
    fresh = 1 - cached_share - cache_write_share
    prompt = fresh + cached_share * cached_price_ratio + cache_write_share * cache_write_price_ratio
    reasoning = reasoning_tokens * otherwise(reasoning_price_ratio, output_ratio_used)
    return prompt_tokens * prompt + output_tokens * output_ratio_used + reasoning


@row(label="API cost per call", unit="$/call", section=SECTION, better="lower", key=True)
def api_cost_per_request(
    billed_input_tokens: Value, input_price_used: Value, batch_share: Value, batch_price_ratio: Value
) -> Value:
    """Input-token equivalents x input price, a share of them at the batch price."""
    discount = 1 - batch_share + batch_share * batch_price_ratio
    return billed_input_tokens * input_price_used / MILLION * discount


@row(label="API cost per user request", unit="$/request", section=SECTION, better="lower")
def api_cost_per_user_request(api_cost_per_request: Value, calls_per_request: Value) -> Value:
    """Cost per call x calls per request."""
    return api_cost_per_request * calls_per_request


@row(label="API cost per month", unit="$/month", section=SECTION, better="lower", key=True)
def api_cost_per_month(api_cost_per_request: Value, calls_per_day: Value, days_per_month: Value) -> Value:
    """Cost per call x calls per day x days per month."""
    return api_cost_per_request * calls_per_day * days_per_month


@row(label="API cost per million output tokens", unit="$/Mtok", section=SECTION, better="lower")
def api_cost_per_million_output_tokens(api_cost_per_request: Value, generated_tokens: Value) -> Value:
    """The whole bill, input included, over visible and reasoning tokens."""
    return api_cost_per_request / generated_tokens * MILLION
