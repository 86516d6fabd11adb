"""The order of columns: positions with gaps between them, so that few rows change when one is moved."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

from sqlalchemy import and_, func, or_, select

from planner.store.actions import GAP, Action
from planner.store.reading import LIVE, ORDER
from planner.store.tables import ScenarioRow


def positions_after(action: Action, after: int | None, number: int) -> list[int]:
    """``number`` rising positions behind scenario ``after``, or behind all others. Raises NotFoundError."""
    session, live = action.session, and_(ScenarioRow.workspace_id == action.workspace_id, LIVE)
    if after is None:
        last = session.scalar(select(func.max(ScenarioRow.position)).where(live))
        start = 0 if last is None else last + GAP
        return [start + GAP * index for index in range(number)]
    row = action.rows([after])[after]
    for _ in range(2):
        later = or_(
            ScenarioRow.position > row.position, and_(ScenarioRow.position == row.position, ScenarioRow.id > row.id)
        )
        fitted = _between(
            row.position, session.scalar(select(func.min(ScenarioRow.position)).where(live, later)), number
        )
        if fitted is not None:
            return fitted
        _spread(action)
    raise AssertionError("there is room between positions that were spread")


def _spread(action: Action) -> None:
    """Give all live scenarios of the workspace new positions, GAP apart, in the order that they have."""
    query = select(ScenarioRow.id).where(ScenarioRow.workspace_id == action.workspace_id, LIVE).order_by(*ORDER)
    rows = action.rows(action.session.scalars(query))
    for index, row in enumerate(rows.values()):
        row.position = index * GAP
    action.session.flush()


def place(action: Action, present: list[int], order: list[int]) -> None:
    """Bring the scenarios ``present``, all of the workspace in their order, into ``order``.

    The fewest rows get a new position: those outside the longest part that already stands in the new order.
    """
    index = {identifier: place for place, identifier in enumerate(present)}
    moved = set(range(len(order))) - set(_longest_rise([index[identifier] for identifier in order]))
    if not moved:
        return
    rows = action.rows(order[place] for place in sorted(moved))
    query = select(ScenarioRow.id, ScenarioRow.position).where(ScenarioRow.workspace_id == action.workspace_id, LIVE)
    positions = dict(action.session.execute(query).all())
    place = 0
    while place < len(order):
        if place not in moved:
            place += 1
            continue
        end = place
        while end < len(order) and end in moved:
            end += 1
        low = positions[order[place - 1]] if place else None
        high = positions[order[end]] if end < len(order) else None
        fitted = _between(low, high, end - place)
        if fitted is None:
            every = action.rows(order)
            for new, identifier in enumerate(order):
                every[identifier].position = new * GAP
            return
        for offset, position in enumerate(fitted):
            rows[order[place + offset]].position = positions[order[place + offset]] = position
        place = end


def _between(low: int | None, high: int | None, number: int) -> list[int] | None:
    """``number`` rising positions strictly between ``low`` and ``high``; None where they do not fit."""
    if low is None:
        low = (high or 0) - GAP * (number + 1)
    if high is None:
        high = low + GAP * (number + 1)
    step = (high - low) // (number + 1)
    return [low + step * (offset + 1) for offset in range(number)] if step else None


def _longest_rise(numbers: Sequence[int]) -> list[int]:
    """Places of a longest rising subsequence of ``numbers``, which are all different."""
    tops: list[int] = []
    ends: list[int] = []
    previous: list[int] = []
    for place, number in enumerate(numbers):
        spot = bisect_right(tops, number)
        previous.append(ends[spot - 1] if spot else -1)
        tops[spot : spot + 1] = [number]
        ends[spot : spot + 1] = [place]
    chain: list[int] = []
    place = ends[-1] if ends else -1
    while place >= 0:
        chain.append(place)
        place = previous[place]
    return chain[::-1]
