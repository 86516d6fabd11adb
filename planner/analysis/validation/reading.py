"""Reading tables of measurements: CSV files with a row per measured value, or a row per engine start-up.

Two layouts are read, known by their columns: runs (engine, gpu, tp, model, lengths, concurrency, metric, value, note)
and KV pools (gpu_mem_gib, kv_gib_per_gpu, ...). What no run can be made of is kept with the reason.
"""

from __future__ import annotations

import csv
import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from catalog.errors import BadFileError, MissingFileError
from catalog.measurements import Measurement, Pool, Run
from planner.model.fields import printable

MAX_BYTES = 256 * 2**20
MAX_CELL = 20_000
LARGEST = 1e12
RUN_COLUMNS = frozenset(
    "engine gpu n_gpus tp pp ep model weight_precision kv_precision isl osl concurrency_or_batch metric unit value "
    "note".split()
)
POOL_COLUMNS = frozenset(
    "engine gpu gpu_mem_gib n_gpus tp pp model weight_precision kv_precision gpu_memory_utilization kv_gib_per_gpu "
    "kv_tokens note".split()
)
METRICS = {"ttft": "ttft", "ttft_mean": "ttft", "tpot": "tpot", "tpot_mean": "tpot"}
UNITS = {"ms": 1e-3, "s": 1.0, "us": 1e-6}
DUMP_SHARE = 0.9
"""Mean share of the nominal lengths in InferenceMAX and InferenceX runs: drawn evenly from 0.8 to 1.0 of them."""

_DUMP = re.compile(r"origin (?:db-dump/|source_file=\d{4}-\d{2}-\d{2}\b)")
_GROUPS = re.compile(r"attention_dp=(\d{1,6})\b")
_SPREAD = re.compile(r"moe_ep=(\d{1,6})\b")

Cells = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class LeftOut:
    """Rows of a table that are not predicted: where they stand, how many, and why."""

    where: str
    reason: str
    rows: int = 1


@dataclass(slots=True)
class Table:
    """What tables hold: runs and pools, and the rows that are none."""

    measurements: list[Measurement] = field(default_factory=list)
    left_out: list[LeftOut] = field(default_factory=list)
    rows: int = 0


class _CellError(ValueError):
    """A cell that cannot be read: its column, its text and what it must be."""


def read_tables(paths: Iterable[Path]) -> Table:
    """The measurements in CSV files, and in every CSV file of the folders among ``paths``.

    Raises MissingFileError and BadFileError with one sentence.
    """
    table = Table()
    for path in paths:
        shown = printable(str(path))[-200:]
        if path.is_dir():
            files = sorted(path.glob("*.csv"))
            if not files:
                raise MissingFileError(f"{shown} holds no .csv file.")
            for file in files:
                _read_file(file, table, alone=False)
        elif path.exists():
            _read_file(path, table, alone=True)
        else:
            raise MissingFileError(f"{shown} does not exist.")
    return table


def _read_file(path: Path, table: Table, *, alone: bool) -> None:
    name = printable(path.name)[-100:]
    try:
        if not path.is_file():
            raise BadFileError(f"{name} is not a regular file.")
        if path.stat().st_size > MAX_BYTES:
            raise BadFileError(f"{name} is larger than {MAX_BYTES // 2**20} MiB.")
        with path.open(encoding="utf-8-sig", newline="") as file:
            rows = csv.DictReader(file, restval="")
            columns = frozenset(rows.fieldnames or ())
            if columns >= RUN_COLUMNS:
                _read_runs(rows, name, table)
            elif columns >= POOL_COLUMNS:
                _read_pools(rows, name, table)
            elif alone:
                missing = ", ".join(sorted(RUN_COLUMNS - columns))
                raise BadFileError(f"{name} is no table of runs or KV pools: for runs it lacks the columns {missing}.")
            else:
                count = sum(1 for _ in rows)
                table.rows += count
                table.left_out.append(LeftOut(name, "a table of another kind: neither runs nor KV pools", count))
    except UnicodeDecodeError as error:
        raise BadFileError(f"{name} is not UTF-8 text (byte {error.start}).") from None
    except csv.Error as error:
        raise BadFileError(f"{name} is no CSV table: {printable(str(error))[:100]}.") from None
    except OSError as error:
        raise BadFileError(f"{name} cannot be read: {error.strerror or error}.") from None


def _read_runs(rows: csv.DictReader[str], name: str, table: Table) -> None:
    """Rows with the same labels and different metrics make a run; a metric that comes again starts a new one."""
    open_runs: dict[tuple[str, ...], tuple[str, dict[str, str], dict[str, float]]] = {}
    for row in rows:
        where = f"{name}:{rows.line_num}"
        table.rows += 1
        metric = METRICS.get(row["metric"])
        if metric is None:
            what = printable(row["metric"])[:60] or "(none)"
            table.left_out.append(LeftOut(where, f"metric '{what}' is not compared, only TTFT and TPOT are"))
            continue
        try:
            seconds = _seconds(row)
        except _CellError as error:
            table.left_out.append(LeftOut(where, f"unreadable: {error}"))
            continue
        labels = tuple(row[column] for column in rows.fieldnames or () if column not in ("metric", "unit", "value"))
        begun = open_runs.get(labels)
        if begun is not None and metric in begun[2]:
            _close_run(*begun, table)
            begun = None
        if begun is None:
            begun = open_runs[labels] = (where, row, {})
        begun[2][metric] = seconds
    for begun in open_runs.values():
        _close_run(*begun, table)


def _close_run(where: str, row: Cells, values: Mapping[str, float], table: Table) -> None:
    note = row["note"]
    if note.startswith("disagg"):
        reason = "prefill and decode run in pools of their own, whose sizes the table does not give"
        table.left_out.append(LeftOut(where, reason, len(values)))
        return
    try:
        groups = int(found[1]) if (found := _GROUPS.search(note)) else 1
        spread = int(found[1]) if (found := _SPREAD.search(note)) else _whole(row, "ep", 1)
        run = Run(
            where=where,
            source=_text(row, "source") or where,
            accelerator=_text(row, "gpu"),
            model=_text(row, "model"),
            engine=_text(row, "engine"),
            version=_text(row, "engine_version"),
            weight_format=_text(row, "weight_precision"),
            kv_format=_text(row, "kv_precision"),
            devices=_whole(row, "n_gpus"),
            tensor_parallel=_whole(row, "tp"),
            pipeline_parallel=_whole(row, "pp", 1),
            attention_groups=groups,
            expert_parallel=spread > 1,
            prompt_tokens=_number(row, "isl"),
            output_tokens=_number(row, "osl"),
            drawn_share=DUMP_SHARE if _DUMP.search(note) else 1.0,
            concurrency=_number(row, "concurrency_or_batch"),
            ttft_s=values.get("ttft"),
            tpot_s=values.get("tpot"),
            rows=len(values),
        )
    except _CellError as error:
        table.left_out.append(LeftOut(where, f"unreadable: {error}", len(values)))
        return
    table.measurements.append(run)


def _read_pools(rows: csv.DictReader[str], name: str, table: Table) -> None:
    for row in rows:
        where = f"{name}:{rows.line_num}"
        table.rows += 1
        try:
            tokens = _maybe(row, "kv_tokens")
            blocks, size = _maybe(row, "gpu_blocks"), _maybe(row, "block_size")
            if tokens is None and blocks is not None and size is not None:
                tokens = blocks * size
            gib = _maybe(row, "kv_gib_per_gpu")
            table.measurements.append(
                Pool(
                    where=where,
                    source=_text(row, "source") or where,
                    accelerator=_text(row, "gpu"),
                    model=_text(row, "model"),
                    engine=_text(row, "engine"),
                    version=_text(row, "engine_version"),
                    weight_format=_text(row, "weight_precision"),
                    kv_format=_text(row, "kv_precision"),
                    devices=_whole(row, "n_gpus"),
                    tensor_parallel=_whole(row, "tp", 1),
                    pipeline_parallel=_whole(row, "pp", 1),
                    memory_gib=_maybe(row, "gpu_mem_gib"),
                    memory_utilization=_maybe(row, "gpu_memory_utilization"),
                    pool_bytes=None if gib is None else gib * 2**30,
                    pool_tokens=tokens,
                )
            )
        except _CellError as error:
            table.left_out.append(LeftOut(where, f"unreadable: {error}"))


def _text(row: Cells, column: str) -> str:
    return printable(row.get(column, ""))[:MAX_CELL].strip()


def _maybe(row: Cells, column: str) -> float | None:
    return _number(row, column, signed=True) if row.get(column, "").strip() else None


def _number(row: Cells, column: str, *, signed: bool = False) -> float:
    text = row[column].strip()
    if not text:
        raise _CellError(f"{column} is empty")
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value) or abs(value) > LARGEST or (value <= 0 and not signed):
        kind = "a number" if signed else "a number above 0"
        raise _CellError(f"{column} = '{printable(text)[:40]}' is not {kind}")
    return value


def _whole(row: Cells, column: str, blank: int | None = None) -> int:
    text = row[column].strip()
    if not text:
        if blank is None:
            raise _CellError(f"{column} is empty")
        return blank
    if not (text.isascii() and text.isdecimal() and 0 < int(text[:12]) <= 10**6):
        raise _CellError(f"{column} = '{printable(text)[:40]}' is not a whole number from 1 to 1,000,000")
    return int(text)


def _seconds(row: Cells) -> float:
    factor = UNITS.get(row["unit"].strip())
    if factor is None:
        raise _CellError(f"unit = '{printable(row['unit'])[:20]}' is not ms, s or us")
    return _number(row, "value") * factor
