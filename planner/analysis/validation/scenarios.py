"""From a measurement to the scenario that the sheet evaluates, or the reason why there is none."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from catalog.book import ACCELERATOR, Catalog
from catalog.entries import Accelerator
from catalog.measurements import Deployment, Measurement, Pool, Run
from planner.analysis.validation.labels import Labels, format_word
from planner.model.fields import FieldValue, InputError
from planner.model.inputs import check_values

PROFILE = "fitted"
BLACKWELL_FORMAT = "fp4"
EIGHT_BIT_CACHE = ("fp8", "nvfp4", "mxfp4")
LARGE_WARMUP_SINCE = (0, 10)
LARGE_WARMUP_DATE = (2025, 7)
SMALL_WARMUP = 256

_VERSION = re.compile(r"v?(\d{1,3})\.(\d{1,3})\b")
_DATE = re.compile(r"(20\d\d)(?:-(\d\d))?\b")


class NoScenarioError(Exception):
    """A measurement that the sheet has no scenario for; the text is the reason."""


@dataclass(frozen=True, slots=True)
class Mapped:
    """A measurement with its scenario: checked input values, and overridden facts.

    ``device`` is the device's id, or its label where another device's memory stands in for it.
    """

    measured: Measurement
    device: str
    values: Mapping[str, FieldValue]
    overrides: Mapping[str, float | None] = field(default_factory=dict)

    @property
    def group(self) -> tuple[str, str, str]:
        """Model, device and engine."""
        return str(self.values["model"]), self.device, str(self.values["engine"])


class Mapper:
    """Makes scenarios of measurements with the names of one catalogue."""

    def __init__(self, catalog: Catalog, profile: str = PROFILE) -> None:
        self.catalog = catalog
        self.profile = profile
        self.labels = Labels(catalog)

    def scenario(self, measured: Measurement) -> Mapped:
        """The scenario of ``measured``. Raises NoScenarioError with the reason where there is none."""
        return self._run(measured) if isinstance(measured, Run) else self._pool(measured)

    def _run(self, run: Run) -> Mapped:
        device = self.labels.accelerator(run.accelerator)
        if device is None:
            raise NoScenarioError(f"device '{run.accelerator}' is not in the catalogue")
        values = self._common(run, device)
        values |= {
            "kv_sizing": "mean",
            "latency_convention": "benchmark",
            "prompt_tokens": max(1, round(run.prompt_tokens * run.drawn_share)),
            "output_tokens": max(1, round(run.output_tokens * run.drawn_share)),
            "batch": run.concurrency,
            "max_batch": max(256, math.ceil(run.concurrency)),
        }
        return Mapped(run, device, _checked(values))

    def _pool(self, pool: Pool) -> Mapped:
        known = self.labels.accelerator(pool.accelerator)
        if pool.memory_gib is None and known is None:
            raise NoScenarioError("device memory is not stated")
        if pool.memory_utilization is None:
            raise NoScenarioError("memory utilization is not stated")
        if pool.pool_bytes is None and pool.pool_tokens is None:
            raise NoScenarioError("the KV pool is not stated")
        if (pool.pool_bytes if pool.pool_bytes is not None else pool.pool_tokens or 0) <= 0:
            raise NoScenarioError("the engine did not start: no memory was left for the KV pool")
        device = known or self._stand_in(pool.memory_gib or 0.0)
        values = self._common(pool, device)
        values |= {"memory_utilization": pool.memory_utilization, "warmup_sequences": self._warm_up(pool, known)}
        seen = {} if pool.memory_gib is None else {"runtime_memory_gib": pool.memory_gib}
        return Mapped(pool, known or pool.accelerator, _checked(values), seen)

    def _stand_in(self, memory_gib: float) -> str:
        """The device whose label is nearest to ``memory_gib``: a KV pool depends on no other figure of it."""
        entries = [found.entry for found in self.catalog.all(ACCELERATOR)]
        sized = [entry for entry in entries if entry.memory_label_gb is not None and entry.dense_tflops.bf16]
        return min(sized, key=lambda entry: abs((entry.memory_label_gb or 0) - memory_gib)).id

    def _warm_up(self, pool: Pool, device: str | None) -> int | None:
        """Sequences of the memory profile run: as printed; None (the engine's default) where its rule knows them.

        vLLM warms up with 1,024 on devices of 80 GB and more that are newer than the A100 since version 0.10
        (July 2025); before, and elsewhere, with 256.
        """
        if pool.warmup_sequences is not None:
            return pool.warmup_sequences
        newer = device is not None and self._device(device).dense_tflops.fp8 is not None
        return None if newer and _is_recent(pool.version) else SMALL_WARMUP

    def _device(self, device: str) -> Accelerator:
        return self.catalog.find(ACCELERATOR, device).entry

    def _common(self, measured: Deployment, device: str) -> dict[str, FieldValue]:
        model = self.labels.model(measured.model)
        if model is None:
            raise NoScenarioError(f"model '{measured.model}' is not in the catalogue")
        engine = self.labels.engine(measured.engine)
        if engine is None:
            raise NoScenarioError(f"engine '{measured.engine}' is not in the catalogue")
        if not measured.weight_format:
            raise NoScenarioError("weight format is not stated")
        weights = format_word(measured.weight_format, "weight_format")
        if weights is None:
            raise NoScenarioError(f"weight format '{measured.weight_format}' is not known")
        return {
            "accelerator": device,
            "model": model,
            "engine": engine,
            "weight_format": weights,
            "kv_format": self._kv_format(measured, device, engine, weights),
            "efficiency_profile": self.profile,
            "prefix_cache_hit": 0.0,
            **_layout(measured),
        }

    def _kv_format(self, measured: Deployment, device: str, engine: str, weights: str) -> str:
        """As stated; else what the public launch scripts set: 8 bit on Blackwell with vLLM, and with TensorRT-LLM on
        8- and 4-bit weights; 16 bit elsewhere."""
        if measured.kv_format:
            word = format_word(measured.kv_format, "kv_format")
            if word is None:
                raise NoScenarioError(f"KV format '{measured.kv_format}' is not known")
            return word
        blackwell = self._device(device).dense_tflops.get(BLACKWELL_FORMAT) is not None
        eight = (engine == "vllm" and blackwell) or (engine == "trtllm" and weights in EIGHT_BIT_CACHE)
        return "fp8" if eight else "bf16"


def _layout(measured: Deployment) -> dict[str, FieldValue]:
    """Parallel degrees: the sheet's attention data parallel spans all t devices of a replica, one group each."""
    t, p, d = measured.tensor_parallel, measured.pipeline_parallel, measured.attention_groups
    if t * p * d != measured.devices:
        raise NoScenarioError(f"{t} x {p} x {d} parallel degrees are not the {measured.devices} devices stated")
    if d > 1 and t > 1:
        raise NoScenarioError("attention is both tensor and data parallel; the sheet has one or the other")
    return {
        "tensor_parallel": t * d,
        "pipeline_parallel": p,
        "expert_parallel": measured.expert_parallel and t * d > 1,
        "attention_data_parallel": d > 1,
    }


def _is_recent(version: str) -> bool:
    """Whether ``version``, a number or a date, is at or after LARGE_WARMUP_SINCE; one that is neither is old."""
    numbered, dated = _VERSION.match(version), _DATE.match(version)
    if numbered:
        return (int(numbered[1]), int(numbered[2])) >= LARGE_WARMUP_SINCE
    return dated is not None and (int(dated[1]), int(dated[2] or 1)) >= LARGE_WARMUP_DATE


def _checked(values: dict[str, FieldValue]) -> dict[str, FieldValue]:
    try:
        return check_values(values)
    except InputError as error:
        raise NoScenarioError(str(error)) from None
