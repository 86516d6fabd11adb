"""Laws of what is solved for: each row that runs Newton's steps agrees with plain bisection."""

from __future__ import annotations

import math
from itertools import pairwise

from planner.model.functions import ceil9
from tests.model.laws import not_above
from tests.model.oracles import Oracle, bisect, close
from tests.model.scenarios import Sample


def operating_batch_is_bisections(sample: Sample) -> None:
    for scheduling in ("mixed", "prefill_first"):
        results = sample.evaluate(batch=None, scheduling=scheduling)
        found = results.number("operating_batch")
        if math.isnan(found):
            return
        oracle = Oracle(results)
        rate = oracle["requests_per_second_per_replica"]
        wanted = oracle.operating_batch()
        if oracle.mixed:
            lasting_s = results.number("riding_step_s")
            left = oracle.outlasting(lasting_s, rate)
            assert close(lasting_s, oracle.riding_step_s(rate), left, lasting_s)
            assert math.isclose(found, wanted, rel_tol=1e-9)
        else:
            scale = found + rate * oracle.time(found) * oracle["counted_tokens"]
            assert close(found, wanted, oracle.surplus(found, rate), scale)


def what_a_step_takes_over_its_prompts_falls_with_them(sample: Sample) -> None:
    """So there is one time that a step lasts with the prompts that arrive meanwhile."""
    results = sample.evaluate(batch=None, scheduling="mixed")
    rate = results.number("requests_per_second_per_replica")
    if math.isnan(rate):
        return
    oracle = Oracle(results)
    times = [10.0**power for power in range(-7, 4)]
    shares = [oracle.own_s(time, rate) / time for time in times]
    assert all(not_above(more, fewer, 1e-9) for fewer, more in pairwise(shares)), shares


def tpot_limit_is_bisections(sample: Sample) -> None:
    results = sample.evaluate()
    found = results.number("tpot_limit_batch")
    if math.isnan(found):
        return
    oracle = Oracle(results)
    target = oracle["tpot_target_ms"] / 1000
    assert close(found, oracle.tpot_limit_batch(), oracle.tpot(found) - target if found > 0 else 1, target)


def largest_batch_meets_the_target_and_one_more_does_not(sample: Sample) -> None:
    results = sample.evaluate()
    largest, limit = results.number("largest_batch"), results.number("largest_batch_bound_by")
    if math.isnan(largest) or math.isnan(results.number("tpot_limit_batch")):
        return
    oracle = Oracle(results)
    target = oracle["tpot_target_ms"] / 1000
    if largest >= 1:
        assert oracle.tpot(largest) <= target * (1 + 1e-9)
    if limit == 3:
        assert oracle.tpot(largest + 1) > target * (1 - 1e-9)


def critical_batch_is_bisections(sample: Sample) -> None:
    results = sample.evaluate()
    oracle = Oracle(results)
    found, least = results.number("critical_batch"), oracle["pipeline_parallel"]
    if oracle.compute_lead(least) >= 0:
        # Compute-bound from the first sequence: the crossing lies where no batch is, or nowhere.
        return
    if math.isnan(found):
        assert all(oracle.compute_lead(least * 10.0**power) < 0 for power in range(13))
        return
    low = high = least
    while oracle.compute_lead(high) < 0:
        low, high = high, high * 1.1
    wanted = bisect(lambda b: oracle.compute_lead(b) >= 0, low, high)
    compute_s = oracle["matmul_per_sequence_s"] + oracle["attention_per_sequence_s"]
    assert close(found, wanted, oracle.compute_lead(found), compute_s * found / least)


def price_ratio_batch_is_bisections(sample: Sample) -> None:
    results = sample.evaluate()
    oracle = Oracle(results)
    found = results.number("price_ratio_batch")
    if math.isnan(found):
        assert oracle.price_gain(1e9) < 0 or math.isnan(oracle["output_ratio_used"])
        return
    high = max(found, 2)
    while oracle.price_gain(high) < 0:
        high *= 2
    wanted = 1 if oracle.price_gain(1) >= 0 else bisect(lambda b: oracle.price_gain(b) >= 0, 1, high)
    assert close(found, wanted, oracle.price_gain(found), oracle.time(found))


def closed_loop_batch_is_bisections(sample: Sample) -> None:
    results = sample.evaluate()
    found = results.number("closed_loop_batch")
    if math.isnan(found):
        return
    oracle = Oracle(results)
    users = oracle["users_per_replica"]
    left = found + oracle["think_time_s"] * oracle.throughput(found) - users
    wanted = oracle.closed_loop_batch()
    assert close(found, wanted, left, users) or max(found, wanted) < 1e-12


def drafting_stops_paying_where_the_steps_cross(sample: Sample) -> None:
    results = sample.evaluate()
    found = results.number("speculative_break_even_batch")
    if math.isnan(found):
        return
    oracle = Oracle(results)
    step = oracle.time(found)
    assert abs(oracle.drafting_loss(found)) <= 1e-6 * step
    assert oracle.drafting_loss(1) < 0 < oracle.drafting_loss(oracle["max_batch"])


def ttft_limit_meets_the_target(sample: Sample) -> None:
    results = sample.evaluate(batch=None)
    found = results.number("ttft_limit_requests_per_second")
    if math.isnan(found) or results.number("served") != 1:
        return
    oracle = Oracle(results)
    top, target = oracle["capacity_requests_per_second"] * oracle["target_utilization"], oracle["ttft_target_ms"] / 1000
    if found == top:
        assert oracle.ttft(top) <= target * (1 + 1e-9)
    else:
        near = abs(oracle.ttft(found) - target) <= 1e-9 * target
        assert near or oracle.ttft(found * (1 - 1e-8)) < target < oracle.ttft(found * (1 + 1e-8))


def replicas_are_the_fewest_that_pass(sample: Sample) -> None:
    """The solved number passes utilization and TTFT target; one fewer fails one of them."""
    results = sample.evaluate(batch=None, replicas_fixed=None)
    count = results.number("serving_replicas")
    if math.isnan(count):
        return
    oracle = Oracle(results)
    peak, target = oracle["requests_per_second_peak"], oracle["ttft_target_ms"] / 1000
    capacity = oracle["capacity_requests_per_second"] * oracle["target_utilization"]

    def passes(replicas: float, slack: float) -> bool:
        rate = peak / replicas
        return rate <= capacity * (1 + slack) and (math.isnan(target) or oracle.ttft(rate) <= target * (1 + slack))

    assert passes(count, 1e-6)
    if count > 1:
        assert not passes(count - 1, -1e-6)


def break_even_is_the_staircases(sample: Sample) -> None:
    results = sample.evaluate()
    first, lasting = (results.number(f"break_even{name}_requests_per_day") for name in ("", "_stays"))
    q, c = results.number("replica_requests_per_day"), results.number("replica_cost_per_month")
    a, spares = results.number("request_value_per_month"), results.cell("spare_replicas")
    if math.isnan(q) or math.isnan(c):
        return
    if math.isnan(first):
        assert q * a <= c * (1 + 1e-9)
        return

    def self_hosted(requests: float) -> float:
        return (max(1.0, ceil9(requests / q)) + spares) * c

    slack = 1 + 1e-6
    assert self_hosted(first) <= a * first * slack
    assert first <= lasting * slack
    for share in (0.999, 0.9, 0.5, 0.1):
        assert self_hosted(first * share) >= a * first * share / slack
    around = (lasting * (1 - 1e-6), lasting * (1 + 1e-8))
    assert lasting == first or any(self_hosted(requests) >= a * requests / slack for requests in around)
    for more in (1.001, 1.1, 1.5, 2.1, 7.3):
        assert self_hosted(lasting * more) <= a * lasting * more * slack
