"""Plain bisection and direct sums: what the sheet's solve rows are held to."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import fields
from typing import Any, TypeVar

from planner.model.batching import LoadModel
from planner.model.evaluation import Results
from planner.model.mixing import MixingModel, Riding
from planner.model.queueing import QueueModel, company, prefill_wait, step_wait
from planner.model.rows import SHEET
from planner.model.speculative import DraftModel
from planner.model.step import StepModel

Bundle = TypeVar("Bundle")


def number(results: Results, name: str) -> float:
    """The number of a row or of a cell."""
    return results.number(name) if name in SHEET.rows else results.cell(name)


def bundle(kind: type[Bundle], results: Results) -> Bundle:
    """A bundle of rows and cells, filled with the numbers of ``results``."""
    return kind(**{part.name: number(results, part.name) for part in fields(kind)})  # type: ignore[arg-type]


def bisect(holds: Callable[[float], bool], low: float, high: float) -> float:
    """The point between ``low``, where ``holds`` is false, and ``high``, where it is true, to the last digit."""
    while True:
        middle = low + (high - low) / 2
        if not low < middle < high:
            return high
        low, high = (low, middle) if holds(middle) else (middle, high)


class Oracle:
    """The quantities that the sheet solves for, from the numbers of its coefficients."""

    def __init__(self, results: Results) -> None:
        self.results = results
        self.step = bundle(StepModel, results)
        self.load = bundle(LoadModel, results)
        self.queue = bundle(QueueModel, results)
        self.mixing = bundle(MixingModel, results)
        self.mixed = self["prompts_ride"] == 1

    def __getitem__(self, name: str) -> float:
        return number(self.results, name)

    def time(self, b: float) -> float:
        """step(b) in seconds."""
        return float(self.step.time(b))  # type: ignore[arg-type]

    def riding(self, lasting_s: float, rate: float) -> Riding:
        """The pass that a request decodes in when a step lasts ``lasting_s`` at ``rate`` requests/s."""
        return self.mixing.riding(self.step, rate, lasting_s, self["capacity_batch"])  # type: ignore[arg-type]

    def own_s(self, lasting_s: float, rate: float) -> float:
        """What a step takes of its own, less the time that prompts hold the devices."""
        return float(self.riding(lasting_s, rate).own_s[0])  # type: ignore[arg-type]

    def outlasting(self, lasting_s: float, rate: float) -> float:
        """``lasting_s`` less what a step takes with the prompts that arrive in that time."""
        own = self.own_s(lasting_s, rate)
        return lasting_s * (1 - float(self.mixing.held_share(rate))) - own  # type: ignore[arg-type]

    def riding_step_s(self, rate: float) -> float:
        """How long a step lasts with the prompts that arrive meanwhile."""
        high = 1e-9
        while self.outlasting(high, rate) < 0:
            high *= 2
        return bisect(lambda lasting_s: self.outlasting(lasting_s, rate) >= 0, 0, high)

    def surplus(self, b: float, rate: float) -> float:
        """b - rate x D(b) of prompts that stop decoding: below 0 where more requests arrive than leave."""
        held = float(self.mixing.held_share(rate))  # type: ignore[arg-type]
        pause = float(self.mixing.interruption(self.step, rate))  # type: ignore[arg-type]
        return b - rate * (self["counted_tokens"] * self.time(b) + pause) / (1 - held)

    def operating_batch(self, rate: float | None = None) -> float:
        """Smallest b in [1, c] with b >= r D(b), c where there is none."""
        rate = self["requests_per_second_per_replica"] if rate is None else rate
        top = self["capacity_batch"]
        if self.mixed:
            return min(max(1, float(self.riding(self.riding_step_s(rate), rate).in_flight)), top)  # type: ignore[arg-type]
        if self.surplus(1, rate) >= 0:
            return 1
        if self.surplus(top, rate) < 0:
            return top
        return bisect(lambda b: self.surplus(b, rate) >= 0, 1, top)

    def tpot(self, b: float) -> float:
        """TPOT with ``b`` slots in use."""
        return self.time(b) + (b - 1) * self["decode_prefill_work_s"] / max(self["counted_tokens"], 1)

    def tpot_limit_batch(self) -> float:
        """Largest b in [1, largest batch of the engine] whose TPOT is within the target, 0 where 1 is not."""
        target, top = self["tpot_target_ms"] / 1000, self["max_batch"]
        if self.time(1) > target:
            return 0
        return top if self.tpot(top) <= target else bisect(lambda b: self.tpot(b) > target, 1, top)

    def compute_lead(self, b: float) -> float:
        """Compute time - memory time of a pass, the batch of a pass not held above 1."""
        step, x = self.step, b / self["pipeline_parallel"]
        served = max(x, self["attention_degree"])
        memory = self["memory_fixed_s"] + self["experts_read_s"] * float(step.experts().share(x))  # type: ignore[arg-type]
        memory += self["memory_per_sequence_s"] * served
        return self["matmul_per_sequence_s"] * x + self["attention_per_sequence_s"] * served - memory

    def price_gain(self, b: float) -> float:
        """What b tokens are worth at the price ratio - what the step takes."""
        worth = self["output_ratio_used"] * self["prefill_whole_s"] / self["prompt_tokens"]
        return worth * b - self.time(b)

    def throughput(self, b: float) -> float:
        """X(b) of one replica in requests/s; a step has no less than one sequence."""
        return float(self.load.at_steps(b, self.time(max(1, b))))  # type: ignore[arg-type]

    def closed_loop_batch(self) -> float:
        """Smallest b in [0, min(users, c)] with b + Z X(b) >= users of the replica."""
        users, think = self["users_per_replica"], self["think_time_s"]
        top = min(users, self["capacity_batch"])

        def all_there(b: float) -> bool:
            return b + think * self.throughput(b) >= users

        return bisect(all_there, 0, top) if top > 0 and all_there(top) else top

    def drafting_loss(self, b: float) -> float:
        """step(b) with drafting - step(b) without."""
        plain = bundle(DraftModel, self.results).plain(self.step)
        return self.time(b) - float(plain.time(b))  # type: ignore[arg-type]

    def ttft(self, rate: float) -> float:
        """Mean TTFT of one replica at ``rate`` requests/s, in seconds."""
        at: Any = rate
        chance, wait = self.queue.slot_wait(at)
        b: Any = self.operating_batch(rate)
        if self.mixed:
            riding = self.riding(self.riding_step_s(rate), rate)
            step_s, in_flight = riding.step_s, riding.in_flight
            own = company(self.step, self.mixing, riding)
        else:
            step_s, in_flight, own = self.step.time(b), b, 0  # type: ignore[assignment]
        waits = own + prefill_wait(self.step, self.mixing, at, in_flight, step_s) + chance * wait
        waits = waits + step_wait(self.mixing, at, in_flight, b, step_s)
        base = self["ttft_base_s"] + self["prefill_pool_wait_s"] + self["first_steps"] * step_s
        return float((base + waits) * self["ttft_factor"])  # type: ignore[arg-type]


def close(found: float, wanted: float, residual: float, scale: float) -> bool:
    """Whether ``found`` agrees with ``wanted`` to 1e-12, or as closely as rounding lets its equation be solved.

    ``residual`` is what the equation leaves at ``found``, ``scale`` the size of the terms that cancel in it.
    """
    return math.isclose(found, wanted, rel_tol=1e-12) or abs(residual) <= 16 * 2.3e-16 * scale
