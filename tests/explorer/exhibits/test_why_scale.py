"""Pins which numbers of the experiment on the width of a head are drawn, and that the model's head stands at its width."""

import numpy as np
import pytest

from explorer.exhibits.attention.why_scale import scale_entropy, scale_gradient, scale_variance
from tests.explorer.exhibits.helpers import model_of, run_of
from transformer_core.analysis.score_scaling import DIVISORS, scaling

pytestmark = pytest.mark.teaches(point="C3")


def test_the_experiment_and_this_head():
    run = run_of(model_of())
    part, widths = run.attention("decoder", 1), sorted({*(2**i for i in range(10)), 22})  # d_k is 22: no power of two
    found = scaling(widths, 9, 512, 4)
    theory, measured, own = scale_variance(run, "decoder", 1, 2, 9, 4)
    assert theory.tolist() == widths
    np.testing.assert_array_equal(measured, found.variance)
    pairs = (part["q"][2] @ part["k"][2].T)[part.allowed]
    assert np.isfinite(own).tolist() == [width == 22 for width in widths]
    np.testing.assert_allclose(np.nanmax(own), pairs.var(), rtol=1e-4)
    for values, readings in ((scale_entropy, found.entropy), (scale_gradient, found.gradient)):
        np.testing.assert_array_equal(values(run.cfg, "decoder", 1, 2, 9, 4), [readings[name] for name in DIVISORS])


def test_many_keys_are_given_to_fewer_queries():
    run = run_of(model_of())
    _theory, measured, _own = scale_variance(run, "encoder", 0, 0, 64, 1)
    np.testing.assert_array_equal(measured, scaling(sorted({*(2**i for i in range(10)), 22}), 64, 128, 1).variance)
