from __future__ import annotations

import math

import pytest

from planner.model.bands import band_of
from planner.model.rows import SHEET
from tests.analysis.questions import evaluated


def test_tpot_of_a_fixed_batch_spans_the_profile_s_band() -> None:
    found = evaluated(batch=16.0)
    band = band_of(found)["tpot_s"]
    tpot = found.results.number("tpot_s")
    assert band.low == pytest.approx(tpot * 0.82, rel=1e-9)
    assert band.high == pytest.approx(tpot * 1.31, rel=1e-9)


def test_every_number_lies_within_its_band() -> None:
    found = evaluated()
    for name, band in band_of(found).items():
        row = SHEET.rows[name]
        if row.kind != "number":
            assert (band.low, band.high) == (None, None), name
        elif band.low is not None and band.high is not None and row.section in ("Memory", "Prefill"):
            number = found.results.number(name)
            assert band.low * (1 - 1e-12) <= number <= band.high * (1 + 1e-12), name


def test_the_low_end_never_beats_the_roofline() -> None:
    band = band_of(evaluated(batch=1.0, efficiency_profile="ideal", interconnect="ideal"))["step_time_s"]
    assert band.low == band.high


def test_an_end_that_cannot_be_served_is_blank() -> None:
    found = evaluated(tpot_target_ms=20.0)
    slow = found.results.number("tpot_alone_s") * 1000
    tight = evaluated(tpot_target_ms=slow * 1.1)
    assert tight.results["replicas"].value is not None
    band = band_of(tight)["replicas"]
    assert band.low is not None
    assert band.high is None


@pytest.mark.parametrize("rate", [20_000, 100_000, 150_000, 400_000, 1_000_000])
def test_every_result_lies_between_its_ends(rate: int) -> None:
    """Also where an end needs another number of replicas, which turns batch and TPOT round."""
    found = evaluated(requests_per_day=float(rate), tpot_target_ms=60.0)
    bands = band_of(found)
    for name, row in SHEET.rows.items():
        band, number = bands[name], found.results.number(name)
        if row.kind == "number" and band.low is not None and band.high is not None and not math.isnan(number):
            assert band.low <= number <= band.high, name
