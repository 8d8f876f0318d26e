"""Pins: the arithmetic of one layer in both norm positions, and that a feed-forward part does not mix positions."""

import numpy as np
import pytest
import torch

from tests.transformer_core.helpers import BATCH, SRC, TGT, config, generator, perturb
from transformer_core import Trace
from transformer_core.model.feed_forward import FeedForward
from transformer_core.model.layers import DecoderLayer, EncoderLayer


def build(kind, norm, dtype=torch.float64):
    layer = kind(config(norm=norm)).to(dtype).eval()
    perturb(layer, seed=1)
    return layer


def vectors(*shape, seed=0):
    return torch.randn(*shape, generator=generator(seed), dtype=torch.float64)


def norm_by_hand(x, norm):
    """Mean 0 and variance 1 over the last axis, the small number inside the root, then gain and bias."""
    centred = x - x.mean(-1, keepdim=True)
    return centred / torch.sqrt(centred.square().mean(-1, keepdim=True) + 1e-5) * norm.weight + norm.bias


@torch.no_grad()
@pytest.mark.parametrize("norm", ["post", "pre"])
def test_encoder_layer_by_hand(norm):
    layer, x = build(EncoderLayer, norm), vectors(BATCH, SRC, 66)
    mask = torch.rand(BATCH, 1, 1, SRC, generator=generator(2)) < 0.6
    if norm == "post":
        y = norm_by_hand(x + layer.self_attn(x, x, mask), layer.self_attn_residual.norm)
        expected = norm_by_hand(y + layer.feed_forward(y), layer.feed_forward_residual.norm)
    else:
        normed = norm_by_hand(x, layer.self_attn_residual.norm)
        y = x + layer.self_attn(normed, normed, mask)
        expected = y + layer.feed_forward(norm_by_hand(y, layer.feed_forward_residual.norm))
    torch.testing.assert_close(layer(x, mask), expected, rtol=0, atol=1e-12)


@torch.no_grad()
@pytest.mark.parametrize("norm", ["post", "pre"])
def test_decoder_layer_by_hand(norm):
    layer, x, memory = build(DecoderLayer, norm), vectors(BATCH, TGT, 66), vectors(BATCH, SRC, 66, seed=1)
    src_mask = torch.rand(BATCH, 1, 1, SRC, generator=generator(2)) < 0.6
    tgt_mask = torch.ones(TGT, TGT, dtype=torch.bool).tril()[None, None]
    attentions = [
        (lambda y: layer.self_attn(y, y, tgt_mask), layer.self_attn_residual.norm),
        (lambda y: layer.cross_attn(y, memory, src_mask), layer.cross_attn_residual.norm),
        (lambda y: layer.feed_forward(y), layer.feed_forward_residual.norm),
    ]
    y = x
    for sublayer, norm_part in attentions:
        y = norm_by_hand(y + sublayer(y), norm_part) if norm == "post" else y + sublayer(norm_by_hand(y, norm_part))
    torch.testing.assert_close(layer(x, memory, src_mask, tgt_mask), y, rtol=0, atol=1e-12)


@torch.no_grad()
def test_feed_forward_is_two_products_with_a_relu_between():
    part = FeedForward(config()).double().eval()
    perturb(part, seed=3)
    x = vectors(BATCH, SRC, 66)
    w_1, b_1, w_2, b_2 = (p.numpy() for p in (part.w_1.weight, part.w_1.bias, part.w_2.weight, part.w_2.bias))
    hidden = x.numpy() @ w_1.T + b_1
    with Trace() as trace:
        output = part(x)
    np.testing.assert_allclose(trace["hidden"], hidden, rtol=0, atol=1e-12)
    np.testing.assert_allclose(trace["active"], np.maximum(hidden, 0), rtol=0, atol=1e-12)
    np.testing.assert_allclose(output, np.maximum(hidden, 0) @ w_2.T + b_2, rtol=0, atol=1e-12)
    assert (hidden < 0).any()


@torch.no_grad()
def test_feed_forward_takes_each_position_alone():
    part = FeedForward(config()).double().eval()
    x = vectors(BATCH, SRC, 66)
    changed = x.clone()
    changed[1, 4] += 1
    rows = (part(x) != part(changed)).any(-1)
    assert rows.nonzero().tolist() == [[1, 4]]


@pytest.mark.parametrize("norm", ["post", "pre"])
def test_dropout_falls_on_weights_activations_and_sublayer_outputs(norm):
    layer = DecoderLayer(config(norm=norm, dropout=0.5)).double().train()
    seen = []
    for name, module in layer.named_modules():
        if name.endswith("dropout"):
            module.register_forward_hook(lambda _, inputs, __, name=name: seen.append((name, tuple(inputs[0].shape))))
    layer(vectors(BATCH, TGT, 66), vectors(BATCH, SRC, 66, seed=1))
    assert seen == [
        ("self_attn.dropout", (BATCH, 3, TGT, TGT)),
        ("self_attn_residual.dropout", (BATCH, TGT, 66)),
        ("cross_attn.dropout", (BATCH, 3, TGT, SRC)),
        ("cross_attn_residual.dropout", (BATCH, TGT, 66)),
        ("feed_forward.dropout", (BATCH, TGT, 13)),
        ("feed_forward_residual.dropout", (BATCH, TGT, 66)),
    ]
