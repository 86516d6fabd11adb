"""Roots of a step's pieces: closed where a piece is linear, a fixed number of Newton steps where experts bend it.

A piece is concave in the sequences x. ``reached`` looks for where a line overtakes it: the difference is convex, so
Newton steps from the right of the root fall to it. ``within`` looks for where the piece reaches a target: Newton steps
from the left rise to it, from a start that Wright's omega function gives (Corless, Jeffrey 2002).
"""

from __future__ import annotations

from planner.model.constants import LEAST_EXPONENT, SMALLEST, THIRD, TINIEST, TWO
from planner.model.expression import Value
from planner.model.functions import exp, let, log, maximum, minimum, sqrt, where
from planner.model.step import Curve

REACHED_STEPS = 6
OMEGA_STEPS = 2
WITHIN_STEPS = 6
MEETING_STEPS = 5


def positive_root(square: Value, middle: Value, constant: Value) -> Value:
    """The root >= 0 of square x^2 + middle x - constant, with square and constant >= 0, free of cancellation."""
    root = sqrt(middle * middle + TWO * square * (TWO * constant))
    rising = TWO * constant / maximum(middle + root, TINIEST)
    falling = (root - middle) / maximum(TWO * square, TINIEST)
    return where(middle > 0, rising, falling)


def reached(curve: Curve, gain: Value, offset: Value | float, weight: Value | float, label: str) -> Value:
    """Smallest x >= 0 with gain x >= offset + weight x curve(x); beyond any batch where there is none.

    ``offset`` may be below 0 only where the curve has experts.
    """
    line = gain - weight * curve.linear
    fixed = offset + weight * curve.fixed
    rising = maximum(line, TINIEST)
    experts = curve.experts
    if experts is None:
        return fixed / rising
    time = weight * experts.time

    # Every expert read, or, where few are, the first terms of the exponential: each is at or right of the root.
    all_read = maximum(fixed + time * experts.whole, 0) / rising
    near = positive_root(time * experts.first_bend * THIRD, line - time * experts.first_slope, maximum(fixed, 0))
    x = where(near * experts.pull * experts.rate <= 1, minimum(near, all_read), all_read)
    for number in range(REACHED_STEPS):
        share, slope = experts.share_and_slope(x)
        fall = (line * x - fixed - time * share) / maximum(line - time * slope, rising * SMALLEST)
        x = let(f"{label}, {curve.name} {number + 1}", maximum(x - fall, 0))
    return where(experts.time > 0, where(line > 0, x, 1 / rising), fixed / rising)


def within(curve: Curve, target: Value, slope: Value | float, top: Value, label: str) -> Value:
    """Largest x in [0, top] with curve(x) + slope x <= target; ``top`` where none is beyond it."""
    line = curve.linear + slope
    room = target - curve.fixed
    straight = where(line > 0, minimum(room / maximum(line, TINIEST), top), top)
    experts = curve.experts
    if experts is None:
        return straight
    time, reach = experts.time, experts.pull * experts.rate
    whole = time * experts.whole
    rising = maximum(maximum(line, whole * reach * SMALLEST), TINIEST)
    power = log(maximum(whole * reach / rising, SMALLEST))
    beyond = (room - whole) * reach / rising
    sought = maximum(power - beyond, LEAST_EXPONENT)
    small = exp(minimum(sought, 1))
    omega = where(sought > 1, sought - log(maximum(sought, 1)), small / (1 + small))
    for number in range(OMEGA_STEPS):
        omega = let(f"{label} omega, {curve.name} {number + 1}", omega * (1 + sought - log(omega)) / (1 + omega))
    start = where(omega > 1, power - log(omega), beyond + omega) / maximum(reach, TINIEST)
    x = minimum(maximum(start, 0), top)
    for number in range(WITHIN_STEPS):
        share, slope_here = experts.share_and_slope(x)
        climb = (room - line * x - time * share) / maximum(line + time * slope_here, TINIEST)
        x = let(f"{label}, {curve.name} {number + 1}", minimum(maximum(x + climb, 0), top))
    return where(experts.time * experts.pull > 0, x, straight)


def meeting(curve: Curve, users: Value, think_s: Value, weight: Value, work: Value, stages: Value, label: str) -> Value:
    """The x at which users who think keep stages x requests in flight: (users - b)(weight curve(x) + work b) = think b.

    A quadratic where the piece is linear. Experts bend it: each step takes the tangent of the concave piece, which is
    above it and so gives an x at or right of the root.
    """

    def crossing(fixed: Value, linear: Value) -> Value:
        per_pass = weight * linear + work * stages
        rest = weight * fixed
        return positive_root(stages * per_pass, stages * (rest + think_s) - users * per_pass, users * rest)

    experts = curve.experts
    if experts is None:
        return crossing(curve.fixed, curve.linear)
    time = experts.time
    all_read = crossing(curve.fixed + time * experts.whole, curve.linear)
    first_reads = crossing(curve.fixed, curve.linear + time * experts.first_slope)
    x = minimum(all_read, first_reads)
    for number in range(MEETING_STEPS):
        share, slope = experts.share_and_slope(x)
        rise = time * slope
        tangent = crossing(curve.fixed + time * share - rise * x, curve.linear + rise)
        x = let(f"{label}, {curve.name} {number + 1}", tangent)
    return where(experts.time * experts.pull > 0, x, crossing(curve.fixed, curve.linear))
