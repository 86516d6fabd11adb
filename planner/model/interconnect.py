"""The network between the devices of one replica.

An all-reduce over t devices takes a latency and sends 2(t - 1)/t of its bytes per device (ring). At decode the
latency dominates. Expert parallel under attention data parallel replaces a MoE layer's all-reduce by a dispatch and
a combine. A pipeline of p stages sends the hidden state p - 1 times.
"""

from __future__ import annotations

from planner.model.constants import (
    ACTIVATION_BYTES,
    ALL_REDUCE_PASSES,
    COLLECTIVES_PER_LAYER,
    DISPATCH_AND_COMBINE,
    GIGA,
    US_PER_S,
)
from planner.model.expression import Value
from planner.model.functions import blank, both, either, is_on, maximum, minimum, otherwise, where
from planner.model.sheet import Maybe, row

SECTION = "Interconnect"


@row(label="Interconnect costs nothing", section=SECTION, kind="flag", detail=True)
def interconnect_is_free(link_is_ideal: Value, devices_per_replica: Value) -> Value:
    """One device, or a link taken as ideal."""
    return where(either(link_is_ideal > 0, devices_per_replica <= 1), 1, 0)


@row(label="Link rate used", unit="B/s", section=SECTION, reason="no link rate is known: give Link per direction")
def link_bytes_per_second(link_gbps: Maybe, device_link_gbps: Maybe, link_efficiency: Value) -> Value:
    """Link per direction of one device x link efficiency; blank where none is known."""
    rate = otherwise(link_gbps, otherwise(device_link_gbps, 0))
    return where(rate > 0, rate * GIGA * link_efficiency, blank())


@row(
    label="Seconds per byte between devices",
    unit="s/B",
    section=SECTION,
    detail=True,
    reason="no link rate is known: give Link per direction",
)
def link_seconds_per_byte(interconnect_is_free: Value, link_bytes_per_second: Maybe) -> Value:
    """1 / link rate; 0 where the interconnect costs nothing."""
    rate = otherwise(link_bytes_per_second, 0)
    return where(interconnect_is_free > 0, 0, where(rate > 0, 1 / maximum(rate, 1), blank()))


@row(label="Latency of one collective", unit="s", section=SECTION)
def collective_latency_s(
    interconnect_is_free: Value, allreduce_latency_us: Maybe, profile_allreduce_latency_us: Value
) -> Value:
    """The scenario's all-reduce latency, else the efficiency profile's."""
    latency = otherwise(allreduce_latency_us, profile_allreduce_latency_us) / US_PER_S
    return where(interconnect_is_free > 0, 0, latency)


@row(label="Layers that exchange experts", section=SECTION, detail=True)
def dispatch_layers(
    moe_layers: Value, layers: Value, expert_parallel: Value, attention_data_parallel: Value, tensor_parallel: Value
) -> Value:
    """MoE layers whose all-reduce is a dispatch and a combine: expert parallel under attention data parallel."""
    exchanging = both(is_on(expert_parallel), is_on(attention_data_parallel))
    return where(both(exchanging, tensor_parallel > 1), minimum(moe_layers, layers), 0)


@row(label="All-reduces per pass", section=SECTION)
def all_reduces_per_pass(
    layers: Value, attention_data_parallel: Value, dispatch_layers: Value, tensor_parallel: Value
) -> Value:
    """Two per layer under tensor parallel, one under attention data parallel less the dispatching layers."""
    per_layer = where(is_on(attention_data_parallel), layers - dispatch_layers, COLLECTIVES_PER_LAYER * layers)
    return where(tensor_parallel > 1, per_layer, 0)


@row(label="Link bytes per token and device", unit="B", section=SECTION, detail=True)
def link_bytes_per_token(
    all_reduces_per_pass: Value,
    dispatch_layers: Value,
    tensor_parallel: Value,
    pipeline_parallel: Value,
    attention_degree: Value,
    hidden_size: Value,
    experts_per_token: Value,
) -> Value:
    """Bytes one device sends per token of a pass: all-reduces, dispatch and combine, pipeline sends."""
    activation = hidden_size * ACTIVATION_BYTES
    ring = (tensor_parallel - 1) / tensor_parallel * activation
    reduced = all_reduces_per_pass * ALL_REDUCE_PASSES * ring
    exchanged = dispatch_layers * DISPATCH_AND_COMBINE * experts_per_token / attention_degree * ring
    return reduced + exchanged + (pipeline_parallel - 1) * activation


@row(label="Interconnect latency per pass", unit="s", section=SECTION, detail=True)
def pass_latency_s(
    all_reduces_per_pass: Value, dispatch_layers: Value, pipeline_parallel: Value, collective_latency_s: Value
) -> Value:
    """Latency of every exchange of one pass through all layers."""
    exchanges = all_reduces_per_pass + DISPATCH_AND_COMBINE * dispatch_layers + pipeline_parallel - 1
    return exchanges * collective_latency_s


@row(label="Interconnect time per token of a pass", unit="s", section=SECTION, detail=True)
def pass_link_s_per_token(link_bytes_per_token: Value, link_seconds_per_byte: Value) -> Value:
    """Time the link needs for each token of a pass."""
    return link_bytes_per_token * link_seconds_per_byte
