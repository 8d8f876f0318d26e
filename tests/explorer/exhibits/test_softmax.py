"""Pins the softmax that programs write out."""

import numpy as np
import torch

from explorer.exhibits.shared.softmax import softmax


def test_it_is_that_of_torch_and_0_where_nothing_may_be_attended_to():
    rows = np.random.default_rng(0).normal(scale=200, size=(3, 4, 5)).astype(np.float32)
    rows[0, 0, 2:] = -np.inf
    np.testing.assert_allclose(softmax(rows), torch.tensor(rows).softmax(dim=-1), rtol=1e-5, atol=1e-30)
    rows[1, 1] = -np.inf
    np.testing.assert_array_equal(softmax(rows)[1, 1], np.zeros(5))
    assert softmax(rows).dtype == np.float32
