"""Pins why scores are divided by √d_k: the experiment against numpy, and what it shows."""

import math

import numpy as np
import pytest
import torch

from tests.transformer_core.helpers import config, perturbed_model, token_ids
from transformer_core import Trace
from transformer_core.analysis.score_scaling import DIVISORS, divisor, head_scale, query_gradient, scaling

pytestmark = pytest.mark.teaches(point="C3")

WIDTHS = [2**i for i in range(10)]


def softmax(scores: np.ndarray) -> np.ndarray:
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True)


def at_query(weights: np.ndarray, keys: np.ndarray, by: float) -> np.ndarray:
    """∂weights/∂q. Shape: weights (key,), keys (key, d_k) -> (key, d_k)"""
    return (np.diag(weights) - np.outer(weights, weights)) @ keys / by


def test_the_experiment_is_that_of_numpy_on_the_same_draws():
    queries, keys, widths = 6, 5, [3, 8]
    generator = torch.Generator().manual_seed(9)
    q = torch.randn(queries, 1, 8, generator=generator).numpy().astype(np.float64)
    k = torch.randn(queries, keys, 8, generator=generator).numpy().astype(np.float64)
    found = scaling(widths, keys, queries, seed=9)
    assert found.widths.tolist() == widths
    for place, d_k in enumerate(widths):
        products = np.array([[q[i, 0, :d_k] @ k[i, j, :d_k] for j in range(keys)] for i in range(queries)])
        assert found.variance[place] == pytest.approx(np.var(products), rel=1e-5)
        for name, by in zip(DIVISORS, (1, math.sqrt(d_k), d_k), strict=True):
            assert divisor(name, d_k) == by
            rows = softmax(products / by)
            bits = np.mean([sum(-w * math.log2(w) for w in row) for row in rows])
            found_at = [np.linalg.norm(at_query(row, k[i, :, :d_k], by)) for i, row in enumerate(rows)]
            assert found.entropy[name][place] == pytest.approx(bits, rel=1e-5)
            assert found.gradient[name][place] == pytest.approx(np.median(found_at), rel=1e-5)


def test_the_gradient_at_the_query_is_that_of_autograd():
    random = np.random.default_rng(0)
    q, k = torch.tensor(random.normal(size=5)), torch.tensor(random.normal(size=(7, 5)))
    for by in (1.0, math.sqrt(5), 5.0):
        jacobian = torch.autograd.functional.jacobian(lambda q, by=by: (k @ q / by).softmax(dim=-1), q)
        weights = (k @ q / by).softmax(dim=-1).numpy()
        assert float(query_gradient(weights, (k @ k.T).numpy()) / by) == pytest.approx(float(jacobian.norm()))
    nothing = query_gradient(np.eye(7), (k @ k.T).numpy())
    assert nothing == pytest.approx(np.zeros(7), abs=1e-6), "weights of 0 and 1 no longer answer to the query"


@pytest.mark.parametrize("seed", range(4))
def test_the_variance_of_a_dot_product_is_its_width(seed):
    keys, queries = 16, 512
    found = scaling(WIDTHS, keys, queries, seed)
    for d_k, variance in zip(WIDTHS, found.variance, strict=True):
        # The mean over the keys of (q·k)²/d_k scatters by 2/d_k between queries, by 2(1 + 2/d_k) within; (q·k)² has the
        # fourth moment 3d² + 6d. Five standard deviations: one seed in a million falls outside.
        deviation = math.sqrt((2 / d_k + 2 * (1 + 2 / d_k) / keys) / queries)
        assert abs(variance / d_k - 1) < 5 * deviation, d_k


def test_seeds_differ_and_nothing_global_is_drawn_from():
    before = torch.get_rng_state()
    first, again, other = (scaling([4, 16], 5, 20, seed) for seed in (1, 1, 2))
    assert torch.equal(torch.get_rng_state(), before)
    assert first.variance.tolist() == again.variance.tolist() != other.variance.tolist()


@pytest.mark.parametrize("wrong", [{"widths": []}, {"widths": [0]}, {"keys": 1}, {"queries": 0}])
def test_what_cannot_be_measured_is_refused(wrong):
    with pytest.raises(ValueError, match="choose at least"):
        scaling(**{"widths": [4], "keys": 3, "queries": 2} | wrong)


def test_a_head_of_a_model_is_read_the_same_way():
    cfg, trace = config(), Trace()
    with trace:
        perturbed_model(cfg)(*token_ids(cfg))
    scope, batch, head = "decoder.0.self_attn", 0, 1
    q, k, products, scores, masked, weights = (
        trace[f"{scope}.{stage}"][batch, head].numpy().astype(np.float64)
        for stage in ("q", "k", "products", "scores", "masked_scores", "weights")
    )
    allowed = np.isfinite(masked)
    found = head_scale(q, k, allowed)
    open_ = [(i, j) for i in range(5) for j in range(5) if allowed[i, j]]
    assert len(open_) == 14  # the lower triangle of 5, less the last token, which is padding: 15 - 1
    assert found.products == pytest.approx(np.var([products[pair] for pair in open_]), rel=1e-4)
    assert found.scores == pytest.approx(np.var([scores[pair] for pair in open_]), rel=1e-4)
    assert (found.q, found.k) == (pytest.approx(q.var()), pytest.approx(k.var()))
    bits = np.mean([-sum(w * math.log2(w) for w in row if w > 0) for row in weights])
    assert found.entropy["√d_k"] == pytest.approx(bits, rel=1e-4)
    found_at = np.median([np.linalg.norm(at_query(row, k, math.sqrt(22))) for row in weights])
    assert found.gradient["√d_k"] == pytest.approx(found_at, rel=1e-4)
    for name, by in (("1", 1), ("d_k", 22)):
        rows = [softmax(products[i, allowed[i]] / by) for i in range(5)]
        assert found.entropy[name] == pytest.approx(np.mean([-(r * np.log2(r)).sum() for r in rows]), rel=1e-4)


def test_a_head_that_may_see_nothing_reads_as_nothing():
    found = head_scale(np.ones((2, 3)), np.ones((4, 3)), np.zeros((2, 4), bool))
    assert (found.products, found.entropy["1"], found.gradient["d_k"]) == (0, 0, 0)
