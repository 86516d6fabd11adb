"""Facts of a scenario: figures of the device, the model, the formats, the engine and the efficiency profile.

The catalogue fills them from a scenario's names before the sheet is evaluated; each may be overridden like an
input. The sheet sees only these numbers. Units are SI: bytes, FLOP/s dense, seconds unless the unit says otherwise.
"""

from __future__ import annotations

from planner.model.fields import Field, Kind

DEVICE, ARCHITECTURE, FORMATS, ENGINE, EFFICIENCY = (
    "Device facts",
    "Model facts",
    "Format facts",
    "Engine facts",
    "Efficiency",
)


def _fact(
    group: str,
    name: str,
    label: str,
    unit: str,
    high: float,
    *,
    low: float = 0,
    optional: bool = False,
    kind: Kind = "real",
    help: str,
) -> Field:
    return Field(
        name=name, label=label, group=group, kind=kind, unit=unit, low=low, high=high, optional=optional, help=help,
        blank="unknown" if optional else "", default=None,
    )  # fmt: skip


FACTS: tuple[Field, ...] = (
    # The device, per device.
    _fact(DEVICE, "memory_bandwidth", "Memory bandwidth", "B/s", 1e15, low=1, help="Rated memory bandwidth, decimal."),
    _fact(DEVICE, "peak_flops", "Peak FLOP/s of the weights' arithmetic", "FLOP/s", 1e18, low=1, help="Dense peak of the arithmetic format that the dense layers compute in (int4 weights compute in bf16)."),
    _fact(DEVICE, "expert_peak_flops", "Peak FLOP/s of the experts' arithmetic", "FLOP/s", 1e18, low=1, help="Dense peak of the arithmetic format that the experts compute in; the dense layers' for a model without experts."),
    _fact(DEVICE, "attention_peak_flops", "Peak FLOP/s of attention", "FLOP/s", 1e18, low=1, help="Dense 16-bit peak: attention scores are computed in bf16."),
    _fact(DEVICE, "arithmetic_bits", "Bits of the weights' arithmetic", "bit", 64, low=1, help="Width of the arithmetic the dense layers compute in: 16, 8 or 4."),
    _fact(DEVICE, "expert_arithmetic_bits", "Bits of the experts' arithmetic", "bit", 64, low=1, help="Width of the arithmetic the experts compute in: 16, 8 or 4."),
    _fact(DEVICE, "catalogue_power_w", "Rated power", "W", 100_000, optional=True, help="Rated power of one device (TDP)."),
    _fact(DEVICE, "catalogue_idle_power_w", "Rated idle power", "W", 100_000, optional=True, help="Power of one idle device."),
    _fact(DEVICE, "runtime_memory_gib", "Memory the runtime sees", "GiB", 1e6, optional=True, help="Device memory as the runtime reports it, before the utilisation share; blank for a device without a memory size."),
    _fact(DEVICE, "device_link_gbps", "Link per direction", "GB/s", 1e6, optional=True, help="Scale-up link of one device, one direction, decimal; the slower inter-node link when the replica spans nodes. Blank where none is known."),
    _fact(DEVICE, "link_is_ideal", "Ideal interconnect", "", 1, kind="integer", help="1: the interconnect costs nothing (the seeds' assumption); 0: it has a rate and a latency."),
    # The model's text decoder.
    _fact(ARCHITECTURE, "parameters", "Parameters", "", 1e14, low=1, help="All parameters of the text decoder, every expert counted, a tied embedding counted once."),
    _fact(ARCHITECTURE, "active_parameters", "Active matmul parameters", "", 1e14, low=1, help="Parameters one token is multiplied with, the LM head included and the input embedding look-up excluded; never above parameters."),
    _fact(ARCHITECTURE, "embedding_parameters", "Input embedding", "", 1e12, help="Input embedding table that a step does not read; 0 when tied to the LM head or unknown."),
    _fact(ARCHITECTURE, "head_parameters", "LM head", "", 1e12, help="LM head (also the embedding when tied); 0 when the model names none."),
    _fact(ARCHITECTURE, "attention_parameters", "Attention parameters", "", 1e13, help="Parameters of all attention blocks; replicated under attention data parallel."),
    _fact(ARCHITECTURE, "expert_parameters", "Expert parameters", "", 1e14, help="Routed experts of all layers together; 0 for a dense model."),
    _fact(ARCHITECTURE, "layers", "Layers", "", 1000, kind="integer", help="Decoder layers; 0 when the architecture is unknown."),
    _fact(ARCHITECTURE, "heads", "Attention heads", "", 100_000, kind="integer", help="Query heads per layer; 0 when unknown."),
    _fact(ARCHITECTURE, "kv_heads", "KV heads", "", 100_000, kind="integer", help="Key and value heads per layer (GQA, MQA); 0 when unknown, 1 for MLA's shared latent."),
    _fact(ARCHITECTURE, "head_dim", "Head dimension", "", 100_000, kind="integer", help="Elements per head; not hidden size over heads in every model."),
    _fact(ARCHITECTURE, "hidden_size", "Hidden size", "", 1_000_000, kind="integer", help="Width of the residual stream; 0 when unknown."),
    _fact(ARCHITECTURE, "vocabulary", "Vocabulary", "tokens", 1e7, kind="integer", help="Entries of the token table; 0 when unknown."),
    _fact(ARCHITECTURE, "experts", "Experts", "", 100_000, kind="integer", help="Routed experts per MoE layer; 0 for a dense model."),
    _fact(ARCHITECTURE, "experts_per_token", "Experts per token", "", 100_000, kind="integer", help="Routed experts each token uses; 0 for a dense model."),
    _fact(ARCHITECTURE, "moe_layers", "MoE layers", "", 1000, kind="integer", help="Layers with routed experts."),
    _fact(ARCHITECTURE, "window_tokens", "Sliding window", "tokens", 1e8, kind="integer", help="Window of the sliding-window layers; 0 when there are none."),
    _fact(ARCHITECTURE, "window_layers", "Sliding-window layers", "", 1000, kind="integer", help="Layers whose attention sees at most the window."),
    _fact(ARCHITECTURE, "window_kv_heads", "KV heads of window layers", "", 100_000, kind="integer", help="Key and value heads of the sliding-window layers where they differ from the others; 0: the same."),
    _fact(ARCHITECTURE, "window_head_dim", "Head dimension of window layers", "", 100_000, kind="integer", help="Elements per head of the sliding-window layers where they differ from the others; 0: the same."),
    _fact(ARCHITECTURE, "mla_layers", "MLA layers", "", 1000, kind="integer", help="Layers with multi-head latent attention: all attention layers or none."),
    _fact(ARCHITECTURE, "linear_layers", "Linear-attention layers", "", 1000, kind="integer", help="Layers with a fixed state in place of a KV cache (linear attention, SSM)."),
    _fact(ARCHITECTURE, "state_bytes_per_sequence", "State per sequence", "B", 1e12, help="Fixed state of all linear-attention layers of one sequence, unsharded."),
    _fact(ARCHITECTURE, "kv_lora_rank", "MLA latent rank", "", 100_000, kind="integer", help="Elements of the latent that K and V share; 0 without MLA."),
    _fact(ARCHITECTURE, "qk_rope_head_dim", "MLA rope dimension", "", 100_000, kind="integer", help="Rotary elements cached beside the latent; 0 without MLA."),
    _fact(ARCHITECTURE, "qk_nope_head_dim", "MLA nope dimension", "", 100_000, kind="integer", help="Non-rotary elements of an MLA query head; 0 without MLA."),
    _fact(ARCHITECTURE, "v_head_dim", "MLA value dimension", "", 100_000, kind="integer", help="Elements of an MLA value head; 0 without MLA."),
    _fact(ARCHITECTURE, "sparse_layers", "Sparse-attention layers", "", 1000, kind="integer", help="Layers that attend to the top tokens chosen by an indexer."),
    _fact(ARCHITECTURE, "sparse_top_tokens", "Sparse attention's top tokens", "tokens", 1e8, kind="integer", help="Tokens each query attends to in a sparse layer; 0 when there are none."),
    _fact(ARCHITECTURE, "sparse_ratio", "Tokens per entry of sparse layers", "tokens", 1_000_000, help="Tokens that share one cached entry in the sparse-attention layers; 0: none do."),
    _fact(ARCHITECTURE, "full_ratio", "Tokens per entry of other layers", "tokens", 1_000_000, help="Tokens that share one cached entry in the layers that see the whole context; 0: none do."),
    _fact(ARCHITECTURE, "index_dim", "Indexer key dimension", "", 100_000, kind="integer", help="Elements of the indexer's key cached per token and sparse layer, one byte each; 0 when there is none."),
    _fact(ARCHITECTURE, "model_context_tokens", "Model context", "tokens", 1e9, optional=True, kind="integer", help="Longest context the model was made for; blank when unknown."),
    # Formats, in real bits per parameter or element.
    _fact(FORMATS, "weight_bits", "Bits of the dense layers", "bit", 64, low=0.1, help="Bits per parameter of attention and dense layers, group scales included."),
    _fact(FORMATS, "expert_bits", "Bits of the experts", "bit", 64, low=0.1, help="Bits per parameter of the routed experts, group scales included."),
    _fact(FORMATS, "embedding_bits", "Bits of embedding and head", "bit", 64, low=0.1, help="Bits per parameter of the embedding and the LM head: 16 unless the format says otherwise."),
    _fact(FORMATS, "kv_bits", "Bits of a KV element", "bit", 64, help="Bits per cached key or value element; 0 = no KV cache."),
    _fact(FORMATS, "measured_weight_bytes", "Measured weight bytes", "B", 1e15, optional=True, help="Resident bytes of all weights as measured or as the checkpoint stores them; replaces the computed figure where given."),
    # The draft model of speculative decoding.
    _fact(FORMATS, "draft_weight_bytes", "Draft weights", "B", 1e14, help="Resident weights of the draft model; 0 without one."),
    _fact(FORMATS, "draft_kv_bytes_per_token", "Draft KV per token", "B", 1e9, help="KV bytes per token of the draft model; 0 without one."),
    _fact(FORMATS, "draft_active_parameters", "Draft active parameters", "", 1e14, help="Active matmul parameters of the draft model; 0 without one."),
    _fact(FORMATS, "draft_layers", "Draft layers", "", 1000, kind="integer", help="Layers of the draft model; 0 without one."),
    # The engine's conventions.
    _fact(ENGINE, "warmup_sequences_default", "Warm-up sequences by default", "", 1e6, kind="integer", help="Sequences the engine's memory profile run uses on this device."),
    _fact(ENGINE, "activation_bytes_per_logit", "Activation bytes per logit", "B", 1e5, help="Activation reserve = this x warm-up sequences x vocabulary (39 in vLLM's logs)."),
    _fact(ENGINE, "activation_fixed_gib", "Activation reserve, fixed", "GiB", 1e4, help="Part of the engine's activation reserve that depends on nothing."),
    _fact(ENGINE, "runtime_fixed_gib", "Runtime reserve", "GiB", 1e4, help="Runtime reserve of one device."),
    _fact(ENGINE, "runtime_multi_gib", "Runtime reserve, several devices", "GiB", 1e4, help="Added when a replica has more than one device (communication buffers)."),
    _fact(ENGINE, "pool_of_free_memory", "Share is of free memory", "", 1, kind="integer", help="1: the engine takes its share of the memory that weights and reserves leave free (TensorRT-LLM); 0: of all memory (vLLM)."),
    _fact(ENGINE, "pool_share", "Share of memory the engine keeps", "", 1, help="Engine's own factor on memory utilisation; 1 for vLLM."),
)  # fmt: skip

FACTORS: tuple[Field, ...] = (
    _fact(EFFICIENCY, "weights_efficiency", "Weight-read efficiency", "", 1, low=0.01, help="Share of the rated bandwidth that weight reads reach."),
    _fact(EFFICIENCY, "kv_efficiency", "KV-read efficiency", "", 1, low=0.01, help="Share of the rated bandwidth that KV-cache reads reach."),
    _fact(EFFICIENCY, "decode_efficiency", "Decode compute efficiency", "", 1, low=0.01, help="Share of the dense peak that a decode step reaches."),
    _fact(EFFICIENCY, "prefill_efficiency", "Prefill compute efficiency", "", 1, low=0.01, help="Share of the dense peak that prefill reaches in dense layers and attention."),
    _fact(EFFICIENCY, "expert_prefill_efficiency", "Expert prefill efficiency", "", 1, low=0.01, help="Experts' prefill efficiency relative to the dense layers'."),
    _fact(EFFICIENCY, "fp4_prefill_efficiency", "4-bit prefill efficiency", "", 1, low=0.01, help="4-bit arithmetic's prefill efficiency relative to wider formats'."),
    _fact(EFFICIENCY, "link_efficiency", "Link efficiency", "", 1, low=0.01, help="Share of the link rate per direction that collectives reach."),
    _fact(EFFICIENCY, "profile_allreduce_latency_us", "All-reduce latency of the profile", "us", 1e6, help="Latency of one all-reduce, used where the scenario gives none."),
    _fact(EFFICIENCY, "layer_overhead_us", "Overhead per layer", "us", 1e6, help="Time each layer adds to a step."),
    _fact(EFFICIENCY, "moe_layer_overhead_us", "Overhead per MoE layer", "us", 1e6, help="Added by each MoE layer."),
    _fact(EFFICIENCY, "mla_layer_overhead_us", "Overhead per MLA layer", "us", 1e6, help="Added by each MLA layer."),
    _fact(EFFICIENCY, "linear_layer_overhead_us", "Overhead per linear layer", "us", 1e6, help="Added by each linear-attention layer."),
    _fact(EFFICIENCY, "sparse_layer_overhead_us", "Overhead per sparse layer", "us", 1e6, help="Added by each sparse-attention layer."),
    _fact(EFFICIENCY, "sequence_overhead_us", "Overhead per sequence and layer", "us", 1e6, help="Added per sequence in the batch and per layer."),
    _fact(EFFICIENCY, "eager_overhead_factor", "Overhead factor without CUDA graphs", "", 1000, low=1, help="Multiplies the layers' overhead when the engine runs without CUDA graphs."),
    _fact(EFFICIENCY, "step_overhead_us", "Overhead per step", "us", 1e7, help="Added once a step."),
    _fact(EFFICIENCY, "ttft_constant_ms", "TTFT constant of the engine", "ms", 1e6, help="Time a request spends in the engine before prefill, without queueing."),
    _fact(EFFICIENCY, "ttft_prefill_factor", "Prefill factor in TTFT", "", 100, low=0.01, help="Engine's factor on prefill time within TTFT; 1 in the ideal profile."),
    _fact(EFFICIENCY, "first_steps", "Steps before the first token", "", 1000, help="Decode steps that pass before the first token leaves; 0 when it leaves with the prefill pass."),
    _fact(EFFICIENCY, "tpot_band_low", "TPOT band, low", "", 1, low=0.01, help="Low end of the profile's 80 % band on TPOT, as a factor."),
    _fact(EFFICIENCY, "tpot_band_high", "TPOT band, high", "", 100, low=1, help="High end of the profile's 80 % band on TPOT, as a factor."),
    _fact(EFFICIENCY, "ttft_band_low", "TTFT band, low", "", 1, low=0.01, help="Low end of the profile's 80 % band on TTFT, as a factor."),
    _fact(EFFICIENCY, "ttft_band_high", "TTFT band, high", "", 100, low=1, help="High end of the profile's 80 % band on TTFT, as a factor."),
)  # fmt: skip

FACT_FIELDS: dict[str, Field] = {field.name: field for field in FACTS + FACTORS}
"""Facts and profile factors by name, in the order in which the sheet shows them."""
