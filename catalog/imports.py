"""Making a catalogue entry of a model from its config.json or its folder."""

from __future__ import annotations

import re
from pathlib import Path

from catalog.config_json import Reading, read
from catalog.config_json.document import CONFIG
from catalog.entries import Model
from catalog.files import shown
from catalog.schema import MAX_TEXT
from planner.model.fields import printable


def model_from_path(path: Path) -> Model:
    """The model that a config.json, or the folder it lies in, describes, named after the folder or the file.

    Raises MissingFileError and ConfigError.
    """
    reading = read(path)
    full = path.resolve()
    name = full.parent.name if full.name == CONFIG else full.stem if full.is_file() else full.name
    return model_from_reading(reading, name or "model", shown(path))


def model_from_reading(reading: Reading, name: str, where: str) -> Model:
    """A catalogue entry from what a configuration said; ``where`` is named as its source."""
    made = reading.architecture
    label = printable(name)[:80] or "model"
    doubts = {}
    if reading.assumed:
        doubts["blocks"] = ("assumed: " + "; ".join(reading.assumed))[:MAX_TEXT]
    return Model(
        id=slug(label),
        name=label,
        vendor="—",
        family=made.model_type,
        model_type=made.model_type,
        hidden=made.hidden,
        vocabulary=made.vocabulary,
        tied=made.tied,
        context=made.context,
        stored=reading.stored,
        blocks=made.blocks,
        final_norm=made.final_norm,
        embedding_extra=made.embedding_extra,
        head_extra=made.head_extra,
        prediction_layers=reading.prediction_layers,
        sources=(where,),
        doubts=doubts,
    )


def slug(name: str) -> str:
    """``name`` as an id of the catalogue."""
    plain = re.sub(r"[^a-z0-9.]+", "-", name.lower()).strip("-.")
    plain = re.sub(r"\.+", ".", re.sub(r"[.-]*-[.-]*", "-", plain))
    return plain[:80].strip("-.") or "model"
