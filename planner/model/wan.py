"""A transfer over a long link: the window and the round trip set its rate, not the pipe.

A sender may have one window of bytes under way, so it sends at most a window per round trip, however wide the link.
The network row of the planner is the same law: a round trip is paid once by the first token and no bandwidth buys it
back. docs/wan.md works an example.
"""

from __future__ import annotations

import math

from planner.model.constants import BITS_PER_BYTE, MS_PER_S
from planner.model.fields import InputError


def _positive(name: str, value: float, unit: str) -> float:
    if not (math.isfinite(value) and value > 0):
        raise InputError(f"{name} = {value} is refused: it must be a finite number above 0 {unit}.")
    return float(value)


def throughput_bps(window_bytes: float, rtt_ms: float, link_bps: float) -> float:
    """Bits per second of one connection: window / round trip, at most the link's rate.

    ``window_bytes`` in bytes, ``rtt_ms`` in milliseconds, ``link_bps`` in bits per second. Raises InputError for a
    figure that is not a finite number above 0.
    """
    window = _positive("Window", window_bytes, "bytes") * BITS_PER_BYTE
    round_trip = _positive("Round trip", rtt_ms, "ms") / MS_PER_S
    return min(window / round_trip, _positive("Link rate", link_bps, "bit/s"))


def transfer_s(file_bytes: float, rate_bps: float) -> float:
    """Seconds that ``file_bytes`` take at ``rate_bps`` bits per second. Raises InputError like throughput_bps()."""
    return _positive("File", file_bytes, "bytes") * BITS_PER_BYTE / _positive("Rate", rate_bps, "bit/s")


def window_to_fill(rtt_ms: float, link_bps: float) -> float:
    """Bytes that must be under way to fill the link: the bandwidth-delay product. Raises InputError likewise."""
    round_trip = _positive("Round trip", rtt_ms, "ms") / MS_PER_S
    return _positive("Link rate", link_bps, "bit/s") * round_trip / BITS_PER_BYTE
