"""planner validate: predicted against measured."""

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from planner.cli.diagnostics import FINDINGS, OK, say
from planner.cli.options import Json
from planner.cli.progress import Progress
from planner.model.fields import MINUS

if TYPE_CHECKING:
    from catalog import Catalog
    from planner.analysis.validation.ablation import Term
    from planner.analysis.validation.predicting import Prediction
    from planner.analysis.validation.report import Errors, Report

app = typer.Typer()

TITLES = {"tpot": "TPOT", "throughput": "Throughput", "ttft": "TTFT", "kv_capacity": "KV capacity"}
SHOWN_GROUPS = 60


@app.command()
def validate(
    data: Annotated[
        list[Path] | None,
        typer.Option(
            "--data",
            metavar="DIR-or-FILE",
            help="CSV tables of measurements, or a folder of them; may be repeated. Without it, the shipped ones.",
        ),
    ] = None,
    without: Annotated[
        str | None, typer.Option("--without", metavar="TERM", help="Leave one term out of the model; '?' lists them.")
    ] = None,
    ablation: Annotated[
        bool, typer.Option("--ablation", help="The errors once with every term and once without each.")
    ] = False,
    every_row: Annotated[bool, typer.Option("--rows", help="Also every prediction beside its measurement.")] = False,
    limit: Annotated[
        list[str] | None,
        typer.Option(
            "--limit",
            metavar="[METRIC=]SHARE",
            help="End with code 1 when a median error is larger, as in tpot=0.15; may be repeated.",
        ),
    ] = None,
    as_json: Json = False,
) -> int:
    """Compare predictions with measurements.

    What the sheet predicts beside what was measured: TPOT, throughput, TTFT, KV capacity.

    Errors are shares of the measured value: the median and 90th percentile of their size, and their median (bias).
    """
    from catalog import load_catalog
    from planner.analysis.validation.ablation import TERMS, WHOLE, term_called
    from planner.analysis.validation.reading import read_tables
    from planner.analysis.validation.validating import prepare, shipped_table
    from planner.analysis.validation.validating import validate as compare
    from planner.cli.output import write_json

    if without == "?":
        for term in TERMS.values():
            _write_term(term.name, term.title)
        return OK
    limits = _limits(limit or ())
    term = WHOLE if without is None else term_called(without)
    catalog = load_catalog()
    table = shipped_table() if not data else read_tables(data)
    prepared = prepare(table, catalog)
    with Progress("predicting") as progress:
        whole = compare(prepared, catalog, progress.count)
    report = _without(whole, catalog, term) if term.name else whole
    others = [_without(whole, catalog, one) for one in TERMS.values()] if ablation else []
    document = _document(report, every_row=every_row)
    if as_json:
        if ablation:
            document["ablation"] = [
                {"without": other.term.name, "meaning": other.term.title, **_errors(other.overall())}
                for other in others
            ]
        write_json(document)
    else:
        _write(report, [whole, *others] if ablation else [], every_row=every_row)
    return _over_limit(report, limits)


def _without(whole: "Report", catalog: "Catalog", term: "Term") -> "Report":
    from planner.analysis.validation.validating import without

    with Progress(f"without {term.name}") as progress:
        return without(whole, catalog, term, progress.count)


def _limits(texts: Sequence[str]) -> dict[str, float]:
    """Largest median error allowed by metric. Raises BadParameter for one that is not understood."""
    limits: dict[str, float] = {}
    for text in texts:
        name, equals, number = text.rpartition("=")
        try:
            share = float(number)
        except ValueError:
            share = math.nan
        known = ", ".join(TITLES)
        if (equals and name not in TITLES) or not 0 <= share <= 1000:
            shown = text[:40]
            raise typer.BadParameter(
                f"--limit '{shown}' is not understood: write SHARE or METRIC=SHARE with a share from 0 to 1000 and a "
                f"metric of {known}."
            )
        limits |= dict.fromkeys([name] if equals else TITLES, share)
    return limits


def _over_limit(report: "Report", limits: Mapping[str, float]) -> int:
    code = OK
    overall = report.overall()
    for name, share in limits.items():
        errors = overall.get(name)
        if errors is not None and errors.median_abs_error > share:
            say(f"{TITLES[name]}: the median error {_percent(errors.median_abs_error)} is over {_percent(share)}.")
            code = FINDINGS
    return code


def _document(report: "Report", *, every_row: bool) -> dict[str, Any]:
    document: dict[str, Any] = {
        "without": report.term.name or None,
        "rows": report.rows,
        "predicted_rows": report.predicted_rows,
        "overall": _errors(report.overall()),
        "groups": [
            {
                "model": group.model,
                "accelerator": group.accelerator,
                "engine": group.engine,
                **_errors(group.errors),
            }
            for group in report.groups()
        ],
        "left_out": [
            {"reason": one.reason, "rows": one.rows, "examples": list(one.examples)} for one in report.left_out()
        ],
    }
    if every_row:
        document["measurements"] = [_row_document(one) for one in report.predictions]
    return document


def _errors(errors: Mapping[str, "Errors"]) -> dict[str, Any]:
    return {
        name: {
            "n": one.n,
            "median_abs_error": one.median_abs_error,
            "p90_abs_error": one.p90_abs_error,
            "bias": one.bias,
        }
        for name, one in errors.items()
    }


def _row_document(prediction: "Prediction") -> dict[str, Any]:
    model, accelerator, engine = prediction.mapped.group
    return {
        "where": prediction.mapped.measured.where,
        "model": model,
        "accelerator": accelerator,
        "engine": engine,
        "batch": prediction.batch,
        **{
            name: {"predicted": predicted, "measured": measured}
            for name, (predicted, measured) in prediction.pairs.items()
        },
    }


def _write_term(name: str, title: str) -> None:
    from planner.cli.output import write_line

    write_line(f"{name:22}{title}")


def _write(report: "Report", ablated: Sequence["Report"], *, every_row: bool) -> None:
    from planner.cli.output import Column, write_line, write_table

    if every_row:
        _write_rows(report)
        write_line()
    numbers = [Column(title, "right") for title in ("n", "Median", "90 %", "Bias")]
    rows = [[TITLES[name], *_cells(errors)] for name, errors in report.overall().items()]
    without = f", without {report.term.name} ({report.term.title})" if report.term.name else ""
    write_table([Column("Error of"), *numbers], rows, title=f"Predicted against measured{without}")
    write_line()
    columns = [Column("Model"), Column("Device"), Column("Engine")]
    for title in TITLES.values():
        columns += [Column(f"{title} n", "right"), Column("median", "right"), Column("bias", "right")]
    groups = report.groups()
    shown = [[one.model, one.accelerator, one.engine, *_group_cells(one.errors)] for one in groups[:SHOWN_GROUPS]]
    write_table(columns, shown, title="By model, device and engine", keep=3)
    if len(groups) > SHOWN_GROUPS:
        write_line(f"and {len(groups) - SHOWN_GROUPS} more groups; --json has all of them")
    write_line()
    write_line(f"{report.predicted_rows:,} of {report.rows:,} rows predicted; the others:")
    for one in report.left_out():
        write_line(f"  {one.rows:,}  {one.reason}  ({', '.join(one.examples)})")
    if ablated:
        write_line()
        _write_ablation(ablated)


def _write_ablation(reports: Sequence["Report"]) -> None:
    from planner.cli.output import Column, write_table

    columns = [Column("Left out"), Column("Meaning")]
    for title in TITLES.values():
        columns += [Column(title, "right"), Column("90 %", "right"), Column("bias", "right")]
    rows = [[one.term.name or "nothing", one.term.title, *_ablation_cells(one.overall())] for one in reports]
    write_table(columns, rows, title="What each term is worth", keep=1)


def _ablation_cells(errors: Mapping[str, "Errors"]) -> list[str]:
    cells: list[str] = []
    for name in TITLES:
        one = errors.get(name)
        cells += ["", "", ""] if one is None else _cells(one)[1:]
    return cells


def _write_rows(report: "Report") -> None:
    from planner.cli.output import Column, write_table
    from planner.model.fields import show_number

    factors = {"tpot": ("TPOT ms", 1e3), "throughput": ("tokens/s", 1.0), "ttft": ("TTFT ms", 1e3)}
    columns = [Column("Measurement"), Column("Model")]
    for title, _ in factors.values():
        columns += [Column(f"{title} measured", "right"), Column("predicted", "right")]
    rows = []
    for one in report.predictions:
        row = [one.mapped.measured.where, one.mapped.group[0]]
        for name, (_, factor) in factors.items():
            pair = one.pairs.get(name)
            row += ["", ""] if pair is None else [show_number(pair[1] * factor), show_number(pair[0] * factor)]
        if "kv_capacity" not in one.pairs:
            rows.append(row)
    write_table(columns, rows, title="Every run", keep=1)
    pools = [one for one in report.predictions if "kv_capacity" in one.pairs]
    if pools:
        shown = [
            [
                one.mapped.measured.where,
                one.mapped.group[0],
                *(show_number(one.pairs["kv_capacity"][at]) for at in (1, 0)),
            ]
            for one in pools
        ]
        titles = [Column("Measurement"), Column("Model"), Column("Measured", "right"), Column("Predicted", "right")]
        write_table(titles, shown, title="Every KV pool, in bytes (or tokens where only those are known)", keep=1)


def _cells(errors: "Errors") -> list[str]:
    sizes = (errors.median_abs_error, errors.p90_abs_error)
    return [f"{errors.n:,}", *map(_percent, sizes), _signed(errors.bias)]


def _group_cells(errors: Mapping[str, "Errors"]) -> list[str]:
    cells: list[str] = []
    for name in TITLES:
        one = errors.get(name)
        cells += ["", "", ""] if one is None else [f"{one.n:,}", _percent(one.median_abs_error), _signed(one.bias)]
    return cells


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %"


def _signed(share: float) -> str:
    return f"{100 * share:+.1f} %".replace("-", MINUS)
