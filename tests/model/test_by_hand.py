"""Rows beside the same quantities written straight from their definition, over every kind of model and layout."""

from __future__ import annotations

import math
from collections import Counter

import pytest

from planner.model.evaluation import Results
from tests.model.builders import TOY, results
from tests.model.by_hand import ByHand
from tests.model.scenarios import Sample, Seeded, a_scenario

SEEDS = range(400)
KINDS = ("experts", "mla_layers", "window_layers", "linear_layers", "sparse_layers")


def agree(results: Results, row: str, wanted: float) -> None:
    found = results.number(row)
    assert math.isclose(found, wanted, rel_tol=1e-9, abs_tol=1e-300), (row, found, wanted)


@pytest.mark.parametrize("seed", range(0, 400, 100))
def test_bytes(seed: int) -> None:
    for number in range(seed, seed + 100):
        sample = a_scenario(Seeded(number))
        results, hand = sample.evaluate(), ByHand(sample)
        agree(results, "weight_bytes", hand.weight_bytes())
        agree(results, "weight_bytes_per_device", hand.weight_bytes_per_device())
        agree(results, "kv_bytes_per_token", hand.kv_bytes_per_token())
        agree(results, "kv_live_bytes_per_sequence", hand.kv_live_bytes_per_sequence())
        if hand.runtime_memory_gib is not None:
            agree(results, "kv_pool_bytes_per_device", hand.kv_pool_bytes_per_device())
            if hand.kv_bits:
                agree(results, "max_concurrency", hand.max_concurrency())


def test_a_step() -> None:
    """Memory, compute, interconnect, overhead and drafts at batches from 1 to 2,000."""
    kinds: Counter[str] = Counter()
    for number in SEEDS:
        sample = a_scenario(Seeded(number), fixed_batch=True)
        results, hand = sample.evaluate(), ByHand(sample)
        factor, b = results.number("software_factor_used"), results.cell("batch")
        agree(results, "step_time_s", hand.step_s(b, factor))
        agree(results, "step_alone_s", hand.step_s(1, factor))
        if not hand.g:
            x = max(1, b / hand.p)
            agree(results, "memory_time_s", hand.memory_s(x, 1) * factor)
            agree(results, "compute_time_s", hand.compute_s(x, 1) * factor)
            agree(results, "interconnect_time_s", hand.interconnect_s(x) * factor)
            agree(results, "overhead_time_s", hand.overhead_s(x) * factor)
        kinds.update(
            name
            for name in ("experts", "mla_layers", "window_layers", "linear_layers", "sparse_layers")
            if hand.v[name]
        )
        kinds.update(["drafts"] if hand.g else [])
        kinds.update(["exchanges"] if hand.expert_parallel and hand.apart and hand.t > 1 and hand.experts else [])
    assert min(kinds.values()) > 20, kinds
    assert len(kinds) == 7


@pytest.mark.parametrize("missed", [0.0, 1e-17, 1e-13, 1e-9, 9e-7, 2e-6, 0.01, 0.3, 0.999, 1.0])
@pytest.mark.parametrize("drafted", [0, 1, 5, 64])
def test_tokens_of_a_pass(missed: float, drafted: int) -> None:
    """1 + a + ... + a^g, term by term, up to an acceptance of 1."""
    acceptance = 1 - missed
    found = results(TOY, batch=1, draft_tokens=drafted, draft_acceptance=acceptance, draft_cost_ratio=0.1)
    wanted = sum(acceptance**power for power in range(drafted + 1))
    assert found.number("tokens_per_pass") == pytest.approx(wanted, rel=3e-9)


def test_what_drafting_gains() -> None:
    """A plain step over one with drafts, at the operating batch and alone."""
    for number in SEEDS:
        sample = a_scenario(Seeded(number), drafting=True, fixed_batch=True)
        results, hand = sample.evaluate(), ByHand(sample)
        factor, b = results.number("software_factor_used"), results.cell("batch")
        for row, batch in (("speculative_speedup", b), ("speculative_speedup_alone", 1)):
            agree(results, row, hand.plain_step_s(max(1, batch / hand.p)) * factor / hand.step_s(batch, factor))


def test_prefill() -> None:
    for number in SEEDS:
        sample = a_scenario(Seeded(number))
        results, hand = sample.evaluate(), ByHand(sample)
        factor = results.number("software_factor_used")
        time, work = hand.prefill_s(factor, alone=True), hand.prefill_work_s(factor)
        agree(results, "prefill_time_s", max(time, results.number("bound_prefill_s")))
        least = results.number("bound_prefill_compute_s" if hand.mixed else "bound_prefill_s")
        agree(results, "prefill_work_s", max(work, least / hand.p))


def test_capacity_and_tpot_of_a_fixed_batch() -> None:
    for number in SEEDS:
        sample = a_scenario(Seeded(number), fixed_batch=True)
        results, hand = sample.evaluate(), ByHand(sample)
        factor, b = results.number("software_factor_used"), results.cell("batch")
        work = 0 if hand.disaggregated else results.number("prefill_work_s")
        if hand.m:
            agree(results, "tpot_s", hand.step_s(b, factor) + (b - 1) / hand.m * work)
            agree(results, "capacity_requests_per_second", b / (hand.m * hand.step_s(b, factor) + b * work))
        else:
            assert math.isnan(results.number("tpot_s"))
            assert results.number("decode_time_s") == 0


def test_waits_under_open_arrivals() -> None:
    """W_p, P_s, W_s, D and the 95th percentile at the operating point."""
    seen = 0
    for number in SEEDS:
        sample = a_scenario(Seeded(number), fixed_batch=False)
        results, hand = sample.evaluate(), ByHand(sample)
        b, r = results.number("operating_batch"), results.number("requests_per_second_per_replica")
        if hand.mixed:
            continue
        if math.isnan(b) or hand.disaggregated or not hand.m:
            continue
        seen += 1
        prefill, step = results.number("prefill_time_s"), results.number("step_time_s")
        c, capacity = results.number("largest_batch"), results.number("capacity_requests_per_second")
        rho_p, rho = r * results.number("prefill_work_s"), r / capacity
        prompts = rho_p / (1 - rho_p) * prefill / 2
        under_way = step / 2 * min(1 - rho_p, r * hand.m * step / b)
        chance = rho ** (math.sqrt(2 * (c + 1)) - 1)
        w = (1 + hand.output_length_cv**2) / 2 * (c / capacity) / (c * (1 - rho))
        agree(results, "queue_wait_s", prompts + under_way + chance * w)
        agree(results, "decode_time_s", (hand.m * step + rho_p * (prompts + prefill)) / (1 - rho_p))
        base = hand.ttft_constant_ms / 1000 + hand.ttft_prefill_factor * prefill + hand.first_steps * step
        ttft = (base + prompts + under_way + chance * w) * hand.ttft_factor
        agree(results, "ttft_s", max(ttft, results.number("bound_prefill_s")))
        tails = [0.0]
        tails += [w * math.log(chance / 0.05)] if chance > 0.05 else []
        tails += [prefill / (2 * (1 - rho_p)) * math.log(rho_p / 0.05)] if rho_p > 0.05 else []
        if ttft > results.number("bound_prefill_s"):
            agree(results, "ttft_p95_s", base * hand.ttft_factor + (0.95 * step + max(tails)) * hand.ttft_factor)
    assert seen > 40


def test_waits_of_mixed_chunks() -> None:
    """A step lasts what its passes take with the prompts that arrive meanwhile; D, and TTFT with its parts."""
    seen = 0
    for number in range(1200):
        sample = a_scenario(Seeded(number), fixed_batch=False, drafting=False)
        results, hand = sample.evaluate(), ByHand(sample)
        r, c = results.number("requests_per_second_per_replica"), results.number("capacity_batch")
        if math.isnan(results.number("operating_batch")) or not hand.mixed or not hand.m or not r:
            continue
        seen += 1
        factor, least = results.number("software_factor_used"), results.number("bound_prefill_compute_s")
        alone, first_step = results.number("prefill_time_s"), results.number("step_alone_s")
        passes, prompts = max(1, hand.new_tokens() / hand.chunk_tokens), results.number("prompts_per_step")
        compute, kv = hand.prompt_compute_s(factor, least), hand.prompt_kv_s(factor)
        prompt = max(compute, kv) + hand.prompt_link_s(factor)
        rho_p = r * prompt / hand.p
        rest = rho_p**2 * prompt / passes
        pause = rho_p * max(0, alone + rest - first_step) / (1 - rho_p)

        lasting = results.number("riding_step_s")
        assert math.isclose(prompts, r / hand.p * lasting, rel_tol=1e-12)
        in_flight = r * (hand.m * lasting + pause)
        x = min(1 + in_flight / hand.p, max(1, c / hand.p))
        assert math.isclose(lasting, hand.mixed_step_s(x, prompts, factor, least), rel_tol=1e-9)
        agree(results, "decode_time_s", hand.m * lasting + pause)
        agree(results, "operating_batch", min(max(1, in_flight), c))

        step = max(hand.memory_s(x, 1), hand.compute_s(x, 1)) * factor + hand.beside_s(x, factor)
        met = min(1, in_flight) * step
        agree(results, "step_wait_s", met / 2)
        agree(results, "prefill_wait_s", rho_p / (1 - rho_p) * (prompt + met) / 2)
        own = max(passes * hand.reading_s(x, factor) + kv, passes * hand.compute_s(x, 1) * factor + compute)
        own += passes * hand.beside_s(x, factor) + hand.prompt_link_s(factor)
        longer = min(1, in_flight) * max(0, own - alone)
        assert math.isclose(results.number("company_s"), longer, rel_tol=1e-9, abs_tol=1e-12 * own)
        base = hand.ttft_constant_ms / 1000 + hand.ttft_prefill_factor * alone + hand.first_steps * step
        ttft = (base + longer + results.number("queue_wait_s")) * hand.ttft_factor
        agree(results, "ttft_s", max(ttft, results.number("bound_prefill_s")))
    assert seen > 80


def test_money() -> None:
    """Bills from their definition: always on, rented or owned; and the API's, class by class."""
    owned = 0
    for number in SEEDS:
        choose = Seeded(number)
        sample = a_scenario(choose)
        values = {
            "cached_share": choose.between(0, 0.5), "cache_write_share": choose.between(0, 0.5),
            "batch_share": choose.between(0, 1), "reasoning_tokens": choose.count(1, 1000),
            "reasoning_price_ratio": choose.pick([None, 7.0]), "long_context_output_ratio": choose.pick([None, 3.0]),
            "long_context_threshold_tokens": choose.pick([None, 500]), "autoscale": False, "server_overhead_w": 120.0,
            "other_cost_per_month": 11.0, "price_plan": choose.pick(["on_demand", "1_year"]),
            "plan_price_ratio": 0.7, "batch_price_ratio": choose.between(0, 1), "hourly_profile": None,
            "peak_factor": 3.0,
            "hours_per_day": choose.pick([8.0, 24.0]),
        }  # fmt: skip
        results = sample.evaluate(**values)
        hand = ByHand(Sample({**sample.values, **values}, sample.facts))
        agree(results, "api_cost_per_request", hand.api_cost_per_request())
        replicas = results.number("replicas")
        if math.isnan(replicas):
            continue
        hours = (24 if hand.price_plan == "1_year" else hand.hours_per_day) * hand.days_per_month
        calls = results.number("user_requests_per_day") * hand.calls_per_request
        serving = results.number("serving_replicas")
        carried = serving * hours / hand.days_per_month * 3600 * results.number("capacity_requests_per_second")
        bill = hand.self_host_cost_per_month(replicas, hours, calls / carried)
        agree(results, "self_host_cost_per_month", bill)
        owned += hand.owned_device_price is not None
        if calls:
            agree(
                results, "self_host_cost_per_million_output_tokens", bill / (calls * hand.days_per_month * hand.M) * 1e6
            )
    assert owned > 50
