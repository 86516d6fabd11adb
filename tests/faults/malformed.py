"""Malformed files by the thousand: sound ones, broken in their bytes, in their text or in their values."""

from __future__ import annotations

import copy
import io
import json
import random
import re
import shutil
import traceback
import zipfile
from pathlib import Path
from typing import Any

from catalog import load_catalog
from catalog.book import overlay_from_file
from catalog.imports import model_from_path
from exports.json_plan import read_plan
from exports.workbook.reading import read_workbook
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


_PARTS = re.compile(rb"<v>[^<]*</v>|<t(?: [^>]*)?>[^<]*</t>| r=\"[A-Z]+\d+\"| t=\"\w+\"| s=\"\d+\"|<row |</row>|<c ")
_BROKEN = [
    b"<v>1e309</v>", b"<v>NaN</v>", b"<v>-INF</v>", b"<v>-1</v>", b"<v></v>", b"<v>1</v><v>2</v>", b"<v>&x;</v>",
    b"<f>1+1</f><v>2</v>", b"<f>1+1</f>", b"<v>" + b"9" * 5000 + b"</v>", b' r="XFD1048576"', b' r="A0"', b' r="1"',
    b' t="e"', b' t="s"', b' t="b"', b' t="d"', b' t="x"', b' s="99999"', b' s="-1"', b"<t>=1+1</t>", b"<t></t>",
    b"<t>prompt_tokens</t>", b"<t>" + b"x" * 40_000 + b"</t>", b"<is>", b"</c>", b"<c r='E7' t='n'>", b"",
]  # fmt: skip
"""What stands in the place of a value, a text, a place or a kind of cell."""


def break_workbook(chance: random.Random, raw: bytes) -> bytes:
    """The workbook ``raw`` with some of its sheet, or of another part of it, broken, or with a part lost or doubled."""
    with zipfile.ZipFile(io.BytesIO(raw)) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    sheet = next(name for name in parts if name.startswith("xl/worksheets/"))
    kind = chance.random()
    if kind < 0.75:
        found = list(_PARTS.finditer(parts[sheet]))
        for one in sorted(chance.sample(found, chance.randint(1, 4)), key=lambda match: -match.start()):
            parts[sheet] = parts[sheet][: one.start()] + chance.choice(_BROKEN) + parts[sheet][one.end() :]
    elif kind < 0.9:
        name = chance.choice(sorted(parts))
        parts[name] = break_bytes(chance, parts[name])
    else:
        del parts[chance.choice(sorted(parts))]
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return made.getvalue()


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
        elif path.suffix == ".xlsx":
            said = [str(problem) for problem in read_workbook(path, load_catalog(), {}).problems]
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
            if path.suffix == ".xlsx" and chance.random() < 0.8:
                raw = break_workbook(chance, raw)
            elif path.suffix == ".json" and chance.random() < 0.7:
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
