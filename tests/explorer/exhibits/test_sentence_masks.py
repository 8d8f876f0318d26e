"""Pins the masks of two sentences to those written out, and to what the model may attend to."""

import numpy as np
import pytest

from explorer.exhibits.masks.sentence_masks import mask, stage_of_head
from tests.explorer.exhibits.helpers import model_of, run_of

pytestmark = pytest.mark.teaches(point="B2")

LAST_IS_PADDING = np.array([True, True, True, True, False])  # of the target


def test_padding_closes_columns_and_causality_a_triangle():
    run = run_of(model_of())
    source, causal, target, cross = (
        np.nan_to_num(mask(run, name, 2, 0)) for name in ("source padding", "causal", "target", "cross")
    )
    row = [1] * 7 + [0] * 2
    np.testing.assert_array_equal(source, [row] * 9)
    np.testing.assert_array_equal(cross, [row] * 5)
    np.testing.assert_array_equal(causal, np.tri(5))
    np.testing.assert_array_equal(target, np.tri(5) * LAST_IS_PADDING)


def test_without_causality_every_word_may_attend_to_every_other():
    run = run_of(model_of(causal=False))
    np.testing.assert_array_equal(mask(run, "causal", 0, 1), np.ones((6, 6)))
    np.testing.assert_array_equal(np.nan_to_num(mask(run, "target", 0, 1)), [[*LAST_IS_PADDING, 0]] * 6)


@pytest.mark.parametrize(("kind", "name"), [("encoder", "source padding"), ("decoder", "target"), ("cross", "cross")])
@pytest.mark.parametrize("causal", [True, False])
def test_a_mask_hides_what_the_model_may_not_attend_to(kind, name, causal):
    run = run_of(model_of(causal=causal))
    weights, scores = (stage_of_head(run, kind, 1, 2, stage, 3, 1) for stage in ("weights", "scores"))
    np.testing.assert_array_equal(np.isnan(weights), np.isnan(mask(run, name, 3, 1)))
    powers = np.exp(scores.astype(np.float64)) * np.isfinite(weights)
    np.testing.assert_allclose(np.nan_to_num(weights), powers / powers.sum(axis=1, keepdims=True), atol=1e-6)
