"""Public measurements of serving: closed-loop benchmark runs and KV pools, each with where it was published.

The shipped ones are ``data/measurements.toml``; a table of somebody else's is read into the same classes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from catalog.load import shipped

MS = 1e-3


@dataclass(frozen=True, slots=True, kw_only=True)
class Deployment:
    """What was measured on: the labels as the source writes them.

    ``where`` names the source's row (a file and line, or an id), ``devices`` all devices of the replica.
    ``attention_groups`` is the attention data parallel degree, ``tensor_parallel`` the devices of one such group.
    """

    where: str
    source: str
    accelerator: str
    model: str
    engine: str
    version: str
    weight_format: str
    kv_format: str
    devices: int
    tensor_parallel: int
    pipeline_parallel: int = 1
    attention_groups: int = 1
    expert_parallel: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Run(Deployment):
    """One closed-loop run: ``concurrency`` requests always in flight; mean TTFT and TPOT in seconds.

    ``prompt_tokens`` and ``output_tokens`` are what was asked for, ``drawn_share`` the mean share of it that was drawn.
    ``rows`` is how many rows of a table the run was made of.
    """

    prompt_tokens: float
    output_tokens: float
    drawn_share: float = 1.0
    concurrency: float
    ttft_s: float | None
    tpot_s: float | None
    rows: int = 1

    @property
    def output_tokens_per_second(self) -> float | None:
        """Throughput by Little's law: concurrency x tokens / (TTFT + (tokens - 1) x TPOT), or None."""
        if self.ttft_s is None or self.tpot_s is None:
            return None
        tokens = self.output_tokens * self.drawn_share
        return self.concurrency * tokens / (self.ttft_s + max(tokens - 1, 0) * self.tpot_s)


@dataclass(frozen=True, slots=True, kw_only=True)
class Pool(Deployment):
    """The KV pool of one device as an engine printed it at start-up: bytes, or tokens where only those are known.

    ``memory_gib`` is the device memory that the runtime saw, ``warmup_sequences`` None where it was not printed.
    """

    memory_gib: float | None
    memory_utilization: float | None
    warmup_sequences: int | None = None
    pool_bytes: float | None = None
    pool_tokens: float | None = None
    rows: int = 1


Measurement = Run | Pool


@dataclass(frozen=True, slots=True, kw_only=True)
class Remark:
    """What is known of published rows beside their own columns: of those whose labels begin with ``labels``.

    ``set_aside`` is why they are not to be compared (empty: they are), ``warmup_sequences`` what the source's settings
    state. A remark speaks of deployments of ``devices_at_least`` devices and more.
    """

    labels: Mapping[str, str]
    set_aside: str = ""
    warmup_sequences: int | None = None
    devices_at_least: int = 1
    note: str = ""

    def holds(self, measured: Deployment) -> bool:
        """Whether the remark speaks of ``measured``. Labels compare whatever their case."""
        return measured.devices >= self.devices_at_least and all(
            str(getattr(measured, name, "")).casefold().startswith(text.casefold())
            for name, text in self.labels.items()
        )


def shipped_measurements() -> list[Measurement]:
    """The measurements that come with the catalogue."""
    return [*_runs(), *_pools()]


def remarks() -> tuple[Remark, ...]:
    """What is known of rows of public tables beside their columns."""
    return tuple(Remark(**entry) for entry in shipped("measurements")["remark"])


def _common(entry: Mapping[str, Any], where: str) -> dict[str, Any]:
    tensor = entry.get("tensor_parallel", 1)
    pipeline = entry.get("pipeline_parallel", 1)
    groups = entry.get("attention_groups", 1)
    return {
        "where": where,
        "source": entry["source"],
        "accelerator": entry["accelerator"],
        "model": entry["model"],
        "engine": entry["engine"],
        "version": entry.get("version", ""),
        "weight_format": entry["weight_format"],
        "kv_format": entry["kv_format"],
        "devices": tensor * pipeline * groups,
        "tensor_parallel": tensor,
        "pipeline_parallel": pipeline,
        "attention_groups": groups,
        "expert_parallel": entry.get("expert_parallel", False),
    }


def _runs() -> Iterator[Run]:
    for entry in shipped("measurements")["curve"]:
        for concurrency, ttft_ms, tpot_ms in entry["points"]:
            yield Run(
                **_common(entry, f"{entry['id']}, concurrency {concurrency:g}"),
                prompt_tokens=entry["prompt_tokens"],
                output_tokens=entry["output_tokens"],
                drawn_share=entry.get("drawn_share", 1.0),
                concurrency=concurrency,
                ttft_s=ttft_ms * MS,
                tpot_s=tpot_ms * MS,
            )


def _pools() -> Iterator[Pool]:
    for entry in shipped("measurements")["pool"]:
        gib = entry.get("pool_gib")
        yield Pool(
            **_common(entry, entry["id"]),
            memory_gib=entry["memory_gib"],
            memory_utilization=entry["memory_utilization"],
            warmup_sequences=entry.get("warmup_sequences"),
            pool_bytes=None if gib is None else gib * 2**30,
            pool_tokens=entry.get("pool_tokens"),
        )
