"""The closed forms of waiting and of TPOT under open arrivals, judged by an engine simulated event by event."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

import pytest

from planner.model.evaluation import Results
from planner.model.fields import FieldValue
from tests.model.builders import FITTED, H100, results
from tests.model.engine_simulation import Engine, Observed

LLAMA_3_8B: dict[str, float | None] = {
    "parameters": 8_030_261_248, "active_parameters": 7_504_924_672, "embedding_parameters": 525_336_576,
    "head_parameters": 525_336_576, "layers": 32, "heads": 32, "kv_heads": 8, "head_dim": 128, "hidden_size": 4096,
    "vocabulary": 128_256,
}  # fmt: skip
QWEN3_30B_A3B: dict[str, float | None] = {
    "parameters": 30_532_122_624, "active_parameters": 3_038_835_072, "embedding_parameters": 311_164_928,
    "head_parameters": 311_164_928, "expert_parameters": 28_991_029_248, "experts": 128, "experts_per_token": 8,
    "moe_layers": 48, "layers": 48, "heads": 32, "kv_heads": 4, "head_dim": 128, "hidden_size": 2048,
    "vocabulary": 151_936,
}  # fmt: skip
MODELS = {"dense": LLAMA_3_8B, "MoE": QWEN3_30B_A3B}
# What the queue is judged on: room for every slot, and no time of the engine outside its passes.
ROOM: dict[str, float | None] = {
    "runtime_memory_gib": 1000, "ttft_constant_ms": 0, "first_steps": 0, "ttft_prefill_factor": 1,
}  # fmt: skip
UTILIZATIONS = (0.3, 0.6, 0.8)


@dataclass(frozen=True)
class Judged:
    """The sheet's results and what the simulation of the same load shows."""

    sheet: Results
    seen: Observed
    rate: float

    def error(self, row: str, seen: float) -> float:
        """The sheet's figure over the simulation's, less 1."""
        return self.sheet.number(row) / seen - 1

    @property
    def tpot(self) -> float:
        return self.error("tpot_s", self.seen.tpot_s)

    @property
    def ttft(self) -> float:
        return self.error("ttft_s", self.seen.ttft_s)

    def __str__(self) -> str:
        return (
            f"TPOT {self.tpot:+.1%} ({self.sheet['tpot_estimate'].value}), mean TTFT {self.ttft:+.1%} "
            f"({self.sheet['ttft_estimate'].value}), p95 {self.error('ttft_p95_s', self.seen.ttft_p95_s):+.1%}, "
            f"throughput {self.rate / self.seen.requests_per_second - 1:+.1%}"
        )


def sheet_at(
    scheduling: str, slots: int, tokens: int, utilization: float, prompt: int, model: str = "dense"
) -> tuple[Results, float]:
    """A model on one H100 at a share of its capacity, and the rate that this is, in requests/s."""

    def at(rate: float) -> Results:
        values: dict[str, FieldValue] = {
            "requests_per_day": rate * 86_400, "peak_factor": 1, "replicas_fixed": 1, "target_utilization": 1,
            "max_batch": slots, "output_tokens": tokens, "prompt_tokens": prompt, "scheduling": scheduling,
        }  # fmt: skip
        return results(H100, MODELS[model], FITTED, ROOM, **values)

    rate = at(1e-6).number("capacity_requests_per_second") * utilization
    return at(rate), rate


def judged(
    scheduling: str,
    slots: int,
    tokens: int,
    utilization: float,
    *,
    prompt: int = 1000,
    requests: int = 4000,
    seed: int = 7,
    model: str = "dense",
) -> Judged:
    """The sheet beside the simulation; counted tokens follow the first."""
    sheet, rate = sheet_at(scheduling, slots, tokens, utilization, prompt, model)
    engine = Engine(sheet, slots, mixed=scheduling == "mixed", seed=seed, requests=requests)
    return Judged(sheet, engine.run(rate), rate)


@pytest.mark.parametrize(("slots", "tokens"), list(product((16, 256), (20, 200))))
def test_prefill_first(slots: int, tokens: int) -> None:
    """TPOT and throughput within 10 % (15 % at 16 slots and 20 tokens), mean TTFT within 15 % at 256 slots.

    At 16 slots mean and p95 TTFT are printed and not judged: the wait for a slot is high there.
    """
    for utilization in UTILIZATIONS:
        found = judged("prefill_first", slots, tokens, utilization)
        print(f"\n{slots} slots, {tokens} tokens, utilization {utilization}: {found}")
        assert abs(found.tpot) < (0.15 if (slots, tokens) == (16, 20) else 0.10), str(found)
        assert found.rate == pytest.approx(found.seen.requests_per_second, rel=0.10)
        if slots == 256:
            assert abs(found.ttft) < 0.15, str(found)


@pytest.mark.parametrize("model", list(MODELS))
@pytest.mark.parametrize(("slots", "tokens", "prompt"), list(product((16, 256), (20, 200), (200, 1000, 4000))))
def test_mixed_chunks(model: str, slots: int, tokens: int, prompt: int) -> None:
    """TPOT within 15 %; mean TTFT too where there is a slot for every request and few prompts a step."""
    for utilization in (0.3, 0.8) if slots * tokens == 5120 else (0.6,):
        found = judged("mixed", slots, tokens, utilization, prompt=prompt, requests=5000, model=model)
        print(f"\n{model}, prompt {prompt}, {slots} slots, {tokens} tokens, utilization {utilization}: {found}")
        assert abs(found.tpot) < 0.15, str(found)
        if slots == 256 and found.sheet.number("prompts_per_step") < 2:
            assert abs(found.ttft) < 0.18, str(found)


def test_a_saturated_engine_reaches_capacity() -> None:
    """With more requests than it can carry, an engine completes the capacity that the sheet counts on."""
    for slots, tokens in product((16, 64), (20, 200)):
        sheet, capacity = sheet_at("prefill_first", slots, tokens, 1 - 1e-9, 1000)
        seen = Engine(sheet, slots, mixed=False, seed=3, requests=3000).run(5 * capacity)
        assert seen.requests_per_second == pytest.approx(capacity, rel=0.05), (slots, tokens)


CORNERS = (
    ("prefill_first", 256, 20, 0.8, 16_000),
    ("prefill_first", 64, 10, 0.6, 1000), ("prefill_first", 32, 20, 0.8, 4000), ("prefill_first", 256, 5, 0.6, 200),
    ("prefill_first", 8, 200, 0.3, 1000), ("prefill_first", 16, 5, 0.8, 1000), ("prefill_first", 4, 20, 0.8, 4000),
    ("prefill_first", 256, 1, 0.6, 1000), ("prefill_first", 16, 1, 0.8, 1000), ("mixed", 64, 200, 0.3, 1000),
    ("mixed", 256, 20, 0.3, 4000), ("mixed", 256, 200, 0.8, 1000), ("mixed", 256, 20, 0.8, 200),
    ("mixed", 64, 20, 0.6, 1000), ("mixed", 16, 200, 0.8, 1000), ("mixed", 16, 10, 0.6, 1000),
    ("mixed", 64, 1, 0.6, 1000), ("mixed", 4, 20, 0.8, 4000), ("mixed", 256, 20, 0.8, 16_000),
    ("mixed", 256, 5, 0.8, 200), ("mixed", 2, 2, 0.6, 1000),
)  # fmt: skip


@pytest.mark.parametrize(("scheduling", "slots", "tokens", "utilization", "prompt"), CORNERS)
def test_the_result_says_how_far_it_is_checked(
    scheduling: str, slots: int, tokens: int, utilization: float, prompt: int
) -> None:
    """Where it says checked, TPOT is within 15 % and TTFT within 20 %; where it says high or low it errs that way."""
    found = judged(scheduling, slots, tokens, utilization, prompt=prompt, requests=3000)
    print(f"\n{scheduling}, {slots} slots, {tokens} tokens, utilization {utilization}, prompt {prompt}: {found}")
    for row, error, limit in (("tpot_estimate", found.tpot, 0.15), ("ttft_estimate", found.ttft, 0.20)):
        word = str(found.sheet[row].value)
        if word == "checked":
            assert abs(error) < limit, str(found)
        elif word.startswith("high"):
            assert error > -limit, str(found)
        elif word.startswith("low"):
            assert error < limit, str(found)
        elif word.startswith("weak"):
            assert error > 0, str(found)
        else:
            assert word == "rough for many prompts a step"


def test_the_words_name_their_regions() -> None:
    """Each region that the simulation shows to be off has its word, and the large batches of long answers none."""
    words = {
        ("prefill_first", 256, 200, 0.6): ("checked", "checked"),
        ("prefill_first", 256, 1, 0.6): ("weak for short answers", "checked"),
        ("prefill_first", 16, 20, 0.3): ("high for small batches", "checked"),
        ("prefill_first", 16, 200, 0.8): ("checked", "high for small batches"),
        ("mixed", 256, 20, 0.8): ("checked", "checked"),
        ("mixed", 64, 200, 0.3): ("checked", "checked"),
        ("mixed", 4, 20, 0.8): ("high for small batches", "high for small batches"),
        ("mixed", 256, 5, 0.8): ("high for mixed chunks", "checked"),
        ("mixed", 8, 2, 0.3): ("weak for short answers", "weak for short answers"),
    }
    sheet, _ = sheet_at("prefill_first", 256, 20, 0.3, 1000, "MoE")
    assert sheet["tpot_estimate"].value == "low for few sequences"
    sheet, _ = sheet_at("prefill_first", 256, 20, 0.8, 16_000)
    assert sheet["tpot_estimate"].value == "low for long prompts"
    sheet, _ = sheet_at("mixed", 256, 5, 0.8, 200)
    assert sheet["tpot_estimate"].value == "rough for many prompts a step"
    sheet, _ = sheet_at("mixed", 256, 20, 0.8, 200, "MoE")
    assert sheet["ttft_estimate"].value == "high for many prompts a step"
    sheet, _ = sheet_at("mixed", 4, 20, 0.6, 200, "MoE")
    assert sheet["ttft_estimate"].value == "low for chunks that read experts"
    for (scheduling, slots, tokens, utilization), expected in words.items():
        sheet, _ = sheet_at(scheduling, slots, tokens, utilization, 1000)
        assert (sheet["tpot_estimate"].value, sheet["ttft_estimate"].value) == expected, (scheduling, slots, tokens)


def test_a_fixed_batch_is_no_estimate_of_a_queue() -> None:
    sheet = results(H100, LLAMA_3_8B, FITTED, ROOM, batch=8)
    assert (sheet["tpot_estimate"].value, sheet["ttft_estimate"].value) == ("fixed batch", "fixed batch")


@pytest.mark.soak
@pytest.mark.parametrize("model", list(MODELS))
@pytest.mark.parametrize("scheduling", ["prefill_first", "mixed"])
@pytest.mark.parametrize("prompt", [200, 1000, 4000, 16_000])
def test_all_regions(scheduling: str, prompt: int, model: str) -> None:
    """The table of docs/queueing.md: every mix of slots, tokens and utilization, two seeds each."""
    for slots, tokens, utilization, seed in product(
        (2, 4, 8, 16, 32, 64, 256), (1, 2, 5, 10, 20, 200), UTILIZATIONS, (1, 2)
    ):
        found = judged(scheduling, slots, tokens, utilization, prompt=prompt, requests=8000, seed=seed, model=model)
        label = f"{model}, {scheduling}, prompt {prompt}, {slots} slots, {tokens} tokens, utilization {utilization}"
        print(f"{label}: {found}")
        if model == "dense" and prompt <= 4000:
            assert found.sheet["tpot_estimate"].value != "checked" or abs(found.tpot) < 0.15, f"{label}: {found}"
            assert found.sheet["ttft_estimate"].value != "checked" or abs(found.ttft) < 0.20, f"{label}: {found}"
