"""planner price and planner catalog prices, refresh-prices: what sellers ask, and taking it into a scenario."""

from typing import TYPE_CHECKING, Annotated

import typer

from planner.cli.catalogue import group
from planner.cli.options import Json, ScenarioName, Why, Yes, day
from planner.cli.session import catalogue_of, find, opens

if TYPE_CHECKING:
    from catalog.refresh import Refresh
    from planner.store import Library

app = typer.Typer()

On = Annotated[
    str | None, typer.Option("--on", metavar="DATE", parser=day, help="Prices of that day (YYYY-MM-DD) or before.")
]
Plan = Annotated[str, typer.Option("--plan", metavar="PLAN", help="on_demand, spot, 1_year or 3_years.")]


@app.command()
@opens
def price(
    library: "Library",
    scenario: ScenarioName,
    seller: Annotated[
        str | None, typer.Option("--seller", metavar="NAME", help="Take this seller's price of the device.")
    ] = None,
    plan: Plan = "on_demand",
    api: Annotated[
        str | None, typer.Option("--api", metavar="PROVIDER/MODEL", help="Take this API's token prices.")
    ] = None,
    on: On = None,
    why: Why = "",
    as_json: Json = False,
) -> None:
    """Fill in a seller's or an API's prices."""
    from catalog.prices import pick_device_price, pick_token_price
    from planner.cli.diagnostics import CommandError, say
    from planner.cli.output import write_json
    from planner.cli.stored import evaluate_stored, stored_document
    from planner.store import Change

    if seller is None and api is None:
        raise CommandError("Name a --seller of the device, an --api, or both; `planner catalog prices` lists them.")
    stored, book = find(library, scenario), catalogue_of(library)
    picks = []
    if seller is not None:
        picks.append(pick_device_price(book, str(stored.scenario.values["accelerator"]), seller, plan, on=on))
    if api is not None:
        picks.append(pick_token_price(book, api, on=on))
    values = {name: value for pick in picks for name, value in pick.values.items()}
    evaluate_stored(stored, book, values)
    source = "; ".join(f"{pick.source}, {pick.date}" for pick in picks)
    changes = [Change(stored.id, name, value, stored.version) for name, value in values.items()]
    (changed,) = library.edit(changes, why=why or source) or (stored,)
    for doubt in dict.fromkeys(doubt for pick in picks for doubt in pick.doubts):
        say(f"Note: {doubt}.")
    if as_json:
        write_json(stored_document(changed))
    else:
        say(f"Filled in {len(values)} prices of '{changed.name}' from {source}.")


@group.command()
@opens
def prices(
    library: "Library",
    device: Annotated[str | None, typer.Argument(metavar="DEVICE", help="Device whose offers are listed.")] = None,
    api: Annotated[
        str | None, typer.Option("--api", metavar="WORD", help="List token prices of APIs that hold this word.")
    ] = None,
    on: On = None,
    as_json: Json = False,
) -> None:
    """List what sellers ask for a device, or APIs for tokens."""
    from catalog.documents import plain
    from catalog.prices import offers, token_offers
    from planner.cli.diagnostics import CommandError
    from planner.cli.output import Column, write_json, write_table
    from planner.model.fields import show_number

    if (device is None) == (api is None):
        raise CommandError("Name a DEVICE, or --api WORD.")
    book = catalogue_of(library)
    if device is not None:
        found = offers(book, device, on=on)
        if as_json:
            document = [{"seller": one.seller, "date": one.date, **plain(one.price)} for one in found]
            write_json({"device": device, "offers": document})
            return
        rows = [
            [one.seller, one.date, one.price.market, show_number(one.price.usd_h), one.price.sku, one.price.note]
            for one in found
        ]
        columns = [Column("Seller"), Column("Date"), Column("Market"), Column("$/h", "right"), Column("Sold as")]
        write_table([*columns, Column("Note", wraps=True)], rows, title=f"{device}: {len(found)} offers")
        return
    word = (api or "").casefold()
    tokens = [one for one in token_offers(book, on=on) if word in one.name.casefold()]
    if as_json:
        document = [{"name": one.name, "date": one.date, "source": one.source, **plain(one.price)} for one in tokens]
        write_json({"offers": document})
        return
    rows = [
        [one.name, one.date]
        + [
            "" if value is None else show_number(value)
            for value in (one.price.input, one.price.output, one.price.cached)
        ]
        for one in tokens
    ]
    titles = ("Input $/Mtok", "Output", "Cached")
    write_table([Column("API"), Column("Date"), *(Column(title, "right") for title in titles)], rows)


@group.command("refresh-prices")
@opens
def refresh_prices(library: "Library", yes: Yes = False, as_json: Json = False) -> None:
    """Show what newer token prices change, and keep them.

    It asks first. They come from the optional package genai-prices and are kept as a dated snapshot of your own; no
    saved scenario changes.
    """
    from catalog.book import PRICE_BOOK
    from catalog.refresh import refresh
    from planner.cli.diagnostics import confirm, say

    newer = refresh(catalogue_of(library))
    _write_refresh(newer, as_json)
    if not newer.changes:
        say("No token price has changed.")
        return
    confirm(f"Keep these prices as a snapshot of {newer.date}?", yes)
    library.put_entry(PRICE_BOOK, f"api_prices genai-prices-{newer.date}", newer.document(), why="refreshed")
    say(f"Kept {len(newer.rows)} token prices of {newer.date}; `planner price SCENARIO --api NAME` takes one.")


def _write_refresh(newer: "Refresh", as_json: bool) -> None:
    from planner.cli.output import Column, write_json, write_table
    from planner.model.display import BLANK
    from planner.model.fields import show_number

    if as_json:
        changes = [
            {
                "provider": one.provider,
                "model": one.model,
                "figure": one.figure,
                "before": one.before,
                "after": one.after,
            }
            for one in newer.changes
        ]
        write_json({"date": newer.date, "version": newer.version, "changes": changes, "missing": newer.missing})
        return
    rows = [
        [f"{one.provider}/{one.model}", one.figure]
        + [BLANK if value is None else show_number(value) for value in (one.before, one.after)]
        for one in newer.changes
    ]
    columns = [Column("API"), Column("Price"), Column("Before $/Mtok", "right"), Column("After", "right")]
    write_table(columns, rows, title=f"genai-prices {newer.version}: {len(newer.changes)} changes")
