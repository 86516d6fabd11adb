"""The named literals of the model. A row may hold no other number but 0 and 1."""

from __future__ import annotations

from planner.model.expression import Constant

BITS_PER_BYTE = Constant(8, "bits_per_byte", "Bits in a byte", "bit")
GIB = Constant(2**30, "bytes_per_gib", "Bytes in a GiB", "B")
GIGA = Constant(1e9, "bytes_per_gb", "Bytes in a GB", "B")
MILLION = Constant(1e6, "million", "Tokens a price is given for", "tokens")
MS_PER_S = Constant(1000, "milliseconds_per_second", "Milliseconds in a second", "ms")
US_PER_S = Constant(1e6, "microseconds_per_second", "Microseconds in a second", "us")
HALF = Constant(0.5, "half", "One half: the mean of a length that grows evenly", "")

SECONDS_PER_HOUR = Constant(3600, "seconds_per_hour", "Seconds in an hour", "s")
SECONDS_PER_DAY = Constant(86400, "seconds_per_day", "Seconds in a day", "s")
HOURS_PER_DAY = Constant(24, "hours_per_day_whole", "Hours in a day", "h")
MONTHS_PER_YEAR = Constant(12, "months_per_year", "Months in a year", "months")
DAYS_PER_YEAR = Constant(365, "days_per_year", "Days in a year", "days")
WATTS_PER_KILOWATT = Constant(1000, "watts_per_kilowatt", "Watts in a kilowatt", "W")

KEY_AND_VALUE = Constant(2, "key_and_value", "Cached vectors per head: a key and a value", "")
FLOP_PER_PARAMETER = Constant(2, "flop_per_parameter", "FLOP per parameter and token: a multiply and an add", "FLOP")
ATTENTION_FLOP = Constant(
    4, "attention_flop", "FLOP per head element and context token: scores and values, two each", "FLOP"
)
ACTIVATION_BYTES = Constant(2, "activation_bytes", "Bytes of an activation between devices (16 bit)", "B")
SCORE_BYTES = Constant(2, "score_bytes", "Bytes of one attention score (16 bit)", "B")
WRITTEN_AND_READ = Constant(2, "written_and_read", "Times a score or a state crosses memory: written and read", "")
COLLECTIVES_PER_LAYER = Constant(
    2, "collectives_per_layer", "All-reduces per layer under tensor parallel: after attention and after the MLP", ""
)
DISPATCH_AND_COMBINE = Constant(2, "dispatch_and_combine", "Exchanges per MoE layer under expert parallel", "")
ALL_REDUCE_PASSES = Constant(
    2, "all_reduce_passes", "Times an all-reduce sends each byte: reduce-scatter, then all-gather", ""
)
FOUR_BIT = Constant(4, "four_bit", "Widest arithmetic that counts as 4-bit", "bit")

TIE = Constant(1 + 1e-12, "tie", "Factor on memory time within which two times count as equal", "")
MILLIONTH = Constant(1e-6, "millionth", "Distance from 1 at which a quotient of differences loses its digits", "")
SMALLEST = Constant(1e-12, "smallest", "Smallest divisor: keeps a quotient that is not used from failing", "")
TINIEST = Constant(1e-24, "tiniest", "Smallest divisor of a difference of times", "")
ALMOST_ONE = Constant(1 - 1e-12, "almost_one", "Largest share of time that a queue is computed for", "")
SAKASEGAWA = Constant(
    2, "sakasegawa", "Constant under the root of Sakasegawa's waiting probability", "", "Sakasegawa 1977"
)
MEAN_OF_SQUARE = Constant(2, "pollaczek", "Divisor of 1 + cv2 in the mean wait", "", "Pollaczek-Khinchine")
P95_TAIL = Constant(0.05, "p95_tail", "Share of requests beyond the 95th percentile", "")
P95_SHARE = Constant(0.95, "p95_share", "Share of a step waited for at the 95th percentile", "")
TWO = Constant(2, "quadratic_factor", "Factor in the root of a quadratic", "")
THIRD = Constant(1 / 3, "third", "What is left of an exponential's square where its cube is at most as large", "")
LEAP = Constant(4, "leap", "Most that a step to a root may multiply or divide what it starts from", "")
LEAST_EXPONENT = Constant(-600, "least_exponent", "Exponent below which a power of e counts as none", "")

CHECKED_SHARE = Constant(
    0.05, "checked_share", "Share of a time above which an estimate of it is blurred", "", "simulation"
)
CHECKED_PAUSE = Constant(
    0.18, "checked_pause", "Held share x share of an answer paused, up to which mixed chunks agree", "", "simulation"
)
CHECKED_NEIGHBOUR = Constant(
    0.08, "checked_neighbour", "Share of TPOT that one more sequence adds, up to which it agrees", "", "simulation"
)
CHECKED_PROMPTS = Constant(
    1.5, "checked_prompts", "Prompts a step up to which TPOT of short answers agrees", "", "simulation"
)
CHECKED_COMPANY = Constant(2, "checked_company", "Prompts a step up to which TTFT agrees", "", "simulation")
CHECKED_ANSWER = Constant(
    20, "checked_answer", "Tokens from which on TPOT agrees with many prompts a step", "tokens", "simulation"
)
CHECKED_SLOTS = Constant(16, "checked_slots", "Slots from which on mixed chunks agree", "sequences", "simulation")
CHECKED_TOKENS = Constant(5, "checked_tokens", "Tokens from which on TPOT under load agrees", "tokens", "simulation")
CHECKED_LOAD = Constant(
    600, "checked_load", "Slots x tokens from which on TPOT under load agrees", "tokens", "simulation"
)
