"""What a set of measurements must be rid of before it is compared: repeats, and rows known to be mislabelled."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from catalog.measurements import Measurement, Pool, Remark, Run
from planner.analysis.validation.reading import LeftOut

REPEAT = "the same measurement again: equal values on the same device, engine and lengths"


def without_repeats(measurements: Iterable[Measurement]) -> tuple[list[Measurement], list[LeftOut]]:
    """Each measurement once; dumps of one source hold many again, some under another label of the model."""
    kept: list[Measurement] = []
    repeats: list[LeftOut] = []
    seen: set[tuple[object, ...]] = set()
    for measured in measurements:
        key = _identity(measured)
        if key in seen:
            repeats.append(LeftOut(measured.where, REPEAT, measured.rows))
        else:
            seen.add(key)
            kept.append(measured)
    return kept, repeats


def _identity(measured: Measurement) -> tuple[object, ...]:
    """What two records of one measurement share: where it was made and what came out, to all its digits."""
    common = (measured.accelerator, measured.engine, measured.devices)
    if isinstance(measured, Run):
        asked = (measured.prompt_tokens, measured.output_tokens, measured.concurrency)
        return (*common, *asked, measured.ttft_s, measured.tpot_s)
    return (*common, measured.model, measured.memory_utilization, measured.pool_bytes, measured.pool_tokens)


def with_remarks(
    measurements: Iterable[Measurement], remarks: Iterable[Remark]
) -> tuple[list[Measurement], list[LeftOut]]:
    """The measurements with what ``remarks`` add to them, and those that a remark sets aside."""
    known = tuple(remarks)
    kept: list[Measurement] = []
    aside: list[LeftOut] = []
    for measured in measurements:
        spoken = [remark for remark in known if remark.holds(measured)]
        reason = next((remark.set_aside for remark in spoken if remark.set_aside), "")
        if reason:
            aside.append(LeftOut(measured.where, reason, measured.rows))
            continue
        stated = next((remark.warmup_sequences for remark in spoken if remark.warmup_sequences is not None), None)
        if isinstance(measured, Pool) and measured.warmup_sequences is None and stated is not None:
            kept.append(replace(measured, warmup_sequences=stated))
        else:
            kept.append(measured)
    return kept, aside
