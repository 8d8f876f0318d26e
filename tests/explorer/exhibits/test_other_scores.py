"""Pins with which matrix each score of a head is computed, and that masked pairs have none."""

import numpy as np
import pytest

from explorer.exhibits.attention.other_scores import score_weights, scores
from tests.explorer.exhibits.helpers import model_of, run_of
from transformer_core.analysis.score_functions import SCORES, drawn_score, score_head


@pytest.mark.teaches(point="A6")
@pytest.mark.parametrize("own", SCORES)
@pytest.mark.parametrize("kind", ["encoder", "decoder", "cross"])
def test_the_models_own_score_has_its_own_matrix_and_others_are_drawn_with_the_seed(kind, own):
    run = run_of(model_of(score=own))
    part = run.attention(kind, 1)
    weights = score_weights(run, kind, 1, 2, 3)
    for name, panel in zip(SCORES, weights, strict=True):
        matrix = drawn_score(name, 22, 3)
        if name == own and matrix is not None:
            matrix = part.module.score
        expected = score_head(part["q"][2], part["k"][2], part.allowed, name, matrix)
        for values, known in ((scores(run, kind, 1, 2, 3, name), expected.scores), (panel, expected.weights)):
            np.testing.assert_array_equal(values, np.where(part.allowed, known, np.nan))
    same_as_the_models = np.where(part.allowed, part["weights"][2], np.nan)
    np.testing.assert_allclose(weights[SCORES.index(own)], same_as_the_models, rtol=1e-4, atol=1e-6)
