"""The same libraries as the tests of faults."""

from __future__ import annotations

from tests.faults.conftest import database, exported, newer, pristine, slim  # noqa: F401 - fixtures
