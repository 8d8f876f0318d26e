"""Pins the split into heads, the wrong split beside it, and the joining, to loops and to what the model recorded."""

import numpy as np
import pytest

from explorer.exhibits.heads.split_and_join import (
    head_matrix,
    mixed,
    origin_right,
    origin_wrong,
    right_split,
    split_weights,
    wrong_split,
)
from tests.explorer.exhibits.helpers import model_of, run_of, weights

pytestmark = pytest.mark.teaches(point="D6")

PARTS = {"encoder": "encoder.1.self_attn", "decoder": "decoder.1.self_attn", "cross": "decoder.1.cross_attn"}


@pytest.mark.parametrize(("size", "d_model", "heads"), [("model", 66, 3), ("8-2", 8, 2), ("1000-4", 1000, 4)])
@pytest.mark.parametrize(("kind", "length"), [("encoder", 7), ("decoder", 5), ("cross", 5)])
def test_where_each_number_comes_from(kind, length, size, d_model, heads):
    run, d_k = run_of(model_of()), d_model // heads
    right, wrong = (of(run, kind, 1, 0, size).reshape(heads, length, d_k) for of in (origin_right, origin_wrong))
    for h in range(heads):
        for row in range(length):
            for j in range(d_k):
                assert right[h, row, j] == row
                assert wrong[h, row, j] == ((h * length + row) * d_k + j) // d_model  # the place in memory


def test_both_splits_keep_every_number_and_with_one_head_or_one_token_they_agree():
    x = np.arange(7 * 66).reshape(7, 66)
    for split in (right_split, wrong_split):
        assert split(x, 3).shape == (3, 7, 22) and {*split(x, 3).ravel()} == {*x.ravel()}
    assert right_split(x, 3)[2, 4, 1] == x[4, 2 * 22 + 1] and not np.array_equal(right_split(x, 3), wrong_split(x, 3))
    np.testing.assert_array_equal(right_split(x, 1), wrong_split(x, 1))
    np.testing.assert_array_equal(right_split(x[:1], 3), wrong_split(x[:1], 3))


@pytest.mark.parametrize("norm", ["pre", "post"])
@pytest.mark.parametrize("kind", PARTS)
def test_the_models_own_numbers_split_both_ways_and_joined(kind, norm):
    model = model_of(norm=norm)
    run, chosen = run_of(model), (kind, 1, 2, "model")
    part = run.attention(kind, 1)
    flat_q, flat_k = (np.concatenate([*part[name]], axis=-1) for name in "qk")
    np.testing.assert_array_equal(head_matrix(run, *chosen), weights(model, f"{PARTS[kind]}.w_q")[0][44:].T)
    np.testing.assert_allclose(mixed(run, *chosen), part["output"], rtol=1e-4, atol=1e-5)
    allowed = part.allowed
    scores = np.where(allowed, wrong_split(flat_q, 3)[2] @ wrong_split(flat_k, 3)[2].T / 22**0.5, -np.inf)
    powers = np.exp(scores - scores.max(axis=1, keepdims=True))
    right, wrong = split_weights(run, *chosen)
    np.testing.assert_allclose(right, np.where(allowed, part["weights"][2], np.nan), rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(
        wrong, np.where(allowed, powers / powers.sum(axis=1, keepdims=True), np.nan), rtol=1e-3, atol=1e-5
    )
