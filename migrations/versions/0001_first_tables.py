"""The first tables.

Revision: 0001
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

IDENTIFIER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
TIME = sa.DateTime(timezone=True).with_variant(sa.String(32), "sqlite")
JSON = JSONB(none_as_null=True).with_variant(sa.Text(), "sqlite")
SWITCH = sa.Boolean().with_variant(sa.SmallInteger(), "sqlite")
LIVE = sa.text("deleted_at IS NULL")


def _create_catalogue_entry() -> None:
    op.create_table(
        "catalogue_entry",
        sa.Column("id", IDENTIFIER, nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(20), nullable=False),
        sa.Column("name", sa.String(200), nullable=False),
        sa.Column("name_key", sa.String(600), nullable=False),
        sa.Column("document", JSON, nullable=False),
        sa.Column("created_at", TIME, nullable=False),
        sa.Column("modified_at", TIME, nullable=False),
        sa.Column("deleted_at", TIME, nullable=True),
        sa.PrimaryKeyConstraint("id", name="pk_catalogue_entry"),
        sa.CheckConstraint("length(name) BETWEEN 1 AND 200", name=op.f("ck_catalogue_entry_name")),
        sqlite_autoincrement=True,
    )
    op.create_index(
        "ix_catalogue_entry_live_name",
        "catalogue_entry",
        ["kind", "name_key"],
        unique=True,
        sqlite_where=LIVE,
        postgresql_where=LIVE,
    )


def _create_instance() -> None:
    op.create_table(
        "instance",
        sa.Column("id", IDENTIFIER, nullable=False),
        sa.Column("token", sa.String(32), nullable=False),
        sa.Column("host", sa.String(255), nullable=False),
        sa.Column("process", sa.BigInteger(), nullable=False),
        sa.Column("process_start", sa.String(40), nullable=False),
        sa.Column("who", sa.String(120), nullable=False),
        sa.Column("started_at", TIME, nullable=False),
        sa.Column("program_version", sa.String(40), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_instance"),
        sa.UniqueConstraint("token", name="uq_instance_token"),
    )


def _create_setting() -> None:
    op.create_table(
        "setting",
        sa.Column("name", sa.String(60), nullable=False),
        sa.Column("owner", sa.String(120), nullable=False),
        sa.Column("value", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("name", "owner", name="pk_setting"),
    )


def _create_workspace() -> None:
    op.create_table(
        "workspace",
        sa.Column("id", IDENTIFIER, nullable=False),
        sa.Column("uid", sa.String(32), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(120), nullable=False),
        sa.Column("name_key", sa.String(360), nullable=False),
        sa.Column("notes", sa.Text(), nullable=False),
        sa.Column("created_at", TIME, nullable=False),
        sa.Column("modified_at", TIME, nullable=False),
        sa.Column("deleted_at", TIME, nullable=True),
        sa.PrimaryKeyConstraint("id", name="pk_workspace"),
        sa.UniqueConstraint("uid", name="uq_workspace_uid"),
        sa.CheckConstraint("length(name) BETWEEN 1 AND 120", name=op.f("ck_workspace_name")),
        sqlite_autoincrement=True,
    )
    op.create_index(
        "ix_workspace_live_name", "workspace", ["name_key"], unique=True, sqlite_where=LIVE, postgresql_where=LIVE
    )


def _create_revision() -> None:
    op.create_table(
        "revision",
        sa.Column("id", IDENTIFIER, nullable=False),
        sa.Column("workspace_id", IDENTIFIER, nullable=True),
        sa.Column("sequence", sa.BigInteger(), nullable=False),
        sa.Column("at", TIME, nullable=False),
        sa.Column("who", sa.String(120), nullable=False),
        sa.Column("action", sa.String(40), nullable=False),
        sa.Column("why", sa.Text(), nullable=False),
        sa.Column("undoes_id", IDENTIFIER, nullable=True),
        sa.Column("subject", sa.Text(), nullable=False),
        sa.Column("before", JSON, nullable=True),
        sa.Column("after", JSON, nullable=True),
        sa.Column("program_version", sa.String(40), nullable=False),
        sa.Column("model_version", sa.String(40), nullable=False),
        sa.Column("catalogue_version", sa.String(80), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_revision"),
        sa.ForeignKeyConstraint(["undoes_id"], ["revision.id"], name="fk_revision_undoes_id_revision"),
        sa.ForeignKeyConstraint(["workspace_id"], ["workspace.id"], name="fk_revision_workspace_id_workspace"),
        sa.UniqueConstraint("workspace_id", "sequence", name="uq_revision_workspace_id_sequence"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_revision_who", "revision", ["workspace_id", "who", "sequence"])


def _create_scenario() -> None:
    op.create_table(
        "scenario",
        sa.Column("id", IDENTIFIER, nullable=False),
        sa.Column("uid", sa.String(32), nullable=False),
        sa.Column("workspace_id", IDENTIFIER, nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(120), nullable=False),
        sa.Column("name_key", sa.String(360), nullable=False),
        sa.Column("position", sa.BigInteger(), nullable=False),
        sa.Column("is_baseline", SWITCH, nullable=False),
        sa.Column("in_fleet", SWITCH, nullable=False),
        sa.Column("tags", JSON, nullable=False),
        sa.Column("notes", sa.Text(), nullable=False),
        sa.Column("overrides", JSON, nullable=False),
        sa.Column("created_at", TIME, nullable=False),
        sa.Column("modified_at", TIME, nullable=False),
        sa.Column("deleted_at", TIME, nullable=True),
        sa.Column("accelerator", sa.String(200), nullable=False),
        sa.Column("tensor_parallel", sa.BigInteger(), nullable=False),
        sa.Column("pipeline_parallel", sa.BigInteger(), nullable=False),
        sa.Column("expert_parallel", SWITCH, nullable=False),
        sa.Column("attention_data_parallel", SWITCH, nullable=False),
        sa.Column("memory_utilization", sa.Double(), nullable=False),
        sa.Column("activation_reserve_gib", sa.Double(), nullable=True),
        sa.Column("runtime_reserve_gib", sa.Double(), nullable=True),
        sa.Column("warmup_sequences", sa.BigInteger(), nullable=True),
        sa.Column("interconnect", sa.String(200), nullable=False),
        sa.Column("link_gbps", sa.Double(), nullable=True),
        sa.Column("allreduce_latency_us", sa.Double(), nullable=True),
        sa.Column("model", sa.String(200), nullable=False),
        sa.Column("weight_format", sa.String(40), nullable=False),
        sa.Column("kv_format", sa.String(40), nullable=False),
        sa.Column("requests_per_day", sa.Double(), nullable=False),
        sa.Column("users", sa.Double(), nullable=True),
        sa.Column("requests_per_user_per_day", sa.Double(), nullable=True),
        sa.Column("think_time_s", sa.Double(), nullable=True),
        sa.Column("calls_per_request", sa.Double(), nullable=False),
        sa.Column("prompt_tokens", sa.BigInteger(), nullable=False),
        sa.Column("output_tokens", sa.BigInteger(), nullable=False),
        sa.Column("reasoning_tokens", sa.BigInteger(), nullable=False),
        sa.Column("output_length_cv", sa.Double(), nullable=False),
        sa.Column("prefix_cache_hit", sa.Double(), nullable=False),
        sa.Column("peak_factor", sa.Double(), nullable=False),
        sa.Column("hourly_profile", JSON, nullable=True),
        sa.Column("network_rtt_ms", sa.Double(), nullable=False),
        sa.Column("traffic_growth_per_month", sa.Double(), nullable=False),
        sa.Column("output_growth_per_month", sa.Double(), nullable=False),
        sa.Column("engine", sa.String(200), nullable=False),
        sa.Column("batch", sa.Double(), nullable=True),
        sa.Column("max_batch", sa.BigInteger(), nullable=False),
        sa.Column("max_context_tokens", sa.BigInteger(), nullable=True),
        sa.Column("chunk_tokens", sa.BigInteger(), nullable=False),
        sa.Column("scheduling", sa.String(40), nullable=False),
        sa.Column("flash_attention", SWITCH, nullable=False),
        sa.Column("cuda_graphs", SWITCH, nullable=False),
        sa.Column("kv_allocation", sa.String(40), nullable=False),
        sa.Column("block_tokens", sa.BigInteger(), nullable=False),
        sa.Column("kv_sizing", sa.String(40), nullable=False),
        sa.Column("draft_tokens", sa.BigInteger(), nullable=False),
        sa.Column("draft_acceptance", sa.Double(), nullable=False),
        sa.Column("draft_cost_ratio", sa.Double(), nullable=True),
        sa.Column("draft_model", sa.String(200), nullable=True),
        sa.Column("latency_convention", sa.String(40), nullable=False),
        sa.Column("ttft_target_ms", sa.Double(), nullable=True),
        sa.Column("tpot_target_ms", sa.Double(), nullable=True),
        sa.Column("target_utilization", sa.Double(), nullable=False),
        sa.Column("spare_replicas", sa.BigInteger(), nullable=False),
        sa.Column("replicas_fixed", sa.BigInteger(), nullable=True),
        sa.Column("efficiency_profile", sa.String(200), nullable=False),
        sa.Column("software_factor", sa.Double(), nullable=False),
        sa.Column("ttft_factor", sa.Double(), nullable=False),
        sa.Column("device_price_per_hour", sa.Double(), nullable=True),
        sa.Column("price_plan", sa.String(40), nullable=False),
        sa.Column("plan_price_ratio", sa.Double(), nullable=False),
        sa.Column("hours_per_day", sa.Double(), nullable=False),
        sa.Column("days_per_month", sa.Double(), nullable=False),
        sa.Column("autoscale", SWITCH, nullable=False),
        sa.Column("device_price_decline_per_month", sa.Double(), nullable=False),
        sa.Column("owned_device_price", sa.Double(), nullable=True),
        sa.Column("owned_months", sa.Double(), nullable=False),
        sa.Column("device_power_w", sa.Double(), nullable=True),
        sa.Column("device_idle_power_w", sa.Double(), nullable=True),
        sa.Column("server_overhead_w", sa.Double(), nullable=False),
        sa.Column("pue", sa.Double(), nullable=False),
        sa.Column("price_per_kwh", sa.Double(), nullable=True),
        sa.Column("other_cost_per_month", sa.Double(), nullable=False),
        sa.Column("input_price_per_million", sa.Double(), nullable=True),
        sa.Column("output_price_ratio", sa.Double(), nullable=True),
        sa.Column("cached_price_ratio", sa.Double(), nullable=False),
        sa.Column("cache_write_price_ratio", sa.Double(), nullable=False),
        sa.Column("reasoning_price_ratio", sa.Double(), nullable=True),
        sa.Column("cached_share", sa.Double(), nullable=False),
        sa.Column("cache_write_share", sa.Double(), nullable=False),
        sa.Column("batch_share", sa.Double(), nullable=False),
        sa.Column("batch_price_ratio", sa.Double(), nullable=False),
        sa.Column("long_context_threshold_tokens", sa.BigInteger(), nullable=True),
        sa.Column("long_context_input_ratio", sa.Double(), nullable=False),
        sa.Column("long_context_output_ratio", sa.Double(), nullable=True),
        sa.Column("currency", sa.String(200), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_scenario"),
        sa.ForeignKeyConstraint(["workspace_id"], ["workspace.id"], name="fk_scenario_workspace_id_workspace"),
        sa.UniqueConstraint("uid", name="uq_scenario_uid"),
        sa.CheckConstraint("length(name) BETWEEN 1 AND 120", name=op.f("ck_scenario_name")),
        sa.CheckConstraint("is_baseline IN (FALSE, TRUE)", name=op.f("ck_scenario_is_baseline")),
        sa.CheckConstraint("in_fleet IN (FALSE, TRUE)", name=op.f("ck_scenario_in_fleet")),
        sa.CheckConstraint("length(accelerator) BETWEEN 1 AND 200", name=op.f("ck_scenario_accelerator")),
        sa.CheckConstraint(
            "tensor_parallel >= 1 AND tensor_parallel <= 1024", name=op.f("ck_scenario_tensor_parallel")
        ),
        sa.CheckConstraint(
            "pipeline_parallel >= 1 AND pipeline_parallel <= 256", name=op.f("ck_scenario_pipeline_parallel")
        ),
        sa.CheckConstraint("expert_parallel IN (FALSE, TRUE)", name=op.f("ck_scenario_expert_parallel")),
        sa.CheckConstraint(
            "attention_data_parallel IN (FALSE, TRUE)", name=op.f("ck_scenario_attention_data_parallel")
        ),
        sa.CheckConstraint(
            "memory_utilization >= 0.05 AND memory_utilization <= 1", name=op.f("ck_scenario_memory_utilization")
        ),
        sa.CheckConstraint(
            "activation_reserve_gib >= 0 AND activation_reserve_gib <= 10000",
            name=op.f("ck_scenario_activation_reserve_gib"),
        ),
        sa.CheckConstraint(
            "runtime_reserve_gib >= 0 AND runtime_reserve_gib <= 10000", name=op.f("ck_scenario_runtime_reserve_gib")
        ),
        sa.CheckConstraint(
            "warmup_sequences >= 1 AND warmup_sequences <= 1000000", name=op.f("ck_scenario_warmup_sequences")
        ),
        sa.CheckConstraint("length(interconnect) BETWEEN 1 AND 200", name=op.f("ck_scenario_interconnect")),
        sa.CheckConstraint("link_gbps > 0 AND link_gbps <= 1000000", name=op.f("ck_scenario_link_gbps")),
        sa.CheckConstraint(
            "allreduce_latency_us >= 0 AND allreduce_latency_us <= 1000000",
            name=op.f("ck_scenario_allreduce_latency_us"),
        ),
        sa.CheckConstraint("length(model) BETWEEN 1 AND 200", name=op.f("ck_scenario_model")),
        sa.CheckConstraint(
            "weight_format IN ('stored', 'fp32', 'bf16', 'fp16', 'fp8', 'int8', 'int4', "
            "'mxfp4', 'nvfp4', 'q8_0', 'q4_k_m')",
            name=op.f("ck_scenario_weight_format"),
        ),
        sa.CheckConstraint(
            "kv_format IN ('bf16', 'fp16', 'fp8', 'int8', 'fp4', 'none')", name=op.f("ck_scenario_kv_format")
        ),
        sa.CheckConstraint(
            "requests_per_day >= 0 AND requests_per_day <= 1000000000000", name=op.f("ck_scenario_requests_per_day")
        ),
        sa.CheckConstraint("users >= 0 AND users <= 10000000000", name=op.f("ck_scenario_users")),
        sa.CheckConstraint(
            "requests_per_user_per_day >= 0 AND requests_per_user_per_day <= 1000000",
            name=op.f("ck_scenario_requests_per_user_per_day"),
        ),
        sa.CheckConstraint("think_time_s >= 0 AND think_time_s <= 1000000", name=op.f("ck_scenario_think_time_s")),
        sa.CheckConstraint(
            "calls_per_request >= 0.01 AND calls_per_request <= 10000", name=op.f("ck_scenario_calls_per_request")
        ),
        sa.CheckConstraint("prompt_tokens >= 1 AND prompt_tokens <= 100000000", name=op.f("ck_scenario_prompt_tokens")),
        sa.CheckConstraint("output_tokens >= 0 AND output_tokens <= 10000000", name=op.f("ck_scenario_output_tokens")),
        sa.CheckConstraint(
            "reasoning_tokens >= 0 AND reasoning_tokens <= 10000000", name=op.f("ck_scenario_reasoning_tokens")
        ),
        sa.CheckConstraint(
            "output_length_cv >= 0 AND output_length_cv <= 10", name=op.f("ck_scenario_output_length_cv")
        ),
        sa.CheckConstraint(
            "prefix_cache_hit >= 0 AND prefix_cache_hit <= 1", name=op.f("ck_scenario_prefix_cache_hit")
        ),
        sa.CheckConstraint("peak_factor >= 1 AND peak_factor <= 1000", name=op.f("ck_scenario_peak_factor")),
        sa.CheckConstraint("network_rtt_ms >= 0 AND network_rtt_ms <= 100000", name=op.f("ck_scenario_network_rtt_ms")),
        sa.CheckConstraint(
            "traffic_growth_per_month >= -0.9 AND traffic_growth_per_month <= 2",
            name=op.f("ck_scenario_traffic_growth_per_month"),
        ),
        sa.CheckConstraint(
            "output_growth_per_month >= -0.9 AND output_growth_per_month <= 2",
            name=op.f("ck_scenario_output_growth_per_month"),
        ),
        sa.CheckConstraint("length(engine) BETWEEN 1 AND 200", name=op.f("ck_scenario_engine")),
        sa.CheckConstraint("batch >= 1 AND batch <= 1000000", name=op.f("ck_scenario_batch")),
        sa.CheckConstraint("max_batch >= 1 AND max_batch <= 1000000", name=op.f("ck_scenario_max_batch")),
        sa.CheckConstraint(
            "max_context_tokens >= 1 AND max_context_tokens <= 1000000000", name=op.f("ck_scenario_max_context_tokens")
        ),
        sa.CheckConstraint("chunk_tokens >= 1 AND chunk_tokens <= 10000000", name=op.f("ck_scenario_chunk_tokens")),
        sa.CheckConstraint(
            "scheduling IN ('mixed', 'prefill_first', 'disaggregated')", name=op.f("ck_scenario_scheduling")
        ),
        sa.CheckConstraint("flash_attention IN (FALSE, TRUE)", name=op.f("ck_scenario_flash_attention")),
        sa.CheckConstraint("cuda_graphs IN (FALSE, TRUE)", name=op.f("ck_scenario_cuda_graphs")),
        sa.CheckConstraint("kv_allocation IN ('paged', 'contiguous')", name=op.f("ck_scenario_kv_allocation")),
        sa.CheckConstraint("block_tokens >= 1 AND block_tokens <= 100000", name=op.f("ck_scenario_block_tokens")),
        sa.CheckConstraint("kv_sizing IN ('worst', 'mean')", name=op.f("ck_scenario_kv_sizing")),
        sa.CheckConstraint("draft_tokens >= 0 AND draft_tokens <= 64", name=op.f("ck_scenario_draft_tokens")),
        sa.CheckConstraint(
            "draft_acceptance >= 0 AND draft_acceptance <= 1", name=op.f("ck_scenario_draft_acceptance")
        ),
        sa.CheckConstraint(
            "draft_cost_ratio >= 0 AND draft_cost_ratio <= 1", name=op.f("ck_scenario_draft_cost_ratio")
        ),
        sa.CheckConstraint("length(draft_model) BETWEEN 1 AND 200", name=op.f("ck_scenario_draft_model")),
        sa.CheckConstraint("latency_convention IN ('lab', 'benchmark')", name=op.f("ck_scenario_latency_convention")),
        sa.CheckConstraint(
            "ttft_target_ms > 0 AND ttft_target_ms <= 100000000", name=op.f("ck_scenario_ttft_target_ms")
        ),
        sa.CheckConstraint(
            "tpot_target_ms > 0 AND tpot_target_ms <= 100000000", name=op.f("ck_scenario_tpot_target_ms")
        ),
        sa.CheckConstraint(
            "target_utilization >= 0.01 AND target_utilization <= 1", name=op.f("ck_scenario_target_utilization")
        ),
        sa.CheckConstraint("spare_replicas >= 0 AND spare_replicas <= 100000", name=op.f("ck_scenario_spare_replicas")),
        sa.CheckConstraint(
            "replicas_fixed >= 1 AND replicas_fixed <= 10000000", name=op.f("ck_scenario_replicas_fixed")
        ),
        sa.CheckConstraint("length(efficiency_profile) BETWEEN 1 AND 200", name=op.f("ck_scenario_efficiency_profile")),
        sa.CheckConstraint(
            "software_factor >= 0.05 AND software_factor <= 20", name=op.f("ck_scenario_software_factor")
        ),
        sa.CheckConstraint("ttft_factor >= 0.05 AND ttft_factor <= 20", name=op.f("ck_scenario_ttft_factor")),
        sa.CheckConstraint(
            "device_price_per_hour >= 0 AND device_price_per_hour <= 100000",
            name=op.f("ck_scenario_device_price_per_hour"),
        ),
        sa.CheckConstraint(
            "price_plan IN ('on_demand', 'spot', '1_year', '3_years')", name=op.f("ck_scenario_price_plan")
        ),
        sa.CheckConstraint(
            "plan_price_ratio >= 0 AND plan_price_ratio <= 10", name=op.f("ck_scenario_plan_price_ratio")
        ),
        sa.CheckConstraint("hours_per_day > 0 AND hours_per_day <= 24", name=op.f("ck_scenario_hours_per_day")),
        sa.CheckConstraint("days_per_month > 0 AND days_per_month <= 31", name=op.f("ck_scenario_days_per_month")),
        sa.CheckConstraint("autoscale IN (FALSE, TRUE)", name=op.f("ck_scenario_autoscale")),
        sa.CheckConstraint(
            "device_price_decline_per_month >= 0 AND device_price_decline_per_month <= 0.5",
            name=op.f("ck_scenario_device_price_decline_per_month"),
        ),
        sa.CheckConstraint(
            "owned_device_price >= 0 AND owned_device_price <= 100000000", name=op.f("ck_scenario_owned_device_price")
        ),
        sa.CheckConstraint("owned_months >= 1 AND owned_months <= 240", name=op.f("ck_scenario_owned_months")),
        sa.CheckConstraint("device_power_w >= 0 AND device_power_w <= 100000", name=op.f("ck_scenario_device_power_w")),
        sa.CheckConstraint(
            "device_idle_power_w >= 0 AND device_idle_power_w <= 100000", name=op.f("ck_scenario_device_idle_power_w")
        ),
        sa.CheckConstraint(
            "server_overhead_w >= 0 AND server_overhead_w <= 100000", name=op.f("ck_scenario_server_overhead_w")
        ),
        sa.CheckConstraint("pue >= 1 AND pue <= 5", name=op.f("ck_scenario_pue")),
        sa.CheckConstraint("price_per_kwh >= 0 AND price_per_kwh <= 1000", name=op.f("ck_scenario_price_per_kwh")),
        sa.CheckConstraint(
            "other_cost_per_month >= 0 AND other_cost_per_month <= 10000000",
            name=op.f("ck_scenario_other_cost_per_month"),
        ),
        sa.CheckConstraint(
            "input_price_per_million >= 0 AND input_price_per_million <= 100000",
            name=op.f("ck_scenario_input_price_per_million"),
        ),
        sa.CheckConstraint(
            "output_price_ratio >= 0 AND output_price_ratio <= 1000", name=op.f("ck_scenario_output_price_ratio")
        ),
        sa.CheckConstraint(
            "cached_price_ratio >= 0 AND cached_price_ratio <= 10", name=op.f("ck_scenario_cached_price_ratio")
        ),
        sa.CheckConstraint(
            "cache_write_price_ratio >= 0 AND cache_write_price_ratio <= 10",
            name=op.f("ck_scenario_cache_write_price_ratio"),
        ),
        sa.CheckConstraint(
            "reasoning_price_ratio >= 0 AND reasoning_price_ratio <= 1000",
            name=op.f("ck_scenario_reasoning_price_ratio"),
        ),
        sa.CheckConstraint("cached_share >= 0 AND cached_share <= 1", name=op.f("ck_scenario_cached_share")),
        sa.CheckConstraint(
            "cache_write_share >= 0 AND cache_write_share <= 1", name=op.f("ck_scenario_cache_write_share")
        ),
        sa.CheckConstraint("batch_share >= 0 AND batch_share <= 1", name=op.f("ck_scenario_batch_share")),
        sa.CheckConstraint(
            "batch_price_ratio >= 0 AND batch_price_ratio <= 10", name=op.f("ck_scenario_batch_price_ratio")
        ),
        sa.CheckConstraint(
            "long_context_threshold_tokens >= 1 AND long_context_threshold_tokens <= 1000000000",
            name=op.f("ck_scenario_long_context_threshold_tokens"),
        ),
        sa.CheckConstraint(
            "long_context_input_ratio >= 0 AND long_context_input_ratio <= 100",
            name=op.f("ck_scenario_long_context_input_ratio"),
        ),
        sa.CheckConstraint(
            "long_context_output_ratio >= 0 AND long_context_output_ratio <= 1000",
            name=op.f("ck_scenario_long_context_output_ratio"),
        ),
        sa.CheckConstraint("length(currency) BETWEEN 1 AND 200", name=op.f("ck_scenario_currency")),
        sqlite_autoincrement=True,
    )
    op.create_index(
        "ix_scenario_baseline",
        "scenario",
        ["workspace_id"],
        unique=True,
        sqlite_where=sa.text("is_baseline = TRUE AND deleted_at IS NULL"),
        postgresql_where=sa.text("is_baseline = TRUE AND deleted_at IS NULL"),
    )
    op.create_index(
        "ix_scenario_live_name",
        "scenario",
        ["workspace_id", "name_key"],
        unique=True,
        sqlite_where=LIVE,
        postgresql_where=LIVE,
    )
    op.create_index(
        "ix_scenario_order", "scenario", ["workspace_id", "position", "id"], sqlite_where=LIVE, postgresql_where=LIVE
    )


def _create_revision_change() -> None:
    op.create_table(
        "revision_change",
        sa.Column("revision_id", IDENTIFIER, nullable=False),
        sa.Column("scenario_id", IDENTIFIER, nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(120), nullable=False),
        sa.Column("before", JSON, nullable=False),
        sa.Column("after", JSON, nullable=False),
        sa.PrimaryKeyConstraint("revision_id", "scenario_id", name="pk_revision_change"),
        sa.ForeignKeyConstraint(["revision_id"], ["revision.id"], name="fk_revision_change_revision_id_revision"),
    )
    op.create_index("ix_revision_change_scenario", "revision_change", ["scenario_id", "revision_id"])


def _create_snapshot() -> None:
    op.create_table(
        "snapshot",
        sa.Column("id", IDENTIFIER, nullable=False),
        sa.Column("uid", sa.String(32), nullable=False),
        sa.Column("workspace_id", IDENTIFIER, nullable=False),
        sa.Column("name", sa.String(120), nullable=False),
        sa.Column("name_key", sa.String(360), nullable=False),
        sa.Column("at", TIME, nullable=False),
        sa.Column("who", sa.String(120), nullable=False),
        sa.Column("notes", sa.Text(), nullable=False),
        sa.Column("revision_id", IDENTIFIER, nullable=True),
        sa.Column("digest", sa.String(64), nullable=False),
        sa.Column("scenario_count", sa.Integer(), nullable=False),
        sa.Column("content", JSON, nullable=False),
        sa.Column("program_version", sa.String(40), nullable=False),
        sa.Column("model_version", sa.String(40), nullable=False),
        sa.Column("catalogue_version", sa.String(80), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_snapshot"),
        sa.ForeignKeyConstraint(["revision_id"], ["revision.id"], name="fk_snapshot_revision_id_revision"),
        sa.ForeignKeyConstraint(["workspace_id"], ["workspace.id"], name="fk_snapshot_workspace_id_workspace"),
        sa.UniqueConstraint("uid", name="uq_snapshot_uid"),
        sa.UniqueConstraint("workspace_id", "name_key", name="uq_snapshot_workspace_id_name_key"),
        sa.CheckConstraint("length(name) BETWEEN 1 AND 120", name=op.f("ck_snapshot_name")),
        sqlite_autoincrement=True,
    )


def _create_witness() -> None:
    op.create_table(
        "witness",
        sa.Column("scenario_id", IDENTIFIER, nullable=False, autoincrement=False),
        sa.Column("scenario_version", sa.Integer(), nullable=False),
        sa.Column("catalogue_version", sa.String(80), nullable=False),
        sa.Column("model_version", sa.String(40), nullable=False),
        sa.Column("results", JSON, nullable=False),
        sa.Column("at", TIME, nullable=False),
        sa.PrimaryKeyConstraint("scenario_id", name="pk_witness"),
        sa.ForeignKeyConstraint(["scenario_id"], ["scenario.id"], name="fk_witness_scenario_id_scenario"),
    )


def upgrade() -> None:
    _create_catalogue_entry()
    _create_instance()
    _create_setting()
    _create_workspace()
    _create_revision()
    _create_scenario()
    _create_revision_change()
    _create_snapshot()
    _create_witness()
    settings = sa.table("setting", sa.column("name"), sa.column("owner"), sa.column("value"))
    op.bulk_insert(settings, [{"name": "min_app_version", "owner": "", "value": "0.1.0"}])


def downgrade() -> None:
    op.drop_table("witness")
    op.drop_table("snapshot")
    op.drop_table("revision_change")
    op.drop_table("scenario")
    op.drop_table("revision")
    op.drop_table("workspace")
    op.drop_table("setting")
    op.drop_table("instance")
    op.drop_table("catalogue_entry")
