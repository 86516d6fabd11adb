"""Small tables of measurements in the two layouts that are read."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from pathlib import Path

RUN: Mapping[str, str] = {
    "source": "a bench", "path_or_url": "runs.csv :: one", "commit": "", "engine": "vllm", "engine_version": "0.11.0",
    "gpu": "H100-SXM-80GB", "n_gpus": "2", "tp": "2", "pp": "1", "ep": "1", "model": "Qwen3-32B-FP8",
    "weight_precision": "fp8", "kv_precision": "", "isl": "1024", "osl": "512", "concurrency_or_batch": "16",
    "request_rate": "", "metric": "tpot", "unit": "ms", "value": "17", "note": "agg; attention_dp=1; moe_ep=1",
}  # fmt: skip
POOL: Mapping[str, str] = {
    "id": "1", "source": "a log", "path_or_url": "", "commit_or_id": "", "engine": "vLLM", "engine_version": "0.11.0",
    "gpu": "H100-SXM-80GB", "gpu_mem_gib": "79.18", "n_gpus": "1", "tp": "1", "pp": "1", "model": "Llama-3.1-8B",
    "weight_precision": "bf16", "kv_precision": "bf16", "gpu_memory_utilization": "0.9", "max_model_len": "16000",
    "weights_gib_per_gpu": "14.99", "non_torch_gib": "", "activation_peak_gib": "", "cudagraph_gib": "",
    "kv_gib_per_gpu": "51.38", "gpu_blocks": "", "block_size": "", "kv_tokens": "", "max_concurrency": "",
    "hybrid_attention": "no", "complete": "yes", "note": "",
}  # fmt: skip


def write_table(path: Path, rows: Sequence[Mapping[str, str]], columns: Sequence[str] | None = None) -> Path:
    """Writes ``rows`` as a CSV table."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, columns or list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return path


def run_rows(*, tpot: str = "17", ttft: str = "400", **changes: str) -> list[dict[str, str]]:
    """The two rows of one run: TTFT and TPOT in ms, with ``changes`` in both."""
    row = {**RUN, **changes}
    return [{**row, "metric": "ttft", "value": ttft}, {**row, "metric": "tpot", "value": tpot}]


def write_runs(path: Path, *runs: Sequence[Mapping[str, str]]) -> Path:
    """Writes runs, each made by run_rows()."""
    return write_table(path, [row for run in runs for row in run])


def write_pools(path: Path, *changes: Mapping[str, str]) -> Path:
    """Writes pools, each POOL with its changes."""
    return write_table(path, [{**POOL, **change} for change in changes])
