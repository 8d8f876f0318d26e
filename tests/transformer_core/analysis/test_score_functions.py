"""Pins the four ways to score a query against a key: against models that score so, and what the query can do in each."""

import math

import numpy as np
import pytest
import torch

from tests.transformer_core.helpers import config, perturbed_model, token_ids
from transformer_core import Trace
from transformer_core.analysis.score_functions import SCORES, drawn_score, row_difference, score_head, scorings, total_variation
from transformer_core.model.scores import AdditiveScore, ConcatLinearScore

pytestmark = pytest.mark.teaches(point="A6")

QUERIES, KEYS, D_K = 5, 7, 11


def open_pairs(seed: int = 1) -> np.ndarray:
    allowed = np.random.default_rng(seed).random((QUERIES, KEYS)) < 0.6
    allowed[:, 0] = True
    assert not allowed.all()
    return allowed


@pytest.mark.parametrize("name", SCORES)
def test_scores_and_weights_are_those_of_a_model_with_that_score(name):
    """Its extra matrices are there already; those of the other scores are drawn."""
    cfg, trace = config(score=name), Trace()
    model = perturbed_model(cfg)
    with trace:
        model(*token_ids(cfg))
    scope, batch, n = "decoder.1.cross_attn", 1, 2
    q, k, scores, masked, weights = (
        trace[f"{scope}.{stage}"][batch, n].numpy() for stage in ("q", "k", "scores", "masked_scores", "weights")
    )
    own, allowed = model.get_submodule(scope).score, np.isfinite(masked)
    found = scorings(q, k, allowed, 3, {name: own} if isinstance(own, torch.nn.Module) else None)
    assert tuple(found) == SCORES and not allowed.all()
    np.testing.assert_allclose(found[name].scores, scores, rtol=1e-4, atol=1e-4)
    np.testing.assert_allclose(found[name].weights, weights, atol=1e-6)
    for other in set(SCORES) - {name}:
        np.testing.assert_array_equal(
            found[other].scores, score_head(q, k, allowed, other, drawn_score(other, cfg.d_k, 3)).scores
        )


@pytest.mark.parametrize("causal", [False, True])
def test_with_concat_linear_the_query_cancels(causal):
    q, k = np.random.default_rng(5).normal(size=(2, QUERIES, D_K))
    allowed = np.tri(QUERIES, dtype=bool) if causal else np.ones((QUERIES, QUERIES), bool)
    found = scorings(q, k, allowed, seed=2)
    differences = {name: row_difference(found[name].weights, allowed) for name in SCORES}
    assert differences["concat_linear"] < 1e-6
    assert np.ptp(found["concat_linear"].scores, axis=0).max() > 0.1, "the scores themselves do differ from query to query"
    assert all(differences[name] > 0.01 for name in ("scaled_dot", "dot", "additive"))


def test_the_difference_of_rows_is_that_of_loops():
    rng = np.random.default_rng(7)
    allowed = open_pairs(8)
    weights = np.where(allowed, rng.random(allowed.shape), 0)
    weights /= weights.sum(axis=1, keepdims=True)
    largest = 0.0
    for i in range(QUERIES):
        for j in range(QUERIES):
            both = [n for n in range(KEYS) if allowed[i, n] and allowed[j, n]]
            one, other = ([row[n] / sum(row[m] for m in both) for n in both] for row in (weights[i], weights[j]))
            largest = max([largest, *(abs(a - b) for a, b in zip(one, other, strict=True))])
    assert row_difference(weights, allowed) == pytest.approx(largest, rel=1e-12)
    assert row_difference(weights[:1], allowed[:1]) == 0
    assert row_difference(np.zeros((3, 4)), np.zeros((3, 4), bool)) == 0


def test_total_variation_is_half_the_sum_of_differences():
    a = np.array([[1.0, 0.0, 0.0], [0.5, 0.5, 0.0]])
    b = np.array([[0.0, 0.0, 1.0], [0.25, 0.5, 0.25]])
    assert total_variation(a, b) == pytest.approx((1 + 0.25) / 2)
    assert total_variation(a, a) == 0


def test_extra_matrices_are_drawn_with_a_seed_within_xaviers_bounds():
    assert drawn_score("dot", D_K, 0) is None and drawn_score("scaled_dot", D_K, 0) is None
    additive, linear = drawn_score("additive", D_K, 0), drawn_score("concat_linear", D_K, 0)
    assert isinstance(additive, AdditiveScore) and isinstance(linear, ConcatLinearScore)
    for score, outputs in ((additive, D_K), (linear, 1)):
        bound = math.sqrt(6 / (2 * D_K + outputs))
        assert score.w.weight.shape == (outputs, 2 * D_K)
        assert 0.5 * bound < score.w.weight.abs().max() <= bound
        assert not score.w.bias.any()
    before = torch.get_rng_state()
    assert torch.equal(drawn_score("additive", D_K, 0).w.weight, additive.w.weight)
    assert not torch.equal(drawn_score("additive", D_K, 1).w.weight, additive.w.weight)
    assert torch.equal(torch.get_rng_state(), before), "the global generator is never touched"
    with pytest.raises(ValueError, match="not 'cosine'"):
        drawn_score("cosine", D_K, 0)
