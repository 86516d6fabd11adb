"""What every test shares: a home of its own, the programs that some need, and Hypothesis's settings."""

import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from tests.faults import tally

IN_CI = os.environ.get("CI") == "true"

# A shared machine is slow now and then, which is no failure. In CI the same code is always tried on the same examples.
settings.register_profile("local", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("ci", settings.get_profile("local"), derandomize=True, print_blob=True)
settings.load_profile("ci" if IN_CI else "local")


def find_postgres_programs() -> Path | None:
    """The folder of PostgreSQL's server programs, which Debian keeps off PATH; the newest version where several are."""
    initdb = shutil.which("initdb")
    if initdb:
        return Path(initdb).parent
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: int(path.parts[-3]))
    return found[-1].parent if found else None


def find_soffice() -> str | None:
    """LibreOffice's program, under either of its names."""
    return shutil.which("soffice") or shutil.which("libreoffice")


# What a marker asks for: how to see that it is there, and what to say where it is not.
NEEDS: dict[str, tuple[Callable[[], object], str]] = {
    "libreoffice": (find_soffice, "LibreOffice Calc is not installed (Debian: libreoffice-calc)"),
    "postgres": (find_postgres_programs, "PostgreSQL's server programs are not installed (Debian: postgresql)"),
    "root": (lambda: os.geteuid() == 0, "only root can do this"),
    "strace": (lambda: shutil.which("strace"), "strace is not installed (Debian: strace)"),
    "tmux": (lambda: shutil.which("tmux"), "tmux is not installed (Debian: tmux)"),
}


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip a test whose program is missing, with the reason; in CI, where everything is installed, fail it."""
    for marker, (is_there, reason) in NEEDS.items():
        if item.get_closest_marker(marker) is None or is_there():
            continue
        if IN_CI:
            pytest.fail(f"{reason}; nothing may be missing where CI=true", pytrace=False)
        pytest.skip(reason)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """End a run with the table of faults and attacks, as far as it tried them."""
    tally.write(terminalreporter)


@pytest.fixture(scope="session", autouse=True)
def own_home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A home folder for the run, so that no test sees or changes what the person at the machine has saved."""
    home = tmp_path_factory.mktemp("home")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HOME", str(home))
        for name in ("XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME"):
            patch.delenv(name, raising=False)
        for name in [name for name in os.environ if name.startswith("PLANNER_")]:
            patch.delenv(name)
        # The width and colours of output are a test's own affair.
        for name in ("COLUMNS", "LINES", "NO_COLOR", "FORCE_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "TTY_COMPATIBLE"):
            patch.delenv(name, raising=False)
        yield home


@pytest.fixture(scope="session")
def repository() -> Path:
    """The checkout's top folder."""
    return Path(__file__).resolve().parent.parent


@pytest.fixture(scope="session")
def tracked_files(repository: Path) -> list[Path]:
    """The files under version control that are there, relative to the top folder."""
    if not shutil.which("git") or not (repository / ".git").exists():
        pytest.skip("this is no git checkout, so there is no list of the project's files")
    listing = subprocess.run(
        ["git", "-c", "safe.directory=*", "ls-files", "-z"], cwd=repository, capture_output=True, check=True, text=True
    )
    files = [Path(name) for name in listing.stdout.split("\0") if name]
    return [file for file in files if (repository / file).is_file()]
