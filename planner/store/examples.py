"""What a new library holds: the worked examples that the model comes from, and a choice that a planner really has."""

from __future__ import annotations

from sqlalchemy.orm import Session

from planner.model.fields import FieldValue
from planner.model.inputs import check_values
from planner.model.scenario import Scenario
from planner.store import edits, workspaces
from planner.store.database import Database

WORKSPACE = "Examples"
NOTES = (
    "The first two are the articles' worked examples, with nothing but the roofline. The third is the second with a "
    "real model, its KV cache and the real link. The last two are one service, built in two ways."
)

_IDEAL: dict[str, FieldValue] = {
    "kv_format": "none",
    "interconnect": "ideal",
    "efficiency_profile": "ideal",
    "batch": 1,
}
_SERVICE: dict[str, FieldValue] = {
    "model": "llama-3.3-70b",
    "weight_format": "fp8",
    "kv_format": "fp8",
    "requests_per_day": 150_000,
    "peak_factor": 2.5,
    "prompt_tokens": 1500,
    "output_tokens": 350,
    "prefix_cache_hit": 0.3,
    "ttft_target_ms": 2000,
    "tpot_target_ms": 50,
    "spare_replicas": 1,
    "network_rtt_ms": 40,
}
# Groq's llama-3.3-70b-versatile: 0.59 and 0.79 a million tokens, genai-prices 0.2.3, read 2026-11-29.
_API: dict[str, FieldValue] = {"input_price_per_million": 0.59, "output_price_ratio": 0.79 / 0.59}


def example_scenarios() -> list[Scenario]:
    """The scenarios of the example workspace, in column order."""

    def scenario(name: str, notes: str, *parts: dict[str, FieldValue]) -> Scenario:
        values: dict[str, FieldValue] = {}
        for part in parts:
            values.update(part)
        return Scenario(name, check_values(values), {}, notes)

    return [
        scenario(
            "Toy 7B",
            "A 7B model in 16 bits on a device of 2 TB/s and 300 TFLOP/s: 23.3 ms to the first token of a prompt of "
            "500, then 7 ms for each token.",
            _IDEAL,
            {
                "accelerator": "toy-gpu",
                "model": "toy-7b",
                "prompt_tokens": 500,
                "output_tokens": 500,
                "input_price_per_million": 0.5,
                "output_price_ratio": 3,
            },
        ),
        scenario(
            "70B ideal, 2 x H100",
            "140 GB of weights over 6.7 TB/s: about 21 ms a token and 48 tokens/s for one user. No KV cache, and the "
            "split over two devices costs nothing.",
            _IDEAL,
            {"accelerator": "h100-sxm-80gb", "tensor_parallel": 2, "model": "generic-70b"},
        ),
        scenario(
            "Llama 3.3 70B, 2 x H100",
            "The same with a real 70B model in bf16, its KV cache, the real link and efficiencies fitted to "
            "measurements. At the usual memory utilization of 0.90 the weights leave no room for the KV cache of one "
            "request; 0.95 does.",
            {
                "accelerator": "h100-sxm-80gb",
                "tensor_parallel": 2,
                "model": "llama-3.3-70b",
                "weight_format": "bf16",
                "kv_format": "bf16",
                "memory_utilization": 0.95,
                "batch": 1,
            },
        ),
        scenario(
            "70B fp8, 2 x H100",
            "A service of 150,000 requests a day on pairs of rented H100, beside an API for the same model. Rent: the "
            "median of twelve sellers' prices on demand, November 2026. API: Groq, llama-3.3-70b-versatile.",
            _SERVICE,
            _API,
            {"accelerator": "h100-sxm-80gb", "tensor_parallel": 2, "device_price_per_hour": 3.075},
        ),
        scenario(
            "70B fp8, 1 x H200",
            "The same service on single rented H200. Rent: the median of thirteen sellers' prices on demand, "
            "October 2026.",
            _SERVICE,
            _API,
            {"accelerator": "h200-sxm-141gb", "tensor_parallel": 1, "device_price_per_hour": 4.954},
        ),
    ]


def fill(database: Database) -> None:
    """Save the examples in a workspace of their own, in one transaction that undo leaves alone."""

    def work(session: Session) -> None:
        workspace = workspaces.create_within(session, database, WORKSPACE, NOTES)
        edits.create_within(session, database, workspace, example_scenarios(), "first start", "examples")

    database.write(work)
