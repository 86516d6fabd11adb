"""S16: names that look alike, are invisible or without end."""

from __future__ import annotations

import unicodedata
from pathlib import Path

import pytest

from planner.model.fields import InputError
from planner.model.inputs import default_values
from planner.model.scenario import Scenario
from planner.store import StoreError, open_library
from planner.store.names import MAX_NAME, name_key
from tests.faults.support import planner


@pytest.mark.parametrize(
    "name",
    [
        "toy 7b",
        "TOY 7B",
        "Toy 7B ",
        "\u200bToy 7B\u200b",
        "\u00a0Toy 7B",
        "\ufeffToy 7B",
        "Toy 7B\u2060",
        "\u3000Toy 7B",
    ],
)
def test_s16_a_name_that_counts_as_the_same_is_taken(database: Path, name: str) -> None:
    ended = planner("new", name, "--db", database)
    assert ended.code == 65, ended.err
    assert "already a scenario 'Toy 7B'" in ended.err


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("é", "e\u0301"),
        ("Straße", "STRASSE"),
        ("\u1e9e", "ss"),
        ("K", "\u212a"),
        ("Å", "\u212b"),
        ("ﬁ", "fi"),
        ("ς", "Σ"),
    ],
)
def test_s16_forms_of_one_name(database: Path, first: str, second: str) -> None:
    with open_library(database) as library:
        library.create(Scenario(first, default_values()))
        with pytest.raises(StoreError, match="already a scenario"):
            library.create(Scenario(second, default_values()))
        assert library.find(second).name == unicodedata.normalize("NFC", first)


@pytest.mark.parametrize("name", ["", " ", "\u200b", "\u00a0\u2003", "\ufeff", "\u2060\u200d", "\t", "\n"])
def test_s16_a_name_of_nothing_is_refused(database: Path, name: str) -> None:
    with open_library(database) as library, pytest.raises(InputError, match=r"must not be empty|control"):
        library.create(Scenario(name, default_values()))
    assert planner("new", name, "--db", database).code == 2


@pytest.mark.parametrize(
    "name", ["a\u200bb", "a\u202eb", "a\u2066b", "a\ufe0fb\u00ad", "a\u0000b", "a\ud800b", "a\U000e0041b"]
)
def test_s16_what_is_invisible_within_is_refused(database: Path, name: str) -> None:
    with open_library(database) as library:
        try:
            stored = library.create(Scenario(name, default_values()))
        except (InputError, StoreError) as error:
            assert str(error).isprintable()  # noqa: PT017 - a variation selector is part of an emoji and may stay
        else:
            assert stored.name.isprintable()


def test_s16_names_have_an_end(database: Path) -> None:
    assert 100 <= MAX_NAME <= 200
    with open_library(database) as library:
        for character in ("x", "é", "漢", "🙂", "o\u0308"):
            stored = library.create(Scenario(character * MAX_NAME, default_values()))
            assert library.find(stored.name).id == stored.id
            with pytest.raises(InputError, match="characters"):
                library.create(Scenario(character * (MAX_NAME + 1), default_values()))
        with pytest.raises(InputError, match="characters"):
            library.create(Scenario("a" + "\u0301" * 100_000, default_values()))


def test_s16_the_key_is_stable() -> None:
    for text in ("Toy 7B", "ÅNGSTRÖM", "ﬁ", "İstanbul", "\u1e9e"):
        key = name_key(unicodedata.normalize("NFC", text))
        assert name_key(key) == key
