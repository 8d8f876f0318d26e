"""Pins dropout: what falls becomes 0, and what stays is scaled."""

import numpy as np
import pytest

from transformer_core.analysis.dropout_effect import dropped

pytestmark = pytest.mark.teaches(point="D4")

X = np.random.default_rng(5).normal(1.0, 2.0, size=(70, 440)).astype(np.float32)


@pytest.mark.parametrize("p", [0.1, 0.3, 0.5])
def test_what_falls_is_zero_and_the_rest_is_scaled(p):
    found = dropped(X, p, seed=2)
    fallen = found == 0
    np.testing.assert_allclose(found[~fallen], X[~fallen] / (1 - p), rtol=1e-6)
    assert abs(fallen.mean() - p) < 0.01
    np.testing.assert_array_equal(found, dropped(X, p, seed=2))
    assert (found != dropped(X, p, seed=3)).any()


def test_without_dropout_nothing_changes():
    np.testing.assert_array_equal(dropped(X, 0.0), X)
