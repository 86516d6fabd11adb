"""Figures that the model gives for fixed inputs and facts: what its version stands for.

``python -m tests.model.figures`` writes those of the present version anew.
"""

from __future__ import annotations

import json
from pathlib import Path

from planner.model.evaluation import Results
from planner.model.fields import FieldValue
from planner.model.rows import SHEET
from planner.model.version import MODEL_VERSION
from tests.model.builders import FITTED, H100, LLAMA_3_70B, TOY, results

FILE = Path(__file__).parent / "fixtures" / "figures.json"
DIGITS = 9

Figures = dict[str, dict[str, float | str | bool | None]]


def _scenarios() -> dict[str, Results]:
    service: dict[str, FieldValue] = {
        "tensor_parallel": 4, "requests_per_day": 150_000, "peak_factor": 2.5, "prompt_tokens": 1500,
        "output_tokens": 350, "prefix_cache_hit": 0.3, "ttft_target_ms": 2000, "tpot_target_ms": 50,
        "spare_replicas": 1, "network_rtt_ms": 40, "device_price_per_hour": 3, "input_price_per_million": 0.6,
        "output_price_ratio": 1.5,
    }  # fmt: skip
    parts = (LLAMA_3_70B, H100, FITTED)
    return {
        "toy": results(TOY, prompt_tokens=500, output_tokens=500, batch=1),
        "one request": results(*parts, tensor_parallel=4, batch=1),
        "service": results(*parts, **service),
        "batch of 64": results(*parts, **{**service, "batch": 64, "replicas_fixed": 2}),
        "disaggregated": results(*parts, **{**service, "scheduling": "disaggregated", "pipeline_parallel": 2}),
        "drafts": results(*parts, **{**service, "draft_tokens": 4, "draft_acceptance": 0.7, "draft_cost_ratio": 0.05}),
    }


def present() -> Figures:
    """The results of every row now."""
    return {
        scenario: {name: _rounded(found[name].value) for name in SHEET.rows} for scenario, found in _scenarios().items()
    }


def _rounded(value: float | str | bool | None) -> float | str | bool | None:
    return float(f"{value:.{DIGITS}g}") if isinstance(value, float) else value


def main() -> None:
    """Write the figures of the present version."""
    FILE.parent.mkdir(exist_ok=True)
    FILE.write_text(json.dumps({"version": MODEL_VERSION, "figures": present()}, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
