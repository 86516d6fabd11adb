"""Keys at random, on a real library: the book on the screen and the file never part."""

import random
from pathlib import Path

import pytest

from catalog import Catalog
from planner.store import open_library
from planner.tui.actions import KEYS
from planner.tui.book import Book
from planner.tui.desk import Desk
from tests.tui.conftest import RecordingHost

TYPED = "0123456789.,-ekM%ahx /?:日"
OFTEN = ["f2", "enter", "escape", "tab", "backspace", "up", "down", "left", "right"] * 4


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_the_book_and_the_file_stay_alike(
    desk: Desk, host: RecordingHost, database: Path, catalog: Catalog, seed: int
) -> None:
    chance = random.Random(seed)  # noqa: S311 - a seeded test
    keys = [key for key in KEYS if key != "ctrl+delete"] + OFTEN
    for _ in range(700):
        if chance.random() < 0.5:
            character = chance.choice(TYPED)
            desk.press(character, character)
        else:
            desk.press(chance.choice(keys))
        if chance.random() < 0.01:
            desk.paste("\t".join(str(chance.randint(0, 9999)) for _ in range(3)))
        assert desk.cursor.row < len(desk.items)
        assert 0 <= desk.column < max(1, len(desk.book))
    with open_library(database) as again:
        again.use_workspace(desk.book.workspace)
        fresh = Book(again, catalog)
    assert [column.stored for column in fresh.columns] == [column.stored for column in desk.book.columns]
    for place in range(min(4, len(fresh))):
        assert fresh.look(place).problem == desk.book.look(place).problem
        for name in ("ttft_s", "devices", "api_cost_per_month"):
            assert fresh.result(place, name) == desk.book.result(place, name)
