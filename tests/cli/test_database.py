"""planner db: backup, restore, doctor, copy, purge, upgrade."""

import os
import sqlite3
from collections.abc import Callable
from pathlib import Path

import openpyxl
import pytest

from tests.cli.conftest import Ran

Run = Callable[..., Ran]


def test_backup_and_restore(run: Run, refuse: Callable[..., str], database: Path, tmp_path: Path) -> None:
    taken = Path(run("db", "backup", "--json").json["path"])
    assert taken.stat().st_mode & 0o777 == 0o600
    run("set", "Toy 7B", "batch=9")
    elsewhere = tmp_path / "copy.db"
    run("db", "backup", elsewhere)
    assert elsewhere.is_file()
    assert "already" in refuse("db", "backup", elsewhere, code=73)
    assert taken.name in run("db", "backup", "--list").out
    assert "--yes" in refuse("db", "restore", taken.name)
    assert run("eval", "Toy 7B", "--json").json["inputs"]["batch"] == 9
    done = run("db", "restore", taken.name, "--yes", "--json").json
    assert Path(done["kept"][0]).is_file()
    assert run("eval", "Toy 7B", "--json").json["inputs"]["batch"] == 1
    assert "no backup" in refuse("db", "restore", "nothing.db", "--yes", code=66)


def test_doctor_is_content_or_names_what_is_damaged(run: Run, database: Path, tmp_path: Path) -> None:
    assert run("db", "doctor", "--json").json["sound"] is True
    connection = sqlite3.connect(database)
    connection.execute("PRAGMA ignore_check_constraints = ON")
    connection.execute("UPDATE scenario SET prompt_tokens = -5 WHERE name = 'Toy 7B'")
    connection.commit()
    connection.close()
    report = run("db", "doctor", code=1)
    assert "Prompt tokens (prompt_tokens) of 'Toy 7B' is damaged" in report.out
    saved = tmp_path / "saved.db"
    report = run("db", "doctor", "--salvage", saved, code=1)
    (line,) = report.out.splitlines()
    assert line.startswith(
        "Scenario 1 'Toy 7B': Prompt tokens (prompt_tokens) is left out and is the default now, 1,000."
    )
    assert report.err == (
        f"Saved in {saved}: 1 setting, 1 workspace, 2 revision, 5 scenario, 5 revision_change. 1 problem.\n"
    )
    assert run("--db", saved, "db", "doctor").err.endswith("No problems.\n")
    assert "Prompt tokens −5 tokens → 1,000 tokens" in run("--db", saved, "history").out


def test_a_damaged_value_is_never_computed_with_and_can_be_mended(
    run: Run, refuse: Callable[..., str], database: Path
) -> None:
    connection = sqlite3.connect(database)
    connection.execute("PRAGMA ignore_check_constraints = ON")
    connection.execute("UPDATE scenario SET prompt_tokens = -5 WHERE name = 'Toy 7B'")
    connection.commit()
    connection.close()
    assert "-5" in refuse("eval", "Toy 7B", "--json", code=65)
    assert "-5" in refuse("show", "Toy 7B", code=65)
    assert "Left out" in run("compare").out
    document = run("compare", "--json").json
    assert list(document["left_out"]) == ["Toy 7B"]
    assert "!" in run("list").out
    assert list(run("list", "--json").json["scenarios"][0]["damaged"]) == ["prompt_tokens"]
    run("set", "Toy 7B", "prompt_tokens=500")
    assert run("eval", "Toy 7B", "--json").json["inputs"]["prompt_tokens"] == 500


def test_copy_takes_a_workspace_to_another_file(
    run: Run, refuse: Callable[..., str], database: Path, tmp_path: Path
) -> None:
    other = tmp_path / "other.db"
    assert run("db", "copy", database, other, "--as", "Taken", "--json").json["scenarios"] == 5
    assert [one["name"] for one in run("--db", other, "workspace", "list", "--json").json["workspaces"]] == ["Taken"]
    assert "already" in refuse("db", "copy", database, other, "--as", "taken", code=65)
    assert "nearest: Examples" in refuse("db", "copy", database, other, "--workspace", "Example")
    assert "nowhere.db" in refuse("db", "copy", tmp_path / "nowhere.db", other, code=66)


def test_purge_asks_and_removes_what_was_deleted(run: Run, refuse: Callable[..., str], database: Path) -> None:
    run("delete", "Toy 7B")
    assert "--yes" in refuse("db", "purge", "--days", "0")
    assert run("db", "purge", "--days", "0", "--yes", "--json").json["scenarios"] == 1
    assert run("list", "--deleted", "--json").json["scenarios"] == []
    assert "days" in refuse("db", "purge", "--days", "-1", "--yes")


def test_upgrade_of_what_is_up_to_date_changes_nothing(run: Run, database: Path) -> None:
    before = database.read_bytes()
    assert run("db", "upgrade", "--json").json["backup"] is None
    assert database.read_bytes() == before


@pytest.mark.parametrize(
    ("make", "code"),
    [
        (lambda path: path.write_bytes(b""), 65),
        (lambda path: path.write_text("not a database, but long enough to be read as one" * 40), 65),
        (lambda path: path.mkdir(), 66),
        (os.mkfifo, 66),
        (lambda path: path.symlink_to("nowhere"), 66),
    ],
)
def test_what_is_no_library_is_refused_and_left_alone(
    run: Run, refuse: Callable[..., str], tmp_path: Path, make: Callable[[Path], object], code: int
) -> None:
    path = tmp_path / "x.db"
    make(path)
    before = path.read_bytes() if path.is_file() else None
    for arguments in (("list",), ("eval", "Toy 7B"), ("set", "Toy 7B", "batch=2"), ()):
        assert str(path) in refuse("--db", path, *arguments, code=code)
    if code == 66:
        refuse("--db", path, "db", "doctor", code=66)
    else:
        assert run("--db", path, "db", "doctor", "--json", code=1).json["problems"]
    assert (path.read_bytes() if path.is_file() else None) == before


def test_another_applications_database_is_refused(refuse: Callable[..., str], tmp_path: Path) -> None:
    path = tmp_path / "other.db"
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE note (id INTEGER)")
    connection.commit()
    connection.close()
    before = path.read_bytes()
    refuse("--db", path, "list", code=65)
    assert path.read_bytes() == before


def test_a_folder_that_is_not_there_is_refused(refuse: Callable[..., str], tmp_path: Path) -> None:
    assert "cannot be created" in refuse("--db", tmp_path / "no" / "x.db", "list", code=73)


def test_an_address_that_cannot_be_read_shows_no_password(refuse: Callable[..., str]) -> None:
    for address in ("postgresql://me:canary@@host/x", "mysql://me:canary@host/x", "postgres://me:can@ary@h:port/x"):
        sentence = refuse("--db", address, "list", code=78)
        assert "canary" not in sentence
        assert "ary" not in sentence.replace("library", "").replace("necessary", "")


def test_a_server_that_is_not_there_is_said_without_the_password(refuse: Callable[..., str]) -> None:
    pytest.importorskip("psycopg")
    for address in ("postgresql://me:canary@127.0.0.1:9/x", "postgresql://127.0.0.1:9/x?user=me&password=canary"):
        sentence = refuse("--db", address, "list", code=69)
        assert "127.0.0.1" in sentence
        assert "canary" not in sentence


def test_names_and_numbers_of_five_thousand_digits_are_refused_in_words(
    run: Run, refuse: Callable[..., str], database: Path, tmp_path: Path
) -> None:
    digits = "9" * 5000
    for words, code in (
        (("history", "--limit", digits), 2),
        (("restore", digits), 2),
        (("db", "purge", "--days", digits), 2),
        (("snapshot", digits), 2),
        (("db", "restore", tmp_path / digits, "--yes"), 66),
        (("db", "backup", tmp_path / digits), 73),
        (("db", "doctor", "--salvage", tmp_path / digits), 73),
        (("db", "copy", tmp_path / digits, tmp_path / "other.db"), 66),
        (("--db", tmp_path / digits, "db", "doctor"), 66),
        (("--db", tmp_path / digits, "list"), 73),
    ):
        sentence = refuse(*words, code=code)
        assert "99999…9" in sentence or "99999…'" in sentence, sentence
        assert "digits" not in sentence


def test_a_workbook_cites_the_snapshot_that_it_was_made_from(run: Run, database: Path, tmp_path: Path) -> None:
    taken = run("snapshot", "sent to finance", "--json").json
    run("set", "Toy 7B", "prompt_tokens=4001")
    target = tmp_path / "plan.xlsx"
    run("export", target, "--snapshot", str(taken["id"]))
    texts = [cell.value for sheet in openpyxl.load_workbook(target) for row in sheet.iter_rows() for cell in row]
    assert f"snapshot {taken['id']} 'sent to finance', {taken['digest'][:16]}" in texts
    assert 500 in texts
    assert 4001 not in texts
