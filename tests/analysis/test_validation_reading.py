"""Tables of measurements: what is read, what is left out and why."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from catalog import load_catalog
from catalog.errors import BadFileError, MissingFileError
from catalog.measurements import Pool, Run
from planner.analysis.validation.cleaning import REPEAT
from planner.analysis.validation.labels import Labels, format_word
from planner.analysis.validation.reading import read_tables
from planner.analysis.validation.scenarios import Mapped
from planner.analysis.validation.validating import Prepared, prepare
from tests.analysis.measured_tables import RUN, run_rows, write_pools, write_runs, write_table


def prepared(path: Path) -> Prepared:
    return prepare(read_tables([path]), load_catalog())


def only_run(path: Path, **changes: str) -> Mapped:
    found = prepared(write_runs(path / "runs.csv", run_rows(**changes)))
    assert not found.left_out
    (mapped,) = found.mapped
    return mapped


def only_reason(path: Path, **changes: str) -> str:
    found = prepared(write_runs(path / "runs.csv", run_rows(**changes)))
    assert not found.mapped
    (left_out,) = found.left_out
    assert left_out.rows == 2
    return left_out.reason


def test_two_rows_make_one_run(tmp_path: Path) -> None:
    table = read_tables([write_runs(tmp_path / "runs.csv", run_rows(), run_rows(concurrency_or_batch="32"))])
    assert table.rows == 4
    first, second = table.measurements
    assert isinstance(first, Run)
    assert isinstance(second, Run)
    assert (first.tpot_s, first.ttft_s, first.concurrency) == (0.017, 0.4, 16)
    assert second.concurrency == 32
    assert first.where == "runs.csv:2"
    assert first.output_tokens_per_second == pytest.approx(16 * 512 / (0.4 + 511 * 0.017))


def test_the_same_labels_twice_make_two_runs(tmp_path: Path) -> None:
    rows = [*run_rows(tpot="17"), *run_rows(tpot="18")]
    table = read_tables([write_table(tmp_path / "runs.csv", rows)])
    assert [run.tpot_s for run in table.measurements if isinstance(run, Run)] == pytest.approx([0.017, 0.018])


def test_a_folder_is_read_file_by_file_and_names_what_is_no_table(tmp_path: Path) -> None:
    write_runs(tmp_path / "b.csv", run_rows())
    write_pools(tmp_path / "a.csv", {})
    write_table(tmp_path / "c.csv", [{"paper": "one", "value": "2"}, {"paper": "two", "value": "3"}])
    table = read_tables([tmp_path])
    assert [type(one) for one in table.measurements] == [Pool, Run]
    (other,) = table.left_out
    assert (other.where, other.rows) == ("c.csv", 2)
    assert table.rows == 5


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"metric": "mlperf_offline"}, "metric 'mlperf_offline' is not compared, only TTFT and TPOT are"),
        ({"value": "nan"}, "unreadable: value = 'nan' is not a number above 0"),
        ({"value": "-3"}, "unreadable: value = '-3' is not a number above 0"),
        ({"value": "1e300"}, "unreadable: value = '1e300' is not a number above 0"),
        ({"unit": "tok/s"}, "unreadable: unit = 'tok/s' is not ms, s or us"),
        ({"isl": ""}, "unreadable: isl is empty"),
        ({"n_gpus": "two"}, "unreadable: n_gpus = 'two' is not a whole number from 1 to 1,000,000"),
        ({"n_gpus": "²"}, "unreadable: n_gpus = '²' is not a whole number from 1 to 1,000,000"),
        ({"tp": "99999999999999999999"}, "unreadable: tp = '99999999999999999999' is not a whole number"),
        ({"note": "disagg; attention_dp=1"}, "prefill and decode run in pools of their own"),
    ],
)
def test_a_row_that_makes_no_run_is_kept_with_its_reason(
    changes: Mapping[str, str], reason: str, tmp_path: Path
) -> None:
    table = read_tables([write_table(tmp_path / "runs.csv", [{**RUN, **changes}])])
    assert not table.measurements
    (left_out,) = table.left_out
    assert left_out.reason.startswith(reason)
    assert left_out.where == "runs.csv:2"


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"a,b\n1,2\n", "is no table of runs or KV pools"),
        (b"", "is no table of runs or KV pools"),
        (b"engine,\xff\xfe\n", "is not UTF-8 text (byte 7)"),
        (b'engine,"' + b"x" * 200_000 + b'"\n', "is no CSV table"),
    ],
)
def test_a_file_that_is_no_table_is_refused_in_one_sentence(content: bytes, sentence: str, tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_bytes(content)
    with pytest.raises(BadFileError, match=r"^table\.csv ") as caught:
        read_tables([path])
    assert sentence in str(caught.value)


def test_a_path_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(MissingFileError, match=r"gone\.csv does not exist"):
        read_tables([tmp_path / "gone.csv"])
    with pytest.raises(MissingFileError, match=r"holds no \.csv file"):
        read_tables([tmp_path])


def test_labels_lead_to_the_catalogue_whatever_surrounds_them() -> None:
    labels = Labels(load_catalog())
    assert labels.accelerator("NVIDIA H200-SXM-141GB") == "h200-sxm-141gb"
    assert labels.accelerator("GB300-288GB") == "gb300"
    assert labels.accelerator("8x H200 (recipe hardware)") == "h200-sxm-141gb"
    assert labels.accelerator("A card nobody knows") is None
    assert labels.model("nvidia/DeepSeek-V3.1-NVFP4") == "deepseek-v3"
    assert labels.model("Llama-3.1-8B-Instruct-FP8") == "llama-3.1-8b"
    assert labels.model("Qwen3-VL-30B-A3B") is None
    assert labels.engine("TensorRT-LLM (PyTorch backend)") == "trtllm"
    assert labels.engine("vLLM v0.9.2") == "vllm"
    assert labels.engine("FasterTransformer") is None
    assert format_word("bf16(unstated)", "weight_format") == "bf16"
    assert format_word("awq-int4", "weight_format") == "int4"
    assert format_word("GGUF", "weight_format") is None


def test_every_label_of_the_catalogue_leads_to_its_own_entry() -> None:
    catalog = load_catalog()
    labels = Labels(catalog)
    from catalog.book import ACCELERATOR, MODEL

    for found in catalog.all(MODEL):
        assert labels.model(found.entry.id) == found.entry.id
    for device in catalog.all(ACCELERATOR):
        assert labels.accelerator(device.entry.id) == device.entry.id


def test_a_run_becomes_a_scenario(tmp_path: Path) -> None:
    values = only_run(tmp_path).values
    assert values["accelerator"] == "h100-sxm-80gb"
    assert (values["model"], values["engine"], values["weight_format"]) == ("qwen3-32b", "vllm", "fp8")
    assert (values["tensor_parallel"], values["expert_parallel"], values["attention_data_parallel"]) == (
        2,
        False,
        False,
    )
    assert (values["prompt_tokens"], values["output_tokens"], values["batch"]) == (1024, 512, 16)
    assert (values["latency_convention"], values["efficiency_profile"]) == ("benchmark", "fitted")


def test_lengths_of_public_dumps_are_drawn_below_their_nominal_value(tmp_path: Path) -> None:
    for origin in ("db-dump/2026-04-27", "source_file=2026-04-06.csv"):
        values = only_run(tmp_path, note=f"agg; origin {origin}").values
        assert (values["prompt_tokens"], values["output_tokens"]) == (922, 461)
    values = only_run(tmp_path, note="agg; origin source_file=our-sweep.csv").values
    assert values["prompt_tokens"] == 1024


@pytest.mark.parametrize(
    ("engine", "device", "weights", "stated", "expected"),
    [
        ("vllm", "B200-SXM-180GB", "bf16", "", "fp8"),
        ("vllm", "H100-SXM-80GB", "fp8", "", "bf16"),
        ("trtllm", "H100-SXM-80GB", "fp8", "", "fp8"),
        ("trtllm", "B200-SXM-180GB", "bf16", "", "bf16"),
        ("sglang", "B200-SXM-180GB", "nvfp4", "", "bf16"),
        ("sglang", "B200-SXM-180GB", "nvfp4", "fp8(checkpoint-default)", "fp8"),
    ],
)
def test_kv_format_is_the_stated_one_else_the_launch_scripts(
    engine: str, device: str, weights: str, stated: str, expected: str, tmp_path: Path
) -> None:
    mapped = only_run(tmp_path, engine=engine, gpu=device, weight_precision=weights, kv_precision=stated)
    assert mapped.values["kv_format"] == expected


def test_attention_data_parallel_spans_all_devices(tmp_path: Path) -> None:
    note = "agg; attention_dp=8; moe_tp=1; moe_ep=8"
    values = only_run(tmp_path, model="DeepSeek-R1", gpu="H200-SXM-141GB", n_gpus="8", tp="1", note=note).values
    assert (values["tensor_parallel"], values["attention_data_parallel"], values["expert_parallel"]) == (8, True, True)


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"gpu": "Abacus 9"}, "device 'Abacus 9' is not in the catalogue"),
        ({"model": "Nobody-7B"}, "model 'Nobody-7B' is not in the catalogue"),
        ({"engine": "exllama"}, "engine 'exllama' is not in the catalogue"),
        ({"weight_precision": ""}, "weight format is not stated"),
        ({"weight_precision": "3-bit"}, "weight format '3-bit' is not known"),
        ({"kv_precision": "int2"}, "KV format 'int2' is not known"),
        ({"n_gpus": "4"}, "2 x 1 x 1 parallel degrees are not the 4 devices stated"),
        ({"n_gpus": "8", "note": "agg; attention_dp=4"}, "attention is both tensor and data parallel"),
        ({"isl": "900000000"}, "Prompt tokens (prompt_tokens) = '900000000' is refused"),
    ],
)
def test_a_run_without_a_scenario_is_named_with_the_reason(
    changes: dict[str, str], reason: str, tmp_path: Path
) -> None:
    assert only_reason(tmp_path, **changes).startswith(reason)


def test_repeats_count_once_even_under_another_name_of_the_model(tmp_path: Path) -> None:
    rows = [
        run_rows(path_or_url="a"),
        run_rows(path_or_url="b", model="Qwen3-32B"),
        run_rows(path_or_url="c", tpot="9"),
    ]
    found = prepared(write_runs(tmp_path / "runs.csv", *rows))
    assert len(found.mapped) == 2
    (repeat,) = found.left_out
    assert (repeat.reason, repeat.where, repeat.rows) == (REPEAT, "runs.csv:4", 2)


def test_rows_known_to_be_mislabelled_are_set_aside(tmp_path: Path) -> None:
    known = {"source": "ai-dynamo/aiconfigurator silicon_sample.csv", "engine": "trtllm"}
    rc6 = {"engine_version": "1.2.0rc6.post3", "gpu": "B200-SXM-180GB", "model": "DeepSeek-R1"}
    assert "multi-token prediction" in only_reason(tmp_path, **known, **rc6)
    assert only_run(tmp_path, **known, **{**rc6, "engine_version": "1.2.0rc6.post2"}).values["model"] == "deepseek-r1"
    assert "12 and more devices" in only_reason(tmp_path, **known, gpu="GB200-192GB", n_gpus="36", tp="36")


@pytest.mark.parametrize(
    ("changes", "warmup"),
    [
        ({}, None),
        ({"engine_version": "0.9.2"}, 256),
        ({"engine_version": "2025-11"}, None),
        ({"engine_version": "2024-12"}, 256),
        ({"engine_version": "V1"}, 256),
        ({"gpu": "A100-80GB"}, 256),
        ({"source": "inference-sim/inference-sim"}, 128),
    ],
)
def test_warm_up_sequences_follow_version_and_device(
    changes: dict[str, str], warmup: int | None, tmp_path: Path
) -> None:
    (mapped,) = prepared(write_pools(tmp_path / "pools.csv", changes)).mapped
    assert mapped.values["warmup_sequences"] == warmup


def test_an_unknown_device_with_a_known_memory_still_has_a_pool(tmp_path: Path) -> None:
    (mapped,) = prepared(write_pools(tmp_path / "pools.csv", {"gpu": "24 GB class GPU", "gpu_mem_gib": "23.65"})).mapped
    assert mapped.overrides == {"runtime_memory_gib": 23.65}
    assert mapped.group == ("llama-3.1-8b", "24 GB class GPU", "vllm")


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"gpu_mem_gib": "", "gpu": "not in excerpt"}, "device memory is not stated"),
        ({"gpu_memory_utilization": ""}, "memory utilization is not stated"),
        ({"kv_gib_per_gpu": ""}, "the KV pool is not stated"),
        ({"kv_gib_per_gpu": "-1.05"}, "the engine did not start"),
        ({"gpu_memory_utilization": "7"}, "Memory utilization (memory_utilization) = '7.0' is refused"),
    ],
)
def test_a_pool_that_states_too_little_is_named(changes: dict[str, str], reason: str, tmp_path: Path) -> None:
    found = prepared(write_pools(tmp_path / "pools.csv", changes))
    assert not found.mapped
    assert found.left_out[0].reason.startswith(reason)
