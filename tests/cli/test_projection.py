from __future__ import annotations

import json
import subprocess
import sys


def planner(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "planner", *arguments], capture_output=True, text=True, check=False, timeout=120
    )


def test_a_projection_is_a_table_of_months() -> None:
    done = planner("projection", "--set", "traffic_growth_per_month=0.1", "--months", "3")
    assert done.returncode == 0, done.stderr
    assert "121,000" in done.stdout


def test_a_projection_in_json_has_every_month() -> None:
    done = planner("projection", "--set", "device_price_per_hour=2", "--json")
    months = json.loads(done.stdout)["months"]
    assert len(months) == 36
    assert months[35]["cumulative_self_host_cost"] > months[0]["cumulative_self_host_cost"]


def test_months_out_of_bounds_are_refused() -> None:
    done = planner("projection", "--months", "0")
    assert done.returncode == 2
    assert "1 to 600" in done.stderr
