"""F14: bits of the file flip; the program never ends in a fault, and no number out of its bounds is used unsaid.

SQLite's own check does not see every flipped bit: a digit that is still within its bounds looks like any other. How
many of them stay unseen is counted and printed; the doctor and a backup are what helps.
"""

from __future__ import annotations

import contextlib
import os
import traceback
from collections import Counter
from pathlib import Path

from catalog import load_catalog
from planner.analysis.evaluated import evaluate_scenario
from planner.model.fields import InputError
from planner.store import Change, Library, Stored, StoreError, maintenance, open_library
from tests.faults.support import Child, dice, lines_of, long_run

PAGE = 4096


def look(library: Library) -> list[Stored]:
    """Read and compute everything that the screen would."""
    stored = library.scenarios()
    catalog = load_catalog()
    for one in stored:
        # A damaged value, or one that is sound for its field but names what is not there.
        with contextlib.suppress(InputError):
            evaluate_scenario(one.scenario, catalog)
    for revision in library.history():
        assert revision.description.isprintable()
    library.snapshots()
    library.entries()
    return stored


def outcome(path: Path, original: list[Stored]) -> str:
    """What became of one flip: refused, flagged, changed or unseen; and whether the doctor finds something."""
    found = _outcome(path, original)
    try:
        sound = maintenance.examine(path).sound
    except StoreError as error:
        sound = False
        if error.exit_code != 65:
            return f"FAULT {error.exit_code} {error}"
    except Exception as error:  # noqa: BLE001 - as above
        return _fault(error)
    if sound:
        return f"{found}, not found by the doctor"
    saved = path.with_name("saved.db")
    saved.unlink(missing_ok=True)
    try:
        report = maintenance.salvage(path, saved)
        with open_library(saved, create=False) as library:
            look(library)
    except StoreError as error:
        return f"{found}, found by the doctor" if error.exit_code == 65 else f"FAULT {error.exit_code} {error}"
    except Exception as error:  # noqa: BLE001 - the same
        return _fault(error)
    kept = "all" if report.checked["scenario"] == len(original) else f"{report.checked['scenario']}"
    return f"{found}, found by the doctor, {kept} scenarios salvaged"


def _fault(error: Exception) -> str:
    where = traceback.extract_tb(error.__traceback__)[-1]
    return f"FAULT {type(error).__name__} {error} {where}".replace("\n", " ")


def _outcome(path: Path, original: list[Stored]) -> str:
    try:
        with open_library(path, create=False) as library:
            stored = look(library)
            if any(one.damaged for one in stored):
                return "flagged"
            if [one.scenario for one in stored] != [one.scenario for one in original]:
                return "changed within its bounds"
            library.edit([Change(stored[0].id, "prompt_tokens", 4001)])
            return "no scenario touched"
    except (StoreError, InputError) as error:
        sentence, code = str(error), getattr(error, "exit_code", 65)
    except Exception as error:  # noqa: BLE001 - written down, and asserted by the test
        return _fault(error)
    if code not in (65, 66) or "\n" in sentence or not sentence.endswith("."):
        return f"FAULT {code} {sentence!r}"
    return f"refused with {code}"


def flip_all(database: str, outcomes: str, times: int) -> None:
    """Flip one bit of a copy, ``times`` times, and write down what became of each."""
    chance = dice("bits")
    content = Path(database).read_bytes()
    path = Path(outcomes).with_name("flipped.db")
    with open_library(database, create=False) as library:
        original = library.scenarios()
    handle = os.open(outcomes, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    for number in range(times):
        # A tenth each of the header and the schema, the rest anywhere.
        limit = 100 if number % 10 == 0 else PAGE if number % 10 == 1 else len(content)
        place, bit = chance.randrange(limit), chance.randrange(8)
        path.write_bytes(content[:place] + bytes([content[place] ^ 1 << bit]) + content[place + 1 :])
        os.write(handle, f"{place} {bit} ".encode())
        os.write(handle, f"{outcome(path, original)}\n".encode())


@long_run("times", 1000)
def test_f14_no_fault_and_no_number_out_of_bounds(database: Path, tmp_path: Path, times: int) -> None:
    # Without a backup of the day, whose check would be the first to see the damage.
    outcomes = tmp_path / "flips" / "outcomes"
    outcomes.parent.mkdir()
    ended = Child(tmp_path, flip_all, str(database), str(outcomes), times).wait(1200)
    lines = lines_of(outcomes)
    assert (ended.code, ended.err) == (0, ""), f"after {lines[-1:]}: {ended.err}"
    assert len(lines) == times
    counted = Counter(line.split(" ", 2)[2] for line in lines)
    print(f"{times} flips: {dict(counted.most_common())}")
    assert [line for line in lines if "FAULT" in line] == []
    assert sum(number for what, number in counted.items() if what.startswith("refused with 65")) > 0
    # What is wrong within its bounds contradicts the history.
    assert not [what for what in counted if what.startswith("changed") and "not found" in what]
