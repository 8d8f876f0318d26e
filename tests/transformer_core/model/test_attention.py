"""Pins: both paths compute what torch's kernel does, values and gradients; queries that may see nothing; dropout.

A key length of 7 takes the explicit path on a CPU and 23 the fused one, so both are run everywhere.
"""

import math
from contextlib import nullcontext

import numpy as np
import pytest
import torch
import torch.nn.functional as F

from tests.transformer_core.helpers import generator
from transformer_core import Trace, attention
from transformer_core.model.dropout import Dropout
from transformer_core.model.kernels import SHORT_ROW

BATCH, HEADS, QUERIES, D_K = 2, 3, 5, 22
SHORT, LONG = 7, 23
KEYS = pytest.mark.parametrize("keys", [SHORT, LONG])
D_V = pytest.mark.parametrize("d_v", [D_K, 11])


def operands(keys, d_v=D_K, dtype=torch.float64, seed=0, d_k=D_K):
    """q, k, v, and a mask that leaves every query at least the first key."""
    draws = generator(seed)
    shapes = (BATCH, HEADS, QUERIES, d_k), (BATCH, HEADS, keys, d_k), (BATCH, HEADS, keys, d_v)
    q, k, v = (torch.randn(shape, generator=draws, dtype=dtype).requires_grad_() for shape in shapes)
    mask = torch.rand(BATCH, 1, QUERIES, keys, generator=draws) < 0.6
    mask[..., 0] = True
    return q, k, v, mask


def traced(*operands):
    """The context, and the trace of the pass that has computed it."""
    with Trace() as trace:
        context = attention(*operands)
    return context, trace


def gradients(context, *inputs):
    """Of a sum with random factors, so that no direction cancels."""
    factors = torch.randn(context.shape, generator=generator(9), dtype=context.dtype)
    return torch.autograd.grad((context * factors).sum(), inputs)


@pytest.fixture
def fused_calls(monkeypatch):
    """How often torch's fused attention has been called."""
    calls = []
    fused = F.scaled_dot_product_attention

    def counted(*args, **options):
        calls.append(args[1].size(-2))
        return fused(*args, **options)

    monkeypatch.setattr(F, "scaled_dot_product_attention", counted)
    return calls


def test_both_paths_are_taken_by_these_tests(fused_calls):
    assert SHORT < SHORT_ROW <= LONG
    for keys in (SHORT, LONG):
        q, k, v, mask = operands(keys)
        attention(q, k, v, mask)
        traced(q, k, v, mask)
        attention(q, k, v, mask, dropout=active_dropout(0.5))
    assert fused_calls == [LONG]


@KEYS
def test_stages_lead_from_products_to_the_context(keys):
    q, k, v, mask = operands(keys)
    context, trace = traced(q, k, v, mask)
    np.testing.assert_allclose(trace["products"], np.einsum("bhqd,bhkd->bhqk", q.detach(), k.detach()), atol=1e-13)
    np.testing.assert_allclose(trace["scores"], trace["products"] / math.sqrt(D_K), rtol=1e-15)
    np.testing.assert_allclose(trace["weights"], trace["masked_scores"].softmax(-1), rtol=1e-12)
    np.testing.assert_allclose(context.detach(), trace["weights"] @ v.detach(), atol=1e-13)


@KEYS
def test_without_a_mask_all_is_seen(keys):
    q, k, v, _mask = operands(keys)
    for context in (attention(q, k, v), traced(q, k, v)[0]):
        torch.testing.assert_close(context, F.scaled_dot_product_attention(q, k, v), rtol=0, atol=1e-13)


@KEYS
@D_V
@pytest.mark.parametrize("blocked_row", [False, True])
def test_values_and_gradients_against_torchs_fused_kernel(keys, d_v, blocked_row):
    q, k, v, mask = operands(keys, d_v)
    if blocked_row:
        mask[1, :, 3] = False
    expected = F.scaled_dot_product_attention(q, k, v, attn_mask=mask)
    fused = gradients(expected, q, k, v)
    for context in (traced(q, k, v, mask)[0], attention(q, k, v, mask)):
        torch.testing.assert_close(context, expected, rtol=0, atol=1e-13)
        for ours, theirs in zip(gradients(context, q, k, v), fused, strict=True):
            assert theirs.abs().max() > 1e-2
            torch.testing.assert_close(ours, theirs, rtol=0, atol=1e-12)


@KEYS
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("path", ["traced", "plain", "dropout"])
def test_a_query_that_may_see_nothing_gets_nothing(keys, dtype, path):
    q, k, v, mask = operands(keys, dtype=dtype)
    mask = mask.expand(BATCH, HEADS, QUERIES, keys).clone()
    mask[1, 2, 3] = False
    mask[0, :, 0] = False
    with Trace() if path == "traced" else nullcontext() as trace:
        context = attention(q, k, v, mask, active_dropout(0.25) if path == "dropout" else None)
    empty = ~mask.any(-1)
    assert empty.sum() == 4
    assert (context[empty] == 0).all()
    assert (context[~empty].abs().sum(-1) > 0).all() or path == "dropout"
    if path == "traced":
        assert (trace["weights"][empty] == 0).all()
        torch.testing.assert_close(trace["weights"].sum(-1), (~empty).to(dtype), rtol=0, atol=1e-6)
    of_q, of_k, of_v = gradients(context, q, k, v)
    for gradient in (of_q, of_k, of_v):
        assert gradient.isfinite().all()
        assert gradient.abs().max() > 0
    assert (of_q[empty] == 0).all()


@KEYS
@pytest.mark.parametrize("shift", [300.0, -300.0])
def test_scores_beyond_the_range_of_exp_neither_overflow_nor_vanish(keys, shift):
    q, k, v, mask = operands(keys, dtype=torch.float32)
    q, k = (50 * q.detach()).requires_grad_(), (k.detach() + shift).requires_grad_()
    recorded, trace = traced(q, k, v, mask)
    for context in (recorded, attention(q, k, v, mask)):
        assert context.isfinite().all()
        assert all(gradient.isfinite().all() for gradient in gradients(context, q, k, v))
    scores = trace["scores"]
    assert scores.min() < -10_000
    assert scores.max() > 10_000
    torch.testing.assert_close(trace["weights"].sum(-1), torch.ones(BATCH, HEADS, QUERIES), rtol=0, atol=1e-6)
    torch.testing.assert_close(trace["weights"].argmax(-1), trace["masked_scores"].argmax(-1))


# Dropout


def active_dropout(p, seed=0):
    dropout = Dropout(p).train()
    dropout.generator = generator(seed)
    return dropout


def test_dropout_zeroes_its_share_and_scales_the_rest():
    dropped = active_dropout(0.3)(torch.ones(401, 503))
    values = dropped.unique().tolist()
    assert values[0] == 0
    assert values[1:] == pytest.approx([1 / 0.7])
    share = (dropped == 0).float().mean().item()
    assert share == pytest.approx(0.3, abs=4 * math.sqrt(0.3 * 0.7 / (401 * 503)))
    for axis in (0, 1):  # independent along both axes, not whole rows
        shares = (dropped == 0).float().mean(axis)
        assert shares.std().item() == pytest.approx(math.sqrt(0.3 * 0.7 / dropped.size(axis)), rel=0.2)


def test_dropout_is_nothing_in_eval_mode_and_at_zero():
    x = torch.randn(5, 7)
    assert active_dropout(0.5).eval()(x) is x
    assert active_dropout(0.0)(x) is x


def test_dropout_draws_from_its_generator_alone():
    x = torch.ones(31, 37)
    torch.manual_seed(1)
    state = torch.get_rng_state()
    dropout = active_dropout(0.5, seed=4)
    first, second = dropout(x), dropout(x)
    assert torch.equal(torch.get_rng_state(), state)
    assert not torch.equal(first, second)
    torch.manual_seed(2)
    again = active_dropout(0.5, seed=4)
    assert torch.equal(again(x), first)
    torch.rand(5)
    assert torch.equal(again(x), second)
    assert not torch.equal(active_dropout(0.5, seed=5)(x), first)


@KEYS
def test_weights_are_recorded_before_dropout_and_used_after_it(keys):
    q, k, v, mask = operands(keys)
    _, plain = traced(q, k, v, mask, active_dropout(0.5).eval())
    context, dropped = traced(q, k, v, mask, active_dropout(0.5, seed=6))
    assert torch.equal(plain["weights"], dropped["weights"])
    torch.testing.assert_close(context, active_dropout(0.5, seed=6)(dropped["weights"]) @ v)
    assert not torch.allclose(context, plain["context"], atol=1e-2)
    untraced = attention(q, k, v, mask, active_dropout(0.5, seed=6))
    assert torch.equal(untraced, context), "with dropout both go the same way"


# Heads
