"""Every exit code with its one sentence; what goes wrong inside is kept in a private log."""

from collections.abc import Callable
from pathlib import Path

import pytest

from planner.cli import diagnostics, log
from planner.store import reports
from tests.cli.conftest import Ran

Run = Callable[..., Ran]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["evla"], ["'evla'", "eval"]),
        (["eval", "--sett", "a=1"], ["--sett", "--set"]),
        (["copy"], ["SCENARIO"]),
        (["set", "Toy 7B"], ["NAME=VALUE"]),
        (["history", "--limit", "none"], ["none"]),
        (["restore", "one"], ["one"]),
        (["workspace", "ues"], ["use"]),
    ],
)
def test_usage_is_told_in_one_sentence(
    refuse: Callable[..., str], database: Path, arguments: list[str], words: list[str]
) -> None:
    sentence = refuse(*arguments)
    assert all(word in sentence for word in words), sentence
    assert "--help` shows" in sentence


def test_a_group_without_a_command_shows_its_help(run: Run) -> None:
    ran = run("workspace", code=2)
    assert ran.out == ""
    assert "list" in ran.err


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (PermissionError(13, "Permission denied", "/x/y"), 77),
        (FileNotFoundError(2, "No such file or directory", "/x/y"), 66),
        (OSError(28, "No space left on device"), 74),
        (OSError(5, "Input/output error"), 74),
        (MemoryError(), 70),
        (KeyboardInterrupt(), 130),
        (BrokenPipeError(), 141),
        (diagnostics.CommandError("It is so.", 78), 78),
        (RuntimeError("boom"), 70),
    ],
)
def test_whatever_is_raised_ends_in_a_code_and_a_sentence(
    capsys: pytest.CaptureFixture[str], error: BaseException, code: int
) -> None:
    def fail() -> None:
        raise error

    assert diagnostics.guarded(fail) == code
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "Traceback" not in captured.err
    assert len(captured.err.splitlines()) == (0 if code == 141 else 1)


def test_an_error_inside_is_kept_in_a_private_log_without_passwords(
    run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def fail(_: object) -> None:
        raise RuntimeError("cannot reach postgresql://me:canary@host/db")

    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setattr("planner.cli.output.write_json", fail)
    ran = run("eval", "--json", code=70)
    where = log.path()
    assert str(where) in ran.err
    assert len(ran.err.splitlines()) == 1
    assert "canary" not in ran.err
    text = where.read_text()
    assert "Traceback" in text
    assert "canary" not in text
    assert where.stat().st_mode & 0o777 == 0o600
    monkeypatch.setattr(reports, "MAX_BYTES", 10)
    run("eval", "--json", code=70)
    assert where.with_name("planner.log.1").read_text() == text


def test_an_error_inside_is_told_even_when_the_log_cannot_be_written(
    run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def fail(_: object) -> None:
        raise RuntimeError("boom")

    (tmp_path / ".local").write_text("in the way")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setattr("planner.cli.output.write_json", fail)
    assert "could not be written" in run("eval", "--json", code=70).err


def test_a_read_only_library_can_be_read(run: Run, refuse: Callable[..., str], database: Path) -> None:
    import os

    if os.geteuid() == 0:
        pytest.skip("root may write to any file")
    database.chmod(0o400)
    assert run("eval", "Toy 7B", "--json").rows
    assert "permissions" in refuse("set", "Toy 7B", "batch=2", code=77)


LONG = "9" * 5000


@pytest.mark.parametrize(
    "arguments",
    [
        ("history", "--limit", LONG),
        ("history", "--limit", f"{LONG[:4000]}"),
        ("projection", "--months", LONG),
        ("restore", LONG),
        ("diff", f"Toy 7B@{LONG}"),
        ("validate", "--limit", LONG),
        ("catalog", "list", "--memory", LONG),
        ("eval", "--set", f"batch={LONG}"),
        ("eval", "--set", f"model={LONG}"),
        ("catalog", "show", LONG),
        ("catalog", "show", "it's " * 1000),
        ("show", LONG),
        ("compare", "--snapshot", LONG),
        ("list", "--workspace", LONG),
        ("export", f"x.{LONG}"),
        ("import", "x.json", "--entries", LONG),
        ("list", "--db", f"./{LONG}"),
        (LONG,),
        ("list", f"--{LONG}"),
        ("eval", "--set", LONG),
        ("delete", LONG, "--yes"),
        ("new", LONG),
        ("catalog", "prices", "h100-sxm-80gb", "--on", LONG),
        ("list", "--db", f"postgresql://{LONG}/plans"),
    ],
)
def test_no_message_repeats_thousands_of_characters(run: Run, database: Path, arguments: tuple[str, ...]) -> None:
    ran = run(*arguments, code=None)
    assert ran.code in (2, 65, 66, 73, 74, 78)
    assert ran.out == ""
    assert len(ran.err) < 800, ran.err
    assert "4300" not in ran.err
    assert "set_int_max_str_digits" not in ran.err


def test_a_file_with_a_number_of_thousands_of_digits(
    refuse: Callable[..., str], database: Path, tmp_path: Path
) -> None:
    for name, text in (
        ("config.json", f'{{"model_type": "llama", "hidden_size": {LONG}}}'),
        ("plan.json", f'{{"format": 1, "scenarios": [{{"name": "a", "inputs": {{"batch": {LONG}}}}}]}}'),
        ("own.toml", f'[[accelerator]]\nid = "x"\nmemory_gb = {LONG}\n'),
    ):
        (tmp_path / name).write_text(text, encoding="utf-8")
    for arguments in (
        ("eval", "--set", f"model={tmp_path / 'config.json'}"),
        ("import", tmp_path / "plan.json"),
        ("catalog", "add", tmp_path / "own.toml"),
    ):
        sentence = refuse(*arguments, code=65)
        assert "number" in sentence
        assert "4300" not in sentence


def test_what_is_cut_and_what_is_not() -> None:
    path = f"/home/{'x' * 100}/plan.json"
    kept = f"{path} cannot be read: the workspace's scenario 'a b' is not there."
    assert diagnostics.brief(kept) == kept
    short = diagnostics.brief(f"There is no scenario '{'it is ' * 100}end' in workspace '{'w' * 500}'.")
    assert len(short) < 300
    assert short.startswith("There is no scenario 'it is it is")
    assert "end' in workspace 'www" in short
    assert len(diagnostics.brief("a " * 100_000)) == diagnostics.LONGEST_LINE


def test_messages_name_the_command_that_works(
    run: Run, database: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    assert "`planner --help`" in run().err
    monkeypatch.setenv(diagnostics.CALLED_AS, "./run")
    said = run().err
    assert "`./run` opens the screen" in said
    assert "`./run --help`" in said
    assert "`./run fleet --add" in run("fleet").out
    assert "`./run eval --help`" in run("eval", "--sett", code=2).err
