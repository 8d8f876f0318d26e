"""Pins the cut into heads, the wrong cut beside it, and what heads cost, against numpy, the trace and torch's counter."""

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from torch.utils.flop_counter import FlopCounterMode

from tests.transformer_core.helpers import config, generator, perturb
from transformer_core import MultiHeadAttention, Trace
from transformer_core.analysis.head_split import (
    head_choices,
    head_cost,
    head_splits,
    measure_heads,
    split_steps,
    wrong_split,
)


@pytest.mark.teaches(point="D6")
def test_the_shapes_of_the_split_step_by_step():
    steps = split_steps(d_model=66, n_heads=3, batch=2, length=7)
    assert [step.shape for step in steps] == [
        (2, 7, 66),
        (2, 7, 66),
        (2, 7, 3, 22),
        (2, 3, 7, 22),
        (2, 3, 7, 7),
        (2, 3, 7, 22),
        (2, 7, 3, 22),
        (2, 7, 66),
        (2, 7, 66),
    ]
    assert all(len(step.axes) == len(step.shape) for step in steps)
    across = {step.axes: step.shape for step in split_steps(66, 3, 2, 7, keys=5)}
    assert across["batch", "head", "query", "key"] == (2, 3, 7, 5)
    assert across["batch", "head", "token", "d_v"] == (2, 3, 7, 22)


@pytest.mark.parametrize("heads", [0, 4])
def test_what_cannot_be_split_is_declined(heads):
    for split in (lambda: split_steps(66, heads, 2, 7), lambda: head_cost(66, heads, 7)):
        with pytest.raises(ValueError, match=f"66 cannot be split into {heads}"):
            split()


@pytest.mark.teaches(point="A7")
def test_a_thousand_dimensions_in_four_heads_of_250():
    shapes = {step.axes: step.shape for step in split_steps(1000, 4, 2, 7)}
    assert shapes["batch", "head", "token", "d_k"] == (2, 4, 7, 250)
    assert shapes["batch", "head", "query", "key"] == (2, 4, 7, 7)
    assert shapes["batch", "token", "d_model"] == (2, 7, 1000)


@pytest.mark.teaches(point="D6")
def test_the_wrong_cut_only_reshapes():
    x = torch.randn(2, 7, 66, generator=generator(0))
    np.testing.assert_array_equal(wrong_split(x, 3).numpy(), x.numpy().reshape(2, 3, 7, 22))
    assert torch.equal(wrong_split(x[:, :1], 3), x[:, :1].unflatten(-1, (3, -1)).transpose(1, 2)), (
        "one token cannot be mixed up"
    )


@pytest.mark.teaches(point="D6")
@pytest.mark.parametrize("causal", [False, True])
def test_an_attention_split_both_ways(causal):
    module = MultiHeadAttention(config())
    perturb(module, 2)
    draws = np.random.default_rng(3)
    query, memory = (draws.normal(size=(length, 66)).astype(np.float32) for length in (5, 5 if causal else 7))
    allowed = np.tri(5, dtype=bool) if causal else np.ones((5, 7), bool)
    found = head_splits(module, query, memory, allowed)
    (q, k) = (
        x @ linear.weight.detach().numpy().T + linear.bias.detach().numpy()
        for x, linear in ((query, module.w_q), (memory, module.w_k))
    )
    for weights, split in (
        (found.right_weights, lambda x: x.reshape(len(x), 3, 22).swapaxes(0, 1)),
        (found.wrong_weights, lambda x: x.reshape(3, len(x), 22)),
    ):
        scores = np.where(allowed, np.einsum("hqd,hkd->hqk", split(q), split(k)) / 22**0.5, -np.inf)
        powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
        np.testing.assert_allclose(weights, powers / powers.sum(axis=-1, keepdims=True), rtol=1e-3, atol=1e-5)
    assert np.abs(found.wrong_weights - found.right_weights).max() > 0.01
    assert 0 <= found.alone < 1e-5 and found.joined == 0


@pytest.mark.teaches(point="C4")
@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize(("d_model", "heads", "length"), [(66, 3, 7), (64, 1, 21), (40, 8, 5)])
def test_cost_by_formula_is_what_torch_counts(d_model, heads, length, bias):
    cost = head_cost(d_model, heads, length, bias)
    module = MultiHeadAttention(config(d_model=d_model, n_heads=heads, attention_bias=bias))
    trace = Trace(shapes_only=True)  # with a trace: the path whose products torch's counter knows
    with FlopCounterMode(display=False) as counter:
        x = torch.zeros(1, length, d_model)
        with trace:
            module(x, x)
    assert cost.flops == counter.get_total_flops()
    assert cost.parameters == sum(parameter.numel() for parameter in module.parameters())
    assert cost.weights == np.prod(trace.stages["weights"].shape)
    assert (cost.n_heads, cost.d_k) == (heads, d_model // heads)


@pytest.mark.teaches(point="C4")
def test_heads_of_a_share_of_the_width_cost_what_one_of_all_costs():
    one, many = head_cost(64, 1, 10), head_cost(64, 8, 10)
    assert (one.flops, one.parameters) == (many.flops, many.parameters)
    assert many.weights == 8 * one.weights
    assert many.full_width_flops == 8 * one.flops == 8 * one.full_width_flops
    with pytest.raises(ValueError, match="64 cannot be split into 6"):
        head_cost(64, 6, 10)


@pytest.mark.teaches(point="C4")
def test_heads_of_full_width_cost_so_many_times_as_much():
    d, n, h = 12, 5, 3
    x = torch.randn(1, n, d, generator=generator(4))
    wide, back = torch.zeros(h * d, d), torch.zeros(d, h * d)
    with FlopCounterMode(display=False) as counter:
        q, k, v = (F.linear(x, wide).unflatten(-1, (h, d)).transpose(1, 2) for _ in range(3))
        F.linear(((q @ k.mT) @ v).transpose(1, 2).flatten(2), back)
    assert head_cost(d, h, n).full_width_flops == counter.get_total_flops()


@pytest.mark.teaches(point="C4")
def test_the_choices_are_the_divisors():
    assert head_choices(66) == [1, 2, 3, 6, 11, 22]
    assert head_choices(8) == [1, 2, 4, 8]
    assert head_choices(512) == [1, 2, 4, 8, 16, 32]


@pytest.mark.teaches(point="C4")
def test_every_choice_is_measured_on_the_real_module(monkeypatch):
    ran = []
    forward = MultiHeadAttention.forward
    monkeypatch.setattr(
        MultiHeadAttention, "forward", lambda self, x, y: ran.append((self.n_heads, tuple(x.shape))) or forward(self, x, y)
    )
    before = torch.get_rng_state()
    found = measure_heads(24, [1, 3, 8], length=5, batch=2, repeats=3)
    assert len(found) == 3 and all(ms > 0 for ms in found)
    assert ran == [(1, (2, 5, 24)), (3, (2, 5, 24)), (8, (2, 5, 24))] * 4, "in turns, and once more to warm up"
    assert torch.equal(torch.get_rng_state(), before)
