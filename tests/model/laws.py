"""Laws that hold in every scenario: bounds, monotony, scaling, neutral values, balance."""

from __future__ import annotations

import math
from itertools import pairwise

import pytest

from planner.model.fields import FieldValue
from planner.model.functions import ceil9
from planner.model.rows import SHEET
from tests.model.scenarios import Numbers, Sample

ROUNDING = 1e-12


def not_above(smaller: float, larger: float, slack: float = ROUNDING) -> bool:
    """smaller <= larger, rounding left out; blanks compare with nothing."""
    return math.isnan(smaller) or math.isnan(larger) or smaller <= larger + slack * abs(larger)


# What no result may beat.


def no_result_beats_its_bound(sample: Sample) -> None:
    results = sample.evaluate()
    bound, prefill_bound = results.number("bound_step_time_s"), results.number("bound_prefill_s")
    for row in ("step_time_s", "tpot_s"):
        assert not_above(bound, results.number(row)), row
    for row in ("prefill_time_s", "ttft_s", "ttft_user_s"):
        assert not_above(prefill_bound, results.number(row)), row
    assert not_above(
        results.number("bound_prefill_compute_s"), results.number("prefill_work_s") * results.cell("pipeline_parallel")
    )
    assert not_above(results.number("roofline_share"), 1)
    assert not_above(results.number("tokens_per_second_per_user") * bound, 1)
    full = sample.evaluate(batch=8.0)
    tokens = full.number("capacity_requests_per_second") * full.number("counted_tokens")
    assert not_above(tokens * full.number("bound_step_time_s"), 8)


def every_number_is_finite_and_every_blank_says_why(sample: Sample) -> None:
    results = sample.evaluate()
    for name, row in SHEET.rows.items():
        value = results.number(name)
        assert not math.isinf(value), name
        if math.isnan(value):
            reason = results[name].reason
            assert reason, name
            assert reason != "not defined here", name
        elif row.kind == "word":
            assert results[name].value in row.words
        elif name not in MAY_BE_NEGATIVE:
            assert value >= 0, name


MAY_BE_NEGATIVE = {"kv_pool_bytes_per_device", "request_value_per_month"}


# Monotone where physics is.


def _fixed(sample: Sample, **values: FieldValue) -> dict[str, FieldValue]:
    """Values that take the solves out: a fixed batch and one replica."""
    return {"batch": 8.0, "ttft_target_ms": None, "tpot_target_ms": None, "software_factor": 1.0, **values}


def a_better_device_is_never_slower(sample: Sample) -> None:
    values = _fixed(sample)
    before = sample.evaluate(**values)
    rates = ["memory_bandwidth", "peak_flops", "expert_peak_flops", "attention_peak_flops"]
    for better in [[rate] for rate in [*rates, "device_link_gbps"]] + [rates]:
        after = sample.evaluate({name: sample.fact(name) * 1.5 for name in better}, **values)
        for row in ("step_time_s", "prefill_time_s", "prefill_work_s", "tpot_s", "ttft_s", "latency_s"):
            assert not_above(after.number(row), before.number(row)), (better, row)
        assert not_above(before.number("capacity_requests_per_second"), after.number("capacity_requests_per_second"))


def more_output_is_never_cheaper(sample: Sample) -> None:
    tokens = sample.values["output_tokens"]
    assert isinstance(tokens, int)
    free: dict[str, FieldValue] = {"ttft_target_ms": None, "tpot_target_ms": None, "software_factor": 1.0}
    short, long = (sample.evaluate(**free, output_tokens=count) for count in (tokens, tokens + max(1, tokens // 3)))
    assert not_above(short.number("api_cost_per_month"), long.number("api_cost_per_month"))
    assert not_above(short.number("replicas"), long.number("replicas"))
    assert not_above(short.number("rent_per_month"), long.number("rent_per_month"))


def throughput_never_falls_with_the_batch(sample: Sample) -> None:
    batches = (1.0, 2.0, 3.5, 8.0, 16.0, 33.0, 64.0, 128.0, 500.0, 2000.0)
    rates = [sample.evaluate(**_fixed(sample, batch=batch)).number("capacity_requests_per_second") for batch in batches]
    assert all(not_above(fewer, more, 1e-9) for fewer, more in pairwise(rates)), rates
    assert all(
        not_above(fewer, more)
        for fewer, more in pairwise(
            sample.evaluate(**_fixed(sample, batch=batch)).number("step_time_s") for batch in batches
        )
    )


def more_traffic_never_needs_fewer_replicas(sample: Sample) -> None:
    requests = sample.values["requests_per_day"]
    assert isinstance(requests, float)
    open_values: dict[str, FieldValue] = {"users": None, "replicas_fixed": None}
    counts = [
        sample.evaluate(**open_values, requests_per_day=requests * factor).number("replicas")
        for factor in (1, 1.1, 1.7, 5, 50)
    ]
    assert all(not_above(fewer, more) for fewer, more in pairwise(counts)), counts


def more_load_is_never_faster(sample: Sample) -> None:
    """TPOT, TTFT and the batch at more requests/s of one replica, prompts and decoding on the same devices.

    Prefill first, a step under way becomes rarer as prompts hold the devices: TTFT may dip where it is the longer wait.
    """
    values: dict[str, FieldValue] = {
        "batch": None, "users": None, "replicas_fixed": None, "spare_replicas": 0, "tpot_target_ms": None,
        "ttft_target_ms": None, "target_utilization": 1.0, "hourly_profile": None, "peak_factor": 1.0,
    }  # fmt: skip
    if sample.values["scheduling"] == "disaggregated":
        values["scheduling"] = "mixed"
    capacity = sample.evaluate(**values).number("capacity_requests_per_second")
    if math.isnan(capacity):
        return
    calls_per_request = sample.values["calls_per_request"]
    assert isinstance(calls_per_request, float)
    calls = capacity * 86_400 / calls_per_request
    shares = (1e-6, 0.01, 0.1, 0.3, 0.5, 0.7, 0.9, 0.99)
    loads = [sample.evaluate(**values, requests_per_day=calls * share) for share in shares]
    rows = ["tpot_s", "operating_batch"]
    rows += [] if sample.values["scheduling"] == "prefill_first" else ["ttft_s", "latency_s"]
    for row in rows:
        numbers = [load.number(row) for load in loads if load.number("serving_replicas") == 1]
        assert all(not_above(fewer, more, 1e-9) for fewer, more in pairwise(numbers)), (row, numbers)


# Scaling and neutral values.

BYTES = (
    "weight_bits", "expert_bits", "embedding_bits", "kv_bits", "state_bytes_per_sequence", "index_dim",
    "draft_weight_bytes", "draft_kv_bytes_per_token", "memory_bandwidth", "runtime_memory_gib", "runtime_fixed_gib",
    "runtime_multi_gib", "activation_bytes_per_logit",
)  # fmt: skip
SECONDS = tuple(name for name, row in SHEET.rows.items() if row.unit == "s")


def bytes_and_bandwidth_scale_together(sample: Sample) -> None:
    """Twice the bytes at twice the bandwidth in twice the memory: no time and no batch changes by a bit."""
    values: dict[str, FieldValue] = {"flash_attention": True}
    if sample.values["scheduling"] == "disaggregated":
        values["scheduling"] = "mixed"
    twice = {name: fact.value * 2 for name in BYTES if (fact := sample.facts[name]).value is not None}
    before, after = sample.evaluate(**values), sample.evaluate(twice, **values)
    for row in (*SECONDS, "largest_batch", "operating_batch", "replicas", "sequences_that_fit"):
        assert before.number(row) == after.number(row) or math.isnan(before.number(row)), row


def neutral_values_remove_a_technique(sample: Sample) -> None:
    """Each pair evaluates to the very same numbers: what is switched off leaves no trace."""
    nothing: Numbers = {}
    draft_model = {
        "draft_weight_bytes": 1e9,
        "draft_kv_bytes_per_token": 1e4,
        "draft_active_parameters": 1e9,
        "draft_layers": 9,
    }
    pairs: list[tuple[dict[str, FieldValue], Numbers, dict[str, FieldValue], Numbers]] = [
        ({"draft_tokens": 0}, nothing,
         {"draft_tokens": 0, "draft_acceptance": 0.3, "draft_cost_ratio": 0.4}, draft_model),
        ({"tensor_parallel": 1, "pipeline_parallel": 1, "scheduling": "mixed"}, {"device_link_gbps": 1},
         {"tensor_parallel": 1, "pipeline_parallel": 1, "scheduling": "mixed", "attention_data_parallel": True,
          "expert_parallel": True, "allreduce_latency_us": 99.0}, {"device_link_gbps": 1000}),
        ({"cuda_graphs": False}, {"eager_overhead_factor": 1}, {"cuda_graphs": True}, {"eager_overhead_factor": 1}),
        ({}, {"link_is_ideal": 1}, {"allreduce_latency_us": 77.0, "link_gbps": 3.0}, {"link_is_ideal": 1}),
        ({"batch_share": 0.0}, nothing, {"batch_share": 0.0, "batch_price_ratio": 0.1}, nothing),
        ({"cached_share": 0.0}, nothing, {"cached_share": 0.0, "cached_price_ratio": 9.0}, nothing),
        ({"long_context_threshold_tokens": None}, nothing,
         {"long_context_threshold_tokens": 1_000_000, "long_context_input_ratio": 7.0}, nothing),
        ({"price_plan": "on_demand"}, nothing, {"price_plan": "1_year", "plan_price_ratio": 1.0}, nothing),
        ({"autoscale": False, "hourly_profile": None, "peak_factor": 1.0}, nothing,
         {"autoscale": False, "hourly_profile": (1 / 24,) * 24, "peak_factor": 9.0}, nothing),
        ({"software_factor": 1.0, "ttft_factor": 1.0}, nothing, {"ttft_factor": 1.0, "software_factor": 1.0}, nothing),
    ]  # fmt: skip
    own = ("link_bytes_per_second", "collective_latency_s", "all_reduces_per_pass", "draft_steps_cost",
           "draft_model_steps", "tokens_per_pass", "draft_overhead_s", "attention_degree", "kv_shard_share",
           "replicated_weight_bytes", "largest_hour_share", "hours_billed_per_day")  # fmt: skip
    for off, off_facts, other, other_facts in pairs:
        before, after = sample.evaluate(off_facts, **off), sample.evaluate(other_facts, **other)
        for row in SHEET.rows:
            one, two = before.number(row), after.number(row)
            same = math.isclose(one, two, rel_tol=1e-9) or (math.isnan(one) and math.isnan(two))
            assert same or row in own, (off, other, row, one, two)


SEEN = ("kv_bytes_per_token", "kv_live_bytes_per_sequence", "max_concurrency", "step_time_s", "prefill_time_s",
        "prefill_work_s", "tpot_s", "ttft_s", "replicas", "operating_batch")  # fmt: skip


def neutral_facts_leave_no_trace(sample: Sample) -> None:
    """A window that holds every context, heads of its own that are the same, one token an entry: as if not there."""
    kinds = ("window_layers", "sparse_layers", "linear_layers", "mla_layers", "state_bytes_per_sequence", "full_ratio")
    plain: dict[str, float] = dict.fromkeys(kinds, 0)
    heads = {"window_kv_heads": sample.fact("kv_heads"), "window_head_dim": sample.fact("head_dim")}
    windows = {**plain, "window_layers": sample.fact("layers"), "window_tokens": 1e8}
    pairs: list[tuple[Numbers, Numbers]] = [
        (
            {**plain, "window_kv_heads": 0, "window_head_dim": 0},
            {**windows, "window_kv_heads": 0, "window_head_dim": 0},
        ),
        ({**windows, "window_kv_heads": 0, "window_head_dim": 0}, {**windows, **heads}),
        ({"sparse_ratio": 0, "full_ratio": 0}, {"sparse_ratio": 1, "full_ratio": 1}),
        ({**plain, "sparse_ratio": 0}, {**plain, "sparse_ratio": 4}),
    ]
    for before, after in pairs:
        one, two = sample.evaluate(before), sample.evaluate(after)
        for row in SEEN:
            a, b = one.number(row), two.number(row)
            assert math.isclose(a, b, rel_tol=1e-9) or (math.isnan(a) and math.isnan(b)), (row, a, b)
    nothing_cached = sample.evaluate(prefix_cache_hit=0.0, network_rtt_ms=0.0)
    assert nothing_cached.number("prefill_time_s") == nothing_cached.number("prefill_whole_s")
    assert nothing_cached["ttft_user_s"].value == nothing_cached["ttft_s"].value


def without_load_a_request_is_alone(sample: Sample) -> None:
    """Nothing waits, nothing rides along: a step is that of one sequence."""
    results = sample.evaluate(batch=None, users=None, requests_per_day=0.0)
    if math.isnan(results.number("latency_s")):
        return
    assert results.number("prompts_per_step") == 0
    assert results.number("operating_batch") == 1
    for loaded, alone in (("tpot_s", "tpot_alone_s"), ("ttft_s", "ttft_alone_s")):
        one, two = results.number(loaded), results.number(alone)
        waits = results.number("prefill_wait_s") if loaded == "ttft_s" else 0
        assert math.isclose(one, two + waits, rel_tol=ROUNDING) or math.isnan(one), loaded


def no_kv_cache_leaves_no_trace_of_attention_memory(sample: Sample) -> None:
    none: Numbers = {"kv_bits": 0, "state_bytes_per_sequence": 0, "draft_kv_bytes_per_token": 0}
    results = sample.evaluate(none)
    for row in ("kv_bytes_per_token", "kv_bytes_per_sequence", "memory_per_sequence_s", "prefill_kv_s_per_token"):
        assert results.number(row) == 0, row
    assert math.isnan(results.number("max_concurrency"))


# What is in balance.


def littles_law_closes(sample: Sample) -> None:
    """In flight = rate x time in the service: in the decoding batch, over all replicas, and in the closed loop."""
    results = sample.evaluate()
    rate, b = results.number("requests_per_second_per_replica"), results.number("operating_batch")
    if math.isnan(results.cell("batch")) and not math.isnan(b):
        decoding = rate * results.number("decode_time_s")
        assert b in (1, results.number("capacity_batch")) or math.isclose(b, decoding, rel_tol=1e-9)
        assert b >= decoding * (1 - 1e-9) or b == results.number("capacity_batch")
    everywhere = results.number("requests_per_second_peak") * results.number("latency_s")
    in_flight = results.number("in_flight")
    assert math.isnan(in_flight) or math.isclose(in_flight, everywhere, rel_tol=ROUNDING)
    users, closed = results.cell("users"), results.number("closed_loop_requests_per_second")
    if not math.isnan(closed) and closed > 0:
        cycle = results.number("closed_loop_response_s") + results.cell("think_time_s")
        assert closed * cycle == pytest.approx(users, rel=1e-9)


def what_memory_or_heads_do_not_hold_is_not_served(sample: Sample) -> None:
    """A fixed batch beyond the sequences that fit, stages beyond layers, devices beyond heads: each says so."""
    free: dict[str, FieldValue] = {"ttft_target_ms": None, "tpot_target_ms": None, "replicas_fixed": None}
    one = sample.evaluate(**free, batch=1.0)
    fitting = one.number("sequences_that_fit")
    if one["serving_limit"].value == "can be served" and fitting >= 1:
        within, beyond = (sample.evaluate(**free, batch=fitting + more) for more in (0, 1))
        reason = "the fixed batch is larger than the sequences that fit the KV cache"
        assert within["batch_flag"].value != "more than fit the KV cache"
        assert within["serving_limit"].value != reason
        assert beyond["batch_flag"].value == "more than fit the KV cache"
        assert beyond["serving_limit"].value == reason
        assert math.isnan(beyond.number("replicas"))
        assert beyond["replicas"].reason == reason
        assert not math.isnan(beyond.number("step_time_s"))
    layers, heads = round(sample.fact("layers")), round(sample.fact("heads"))
    stages = sample.evaluate(pipeline_parallel=layers + 1, tensor_parallel=1)
    assert stages["serving_limit"].value == "there are more pipeline stages than layers"
    wide = sample.evaluate(tensor_parallel=2 * heads, pipeline_parallel=1, attention_data_parallel=False)
    assert wide["serving_limit"].value == "there are more tensor-parallel devices than attention heads to split"


def shares_and_totals_add_up(sample: Sample) -> None:
    results = sample.evaluate()
    get = results.number
    if not math.isnan(get("replicas")):
        prefill = get("prefill_replicas")
        assert get("replicas") == get("serving_replicas") + results.cell("spare_replicas") + (
            0 if math.isnan(prefill) else prefill
        )
        assert get("devices") == get("replicas") * results.cell("tensor_parallel") * results.cell("pipeline_parallel")
        assert get("utilization_mean") <= 1 + 1e-9 or results.cell("autoscale") == 0
        assert get("utilization_peak") < 1 + 1e-9
    if not math.isnan(get("step_time_s")):
        parts = max(get("memory_time_s"), get("compute_time_s")) + get("draft_time_s")
        assert get("step_time_s") == parts + get("interconnect_time_s") + get("overhead_time_s")
        assert get("latency_s") == get("ttft_s") + get("decode_time_s")
    if not math.isnan(get("kv_pool_bytes_per_device")) and not math.isnan(get("fits")):
        enough = get("shortfall_bytes") <= 1e-9 * abs(get("kv_pool_bytes_per_device"))
        assert (get("fits") == 1) == enough or get("shortfall_bytes") < 1


def autoscaled_hours_are_summed_hour_by_hour(sample: Sample) -> None:
    profile = sample.values["hourly_profile"]
    results = sample.evaluate(autoscale=True, hours_per_day=12.0 if sample.values["hourly_profile"] else 24.0)
    hours = results.number("serving_replica_hours_per_day")
    if not isinstance(profile, tuple) or math.isnan(results.number("serving_replicas")):
        assert math.isnan(hours)
        return
    carried = results.number("replica_requests_per_second") * 3600
    needed = [max(1.0, ceil9(share * results.number("calls_per_day") / carried)) for share in profile]
    assert hours == sum(min(count, results.number("serving_replicas")) for count in needed)
    assert hours <= 24 * results.number("serving_replicas")
    beside = 24 * (results.number("replicas") - results.number("serving_replicas"))
    every_device = (hours + beside) * results.number("devices_per_replica") * results.cell("days_per_month")
    assert results.number("device_hours_per_month") == pytest.approx(every_device, rel=ROUNDING)
