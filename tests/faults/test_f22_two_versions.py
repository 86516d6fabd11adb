"""F22: an old and a new version of the program work on one file at the same time."""

from __future__ import annotations

from pathlib import Path

from tests.faults import children
from tests.faults.newer import Newer
from tests.faults.support import Child, assert_sound, first_tokens, lines_of, query, says, untouched, wait_for_lines


def test_f22_no_migration_while_another_program_has_written(database: Path, tmp_path: Path, newer: Newer) -> None:
    acknowledgements, requests = tmp_path / "acks", tmp_path / "requests"
    with Child(tmp_path, children.edit_on_request, str(database), str(acknowledgements), str(requests)) as old:
        requests.write_text("4001\n")
        wait_for_lines(acknowledgements, 2, old)
        with untouched(database):
            ended = newer("db", "upgrade", "--db", database)
            says(ended, 75, "another planner has it open", f"process {old.pid}", "nothing was changed")
        requests.write_text("4001\n4002\nend\n")
        assert old.wait().code == 0
    assert lines_of(acknowledgements) == ["open", "ok", "ok"]
    assert first_tokens(database) == 4002
    assert newer("db", "upgrade", "--db", database).code == 0
    assert_sound(database)


def test_f22_the_old_program_stops_before_its_next_write(database: Path, tmp_path: Path, newer: Newer) -> None:
    acknowledgements, requests = tmp_path / "acks", tmp_path / "requests"
    with Child(tmp_path, children.edit_on_request, str(database), str(acknowledgements), str(requests)) as old:
        wait_for_lines(acknowledgements, 1, old)
        assert newer("db", "upgrade", "--db", database).code == 0
        requests.write_text("4001\n4002\nend\n")
        assert old.wait().code == 0
    for line in lines_of(acknowledgements)[1:]:
        code, _, sentence = line.partition(" ")
        assert code == "65"
        assert "Another version of the planner has changed the tables" in sentence
        assert "nothing was changed" in sentence
    assert query(database, "SELECT count(*) FROM scenario WHERE prompt_tokens > 4000") == [(0,)]
    assert_sound(database)
