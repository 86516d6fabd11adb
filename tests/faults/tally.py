"""The table of faults and attacks that a run of their tests ends with: a line for each, with what became of it."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field

import pytest

FILE = re.compile(r"tests/(?:faults|security)/test_(?P<letter>[fs])(?P<number>\d\d)_(?P<words>\w+)\.py")


@dataclass(slots=True)
class Line:
    """What became of the tests of one fault or attack."""

    words: str
    passed: int = 0
    failed: int = 0
    reasons: dict[str, int] = field(default_factory=lambda: defaultdict(int))

    @property
    def verdict(self) -> str:
        """One word, and why where it is not that all of them passed."""
        skipped = sum(self.reasons.values())
        why = "; ".join(f"{number} skipped: {reason}" for reason, number in self.reasons.items())
        if self.failed:
            return f"FAILED {self.failed} of {self.passed + self.failed}"
        if not self.passed:
            return f"skipped ({why})"
        return f"passed {self.passed}" + (f" ({why})" if skipped else "")


def number_of(nodeid: str) -> tuple[str, str] | None:
    """The number and the words of the fault or attack that a test is about, such as F01 or S17."""
    found = FILE.search(nodeid.replace("\\", "/"))
    if found is None:
        return None
    number = found["number"] if found["letter"] == "f" else str(int(found["number"]))
    return f"{found['letter'].upper()}{number}", found["words"].replace("_", " ")


def tally(reports: Iterable[pytest.TestReport]) -> dict[str, Line]:
    """The lines of the table, in order."""
    lines: dict[str, Line] = {}
    for report in reports:
        named = number_of(report.nodeid)
        if named is None:
            continue
        line = lines.setdefault(named[0], Line(named[1]))
        if report.failed:
            line.failed += 1
        elif report.skipped:
            reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
            line.reasons[reason.removeprefix("Skipped: ")] += 1
        elif report.when == "call":
            line.passed += 1
    return dict(sorted(lines.items(), key=lambda one: (one[0][0], int(one[0][1:]))))


def write(reporter: pytest.TerminalReporter) -> None:
    """Print the table at the end of a run, where there is something to print."""
    outcomes = ("passed", "failed", "error", "skipped")
    reports = [one for name in outcomes for one in reporter.stats.get(name, ()) if isinstance(one, pytest.TestReport)]
    lines = tally(reports)
    if not lines:
        return
    reporter.section("faults and attacks")
    widest = max(len(line.words) for line in lines.values())
    for number, line in lines.items():
        reporter.write_line(f"{number:<4}{line.words:<{widest}}  {line.verdict}", red=bool(line.failed))
