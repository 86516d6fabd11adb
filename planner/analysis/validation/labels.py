"""From the labels of published tables to names of the catalogue and to the sheet's formats."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from catalog.book import ACCELERATOR, ENGINE, MODEL, Catalog
from catalog.schema import Kind, key
from planner.model.inputs import INPUTS

_BRACKETS = re.compile(r"\([^)]*\)")
_MEMORY = re.compile(r"-\d+gb$")
_COUNT = re.compile(r"^\d+x-")
_VENDORS = ("nvidia-", "amd-instinct-", "amd-", "intel-", "google-")
_TUNINGS = ("-nvfp4", "-fp8", "-fp4", "-mxfp4", "-bf16", "-fp16", "-int4", "-int8", "-awq", "-gptq",
            "-instruct", "-chat", "-base", "-it", "-hf", "-thinking", "-class")  # fmt: skip
_ENGINES = {"tensorrt-llm": "trtllm"}
_FORMATS = {"f16": "fp16", "f32": "fp32", "auto": "bf16", "fp4": "nvfp4", "awq-int4": "int4", "gptq-int4": "int4"}


@dataclass(slots=True)
class Labels:
    """Looks labels up in a catalogue; every answer is an id, or None where the catalogue has no such thing."""

    catalog: Catalog
    _indexes: dict[str, dict[str, str]] = field(default_factory=dict)
    _found: dict[tuple[str, str], str | None] = field(default_factory=dict)

    def accelerator(self, label: str) -> str | None:
        """The device: its vendor and memory size may be written or left out."""
        return self._find(ACCELERATOR, label, _device_names)

    def model(self, label: str) -> str | None:
        """The model: an organization before it, a format or a tuning behind it leave its architecture as it is."""
        return self._find(MODEL, label, _model_names)

    def engine(self, label: str) -> str | None:
        """The engine; what follows its name is left out."""
        return self._find(ENGINE, label, _engine_names)

    def _find(self, kind: Kind[Any], label: str, names: Callable[[str], Iterator[str]]) -> str | None:
        at = kind.name, label
        if at not in self._found:
            index = self._index(kind)
            self._found[at] = next((index[name] for name in names(label) if name in index), None)
        return self._found[at]

    def _index(self, kind: Kind[Any]) -> dict[str, str]:
        """Ids by every way of writing a name, with and without an organization; an id beats a name, a name an alias."""
        index = self._indexes.get(kind.name)
        if index is None:
            index = self._indexes[kind.name] = {}
            entries = [found.entry for found in self.catalog.all(kind)]
            for written in (
                [(entry.id, entry.id) for entry in entries],
                [(entry.name, entry.id) for entry in entries],
                [(alias, entry.id) for entry in entries for alias in entry.aliases],
            ):
                for name, entry_id in written:
                    index.setdefault(key(name), entry_id)
                    index.setdefault(key(name.rpartition("/")[2]), entry_id)
        return index


def _device_names(label: str) -> Iterator[str]:
    yield key(label)
    name = _COUNT.sub("", key(_BRACKETS.sub("", label)))
    for vendor in _VENDORS:
        name = name.removeprefix(vendor)
    yield name
    yield _MEMORY.sub("", name)


def _model_names(label: str) -> Iterator[str]:
    yield key(label)
    name = key(_BRACKETS.sub("", label.rpartition("/")[2]))
    yield name
    while True:
        shorter = next((name.removesuffix(tail) for tail in _TUNINGS if name.endswith(tail)), None)
        if shorter is None:
            return
        name = shorter
        yield name


def _engine_names(label: str) -> Iterator[str]:
    words = key(_BRACKETS.sub("", label)).split("-")
    for length in range(len(words), 0, -1):
        name = "-".join(words[:length])
        yield _ENGINES.get(name, name)


def format_word(label: str, choices: str) -> str | None:
    """The choice of the input ``choices`` (a weight or KV format) that ``label`` means; None where it is none of them.

    A remark in brackets is left out; an empty label is None.
    """
    name = key(_BRACKETS.sub("", label))
    name = _FORMATS.get(name, name)
    words = INPUTS[choices].choices
    return name if name in words else None
