"""Reading a model's JSON files safely: bounded size and depth, no special file, no code, no surprise."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

from catalog.errors import ConfigError, MissingFileError
from catalog.files import is_folder, read_bytes, shown
from planner.model.fields import printable

MAX_DEPTH = 32
CONFIG = "config.json"
QUANTISATION_FILES = ("hf_quant_config.json", "quantize_config.json", "quant_config.json", "quantization_config.json")
"""Files beside config.json that say how the weights are stored (ModelOpt, AutoGPTQ, AutoAWQ)."""

Document = dict[str, Any]


def read_folder(path: Path) -> tuple[Document, dict[str, Document]]:
    """The config of a model folder or file, and the quantisation files beside it by name.

    Raises MissingFileError when there is none and ConfigError when one cannot be used.
    """
    if is_folder(path, ConfigError):
        folder, config = path, path / CONFIG
        if not config.exists():
            raise MissingFileError(f"{shown(path)} is a folder without a {CONFIG}.")
    else:
        folder, config = path.parent, path
    beside = {}
    if config.name == CONFIG:
        beside = {name: read_json(folder / name) for name in QUANTISATION_FILES if (folder / name).exists()}
    return read_json(config), beside


def read_json(path: Path) -> Document:
    """The JSON object in a regular file of at most 4 MB.

    Numbers that are not finite stay in the document, because real files hold some in keys that nothing here reads;
    ``Keys`` refuses them where they are read. Raises MissingFileError and ConfigError.
    """
    return parse(read_bytes(path, ConfigError), shown(path))


def parse(raw: bytes, where: str) -> Document:
    """The JSON object in ``raw``; raises ConfigError naming ``where``."""
    if not raw.strip():
        raise ConfigError(f"{where} is empty.")
    try:
        text = raw.decode("utf-8-sig")
        document = json.loads(text, object_pairs_hook=_object)
    except UnicodeDecodeError as error:
        raise ConfigError(f"{where} is not UTF-8 text (byte {error.start}).") from None
    except json.JSONDecodeError as error:
        raise ConfigError(f"{where} is not JSON: {error.msg.lower()} in line {error.lineno}.") from None
    except RecursionError:
        raise ConfigError(f"{where} is nested more than {MAX_DEPTH} levels deep.") from None
    except _TwiceError as error:
        raise ConfigError(f"{where} is not usable: {error}.") from None
    except ValueError:
        # Python refuses to read a whole number of thousands of digits, in words about itself.
        raise ConfigError(f"{where} is not usable: it holds a whole number of more than 4,000 digits.") from None
    if not isinstance(document, dict):
        raise ConfigError(f"{where} must hold a JSON object, not {_kind(document)}.")
    if _too_deep(document):
        raise ConfigError(f"{where} is nested more than {MAX_DEPTH} levels deep.")
    return document


class _TwiceError(ValueError):
    """An object names one key twice."""


def _object(pairs: list[tuple[str, Any]]) -> Document:
    made = dict(pairs)
    if len(made) < len(pairs):
        seen: set[str] = set()
        twice = next(name for name, _ in pairs if name in seen or seen.add(name))  # type: ignore[func-returns-value]
        raise _TwiceError(f"it names {printable(twice)[:60]!r} twice")
    return made


def _too_deep(document: Document) -> bool:
    level: list[Any] = [document]
    for _ in range(MAX_DEPTH):
        level = [
            inner
            for value in level
            for inner in (value.values() if isinstance(value, dict) else value)
            if isinstance(inner, (dict, list))
        ]
        if not level:
            return False
    return True


def _kind(value: object) -> str:
    if isinstance(value, list):
        return "a list"
    if isinstance(value, str):
        return "a text"
    if isinstance(value, float) and not math.isfinite(value):
        return "a number that is not finite"
    return "null" if value is None else "a number" if not isinstance(value, bool) else "true or false"
