"""Requests: from a day's total to the mean and the peak rate. A request at a rate is one call of the model."""

from __future__ import annotations

from planner.model.constants import SECONDS_PER_DAY, SECONDS_PER_HOUR
from planner.model.expression import Value
from planner.model.functions import both, given, maximum, otherwise, where
from planner.model.sheet import Maybe, row

SECTION = "Traffic"


@row(label="User requests per day", unit="requests/day", section=SECTION)
def user_requests_per_day(requests_per_day: Value, users: Maybe, requests_per_user_per_day: Maybe) -> Value:
    """Users x requests per user and day where both are given, else requests per day."""
    of_users = otherwise(users, 0) * otherwise(requests_per_user_per_day, 0)
    return where(both(given(users), given(requests_per_user_per_day)), of_users, requests_per_day)


@row(label="Calls per day", unit="calls/day", section=SECTION)
def calls_per_day(user_requests_per_day: Value, calls_per_request: Value) -> Value:
    """Calls of the model in a day: every call of every user request."""
    return user_requests_per_day * calls_per_request


@row(label="Mean rate over 24 h", unit="requests/s", section=SECTION)
def requests_per_second_mean(calls_per_day: Value) -> Value:
    """Calls per day / 86,400 s."""
    return calls_per_day / SECONDS_PER_DAY


@row(label="Largest hour's share", unit="share", section=SECTION, detail=True)
def largest_hour_share(
    hour_share_00: Value, hour_share_01: Value, hour_share_02: Value, hour_share_03: Value, hour_share_04: Value,
    hour_share_05: Value, hour_share_06: Value, hour_share_07: Value, hour_share_08: Value, hour_share_09: Value,
    hour_share_10: Value, hour_share_11: Value, hour_share_12: Value, hour_share_13: Value, hour_share_14: Value,
    hour_share_15: Value, hour_share_16: Value, hour_share_17: Value, hour_share_18: Value, hour_share_19: Value,
    hour_share_20: Value, hour_share_21: Value, hour_share_22: Value, hour_share_23: Value,
) -> Value:  # fmt: skip
    """Share of the day's requests in its busiest hour; blank without an hourly profile."""
    return maximum(
        hour_share_00, hour_share_01, hour_share_02, hour_share_03, hour_share_04, hour_share_05,
        hour_share_06, hour_share_07, hour_share_08, hour_share_09, hour_share_10, hour_share_11,
        hour_share_12, hour_share_13, hour_share_14, hour_share_15, hour_share_16, hour_share_17,
        hour_share_18, hour_share_19, hour_share_20, hour_share_21, hour_share_22, hour_share_23,
    )  # fmt: skip


@row(label="Peak rate", unit="requests/s", section=SECTION, key=True)
def requests_per_second_peak(
    requests_per_second_mean: Value, peak_factor: Value, calls_per_day: Value, largest_hour_share: Maybe
) -> Value:
    """The busiest hour of the profile, else the mean rate x the peak factor."""
    busiest = calls_per_day * otherwise(largest_hour_share, 0) / SECONDS_PER_HOUR
    return where(given(largest_hour_share), busiest, requests_per_second_mean * peak_factor)
