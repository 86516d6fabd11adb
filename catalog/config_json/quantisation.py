"""How a checkpoint's weights are stored, from ``quantization_config`` or a quantisation file beside config.json.

Understood: fp8 (block or per tensor), AWQ, GPTQ, AutoRound, mxfp4, compressed-tensors, ModelOpt (fp8, nvfp4, mixed),
bitsandbytes. An unknown method is refused by name. Formats are ids of the catalogue's formats.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from catalog.architecture import Stored
from catalog.config_json.keys import Keys

GROUPS = ("attention", "dense", "experts", "embedding")
_DTYPES = {
    "bfloat16": "bf16",
    "float16": "fp16",
    "float32": "fp32",
    "float64": "fp32",
    "bf16": "bf16",
    "fp16": "fp16",
    "half": "fp16",
}
_FP8 = {"fp8", "fbgemm_fp8", "fp8_pb_wo", "fp8_per_channel_per_token", "float8"}
_ALGORITHMS = {
    "FP8": "fp8",
    "FP8_PB_WO": "fp8",
    "FP8_PER_CHANNEL_PER_TOKEN": "fp8",
    "FP8_BLOCK_SCALES": "fp8",
    "MXFP8": "fp8",
    "NVFP4": "nvfp4",
    "NVFP4_AWQ": "nvfp4",
    "W4A16_NVFP4": "nvfp4",
    "W4A8_NVFP4_FP8": "nvfp4",
    "MXFP4": "mxfp4",
    "W4A8_MXFP4_FP8": "mxfp4",
    "W4A16": "int4",
    "W4A16_AWQ": "int4",
    "W4A8_AWQ": "int4",
    "INT8_SQ": "int8",
    "W8A8_SQ": "int8",
    "W8A16": "int8",
    "INT8": "int8",
}
_MAJORITY = 0.5
_KV = {"FP8": "fp8", "NVFP4": "fp4", "INT8": "int8"}

Formats = dict[str, tuple[str, float | None]]
"""Format and, where it differs from the format's own, real bits of each parameter group."""


def dtype(keys: Keys, outer: Keys) -> str | None:
    """The ``dtype`` of the configuration or its outer one, as written; raises ConfigError on an unknown one."""
    for one in (keys, outer):
        word = one.text("torch_dtype", "dtype")
        if word is not None:
            plain = word.removeprefix("torch.")
            if plain not in _DTYPES:
                raise one.refuse(f"{one.name('torch_dtype')} = {word!r} is not known")
            return plain
    return None


def stored(
    keys: Keys, outer: Keys, word: str | None, layers: int, beside: Mapping[str, dict[str, Any]]
) -> tuple[Stored, str | None]:
    """Formats of the parameter groups and the quantisation method as the files name it (None: not quantised)."""
    plain = _DTYPES[word] if word else "bf16"
    table = keys.table("quantization_config") or outer.table("quantization_config")
    extra = outer.text("expert_dtype") or keys.text("expert_dtype")
    if table is None:
        for name, document in beside.items():
            file = Keys(document, f"{keys.where} ({name})")
            table = file.table("quantization") or file
            break
    if table is None or not table.data:
        return _finish(dict.fromkeys(GROUPS, (plain, None)), extra, keys), None
    method = _method(table)
    if table.text("quant_algo") == "MIXED_PRECISION":
        formats = _mixed(table, "fp8" if method in _FP8 else plain, plain)
        return _finish(formats, None, keys, _kv(table)), method
    return _finish(_formats(table, method, plain, layers), extra, keys, _kv(table)), method


def _finish(formats: Formats, extra: str | None, keys: Keys, kv: str | None = None) -> Stored:
    if extra is not None:
        # DeepSeek-V4 keeps its experts in a 4-bit float with a scale for each 32 elements.
        known = {"fp4": "mxfp4", "fp8": "fp8", "bf16": "bf16", "bfloat16": "bf16"}
        if extra not in known:
            raise keys.refuse(f"expert_dtype = {extra!r} is not known")
        formats["experts"] = (known[extra], None)
    bits = {group: real for group, (_, real) in formats.items() if real is not None}
    names = {group: name for group, (name, _) in formats.items()}
    return Stored(**names, kv=kv, bits=bits)


def _method(table: Keys) -> str:
    method = table.text("quant_method")
    if method is None:
        if table.text("quant_algo") is not None:
            return "modelopt"
        if table.has("bits") and (table.has("group_size") or table.has("q_group_size")):
            return "gptq" if table.has("desc_act", "damp_percent") else "awq"
        if table.has("w_bit") and table.has("q_group_size"):
            return "awq"
        raise table.refuse(f"{table.name('quant_method')} is missing")
    return method


def _formats(table: Keys, method: str, plain: str, layers: int) -> Formats:
    skipped = _skipped(table, layers)
    if method in _FP8:
        return _apply(("fp8", None), plain, skipped)
    if method in ("awq", "gptq", "auto-round", "autoround", "gptq_marlin", "awq_marlin", "intel/auto-round"):
        return _apply(_integers(table, two_scales=True), plain, skipped)
    if method == "mxfp4":
        return _apply(("mxfp4", None), plain, skipped)
    if method == "compressed-tensors":
        return _compressed(table, plain, skipped)
    if method in ("modelopt", "modelopt_fp4", "modelopt_mixed", "modelopt_fp8"):
        return _modelopt(table, plain, skipped)
    if method == "mxfp8":
        return _apply(("fp8", 8.25), plain, skipped)
    if method in ("bitsandbytes", "bnb"):
        if table.flag("load_in_4bit", "_load_in_4bit"):
            return _apply(("int4", 4.5), plain, skipped)
        if table.flag("load_in_8bit", "_load_in_8bit"):
            return _apply(("int8", None), plain, skipped)
        raise table.refuse("neither load_in_4bit nor load_in_8bit is true")
    raise table.refuse(f"{table.name('quant_method')} = {method[:40]!r} is not known")


def _integers(table: Keys, *, two_scales: bool) -> tuple[str, float | None]:
    """An integer format with its group's scales: 16 bits for the scale and, with zero points, 16 for those."""
    bits = table.integer("bits", "w_bit", "num_bits", low=2, high=8)
    size = table.maybe_integer("group_size", "q_group_size", low=-1)
    if bits == 8:
        return "int8", None
    group = size if size is not None and size > 0 else None
    if bits == 4 and two_scales and group == 128:
        return "int4", None
    return "int4", bits + ((32 if two_scales else 16) / group if group else 0.0)


def _compressed(table: Keys, plain: str, skipped: Mapping[str, float]) -> Formats:
    groups = table.table("config_groups")
    if groups is None or not groups.data:
        raise table.refuse(f"{table.name('config_groups')} is missing")
    made: Formats = dict.fromkeys(GROUPS, (plain, None))
    for name in groups.data:
        group = groups.table(name)
        weights = group.table("weights") if group is not None else None
        if group is None or weights is None:
            raise table.refuse(f"{groups.name(name)}.weights is missing")
        applied = _apply(_weights(weights), plain, skipped)
        targets = [target for target in group.items("targets") or [] if isinstance(target, str)]
        named = _named(targets) if targets and targets != ["Linear"] else set(GROUPS)
        made.update({one: value for one, value in applied.items() if one in named})
    return made


def _weights(weights: Keys) -> tuple[str, float | None]:
    bits = weights.integer("num_bits", low=2, high=16)
    kind = weights.text("type") or "int"
    size = weights.maybe_integer("group_size", low=-1)
    if kind == "float":
        if bits == 8:
            return "fp8", None
        if bits == 4:
            return ("nvfp4", None) if size == 16 else ("mxfp4", None)
    if kind == "int" and bits <= 8:
        return _integers(weights, two_scales=not weights.flag("symmetric", default=True))
    raise weights.refuse(f"{weights.path}: {bits}-bit {kind} weights are not known")


def _modelopt(table: Keys, plain: str, skipped: Mapping[str, float]) -> Formats:
    algorithm = table.text("quant_algo")
    if algorithm is None:
        if table.table("config_groups") is not None:
            return _compressed(table, plain, skipped)
        raise table.refuse(f"{table.name('quant_algo')} is missing")
    return _apply((_algorithm(table, algorithm), None), plain, skipped)


def _algorithm(table: Keys, word: str) -> str:
    if word.upper() not in _ALGORITHMS:
        raise table.refuse(f"{table.name('quant_algo')} = {word[:40]!r} is not known")
    return _ALGORITHMS[word.upper()]


def _mixed(table: Keys, other: str, plain: str) -> Formats:
    """Each module names its algorithm: a group takes the one that most of its layers have, else ``other``."""
    modules = table.table("quantized_layers")
    if modules is None:
        raise table.refuse(f"{table.name('quantized_layers')} is missing")
    seen: dict[str, dict[str, set[str]]] = {}
    for name in modules.data:
        module = modules.table(name)
        word = module.text("quant_algo") if module is not None else None
        if word is None:
            raise table.refuse(f"{modules.name(name)[:80]} names no quant_algo")
        for group in _named([name]):
            number = re.search(r"layers\.(\d+)", name)
            place = seen.setdefault(group, {}).setdefault(_algorithm(table, word), set())
            place.add(number.group(1) if number else name)
    formats: Formats = {}
    for group in GROUPS:
        ranked = sorted(seen.get(group, {}).items(), key=lambda item: -len(item[1]))
        formats[group] = (ranked[0][0] if ranked else plain if group == "embedding" else other, None)
    return formats


def _apply(wanted: tuple[str, float | None], plain: str, skipped: Mapping[str, float]) -> Formats:
    """``wanted`` for every linear layer but the skipped groups; embedding and head stay as they are."""
    kept: tuple[str, float | None] = (plain, None)
    return {group: kept if group == "embedding" or skipped.get(group, 0) >= _MAJORITY else wanted for group in GROUPS}


_IGNORED = ("modules_to_not_convert", "ignore", "exclude_modules", "ignored_layers", "llm_int8_skip_modules")


def _skipped(table: Keys, layers: int) -> dict[str, float]:
    """The share of layers in which each group is left unquantised."""
    names: list[str] = []
    for key in _IGNORED:
        names += [name for name in table.items(key) or [] if isinstance(name, str)]
    found: dict[str, set[str]] = {}
    whole: set[str] = set()
    for name in names:
        plain = name.removeprefix("re:").replace("\\", "")
        number = re.search(r"layers\.(\d+)", plain)
        for group in _named([name]):
            if number:
                found.setdefault(group, set()).add(number.group(1))
            else:
                whole.add(group)
    shares = {group: len(numbers) / layers for group, numbers in found.items()}
    return {**shares, **dict.fromkeys(whole, 1.0)}


_SMALL = re.compile(
    r"router|gate$|\.gate\b|gate\*?$|e_score|norm|_a$|_b$|conv1d|indexer|visual|vision|mm_|projector|merger|mtp|eh_proj"
)
"""Modules that belong to no group: small ones, and those outside the text decoder."""


def _named(patterns: Iterable[str]) -> set[str]:
    """Parameter groups that module names or patterns speak of; small and foreign modules speak of none."""
    groups: set[str] = set()
    for pattern in patterns:
        name = pattern.removeprefix("re:").replace("\\", "").rstrip("$").lower()
        if "lm_head" in name or "embed_tokens" in name or "word_embeddings" in name:
            groups.add("embedding")
        elif _SMALL.search(name):
            continue
        elif re.search(r"layers\.\d+\.?\*?$", name):
            groups.update(("attention", "dense", "experts"))
        elif "attn" in name or "attention" in name or ("mixer." in name and "experts" not in name):
            groups.add("attention")
        elif "shared_expert" in name:
            groups.add("dense")
        elif "expert" in name:
            groups.add("experts")
        elif "mlp" in name or "ffn" in name or "feed_forward" in name:
            groups.add("dense")
    return groups


def _kv(table: Keys) -> str | None:
    """The KV format that the checkpoint asks for, where it names one."""
    word = table.text("kv_cache_quant_algo")
    plain = table.data.get("kv_cache_scheme")
    if isinstance(plain, str):
        return _KV.get(plain.upper())
    scheme = table.table("kv_cache_scheme")
    if word is None and scheme is not None:
        bits = scheme.maybe_integer("num_bits", low=2, high=16)
        word = {8: "FP8", 4: "NVFP4"}.get(bits or 0)
    return _KV.get((word or "").upper())
