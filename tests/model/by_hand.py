"""The model once more, written straight from its definition for one scenario: plain numbers, no sheet.

A scenario's values are numbers, words and switches under one roof here, so they are not typed one by one.
"""

# mypy: disable-error-code="no-any-return"

from __future__ import annotations

import math
from typing import Any

from tests.model.scenarios import Sample

GIB = 2.0**30


class ByHand:
    """Bytes, times, waits and money of a scenario at ``b`` sequences in flight.

    Names follow the rows. Everything is computed when asked for, from the scenario's own values and facts.
    """

    def __init__(self, sample: Sample) -> None:
        facts = {name: fact.value for name, fact in sample.facts.items()}
        self.v: dict[str, Any] = {**sample.values, **facts}
        self.t, self.p = self.v["tensor_parallel"], self.v["pipeline_parallel"]
        self.n = self.t * self.p
        self.apart = self.v["attention_data_parallel"]
        self.d = self.t if self.apart else 1
        self.N = self.v["prompt_tokens"]
        self.M = self.v["output_tokens"] + self.v["reasoning_tokens"]
        self.s = self.N + self.M / 2
        self.m = self.M if self.v["latency_convention"] == "lab" else self.M - 1
        self.mixed = self.v["scheduling"] == "mixed"
        self.disaggregated = self.v["scheduling"] == "disaggregated"
        self.g = self.v["draft_tokens"]

    def __getattr__(self, name: str) -> Any:
        return self.v[name]

    # Layers by what they attend to.

    def layer_kinds(self) -> list[tuple[float, float]]:
        """Number of layers, over the tokens of an entry, and the tokens each attends to at most."""
        full = self.layers - self.linear_layers - self.window_layers - self.sparse_layers
        return [
            (full / max(1, self.full_ratio), math.inf),
            (self.window_layers, self.window_tokens),
            (self.sparse_layers / max(1, self.sparse_ratio), self.sparse_top_tokens * max(1, self.sparse_ratio)),
        ]

    # Bytes.

    def weight_bytes(self) -> float:
        """Every group at its own bits."""
        dense = self.parameters - self.embedding_parameters - self.head_parameters - self.expert_parameters
        tables = self.embedding_parameters + self.head_parameters
        return (dense * self.weight_bits + self.expert_parameters * self.expert_bits + tables * self.embedding_bits) / 8

    def replicated(self) -> float:
        """Attention and LM head, held by each of t devices under attention data parallel."""
        once = (self.attention_parameters * self.weight_bits + self.head_parameters * self.embedding_bits) / 8
        return once if self.apart else 0

    def weight_bytes_per_device(self) -> float:
        """Replicated over the stages, the rest over all devices."""
        rest = (self.weight_bytes() - self.replicated()) / self.n
        draft = self.draft_weight_bytes / self.n if self.g else 0
        return self.replicated() / self.p + rest + draft

    def token_layer_bytes(self) -> float:
        """KV bytes of one token in one layer without a window."""
        elements = self.kv_lora_rank + self.qk_rope_head_dim if self.mla_layers else 2 * self.kv_heads * self.head_dim
        return elements * self.kv_bits / 8

    def token_window_layer_bytes(self) -> float:
        """KV bytes of one token in one layer with a window."""
        if not self.window_kv_heads and not self.window_head_dim:
            return self.token_layer_bytes()
        return 2 * (self.window_kv_heads or self.kv_heads) * (self.window_head_dim or self.head_dim) * self.kv_bits / 8

    def index_bytes(self) -> float:
        """Indexer keys of one token."""
        return self.sparse_layers * self.index_dim / max(1, self.sparse_ratio) if self.kv_bits else 0

    def caching_layers(self) -> float:
        """Entries per token of the layers without a window."""
        full = self.layers - self.linear_layers - self.window_layers - self.sparse_layers
        return full / max(1, self.full_ratio) + self.sparse_layers / max(1, self.sparse_ratio)

    def kv_bytes_per_token(self) -> float:
        """As allocated: every layer with a cache in full."""
        others = self.caching_layers() * self.token_layer_bytes()
        return others + self.window_layers * self.token_window_layer_bytes() + self.index_bytes()

    def sharded_kv_bytes_per_token(self) -> float:
        """The same on one device."""
        others = self.caching_layers() * self.token_layer_bytes()
        windows = self.window_layers * self.token_window_layer_bytes()
        return (others + self.index_bytes()) * self.f() + windows * self.window_f()

    def f(self) -> float:
        """Share of a sequence's KV heads on one device."""
        if self.apart or self.mla_layers:
            return 1
        return math.ceil(self.kv_heads / self.t) / self.kv_heads

    def window_f(self) -> float:
        """The same of a window layer's KV heads."""
        if self.apart or not self.window_kv_heads:
            return self.f()
        return math.ceil(self.window_kv_heads / self.t) / self.window_kv_heads

    def kv_live_bytes_per_sequence(self) -> float:
        """What a sequence of the length sized for holds."""
        length = self.N + self.M if self.kv_sizing == "worst" else self.s
        windows = self.window_layers * min(length, self.window_tokens) * self.token_window_layer_bytes()
        cache = self.caching_layers() * length * self.token_layer_bytes() + windows
        return cache + self.index_bytes() * length + self.state_bytes_per_sequence

    def max_concurrency(self) -> float:
        """Sequences of the length sized for that a replica holds."""
        length = self.N + self.M if self.kv_sizing == "worst" else self.s
        if self.kv_allocation == "contiguous":
            tokens = self.max_context_tokens or self.model_context_tokens
        elif self.kv_sizing == "worst":
            tokens = math.ceil(length / self.block_tokens) * self.block_tokens
        else:
            tokens = length + (self.block_tokens - 1) / 2
        share = math.ceil(self.layers / self.p) / self.layers
        draft = self.draft_kv_bytes_per_token if self.g else 0
        k = (self.sharded_kv_bytes_per_token() + draft * self.f()) * share
        state = self.state_bytes_per_sequence * share * (1 if self.apart else 1 / self.t)
        pool = max(0, self.kv_pool_bytes_per_device())
        if state:
            return self.d * pool / (k * tokens + state)
        blocks = math.floor(round(pool / (self.block_tokens * k), 9))
        return self.d * blocks * self.block_tokens / tokens

    def kv_pool_bytes_per_device(self) -> float:
        """Usable memory - weights - reserves."""
        activation = self.activation_bytes_per_logit * self.warmup_sequences_default * self.vocabulary
        runtime = self.runtime_fixed_gib + (self.runtime_multi_gib if self.n > 1 else 0)
        usable = self.runtime_memory_gib * GIB * self.memory_utilization
        return usable - self.weight_bytes_per_device() - activation - runtime * GIB

    # A decode step.

    def touched(self, tokens: float) -> float:
        """Share of the experts that ``tokens`` touch."""
        return 1 - (1 - self.experts_per_token / self.experts) ** tokens if self.experts else 0

    def dense_bytes(self) -> float:
        """Read by the t devices of a pass, the input embedding and the experts left out."""
        dense = self.parameters - self.embedding_parameters - self.head_parameters - self.expert_parameters
        once = (dense * self.weight_bits + self.head_parameters * self.embedding_bits) / 8
        return once + self.replicated() * (self.t - 1)

    def expert_bytes(self) -> float:
        """All routed experts."""
        return self.expert_parameters * self.expert_bits / 8

    def memory_s(self, x: float, verified: int) -> float:
        """Weights, experts touched by x sequences of ``verified`` tokens, and each sequence's KV cache once."""
        weights = (self.dense_bytes() + self.expert_bytes() * self.touched(x * verified)) / self.t
        in_windows = self.window_layers * min(self.s, self.window_tokens)
        attended = sum(count * min(self.s, most) for count, most in self.layer_kinds()) - in_windows
        cache = (attended * self.token_layer_bytes() + self.index_bytes() * self.s) * self.f()
        cache += in_windows * self.token_window_layer_bytes() * self.window_f()
        state = 2 * self.state_bytes_per_sequence * (1 if self.apart else 1 / self.t)
        on_device = max(1, x / self.d) * (cache + state)
        return weights / (self.memory_bandwidth * self.weights_efficiency) + on_device / (
            self.memory_bandwidth * self.kv_efficiency
        )

    def attention_flop(self) -> float:
        """One token over the mean context."""
        if self.mla_layers:
            per_token = 2 * self.heads * (2 * self.kv_lora_rank + self.qk_rope_head_dim)
        else:
            per_token = 4 * self.heads * self.head_dim
        in_windows = self.window_layers * min(self.s, self.window_tokens)
        others = sum(count * min(self.s, most) for count, most in self.layer_kinds()) - in_windows
        wide = 4 * self.heads * self.window_head_dim if self.window_head_dim else per_token
        return per_token * others + wide * in_windows

    def compute_s(self, x: float, verified: int) -> float:
        """Each part at the peak of its own arithmetic."""
        active_experts = self.expert_parameters * self.experts_per_token / max(1, self.experts)
        dense = 2 * (self.active_parameters - active_experts) / self.peak_flops
        experts = 2 * active_experts / self.expert_peak_flops
        attention = self.attention_flop() / self.attention_peak_flops * max(x, self.d) / x
        return x * verified * (dense + experts + attention) / (self.t * self.decode_efficiency)

    def interconnect_s(self, tokens: float) -> float:
        """All exchanges of one pass over ``tokens`` tokens."""
        if self.n == 1 or self.link_is_ideal:
            return 0
        latency = self.allreduce_latency_us
        latency = (self.profile_allreduce_latency_us if latency is None else latency) / 1e6
        rate = (self.link_gbps or self.device_link_gbps) * 1e9 * self.link_efficiency
        hidden, seconds = self.hidden_size * 2, 0.0
        moved = tokens * hidden
        reduce = latency + 2 * (self.t - 1) / self.t * moved / rate
        for layer in range(self.layers if self.t > 1 else 0):
            exchanged = layer < self.moe_layers and self.expert_parallel and self.apart
            if exchanged:
                one = latency + tokens / self.d * self.experts_per_token * hidden * (self.t - 1) / self.t / rate
                seconds += 2 * one
            else:
                seconds += reduce if self.apart else 2 * reduce
        return seconds + (self.p - 1) * (latency + moved / rate)

    def overhead_s(self, x: float) -> float:
        """Kinds of layers, each sequence, the step itself."""
        by_layer = (
            self.layers * self.layer_overhead_us + self.moe_layers * self.moe_layer_overhead_us
            + self.mla_layers * self.mla_layer_overhead_us + self.linear_layers * self.linear_layer_overhead_us
            + self.sparse_layers * self.sparse_layer_overhead_us
        ) * (1 if self.cuda_graphs else self.eager_overhead_factor)  # fmt: skip
        return (by_layer + self.step_overhead_us + x * self.layers * self.sequence_overhead_us) / 1e6

    def plain_step_s(self, x: float) -> float:
        """A step without speculative decoding and software factor."""
        return max(self.memory_s(x, 1), self.compute_s(x, 1)) + self.interconnect_s(x) + self.overhead_s(x)

    def draft_step_s(self, x: float) -> float:
        """One step of a draft model."""
        memory = self.draft_weight_bytes / (self.t * self.memory_bandwidth * self.weights_efficiency)
        cache = self.draft_kv_bytes_per_token * self.s * self.f() * max(1, x / self.d)
        memory += cache / (self.memory_bandwidth * self.kv_efficiency)
        compute = 2 * self.draft_active_parameters * x / (self.t * self.peak_flops * self.decode_efficiency)
        eager = 1 if self.cuda_graphs else self.eager_overhead_factor
        return max(memory, compute) + self.draft_layers * self.layer_overhead_us * eager / 1e6

    def step_s(self, b: float, factor: float) -> float:
        """Time per token of a sequence with ``b`` in flight, times the software ``factor``."""
        x = max(1, b / self.p)
        if not self.g:
            return self.plain_step_s(x) * factor
        verified = self.g + 1
        whole = max(self.memory_s(x, verified), self.compute_s(x, verified))
        whole += self.interconnect_s(x * verified) + self.overhead_s(x)
        draft = self.draft_step_s(x) if self.draft_cost_ratio is None else self.draft_cost_ratio * self.plain_step_s(x)
        tokens = sum(self.draft_acceptance**i for i in range(verified))
        return (whole + self.g * draft) / tokens * factor

    # Prefill.

    def new_tokens(self) -> float:
        """Prompt tokens without a cached prefix."""
        return max(1, self.N * (1 - self.prefix_cache_hit))

    def prefill_compute_s(self, u: float, *, alone: bool) -> float:
        """Matmuls, the LM head once, causal attention; alone, one device does its attention under data parallel."""
        active_experts = self.expert_parameters * self.experts_per_token / max(1, self.experts)
        narrow = self.fp4_prefill_efficiency if self.arithmetic_bits <= 4 else 1
        narrow_experts = self.fp4_prefill_efficiency if self.expert_arithmetic_bits <= 4 else 1
        dense_rate = self.t * self.peak_flops * self.prefill_efficiency * narrow
        expert_rate = (
            self.t * self.expert_peak_flops * self.prefill_efficiency * self.expert_prefill_efficiency * narrow_experts
        )
        dense = self.active_parameters - active_experts - self.head_parameters
        seconds = 2 * (u * dense + self.head_parameters) / dense_rate + 2 * u * active_experts / expert_rate
        if self.mla_layers:
            per_pair = 2 * self.heads * (self.qk_nope_head_dim + self.qk_rope_head_dim + self.v_head_dim)
        else:
            per_pair = 4 * self.heads * self.head_dim

        def pairs(tokens: float, most: float) -> float:
            inside = min(tokens, most)
            return inside * inside / 2 + (tokens - inside) * (most if tokens > most else 0)

        seen = sum(c * (pairs(self.N, most) - pairs(self.N - u, most)) for c, most in self.layer_kinds() if c)
        if self.window_head_dim:
            windows = pairs(self.N, self.window_tokens) - pairs(self.N - u, self.window_tokens)
            seen += self.window_layers * windows * (self.window_head_dim / self.head_dim - 1)
        attention = seen * per_pair / (self.t * self.attention_peak_flops * self.prefill_efficiency)
        seconds += attention
        if alone and self.apart:
            seconds += (attention + 2 * u * self.attention_parameters / dense_rate) * (self.t - 1)
        return seconds

    def prefill_memory_s(self, u: float, passes: float, tokens: float) -> float:
        """Weights ``passes`` times, each touching ``tokens`` tokens' experts; the prompt's cache; scores if written."""
        weights = (self.dense_bytes() + self.expert_bytes() * self.touched(tokens)) / self.t
        seconds = passes * weights / (self.memory_bandwidth * self.weights_efficiency)
        cache = self.sharded_kv_bytes_per_token() * self.N
        if not self.flash_attention:
            cache += (self.layers - self.linear_layers) * self.heads * u * self.N * 2 * 2 / self.t
        return seconds + cache / (self.memory_bandwidth * self.kv_efficiency)

    def prefill_s(self, factor: float, *, alone: bool) -> float:
        """Latency of one prompt, or with ``alone`` off what it takes when prompts fill all devices."""
        u = self.new_tokens()
        passes = max(1, u / self.chunk_tokens)
        roof = max(self.prefill_compute_s(u, alone=alone), self.prefill_memory_s(u, passes, u / passes))
        latency = self.interconnect_s(0) * passes + (self.interconnect_s(u) - self.interconnect_s(0))
        overhead = self.overhead_s(0) * passes
        return (roof + latency + overhead) * factor

    def prefill_work_s(self, factor: float) -> float:
        """What a prompt takes from others."""
        if not self.mixed:
            return self.prefill_s(factor, alone=False) / self.p
        u = self.new_tokens()
        chunks = u / self.chunk_tokens
        memory = self.prefill_memory_s(u, chunks, self.chunk_tokens)
        latency = self.interconnect_s(0) * chunks + (self.interconnect_s(u) - self.interconnect_s(0))
        return (max(self.prefill_compute_s(u, alone=False), memory) + latency) * factor / self.p

    # Passes that decode and take chunks along, without drafts.

    def prompt_compute_s(self, factor: float, least: float) -> float:
        """Of one prompt on all devices, not below its bound."""
        return max(self.prefill_compute_s(self.new_tokens(), alone=False) * factor, least)

    def prompt_kv_s(self, factor: float) -> float:
        """Of one prompt: its cache, and its scores if they are written."""
        return self.prefill_memory_s(self.new_tokens(), 0, 0) * factor

    def prompt_link_s(self, factor: float) -> float:
        """Of one prompt's tokens."""
        return (self.interconnect_s(self.new_tokens()) - self.interconnect_s(0)) * factor

    def reading_s(self, x: float, factor: float) -> float:
        """Memory time of a pass over x sequences and a chunk, whose tokens touch experts of their own."""
        chunk = min(self.new_tokens(), self.chunk_tokens)
        more = self.expert_bytes() * (self.touched(x + chunk) - self.touched(x)) / self.t
        return (self.memory_s(x, 1) + more / (self.memory_bandwidth * self.weights_efficiency)) * factor

    def beside_s(self, x: float, factor: float) -> float:
        """Interconnect and overhead of a step over x sequences."""
        return (self.interconnect_s(x) + self.overhead_s(x)) * factor

    def mixed_step_s(self, x: float, prompts: float, factor: float, least: float) -> float:
        """Mean over the passes that carry chunks and those that do not, at ``prompts`` per step."""
        compute = self.compute_s(x, 1) * factor
        bare = max(self.memory_s(x, 1) * factor, compute)
        carrying = -math.expm1(-prompts * max(1, self.new_tokens() / self.chunk_tokens))
        each = prompts / carrying
        reading = self.reading_s(x, factor) + each * self.prompt_kv_s(factor)
        both = max(reading, compute + each * self.prompt_compute_s(factor, least))
        step = (1 - carrying) * bare + carrying * both
        return step + self.beside_s(x, factor) + prompts * self.prompt_link_s(factor)

    # Load.

    def capacity(self, b: float, factor: float) -> float:
        """X(b) in requests/s."""
        work = 0 if self.disaggregated else self.prefill_work_s(factor)
        return b / (self.m * self.step_s(b, factor) + b * work)

    # Money.

    def api_cost_per_request(self) -> float:
        """Of one call, class by class."""
        long = self.long_context_threshold_tokens is not None and self.long_context_threshold_tokens < self.N
        price = self.input_price_per_million / 1e6 * (self.long_context_input_ratio if long else 1)
        ratio = self.output_price_ratio
        if long and self.long_context_output_ratio is not None:
            ratio = self.long_context_output_ratio
        cached, written = self.N * self.cached_share, self.N * self.cache_write_share
        reasoning = ratio if self.reasoning_price_ratio is None else self.reasoning_price_ratio
        standard = (
            (self.N - cached - written) * price + cached * price * self.cached_price_ratio
            + written * price * self.cache_write_price_ratio + self.output_tokens * price * ratio
            + self.reasoning_tokens * price * reasoning
        )  # fmt: skip
        return standard * (1 - self.batch_share) + standard * self.batch_price_ratio * self.batch_share

    def self_host_cost_per_month(self, replicas: float, hours: float, utilization: float) -> float:
        """Of ``replicas`` up for ``hours`` a month each: rent, or owned at a mean utilization."""
        devices = replicas * self.n
        if self.owned_device_price is None:
            return devices * hours * self.device_price_per_hour * self.plan_price_ratio
        write_off = self.owned_device_price / self.owned_months * 12 / 365 * self.days_per_month
        power = self.device_power_w or self.catalogue_power_w
        idle = self.device_idle_power_w if self.device_idle_power_w is not None else self.catalogue_idle_power_w
        watts = idle + utilization * (power - idle) + self.server_overhead_w
        electricity = watts * self.pue * hours / 1000 * self.price_per_kwh
        return devices * (write_off + electricity + self.other_cost_per_month)
