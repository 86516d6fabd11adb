"""From the load to replicas: what one replica may carry, whether the load can be served, how many replicas it takes."""

from __future__ import annotations

from planner.model.batching import SCHEDULING
from planner.model.constants import (
    HALF,
    HOURS_PER_DAY,
    MS_PER_S,
    SECONDS_PER_HOUR,
    SMALLEST,
)
from planner.model.expression import Value
from planner.model.functions import (
    argmax,
    blank,
    both,
    ceiling,
    chosen,
    either,
    given,
    is_on,
    let,
    maximum,
    minimum,
    opposite,
    otherwise,
    plain,
    where,
)
from planner.model.inputs import INPUTS
from planner.model.sheet import Maybe, row

SECTION = "Fleet"
SERVED = "@serving_limit"
SERVING_LIMITS = (
    "there are more pipeline stages than layers",
    "there are more tensor-parallel devices than attention heads to split",
    "the model does not fit on the devices",
    "prompt + answer exceed the context limit",
    "TPOT of a request alone is above the target",
    "TTFT without any load is above the target",
    "not even one sequence fits the KV cache",
    "the fixed batch is larger than the sequences that fit the KV cache",
    "the fixed replicas cannot carry the peak",
    "can be served",
)


@row(label="Rate one replica may carry", unit="requests/s", section=SECTION, better="higher")
def replica_requests_per_second(
    capacity_requests_per_second: Value, target_utilization: Value, ttft_limit_requests_per_second: Maybe
) -> Value:
    """q: capacity x target utilization, or less where the TTFT target asks for it."""
    by_utilization = capacity_requests_per_second * target_utilization
    return minimum(by_utilization, otherwise(ttft_limit_requests_per_second, by_utilization))


@row(label="Served?", section=SECTION, words=SERVING_LIMITS, key=True)
def serving_limit(
    pipeline_parallel: Value,
    layers: Value,
    tensor_parallel: Value,
    heads: Value,
    attention_data_parallel: Value,
    fits: Maybe,
    longest_sequence_tokens: Value,
    context_limit_tokens: Maybe,
    tpot_alone_s: Maybe,
    tpot_target_ms: Maybe,
    ttft_alone_s: Value,
    ttft_target_ms: Maybe,
    largest_batch: Value,
    batch: Maybe,
    sequences_that_fit: Maybe,
    replicas_fixed: Maybe,
    spare_replicas: Value,
    requests_per_second_peak: Value,
    capacity_requests_per_second: Maybe,
) -> Value:
    """The first reason why the load cannot be served, or that it can.

    A fixed batch above the engine's cap or the TPOT target is only flagged; what memory does not hold is not served.
    """
    carried = (otherwise(replicas_fixed, 0) - spare_replicas) * otherwise(capacity_requests_per_second, 0)
    tpot_alone = otherwise(tpot_alone_s, 0) * MS_PER_S
    split = where(is_on(attention_data_parallel), 1, tensor_parallel)
    asked = otherwise(batch, 0)
    reasons = (
        both(layers > 0, pipeline_parallel > layers),
        both(heads > 0, split > heads),
        otherwise(fits, 1) <= 0,
        longest_sequence_tokens > otherwise(context_limit_tokens, longest_sequence_tokens),
        tpot_alone > otherwise(tpot_target_ms, tpot_alone),
        ttft_alone_s * MS_PER_S > otherwise(ttft_target_ms, ttft_alone_s * MS_PER_S),
        both(largest_batch < 1, opposite(given(batch))),
        asked > otherwise(sequences_that_fit, asked),
        both(given(replicas_fixed), requests_per_second_peak >= carried),
    )
    later = plain(1)
    for reason in reversed(reasons):
        later = 1 + where(reason, 0, later)
    return later


@row(label="Load can be served", section=SECTION, kind="flag", detail=True, reason=SERVED)
def served(serving_limit: Value) -> Value:
    """1 where it can; blank with the reason where it cannot, and with it everything the fleet depends on."""
    return where(chosen(serving_limit, SERVING_LIMITS, SERVING_LIMITS[-1]), 1, blank())


@row(label="Replicas for the target utilization", unit="replicas", section=SECTION, detail=True)
def replicas_for_utilization(
    requests_per_second_peak: Value, capacity_requests_per_second: Value, target_utilization: Value
) -> Value:
    """Peak rate / (capacity x target utilization), rounded up."""
    return ceiling(requests_per_second_peak / maximum(capacity_requests_per_second * target_utilization, SMALLEST))


@row(label="Replicas for the TTFT target", unit="replicas", section=SECTION, detail=True, reason="no TTFT target")
def replicas_for_ttft(requests_per_second_peak: Value, ttft_limit_requests_per_second: Value) -> Value:
    """Peak rate / rate that meets the TTFT target, rounded up."""
    return ceiling(requests_per_second_peak / maximum(ttft_limit_requests_per_second, SMALLEST))


@row(label="Serving replicas", unit="replicas", section=SECTION, better="lower")
def serving_replicas(
    served: Value,
    replicas_for_utilization: Value,
    replicas_for_ttft: Maybe,
    replicas_fixed: Maybe,
    spare_replicas: Value,
) -> Value:
    """Replicas that decode, spares left out: fixed, or what utilization and TTFT target need, at least 1."""
    solved = maximum(1, replicas_for_utilization, otherwise(replicas_for_ttft, 1))
    return where(given(replicas_fixed), otherwise(replicas_fixed, 1) - spare_replicas, solved)


@row(label="Replicas bound by", section=SECTION, words=("fixed", "TTFT target", "target utilization", "one is enough"))
def replicas_bound_by(
    serving_replicas: Value, replicas_for_utilization: Value, replicas_for_ttft: Maybe, replicas_fixed: Maybe
) -> Value:
    """What decides the number of replicas."""
    is_fixed = where(given(replicas_fixed), 1, 0)
    by_ttft = where(otherwise(replicas_for_ttft, 0) > maximum(replicas_for_utilization, 1), 1, 0)
    by_utilization = where(replicas_for_utilization > 1, 1, 0)
    return argmax(is_fixed, by_ttft, by_utilization, HALF)


@row(
    label="Prefill replicas", unit="replicas", section=SECTION, reason="prefill has no pool of its own", better="lower"
)
def prefill_replicas(
    served: Value,
    requests_per_second_peak: Value,
    prefill_work_s: Value,
    prefill_pool_utilization: Value,
    spare_replicas: Value,
) -> Value:
    """Disaggregated: peak rate x prefill work / utilization allowed, rounded up, at least 1; spares on top."""
    needed = ceiling(requests_per_second_peak * prefill_work_s / prefill_pool_utilization)
    return maximum(1, needed) + spare_replicas


@row(label="Decode replicas", unit="replicas", section=SECTION, reason="decode has no pool of its own", better="lower")
def decode_replicas(served: Value, scheduling: Value, serving_replicas: Value, spare_replicas: Value) -> Value:
    """Disaggregated: serving replicas and their spares."""
    return where(chosen(scheduling, SCHEDULING, "disaggregated"), serving_replicas + spare_replicas, blank())


@row(label="Prefill : decode replicas", section=SECTION)
def pd_ratio(prefill_replicas: Value, decode_replicas: Value) -> Value:
    """P:D ratio of a disaggregated deployment."""
    return prefill_replicas / decode_replicas


@row(label="Replicas", unit="replicas", section=SECTION, better="lower", key=True)
def replicas(serving_replicas: Value, spare_replicas: Value, prefill_replicas: Maybe) -> Value:
    """Serving replicas + spares; a disaggregated deployment's prefill replicas on top."""
    return serving_replicas + spare_replicas + otherwise(prefill_replicas, 0)


@row(label="Devices", unit="devices", section=SECTION, better="lower", key=True)
def devices(replicas: Value, devices_per_replica: Value) -> Value:
    """Replicas x devices per replica."""
    return replicas * devices_per_replica


@row(label="Peak rate per replica", unit="requests/s", section=SECTION)
def requests_per_second_per_replica(requests_per_second_peak: Value, serving_replicas: Value) -> Value:
    """r: peak rate over the serving replicas."""
    return requests_per_second_peak / serving_replicas


@row(label="Utilization at the peak", unit="share", section=SECTION)
def utilization_peak(requests_per_second_per_replica: Value, capacity_requests_per_second: Value) -> Value:
    """rho: peak rate per replica over its capacity; sets latency."""
    return requests_per_second_per_replica / maximum(capacity_requests_per_second, SMALLEST)


@row(label="Hours billed per day", unit="h", section=SECTION)
def hours_billed_per_day(price_plan: Value, hours_per_day: Value) -> Value:
    """Hours per day on demand or spot; 1- and 3-year plans bill 24."""
    plans = INPUTS["price_plan"].choices
    committed = either(chosen(price_plan, plans, "1_year"), chosen(price_plan, plans, "3_years"))
    return where(committed, HOURS_PER_DAY, hours_per_day)


@row(
    label="Hours of serving replicas per day",
    unit="h",
    section=SECTION,
    detail=True,
    reason="autoscaling by hour needs an hourly profile",
)
def serving_replica_hours_per_day(
    autoscale: Value,
    hours_billed_per_day: Value,
    serving_replicas: Value,
    calls_per_day: Value,
    replica_requests_per_second: Value,
    largest_hour_share: Maybe,
    hour_share_00: Maybe, hour_share_01: Maybe, hour_share_02: Maybe, hour_share_03: Maybe, hour_share_04: Maybe,
    hour_share_05: Maybe, hour_share_06: Maybe, hour_share_07: Maybe, hour_share_08: Maybe, hour_share_09: Maybe,
    hour_share_10: Maybe, hour_share_11: Maybe, hour_share_12: Maybe, hour_share_13: Maybe, hour_share_14: Maybe,
    hour_share_15: Maybe, hour_share_16: Maybe, hour_share_17: Maybe, hour_share_18: Maybe, hour_share_19: Maybe,
    hour_share_20: Maybe, hour_share_21: Maybe, hour_share_22: Maybe, hour_share_23: Maybe,
) -> Value:  # fmt: skip
    """Always on: serving replicas x hours billed. Autoscaled: the replicas each hour needs, summed.

    An hour needs at least one, and at most the replicas that are there.
    """
    shares = [
        hour_share_00, hour_share_01, hour_share_02, hour_share_03, hour_share_04, hour_share_05,
        hour_share_06, hour_share_07, hour_share_08, hour_share_09, hour_share_10, hour_share_11,
        hour_share_12, hour_share_13, hour_share_14, hour_share_15, hour_share_16, hour_share_17,
        hour_share_18, hour_share_19, hour_share_20, hour_share_21, hour_share_22, hour_share_23,
    ]  # fmt: skip
    per_share = calls_per_day / SECONDS_PER_HOUR / maximum(replica_requests_per_second, SMALLEST)
    needed = [
        let(
            f"replicas in hour {hour:02d}",
            minimum(maximum(1, ceiling(otherwise(share, 0) * per_share)), serving_replicas),
        )
        for hour, share in enumerate(shares)
    ]
    total = needed[0]
    for hour, replicas_in_hour in enumerate(needed[1:], start=1):
        total = let(f"replica hours to {hour:02d}", total + replicas_in_hour)
    by_hour = where(given(largest_hour_share), total, blank())
    return where(is_on(autoscale), by_hour, serving_replicas * hours_billed_per_day)


@row(label="Device hours per month", unit="h/month", section=SECTION, better="lower")
def device_hours_per_month(
    autoscale: Value,
    serving_replica_hours_per_day: Value,
    serving_replicas: Value,
    replicas: Value,
    hours_billed_per_day: Value,
    devices_per_replica: Value,
    days_per_month: Value,
) -> Value:
    """Replica hours x devices per replica x days; spares and prefill replicas are up for every hour billed.

    Utilization never shrinks it: a device that is up is billed.
    """
    up = where(is_on(autoscale), HOURS_PER_DAY, hours_billed_per_day)
    beside = (replicas - serving_replicas) * up
    return (serving_replica_hours_per_day + beside) * devices_per_replica * days_per_month


@row(label="Mean utilization of the hours billed", unit="share", section=SECTION, better="higher")
def utilization_mean(
    calls_per_day: Value, serving_replica_hours_per_day: Value, capacity_requests_per_second: Value
) -> Value:
    """Calls per day over what the serving replicas could carry in the hours they are up; sets cost."""
    carried = serving_replica_hours_per_day * SECONDS_PER_HOUR * capacity_requests_per_second
    return calls_per_day / maximum(carried, SMALLEST)
