"""Workbooks that several tests look at, made once."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from exports.workbook import Provenance, render_workbook
from planner.model.evaluation import Evaluated
from tests.exports.office import LibreOffice
from tests.exports.plans import examples, many, unusual

MOMENT = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)


@pytest.fixture(scope="session")
def scenarios() -> list[Evaluated]:
    """The example workspace and scenarios that take the model's other branches."""
    return [*examples(), *unusual()]


@pytest.fixture(scope="session")
def workbook(scenarios: list[Evaluated]) -> bytes:
    """The workbook of all of them, the fourth as the baseline."""
    provenance = Provenance(workspace="Examples", program_version="0.1.0", catalogue_version="2026-11")
    return render_workbook(scenarios, baseline=3, provenance=provenance, exported_at=MOMENT)


@pytest.fixture(scope="session")
def example_workbook() -> bytes:
    """The workbook of the example workspace."""
    return render_workbook(examples(), baseline=3, exported_at=MOMENT)


@pytest.fixture(scope="session")
def unusual_workbook() -> bytes:
    """The workbook of the unusual scenarios."""
    return render_workbook(unusual(), exported_at=MOMENT)


@pytest.fixture(scope="session")
def large_workbook() -> bytes:
    """A workbook of enough scenarios to have a Results sheet."""
    return render_workbook(many(20), exported_at=MOMENT)


@pytest.fixture(scope="session")
def office(tmp_path_factory: pytest.TempPathFactory) -> LibreOffice:
    """LibreOffice that recalculates whatever it opens."""
    return LibreOffice(tmp_path_factory.mktemp("office"))


@pytest.fixture
def save(tmp_path: Path) -> Callable[[str, bytes], Path]:
    """Writes bytes to a file of the test's own folder."""

    def write(name: str, data: bytes) -> Path:
        path = tmp_path / name
        path.write_bytes(data)
        return path

    return write
