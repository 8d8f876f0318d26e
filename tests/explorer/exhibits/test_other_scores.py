"""Pins the scores and weights of one head under four scoring functions to the formulas."""

import numpy as np
import pytest
import torch

from explorer.exhibits.attention.other_scores import score_weights, scores
from tests.explorer.exhibits.helpers import model_of, run_of
from transformer_core.analysis.score_functions import SCORES, drawn_score


def by_hand(q: np.ndarray, k: np.ndarray, name: str, score: torch.nn.Module | None) -> np.ndarray:
    if score is None:
        return q @ k.T / (np.sqrt(q.shape[1]) if name == "scaled_dot" else 1)
    pairs = np.concatenate([np.repeat(q[:, None], len(k), 1), np.repeat(k[None], len(q), 0)], axis=-1)
    weight, bias = (each.detach().numpy() for each in (score.w.weight, score.w.bias))
    return np.tanh(pairs @ weight.T + bias).sum(axis=-1) if name == "additive" else (pairs @ weight.T + bias)[..., 0]


@pytest.mark.teaches(point="A6")
@pytest.mark.parametrize("own", SCORES)
@pytest.mark.parametrize("kind", ["encoder", "decoder", "cross"])
def test_scores_and_weights_follow_the_four_formulas(kind, own):
    """The model's own function has the model's own matrix; the other one is drawn with the seed."""
    run = run_of(model_of(score=own))
    part = run.attention(kind, 1)
    q, k, allowed = part["q"][2], part["k"][2], part.allowed
    weights = score_weights(run, kind, 1, 2, 3)
    for name, panel in zip(SCORES, weights, strict=True):
        has_own = name == own and name in ("additive", "concat_linear")
        expected = by_hand(q, k, name, part.module.score if has_own else drawn_score(name, 22, 3))
        found = scores(run, kind, 1, 2, 3, name)
        np.testing.assert_allclose(found, np.where(allowed, expected, np.nan), rtol=1e-4, atol=1e-4)
        powers = np.where(allowed, np.exp(expected - expected.max(axis=1, keepdims=True, where=allowed, initial=-1e9)), 0)
        softmax = powers / np.maximum(powers.sum(axis=1, keepdims=True), 1e-30)
        np.testing.assert_allclose(panel, np.where(allowed, softmax, np.nan), rtol=1e-3, atol=1e-5)
    same_as_the_models = np.where(allowed, part["weights"][2], np.nan)
    np.testing.assert_allclose(weights[SCORES.index(own)], same_as_the_models, rtol=1e-4, atol=1e-6)
