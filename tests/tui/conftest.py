"""A real library with five scenarios, a desk over it, and the screen."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path

import pytest

from catalog import Catalog, load_catalog
from planner.model.fields import FieldValue
from planner.model.inputs import default_values
from planner.model.scenario import Scenario
from planner.store import Library, open_library
from planner.tui.book import Book
from planner.tui.desk import Desk
from planner.tui.exporting import Job

NOON = datetime(2026, 1, 2, 12, 4, 31, tzinfo=UTC)

NAMED = {"/": "slash", ":": "colon", "?": "question_mark"}

BASE: dict[str, FieldValue] = {
    "model": "llama-3.3-70b",
    "tensor_parallel": 4,
    "device_price_per_hour": 2.5,
    "input_price_per_million": 0.6,
    "output_price_ratio": 4.0,
}
SCENARIOS: dict[str, dict[str, FieldValue]] = {
    "base": {},
    "fp8": {"weight_format": "fp8"},
    "H200": {"accelerator": "h200-sxm-141gb"},
    "too small": {"tensor_parallel": 1},
    "日本語 の名": {"prompt_tokens": 8000},
}


def scenario(name: str, **changes: FieldValue) -> Scenario:
    return Scenario(name, {**default_values(), **BASE, **changes})


class RecordingHost:
    """A program around the desk that writes down what it is asked for."""

    def __init__(self) -> None:
        self.left = False
        self.copied = ""
        self.theme_name = "nord"
        self.exports: list[tuple[Path, list[str], int, bool]] = []
        self.redrawn = 0

    def leave(self) -> None:
        self.left = True

    def copy(self, text: str) -> None:
        self.copied = text

    def themes(self) -> Sequence[str]:
        return ["gruvbox", "nord", "textual-light"]

    def use_theme(self, name: str) -> None:
        self.theme_name = name

    def export(self, job: Job) -> None:
        self.exports.append((job.path, [one.scenario.name for one in job.scenarios], job.baseline, job.replace))

    def stop_export(self) -> bool:
        return False

    def redraw(self) -> None:
        self.redrawn += 1


@pytest.fixture(scope="session")
def catalog() -> Catalog:
    return load_catalog()


@pytest.fixture(scope="session")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A library file with the five scenarios in a workspace of its own."""
    path = tmp_path_factory.mktemp("template") / "plan.db"
    with open_library(path) as made:
        made.create_workspace("tests")
        made.use_workspace("tests")
        stored = made.create_many([scenario(name, **changes) for name, changes in SCENARIOS.items()])
        made.set_baseline(stored[0].id)
    return path


@pytest.fixture
def database(template: Path, tmp_path: Path) -> Path:
    """A copy of the library's file."""
    return Path(shutil.copy(template, tmp_path / "plan.db"))


@pytest.fixture
def library(database: Path) -> Iterator[Library]:
    with open_library(database) as opened:
        yield opened


@pytest.fixture
def book(library: Library, catalog: Catalog) -> Book:
    return Book(library, catalog)


@pytest.fixture
def host() -> RecordingHost:
    return RecordingHost()


@pytest.fixture
def desk(book: Book, host: RecordingHost) -> Desk:
    return Desk(book, host, clock=lambda: NOON)


@pytest.fixture
def keys(desk: Desk) -> Callable[..., None]:
    """Presses keys on the desk: ``keys("f2", "=400", "enter")``; what begins with = is typed."""

    def press(*names: str) -> None:
        for name in names:
            if name.startswith("=") and len(name) > 1:
                for character in name[1:]:
                    desk.press(character, character)
            else:
                desk.press(NAMED.get(name, name), name if len(name) == 1 else None)

    return press
