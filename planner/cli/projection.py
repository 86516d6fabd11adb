"""planner projection: a scenario month by month."""

from typing import Annotated

import typer

from planner.cli.options import Database, InWorkspace, Json, MaybeScenario, Set, whole

app = typer.Typer()


@app.command()
def projection(
    context: typer.Context,
    scenario: MaybeScenario = None,
    settings: Set = None,
    months: Annotated[
        int, typer.Option("--months", metavar="N", parser=whole(1, 600), help="Months from month 0 on: 1 to 600.")
    ] = 36,
    as_json: Json = False,
    db: Database = None,
    workspace: InWorkspace = None,
) -> None:
    """Project traffic, replicas and both bills month by month.

    Growth of traffic and of answers, and the fall of the device price, are inputs of the scenario.
    """
    from dataclasses import asdict

    from planner.analysis.projection import project
    from planner.cli.evaluate import evaluated_with
    from planner.cli.output import Column, write_json, write_line, write_table
    from planner.cli.results import currency_of
    from planner.model.display import BLANK, show_money, with_currency
    from planner.model.fields import show_large

    evaluated, _ = evaluated_with(context, scenario, settings, db, workspace)
    projected = project(evaluated, months)
    if as_json:
        write_json({"scenario": evaluated.scenario.name, "months": [asdict(month) for month in projected]})
        return
    unit = with_currency("$/month", currency_of(evaluated.scenario))
    heads = (
        "Month",
        "Requests per day",
        "Output tokens",
        "Replicas",
        "Devices",
        f"Self-hosted, {unit}",
        f"API, {unit}",
    )
    columns = [Column(head, "right") for head in (*heads, "Self-hosted so far", "API so far")]

    def count(value: float | None) -> str:
        return BLANK if value is None else show_large(value)

    def money(value: float | None) -> str:
        return BLANK if value is None else show_money(value)

    rows = [
        [
            str(month.number), count(month.requests_per_day), count(month.output_tokens), count(month.replicas),
            count(month.devices), money(month.self_host_cost), money(month.api_cost),
            money(month.cumulative_self_host_cost), money(month.cumulative_api_cost),
        ]
        for month in projected
    ]  # fmt: skip
    write_table(columns, rows, title=evaluated.scenario.name, keep=1)
    first = next((month for month in projected if month.reason), None)
    if first is not None:
        write_line()
        write_line(f"From month {first.number} on: {first.reason}.")
