"""Every figure of the two texts that the model comes from: the lab's toy, its drills, and the 70B estimate."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from planner.model.evaluation import Results
from planner.model.fields import FieldValue, InputError
from planner.model.line import fit_line
from planner.model.wan import throughput_bps, transfer_s, window_to_fill
from tests.model.builders import FITTED, H100, LLAMA_3_70B, TOY, facts, results

Expected = Mapping[str, tuple[float, float] | str]

# The cases' names for what is given, as our inputs and facts; several facts where one name stands for all of them.
INPUT_NAMES = {
    "prompt_tokens": "prompt_tokens", "output_tokens": "output_tokens", "batch": "batch",
    "n_accelerators": "tensor_parallel", "input_price_per_M": "input_price_per_million",
    "output_input_price_ratio": "output_price_ratio", "requests_per_day": "requests_per_day",
    "days_per_month": "days_per_month", "drafted_tokens": "draft_tokens", "acceptance": "draft_acceptance",
    "draft_cost_ratio": "draft_cost_ratio",
}  # fmt: skip
FACT_NAMES = {
    "params": ("parameters", "active_parameters"),
    "bandwidth_Bps": ("memory_bandwidth",),
    "peak_flops": ("peak_flops", "expert_peak_flops", "attention_peak_flops"),
}
# The cases' names for what comes out, as our rows and the factor from our unit to theirs.
ROW_NAMES = {
    "ttft_ms": ("ttft_s", 1e3), "tpot_ms": ("tpot_s", 1e3), "latency_ms": ("latency_s", 1e3),
    "output_vs_input_time_ratio": ("physical_output_input_ratio", 1), "memory_time_ms": ("memory_time_s", 1e3),
    "compute_time_ms": ("compute_time_s", 1e3), "step_time_ms": ("step_time_s", 1e3),
    "arithmetic_intensity": ("arithmetic_intensity", 1), "machine_balance": ("machine_balance", 1),
    "compute_idle_fraction": ("idle_compute_share", 1), "bound_by": ("bound_by", 1),
    "decode_tokens_per_second": ("decode_tokens_per_second", 1), "cost_per_request": ("api_cost_per_request", 1),
    "cost_per_month": ("api_cost_per_month", 1), "prefill_compute_ms": ("prefill_compute_s", 1e3),
    "prefill_memory_ms": ("prefill_memory_s", 1e3), "prefill_bound_by": ("prefill_bound_by", 1),
    "decode_share": ("decode_share", 1), "critical_batch": ("critical_batch", 1),
    "weight_bytes": ("weight_bytes", 1), "aggregate_bandwidth_Bps": ("aggregate_bandwidth", 1),
    "tokens_per_s": ("tokens_per_second_per_user", 1), "speedup_memory_bound": ("speculative_speedup", 1),
    "cost_units": ("billed_input_tokens", 1),
}  # fmt: skip

LAB: dict[str, float] = {"params": 7e9, "bandwidth_Bps": 2e12, "peak_flops": 3e14, "n_accelerators": 1}


@dataclass(frozen=True)
class Case:
    """A named case: what is given beside the lab's machine, and what comes out with its tolerance."""

    name: str
    expected: Expected
    given: Mapping[str, float] = field(default_factory=dict)


def part_2(batch: int, step_ms: float, tokens_per_second: float, bound: str) -> Case:
    return Case(
        f"lab-part2-batch-{batch}",
        {
            "step_time_ms": (step_ms, 0.0005),
            "arithmetic_intensity": (batch, 1e-9),
            "decode_tokens_per_second": (tokens_per_second, 0.5),
            "bound_by": bound,
        },
        {"batch": batch},
    )


CASES = (
    Case(
        "lab-part1-ttft-tpot",
        {"ttft_ms": (23.33, 0.01), "tpot_ms": (7, 0.005), "output_vs_input_time_ratio": (150, 0.1)},
        {"prompt_tokens": 500, "batch": 1},
    ),
    Case(
        "lab-part2-decode",
        {
            "memory_time_ms": (7, 0.0005), "compute_time_ms": (0.047, 0.0005), "arithmetic_intensity": (1, 1e-9),
            "machine_balance": (150, 1e-9), "compute_idle_fraction": (0.993, 0.0005), "bound_by": "memory",
        },
        {"batch": 1},
    ),
    part_2(1, 7, 143, "memory"),
    part_2(8, 7, 1143, "memory"),
    part_2(16, 7, 2286, "memory"),
    part_2(64, 7, 9143, "memory"),
    part_2(150, 7, 21429, "memory"),
    part_2(300, 14, 21429, "compute"),
    Case(
        "lab-part3-50",
        {
            "ttft_ms": (9.33, 0.01), "latency_ms": (359.33, 0.01), "cost_per_request": (0.000175, 1e-9),
            "cost_per_month": (525, 0.01),
        },
        {
            "batch": 1, "prompt_tokens": 200, "output_tokens": 50, "requests_per_day": 100_000, "days_per_month": 30,
            "input_price_per_M": 0.5, "output_input_price_ratio": 3,
        },
    ),
    Case(
        "lab-part3-500",
        {"latency_ms": (3509.33, 0.01), "cost_per_request": (0.00085, 1e-9), "cost_per_month": (2550, 0.01)},
        {
            "batch": 1, "prompt_tokens": 200, "output_tokens": 500, "requests_per_day": 100_000, "days_per_month": 30,
            "input_price_per_M": 0.5, "output_input_price_ratio": 3,
        },
    ),
    Case(
        "drill-D1",
        {
            "prefill_compute_ms": (46.7, 0.05), "prefill_memory_ms": (7, 0.0005), "ttft_ms": (46.67, 0.01),
            "prefill_bound_by": "compute",
        },
        {"batch": 1, "prompt_tokens": 1000},
    ),
    Case(
        "drill-D2",
        {"latency_ms": (2146.67, 0.05), "decode_share": (0.978, 0.0005)},
        {"batch": 1, "prompt_tokens": 1000, "output_tokens": 300},
    ),
    Case(
        "drill-D3",
        {
            "arithmetic_intensity": (1, 1e-9), "machine_balance": (150, 1e-9), "bound_by": "memory",
            "compute_idle_fraction": (0.9933, 0.0001),
        },
        {"batch": 1},
    ),
    Case("drill-D4", {"critical_batch": (150, 1e-9), "decode_tokens_per_second": (143, 0.5)}, {"batch": 1}),
    Case("drill-D4", {"critical_batch": (150, 1e-9), "decode_tokens_per_second": (9143, 0.5)}, {"batch": 64}),
    Case(
        "drill-D5",
        {"latency_ms": (746.67, 0.05), "cost_units": (1300, 1e-9)},
        {
            "batch": 1, "prompt_tokens": 1000, "output_tokens": 100, "input_price_per_M": 1,
            "output_input_price_ratio": 3,
        },
    ),
    Case(
        "drill-D5",
        {"latency_ms": (7046.67, 0.05), "cost_units": (4000, 1e-9)},
        {
            "batch": 1, "prompt_tokens": 1000, "output_tokens": 1000, "input_price_per_M": 1,
            "output_input_price_ratio": 3,
        },
    ),
    Case(
        "cookbook-70b-2xH100",
        {
            "weight_bytes": (140e9, 1), "aggregate_bandwidth_Bps": (6.7e12, 1), "tpot_ms": (20.9, 0.05),
            "tokens_per_s": (47.9, 0.1),
        },
        {"batch": 1, "params": 70e9, "bandwidth_Bps": 3.35e12, "peak_flops": 9.89e14, "n_accelerators": 2},
    ),
    Case(
        "cookbook-speculative-range",
        {"speedup_memory_bound": (2.451, 0.001)},
        {"batch": 1, "acceptance": 0.7, "drafted_tokens": 5, "draft_cost_ratio": 0.04},
    ),
)  # fmt: skip

PUBLISHED_LINE = (
    (1, 30.2), (25, 200.3), (50, 371.8), (100, 724.3), (200, 1424.8), (400, 2827.8), (800, 5621.7),
)  # fmt: skip


def compute(given: Mapping[str, float]) -> Results:
    """The sheet for a case: the toy, with what the case gives laid over it."""
    merged = LAB | dict(given)
    own_facts = {fact: merged[name] for name, names in FACT_NAMES.items() if name in merged for fact in names}
    values: dict[str, FieldValue] = {ours: merged[name] for name, ours in INPUT_NAMES.items() if name in merged}
    return results(TOY, own_facts, kv_format="none", **values)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_case(case: Case) -> None:
    sheet = compute(case.given)
    for name, expected in case.expected.items():
        row, factor = ROW_NAMES[name]
        if isinstance(expected, str):
            assert sheet[row].value == expected, name
        else:
            assert sheet.number(row) * factor == pytest.approx(expected[0], abs=expected[1], rel=0), name


def test_ten_times_the_answer_costs_not_ten_times_as_much() -> None:
    """Drill D5: the ratio of the latencies is 9.44, that of the costs 3.08."""
    short, long = (compute(case.given) for case in CASES if case.name == "drill-D5")
    assert long.number("latency_s") / short.number("latency_s") == pytest.approx(9.44, abs=0.01)
    ratio = long.number("api_cost_per_request") / short.number("api_cost_per_request")
    assert ratio == pytest.approx(3.08, abs=0.005)


def test_speculation_stays_within_the_published_range() -> None:
    case = next(case for case in CASES if case.name == "cookbook-speculative-range")
    assert 2 <= compute(case.given).number("speculative_speedup") <= 3


def test_line_through_the_published_points() -> None:
    """The published table carries a small jitter; least squares over exactly these points gives its fit."""
    line = fit_line(PUBLISHED_LINE)
    assert line.slope == pytest.approx(6.999, abs=0.0005)
    assert line.intercept == pytest.approx(24.31, abs=0.005)


def test_line_through_our_own_sweep() -> None:
    """Without jitter the same fit gives TPOT and TTFT back exactly."""
    points = []
    for tokens, _ in PUBLISHED_LINE:
        sheet = compute({"batch": 1, "prompt_tokens": 500, "output_tokens": tokens})
        points.append((float(tokens), sheet.number("latency_s") * 1e3))
    line = fit_line(points)
    assert line.slope == pytest.approx(7, abs=1e-9)
    assert line.intercept == pytest.approx(70 / 3, abs=1e-6)
    assert line.at(800) == pytest.approx(points[-1][1], rel=1e-12)


@pytest.mark.parametrize("points", [[], [(1, 2)], [(1, 2), (1, 3)], [(1, 2), (2, float("nan"))]])
def test_no_line_through_too_little(points: list[tuple[float, float]]) -> None:
    with pytest.raises(InputError):
        fit_line(points)


def test_wan_window() -> None:
    """64 KiB under way and a round trip of 100 ms make 5.24 Mbit/s of a 45 Mbit/s link."""
    rate = throughput_bps(window_bytes=65_536, rtt_ms=100, link_bps=45e6)
    assert rate == pytest.approx(5.24e6, abs=1e4)
    assert transfer_s(800e6, rate) / 60 == pytest.approx(20.3, abs=0.1)
    assert transfer_s(800e6, 45e6) / 60 == pytest.approx(2.37, abs=0.01)
    assert throughput_bps(65_536, 100, 450e6) == rate
    assert throughput_bps(window_to_fill(100, 45e6), 100, 45e6) == pytest.approx(45e6, rel=1e-12)


@pytest.mark.parametrize("bad", [0.0, -1.0, float("nan"), float("inf")])
def test_wan_refuses_what_is_no_link(bad: float) -> None:
    with pytest.raises(InputError, match="Round trip"):
        throughput_bps(65_536, bad, 45e6)
    with pytest.raises(InputError, match="File"):
        transfer_s(bad, 45e6)


def test_network_round_trip_is_paid_once() -> None:
    """The round trip reaches the first token and no later one."""
    near, far = compute({"batch": 1}), results(TOY, kv_format="none", batch=1, network_rtt_ms=100)
    assert far.number("ttft_user_s") - far.number("ttft_s") == pytest.approx(0.1, rel=1e-12)
    assert far.number("tpot_s") == near.number("tpot_s")
    assert far.number("latency_user_s") - near.number("latency_user_s") == pytest.approx(0.1, rel=1e-9)


def test_real_70b_is_slower_than_the_ideal_one_and_by_which_terms() -> None:
    """KV reads, collectives and overhead make the real 70B slower; the embedding it does not read helps a little."""
    ideal = compute(next(case for case in CASES if case.name == "cookbook-70b-2xH100").given)
    real = results(H100, LLAMA_3_70B, FITTED, batch=1, tensor_parallel=2)
    rated = results(H100, LLAMA_3_70B, batch=1, tensor_parallel=2)
    assert real.number("step_time_s") > rated.number("step_time_s")
    assert real.number("tpot_s") > ideal.number("tpot_s")

    bandwidth = ideal.number("aggregate_bandwidth")
    weights = real.number("weights_read_bytes") / bandwidth / 0.9 - ideal.number("memory_time_s")
    unread = (real.number("weights_read_bytes") - ideal.number("weights_read_bytes")) / bandwidth
    kv = real.number("kv_read_bytes") / bandwidth / 0.7
    terms = {
        "weights": weights, "KV cache": kv, "interconnect": real.number("interconnect_time_s"),
        "overhead": real.number("overhead_time_s"),
    }  # fmt: skip
    assert sum(terms.values()) == pytest.approx(real.number("step_time_s") - ideal.number("step_time_s"), rel=1e-9)
    assert all(seconds > 0 for seconds in terms.values()), terms
    # 80 layers of 47.5 us and of 0.3 us a sequence, 160 all-reduces of 9.1 us, 1,150 tokens of 320 KiB.
    assert terms["overhead"] == pytest.approx(80 * (47.5e-6 + 0.3e-6), rel=1e-9)
    assert terms["interconnect"] == pytest.approx(160 * (9.1e-6 + 8192 * 2 / (450e9 * 0.39)), rel=1e-9)
    assert terms["KV cache"] == pytest.approx(1150 * 327_680 / 6.7e12 / 0.7, rel=1e-9)
    assert unread < 0


def test_the_cases_here_are_the_published_ones() -> None:
    """Names, given and expected values agree with the collection that they were taken from, where it is at hand."""
    path = Path(__file__).resolve().parents[3] / "shared" / "cases" / "seed_cases.json"
    if not path.exists():
        pytest.skip("the collection of cases is not beside the checkout")
    ours: dict[str, list[Case]] = {}
    for case in CASES:
        ours.setdefault(case.name, []).append(case)
    elsewhere = {"lab-part1-line", "wan-window"}
    published = {case["id"]: case for case in json.loads(path.read_text(encoding="utf-8"))}
    assert set(published) == set(ours) | elsewhere
    for name, cases in ours.items():
        wanted = published[name]["expected"]
        for case in cases:
            for key, expected in case.expected.items():
                theirs = wanted.get(key)
                if theirs is None or isinstance(theirs[0], list):
                    continue
                assert theirs == (expected if isinstance(expected, str) else list(expected)), (name, key)
    assert facts(TOY)["parameters"].value == published["drill-D1"]["inputs"]["params"]
