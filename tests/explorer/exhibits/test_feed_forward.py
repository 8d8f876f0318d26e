"""Pins which units of the feed-forward part are silent, and that it mixes no positions, to the arithmetic done by hand."""

import numpy as np
import pytest
import torch

from explorer.exhibits.layers.feed_forward import active, mixing, zeros
from tests.explorer.exhibits.helpers import model_of, run_of, weights


@pytest.mark.parametrize("stack", ["encoder", "decoder"])
def test_zeros_and_silent_units(stack):
    model = model_of(norm="pre", d_ff=29)
    with torch.no_grad():
        model.get_submodule(f"{stack}.1.feed_forward.w_1").bias[4:7] = -1000  # silent for every token
    run = run_of(model)
    matrix, bias = weights(model, f"{stack}.1.feed_forward.w_1")
    before = run.part(stack, 1, "feed_forward").input @ matrix.T + bias
    np.testing.assert_allclose(zeros(run, stack, 1), (before <= 0).sum(axis=1) / 29)
    silent = np.flatnonzero((active(run, stack, 1) == 0).all(axis=0))
    assert {4, 5, 6} <= {*silent} < {*range(29)}


def test_gelu_leaves_few_zeros():
    run = run_of(model_of(activation="gelu", d_ff=29))
    assert zeros(run, "encoder", 0).max() < 0.1 and (active(run, "encoder", 0) < 0).any()


@pytest.mark.teaches(point="A8")
@pytest.mark.parametrize("norm", ["pre", "post"])
@pytest.mark.parametrize("stack", ["encoder", "decoder"])
@pytest.mark.parametrize("token", [0, 2])
def test_positions_do_not_mix_in_feed_forward_and_do_in_attention(stack, norm, token):
    model = model_of(norm=norm)
    run = run_of(model)
    alone, mixed = mixing(run, stack, 1, token)
    n = 7 if stack == "encoder" else 5
    assert np.flatnonzero(alone).tolist() == [token], "exactly this row, and the others by nothing at all"
    (w_1, b_1), (w_2, b_2) = (weights(model, f"{stack}.1.feed_forward.{name}") for name in ("w_1", "w_2"))
    reads = run.part(stack, 1, "feed_forward").input[token]
    by_hand, wiped = (np.maximum(0, given) @ w_2.T + b_2 for given in (reads @ w_1.T + b_1, b_1))
    assert alone[token] == pytest.approx(np.abs(by_hand - wiped).max(), rel=1e-4)
    # In the decoder, masked, only the token itself and those behind it look at it.
    others = range(n) if stack == "encoder" else range(token, n)
    assert np.flatnonzero(mixed > 1e-4).tolist() == list(others)
    assert not mixed[: others[0]].any()
