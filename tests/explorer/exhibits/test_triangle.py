"""Pins the triangles that causal masks are made of to those written out."""

import numpy as np
import pytest

from explorer.exhibits.masks.triangle import causal_mask, triangle, triangle_counted, triangle_rest


def test_the_causal_mask_of_size_5_is_the_lower_triangle():
    np.testing.assert_array_equal(causal_mask(5), [[1, 0, 0, 0, 0], [1, 1, 0, 0, 0], [1, 1, 1, 0, 0], [1, 1, 1, 1, 0], [1] * 5])


@pytest.mark.teaches(point="A3")
@pytest.mark.parametrize(
    ("k", "expected"),
    [
        (-1, [[1, 1, 1], [1, 1, 1], [0, 1, 1], [0, 0, 1]]),
        (0, [[1, 1, 1], [0, 1, 1], [0, 0, 1], [0, 0, 0]]),
        (1, [[0, 1, 1], [0, 0, 1], [0, 0, 0], [0, 0, 0]]),
    ],
)
def test_triu_of_four_rows_and_three_columns(k, expected):
    np.testing.assert_array_equal(triangle(4, 3, k), expected)
    np.testing.assert_array_equal(triangle_rest(4, 3, k), 1 - np.array(expected))
    np.testing.assert_array_equal(triangle_counted(4, 3, k), expected * np.arange(1, 13).reshape(4, 3))


@pytest.mark.parametrize("size", [1, 5, 8])
def test_the_causal_mask_is_what_triu_1_leaves(size):
    np.testing.assert_array_equal(causal_mask(size), triangle_rest(size, size, 1))
