import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from catalog import Catalog
from planner.model.fields import InputError
from planner.store import ConflictError, Library, open_library
from planner.tui.book import Book
from planner.tui.cells import describe, show_cell
from planner.tui.lines import all_lines


def test_an_edit_is_evaluated_and_saved(book: Book, database: Path, catalog: Catalog) -> None:
    before = book.result(1, "tpot_s").value
    assert book.edit([(1, "tensor_parallel", 8)]) == [1]
    after = book.result(1, "tpot_s").value
    assert after != before
    with open_library(database) as again:
        assert Book(again, catalog).result(1, "tpot_s").value == after


def test_what_is_not_changed_is_not_saved(book: Book) -> None:
    revision = book.library.last_revision()
    assert book.edit([(0, "prompt_tokens", 1000)]) == []
    assert book.library.last_revision() == revision


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [("prompt_tokens", 0, "1 to 100,000,000"), ("model", "llama-9", "nearest"), ("cached_share", 1.0, "at most 1"),
     ("memory_bandwidth", -1.0, "memory_bandwidth")],
)  # fmt: skip
def test_what_is_refused_changes_nothing(book: Book, name: str, value: float | str, said: str) -> None:
    book.edit([(0, "cache_write_share", 0.5)])
    revision, before = book.library.last_revision(), book.columns[0].stored
    with pytest.raises(InputError, match=said):
        book.edit([(0, name, value)])
    assert book.columns[0].stored == before
    assert book.library.last_revision() == revision


def test_several_columns_are_one_action(book: Book) -> None:
    book.edit([(place, "output_tokens", 500) for place in range(3)])
    assert book.undo() is not None
    assert [book.value(place, "output_tokens") for place in range(3)] == [300, 300, 300]
    assert book.redo() is not None
    assert [book.value(place, "output_tokens") for place in range(3)] == [500, 500, 500]


def test_only_changed_columns_are_evaluated_again(book: Book) -> None:
    for place in range(len(book)):
        book.look(place)
    kept = [column.evaluated for column in book.columns]
    book.edit([(2, "output_tokens", 500)])
    book.reload()
    assert [column.evaluated is old for column, old in zip(book.columns, kept, strict=True)] == [
        True, True, False, True, True,
    ]  # fmt: skip


def test_overriding_a_fact_and_taking_the_catalogues_again(book: Book) -> None:
    before = book.result(0, "tpot_s").value
    book.edit([(0, "memory_bandwidth", 6.7e12)])
    assert book.result(0, "tpot_s").value != before
    assert "memory_bandwidth" in book.in_use()
    book.edit([(0, "memory_bandwidth", None)])
    assert book.result(0, "tpot_s").value == before


def test_scenarios_are_copied_renamed_moved_and_deleted(book: Book) -> None:
    at = book.copy(1, "fp8 copy")
    assert [column.name for column in book.columns][:3] == ["base", "fp8", "fp8 copy"]
    book.rename(at, "fp8 again")
    assert book.move(at, -2) == 0
    assert [column.name for column in book.columns][:2] == ["fp8 again", "base"]
    assert book.move(0, -1) == 0
    assert book.baseline == 1
    book.set_baseline(0)
    book.delete(0)
    assert [column.name for column in book.columns][:2] == ["base", "fp8"]
    assert book.baseline == 0
    assert book.free_name("base") == "base 2"
    assert book.free_name("BASE") == "BASE 2"
    assert book.free_name("other") == "other"


def test_somebody_elses_change_to_the_same_field_is_a_conflict(book: Book, database: Path, catalog: Catalog) -> None:
    with open_library(database) as other:
        Book(other, catalog).edit([(0, "output_tokens", 111)])
    assert book.changed_by_others()
    with pytest.raises(ConflictError) as refused:
        book.edit([(0, "output_tokens", 222)])
    (conflict,) = refused.value.conflicts
    assert (conflict.mine, conflict.theirs, conflict.base) == (222, 111, 300)
    assert book.value(0, "output_tokens") == 300
    book.edit([(0, "output_tokens", 222)], force=True)
    assert book.value(0, "output_tokens") == 222
    assert not book.changed_by_others()


def test_changes_to_different_fields_merge(book: Book, database: Path, catalog: Catalog) -> None:
    with open_library(database) as other:
        Book(other, catalog).edit([(0, "output_tokens", 111)])
    book.edit([(0, "prompt_tokens", 2000)])
    assert (book.value(0, "prompt_tokens"), book.value(0, "output_tokens")) == (2000, 111)


def test_a_damaged_value_is_marked_never_computed_with_and_can_be_mended(database: Path, catalog: Catalog) -> None:
    with closing(sqlite3.connect(database)) as raw:
        raw.execute("PRAGMA ignore_check_constraints = ON")
        raw.execute("UPDATE scenario SET prompt_tokens = -5 WHERE name = 'fp8'")
        raw.commit()
    with open_library(database) as library:
        book = Book(library, catalog)
        lines = all_lines()
        shown = show_cell(book, 1, lines["prompt_tokens"])
        assert (shown.text, shown.tone, shown.mark) == ("damaged", "problem", "!")
        assert "prompt_tokens" in describe(book, 1, lines["prompt_tokens"])[1]
        assert show_cell(book, 1, lines["tpot_s"]).text == "#ERR"
        assert show_cell(book, 1, lines["prompt_tokens"], "percent").text == "damaged"
        assert isinstance(book.result(0, "tpot_s").value, float)
        with pytest.raises(InputError, match="prompt_tokens"):
            book.edit([(1, "output_tokens", 5)])
        book.edit([(1, "prompt_tokens", 500)])
        assert isinstance(book.result(1, "tpot_s").value, float)


def test_an_empty_workspace_is_a_book_without_columns(library: Library, catalog: Catalog) -> None:
    library.create_workspace("empty")
    library.use_workspace("empty")
    book = Book(library, catalog)
    assert len(book) == 0
    assert book.baseline == 0
    assert book.in_use() == set()


def test_costs_are_compared_once_every_scenario_was_looked_at_and_not_among_thousands(
    book: Book, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert not book.compared
    assert book.verdict(0).above is None
    assert book.settle(0) is False
    while not book.settle(0):
        assert not book.compared
    assert book.verdict(0).above is not None
    assert book.settle(60) is False
    monkeypatch.setattr("planner.tui.book.MOST_COMPARED", 4)
    book.columns.clear()
    book.reload()
    assert book.settle(60) is False
    assert [column.evaluated for column in book.columns] == [None] * 5
    assert book.verdict(1).answer == "served"
