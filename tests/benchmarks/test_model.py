"""How long the sheet takes: one scenario, ten thousand, a million points, and the import.

Each is shown beside the same arithmetic written by hand, in the same run, because machines differ. Run alone with
``-m benchmark``; times are the best of several, in processor time of one core.
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from planner.model.evaluation import Results, compute, encode_all, evaluate
from planner.model.inputs import check_values
from planner.model.rows import SHEET
from planner.model.sweep import evaluate_cells, evaluate_many
from tests.model.builders import FITTED, H100, LLAMA_3_70B, facts
from tests.model.scenarios import Seeded, a_scenario

pytestmark = pytest.mark.benchmark

VALUES = check_values(
    {
        "tensor_parallel": 4, "device_price_per_hour": 2.5, "input_price_per_million": 0.5, "output_price_ratio": 4,
        "requests_per_day": 100_000.0, "output_tokens": 300, "scheduling": "prefill_first",
    }
)  # fmt: skip
FACTS = facts(H100, LLAMA_3_70B, FITTED)
OUTPUTS = ("self_host_cost_per_million_output_tokens", "tpot_s")


def best(run: Callable[[], object], repeats: int = 7, inner: int = 1) -> float:
    """Seconds of one call: the best of ``repeats`` rounds of ``inner`` calls."""
    seconds = []
    for _ in range(repeats):
        start = time.process_time()
        for _ in range(inner):
            run()
        seconds.append((time.process_time() - start) / inner)
    return min(seconds)


def by_hand(requests_per_day: Any, answer: Any) -> tuple[Any, Any]:
    """Cost per million output tokens and TPOT of VALUES on FACTS, written without the sheet but with its questions:
    does it fit, is a slot left, is the context long enough; how many replicas; where does the batch settle.
    """
    t, stages, prompt, layers, price, engine_batch, factor = 4, 1, 1000, 80, 2.5, 256, 1.0
    bandwidth, peak, link = 3.35e12, 9.89e14, 450e9 * 0.39
    kv = 2 * layers * 8 * 128 * 2
    weights = 70_553_706_496 * 2 / (t * stages)
    pool = 79.18 * 2**30 * 0.9 - weights - 39 * 1024 * 128_256 - 0.7 * 2**30
    longest = prompt + answer
    slot = np.ceil(np.round(longest / 16, 9)) * 16
    blocks = np.floor(np.round(pool / (16 * kv / t / stages), 9))
    concurrency = blocks * 16 / slot
    c = np.floor(np.round(np.minimum(engine_batch, np.floor(np.round(concurrency, 9))), 9))

    context = prompt + answer / 2
    memory_fixed = 69_503_033_344 * 2 / (t * bandwidth * 0.9)
    memory_each = layers * context * 2 * 8 * 128 * 2 / t / (bandwidth * 0.7)
    matmul_each = 2 * 69_503_033_344 / (t * peak * 0.6)
    attention_each = 4 * 64 * 128 * layers * context / (t * peak * 0.6)
    ring = 2 * layers * 2 * (t - 1) / t * 8192 * 2 / link
    rest_fixed = 2 * layers * 9.1e-6 + layers * 47.5e-6
    rest_each = ring + layers * 0.3e-6

    def step(x: Any) -> Any:
        roof = np.maximum(memory_fixed + memory_each * x, matmul_each * x + attention_each * x)
        return (roof + rest_fixed + rest_each * x) * factor

    head = 1_050_673_152
    matmul = 2 * (69_503_033_344 - head) * prompt + 2 * head
    pairs = 4 * layers * 64 * 128 / 2 * prompt * prompt
    prefill_compute = (matmul + pairs) / (t * peak * 0.73)
    prefill_memory = memory_fixed + prompt * kv / t / (bandwidth * 0.7)
    prefill = max(prefill_compute, prefill_memory) + 2 * layers * 9.1e-6 + ring * prompt + layers * 47.5e-6
    work = prefill / stages

    alone = step(1)
    capacity = c / np.maximum(answer * step(np.maximum(1, c / stages)) + c * work, 1e-24)
    peak_rate = requests_per_day / 86_400 * 2
    served = (concurrency >= 1) & (c >= 1) & (longest <= 131_072)
    replicas = np.maximum(1, np.ceil(np.round(peak_rate / np.maximum(capacity * 0.8, 1e-12), 9)))
    rate = np.where(served, peak_rate / replicas, np.nan)
    share = np.minimum(rate * work, 1 - 1e-12)
    wait = share / (1 - share) * prefill / 2
    asked = rate / (1 - share)
    stalls = share * (wait + prefill)
    tokens = asked * answer
    stalled = asked * stalls
    end = c / stages

    def settled(fixed: Any, each: Any) -> Any:
        line = stages - tokens * each * factor
        return np.where(line > 0, np.minimum((stalled + tokens * fixed * factor) / np.maximum(line, 1e-24), end), end)

    by_memory = settled(memory_fixed + rest_fixed, memory_each + rest_each)
    by_compute = settled(rest_fixed, matmul_each + attention_each + rest_each)
    at_rest = np.maximum(1, tokens * alone + stalled)
    b = np.minimum(np.maximum(at_rest, np.maximum(by_memory, by_compute) * stages), c)
    decode = (answer * step(np.maximum(1, b / stages)) + stalls) / (1 - share)
    month = replicas * t * stages * 24 * 30 * price
    calls = requests_per_day * 30
    call = np.where(served & (calls > 0), month / np.maximum(calls, 1e-12), np.nan)
    return call / answer * 1e6, decode / np.maximum(answer, 1)


def test_one_evaluation() -> None:
    """Every row of one scenario within 100 us (goal 50), beside two rows of it by hand on floats."""
    cells = encode_all(VALUES, FACTS)
    compute(cells)
    rows = best(lambda: compute(cells), inner=300)
    encoded = best(lambda: encode_all(VALUES, FACTS), inner=300)
    whole = best(lambda: evaluate(VALUES, FACTS), inner=300)
    hand = best(lambda: by_hand(100_000.0, 300.0), inner=300)
    print(
        f"\none evaluation of {len(SHEET.rows)} rows: {rows * 1e6:.1f} us (encoding {encoded * 1e6:.1f} us, with it "
        f"{whole * 1e6:.1f} us); two of them by hand with NumPy's scalars: {hand * 1e6:.1f} us"
    )
    assert rows < 100e-6
    assert whole < 150e-6


@pytest.mark.parametrize("kind", ["targets", "experts"])
def test_one_evaluation_that_solves_more(kind: str) -> None:
    """TTFT and TPOT targets, experts and users who think: every solve row runs."""
    values = {**VALUES, "ttft_target_ms": 2000.0, "tpot_target_ms": 60.0}
    numbers: dict[str, float | None] = {}
    if kind == "experts":
        values |= {"users": 10_000.0, "think_time_s": 20.0}
        numbers = {"experts": 128, "experts_per_token": 8, "expert_parameters": 60e9, "active_parameters": 12e9}
    cells = encode_all(check_values(values), facts(H100, LLAMA_3_70B, FITTED, numbers))
    compute(cells)
    seconds = best(lambda: compute(cells), inner=200)
    print(f"\none evaluation with {kind}: {seconds * 1e6:.1f} us")
    assert seconds < 200e-6


def test_ten_thousand_saved_scenarios() -> None:
    """Ten thousand different scenarios at once: all rows, and the two that a list of scenarios shows."""
    some = [a_scenario(Seeded(seed)).cells() for seed in range(500)]
    scenarios = [some[number % len(some)] for number in range(10_000)]
    evaluate_cells(scenarios[:10], OUTPUTS)
    all_rows = tuple(SHEET.rows)
    evaluate_cells(some, all_rows)
    two = best(lambda: evaluate_cells(scenarios, OUTPUTS), repeats=3)
    everything = best(lambda: evaluate_cells(scenarios, all_rows), repeats=3)
    one_by_one = best(lambda: [compute(cells) for cells in some], repeats=3) / len(some)
    print(
        f"\n10,000 scenarios: cost and TPOT {two * 1e3:.0f} ms, all {len(all_rows)} rows {everything * 1e3:.0f} ms; "
        f"one by one {one_by_one * 1e4 * 1e3:.0f} ms"
    )
    assert two < 1
    assert everything < one_by_one * 1e4


def test_a_million_points() -> None:
    """Cost and TPOT over a million points of traffic and length: at least 0.5 million a second and core.

    The same arithmetic by hand, in chunks of the same size, knows what is blank and what is neutral in this one
    scenario; the sheet asks at every point.
    """
    count, chunk = 1_000_000, 16_384
    random = np.random.default_rng(7)
    requests = np.exp(random.uniform(np.log(1e3), np.log(1e7), count))
    answer = random.integers(50, 1000, count).astype(float)
    varying = {"requests_per_day": requests, "output_tokens": answer}

    def sheet() -> dict[str, Any]:
        return evaluate_many(VALUES, FACTS, varying, OUTPUTS, chunk=chunk)

    def hand() -> tuple[Any, Any]:
        cost, tpot = np.empty(count), np.empty(count)
        for start in range(0, count, chunk):
            part = slice(start, start + chunk)
            cost[part], tpot[part] = by_hand(requests[part], answer[part])
        return cost, tpot

    found = sheet()
    for name, wanted in zip(OUTPUTS, hand(), strict=True):
        np.testing.assert_allclose(found[name], wanted, rtol=1e-9)
    # Turns of both, so that what else the machine does slows them alike.
    rounds = [(best(sheet, repeats=1), best(hand, repeats=1)) for _ in range(6)]
    ours, floor = (min(seconds) for seconds in zip(*rounds, strict=True))
    print(
        f"\n1,000,000 points: {count / ours / 1e6:.2f} million a second, by hand {count / floor / 1e6:.2f}; "
        f"{ours / floor:.2f} times its time"
    )
    assert count / ours > 0.5e6
    assert ours < 1.5 * floor


def test_import() -> None:
    """Importing the model, and computing a first scenario, in a fresh interpreter, without NumPy."""
    program = (
        "import time; start = time.process_time()\n"
        "import planner.model.evaluation as evaluation\n"
        "imported = time.process_time()\n"
        "import sys; assert 'numpy' not in sys.modules\n"
        "evaluation.compute([1.0] * len(evaluation.CELLS))\n"
        "print(imported - start, time.process_time() - imported)"
    )
    runs = [
        [float(word) for word in subprocess.check_output([sys.executable, "-c", program], text=True).split()]
        for _ in range(3)
    ]
    imported, first = (min(seconds) for seconds in zip(*runs, strict=True))
    print(
        f"\nimport of planner.model: {imported * 1e3:.0f} ms; "
        f"compiling and computing a first scenario: {first * 1e3:.0f} ms"
    )
    assert imported < 0.5


def test_results_are_looked_at_lazily() -> None:
    """A Results object costs little more than its numbers."""
    cells = encode_all(VALUES, FACTS)
    bare = best(lambda: compute(cells), inner=300)
    wrapped = best(lambda: Results(cells), inner=300)
    assert wrapped < bare * 1.5 + 20e-6
