"""Pins the four ways to score a query against a key: against loops in numpy, and what the query can do in each of them."""

import math

import numpy as np
import pytest
import torch

from tests.transformer_core.helpers import config, perturb, perturbed_model, token_ids
from transformer_core import Trace
from transformer_core.analysis.score_functions import SCORES, drawn_score, row_difference, score_head, scorings, total_variation
from transformer_core.model.scores import AdditiveScore, ConcatLinearScore

pytestmark = pytest.mark.teaches(point="A6")

QUERIES, KEYS, D_K = 5, 7, 11


def head(seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    return rng.normal(size=(QUERIES, D_K)).astype(np.float32), rng.normal(size=(KEYS, D_K)).astype(np.float32)


def open_pairs(seed: int = 1) -> np.ndarray:
    allowed = np.random.default_rng(seed).random((QUERIES, KEYS)) < 0.6
    allowed[:, 0] = True
    assert not allowed.all()
    return allowed


def softmax(scores: np.ndarray, allowed: np.ndarray) -> np.ndarray:
    weights = np.zeros(scores.shape)
    for i in range(len(scores)):
        powers = [math.exp(scores[i, j]) if allowed[i, j] else 0.0 for j in range(scores.shape[1])]
        weights[i] = np.array(powers) / sum(powers)
    return weights


def by_hand(name: str, q: np.ndarray, k: np.ndarray, score: torch.nn.Module | None) -> np.ndarray:
    """One pair at a time, in float64."""
    scores = np.zeros((len(q), len(k)))
    for i in range(len(q)):
        for j in range(len(k)):
            if score is None:
                scores[i, j] = sum(float(a) * float(b) for a, b in zip(q[i], k[j], strict=True))
                scores[i, j] /= math.sqrt(q.shape[1]) if name == "scaled_dot" else 1
                continue
            weight, bias = (p.detach().numpy().astype(np.float64) for p in (score.w.weight, score.w.bias))
            mixed = weight @ np.concatenate([q[i], k[j]]) + bias
            scores[i, j] = np.tanh(mixed).sum() if name == "additive" else mixed[0]
    return scores


@pytest.mark.parametrize("name", SCORES)
def test_scores_and_weights_are_those_of_loops_over_all_pairs(name):
    q, k = head()
    allowed, score = open_pairs(), drawn_score(name, D_K, 3)
    if score is not None:
        perturb(score, 4)  # a bias of 0 would hide a missing bias
    found, expected = score_head(q, k, allowed, name, score), by_hand(name, q, k, score)
    np.testing.assert_allclose(found.scores, expected, rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(found.weights, softmax(expected, allowed), rtol=1e-5, atol=1e-6)
    assert (found.weights[~allowed] == 0).all()


def test_the_scaled_scores_are_the_models_own():
    cfg, trace = config(), Trace()
    with trace:
        perturbed_model(cfg)(*token_ids(cfg))
    scope, batch, n = "decoder.1.cross_attn", 1, 2
    q, k, masked, weights, products = (
        trace[f"{scope}.{stage}"][batch, n].numpy() for stage in ("q", "k", "masked_scores", "weights", "products")
    )
    found = scorings(q, k, np.isfinite(masked), seed=0)
    np.testing.assert_allclose(found["scaled_dot"].weights, weights, atol=1e-6)
    np.testing.assert_allclose(found["dot"].scores, products, rtol=1e-4, atol=1e-4)
    assert tuple(found) == SCORES


def test_matrices_that_are_there_already_are_not_drawn():
    q, k = head()
    own = drawn_score("additive", D_K, 5)
    perturb(own, 6)
    found = scorings(q, k, open_pairs(), 0, {"additive": own})
    np.testing.assert_allclose(found["additive"].scores, by_hand("additive", q, k, own), rtol=1e-5, atol=1e-5)
    drawn = by_hand("concat_linear", q, k, drawn_score("concat_linear", D_K, 0))
    np.testing.assert_allclose(found["concat_linear"].scores, drawn, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("causal", [False, True])
def test_with_concat_linear_the_query_cancels(causal):
    q, _ = head(5)
    k = head(6)[1][:QUERIES]
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
