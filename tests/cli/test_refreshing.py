"""planner catalog refresh-prices with the real package genai-prices, and what is said without it."""

import sys
from collections.abc import Callable
from typing import Any

import pytest

from tests.cli.conftest import Ran

Run = Callable[..., Ran]
pytestmark = pytest.mark.usefixtures("database")


@pytest.fixture
def listed() -> None:
    pytest.importorskip("genai_prices.data", reason="the optional package genai-prices is not installed")


def state(run: Run) -> tuple[Any, ...]:
    """All that a refresh may not change."""
    return run("history", "--json").json, run("list", "--json").json, run("compare", "--json").json["rows"]


def own(run: Run) -> list[str]:
    return [one["id"] for one in run("catalog", "list", "--own", "--json").json["entries"]]


@pytest.mark.usefixtures("listed")
def test_a_refresh_shows_first_and_keeps_a_snapshot_when_told(run: Run) -> None:
    before = state(run)
    dry = run("catalog", "refresh-prices", "--json", code=None)
    found = dry.json
    assert len(found["missing"]) < 20
    for one in found["changes"]:
        assert one["before"] != one["after"]
    if not found["changes"]:
        assert dry.code == 0
        assert "No token price has changed" in dry.err
        return
    assert dry.code == 2
    assert "--yes" in dry.err
    assert "Before $/Mtok" in run("catalog", "refresh-prices", code=2).out
    assert own(run) == []
    assert state(run) == before

    assert "Kept" in run("catalog", "refresh-prices", "--yes").err
    assert own(run) == [f"genai-prices-{found['date']}"]
    assert state(run) == before
    changed = found["changes"][0]
    name = f"{changed['provider']}/{changed['model']}"
    newest = run("catalog", "prices", "--api", name, "--json").json["offers"][0]
    assert newest["date"] == found["date"]
    assert newest.get(changed["figure"]) == changed["after"]
    assert "No token price has changed" in run("catalog", "refresh-prices").err
    run("price", "Toy 7B", "--api", name)
    assert found["date"] in run("history", "Toy 7B", "--limit", "1", "--json").json["revisions"][0]["why"]


def test_without_the_package_one_sentence_says_what_to_install(
    refuse: Callable[..., str], run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = state(run)
    monkeypatch.setitem(sys.modules, "genai_prices", None)
    monkeypatch.setitem(sys.modules, "genai_prices.data", None)
    assert "extra 'prices'" in refuse("catalog", "refresh-prices", "--yes")
    assert state(run) == before
