"""Figures that people measured, were billed or published, and the wrong answers that are common.

Each test says where its figures come from. ``GIB`` and ``GB`` differ by 7 %, which is one of the wrong answers.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from planner.model import measured
from planner.model.evaluation import Results
from planner.model.fields import InputError
from tests.model.builders import LLAMA_3_70B, TOY, results

GIB = 2**30
GB = 1e9

LLAMA_3_8B: dict[str, float | None] = {
    "parameters": 8_030_261_248, "active_parameters": 7_504_924_672, "embedding_parameters": 525_336_576,
    "head_parameters": 525_336_576, "layers": 32, "heads": 32, "kv_heads": 8, "head_dim": 128, "hidden_size": 4096,
    "vocabulary": 128_256,
}  # fmt: skip
DEEPSEEK_MLA: dict[str, float | None] = {
    "layers": 61, "mla_layers": 61, "heads": 128, "kv_heads": 1, "kv_lora_rank": 512, "qk_rope_head_dim": 64,
    "qk_nope_head_dim": 128, "v_head_dim": 128,
}  # fmt: skip
MIXTRAL: dict[str, float | None] = {
    "parameters": 46.7e9, "active_parameters": 12.7e9, "experts": 8, "experts_per_token": 2,
    "expert_parameters": 8 * 5_637_144_576,
}  # fmt: skip
# Nothing reserved: the case says what is, in the measured figures.
BARE = {"activation_reserve_gib": 0.0, "runtime_reserve_gib": 0.0}


class TestPoolOfOneCard:
    """TC01: vLLM's start-up log of Llama-3.1-8B on an RTX 3090 (vllm-project/vllm issue 10517, 2024-12-02)."""

    @staticmethod
    def sheet(context: int, peak_torch_gib: float) -> Results:
        weights_gib = 14.96
        return results(
            TOY, LLAMA_3_8B, {"kv_bits": 16, "runtime_memory_gib": 23.58, "measured_weight_bytes": weights_gib * GIB},
            memory_utilization=0.9, activation_reserve_gib=peak_torch_gib - weights_gib, runtime_reserve_gib=0.35,
            block_tokens=16, prompt_tokens=context - 1000, output_tokens=1000,
        )  # fmt: skip

    @pytest.mark.parametrize(
        ("context", "peak_torch_gib", "pool_gib", "blocks", "tokens", "concurrency", "fits"),
        [(20_000, 17.06, 3.812, 1952, 31_232, 1.5616, True), (29_000, 17.98, 2.892, 1478, 23_648, 0.8154, False)],
    )
    def test_log(
        self, context: int, peak_torch_gib: float, pool_gib: float, blocks: int, tokens: int, concurrency: float,
        fits: bool,
    ) -> None:  # fmt: skip
        sheet = self.sheet(context, peak_torch_gib)
        assert sheet.number("kv_bytes_per_token") == 131_072
        assert sheet.number("kv_pool_bytes_per_device") / GIB == pytest.approx(pool_gib, abs=0.01)
        assert sheet.number("kv_pool_tokens") / 16 == pytest.approx(blocks, abs=6)
        assert sheet.number("kv_pool_tokens") == pytest.approx(tokens, abs=96)
        assert sheet.number("max_concurrency") == pytest.approx(concurrency, abs=0.005)
        assert sheet["fits"].value is fits
        assert (sheet.number("shortfall_bytes") == 0) is fits

    def test_the_card_is_not_24_gib(self) -> None:
        """With the label's 24 in place of what the runtime sees, the pool is 0.38 GiB (10 %) too large."""
        wrong = 24 * 0.9 - 17.06 - 0.35
        ours = self.sheet(20_000, 17.06).number("kv_pool_bytes_per_device") / GIB
        assert abs(ours - wrong) > 0.3

    def test_a_shorter_context_is_no_remedy_for_activation_peak(self) -> None:
        """The pool depends on the reserve, not on the context: the shorter run with the larger peak holds less."""
        long = self.sheet(29_000, 17.06).number("kv_pool_bytes_per_device")
        short = self.sheet(20_000, 17.98).number("kv_pool_bytes_per_device")
        assert short < long


class TestFalseFit:
    """TC03: Llama-3.3-70B FP8 on one H100 (llm-d-benchmark issue 621; llm-d-planner's measured vLLM memory)."""

    @staticmethod
    def sheet(utilization: float, activation_gib: float, runtime_gib: float) -> Results:
        return results(
            TOY, LLAMA_3_70B, {"kv_bits": 16, "runtime_memory_gib": 79.18, "measured_weight_bytes": 67.72 * GIB},
            memory_utilization=utilization, activation_reserve_gib=activation_gib, runtime_reserve_gib=runtime_gib,
            prompt_tokens=15_000, output_tokens=1000,
        )  # fmt: skip

    @pytest.mark.parametrize(("utilization", "pool_gib"), [(0.95, 2.531), (0.90, -1.428)])
    def test_does_not_fit(self, utilization: float, pool_gib: float) -> None:
        sheet = self.sheet(utilization, 4.84, 0.13)
        assert sheet.number("kv_bytes_per_sequence") / GIB == pytest.approx(4.8828, abs=0.03)
        assert sheet.number("kv_pool_bytes_per_device") / GIB == pytest.approx(pool_gib, abs=0.03)
        assert sheet["fits"].value is False
        assert sheet.number("shortfall_bytes") / GIB == pytest.approx(4.8828 - pool_gib, abs=0.03)
        assert sheet["replicas"].value is None
        assert sheet["replicas"].reason == "the model does not fit on the devices"

    def test_weights_alone_would_say_that_it_fits(self) -> None:
        sheet = self.sheet(0.95, 0, 0)
        assert sheet.number("kv_pool_bytes_per_device") / GIB == pytest.approx(7.501, abs=0.03)
        assert sheet["fits"].value is True


class TestLatentAttention:
    """TC04: DeepSeek-V3's cache (unslothai/unsloth pull 4757; LMCache issues 688, 2132; gguf-parser-go issue 8)."""

    @staticmethod
    def sheet(context: int, tensor_parallel: int = 1) -> Results:
        return results(
            TOY, DEEPSEEK_MLA, {"kv_bits": 16, "runtime_memory_gib": 1000}, prompt_tokens=context - 16,
            output_tokens=16, tensor_parallel=tensor_parallel, **BARE,
        )  # fmt: skip

    def test_bytes(self) -> None:
        long, short = self.sheet(163_840), self.sheet(65_536)
        assert long.number("kv_bytes_per_token") == 70_272
        assert long.number("kv_bytes_per_sequence") / GIB == pytest.approx(10.7227, rel=1e-4)
        assert long.number("kv_bytes_per_sequence") / GB == pytest.approx(11.5134, rel=1e-4)
        assert short.number("kv_bytes_per_sequence") / GIB == pytest.approx(4.28906, rel=1e-4)

    def test_wrong_answers(self) -> None:
        """Two latents without the rope part, uncompressed heads, or a split over tensor parallel."""
        ours = self.sheet(65_536).number("kv_bytes_per_token")
        without_rope_twice = 2 * 61 * 512 * 2
        uncompressed = 61 * 128 * (128 + 64 + 128) * 2
        assert (without_rope_twice, uncompressed) == (124_928, 4_997_120)
        assert ours not in (without_rope_twice, uncompressed)
        assert self.sheet(65_536, tensor_parallel=8).number("kv_bytes_per_token_per_device") == ours


@pytest.mark.parametrize(
    ("model", "kv_bytes", "total_gb", "total_gib", "script_gb"),
    [(LLAMA_3_8B, 131_072, 17.403, 16.208, 21.0), (LLAMA_3_70B, 327_680, 144.463, 134.542, 165.0)],
    ids=["8B", "70B"],
)
def test_tc05_grouped_heads_and_one_unit(
    model: dict[str, float | None], kv_bytes: int, total_gb: float, total_gib: float, script_gb: float
) -> None:
    """TC05: 10 requests of 1,024 tokens (qoofyk/LLM_Sizing_Guide takes all heads and adds GB to GiB)."""
    sheet = results(TOY, model, {"kv_bits": 16}, prompt_tokens=1000, output_tokens=24)
    assert sheet.number("kv_bytes_per_token") == kv_bytes
    total = sheet.number("weight_bytes") + 10 * sheet.number("kv_bytes_per_sequence")
    assert total / GB == pytest.approx(total_gb, rel=0.001)
    assert total / GIB == pytest.approx(total_gib, rel=0.001)
    of_hidden = 2 * (model["layers"] or 0) * (model["hidden_size"] or 0) * 2
    assert sheet.number("kv_bytes_per_token") != of_hidden
    assert abs(total / GB - script_gb) > 3


class TestSlidingWindow:
    """TC06: gpt-oss in vLLM (alvarobartt/hf-mem issue 60 and pull 70): an engine with one page size allocates all."""

    @staticmethod
    def sheet(layers: int, pool_gib: float = 5.38) -> Results:
        gpt_oss: dict[str, float | None] = {
            "layers": layers, "window_layers": layers // 2, "window_tokens": 128, "heads": 64, "kv_heads": 8,
            "head_dim": 64, "kv_bits": 16, "runtime_memory_gib": pool_gib, "measured_weight_bytes": 0,
        }  # fmt: skip
        return results(TOY, gpt_oss, memory_utilization=1, prompt_tokens=8000, output_tokens=192, **BARE)

    def test_120b(self) -> None:
        sheet = self.sheet(36)
        assert sheet.number("kv_bytes_per_token") == 73_728
        assert sheet.number("kv_pool_tokens") == pytest.approx(78_351, rel=0.002)
        assert sheet.number("kv_live_bytes_per_sequence") / 1e6 == pytest.approx(306.708, rel=0.001)
        assert sheet.number("kv_bytes_per_sequence") / 1e6 == pytest.approx(603.98, rel=0.001)

    def test_20b_both_bounds(self) -> None:
        sheet = self.sheet(24)
        assert 32 * sheet.number("kv_bytes_per_sequence") / GIB == pytest.approx(12, rel=0.001)
        assert 32 * sheet.number("kv_live_bytes_per_sequence") / GIB == pytest.approx(6.09375, rel=0.001)

    def test_window_layers_are_not_dropped(self) -> None:
        assert self.sheet(36).number("kv_bytes_per_token") != 36_864

    def test_the_safe_bound_decides_what_fits(self) -> None:
        """A pool between the live and the allocated bytes of a request holds none."""
        assert self.sheet(36, pool_gib=0.4)["fits"].value is False
        assert self.sheet(36, pool_gib=0.6)["fits"].value is True


class TestHowManyFit:
    """TC08: '~360' sequences of 4,096 tokens of a 70B on four H100 (ai-runway/airunway issue 139, 2026-04-24)."""

    @staticmethod
    def fit(weights_gib: float | None, kv_bits: float, overhead_gib: float) -> float:
        measured_bytes = None if weights_gib is None else weights_gib * GIB
        sheet = results(
            TOY, LLAMA_3_70B,
            {"kv_bits": kv_bits, "runtime_memory_gib": 79.18, "measured_weight_bytes": measured_bytes},
            tensor_parallel=4, memory_utilization=0.9, activation_reserve_gib=overhead_gib, runtime_reserve_gib=0,
            prompt_tokens=4000, output_tokens=96,
        )  # fmt: skip
        return sheet.number("sequences_that_fit")

    @pytest.mark.parametrize(
        ("weights_gib", "kv_bits", "low", "high"),
        [(None, 16, 105, 122), (67.72, 16, 156, 173), (67.72, 8, 313, 347)],
        ids=["bf16", "fp8 weights", "fp8 weights and cache"],
    )
    def test_range(self, weights_gib: float | None, kv_bits: float, low: int, high: int) -> None:
        assert self.fit(weights_gib, kv_bits, 0) == pytest.approx(high, abs=1)
        assert self.fit(weights_gib, kv_bits, 5.39) == pytest.approx(low, abs=1)

    def test_360_is_out_of_reach_in_16_bit(self) -> None:
        assert self.fit(None, 16, 0) < 360
        assert self.fit(67.72, 8, 0) < 360


class TestExpertsRead:
    """TC11: experts that a step touches (inference-sim issue 764 and pull 790; llmfit issues 230 and 474)."""

    @pytest.mark.parametrize(
        ("experts", "chosen", "batch", "expected"),
        [
            (8, 2, 1, 2.0), (8, 2, 3, 4.625), (8, 2, 32, 7.9992), (256, 8, 1, 8.0), (256, 8, 32, 163.31),
            (256, 8, 64, 222.44), (128, 8, 1, 8.0), (128, 8, 32, 111.77), (128, 8, 64, 125.94),
        ],
    )  # fmt: skip
    def test_touched(self, experts: int, chosen: int, batch: int, expected: float) -> None:
        sheet = results(TOY, {"experts": experts, "experts_per_token": chosen}, batch=batch)
        assert sheet.number("experts_read") == pytest.approx(expected, rel=1e-3)
        if batch == 3:
            assert sheet.number("experts_read") != pytest.approx(min(experts, batch * chosen), rel=1e-3)

    @pytest.mark.parametrize(("batch", "gigabytes"), [(1, 25.75), (3, 55.35), (32, 93.39)])
    def test_mixtral_bytes(self, batch: int, gigabytes: float) -> None:
        sheet = results(TOY, MIXTRAL, batch=batch)
        assert sheet.number("weights_read_bytes") / GB == pytest.approx(gigabytes, rel=0.015)
        assert sheet.number("weight_bytes") / GB == pytest.approx(93.4, rel=0.015)

    def test_wrong_answers(self) -> None:
        """Active parameters do not size memory, all parameters do not set the speed of one, and batches read more."""
        alone, batched = results(TOY, MIXTRAL, batch=1), results(TOY, MIXTRAL, batch=32)
        active_bytes = 2 * 12.7e9
        assert alone.number("weight_bytes") > 3 * active_bytes
        assert alone.number("step_time_s") < 0.5 * alone.number("weight_bytes") / 2e12
        assert batched.number("weights_read_bytes") > 3 * active_bytes


class TestApiBill:
    """TC12: bills from earendil-works/pi pull 2148, github/copilot-sdk issue 1160, dust-tt/dust pull 23702."""

    def test_cached_tokens_are_billed_once(self) -> None:
        sheet = results(
            TOY, prompt_tokens=20_212, output_tokens=931, cached_share=16_298 / 20_212, input_price_per_million=0.5,
            cached_price_ratio=0.1, output_price_ratio=6,
        )  # fmt: skip
        assert sheet.number("api_cost_per_request") == pytest.approx(0.0055649, abs=1e-9)
        assert sheet.number("api_cost_per_request") != pytest.approx(0.0137139, abs=1e-4)

    @pytest.mark.parametrize(("batch_share", "dollars"), [(0, 0.006144), (1, 0.003072)])
    def test_reasoning_is_inside_the_completion(self, batch_share: float, dollars: float) -> None:
        sheet = results(
            TOY, prompt_tokens=2008, output_tokens=266 - 261, reasoning_tokens=261, input_price_per_million=2,
            output_price_ratio=4, batch_share=batch_share, batch_price_ratio=0.5,
        )  # fmt: skip
        assert sheet.number("generated_tokens") == 266
        assert sheet.number("api_cost_per_request") == pytest.approx(dollars, abs=1e-9)
        assert sheet.number("api_cost_per_request") != pytest.approx(0.008232, abs=1e-4)
        assert sheet.number("api_cost_per_request") > 0.003


class TestCostOfTokens:
    """TC14: dreaming.press, mohithg.com, legitlads.com and deploybase.ai on self-hosting (read 2026)."""

    @pytest.mark.parametrize(
        ("price", "tokens", "utilization", "dollars"),
        [
            (2.5, 700, 1, 0.99206), (2.5, 700, 0.1, 9.9206), (3, 5000, 1, 0.16667), (3, 5000, 0.5, 0.33333),
            (3, 5000, 0.3, 0.55556), (3.07, 2500, 0.8, 0.42639),
        ],
    )  # fmt: skip
    def test_dollars_per_million(self, price: float, tokens: float, utilization: float, dollars: float) -> None:
        assert measured.cost_per_million_tokens(price, tokens, utilization) == pytest.approx(dollars, rel=0.001)

    @staticmethod
    def bill(plan: str, hours_per_day: float) -> float:
        """Monthly rent of ten devices at 2.69 $/h on demand, 1.94 reserved, in a month of 730 hours."""
        ratio = 1.94 / 2.69 if plan == "1_year" else 1
        sheet = results(
            TOY, replicas_fixed=10, requests_per_day=1000, device_price_per_hour=2.69, price_plan=plan,
            plan_price_ratio=ratio, hours_per_day=hours_per_day, days_per_month=365 / 12, peak_factor=10, batch=1,
        )  # fmt: skip
        assert sheet.number("devices") == 10
        return sheet.number("self_host_cost_per_month")

    def test_reserved_against_on_demand(self) -> None:
        business_hours = 180 / (365 / 12)
        assert self.bill("on_demand", business_hours) / 10 == pytest.approx(484.2, rel=0.001)
        assert self.bill("1_year", business_hours) / 10 == pytest.approx(1416.2, rel=0.001)
        assert self.bill("on_demand", business_hours) < self.bill("1_year", business_hours)
        saved = 12 * (self.bill("on_demand", 24) - self.bill("1_year", 24))
        assert saved == pytest.approx(65_700, rel=0.001)
        share = measured.reserved_pays_from_share(2.69, 1.94)
        assert share == pytest.approx(0.7212, rel=0.001)
        assert self.bill("on_demand", 24 * share) == pytest.approx(self.bill("1_year", 24), rel=1e-9)

    def test_an_idle_device_is_paid_all_the_same(self) -> None:
        """A tenth of the traffic leaves the bill as it is, and a million tokens cost ten times as much."""
        busy, idle = (
            results(TOY, replicas_fixed=1, batch=1, requests_per_day=number, device_price_per_hour=2.5)
            for number in (10_000, 1000)
        )
        assert idle.number("self_host_cost_per_month") == busy.number("self_host_cost_per_month")
        per_token = "self_host_cost_per_million_output_tokens"
        assert idle.number(per_token) == pytest.approx(10 * busy.number(per_token), rel=1e-12)

    def test_the_denominator_is_named(self) -> None:
        """1,000 prompt and 300 output tokens: the same bill over each, and no two the same."""
        sheet = results(TOY, batch=1, requests_per_day=1000, device_price_per_hour=2.5)
        call = sheet.number("self_host_cost_per_call")
        for row, tokens in (("output", 300), ("input", 1000), ("total", 1300)):
            assert sheet.number(f"self_host_cost_per_million_{row}_tokens") == pytest.approx(call / tokens * 1e6)


class TestUsersAndPeaks:
    """TC15: litellm-docs pull 849; llm-d-planner's traffic profile; text-generation-inference issue 439."""

    def test_thinking_users_are_not_in_flight(self) -> None:
        system = measured.closed_system(users=1000, think_s=0.75, in_flight=130)
        assert system.requests_per_second == pytest.approx(1160, rel=0.002)
        assert system.response_s == pytest.approx(0.1121, rel=0.002)
        assert system.requests_per_second * system.response_s == pytest.approx(130, rel=1e-12)

    def test_the_sheet_closes_the_same_loop(self) -> None:
        """N = X (R + Z) holds in the rows, and far fewer than the users are in flight."""
        sheet = results(TOY, users=1000, requests_per_user_per_day=10, think_time_s=30, output_tokens=50)
        rate, response = (sheet.number(name) for name in ("closed_loop_requests_per_second", "closed_loop_response_s"))
        assert rate * (response + 30) == pytest.approx(1000, rel=1e-9)
        assert sheet.number("closed_loop_batch") * sheet.number("serving_replicas") < 500

    def test_the_peak_is_not_the_daily_mean(self) -> None:
        daily = 5000 * 10
        assert measured.mean_requests_per_second(daily) == pytest.approx(0.5787, rel=0.002)
        peak = measured.busy_peak_requests_per_second(daily, busy_hours=8, peak_to_busy_mean=2)
        assert peak == pytest.approx(3.4722, rel=0.002)
        assert measured.replicas_needed(peak, 1.25, headroom=1.2) == 4
        assert measured.replicas_needed(measured.mean_requests_per_second(daily), 1.25, headroom=1.2) == 1
        sheet = results(TOY, users=5000, requests_per_user_per_day=10, peak_factor=24 / 8 * 2)
        assert sheet.number("requests_per_second_mean") == pytest.approx(0.5787, rel=0.002)
        assert sheet.number("requests_per_second_peak") == pytest.approx(peak, rel=1e-12)

    def test_the_sheet_sizes_for_the_peak(self) -> None:
        """With the same headroom as a target utilization, the replicas carry the peak and one fewer does not."""
        sheet = results(
            TOY, users=5000, requests_per_user_per_day=10, peak_factor=6, target_utilization=1 / 1.2, max_batch=4
        )
        count, capacity = sheet.number("replicas"), sheet.number("capacity_requests_per_second")
        assert count == measured.replicas_needed(3.4722222, capacity, headroom=1.2) > 1

    def test_little_law(self) -> None:
        latency = measured.latency_s(ttft_s=0.3, tpot_s=0.03, output_tokens=256)
        assert latency == pytest.approx(7.95, rel=0.002)
        assert measured.in_flight(3.4722222, latency) == pytest.approx(27.604, rel=0.002)
        sheet = results(TOY, requests_per_day=50_000, peak_factor=6, prompt_tokens=512, output_tokens=256)
        tokens = sheet.number("tokens_per_second_per_replica") * sheet.number("serving_replicas")
        assert tokens == pytest.approx(888.89, rel=0.002)


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: measured.cost_per_million_tokens(2.5, 700, 0), "Utilization = 0 .* more than 0 and at most 1"),
        (lambda: measured.cost_per_million_tokens(2.5, 0, 1), "Tokens per second = 0"),
        (lambda: measured.cost_per_million_tokens(float("nan"), 700, 1), "Price per hour = nan"),
        (lambda: measured.reserved_pays_from_share(0, 1), "Price on demand = 0"),
        (lambda: measured.closed_system(10, 1, 11), "Requests in flight = 11 .* at most 10"),
        (lambda: measured.closed_system(10, 0, 1), "Think time = 0"),
        (lambda: measured.busy_peak_requests_per_second(1, 25, 1), "Busy hours = 25"),
        (lambda: measured.busy_peak_requests_per_second(1, 8, 0.5), "Peak over busy mean = 0.5"),
        (lambda: measured.replicas_needed(1, 0, 1), "Capacity of a replica = 0"),
        (lambda: measured.latency_s(0.1, 0.1, 0), "Output tokens = 0"),
        (lambda: measured.in_flight(float("inf"), 1), "Rate = inf"),
    ],
)
def test_a_measured_figure_is_bounded(call: Callable[[], object], sentence: str) -> None:
    with pytest.raises(InputError, match=sentence):
        call()


def test_every_published_case_is_here() -> None:
    """The cases' ids agree with the collection that they were taken from, where it is at hand."""
    path = Path(__file__).resolve().parents[3] / "shared" / "cases" / "demand_cases.json"
    if not path.exists():
        pytest.skip("the collection of cases is not beside the checkout")
    own = Path(__file__).read_text(encoding="utf-8")
    missing = [case["id"] for case in json.loads(path.read_text(encoding="utf-8")) if case["id"] not in own]
    assert not missing
