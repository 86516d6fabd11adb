"""S4: no name leads a file somewhere else, and nothing that is there is written over unasked."""

from __future__ import annotations

import re
import stat
from pathlib import Path

import pytest

from exports.files import ExportError, write_atomically
from planner.tui.prompts.export import slug
from tests.faults.support import planner, untouched
from tests.security.payloads import FORMULAS, PATHS, SQL, TERMINAL

RESERVED = re.compile(r"(con|prn|aux|nul|com[0-9]|lpt[0-9])(\.|$)", re.IGNORECASE)


@pytest.mark.parametrize("name", [*PATHS, *FORMULAS, *SQL, *TERMINAL])
def test_s04_the_name_that_is_offered_for_a_file(name: str) -> None:
    stem = slug(name)
    assert re.fullmatch(r"[a-z0-9][a-z0-9-]{0,85}", stem), stem
    assert not RESERVED.match(stem)


def test_s04_a_scenario_s_name_is_never_part_of_a_path(database: Path, tmp_path: Path) -> None:
    folder = tmp_path / "out"
    folder.mkdir()
    for name in ("../../etc/passwd", "/etc/passwd", "..\\x"):
        assert planner("copy", "Toy 7B", name, "--db", database).code == 0
    assert planner("workspace", "rename", "Examples", "../../etc/x", "--db", database).code == 0
    assert planner("export", folder / "plan.csv", "--db", database).code == 0
    assert planner("snapshot", "../../x", "--db", database).code == 0
    assert [path.name for path in folder.iterdir()] == ["plan.csv"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["library", "out"]


@pytest.mark.parametrize("ending", ["xlsx", "csv", "json", "md"])
def test_s04_a_file_of_somebody_else_stays(database: Path, tmp_path: Path, ending: str) -> None:
    target = tmp_path / f"plan.{ending}"
    target.write_text("my own work")
    with untouched(target):
        ended = planner("export", target, "--db", database)
    assert ended.code == 73, ended.err
    assert "unchanged" in ended.err


def test_s04_backups_and_copies_are_new_files(database: Path, tmp_path: Path) -> None:
    target = tmp_path / "taken.db"
    target.write_text("my own work")
    with untouched(target):
        assert planner("db", "backup", target, "--db", database).code == 73
        assert planner("db", "copy", database, target).code == 65
        assert planner("db", "doctor", "--salvage", target, "--db", database).code == 73


def test_s04_a_link_at_the_temporary_name_is_not_followed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("exports.files.secrets.token_hex", lambda _: "known")
    victim = tmp_path / "victim"
    victim.write_text("untouched")
    (tmp_path / ".plan.csv.known.part").symlink_to(victim)
    with pytest.raises(ExportError) as caught:
        write_atomically(tmp_path / "plan.csv", b"data")
    assert caught.value.exit_code in (73, 74)
    assert victim.read_text() == "untouched"
    assert not (tmp_path / "plan.csv").exists()


def test_s04_the_temporary_file_is_private_and_in_the_same_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[tuple[Path, int]] = []
    chmod = Path.chmod

    def watched(path: Path, mode: int) -> None:
        seen.append((path, stat.S_IMODE(path.stat().st_mode)))
        chmod(path, mode)

    monkeypatch.setattr(Path, "chmod", watched)
    write_atomically(tmp_path / "plan.csv", b"data")
    ((path, mode),) = seen
    assert path.parent == tmp_path
    assert mode == 0o600
