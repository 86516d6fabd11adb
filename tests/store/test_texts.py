"""Names, notes, tags, and addresses without passwords."""

from __future__ import annotations

import subprocess
import sys
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.model.fields import InputError, printable
from planner.store import StoreError
from planner.store.location import locate
from planner.store.names import MAX_NAME, clean_name, clean_tags, clean_text, name_key, shown_text
from planner.store.redaction import redact

CANARY = "c4n4ry"


@given(st.text(max_size=200))
def test_a_name_is_refused_or_clean(text: str) -> None:
    try:
        name = clean_name(text)
    except InputError:
        return
    assert name == clean_name(name)
    assert 0 < len(name) <= MAX_NAME
    assert printable(name) == name == unicodedata.normalize("NFC", name)
    assert name == name.strip()


@given(st.text(max_size=50))
def test_keys_do_not_depend_on_case_or_composition(text: str) -> None:
    assert name_key(text) == name_key(unicodedata.normalize("NFC", text.casefold()))
    assert name_key(name_key(text)) == name_key(text)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("  a  b ", "a  b"),
        ("\u200b\ufeffa\u00a0", "a"),
        ("e\u0301", "é"),
        ("Ａ", "Ａ"),
    ],
)
def test_edges_and_composition(text: str, name: str) -> None:
    assert clean_name(text) == name


@given(st.text(max_size=200))
def test_shown_text_is_printable(text: str) -> None:
    assert printable(shown_text(text).replace("\n", "").replace("\t", "")) == shown_text(text).replace(
        "\n", ""
    ).replace("\t", "")


def test_notes_keep_lines_and_tabs() -> None:
    assert clean_text("a\r\nb\tc\rd", "notes") == "a\nb\tc\nd"
    with pytest.raises(InputError, match="control"):
        clean_text("a\x1b[2J", "notes")
    with pytest.raises(InputError, match="20,001 characters"):
        clean_text("x" * 20_001, "notes")


def test_tags_are_sorted_and_single() -> None:
    assert clean_tags(["b", "A", "B ", "ß", "SS"]) == ("A", "b", "ß")
    with pytest.raises(InputError, match="32 tags, not 33"):
        clean_tags(str(number) for number in range(33))


@pytest.mark.parametrize(
    "text",
    [
        f"postgresql://user:{CANARY}@host/db",
        f"postgresql://user:{CANARY}@x@host:5432/db?a=b",
        f"postgresql+psycopg://:{CANARY}@host/db",
        f"cannot open 'postgres://u:{CANARY}/%40@host/db': no route",
        f"postgresql://host/db?user=u&password={CANARY}&x=1",
        f"postgresql://host/db?sslpassword={CANARY}",
        f'connection failed: host=h password="{CANARY}" port=1',
        f"dsn password = '{CANARY} {CANARY}' x",
        f"PGPASSWORD={CANARY} planner",
        f"postgresql://us@er:{CANARY}@host/db",
        f"two: postgresql://a:{CANARY}@h/d and postgresql://b:{CANARY}@h/d",
    ],
)
def test_no_password_is_shown(text: str) -> None:
    assert CANARY not in redact(text)
    assert CANARY not in str(StoreError(text))


@pytest.mark.parametrize(
    "text", ["plan.db", "postgresql://user@host/db", "a@b.example is 5:3 at https://x/y", "", "::@"]
)
def test_other_text_stays(text: str) -> None:
    assert redact(text) == text


def test_a_missing_driver_is_named() -> None:
    code = (
        "import sys; sys.modules['psycopg'] = None\n"
        "from planner.store import StoreError, open_library\n"
        "try: open_library('postgresql://u:c4n4ry@h/d')\n"
        "except StoreError as error: print(error.exit_code, error)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("69 postgresql://u:***@h/d needs the PostgreSQL driver")


@pytest.mark.parametrize("password", ["two words", "a/b@c d", "x:y z", "quo'te", 'quo"te'])
def test_an_address_that_is_refused_shows_no_password(password: str) -> None:
    with pytest.raises(StoreError) as caught:
        locate(f"nosuchbase://user:{CANARY}{password}{CANARY}@host/db")
    assert CANARY not in str(caught.value)
