"""Predictions against measurements: what is predicted is the sheet's, and how far it is off."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

import pytest

from catalog import Catalog, load_catalog
from catalog.book import PROFILE
from catalog.measurements import Pool, Run, remarks, shipped_measurements
from catalog.schema import Source
from planner.analysis.evaluated import evaluate_scenario
from planner.analysis.validation.ablation import TERMS, term_called
from planner.analysis.validation.predicting import METRICS, Prediction, Predictor
from planner.analysis.validation.reading import LeftOut, read_tables
from planner.analysis.validation.report import Report, errors_of, quantile
from planner.analysis.validation.scenarios import Mapped
from planner.analysis.validation.validating import prepare, shipped_table, validate, without
from planner.model.evaluation import Results
from planner.model.fields import InputError
from planner.model.scenario import Scenario
from tests.analysis.measured_tables import run_rows, write_pools, write_runs

SILICON = Path(__file__).resolve().parents[3] / "shared" / "measured"


@pytest.fixture(scope="module")
def catalog() -> Catalog:
    return load_catalog()


@pytest.fixture(scope="module")
def shipped(catalog: Catalog) -> Report:
    return validate(prepare(shipped_table(), catalog), catalog)


@pytest.fixture
def predict(catalog: Catalog, tmp_path: Path) -> Callable[..., Prediction]:
    """The prediction of one run with the labels given."""

    def one(term: str = "", **changes: str) -> Prediction:
        (mapped,) = prepare(read_tables([write_runs(tmp_path / "runs.csv", run_rows(**changes))]), catalog).mapped
        found = Predictor(catalog, term_called(term)).predict(mapped) if term else Predictor(catalog).predict(mapped)
        assert isinstance(found, Prediction)
        return found

    return one


def evaluated(mapped: Mapped, catalog: Catalog, **changes: float) -> Results:
    """What the product computes of the scenario of ``mapped``."""
    return evaluate_scenario(Scenario("one", {**mapped.values, **changes}, mapped.overrides), catalog).results


def test_shipped_measurements_are_many_distinct_and_sourced(catalog: Catalog) -> None:
    measured = shipped_measurements()
    runs = [one for one in measured if isinstance(one, Run)]
    pools = [one for one in measured if isinstance(one, Pool)]
    assert len(runs) >= 300
    assert len(pools) >= 20
    assert len({one.where for one in measured}) == len(measured)
    for one in measured:
        (source,) = catalog.sources([one.source])
        assert isinstance(source, Source) or len(source.split()) > 1 or ":" in source
    for run in runs:
        assert run.ttft_s is not None
        assert run.tpot_s is not None
        assert 0 < run.tpot_s < run.ttft_s * 100
        assert 0.5 <= run.drawn_share <= 1
    assert all(remark.set_aside or remark.note for remark in remarks())


def test_shipped_measurements_are_predicted_as_well_as_the_profile_says(shipped: Report) -> None:
    limits = {"tpot": 0.15, "throughput": 0.15, "ttft": 0.35, "kv_capacity": 0.07}
    overall = shipped.overall()
    assert list(overall) == list(METRICS)
    assert {name: errors.median_abs_error <= limits[name] for name, errors in overall.items()} == dict.fromkeys(
        METRICS, True
    )
    assert {name: abs(errors.bias) <= 0.1 for name, errors in overall.items()} == dict.fromkeys(METRICS, True)
    assert overall["tpot"].n >= 300


def test_every_row_is_predicted_or_named(shipped: Report, catalog: Catalog, tmp_path: Path) -> None:
    assert shipped.predicted_rows + sum(one.rows for one in shipped.left_out()) == shipped.rows
    assert sum(group.errors["tpot"].n for group in shipped.groups() if "tpot" in group.errors) == (
        shipped.overall()["tpot"].n
    )
    odd = [run_rows(gpu="Abacus 9"), run_rows(note="disagg"), run_rows(tpot="0.001"), run_rows()]
    path = write_runs(tmp_path / "runs.csv", *odd, run_rows())
    report = validate(prepare(read_tables([path]), catalog), catalog)
    assert report.rows == 10
    assert report.predicted_rows == 2
    assert {one.reason: one.rows for one in report.left_out()} == {
        "device 'Abacus 9' is not in the catalogue": 2,
        "prefill and decode run in pools of their own, whose sizes the table does not give": 2,
        "the same measurement again: equal values on the same device, engine and lengths": 2,
        "mislabelled: its TPOT beats the roofline at efficiency 1": 2,
    }


def test_predictions_are_the_sheets_own(shipped: Report, catalog: Catalog) -> None:
    chosen = shipped.predictions[::23]
    assert len(chosen) > 10
    for one in chosen:
        if one.batch is None:
            results = evaluated(one.mapped, catalog)
            pool = isinstance(one.mapped.measured, Pool) and one.mapped.measured.pool_bytes is not None
            row = "kv_pool_bytes_per_device" if pool else "kv_pool_tokens"
            assert one.pairs["kv_capacity"][0] == pytest.approx(results.number(row), rel=1e-12)
        else:
            results = evaluated(one.mapped, catalog, batch=one.batch)
            assert one.pairs["tpot"][0] == pytest.approx(results.number("tpot_s"), rel=1e-12)
            assert one.pairs["throughput"][0] == pytest.approx(
                results.number("tokens_per_second_per_replica"), rel=1e-12
            )


def test_prompts_of_a_closed_loop_bunch(predict: Callable[..., Prediction], catalog: Catalog) -> None:
    one = predict()
    results = evaluated(one.mapped, catalog)
    burst = catalog.find(PROFILE, "fitted").entry.closed_loop_burst["vllm"]
    assert 0 < burst < 1
    expected = results.number("ttft_s") + burst * results.number("prefill_work_s") * 15 / 2
    assert one.pairs["ttft"][0] == pytest.approx(expected, rel=1e-12)
    assert predict("bunching").pairs["ttft"][0] == pytest.approx(results.number("ttft_s"), rel=1e-12)


def test_what_is_above_the_kv_pool_waits(predict: Callable[..., Prediction], catalog: Catalog) -> None:
    changes = {"model": "Qwen3-32B", "weight_precision": "bf16", "n_gpus": "1", "tp": "1"}
    one = predict(**changes, concurrency_or_batch="64", tpot="60", ttft="9000")
    fits = evaluated(one.mapped, catalog).number("sequences_that_fit")
    assert 1 <= fits < 64
    assert one.batch == fits
    capped = predict(**changes, concurrency_or_batch=str(int(fits)), tpot="60", ttft="9000")
    assert capped.pairs["tpot"] == one.pairs["tpot"]
    assert capped.pairs["throughput"][0] == one.pairs["throughput"][0]
    wait = (64 / fits - 1) * (512 * one.pairs["tpot"][0] + capped.pairs["ttft"][0])
    assert one.pairs["ttft"][0] == pytest.approx(capped.pairs["ttft"][0] + wait, rel=1e-12)
    assert predict("kv-cap", **changes, concurrency_or_batch="64", tpot="60", ttft="9000").batch == 64


def test_a_model_that_does_not_fit_is_no_prediction(catalog: Catalog, tmp_path: Path) -> None:
    rows = run_rows(model="DeepSeek-R1")
    (mapped,) = prepare(read_tables([write_runs(tmp_path / "runs.csv", rows)]), catalog).mapped
    found = Predictor(catalog).predict(mapped)
    assert isinstance(found, LeftOut)
    assert found.reason == "by the sheet not even one sequence fits the KV pool"


def test_a_pool_is_compared_in_bytes_else_in_tokens(catalog: Catalog, tmp_path: Path) -> None:
    tokens = {"kv_gib_per_gpu": "", "gpu_blocks": "26000", "block_size": "16"}
    path = write_pools(tmp_path / "pools.csv", {}, tokens, {**tokens, "model": "gemma-3-27b", "n_gpus": "2", "tp": "2"})
    report = validate(prepare(read_tables([path]), catalog), catalog)
    in_bytes, in_tokens = report.predictions
    assert in_bytes.pairs["kv_capacity"][1] == pytest.approx(51.38 * 2**30)
    assert abs(in_bytes.error("kv_capacity")) < 0.01
    assert in_tokens.pairs["kv_capacity"][1] == 416_000
    assert in_tokens.pairs["kv_capacity"][0] == pytest.approx(in_bytes.pairs["kv_capacity"][0] / 131_072, abs=16)
    assert [one.reason for one in report.left_out()] == [
        "tokens of a pool with windows or states depend on the engine's accounting"
    ]


def test_every_term_that_is_left_out_changes_a_prediction(shipped: Report, catalog: Catalog) -> None:
    for term in TERMS.values():
        ablated = without(shipped, catalog, term)
        assert len(ablated.predictions) == len(shipped.predictions)
        changed = [
            name
            for with_it, one in zip(shipped.predictions, ablated.predictions, strict=True)
            for name, pair in one.pairs.items()
            if not math.isclose(pair[0], with_it.pairs[name][0], rel_tol=1e-9)
        ]
        assert changed, term.name


@pytest.mark.parametrize(
    "name", ["experts", "kv-reads", "layer-overhead", "layer-kinds", "interconnect", "prefill-interference", "profile"]
)
def test_each_large_term_helps_tpot(name: str, shipped: Report, catalog: Catalog) -> None:
    ablated = without(shipped, catalog, TERMS[name]).overall()["tpot"]
    assert ablated.median_abs_error > 1.1 * shipped.overall()["tpot"].median_abs_error


@pytest.mark.parametrize("name", ["engine-ttft", "bunching"])
def test_the_closed_loops_terms_help_ttft_alone(name: str, shipped: Report, catalog: Catalog) -> None:
    ablated = without(shipped, catalog, TERMS[name]).overall()
    assert ablated["ttft"].median_abs_error > 1.2 * shipped.overall()["ttft"].median_abs_error
    assert ablated["tpot"] == shipped.overall()["tpot"]


def test_reading_every_expert_leaves_dense_models_alone(
    predict: Callable[..., Prediction], shipped: Report, catalog: Catalog
) -> None:
    assert predict("experts").pairs == predict().pairs
    ablated = without(shipped, catalog, TERMS["experts"])
    slower = [
        one.pairs["tpot"][0] - with_it.pairs["tpot"][0]
        for with_it, one in zip(shipped.predictions, ablated.predictions, strict=True)
        if "tpot" in one.pairs
    ]
    assert min(slower) >= -1e-12
    assert max(slower) > 1e-3


def test_an_unknown_term_is_refused_with_the_nearest() -> None:
    with pytest.raises(InputError, match=r"There is no term 'expert'; nearest: .*experts"):
        term_called("expert")


def test_errors_are_medians_of_shares() -> None:
    errors = errors_of([-0.5, -0.1, 0.0, 0.2, 0.4])
    assert errors is not None
    assert (errors.n, errors.median_abs_error, errors.bias) == (5, 0.2, 0.0)
    assert errors.p90_abs_error == pytest.approx(0.46)
    assert errors_of([]) is None
    assert quantile([1.0, 2.0], 0.5) == 1.5
    assert quantile([3.0], 0.9) == 3.0


def test_published_tables_are_predicted_within_the_trial_fit(catalog: Catalog) -> None:
    paths = [SILICON / name for name in ("D_silicon_sample_curves.csv", "B_vllm_kv_capacity.csv")]
    missing = [path.name for path in paths if not path.is_file()]
    if missing:
        pytest.skip(f"the large tables of measurements are not here: {', '.join(missing)}")
    report = validate(prepare(read_tables(paths), catalog), catalog)
    overall = report.overall()
    assert overall["tpot"].n > 2000
    assert overall["tpot"].median_abs_error < 0.13
    assert overall["tpot"].p90_abs_error < 0.40
    assert overall["throughput"].median_abs_error < 0.13
    assert overall["ttft"].median_abs_error < 0.30
    assert overall["kv_capacity"].median_abs_error < 0.06
    assert report.predicted_rows + sum(one.rows for one in report.left_out()) == report.rows


def test_the_documented_table_is_what_the_command_prints(shipped: Report, catalog: Catalog, repository: Path) -> None:
    lines = (repository / "docs" / "fidelity.md").read_text(encoding="utf-8").splitlines()
    table = [[cell.strip(" `") for cell in line.strip("|").split("|")] for line in lines if line.count("|") == 6]
    documented = {cells[0]: cells[2:] for cells in table if len(cells) == 5}
    assert {"nothing", *TERMS} <= set(documented)
    for name in ("nothing", *TERMS):
        overall = (shipped if name == "nothing" else without(shipped, catalog, TERMS[name])).overall()
        for metric, cell in zip(("tpot", "throughput", "ttft"), documented[name], strict=True):
            median = float(cell.split("/")[0])
            assert median == pytest.approx(100 * overall[metric].median_abs_error, abs=1), (name, metric)
