"""Every input of a scenario, once: name, label, unit, type, bounds, default and one line of help.

Names are a contract: scripts, workbooks and saved scenarios use them. Catalogue names (accelerator, model,
formats, engine, profile) are looked up before the sheet is evaluated and fill the facts of ``facts.py``.
"""

from __future__ import annotations

from collections.abc import Mapping

from planner.model.fields import Field, FieldValue, InputError, Kind, nearest

HARDWARE, MODEL, TRAFFIC, SERVING, TARGETS, EFFICIENCY, PRICES, OWNED, API = (
    "Hardware",
    "Model",
    "Traffic",
    "Serving",
    "Targets and fleet",
    "Efficiency",
    "Device prices",
    "Owned hardware",
    "API prices",
)
WEIGHT_FORMATS = ("stored", "fp32", "bf16", "fp16", "fp8", "int8", "int4", "mxfp4", "nvfp4", "q8_0", "q4_k_m")
KV_FORMATS = ("bf16", "fp16", "fp8", "int8", "fp4", "none")


def _real(
    group: str,
    name: str,
    label: str,
    unit: str,
    low: float,
    high: float,
    default: float | int | None,
    help: str,
    *,
    blank: str = "",
    kind: Kind = "real",
    above_low: bool = False,
) -> Field:
    return Field(
        name=name, label=label, group=group, kind=kind, unit=unit, low=low, high=high, default=default, help=help,
        optional=default is None, blank=blank, above_low=above_low,
    )  # fmt: skip


def _whole(
    group: str,
    name: str,
    label: str,
    unit: str,
    low: int,
    high: int,
    default: int | None,
    help: str,
    *,
    blank: str = "",
) -> Field:
    return _real(group, name, label, unit, low, high, default, help, blank=blank, kind="integer")


def _word(group: str, name: str, label: str, choices: tuple[str, ...], default: str, help: str) -> Field:
    return Field(name=name, label=label, group=group, kind="choice", choices=choices, default=default, help=help)


def _switch(group: str, name: str, label: str, default: bool, help: str) -> Field:
    return Field(name=name, label=label, group=group, kind="switch", default=default, help=help)


def _name(group: str, name: str, label: str, default: str | None, help: str, *, blank: str = "") -> Field:
    return Field(
        name=name, label=label, group=group, kind="name", default=default, help=help,
        optional=default is None, blank=blank,
    )  # fmt: skip


INPUT_FIELDS: tuple[Field, ...] = (
    # Hardware
    _name(HARDWARE, "accelerator", "Accelerator", "h100-sxm-80gb", "Device from the catalogue, or the path of a TOML file that describes one."),
    _whole(HARDWARE, "tensor_parallel", "Tensor parallel", "devices", 1, 1024, 1, "Devices that share every layer of one replica."),
    _whole(HARDWARE, "pipeline_parallel", "Pipeline parallel", "stages", 1, 256, 1, "Stages that each hold a part of the layers; multiplies memory and throughput, never shortens TPOT."),
    _switch(HARDWARE, "expert_parallel", "Expert parallel", False, "Whole experts are spread over the devices in place of slices of every expert."),
    _switch(HARDWARE, "attention_data_parallel", "Attention data parallel", False, "Each device runs attention for its own sequences; attention weights are replicated."),
    _real(HARDWARE, "memory_utilization", "Memory utilization", "", 0.05, 1, 0.9, "Share of the memory the runtime sees that the engine may use."),
    _real(HARDWARE, "activation_reserve_gib", "Activation reserve per device", "GiB", 0, 10_000, None, "Memory kept for activations; blank takes the engine's rule.", blank="engine's rule"),
    _real(HARDWARE, "runtime_reserve_gib", "Runtime reserve per device", "GiB", 0, 10_000, None, "Memory kept for runtime and communication; blank takes the engine's rule.", blank="engine's rule"),
    _whole(HARDWARE, "warmup_sequences", "Warm-up sequences", "sequences", 1, 1_000_000, None, "Sequences in the engine's memory profile run; blank takes the engine's default for the device.", blank="engine's default"),
    _name(HARDWARE, "interconnect", "Interconnect", "catalogue", "'catalogue' takes the device's own link, 'ideal' costs nothing, or a link of the catalogue."),
    _real(HARDWARE, "link_gbps", "Link per direction", "GB/s", 0, 1_000_000, None, "Link rate of one device in one direction; blank takes the interconnect's.", blank="interconnect's", above_low=True),
    _real(HARDWARE, "allreduce_latency_us", "All-reduce latency", "us", 0, 1_000_000, None, "Latency of one all-reduce; blank takes the efficiency profile's.", blank="profile's"),
    # Model
    _name(MODEL, "model", "Model", "llama-3.1-8b", "Model from the catalogue, or the path of a config.json or of a model folder."),
    _word(MODEL, "weight_format", "Weight format", WEIGHT_FORMATS, "stored", "Format of the weights; 'stored' is the checkpoint's own."),
    _word(MODEL, "kv_format", "KV cache format", KV_FORMATS, "bf16", "Format of the KV cache; 'none' leaves the KV cache out, as the seeds' worked examples do."),
    # Traffic
    _real(TRAFFIC, "requests_per_day", "Requests per day", "requests/day", 0, 1e12, 100_000, "Requests of all users in a day; users x requests per user per day take its place where both are set."),
    _real(TRAFFIC, "users", "Users", "users", 0, 1e10, None, "Users of the service; blank counts requests per day directly.", blank="not used"),
    _real(TRAFFIC, "requests_per_user_per_day", "Requests per user per day", "requests/day", 0, 1e6, None, "Requests each user makes in a day.", blank="not used"),
    _real(TRAFFIC, "think_time_s", "Think time", "s", 0, 1e6, None, "Pause of a user between an answer and the next request; set, the closed-loop rows are computed.", blank="open arrivals"),
    _real(TRAFFIC, "calls_per_request", "Calls per request", "calls", 0.01, 10_000, 1, "Model calls that one user request makes; agents make many."),
    _whole(TRAFFIC, "prompt_tokens", "Prompt tokens", "tokens", 1, 100_000_000, 1000, "Prompt of one call, cached part included."),
    _whole(TRAFFIC, "output_tokens", "Visible output tokens", "tokens", 0, 10_000_000, 300, "Visible answer of one call."),
    _whole(TRAFFIC, "reasoning_tokens", "Reasoning tokens", "tokens", 0, 10_000_000, 0, "Hidden reasoning of one call, generated and billed beside the visible answer."),
    _real(TRAFFIC, "output_length_cv", "Output length variation", "", 0, 10, 0, "Standard deviation of the answer's length over its mean; enters the wait for a slot."),
    _real(TRAFFIC, "prefix_cache_hit", "Prefix cache hit share", "", 0, 1, 0, "Share of prompt tokens whose KV cache is already there."),
    _real(TRAFFIC, "peak_factor", "Peak factor", "", 1, 1000, 2, "Peak rate over the mean rate of a whole day; an hourly profile takes its place."),
    Field(name="hourly_profile", label="Hourly profile", group=TRAFFIC, kind="shares", optional=True, blank="flat with the peak factor", help="24 shares of the day's requests, one an hour, that sum to 1."),
    _real(TRAFFIC, "network_rtt_ms", "Network round trip", "ms", 0, 100_000, 0, "Round trip between user and service; the first token pays it once."),
    _real(TRAFFIC, "traffic_growth_per_month", "Traffic growth per month", "", -0.9, 2, 0, "Growth of requests per month in the projection."),
    _real(TRAFFIC, "output_growth_per_month", "Output growth per month", "", -0.9, 2, 0, "Growth of the answer's length per month in the projection."),
    # Serving
    _name(SERVING, "engine", "Engine", "vllm", "Serving engine: its memory conventions and TTFT constants (vllm, sglang, trtllm)."),
    _real(SERVING, "batch", "Fixed batch", "sequences", 1, 1_000_000, None, "Batch of every step; blank solves it from the load.", blank="solved from the load"),
    _whole(SERVING, "max_batch", "Largest batch of the engine", "sequences", 1, 1_000_000, 256, "Sequences the engine admits at once in one replica."),
    _whole(SERVING, "max_context_tokens", "Maximum context", "tokens", 1, 1_000_000_000, None, "Longest prompt + answer the deployment accepts; blank takes the model's.", blank="model's"),
    _whole(SERVING, "chunk_tokens", "Prefill chunk", "tokens", 1, 10_000_000, 8192, "Prompt tokens that one pass takes."),
    _word(SERVING, "scheduling", "Scheduling", ("mixed", "prefill_first", "disaggregated"), "mixed", "How prefill and decode share the devices: mixed chunks, prefill first, or pools of their own."),
    _switch(SERVING, "flash_attention", "FlashAttention", True, "Off, the score matrices are written to and read from memory."),
    _switch(SERVING, "cuda_graphs", "CUDA graphs", True, "Off (eager), every layer's overhead is multiplied by the profile's factor."),
    _word(SERVING, "kv_allocation", "KV allocation", ("paged", "contiguous"), "paged", "Paged in blocks, or contiguous at the maximum context."),
    _whole(SERVING, "block_tokens", "KV block", "tokens", 1, 100_000, 16, "Tokens in one block of the paged KV cache."),
    _word(SERVING, "kv_sizing", "KV sizing length", ("worst", "mean"), "worst", "Length that one sequence is sized for: prompt + answer, or prompt + half the answer."),
    _whole(SERVING, "draft_tokens", "Drafted tokens", "tokens", 0, 64, 0, "Tokens drafted per pass by speculative decoding; 0 switches it off."),
    _real(SERVING, "draft_acceptance", "Draft acceptance", "", 0, 1, 0.7, "Chance that one drafted token is accepted."),
    _real(SERVING, "draft_cost_ratio", "Draft cost ratio", "", 0, 1, None, "Time of one draft step over one step of the model; blank takes the draft model's own time.", blank="draft model's"),
    _name(SERVING, "draft_model", "Draft model", None, "Draft model of the catalogue.", blank="none"),
    _word(SERVING, "latency_convention", "Latency convention", ("lab", "benchmark"), "lab", "lab: an answer of M tokens takes TTFT + M x TPOT; benchmark: TTFT + (M - 1) x TPOT."),
    # Targets and fleet
    _real(TARGETS, "ttft_target_ms", "Mean TTFT target", "ms", 0, 1e8, None, "Longest mean TTFT that is accepted, round trip left out.", blank="none", above_low=True),
    _real(TARGETS, "tpot_target_ms", "Mean TPOT target", "ms", 0, 1e8, None, "Longest mean TPOT that is accepted.", blank="none", above_low=True),
    _real(TARGETS, "target_utilization", "Target utilization", "", 0.01, 1, 0.8, "Share of a replica's capacity that the peak may use."),
    _whole(TARGETS, "spare_replicas", "Spare replicas", "replicas", 0, 100_000, 0, "Replicas above what the load needs."),
    _whole(TARGETS, "replicas_fixed", "Fixed replicas", "replicas", 1, 10_000_000, None, "Number of replicas; blank solves it from the load.", blank="solved from the load"),
    # Efficiency
    _name(EFFICIENCY, "efficiency_profile", "Efficiency profile", "fitted", "How far real engines stay from the roofline: 'ideal', a fitted profile, or your own."),
    _real(EFFICIENCY, "software_factor", "Software factor", "", 0.05, 20, 1, "Factor of this deployment on every step's time, from your own measurements."),
    _real(EFFICIENCY, "ttft_factor", "TTFT factor", "", 0.05, 20, 1, "Factor of this deployment on TTFT, from your own measurements."),
    # Device prices
    _real(PRICES, "device_price_per_hour", "Device price per hour", "$/h", 0, 100_000, None, "Rent of one device for one hour on demand.", blank="not rented"),
    _word(PRICES, "price_plan", "Price plan", ("on_demand", "spot", "1_year", "3_years"), "on_demand", "Plan of the rent; 1- and 3-year plans bill 24 hours of every day."),
    _real(PRICES, "plan_price_ratio", "Plan price ratio", "", 0, 10, 1, "Price of the plan over the price on demand."),
    _real(PRICES, "hours_per_day", "Hours billed per day", "h", 0, 24, 24, "Hours of a day that an always-on fleet is up and billed.", above_low=True),
    _real(PRICES, "days_per_month", "Days per month", "days", 0, 31, 30, "Days a month counts; 30.4167 gives 730 hours.", above_low=True),
    _switch(PRICES, "autoscale", "Autoscale by hour", False, "Replicas follow the hourly profile, hour by hour."),
    _real(PRICES, "device_price_decline_per_month", "Device price decline per month", "", 0, 0.5, 0, "Monthly fall of the device price in the projection."),
    # Owned hardware
    _real(OWNED, "owned_device_price", "Price of an owned device", "$", 0, 1e8, None, "Purchase price of one device with its share of the server.", blank="not owned"),
    _real(OWNED, "owned_months", "Months of use", "months", 1, 240, 48, "Months over which the purchase is written off."),
    _real(OWNED, "device_power_w", "Device power", "W", 0, 100_000, None, "Power of one device under load; blank takes the catalogue's.", blank="unknown"),
    _real(OWNED, "device_idle_power_w", "Device idle power", "W", 0, 100_000, None, "Power of one idle device.", blank="unknown"),
    _real(OWNED, "server_overhead_w", "Server overhead per device", "W", 0, 100_000, 0, "Power of processors, fans and network for one device."),
    _real(OWNED, "pue", "PUE", "", 1, 5, 1.3, "Power usage effectiveness of the data centre."),
    _real(OWNED, "price_per_kwh", "Electricity price", "$/kWh", 0, 1000, None, "Price of one kilowatt-hour.", blank="unknown"),
    _real(OWNED, "other_cost_per_month", "Other cost per device and month", "$/month", 0, 1e7, 0, "Space, staff, support of one owned device for a month."),
    # API prices
    _real(API, "input_price_per_million", "Input price per million tokens", "$/Mtok", 0, 100_000, None, "API price of a million input tokens.", blank="no API"),
    _real(API, "output_price_ratio", "Output : input price", "", 0, 1000, None, "Price of an output token over an input token.", blank="unknown"),
    _real(API, "cached_price_ratio", "Cached : input price", "", 0, 10, 0.1, "Price of a cached input token over an input token."),
    _real(API, "cache_write_price_ratio", "Cache write : input price", "", 0, 10, 1.25, "Price of writing an input token to the cache over an input token."),
    _real(API, "reasoning_price_ratio", "Reasoning : input price", "", 0, 1000, None, "Price of a reasoning token over an input token; blank takes the output's.", blank="output's"),
    _real(API, "cached_share", "Cached share of the prompt", "", 0, 1, 0, "Share of prompt tokens that the API bills as cached."),
    _real(API, "cache_write_share", "Written share of the prompt", "", 0, 1, 0, "Share of prompt tokens that the API bills as cache writes."),
    _real(API, "batch_share", "Batch share", "", 0, 1, 0, "Share of calls sent through the batch interface."),
    _real(API, "batch_price_ratio", "Batch price ratio", "", 0, 10, 0.5, "Price of a batch call over a standard call."),
    _whole(API, "long_context_threshold_tokens", "Long-context threshold", "tokens", 1, 1_000_000_000, None, "Prompts strictly above it pay the long-context tier.", blank="no tier"),
    _real(API, "long_context_input_ratio", "Long-context input ratio", "", 0, 100, 2, "Input price of the long-context tier over the standard one."),
    _real(API, "long_context_output_ratio", "Long-context output : input", "", 0, 1000, None, "Output over input price within the long-context tier; blank takes the standard ratio.", blank="standard ratio"),
    _name(API, "currency", "Currency", "USD", "Currency of every price; shown beside costs, never converted."),
)  # fmt: skip

INPUTS: dict[str, Field] = {field.name: field for field in INPUT_FIELDS}
"""Every input by name, in the order in which the screen shows them."""

Values = Mapping[str, FieldValue]


def default_values() -> dict[str, FieldValue]:
    """A complete set of input values, all at their defaults."""
    return {name: field.default for name, field in INPUTS.items()}


def field_of(name: str, fields: Mapping[str, Field] = INPUTS, *, kind: str = "input") -> Field:
    """The field called ``name``. Raises InputError that names the nearest ones."""
    found = fields.get(name)
    if found is None:
        raise InputError(f"There is no {kind} '{name}'{nearest(name, fields)}.")
    return found


def check_values(values: Values) -> dict[str, FieldValue]:
    """A complete, validated copy of ``values``; what is missing takes its default.

    Raises InputError for an unknown name, a value out of bounds, or values that contradict one another.
    """
    checked = default_values()
    for name, value in values.items():
        checked[name] = field_of(name).check(value)
    check_together(checked)
    return checked


def check_together(values: Values) -> None:
    """The rules that join several inputs of a complete set of values. Raises InputError with the sentence."""
    from planner.model.rules import broken_rule  # noqa: PLC0415 - rules are rows over these inputs

    sentence = broken_rule(values)
    if sentence:
        raise InputError(sentence)
