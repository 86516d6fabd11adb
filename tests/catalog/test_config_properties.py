"""Whatever a configuration holds, the reader gives an architecture or one sentence, never a crash."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from catalog.architecture import Architecture
from catalog.config_json import READERS, Reading, interpret
from catalog.config_json.document import parse
from catalog.errors import ConfigError
from tests.catalog.test_config_shapes import CONFIGS

_FILES = sorted(path for path in CONFIGS.iterdir() if path.is_file())
_DOCUMENTS: list[dict[str, Any]] = [json.loads(path.read_text(encoding="utf-8")) for path in _FILES]
_KEYS = sorted({key for document in _DOCUMENTS for key in document} | {"text_config", "rope_scaling", "d_model"})

numbers = st.one_of(
    st.integers(-3, 20),
    st.sampled_from([64, 128, 4096, 10**6, 10**9, 10**18, 10**400]),
    st.floats(allow_nan=True, allow_infinity=True),
)
values = st.recursive(
    st.one_of(st.none(), st.booleans(), numbers, st.text(max_size=30), st.sampled_from(sorted(READERS))),
    lambda inner: st.one_of(
        st.lists(inner, max_size=6), st.dictionaries(st.sampled_from(_KEYS) | st.text(max_size=8), inner, max_size=6)
    ),
    max_leaves=12,
)


def outcome(document: dict[str, Any]) -> Reading | str:
    """A reading, or the sentence of the refusal; anything else fails the test."""
    try:
        found = interpret(document, "config.json")
    except ConfigError as error:
        text = str(error)
        assert text.startswith("config.json")
        assert "\n" not in text
        assert len(text) < 600
        assert text.isprintable()
        return text
    check(found.architecture)
    return found


def check(made: Architecture) -> None:
    """What holds for every architecture."""
    assert made.layers == sum(made.layer_counts().values())
    assert 0 < made.active_parameters <= made.parameters
    groups = made.attention_parameters + made.dense_parameters + made.expert_parameters
    assert groups + made.embedding_parameters + made.embedding_extra + made.head_parameters == made.parameters
    assert made.state_bytes >= 0


def places(document: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Paths of all values in a document."""
    found: list[tuple[Any, ...]] = []
    items = (
        document.items() if isinstance(document, dict) else enumerate(document) if isinstance(document, list) else ()
    )
    for key, value in items:
        found.append((*path, key))
        found += places(value, (*path, key))
    return found


@st.composite
def mutated(draw: st.DrawFn) -> dict[str, Any]:
    """A known shape with a few values replaced, taken away or added anywhere in it."""
    document: dict[str, Any] = json.loads(json.dumps(draw(st.sampled_from(_DOCUMENTS))))
    for _ in range(draw(st.integers(1, 4))):
        where = places(document)
        if not where:
            break
        *parents, last = draw(st.sampled_from(where))
        inner: Any = document
        for step in parents:
            inner = inner[step]
        action = draw(st.sampled_from(["replace", "replace", "drop", "add"]))
        if action == "drop":
            del inner[last]
        elif action == "add" and isinstance(inner, dict):
            inner[draw(st.sampled_from(_KEYS))] = draw(values)
        else:
            inner[last] = draw(values)
    return document


@settings(max_examples=400)
@given(mutated())
def test_mutated_configurations_never_crash(document: dict[str, Any]) -> None:
    outcome(document)


@settings(max_examples=200)
@given(st.sampled_from(sorted(READERS)), st.dictionaries(st.sampled_from(_KEYS), values, max_size=25))
def test_invented_configurations_never_crash(model_type: str, document: dict[str, Any]) -> None:
    outcome({**document, "model_type": model_type})


@settings(max_examples=300)
@given(st.binary(max_size=200) | st.text(max_size=200).map(str.encode))
def test_any_bytes_give_an_object_or_one_sentence(raw: bytes) -> None:
    try:
        said = ""
        found: object = parse(raw, "config.json")
    except ConfigError as error:
        said = str(error)
        found = {}
    assert isinstance(found, dict)
    assert "\n" not in said
    assert not said or said.startswith("config.json")


@given(st.sampled_from(_FILES))
def test_the_order_of_keys_changes_nothing(path: Path) -> None:
    document: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    backwards = dict(reversed(list(document.items())))
    assert outcome(backwards) == outcome(document)
