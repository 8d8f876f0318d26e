"""Pins what becomes of one query's scores by each way to mask keys, and a head's stages behind padding."""

import numpy as np
import pytest

from explorer.exhibits.masks.blocked_rows import blocked, blocked_stage, masked, ways_to_block
from tests.explorer.exhibits.helpers import model_of, run_of

pytestmark = pytest.mark.teaches(point="A4")


@pytest.mark.parametrize("keys", [4, 23])
def test_the_ways_to_block_a_whole_row(keys):
    scores = np.random.default_rng(1).normal(size=keys).astype(np.float32)
    large, infinite, fused, own = ways_to_block(scores, np.zeros(keys, dtype=bool))
    np.testing.assert_allclose(large, 1 / keys, rtol=1e-6)
    assert np.isnan(infinite).all()
    assert (fused == 0).all() and (own == 0).all()


@pytest.mark.parametrize("keys", [5, 23])
def test_scores_are_masked_and_then_shared_out(keys):
    rng = np.random.default_rng(2)
    scores, allowed = rng.normal(size=keys).astype(np.float32), rng.random(keys) < 0.6
    assert 0 < allowed.sum() < keys
    powers = np.where(allowed, np.exp(scores.astype(np.float64)), 0)
    for weights in ways_to_block(scores, allowed):
        np.testing.assert_allclose(weights, powers / powers.sum(), atol=1e-6)
    large, infinite = masked(scores, allowed)
    np.testing.assert_array_equal(large[allowed], scores[allowed])
    np.testing.assert_array_equal(infinite[allowed], scores[allowed])
    assert (large[~allowed] == np.float32(-1e9)).all() and np.isneginf(infinite[~allowed]).all()


@pytest.mark.parametrize(("kind", "stage"), [("encoder", "encoder.1.self_attn"), ("cross", "decoder.1.cross_attn")])
def test_the_first_four_keys_of_a_query_are_blocked_and_opened(kind, stage):
    run = run_of(model_of())
    powers = np.exp(run.stages[f"{stage}.scores"][2, 3, :3].astype(np.float64))
    np.testing.assert_allclose(blocked(run, kind, 1, 2, 3, 3), np.tile([*powers / powers.sum(), 0], (4, 1)), atol=1e-6)
    np.testing.assert_array_equal(blocked(run, kind, 1, 2, 3, 0)[0], [0.25] * 4)


def test_behind_both_sentences_stands_padding_that_only_scores_show():
    run = run_of(model_of())
    scores, weights = (blocked_stage(run, "cross", 1, 2, name, 2) for name in ("scores", "weights"))
    assert scores.shape == weights.shape == (7, 9)
    assert np.isfinite(scores).all()
    np.testing.assert_array_equal(np.isnan(weights), np.broadcast_to(np.arange(9) >= 7, (7, 9)))
    np.testing.assert_allclose(np.nansum(weights, axis=1), 1, rtol=1e-6)
