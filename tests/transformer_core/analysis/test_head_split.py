"""Pins the cut into heads, the wrong cut beside it, and what heads cost, against numpy, the trace and torch's counter."""

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from torch.utils.flop_counter import FlopCounterMode

from tests.transformer_core.helpers import config, generator, perturb, perturbed_model, token_ids
from transformer_core import MultiHeadAttention, Trace
from transformer_core.analysis.head_split import (
    head_choices,
    head_cost,
    head_splits,
    input_stages,
    measure_heads,
    origins,
    right_split,
    split_steps,
    wrong_split,
)


def test_d6_the_shapes_of_the_split_step_by_step():
    steps = split_steps(d_model=66, n_heads=3, batch=2, length=7)
    assert [step.shape for step in steps] == [
        (2, 7, 66), (2, 7, 66), (2, 7, 3, 22), (2, 3, 7, 22),
        (2, 3, 7, 7), (2, 3, 7, 22), (2, 7, 3, 22), (2, 7, 66), (2, 7, 66),
    ]  # fmt: skip
    assert all(len(step.axes) == len(step.shape) for step in steps)
    across = {step.axes: step.shape for step in split_steps(66, 3, 2, 7, keys=5)}
    assert across["batch", "head", "query", "key"] == (2, 3, 7, 5)
    assert across["batch", "head", "token", "d_v"] == (2, 3, 7, 22)


@pytest.mark.parametrize("heads", [0, 4])
def test_what_cannot_be_split_is_declined(heads):
    for split in (lambda: split_steps(66, heads, 2, 7), lambda: origins(7, 66, heads), lambda: head_cost(66, heads, 7)):
        with pytest.raises(ValueError, match=f"66 cannot be split into {heads}"):
            split()


def test_a7_a_thousand_dimensions_in_four_heads_of_250():
    shapes = {step.axes: step.shape for step in split_steps(1000, 4, 2, 7)}
    assert shapes["batch", "head", "token", "d_k"] == (2, 4, 7, 250)
    assert shapes["batch", "head", "query", "key"] == (2, 4, 7, 7)
    assert shapes["batch", "token", "d_model"] == (2, 7, 1000)


@pytest.mark.parametrize(("length", "d_model", "heads"), [(7, 66, 3), (4, 8, 2), (5, 6, 6), (3, 5, 1), (1, 8, 4)])
def test_d6_where_each_number_comes_from(length, d_model, heads):
    d_k, found = d_model // heads, origins(length, d_model, heads)
    misplaced = {"right": 0, "wrong": 0}
    later = 0
    for h in range(heads):
        for row in range(length):
            for j in range(d_k):
                right, wrong = found["right"], found["wrong"]
                assert (right.token[h, row, j], right.dimension[h, row, j]) == (row, h * d_k + j)
                counted = (h * length + row) * d_k + j  # the place in memory
                assert (wrong.token[h, row, j], wrong.dimension[h, row, j]) == divmod(counted, d_model)
                misplaced["wrong"] += counted // d_model != row
                later += counted // d_model > row
    total = length * d_model
    assert {name: origin.misplaced for name, origin in found.items()} == {n: m / total for n, m in misplaced.items()}
    assert (found["right"].from_later, found["wrong"].from_later) == (0, later / total)


def test_d6_both_cuts_have_one_shape_and_the_right_one_is_the_models():
    x = torch.randn(2, 7, 66, generator=generator(0))
    module = MultiHeadAttention(config(attention_bias=False))
    with torch.no_grad():
        module.w_q.weight.copy_(torch.eye(66))
    with Trace() as trace:
        module(x, x)
    torch.testing.assert_close(right_split(x, 3), trace["q"], rtol=0, atol=1e-6)
    assert wrong_split(x, 3).shape == trace["q"].shape
    assert not torch.allclose(wrong_split(x, 3), trace["q"])
    np.testing.assert_array_equal(wrong_split(x, 3).numpy(), x.numpy().reshape(2, 3, 7, 22))


def test_d6_with_one_head_or_one_token_the_cuts_agree():
    x = torch.randn(2, 7, 66, generator=generator(1))
    assert torch.equal(wrong_split(x, 1), right_split(x, 1))
    assert torch.equal(wrong_split(x[:, :1], 3), right_split(x[:, :1], 3))


@pytest.mark.parametrize("norm", ["pre", "post"])
@pytest.mark.parametrize(
    ("stack", "layer", "name"),
    [("encoder", 0, "self_attn"), ("encoder", 1, "self_attn"), ("decoder", 0, "self_attn"), ("decoder", 1, "self_attn"),
     ("decoder", 0, "cross_attn"), ("decoder", 1, "cross_attn")],
)  # fmt: skip
def test_d6_the_models_own_numbers_split_both_ways(norm, stack, layer, name):
    cfg, trace = config(norm=norm), Trace()
    model = perturbed_model(cfg)
    with trace:
        model(*token_ids(cfg))
    scope, batch = f"{stack}.{layer}.{name}", 0
    query, memory = (trace[stage][batch].numpy() for stage in input_stages(norm == "pre", stack, layer, name))
    allowed = np.isfinite(trace[f"{scope}.masked_scores"][batch, 0].numpy())
    module = getattr(getattr(model, stack)[layer], name)
    found = head_splits(module, query, memory, allowed)
    np.testing.assert_allclose(found.right, trace[f"{scope}.q"][batch].numpy(), atol=1e-5)
    np.testing.assert_allclose(found.right_weights, trace[f"{scope}.weights"][batch].numpy(), atol=1e-5)
    projected = query @ module.w_q.weight.detach().numpy().T + module.w_q.bias.detach().numpy()
    np.testing.assert_allclose(found.projected, projected, rtol=1e-4, atol=1e-5)
    np.testing.assert_array_equal(found.wrong, found.projected.reshape(3, -1, 22))
    keys = (memory @ module.w_k.weight.detach().numpy().T + module.w_k.bias.detach().numpy()).reshape(3, -1, 22)
    scores = np.where(allowed, np.einsum("hqd,hkd->hqk", found.wrong, keys) / 22**0.5, -np.inf)
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    np.testing.assert_allclose(found.wrong_weights, powers / powers.sum(axis=-1, keepdims=True), rtol=1e-3, atol=1e-5)
    assert np.abs(found.wrong_weights - found.right_weights).max() > 0.01
    assert found.alone < 1e-5 and found.joined == 0


def test_a7_each_head_alone_with_its_own_rows_is_the_head_cut_from_all():
    module = MultiHeadAttention(config(d_model=12, n_heads=4))
    perturb(module, 2)
    x = np.random.default_rng(3).normal(size=(5, 12)).astype(np.float32)
    found = head_splits(module, x, x, np.ones((5, 5), bool))
    for head in range(4):
        rows = slice(3 * head, 3 * head + 3)
        alone = x @ module.w_q.weight[rows].detach().numpy().T + module.w_q.bias[rows].detach().numpy()
        np.testing.assert_allclose(found.right[head], alone, rtol=1e-5, atol=1e-5)
        np.testing.assert_array_equal(found.w_q[head], module.w_q.weight[rows].detach().numpy().T)
    assert 0 <= found.alone < 1e-5


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize(("d_model", "heads", "length"), [(66, 3, 7), (64, 1, 21), (40, 8, 5)])
def test_c4_cost_by_formula_is_what_torch_counts(d_model, heads, length, bias):
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


def test_c4_heads_of_a_share_of_the_width_cost_what_one_of_all_costs():
    one, many = head_cost(64, 1, 10), head_cost(64, 8, 10)
    assert (one.flops, one.parameters) == (many.flops, many.parameters)
    assert many.weights == 8 * one.weights
    assert many.full_width_flops == 8 * one.flops == 8 * one.full_width_flops
    with pytest.raises(ValueError, match="64 cannot be split into 6"):
        head_cost(64, 6, 10)


def test_c4_heads_of_full_width_cost_so_many_times_as_much():
    d, n, h = 12, 5, 3
    x = torch.randn(1, n, d, generator=generator(4))
    wide, back = torch.zeros(h * d, d), torch.zeros(d, h * d)
    with FlopCounterMode(display=False) as counter:
        q, k, v = (F.linear(x, wide).unflatten(-1, (h, d)).transpose(1, 2) for _ in range(3))
        F.linear(((q @ k.mT) @ v).transpose(1, 2).flatten(2), back)
    assert head_cost(d, h, n).full_width_flops == counter.get_total_flops()


def test_c4_the_choices_are_the_divisors():
    assert head_choices(66) == [1, 2, 3, 6, 11, 22]
    assert head_choices(8) == [1, 2, 4, 8]
    assert head_choices(512) == [1, 2, 4, 8, 16, 32]


def test_c4_every_choice_is_measured_on_the_real_module(monkeypatch):
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
