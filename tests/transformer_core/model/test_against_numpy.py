"""Pins: what `torch.nn.Transformer` has no option for, against the model written in numpy; and that nothing else is missing.

Every parameter is moved first, all sizes are random and differ, rows end in padding. In float64 both must agree to 1e-12 of the
largest value.
"""

import random
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch

from tests.transformer_core.helpers import arrays, perturbed_model, token_ids
from tests.transformer_core.in_numpy import numpy_logits
from tests.transformer_core.model.test_variants import SWITCHES
from transformer_core import TransformerConfig
from transformer_core.analysis.parity import parity, random_batch
from transformer_core.analysis.torch_reference import ALWAYS_IN_TORCH, without_counterpart

LACKING: dict[str, tuple[Any, ...]] = {
    "layer_norm": ("unbiased_std",),
    "score": ("dot", "additive", "concat_linear"),
    "residual": (False,),
    "cross_attention": (False,),
    "position": ("rotary", "alibi"),
}
ONE_BY_ONE = [{name: value} for name, values in LACKING.items() for value in values]
OTHERS = [{name: value} for name, values in SWITCHES.items() for value in values if {name: value} not in ONE_BY_ONE]


def some_config(seed: int, **changes: Any) -> TransformerConfig:
    """Of random sizes; all that torch has as well is random, too."""
    draw = random.Random(seed)
    heads, vocab = draw.choice([1, 2, 3, 5]), draw.randint(11, 30)
    mixed: dict[str, Any] = {name: draw.choice(values) for name, values in SWITCHES.items() if name not in LACKING}
    mixed |= {"position": draw.choice(ALWAYS_IN_TORCH["position"])} | changes
    if "cross_attention" in changes:  # a decoder alone never has it, nor has its counterpart
        mixed["stacks"] = "both"
    if mixed["stacks"] == "decoder" and mixed["tie_embeddings"] == "all":
        mixed["tie_embeddings"] = "output"
    target = vocab if mixed["tie_embeddings"] == "all" else vocab + draw.randint(1, 5)
    sizes = {"d_model": heads * 2 * draw.randint(2, 6), "n_heads": heads, "n_layers": draw.choice([1, 2, 3])}
    return TransformerConfig(vocab, target, d_ff=draw.randint(5, 40), dropout=0.0, max_len=30, **sizes | mixed)


def differences(cfg: TransformerConfig, seed: int) -> list[float]:
    """Of the encoder's output and of the logits, relative to the largest value."""
    model = perturbed_model(cfg, seed).double()
    draw = random.Random(seed)
    src, tgt = token_ids(cfg, batch=3, src=draw.randint(4, 9), tgt=draw.randint(10, 14), seed=seed)
    expected = numpy_logits(cfg, arrays(model), src.numpy(), tgt.numpy())
    with torch.no_grad():
        found = model.encode(src).numpy(), model(src, tgt).numpy()
    return [float(np.abs(a - b).max() / np.abs(b).max()) for a, b in zip(found, expected, strict=True) if b.size]


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("changes", ONE_BY_ONE, ids=str)
def test_what_torch_lacks_is_what_numpy_computes(changes, seed):
    cfg = some_config(seed, **changes)
    assert without_counterpart(cfg) == tuple(changes)
    assert max(differences(cfg, seed)) < 1e-12


@pytest.mark.parametrize("seed", range(10, 16))
def test_several_at_once(seed):
    draw = random.Random(seed)
    changes = {name: draw.choice(values) for name, values in LACKING.items() if draw.random() < 0.7}
    cfg = some_config(seed, **changes)
    assert set(without_counterpart(cfg)) == set(changes)
    assert max(differences(cfg, seed)) < 1e-12


def test_a_fault_would_be_seen():
    """Each of these settings alone makes another model of the same weights."""
    cfg = some_config(3, norm="pre", activation="relu", stacks="both")
    model = perturbed_model(cfg, 3).double()
    src, tgt = token_ids(cfg, seed=3)
    weights = arrays(model)
    with torch.no_grad():
        logits = model(src, tgt).numpy()
    assert np.abs(numpy_logits(cfg, weights, src.numpy(), tgt.numpy())[1] - logits).max() < 1e-12 * np.abs(logits).max()
    for changes in [each for each in ONE_BY_ONE if each.get("score") not in ("additive", "concat_linear")]:
        other = numpy_logits(replace(cfg, **changes), weights, src.numpy(), tgt.numpy())[1]
        assert np.abs(other - logits).max() > 1e-3 * np.abs(logits).max(), changes


def test_no_setting_without_a_counterpart_is_missing_here():
    assert set(LACKING) == set(ALWAYS_IN_TORCH)
    for name, values in LACKING.items():
        assert set(values) == set(SWITCHES[name]) - set(ALWAYS_IN_TORCH[name]), name


@pytest.mark.parametrize("changes", OTHERS, ids=str)
def test_torch_has_a_counterpart_for_all_others(changes):
    cfg = some_config(7, **changes)
    assert without_counterpart(cfg) == ()
    assert parity(perturbed_model(cfg, 7), random_batch(cfg, 7), torch.float64).all_equal
