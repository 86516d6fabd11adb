"""A serving engine event by event: Poisson arrivals, a queue, c slots, and passes that prefill, decode, or do both."""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Generator
from dataclasses import dataclass, field
from typing import Any

import simpy

from planner.model.evaluation import Results
from planner.model.prefill import PrefillModel
from tests.model.oracles import Oracle, bundle, number


@dataclass
class Request:
    """One request in seconds of simulated time; ``left`` are prompt tokens that still wait to be prefilled."""

    arrived: float
    left: float
    tokens: int
    first: float = 0
    last: float = 0


@dataclass
class Observed:
    """What the requests after the warm-up saw."""

    requests: list[Request] = field(default_factory=list)

    @property
    def ttft_s(self) -> float:
        """Mean seconds from arrival to first token."""
        return sum(request.first - request.arrived for request in self.requests) / len(self.requests)

    @property
    def ttft_p95_s(self) -> float:
        """95th percentile of the same."""
        waits = sorted(request.first - request.arrived for request in self.requests)
        return waits[int(0.95 * len(waits))]

    @property
    def tpot_s(self) -> float:
        """Mean seconds per token after the first."""
        return sum((request.last - request.first) / request.tokens for request in self.requests) / len(self.requests)

    @property
    def requests_per_second(self) -> float:
        """Requests that left per second."""
        return (len(self.requests) - 1) / (self.requests[-1].last - self.requests[0].last)


class Engine:
    """One replica whose passes take what the sheet's coefficients say.

    ``mixed``: every pass decodes all running sequences and takes up to a chunk of prompt tokens along. Otherwise a
    pass prefills one waiting prompt, first come first served, before any decoding goes on.
    """

    def __init__(self, results: Results, slots: int, *, mixed: bool, seed: int, requests: int) -> None:
        self.oracle = Oracle(results)
        self.prefill = bundle(PrefillModel, results)
        self.slots, self.mixed = slots, mixed
        self.prompt = number(results, "prompt_tokens")
        self.new_tokens = number(results, "new_prompt_tokens")
        self.chunk = number(results, "chunk_tokens")
        self.tokens = int(number(results, "counted_tokens"))
        self.factor = number(results, "software_factor_used")
        self.prefill_s = number(results, "prefill_time_s")
        self.random = random.Random(seed)  # noqa: S311
        self.environment = simpy.Environment()
        self.waiting: deque[Request] = deque()
        self.prefilling: deque[Request] = deque()
        self.running = 0
        self.step_number = 0
        self.leaving: dict[int, list[Request]] = {}
        self.idle: simpy.Event | None = None
        self.left_to_come = requests
        self.done: list[Request] = []
        self._steps: dict[int, float] = {}

    def run(self, rate: float) -> Observed:
        """Simulate until the last request has left; the first fifth warms up."""
        total = self.left_to_come
        self.environment.process(self._arrivals(rate))
        self.environment.process(self._passes())
        self.environment.run()
        assert len(self.done) == total
        return Observed(self.done[total // 5 :])

    def _arrivals(self, rate: float) -> Generator[simpy.Event, Any, None]:
        while self.left_to_come:
            yield self.environment.timeout(self.random.expovariate(rate))
            self.left_to_come -= 1
            self.waiting.append(Request(self.environment.now, self.new_tokens, self.tokens))
            if self.idle is not None:
                self.idle.succeed()
                self.idle = None

    def _passes(self) -> Generator[simpy.Event, Any, None]:
        one_pass = self._mixed_pass if self.mixed else self._prefill_first_pass
        while True:
            while self.waiting and self.running + len(self.prefilling) < self.slots:
                self.prefilling.append(self.waiting.popleft())
            if self.prefilling or self.running:
                yield from one_pass()
            elif self.left_to_come:
                self.idle = self.environment.event()
                yield self.idle
            else:
                return

    def _step_s(self, batch: int) -> float:
        if batch not in self._steps:
            self._steps[batch] = self.oracle.time(batch)
        return self._steps[batch]

    def _prefill_first_pass(self) -> Generator[simpy.Event, Any, None]:
        if self.prefilling:
            yield self.environment.timeout(self.prefill_s)
            self._start(self.prefilling.popleft())
        else:
            yield self.environment.timeout(self._step_s(self.running))
            self._tokens_out()

    def _mixed_pass(self) -> Generator[simpy.Event, Any, None]:
        budget, compute, kv, link = self.chunk, 0.0, 0.0, 0.0
        finished: list[Request] = []
        while self.prefilling and budget > 0:
            request = self.prefilling[0]
            taken = min(budget, request.left)
            reached = self.prompt - request.left + taken
            compute += float(self.prefill.compute_s(taken, reached))  # type: ignore[arg-type]
            kv += self.prefill.prefill_kv_s_per_token * taken  # type: ignore[assignment]
            link += self.prefill.pass_link_s_per_token * taken  # type: ignore[assignment]
            request.left -= taken
            budget -= taken
            if request.left <= 0:
                finished.append(self.prefilling.popleft())
        step, batch = self.oracle.step, self.running
        touched = batch + (self.chunk - budget)
        if batch:
            memory, decoding = float(step.memory_s(batch)), float(step.compute_s(batch))  # type: ignore[arg-type]
            beside = float(step.interconnect_s(batch)) + float(step.overhead_s(batch))  # type: ignore[arg-type]
        else:
            memory, decoding = 0.0, 0.0
            beside = (self.prefill.pass_latency_s + self.prefill.pass_overhead_s) * self.factor  # type: ignore[assignment]
        weights = float(self.prefill.weights_s(touched)) * self.factor  # type: ignore[arg-type]
        caches = float(step.memory_per_sequence_s * step.served(batch)) * self.factor if batch else 0.0  # type: ignore[arg-type]
        reading = max(memory, weights + caches) + kv * self.factor
        roof = max(reading, decoding + compute * self.factor)
        yield self.environment.timeout(roof + beside + link * self.factor)
        self._tokens_out()
        for request in finished:
            self._start(request)

    def _start(self, request: Request) -> None:
        """The first token leaves with the pass that ends the prompt; the others follow one a step."""
        request.first = self.environment.now
        self.running += 1
        self.leaving.setdefault(self.step_number + request.tokens, []).append(request)

    def _tokens_out(self) -> None:
        if not self.running:
            return
        self.step_number += 1
        for request in self.leaving.pop(self.step_number, ()):
            request.last = self.environment.now
            self.running -= 1
            self.done.append(request)
