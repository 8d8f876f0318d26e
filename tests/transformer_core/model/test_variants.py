"""Pins: every switch of the configuration, alone and mixed, against the model written in numpy; values and gradients."""

import random
from contextlib import nullcontext
from dataclasses import asdict, replace

import pytest
import torch
from torch import Tensor

from tests.transformer_core.helpers import BATCH, SRC, TGT, arrays, config, generator, perturbed_model, token_ids
from tests.transformer_core.in_numpy import numpy_logits
from transformer_core import PRESETS, Trace, Transformer, TransformerConfig
from transformer_core.model.config import CHOICES
from transformer_core.model.dropout import use_dropout_generator
from transformer_core.model.layers import DecoderLayer
from transformer_core.model.transformer import shapes_only

SWITCHES = {
    "norm": ("post", "pre"),
    "final_norm": (None, True, False),
    "layer_norm": ("standard", "unbiased_std"),
    "attention_bias": (True, False),
    "tie_embeddings": ("none", "output", "all"),
    "position": ("sinusoidal", "learned", "none", "rotary", "alibi"),
    "embedding_scale": (True, False),
    "score": ("scaled_dot", "dot", "additive", "concat_linear"),
    "residual": (True, False),
    "causal": (True, False),
    "cross_attention": (True, False),
    "activation": ("relu", "gelu"),
    "stacks": ("both", "decoder"),
    "cross_position": (True, False),
}
ONE_BY_ONE = [
    {name: value} for name, values in SWITCHES.items() for value in values if value != getattr(TransformerConfig(9, 9), name)
]


ONE_BY_ONE += [{"position": position, "cross_position": True} for position in ("rotary", "alibi")]


def mixed(seed: int) -> dict:
    draw = random.Random(seed)
    values = {name: draw.choice(values) for name, values in SWITCHES.items()}
    lacks_source = values["stacks"] == "decoder" and values["tie_embeddings"] == "all"
    return values | ({"tie_embeddings": "output"} if lacks_source else {})


def small(changes: dict) -> TransformerConfig:
    return config(d_model=12, d_ff=10, tgt_vocab=19 if changes.get("tie_embeddings") == "all" else 17, **changes)


def weights(model: Transformer) -> dict[str, Tensor]:
    return dict(model.named_parameters())


def check(cfg: TransformerConfig) -> None:
    """Values to 1e-10 of the largest against numpy, and the gradient, along a random direction through all parameters, to what
    two passes say; traced and not, in float64."""
    model = perturbed_model(cfg, seed=3).double()
    src, tgt = token_ids(cfg)
    expected = torch.from_numpy(numpy_logits(cfg, arrays(model), src.numpy(), tgt.numpy())[1])
    factors = torch.randn(expected.shape, generator=generator(4), dtype=torch.float64)
    draws = generator(5)
    directions = {name: torch.randn(each.shape, generator=draws).double() for name, each in weights(model).items()}
    for name in directions.keys() & {"src_embedding.table.weight", "tgt_embedding.table.weight"}:
        directions[name][cfg.pad_id] = 0  # torch leaves the padding row without its gradient
    expected_slope = slope(model, directions, src, tgt, factors)
    for looked_at in (nullcontext(), Trace()):
        with looked_at:
            logits = model(src, tgt)
        assert (logits - expected).abs().max() <= 1e-10 * expected.abs().max()
        model.zero_grad()
        (logits * factors).sum().backward()
        slopes = [float((each.grad * directions[name]).sum()) for name, each in weights(model).items() if each.grad is not None]
        assert abs(sum(slopes) - expected_slope) <= 1e-6 * max(map(abs, slopes))


@torch.no_grad()
def slope(model: Transformer, directions: dict[str, Tensor], src: Tensor, tgt: Tensor, factors: Tensor) -> float:
    """The sum of the logits times `factors`, differentiated along a direction: its change over a small step to either side."""
    step, kept, found = 1e-6, {name: each.clone() for name, each in weights(model).items()}, []
    for side in (1, -1, 0):
        for name, each in weights(model).items():
            each.copy_(kept[name] + side * step * directions[name])
        found.append(float((model(src, tgt) * factors).sum()))
    return (found[0] - found[1]) / (2 * step)


def test_these_are_all_switches_and_their_values_in_the_order_in_which_they_are_offered():
    assert CHOICES == SWITCHES


@pytest.mark.parametrize("changes", ONE_BY_ONE, ids=lambda changes: "-".join(f"{k}={v}" for k, v in changes.items()))
def test_one_switch_at_a_time(changes):
    check(small(changes))


@pytest.mark.parametrize("seed", range(8))
def test_switches_mixed(seed):
    check(small(mixed(seed)))


@pytest.mark.teaches(point="A13")
@pytest.mark.parametrize("name", PRESETS)
def test_every_preset_s_switches(name):
    sizes = {"d_model": 12, "n_heads": 3, "d_ff": 10, "n_layers": 2, "dropout": 0.0, "max_len": 40, "tgt_max_len": 30}
    check(replace(PRESETS[name], src_vocab=19, tgt_vocab=19, **sizes))


@pytest.mark.teaches(point="E1")
def test_the_base_preset_has_the_paper_s_numbers():
    base = PRESETS["paper_base"]
    assert (base.n_layers, base.d_model, base.d_ff, base.n_heads, base.d_k, base.dropout) == (6, 512, 2048, 8, 64, 0.1)
    assert (base.norm, base.has_final_norm, base.tie_embeddings, base.position) == ("post", False, "all", "sinusoidal")
    assert (base.src_vocab, base.tgt_vocab, base.d_v, base.causal) == (37_000, 37_000, 64, True)


def test_the_lesson_preset_is_pre_norm_with_the_norms_of_the_notes():
    lesson = PRESETS["lesson"]
    assert (lesson.norm, lesson.has_final_norm, lesson.layer_norm) == ("pre", True, "unbiased_std")
    assert (lesson.attention_bias, lesson.has_output_bias, lesson.activation) == (True, True, "relu")


@pytest.mark.teaches(point="D5")
def test_the_post_norm_notes_preset():
    notes = PRESETS["post_norm_notes"]
    assert (notes.norm, notes.has_final_norm, notes.attention_bias, notes.has_output_bias) == ("post", False, False, True)
    assert (notes.max_len, notes.longest_tgt) == (100, 80)
    assert (notes.layer_norm, notes.norm_eps) == ("unbiased_std", 1e-6)
    assert not any("bias" in name and "_attn." in name for name in weights(shapes_only(notes)))


@pytest.mark.teaches(point="D4")
def test_dropout_follows_the_sum_of_embedding_and_position():
    model = Transformer(config(dropout=0.5), generator(11)).train()
    use_dropout_generator(model, generator(12))
    x = torch.randint(1, 17, (2, 7), generator=generator(13))
    entered = model.tgt_embedding(x)
    with Trace() as trace:
        model.eval().tgt_embedding(x)
    dropped = entered == 0
    assert 0.4 < dropped.float().mean() < 0.6
    torch.testing.assert_close(entered[~dropped], 2 * trace["decoder.embedding.sum"][~dropped])


@pytest.mark.parametrize("norm", ["post", "pre"])
def test_dropout_falls_on_weights_activations_and_sublayer_outputs(norm):
    layer = DecoderLayer(config(norm=norm, dropout=0.5)).train()
    seen = []
    for name, module in layer.named_modules():
        if name.endswith("dropout"):
            module.register_forward_hook(lambda _, inputs, __, name=name: seen.append((name, tuple(inputs[0].shape))))
    layer(torch.zeros(BATCH, TGT, 66), torch.zeros(BATCH, SRC, 66))
    assert seen == [
        ("self_attn.dropout", (BATCH, 3, TGT, TGT)),
        ("self_attn_residual.dropout", (BATCH, TGT, 66)),
        ("cross_attn.dropout", (BATCH, 3, TGT, SRC)),
        ("cross_attn_residual.dropout", (BATCH, TGT, 66)),
        ("feed_forward.dropout", (BATCH, TGT, 13)),
        ("feed_forward_residual.dropout", (BATCH, TGT, 66)),
    ]


@pytest.mark.teaches(point="B3")
def test_learned_positions_are_weights_of_each_side_and_no_longer_than_their_table():
    cfg = config(position="learned", max_len=9, tgt_max_len=6, tie_embeddings="all", tgt_vocab=19)
    model = perturbed_model(cfg)
    assert model.src_embedding.positions.shape == (9, 66)
    assert model.tgt_embedding.positions.shape == (6, 66)
    assert {name for name in weights(model) if "positions" in name} == {"src_embedding.positions", "tgt_embedding.positions"}
    model(*token_ids(cfg, src=9, tgt=6))
    with pytest.raises(ValueError, match="a sequence of 7 tokens is longer than max_len 6; shorten it"):
        model(*token_ids(cfg, src=9, tgt=7))


def test_a_configuration_written_before_the_switches_still_reads():
    old = {k: v for k, v in asdict(config()).items() if k not in {*SWITCHES, "tgt_max_len"} or k in ("norm", "tie_embeddings")}
    assert TransformerConfig.from_dict(old) == config()
