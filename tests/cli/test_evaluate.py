"""planner eval, inputs, rows: the contract that scripts rely on."""

import json
import math
from collections.abc import Callable
from pathlib import Path

import pytest

from planner.model.facts import FACT_FIELDS
from planner.model.inputs import INPUTS
from planner.model.rows import SHEET
from tests.cli.conftest import Ran

Run = Callable[..., Ran]

INPUT_NAMES = """
accelerator tensor_parallel pipeline_parallel expert_parallel attention_data_parallel interconnect link_gbps
allreduce_latency_us memory_utilization activation_reserve_gib runtime_reserve_gib warmup_sequences model weight_format
kv_format requests_per_day users requests_per_user_per_day think_time_s calls_per_request prompt_tokens output_tokens
reasoning_tokens prefix_cache_hit peak_factor hourly_profile network_rtt_ms traffic_growth_per_month
output_growth_per_month engine batch max_batch max_context_tokens chunk_tokens scheduling flash_attention kv_allocation
kv_sizing block_tokens draft_tokens draft_acceptance draft_cost_ratio draft_model latency_convention output_length_cv
ttft_target_ms tpot_target_ms target_utilization spare_replicas replicas_fixed efficiency_profile software_factor
ttft_factor device_price_per_hour price_plan plan_price_ratio hours_per_day days_per_month autoscale owned_device_price
owned_months device_power_w device_idle_power_w server_overhead_w pue price_per_kwh other_cost_per_month
input_price_per_million output_price_ratio cached_price_ratio cache_write_price_ratio reasoning_price_ratio cached_share
cache_write_share batch_share batch_price_ratio long_context_threshold_tokens long_context_input_ratio
long_context_output_ratio currency
""".split()

FACT_NAMES = """
parameters active_parameters layers heads kv_heads head_dim hidden_size vocabulary experts experts_per_token
expert_parameters window_tokens window_layers kv_lora_rank qk_rope_head_dim memory_bandwidth peak_flops
runtime_memory_gib weights_efficiency kv_efficiency decode_efficiency prefill_efficiency expert_prefill_efficiency
link_efficiency layer_overhead_us moe_layer_overhead_us mla_layer_overhead_us linear_layer_overhead_us
sparse_layer_overhead_us sequence_overhead_us step_overhead_us ttft_constant_ms first_steps
""".split()

ROW_NAMES = """
weight_bytes weight_bytes_per_device kv_bytes_per_token kv_bytes_per_sequence kv_live_bytes_per_sequence
kv_pool_bytes_per_device aggregate_bandwidth kv_pool_tokens max_concurrency sequences_that_fit fits weights_read_bytes
experts_read memory_time_s compute_time_s interconnect_time_s overhead_time_s step_time_s prefill_compute_s
prefill_memory_s prefill_bound_by prefill_time_s ttft_s ttft_user_s ttft_p95_s tpot_s latency_s decode_share
arithmetic_intensity machine_balance critical_batch bound_by idle_compute_share speculative_speedup
tokens_per_second_per_user decode_tokens_per_second tokens_per_second_per_replica requests_per_second_mean
requests_per_second_peak inter_token_gap_p95_s operating_batch in_flight largest_batch largest_batch_bound_by
utilization_peak utilization_mean replicas prefill_replicas decode_replicas pd_ratio devices self_host_cost_per_month
self_host_cost_per_million_output_tokens api_cost_per_request api_cost_per_user_request api_cost_per_month
physical_output_input_ratio price_ratio_batch break_even_requests_per_day break_even_stays_requests_per_day
break_even_utilization break_even_device_price energy_kwh_per_month energy_kwh_per_million_tokens
""".split()


def test_eval_prints_inputs_facts_and_rows_and_touches_no_database(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PLANNER_DB", str(tmp_path / "none.db"))
    ran = run("eval", "--json")
    assert ran.err == ""
    assert set(ran.json) == {"scenario", "inputs", "facts", "rows", "remarks", "would_fit_with"}
    assert set(INPUT_NAMES) <= set(ran.json["inputs"]) == set(INPUTS)
    assert set(FACT_NAMES) <= set(ran.json["facts"]) == set(FACT_FIELDS)
    assert set(ROW_NAMES) <= set(ran.json["rows"]) == set(SHEET.rows)
    assert list(tmp_path.iterdir()) == []


def test_a_row_has_value_unit_and_band_and_a_blank_one_its_reason(run: Run) -> None:
    rows = run("eval", "--json").json["rows"]
    assert all({"value", "unit", "low", "high"} <= set(row) for row in rows.values())
    tpot = rows["tpot_s"]
    assert tpot["low"] < tpot["value"] < tpot["high"]
    assert rows["bound_by"]["low"] is rows["bound_by"]["high"] is None, "a word has no band"
    assert rows["tpot_s"]["unit"] == "s"
    assert 0 < rows["tpot_s"]["value"] < 1
    blank = {name: row for name, row in rows.items() if row["value"] is None}
    assert "self_host_cost_per_month" in blank
    assert all(row["reason"] for row in blank.values())
    assert all("reason" not in row for name, row in rows.items() if name not in blank)


def test_what_would_fit_is_said_where_it_does_not(run: Run) -> None:
    tight = run("eval", "--json", "--set", "model=llama-3.3-70b")
    assert tight.rows["fits"] is False
    assert {"name": "tensor_parallel", "value": 4} in tight.json["would_fit_with"]
    assert "Tensor parallel 4 devices" in run("eval", "--set", "model=llama-3.3-70b").out
    assert run("eval", "--json").json["would_fit_with"] == []


def test_values_keep_their_types(run: Run) -> None:
    hours = " ".join(["0.0416666"] * 23 + [str(1 - 23 * 0.0416666)])
    ran = run("eval", "--json", "--set", "expert_parallel=yes", "--set", f"hourly_profile={hours}")
    inputs = ran.json["inputs"]
    assert inputs["expert_parallel"] is True
    assert inputs["autoscale"] is False
    assert len(inputs["hourly_profile"]) == 24
    assert inputs["tensor_parallel"] == 1
    assert inputs["users"] is None
    assert ran.rows["fits"] is True
    assert isinstance(ran.rows["bound_by"], str)


def test_low_and_high_enclose_the_value(run: Run) -> None:
    rows = run("eval", "--json", "--low-high").json["rows"]
    assert rows["tpot_s"]["low"] < rows["tpot_s"]["value"] < rows["tpot_s"]["high"]
    assert rows["bound_by"]["low"] is None
    shown = run("eval", "--low-high").out
    assert "Low" in shown.splitlines()[1]


def test_set_changes_inputs_and_facts(run: Run) -> None:
    base = run("eval", "--json", "--set", "efficiency_profile=ideal", "--set", "batch=1").rows
    more = run(
        *("eval", "--json", "--set", "efficiency_profile=ideal", "--set", "batch=1"),
        *("--set", "memory_bandwidth=6.7e12", "--set", "weight_bytes=1.4e11", "--set", "prompt_tokens=2k"),
    )
    assert more.json["facts"]["memory_bandwidth"]["value"] == 6.7e12
    assert more.json["facts"]["memory_bandwidth"]["overridden"] is True
    assert more.json["facts"]["measured_weight_bytes"]["value"] == 1.4e11
    assert more.json["inputs"]["prompt_tokens"] == 2000
    assert math.isclose(more.rows["weight_bytes"], 1.4e11)
    assert more.rows["memory_time_s"] < base["memory_time_s"]


def test_an_empty_fact_is_the_catalogues(run: Run) -> None:
    facts = run("eval", "--json", "--set", "memory_bandwidth=").json["facts"]
    assert facts["memory_bandwidth"]["overridden"] is False
    assert facts["memory_bandwidth"]["source"]


def test_a_model_may_be_a_config_json(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "tiny"
    folder.mkdir()
    config = {
        "model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": 256, "intermediate_size": 512,
        "num_hidden_layers": 4, "num_attention_heads": 8, "num_key_value_heads": 2, "vocab_size": 1000,
        "max_position_embeddings": 4096, "tie_word_embeddings": False, "torch_dtype": "bfloat16",
    }  # fmt: skip
    (folder / "config.json").write_text(json.dumps(config))
    for path in (folder, folder / "config.json"):
        facts = run("eval", "--json", "--set", f"model={path}").json["facts"]
        assert facts["layers"]["value"] == 4
        assert facts["kv_heads"]["value"] == 2
    monkeypatch.chdir(tmp_path)
    inputs = run("eval", "--json", "--set", "model=tiny/config.json").json["inputs"]
    assert inputs["model"] == str((folder / "config.json").resolve())


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        (["promt_tokens=5"], ["'promt_tokens'", "prompt_tokens"]),
        (["prompt_tokens=0"], ["Prompt tokens", "prompt_tokens", "'0'", "1 to 100,000,000 tokens"]),
        (["prompt_tokens=nan"], ["Prompt tokens", "1 to 100,000,000 tokens"]),
        (["peak_factor=inf"], ["Peak factor", "finite"]),
        (["weight_format=fp9"], ["'fp9'", "fp8"]),
        (["expert_parallel=maybe"], ["yes or no"]),
        (["prompt_tokens"], ["NAME=VALUE"]),
        (["prompt_tokens=5", "prompt_tokens=6"], ["twice"]),
        (["memory_bandwidth=-1"], ["Memory bandwidth", "B/s"]),
        (["model=lama-3.1-8b"], ["lama-3.1-8b", "llama-3.1-8b"]),
        (["accelerator=h1000-sxm"], ["h1000-sxm", "h100-sxm-80gb"]),
        (["engine=vlm"], ["vlm", "vllm"]),
        (["cached_share=0.7", "cache_write_share=0.7"], ["at most 1"]),
        (["output_tokens=0"], ["at least 1 token"]),
    ],
)
def test_what_is_refused_names_field_value_and_bound(
    refuse: Callable[..., str], settings: list[str], words: list[str]
) -> None:
    arguments = [part for setting in settings for part in ("--set", setting)]
    sentence = refuse("eval", "--json", *arguments)
    assert all(word.lower() in sentence.lower() for word in words), sentence


def test_the_table_leads_with_the_chief_rows_and_lists_why_rows_are_blank(run: Run) -> None:
    short, full = run("eval"), run("eval", "--all")
    assert [line.split()[0] for line in short.out.splitlines()[:2]] == ["defaults", "Result"]
    assert "TPOT" in short.out
    assert "ms" in short.out
    assert "— is blank:" in short.out
    assert "device price per hour" in short.out
    assert len(full.out.splitlines()) > len(SHEET.rows)
    assert all(name in full.out for name in ROW_NAMES)


def test_inputs_says_what_can_be_set(run: Run) -> None:
    document = run("inputs", "--json").json
    assert list(document["inputs"]) == list(INPUTS)
    assert list(document["facts"]) == list(FACT_FIELDS)
    prompt = document["inputs"]["prompt_tokens"]
    assert (prompt["unit"], prompt["low"], prompt["high"], prompt["default"]) == ("tokens", 1, 100_000_000, 1000)
    assert all(field["help"] and field["label"] and field["bounds"] for field in document["inputs"].values())
    shown = run("inputs").out
    assert all(name in shown for name in INPUT_NAMES)
    assert "memory_bandwidth" not in shown
    assert "memory_bandwidth" in run("inputs", "--facts").out


def test_rows_says_what_is_computed(run: Run) -> None:
    rows = run("rows", "--json").json["rows"]
    assert list(rows) == list(SHEET.rows)
    assert rows["tpot_s"]["unit"] == "s"
    assert rows["tpot_s"]["better"] == "lower"
    assert rows["weight_bytes_per_device"]["needs"]
    assert all(row["formula"] and row["formula"][0].startswith(f"{name} = ") for name, row in rows.items())
    assert all(row["help"] for row in rows.values())
    shown = run("rows").out
    assert all(name in shown for name in ROW_NAMES)
