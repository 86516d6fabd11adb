"""What can still be read of a damaged library is saved: rows are kept, and only what is wrong in them is left out."""

from __future__ import annotations

import contextlib
import sqlite3
from pathlib import Path

import pytest

from planner.model.inputs import INPUTS
from planner.store import Change, StoreError, open_library
from planner.store.maintenance import copy, examine, salvage
from tests.store.test_damage import DAMAGE


def damage(path: Path, *statements: str) -> None:
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA ignore_check_constraints = ON")
        for statement in statements:
            connection.execute(statement)


@pytest.fixture
def damaged(file: Path) -> Path:
    """A library in which every input of the first scenario is damaged, each in one of the ways there are."""
    open_library(file).close()
    parts = [f"{name} = {DAMAGE[field.kind][place % 3]}" for place, (name, field) in enumerate(INPUTS.items())]
    damage(file, f"UPDATE scenario SET {', '.join(parts)} WHERE id = 1")  # noqa: S608 - ours
    return file


def test_a_scenario_of_which_every_input_is_damaged_stays(damaged: Path, tmp_path: Path) -> None:
    content = damaged.read_bytes()
    target = tmp_path / "saved.db"
    report = salvage(damaged, target)
    assert damaged.read_bytes() == content
    assert report.checked["scenario"] == 5
    for field in INPUTS.values():
        assert [line for line in report.problems if f"Scenario 1 'Toy 7B': {field.label} ({field.name})" in line], field
    assert len(report.problems) == len(INPUTS)
    assert examine(target).problems == []
    with open_library(damaged) as before, open_library(target) as after:
        one, *others = after.scenarios()
        assert dict(one.scenario.values) == {name: field.default for name, field in INPUTS.items()}
        assert (one.name, one.is_baseline, one.tags) == ("Toy 7B", True, before.scenarios()[0].tags)
        assert [(other.id, other.scenario) for other in others] == [
            (other.id, other.scenario) for other in before.scenarios()[1:]
        ]
        newest, *older = after.history()
        assert [(one.id, one.description) for one in older] == [(one.id, one.description) for one in before.history()]
        assert newest.action == "salvage"
        assert set(newest.after[1]) >= {name for name, field in INPUTS.items() if field.kind == "real"}
        # What was left out is entered again, and undone.
        after.edit([Change(1, "prompt_tokens", 600)])
        undone = after.undo()
        assert undone is not None
        assert after.get(1).scenario.values["prompt_tokens"] == INPUTS["prompt_tokens"].default


def test_facts_names_tags_times_and_history(file: Path, tmp_path: Path) -> None:
    with open_library(file) as library:
        library.edit([Change(3, "peak_flops", 1e15)])
        library.edit([Change(1, "batch", 3)])
        last = library.last_revision()
        library.snapshot("kept")
        library.snapshot("spoilt")
        library.put_entry("accelerator", "card", {"id": "card"})
        library.put_entry("accelerator", "spoilt card", {"id": "spoilt card"})
    damage(
        file,
        'UPDATE scenario SET overrides = \'{"peak_flops": -1, "memory_bandwidth": 3e12, "none": 1}\' WHERE id = 1',
        "UPDATE scenario SET name = CAST(x'68ff31' AS TEXT) WHERE id = 2",
        "UPDATE scenario SET tags = 'x', overrides = '[', modified_at = 'yesterday' WHERE id = 3",
        "UPDATE scenario SET notes = CAST(x'41ff' AS TEXT) WHERE id = 4",
        "UPDATE scenario SET is_baseline = 7 WHERE id = 5",
        f"UPDATE revision_change SET after = '{{\"batch\": ' WHERE revision_id = {last}",  # noqa: S608 - ours
        "UPDATE revision SET at = 'never', who = CAST(x'ff' AS TEXT) WHERE id = 1",
        "UPDATE snapshot SET content = '[' WHERE name = 'spoilt'",
        "UPDATE catalogue_entry SET document = '{' WHERE name = 'spoilt card'",
        "UPDATE workspace SET uid = x'00'",
    )
    target = tmp_path / "saved.db"
    problems = salvage(file, target).problems
    for words in (
        "Scenario 1 'Toy 7B': Peak FLOP/s of the weights' arithmetic (peak_flops) is left out",
        "Scenario 1 'Toy 7B': the fact 'none' is left out",
        "Scenario 2 'h\ufffd1': the name cannot be read",
        "Scenario 3 'Llama 3.3 70B, 2 x H100': the tags 'x' cannot be read and is left out.",
        "Scenario 3 'Llama 3.3 70B, 2 x H100': the overrides '[' cannot be read and is left out.",
        "Scenario 3 'Llama 3.3 70B, 2 x H100': the modified_at 'yesterday' cannot be read and is left out.",
        "the is_baseline '7' cannot be read and is left out.",
        f"What revision {last} changed in scenario 1: the after",
        "Revision 1: the at 'never'",
        "Snapshot 2 'spoilt' is lost: its content cannot be read.",
        "Own catalogue entry 2 'spoilt card' is lost: its document cannot be read.",
    ):
        assert [line for line in problems if words in line], (words, problems)
    assert all(line.isprintable() and line.endswith(".") for line in problems)
    assert examine(target).problems == []
    with open_library(target) as library:
        first, second, third, fourth, _ = library.scenarios()
        assert first.scenario.overrides == {"memory_bandwidth": 3e12}
        assert second.name == "h\ufffd1"
        assert third.tags == ()
        assert fourth.scenario.notes.startswith("A")
        assert [one.is_baseline for one in library.scenarios()].count(True) == 1
        assert [one.name for one in library.snapshots()] == ["kept"]
        assert library.snapshot_scenarios("kept")[0].name == "Toy 7B"
        assert [one.name for one in library.entries()] == ["card"]
        descriptions = {one.id: one.description for one in library.history()}
        assert descriptions[last] == "'Toy 7B': what changed is not known"
        # What is not known is not put back either.
        with pytest.raises(StoreError, match="damaged"):
            library.restore(last)


def test_what_belongs_to_a_lost_workspace_is_kept_in_another(file: Path, tmp_path: Path) -> None:
    open_library(file).close()
    damage(file, "PRAGMA foreign_keys = OFF", "DELETE FROM workspace")
    target = tmp_path / "saved.db"
    report = salvage(file, target)
    assert report.problems == ["Workspace 1 is lost; what was in it is in the workspace 'Salvaged 1'."]
    with open_library(target) as library:
        assert library.workspace.name == "Salvaged 1"
        assert len(library.scenarios()) == 5
        assert len(library.history()) == 2


def test_names_that_two_rows_have(file: Path, tmp_path: Path) -> None:
    open_library(file).close()
    damage(
        file,
        "DROP INDEX ix_scenario_live_name",
        "DROP INDEX ix_scenario_baseline",
        "UPDATE scenario SET name = 'Toy 7B', name_key = 'toy 7b', is_baseline = TRUE WHERE id = 2",
    )
    target = tmp_path / "saved.db"
    problems = salvage(file, target).problems
    assert "Scenario 2 'Toy 7B': another one has that name; it is 'Toy 7B (salvaged 2)' now." in problems
    assert examine(target).problems == []


def test_what_cannot_be_saved_leaves_no_file(file: Path, tmp_path: Path) -> None:
    open_library(file).close()
    target = tmp_path / "folder" / "saved.db"
    with pytest.raises(StoreError, match="No such file") as caught:
        salvage(file, target)
    assert caught.value.exit_code == 73
    target.parent.mkdir()
    target.touch()
    with pytest.raises(StoreError, match="exists already") as caught:
        salvage(file, target)
    assert caught.value.exit_code == 73
    assert target.read_bytes() == b""
    target.unlink()
    text = tmp_path / "text.db"
    text.write_text("nothing of a database, but as long as its header is" * 9)
    with pytest.raises(StoreError, match=r"text\.db") as caught:
        salvage(text, target)
    assert caught.value.exit_code == 65
    other = tmp_path / "other.db"
    with contextlib.closing(sqlite3.connect(other)) as connection:
        connection.execute("CREATE TABLE note (id INTEGER)")
    with pytest.raises(StoreError, match="holds no table of a planner database"):
        salvage(other, target)
    with contextlib.closing(sqlite3.connect(file, isolation_level=None)) as connection:
        connection.execute("BEGIN EXCLUSIVE")
        with pytest.raises(StoreError, match="locked for 5 seconds") as caught:
            salvage(file, target)
        assert caught.value.exit_code == 75
        with pytest.raises(StoreError, match="locked for 5 seconds") as caught:
            examine(file)
        assert caught.value.exit_code == 75
    assert list(target.parent.iterdir()) == []


def test_a_damaged_page_costs_the_rows_on_it_alone(file: Path, tmp_path: Path) -> None:
    with open_library(file) as library:
        scenario = library.scenarios()[0].scenario
        library.create_many([type(scenario)(f"s{number}", scenario.values, {}, "n" * 900) for number in range(200)])
    with contextlib.closing(sqlite3.connect(file)) as connection:
        (uid,) = connection.execute("SELECT uid FROM scenario WHERE name = 's100'").fetchone()
        assert connection.execute("PRAGMA page_size").fetchone() == (4096,)
    content = bytearray(file.read_bytes())
    # The leaf of the table (the index of uids is of another kind) on which the row lies.
    (spoilt,) = (
        page
        for page in range(len(content) // 4096)
        if content[page * 4096] == 0x0D and uid.encode() in content[page * 4096 : (page + 1) * 4096]
    )
    content[spoilt * 4096 : spoilt * 4096 + 8] = b"\xff" * 8
    file.write_bytes(content)
    target = tmp_path / "saved.db"
    report = salvage(file, target)
    assert 195 <= report.checked["scenario"] < 205
    assert any("Rows of the table scenario behind number" in line for line in report.problems)
    assert examine(target).problems == []


def test_a_workspace_with_a_damaged_value_is_not_copied_and_the_value_is_named(file: Path, tmp_path: Path) -> None:
    open_library(file).close()
    damage(file, "UPDATE scenario SET prompt_tokens = -5 WHERE id = 1")
    target = tmp_path / "other.db"
    with pytest.raises(StoreError) as caught:
        copy(file, target)
    assert str(caught.value) == (
        f"Prompt tokens of 'Toy 7B' cannot be right in {file}; nothing was copied: enter it anew, or save all but what "
        f"is damaged with `planner --db {file} db doctor --salvage NEW-FILE`."
    )
    salvage(file, tmp_path / "saved.db")
    assert copy(tmp_path / "saved.db", target).scenarios == 5


def test_texts_that_no_database_takes_do_not_keep_a_workspace_from_being_copied(file: Path, tmp_path: Path) -> None:
    open_library(file).close()
    damage(
        file,
        "UPDATE revision SET who = CAST(x'61ff' AS TEXT)",
        "UPDATE scenario SET notes = 'a' || char(0) || 'b' WHERE id = 1",
    )
    copy(file, tmp_path / "other.db")
    with open_library(tmp_path / "other.db") as library:
        assert library.history()[-1].who.startswith("a")
        assert len(library.scenarios()) == 5
