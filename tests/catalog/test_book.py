"""Looking entries up, and a user's own entries over the shipped ones."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import catalog
from catalog import Catalog, Overlay, load_catalog
from catalog.book import ACCELERATOR, FORMAT, INTERCONNECT, MODEL, PROFILE, kinds, overlay_from_file
from catalog.errors import BadFileError, MissingFileError, UnknownNameError
from catalog.load import shipped
from catalog.price_book import DEVICE_PRICES
from catalog.schema import Source
from planner.model.inputs import KV_FORMATS, WEIGHT_FORMATS, default_values

CATALOG = load_catalog()
DEVICE: dict[str, Any] = {
    "id": "my-device",
    "name": "My device",
    "vendor": "none",
    "bandwidth_tb_s": 1.5,
    "dense_tflops": {"bf16": 100},
    "sources": ["a data sheet"],
    "date": "2026-12-01",
}


def layer(*entries: tuple[str, dict[str, Any]], name: str = "mine") -> Overlay:
    """A layer of a user's own entries."""
    return Overlay.from_entries(entries, name)


@pytest.mark.parametrize(
    ("kind", "word", "expected"),
    [
        (ACCELERATOR, "h100-sxm-80gb", "h100-sxm-80gb"),
        (ACCELERATOR, "H100 SXM5 80GB", "h100-sxm-80gb"),
        (ACCELERATOR, "h100_sxm", "h100-sxm-80gb"),
        (ACCELERATOR, "NVIDIA B200-SXM-180GB", "b200-sxm"),
        (MODEL, "meta-llama/Llama-3.1-8B-Instruct", "llama-3.1-8b"),
        (MODEL, "LLAMA 3.1 8B", "llama-3.1-8b"),
        (MODEL, "deepseek-ai/DeepSeek-R1-0528", "deepseek-r1"),
        (MODEL, "generic/dense-70b", "generic-70b"),
        (FORMAT, "AWQ", "int4"),
        (PROFILE, "Ideal", "ideal"),
    ],
)
def test_names_and_aliases_whatever_their_case(kind: Any, word: str, expected: str) -> None:
    found = CATALOG.find(kind, word)
    assert found.entry.id == expected
    assert not found.own


@pytest.mark.parametrize(
    ("kind", "word", "nearest"),
    [(ACCELERATOR, "h100sxm80", "h100-sxm-80gb"), (MODEL, "lama-3.1-8b", "llama-3.1-8b"), (PROFILE, "fited", "fitted")],
)
def test_an_unknown_name_is_one_sentence_with_the_nearest(kind: Any, word: str, nearest: str) -> None:
    with pytest.raises(UnknownNameError) as caught:
        CATALOG.find(kind, word)
    text = str(caught.value)
    assert nearest in text
    assert f"'{word}' is not in the catalogue" in text
    assert "\n" not in text


def test_control_characters_in_a_name_are_not_passed_on() -> None:
    with pytest.raises(UnknownNameError) as caught:
        CATALOG.find(MODEL, "x\x1b]0;title\x07")
    assert str(caught.value).isprintable()


def test_what_inputs_default_to_is_there() -> None:
    values = default_values()
    assert CATALOG.has(ACCELERATOR, str(values["accelerator"]))
    assert CATALOG.has(MODEL, str(values["model"]))
    assert CATALOG.has(PROFILE, str(values["efficiency_profile"]))
    for word in WEIGHT_FORMATS[1:]:
        assert CATALOG.find(FORMAT, word).entry.weight_bits is not None
    for word in KV_FORMATS:
        assert CATALOG.find(FORMAT, word).entry.kv_bits is not None


def test_own_entry_beside_the_shipped_ones() -> None:
    book = load_catalog([layer(("accelerator", DEVICE))])
    found = book.find(ACCELERATOR, "My Device")
    assert (found.entry.bandwidth_tb_s, found.layer, found.own, found.replaces) == (1.5, "mine", True, False)
    assert book.ids(ACCELERATOR)[-1] == "my-device"
    assert len(book.all(ACCELERATOR)) == len(CATALOG.all(ACCELERATOR)) + 1


def test_own_entry_of_a_shipped_id_replaces_it_visibly() -> None:
    book = load_catalog([layer(("accelerator", {**DEVICE, "id": "h100-sxm-80gb", "name": "Our H100"}))])
    found = book.find(ACCELERATOR, "h100-sxm-80gb")
    assert (found.entry.bandwidth_tb_s, found.own, found.replaces) == (1.5, True, True)
    before = book.replaced(ACCELERATOR, "h100-sxm-80gb")
    assert before is not None
    assert before.bandwidth_tb_s == 3.35
    # What named the shipped entry names the replacement.
    assert book.find(ACCELERATOR, "H100 SXM").entry.name == "Our H100"


def test_the_top_layer_wins() -> None:
    lower = layer(("accelerator", DEVICE), name="lower")
    upper = layer(("accelerator", {**DEVICE, "bandwidth_tb_s": 2.5}), name="upper")
    assert Catalog([lower, upper]).find(ACCELERATOR, "my-device").entry.bandwidth_tb_s == 2.5
    assert Catalog([lower]).with_overlay(upper).find(ACCELERATOR, "my-device").layer == "upper"


def test_an_id_is_not_hidden_by_an_alias() -> None:
    device = {**DEVICE, "aliases": ["h200-sxm-141gb", "B200"]}
    book = load_catalog([layer(("accelerator", device))])
    assert book.find(ACCELERATOR, "h200-sxm-141gb").entry.id == "h200-sxm-141gb"
    assert book.find(ACCELERATOR, "B200").entry.id == "my-device"


# A change to an entry, and what the sentence must name.
BROKEN: list[tuple[dict[str, Any], str]] = [
    ({"bandwidth": 3}, "bandwidth is not known; nearest: bandwidth_tb_s"),
    ({"bandwidth_tb_s": "3"}, "bandwidth_tb_s = '3' is refused"),
    ({"bandwidth_tb_s": -1}, "bandwidth_tb_s = -1 is refused"),
    ({"bandwidth_tb_s": float("nan")}, "bandwidth_tb_s = nan is refused"),
    ({"bandwidth_tb_s": float("inf")}, "bandwidth_tb_s = inf is refused"),
    ({"bandwidth_tb_s": 1e9}, "bandwidth_tb_s = 1000000000.0 is refused"),
    ({"dense_tflops": {"bf17": 1}}, "dense_tflops.bf17 is not known"),
    ({"dense_tflops": 7}, "dense_tflops = 7 is refused"),
    ({"id": "My Device"}, "'My Device' is no id"),
    ({"date": "yesterday"}, "'yesterday' is no date"),
    ({"name": "a\x1b[31mb"}, "holds control characters"),
    ({"name": "x" * 2000}, "has more than 1000 characters"),
    ({"name": ""}, "name = '' is refused"),
    ({"note": [[[[[[[[[[[[[[1]]]]]]]]]]]]]]}, "nested more than 12 levels deep"),
]


@pytest.mark.parametrize(
    ("change", "words"), BROKEN, ids=[str(next(iter(change))) + str(n) for n, (change, _) in enumerate(BROKEN)]
)
def test_a_broken_entry_is_refused_by_name(change: dict[str, Any], words: str) -> None:
    with pytest.raises(BadFileError) as caught:
        layer(("accelerator", {**DEVICE, **change}))
    text = str(caught.value)
    assert words in text
    assert "mine: accelerator" in text
    assert "\n" not in text
    assert text.isprintable()


def test_a_missing_figure_is_refused_by_name() -> None:
    with pytest.raises(BadFileError, match="bandwidth_tb_s is missing"):
        layer(("accelerator", {name: value for name, value in DEVICE.items() if name != "bandwidth_tb_s"}))


def test_an_unknown_table_and_a_later_schema_are_refused() -> None:
    with pytest.raises(BadFileError, match="accelerators is not known; nearest: accelerator"):
        Overlay.from_document({"accelerators": [DEVICE]}, "file.toml")
    with pytest.raises(BadFileError, match="schema = 2 is not known"):
        Overlay.from_document({"schema": 2}, "file.toml")
    with pytest.raises(BadFileError, match="accelerator must be a table or a list of tables"):
        Overlay.from_document({"accelerator": 7}, "file.toml")
    with pytest.raises(BadFileError, match="accelerator my-device is there twice"):
        layer(("accelerator", DEVICE), ("accelerator", DEVICE))


def test_price_snapshots_are_added_never_overwritten() -> None:
    mine = {
        "id": "aws-2026-12-01",
        "name": "AWS",
        "seller": "aws",
        "date": "2026-12-01",
        "rows": [{"device": "l4", "usd_h": 0.7}],
    }
    book = load_catalog([layer(("prices", {"device_prices": [mine]}))])
    assert len(book.all(DEVICE_PRICES)) == len(CATALOG.all(DEVICE_PRICES)) + 1
    with pytest.raises(BadFileError, match="added to and never overwritten"):
        layer(("device_prices", {**mine, "id": CATALOG.ids(DEVICE_PRICES)[0]}))
    with pytest.raises(BadFileError, match="a price snapshot needs a date"):
        layer(("device_prices", {name: value for name, value in mine.items() if name != "date"}))


def test_sources_of_a_layer_come_first() -> None:
    document = {
        "accelerator": [{**DEVICE, "sources": ["sheet", "aiconfigurator", "our own word"]}],
        "source": [{"id": "sheet", "title": "Data sheet of my device", "date": "2026-12"}],
    }
    book = load_catalog([Overlay.from_document(document, "mine")])
    made = book.sources(("sheet", "aiconfigurator", "our own word"))
    assert [one.title if isinstance(one, Source) else one for one in made] == [
        "Data sheet of my device",
        "aiconfigurator, system descriptions",
        "our own word",
    ]


def test_a_file_of_entries(tmp_path: Path) -> None:
    path = tmp_path / "own.toml"
    path.write_text(
        '[[accelerator]]\nid = "my-device"\nname = "My device"\nvendor = "none"\nbandwidth_tb_s = 1.5\n'
        'dense_tflops = { bf16 = 100 }\nsources = ["a data sheet"]\n',
        encoding="utf-8",
    )
    book = load_catalog([overlay_from_file(path)])
    assert book.find(ACCELERATOR, "my-device").layer == str(path)
    path.write_text("[[accelerator]]\nid = \n", encoding="utf-8")
    with pytest.raises(BadFileError, match=r"own\.toml is not TOML.*line 2"):
        overlay_from_file(path)
    path.write_bytes(b"name = '\xff'")
    with pytest.raises(BadFileError, match="is not UTF-8"):
        overlay_from_file(path)
    path.write_bytes(b"# " + b"x" * 5_000_000)
    with pytest.raises(BadFileError, match="is larger than 4 MB"):
        overlay_from_file(path)
    with pytest.raises(MissingFileError, match="does not exist"):
        overlay_from_file(tmp_path / "nowhere.toml")
    with pytest.raises(BadFileError, match="is not a regular file"):
        overlay_from_file(tmp_path)


def test_a_date_may_be_written_with_or_without_quotes(tmp_path: Path) -> None:
    path = tmp_path / "own.toml"
    for written in ("2026-12-01", '"2026-12-01"', "2026-12-01T10:00:00Z"):
        path.write_text(
            f'[[model]]\nid = "m"\nname = "M"\nvendor = "v"\nfamily = "f"\nparameters = 7\ndate = {written}\n',
            encoding="utf-8",
        )
        (entry,) = overlay_from_file(path).entries["model"].values()
        assert entry.date == "2026-12-01"
    path.write_text("[[model]]\nid = 10:00:00\n", encoding="utf-8")
    with pytest.raises(BadFileError, match="'10:00:00' is no value of an entry"):
        overlay_from_file(path)
    path.write_text("[[model]]\nparameters = " + "9" * 5000 + "\n", encoding="utf-8")
    with pytest.raises(BadFileError, match="a number or a date that cannot be"):
        overlay_from_file(path)


_VALUES = st.recursive(
    st.one_of(
        st.none(),
        st.booleans(),
        st.integers(-5, 10**20),
        st.just(10**400),
        st.floats(),
        st.text(max_size=12),
        st.dates(),
    ),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)
_NAMES = sorted({one.name for kind in kinds().values() for one in fields(kind.cls)})


@settings(max_examples=300)
@given(
    st.sampled_from(sorted(kinds())),
    st.integers(0, 10**6),
    st.dictionaries(st.sampled_from(_NAMES) | st.text(max_size=8), _VALUES, max_size=4),
)
def test_no_change_to_an_entry_gives_more_than_one_sentence(kind: str, pick: int, change: dict[str, Any]) -> None:
    raws = shipped(kinds()[kind].document)[kind]
    raw = {**raws[pick % len(raws)], "id": "mine-1", **change}
    said = ""
    try:
        made = Overlay.from_document({kind: [raw]}, "mine")
    except BadFileError as error:
        said = str(error)
    else:
        load_catalog([made]).all(kinds()[kind])
    assert "\n" not in said
    assert said.isprintable()


def test_every_kind_has_entries_and_ids_of_their_own() -> None:
    for kind in kinds().values():
        ids = CATALOG.ids(kind)
        assert ids
        assert len(ids) == len(shipped(kind.document)[kind.name])
    assert CATALOG.find(INTERCONNECT, "ideal").entry.ideal


def test_shipped_data_load_without_pydantic_and_without_prices() -> None:
    program = (
        "import sys\n"
        "from planner.model.inputs import default_values\n"
        "from catalog.resolve import resolve\n"
        "resolve(default_values())\n"
        "heavy = {'pydantic', 'numpy', 'catalog.price_entries', 'catalog.config_json', 'catalog.check'}\n"
        "assert not heavy & set(sys.modules), heavy & set(sys.modules)\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True, timeout=60)


def test_the_version_names_the_day_and_the_content() -> None:
    day, _, digest = catalog.version().partition("+")
    assert day == shipped("formats")["collected"]
    assert len(digest) == 8
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = catalog.nothing
