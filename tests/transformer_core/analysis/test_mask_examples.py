"""Pins: readings taken from attention weights, and the arithmetic of one row done by hand, against the model's own tensors."""

import math

import numpy as np
import pytest

from tests.transformer_core.helpers import config, perturbed_model, token_ids
from transformer_core import Trace
from transformer_core.analysis.attention_metrics import entropy, mean_distance, score_terms
from transformer_core.analysis.mask_examples import ways_to_block


def test_entropy_is_0_bits_for_one_token_and_log2_for_all():
    weights = np.zeros((3, 5, 8))
    weights[0, :, 2] = 1
    weights[1] = 1 / 8
    weights[2, :, :2] = 0.25, 0.75
    by_hand = 0.25 * 2 + 0.75 * math.log2(4 / 3)
    np.testing.assert_allclose(entropy(weights), [0, 3, by_hand], atol=1e-12)


def test_mean_distance_counts_positions():
    weights = np.zeros((3, 4, 4))
    weights[0] = np.eye(4)
    weights[1, :, 0] = 1  # everybody looks at the first: 0, 1, 2, 3 away
    weights[2] = np.eye(4)[:, ::-1] * 0.5 + np.eye(4) * 0.5  # half at oneself, half at the mirror image: 3, 1, 1, 3 away
    np.testing.assert_allclose(mean_distance(weights), [0, 1.5, 1.0])


def test_readings_of_real_weights_stay_within_their_bounds():
    cfg = config()
    with Trace() as trace:
        perturbed_model(cfg)(*token_ids(cfg))
    weights = trace["decoder.1.cross_attn.weights"][1].numpy()
    assert weights.shape == (3, 5, 7)
    assert ((entropy(weights) > 0) & (entropy(weights) < math.log2(5) + 1e-6)).all(), "two of the seven keys are padding"
    assert ((mean_distance(weights) > 0) & (mean_distance(weights) < 6)).all()


@pytest.mark.parametrize("score", ["scaled_dot", "dot", "additive", "concat_linear"])
@pytest.mark.parametrize("place", ["encoder.0.self_attn", "decoder.1.self_attn", "decoder.0.cross_attn"])
def test_the_terms_of_a_score_add_up_to_the_models_own(place, score):
    cfg = config(score=score)
    model, trace = perturbed_model(cfg), Trace()
    with trace:
        model(*token_ids(cfg))
    batch, head = 1, 2
    q, k, scores = (trace[f"{place}.{name}"][batch, head].numpy() for name in ("q", "k", "scores"))
    terms = score_terms(q, k, model.get_submodule(place).score)
    assert terms.left.shape == q.shape and terms.right.shape == k.shape
    join = {"times": np.multiply, "plus": np.add, "tanh": lambda left, right: np.tanh(left + right)}[terms.join]
    sums = join(terms.left[:, None].astype(np.float64), terms.right[None].astype(np.float64)).sum(axis=-1) + terms.rest
    np.testing.assert_allclose(sums / (math.sqrt(22) if score == "scaled_dot" else 1), scores, rtol=0, atol=2e-5)
    assert (terms.rest != 0) is (score == "concat_linear")


@pytest.mark.parametrize("keys", [4, 23])
def test_a4_the_ways_to_block_a_whole_row(keys):
    ways = ways_to_block(np.random.default_rng(1).normal(size=keys).astype(np.float32), np.zeros(keys, dtype=bool))
    rows = {name: way.weights for name, way in ways.items()}
    assert all(row.shape == (keys,) for row in rows.values())
    np.testing.assert_allclose(rows["−1e9"], 1 / keys, rtol=1e-6)
    assert np.isnan(rows["−inf"]).all()
    assert (rows["fused"] == 0).all()
    assert (rows["this model"] == 0).all()


@pytest.mark.parametrize("keys", [5, 23])
def test_a4_scores_are_masked_and_then_shared_out(keys):
    rng = np.random.default_rng(2)
    scores, allowed = rng.normal(size=keys).astype(np.float32), rng.random(keys) < 0.6
    assert 0 < allowed.sum() < keys
    powers = np.where(allowed, np.exp(scores.astype(np.float64)), 0)
    ways = ways_to_block(scores, allowed)
    for way in ways.values():
        np.testing.assert_allclose(way.weights, powers / powers.sum(), atol=1e-6)
        if way.masked is not None:
            np.testing.assert_allclose(way.masked[allowed], scores[allowed], atol=1e-6)
    assert (ways["−1e9"].masked[~allowed] == np.float32(-1e9)).all()
    assert np.isneginf(ways["−inf"].masked[~allowed]).all() and np.isneginf(ways["this model"].masked[~allowed]).all()
    assert ways["fused"].masked is None


def test_a4_four_blocked_keys_get_a_quarter_each():
    ways = ways_to_block([0.3, -2.0, 1.0, 5.0], [False] * 4)
    np.testing.assert_array_equal(ways["−1e9"].weights, [0.25] * 4)
    np.testing.assert_array_equal(ways["−1e9"].masked, np.full(4, -1e9, np.float32))
