"""What serving it yourself costs: rented, or owned."""

from __future__ import annotations

from planner.model.constants import DAYS_PER_YEAR, MILLION, MONTHS_PER_YEAR, SMALLEST
from planner.model.energy import NO_TRAFFIC
from planner.model.expression import Value
from planner.model.functions import blank, given, maximum, where
from planner.model.sheet import Maybe, row

SECTION = "Self-hosted cost"
NO_PRICE = "neither a device price per hour nor a price of an owned device is given"


@row(label="Rent per month", unit="$/month", section=SECTION, better="lower")
def rent_per_month(device_hours_per_month: Value, device_price_per_hour: Value, plan_price_ratio: Value) -> Value:
    """Device hours x price per hour x the plan's ratio."""
    return device_hours_per_month * device_price_per_hour * plan_price_ratio


@row(label="Write-off per month", unit="$/month", section=SECTION, better="lower", detail=True)
def write_off_per_month(devices: Value, owned_device_price: Value, owned_months: Value, days_per_month: Value) -> Value:
    """Price / months of use, scaled to the days a month counts."""
    share_of_month = days_per_month * MONTHS_PER_YEAR / DAYS_PER_YEAR
    return devices * owned_device_price / owned_months * share_of_month


@row(label="Electricity per month", unit="$/month", section=SECTION, better="lower", detail=True)
def electricity_per_month(energy_kwh_per_month: Value, price_per_kwh: Value) -> Value:
    """Energy per month x price."""
    return energy_kwh_per_month * price_per_kwh


@row(label="Owned hardware per month", unit="$/month", section=SECTION, better="lower")
def owned_per_month(
    write_off_per_month: Value, electricity_per_month: Value, devices: Value, other_cost_per_month: Value
) -> Value:
    """Write-off + electricity + other cost per device."""
    return write_off_per_month + electricity_per_month + devices * other_cost_per_month


@row(label="Self-hosted cost per month", unit="$/month", section=SECTION, better="lower", key=True, reason=NO_PRICE)
def self_host_cost_per_month(
    rent_per_month: Maybe, owned_per_month: Maybe, owned_device_price: Maybe, served: Value
) -> Value:
    """Owned hardware where a price of an owned device is given, else the rent."""
    rent = where(given(rent_per_month), rent_per_month, blank())
    owned = where(given(owned_per_month), owned_per_month, blank())
    return where(given(owned_device_price), owned, rent)


@row(label="Self-hosted cost per call", unit="$/call", section=SECTION, better="lower", reason=NO_TRAFFIC)
def self_host_cost_per_call(self_host_cost_per_month: Value, calls_per_day: Value, days_per_month: Value) -> Value:
    """Cost per month over the calls of a month."""
    calls = calls_per_day * days_per_month
    return where(calls > 0, self_host_cost_per_month / maximum(calls, SMALLEST), blank())


@row(label="Self-hosted cost per user request", unit="$/request", section=SECTION, better="lower")
def self_host_cost_per_user_request(self_host_cost_per_call: Value, calls_per_request: Value) -> Value:
    """Cost per call x calls per request."""
    return self_host_cost_per_call * calls_per_request


@row(label="Self-hosted cost per million output tokens", unit="$/Mtok", section=SECTION, better="lower", key=True)
def self_host_cost_per_million_output_tokens(self_host_cost_per_call: Value, generated_tokens: Value) -> Value:
    """Over visible and reasoning tokens."""
    return self_host_cost_per_call / generated_tokens * MILLION


@row(label="Self-hosted cost per million input tokens", unit="$/Mtok", section=SECTION, better="lower")
def self_host_cost_per_million_input_tokens(self_host_cost_per_call: Value, prompt_tokens: Value) -> Value:
    """The same bill over the prompt tokens alone, cached ones included."""
    return self_host_cost_per_call / prompt_tokens * MILLION


@row(label="Self-hosted cost per million tokens", unit="$/Mtok", section=SECTION, better="lower")
def self_host_cost_per_million_total_tokens(self_host_cost_per_call: Value, longest_sequence_tokens: Value) -> Value:
    """Over input and output tokens together, cached prompt tokens included."""
    return self_host_cost_per_call / longest_sequence_tokens * MILLION
