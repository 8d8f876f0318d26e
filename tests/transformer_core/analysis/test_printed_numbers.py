"""Pins the numbers that lecture notes print, against the model and against what each of them must be."""

import numpy as np
import pytest

from tests.transformer_core.helpers import config
from transformer_core.analysis.printed_numbers import printed_numbers


@pytest.mark.parametrize("length", [4, 9])
def test_b1_a_mask_of_zeros_gives_equal_weights_and_dropout_makes_some_of_them_zero(length):
    found = printed_numbers(config(), 2, length, 0.2, seed=3)
    embedded = printed_numbers(config(), 2, length, 0.0, seed=3).dropped
    assert embedded.shape == found.dropped.shape == (length, 66)
    assert found.weights.shape == found.blocked.shape == (length, length)
    np.testing.assert_allclose(found.blocked, np.full((length, length), 1 / length), rtol=1e-6)
    np.testing.assert_allclose(found.weights.sum(axis=1), 1, rtol=1e-5)
    assert np.abs(found.weights - 1 / length).max() > 1e-3, "without that mask they are not equal"
    for before, after in ((embedded, found.dropped), (found.blocked, found.blocked_dropped)):
        fallen = after == 0
        assert 0 < fallen.sum() < fallen.size
        np.testing.assert_allclose(after[~fallen], before[~fallen] / 0.8, rtol=1e-5)
