"""Pins the curves of deep stacks to the gradients that were measured."""

import numpy as np
import pytest

from explorer.exhibits.norms.pre_and_post import stream_lengths
from explorer.exhibits.norms.residual_depth import aligned, bare, normed
from transformer_core.analysis.gradient_depth import gradient_profiles

pytestmark = pytest.mark.teaches(point="C5")


@pytest.mark.parametrize(("depth", "seed"), [(1, 0), (6, 3)])
def test_the_curves_are_the_gradients(depth, seed):
    measured = gradient_profiles(depth, seed=seed)
    order = [("pre", True), ("pre", False), ("post", True), ("post", False)]
    np.testing.assert_array_equal(bare(depth, seed), [measured["none", on].norms for on in (True, False)])
    np.testing.assert_array_equal(normed(depth, seed), [measured[way].norms for way in order])
    np.testing.assert_array_equal(aligned(depth, seed), [measured[way].aligned for way in order])


def test_vectors_on_their_way_up_with_both_places_of_the_norm():
    measured = gradient_profiles(12, ["pre", "post"])
    np.testing.assert_array_equal(stream_lengths(), [measured[norm, True].lengths for norm in ("pre", "post")])
