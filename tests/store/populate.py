"""Makes the populated library of a schema version that migrations are proven on, and reads it back.

``python -m tests.store.populate`` writes the fixture of the present version. One is written when a version is
released, and kept.
"""

from __future__ import annotations

import contextlib
import lzma
import random
import sqlite3
import tempfile
from dataclasses import replace
from pathlib import Path

from planner.model.facts import FACT_FIELDS
from planner.model.fields import Field, FieldValue
from planner.model.inputs import INPUTS, check_values
from planner.model.scenario import Scenario
from planner.store import Change, Library, Witness, open_library
from planner.store.tables import APPLICATION_ID, SCHEMA_VERSION

KINDS = 40
"""Scenarios that differ in more than their names: few, so that the fixture stays small."""
FOLDER = Path(__file__).parent / "fixtures"
NAMES = ("n", "größe 模型 🙂", "'); DROP TABLE scenario;-- %_\\", "=1+1 [b]x[/b] @é", "x" * 200, "🙂" * 200)


def _value(field: Field, chosen: random.Random) -> FieldValue:
    if field.optional and chosen.random() < 0.5:
        return None
    if field.kind == "choice":
        return chosen.choice(field.choices)
    if field.kind == "switch":
        return chosen.random() < 0.5
    if field.kind == "shares":
        return tuple([1 / 24] * 24)
    if field.kind == "name":
        return chosen.choice(NAMES)
    low, high = field.low or 0, field.high or 1
    number = chosen.choice(
        (low, high, low + (high - low) * chosen.random(), low + min(high - low, 1) * chosen.random())
    )
    if field.kind == "integer":
        return round(number)
    return high if field.above_low and number <= low else float(number)


def _scenario(number: int, chosen: random.Random) -> Scenario:
    """A scenario at the edges of what may be stored, without values that contradict one another."""
    values = {name: _value(field, chosen) for name, field in INPUTS.items()}
    values.update(
        output_tokens=300,
        cached_share=0.0,
        replicas_fixed=None,
        peak_factor=1000.0,
        hours_per_day=2.5,
        device_idle_power_w=None,
    )
    facts = {
        name: float(value)
        for name in chosen.sample(sorted(FACT_FIELDS), chosen.choice((0, 0, 1, 5)))
        if isinstance(value := _value(FACT_FIELDS[name], chosen), (int, float))
    }
    name = f"{number} {chosen.choice(NAMES)}"[:110] + "n"
    return Scenario(name, check_values(values), facts, chosen.choice(NAMES)[: chosen.choice((2, 200))])


def populate(library: Library, scenarios: int = 1000) -> None:
    """Fill ``library`` with ``scenarios`` and some of everything else."""
    chosen = random.Random(1)  # noqa: S311 - the same each time
    library.create_workspace("Größer 模型")
    library.use_workspace("Größer 模型")
    kinds = [_scenario(number, chosen) for number in range(KINDS)]
    made = library.create_many(
        [
            replace(kinds[number % KINDS], name=f"{number} {kinds[number % KINDS].name}"[:120])
            for number in range(scenarios)
        ]
    )
    for one in made[:20]:
        library.edit([Change(one.id, "max_batch", 7), Change(one.id, "peak_flops", 1e15)], why="because 🙂")
    library.tag(made[0].id, *(f"tag {number}" for number in range(32)))
    library.set_notes(made[1].id, "x" * 20_000)
    library.set_fleet(made[2].id, True)
    library.set_baseline(made[3].id)
    library.reorder([made[9].id, made[8].id])
    library.delete(made[4].id, made[5].id)
    library.undo()
    library.redo()
    library.undelete(made[5].id)
    library.copy(made[6].id, "copy")
    library.snapshot("sent to finance", notes="first\nsecond")
    library.put_entry("accelerator", "mine", {"memory_gib": 80, "names": ["ä", None]})
    seen: dict[str, float | str | bool | None] = {"ttft_s": 0.25, "bound_by": "memory", "fits": True, "devices": None}
    library.note_seen([Witness(one.id, one.version, "2026-01-01+0", "1", seen) for one in library.scenarios()[:20]])
    library.create_workspace("deleted")
    library.delete_workspace("deleted")


def fixture_of(version: int) -> Path:
    """Where the fixture of a schema version is kept."""
    return FOLDER / f"schema-{version}.sql.xz"


def versions() -> list[int]:
    """The schema versions that there are fixtures of."""
    return sorted(
        int(path.name.removeprefix("schema-").removesuffix(".sql.xz")) for path in FOLDER.glob("schema-*.sql.xz")
    )


def unpack(version: int, path: Path) -> None:
    """Make the library file ``path`` from the fixture of a schema version."""
    script = lzma.decompress(fixture_of(version).read_bytes()).decode()
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.executescript(script)
        connection.execute(f"PRAGMA user_version = {version}")
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")


def main() -> None:
    """Write the fixture of the present schema version."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "plan.db"
        with open_library(path) as library:
            library.database.who = "somebody"
            populate(library)
        with contextlib.closing(sqlite3.connect(path)) as connection:
            script = "\n".join(connection.iterdump())
    FOLDER.mkdir(exist_ok=True)
    fixture_of(SCHEMA_VERSION).write_bytes(lzma.compress(script.encode(), preset=9 | lzma.PRESET_EXTREME))


if __name__ == "__main__":
    main()
