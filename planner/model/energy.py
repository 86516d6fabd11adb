"""Power and energy of the devices that are up."""

from __future__ import annotations

from planner.model.constants import MILLION, SMALLEST, WATTS_PER_KILOWATT
from planner.model.expression import Value
from planner.model.functions import blank, maximum, otherwise, where
from planner.model.sheet import Maybe, row

SECTION = "Energy"
NO_TRAFFIC = "no traffic"


@row(label="Power of a device under load", unit="W", section=SECTION, reason="Device power is not given")
def loaded_power_w(device_power_w: Maybe, catalogue_power_w: Maybe) -> Value:
    """As given, else the rated power."""
    power = otherwise(device_power_w, otherwise(catalogue_power_w, 0))
    return where(power > 0, power, blank())


@row(label="Power of an idle device", unit="W", section=SECTION, reason="Device idle power is not given")
def idle_power_w(device_idle_power_w: Maybe, catalogue_idle_power_w: Maybe) -> Value:
    """As given, else the rated idle power."""
    power = otherwise(device_idle_power_w, otherwise(catalogue_idle_power_w, -1))
    return where(power >= 0, power, blank())


@row(label="Mean power per device at the wall", unit="W", section=SECTION, better="lower")
def wall_power_w(
    loaded_power_w: Value, idle_power_w: Value, utilization_mean: Value, server_overhead_w: Value, pue: Value
) -> Value:
    """(idle + utilization x (power - idle) + server overhead) x PUE."""
    device = idle_power_w + utilization_mean * maximum(loaded_power_w - idle_power_w, 0)
    return (device + server_overhead_w) * pue


@row(label="Energy per month", unit="kWh/month", section=SECTION, better="lower")
def energy_kwh_per_month(wall_power_w: Value, device_hours_per_month: Value) -> Value:
    """Mean power at the wall x device hours."""
    return wall_power_w * device_hours_per_month / WATTS_PER_KILOWATT


@row(label="Energy per million output tokens", unit="kWh/Mtok", section=SECTION, better="lower", reason=NO_TRAFFIC)
def energy_kwh_per_million_tokens(
    energy_kwh_per_month: Value, calls_per_day: Value, days_per_month: Value, generated_tokens: Value
) -> Value:
    """Energy per month over the output tokens (visible and reasoning) of a month."""
    tokens = calls_per_day * days_per_month * generated_tokens
    return where(tokens > 0, energy_kwh_per_month / maximum(tokens, SMALLEST) * MILLION, blank())
