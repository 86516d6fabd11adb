"""Real configurations of odd shapes, where a checkout has them beside it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from catalog.config_json import Reading, read
from catalog.mixers import Attention, CompressedAttention, LatentAttention

CONFIGS = Path(__file__).resolve().parents[3] / "shared" / "catalog" / "configs"
EXPECTED: dict[str, dict[str, Any]] = (
    json.loads((CONFIGS / "expected.json").read_text(encoding="utf-8")) if (CONFIGS / "expected.json").exists() else {}
)

pytestmark = pytest.mark.skipif(not EXPECTED, reason="no real configurations lie beside this checkout")


def _as_expected(found: Reading) -> dict[str, Any]:
    """A reading in the words of the expected values."""
    made = found.architecture
    mixers = [mixer for _, mixer in made.mixers()]
    main = next((one for one in mixers if isinstance(one, (Attention, LatentAttention, CompressedAttention))), None)
    latent = next((one for one in mixers if isinstance(one, LatentAttention)), None)
    compressed = next((one for one in mixers if isinstance(one, CompressedAttention)), None)
    experts = next((one for _, one in made.expert_blocks()), None)
    return {
        "model_type": made.model_type,
        "layers": made.layers,
        "hidden": made.hidden,
        "inter": found.intermediate,
        "heads": main.heads if main else None,
        "kv_heads": found.kv_heads,
        "head_dim": found.head_dim,
        "vocab": made.vocabulary,
        "tied": made.tied,
        "max_context": made.context,
        "attention": found.attention,
        "kv_lora_rank": latent.kv_rank if latent else None,
        "q_lora_rank": found.query_rank,
        "qk_rope_head_dim": latent.rope if latent else compressed.rope if compressed else None,
        "qk_nope_head_dim": latent.nope if latent else None,
        "v_head_dim": latent.value_dim if latent else None,
        "sliding_window": found.window,
        "experts": experts.count if experts else None,
        "experts_per_token": experts.active if experts else None,
        "shared_experts": (experts.shared or None) if experts else None,
        "moe_inter": experts.width if experts else None,
        "dtype": found.dtype,
        "quant": found.quantisation,
        "layer_counts": made.layer_counts(),
        "params_calc": made.parameters,
        "active_calc": made.active_parameters,
    }


@pytest.mark.parametrize("name", EXPECTED)
def test_real_configuration(name: str) -> None:
    assert _as_expected(read(CONFIGS / name)) == EXPECTED[name]
