"""Malformed files by the thousand: sound ones, broken in their bytes, in their text or in their values."""

from __future__ import annotations

import copy
import json
import random
import shutil
import traceback
from pathlib import Path
from typing import Any

from catalog import load_catalog
from catalog.book import overlay_from_file
from catalog.imports import model_from_path
from exports.json_plan import read_plan
from planner.analysis.evaluated import evaluate_scenario
from planner.model.fields import InputError
from planner.model.inputs import default_values
from planner.model.scenario import Scenario

LONGEST = 2000
"""Characters that a sentence may have."""
HOSTILE: list[Any] = [
    None, True, False, "", "x", "NaN", "1e309", "-1", [], {}, [[]], -1, 0, 1, 0.5, -0.0, 1e308, 1e-320, float("nan"),
    float("inf"), 10**30, -(10**30), 2**63, "9" * 5000, "\x1b]0;x\x07", "\u202e\u200b", "=1+1", "../../etc/passwd",
    {"a": {"b": [1, 2, {"c": None}]}}, ["x"] * 200, "é" * 100, [[[[[[1]]]]]], "'); DROP TABLE scenario;--",
]  # fmt: skip


def places(document: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The path to every value in ``document``."""
    found = [path] if path else []
    if isinstance(document, dict):
        for name, inner in document.items():
            found += places(inner, (*path, name))
    elif isinstance(document, list):
        for place, inner in enumerate(document[:50]):
            found += places(inner, (*path, place))
    return found


def break_values(chance: random.Random, document: Any) -> Any:
    """``document`` with one to three values replaced, removed, renamed or moved."""
    made = copy.deepcopy(document)
    for _ in range(chance.randint(1, 3)):
        known = places(made)
        if not known:
            break
        *way, last = chance.choice(known)
        holder = made
        for step in way:
            holder = holder[step]
        kind = chance.random()
        if kind < 0.7:
            holder[last] = copy.deepcopy(chance.choice(HOSTILE))
        elif kind < 0.85:
            del holder[last]
        elif isinstance(holder, dict):
            holder[chance.choice(["x", "", last * 2, "__class__", "\x00", "num_hidden_layers", "schema"])] = holder.pop(
                last
            )
        else:
            holder.append(copy.deepcopy(chance.choice(HOSTILE)))
    return made


def break_bytes(chance: random.Random, raw: bytes) -> bytes:
    """``raw`` cut off, with bits flipped, bytes put in or left out, or in another encoding."""
    kind = chance.randrange(8)
    place = chance.randrange(len(raw) + 1)
    if kind == 0:
        return raw[:place]
    if kind == 1:
        return raw[:place] + chance.randbytes(chance.randint(1, 20)) + raw[place:]
    if kind == 2:
        return raw[:place] + raw[place + chance.randint(1, 200) :]
    if kind == 3:
        changed = bytearray(raw)
        for _ in range(chance.randint(1, 8)):
            changed[chance.randrange(len(changed))] ^= 1 << chance.randrange(8)
        return bytes(changed)
    if kind == 4:
        return chance.choice([b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff", b"\x00", b"\x1b", b"PK\x03\x04"]) + raw
    if kind == 5:
        return raw.decode("utf-8", "replace").encode(chance.choice(["utf-16", "utf-32", "latin-1", "cp037"]), "replace")
    if kind == 6:
        return (
            raw[:place]
            + chance.choice([b"[" * 5000, b"{" * 200, b'"' * 99, b"9" * 6000, b"NaN", b"\n" * 9])
            + raw[place:]
        )
    return raw + raw[place:]


def take_in(path: Path) -> str:
    """Bring in ``path`` as the program would; how it ended: ``taken`` or ``refused``.

    Anything but a sentence per problem is an error of the program, which is raised.
    """
    said: list[str] = []
    try:
        if path.suffix == ".toml":
            layer = overlay_from_file(path)
            load_catalog([layer])
        elif path.name == "plan.json":
            said = [str(problem) for problem in read_plan(path).problems]
        else:
            model_from_path(path)
            evaluate_scenario(Scenario("from a file", {**default_values(), "model": str(path)}), load_catalog())
    except InputError as error:
        said = [str(error)]
    for sentence in said:
        assert sentence.endswith("."), sentence
        assert sentence.isprintable(), sentence
        assert len(sentence) <= LONGEST, sentence
    return "refused" if said else "taken"


def take_in_many(seeds: str, folder: str, outcomes: str, times: int, seed: int) -> None:
    """Break the files in ``seeds`` and take them in, ``times`` times; write down how each ended."""
    chance = random.Random(seed)  # noqa: S311 - nothing secret
    sound = sorted(path for path in Path(seeds).rglob("*") if path.is_file())
    with Path(outcomes).open("w", encoding="utf-8") as file:
        for number in range(times):
            original = chance.choice(sound)
            path = Path(folder) / original.name
            raw = original.read_bytes()
            if path.suffix == ".json" and chance.random() < 0.7:
                raw = json.dumps(break_values(chance, json.loads(raw))).encode("utf-8", "surrogatepass")
            else:
                raw = break_bytes(chance, raw)
            path.write_bytes(raw)
            file.write(f"{number} {original.name} ")
            file.flush()
            try:
                ended = take_in(path)
            except Exception as error:  # noqa: BLE001 - written down, and asserted by the test
                where = traceback.extract_tb(error.__traceback__)[-1]
                ended = f"FAULT {type(error).__name__} {str(error)[:300]!r} {where}"
                shutil.copy2(path, Path(outcomes).with_name(f"fault-{number}-{path.name}"))
            file.write(f"{ended}\n")
            file.flush()
