"""Pins: positions as angles, and a step along the sentence as one rotation for every position."""

import math

import numpy as np
import pytest

from transformer_core import sinusoidal_encoding
from transformer_core.analysis.embedding_metrics import binary_digits
from transformer_core.analysis.rotation import angles, rotate, rotation_matrix


@pytest.mark.parametrize(("length", "d_model", "base"), [(9, 6, 10_000.0), (31, 22, 100.0), (5, 7, 10_000.0)])
def test_d3_angles_are_the_outer_product_of_positions_and_frequencies(length, d_model, base):
    found = angles(length, d_model, base)
    pairs = np.arange(math.ceil(d_model / 2))
    expected = np.array([[p * math.exp(-2 * i * math.log(base) / d_model) for i in pairs] for p in range(length)])
    assert found.shape == (length, len(pairs))
    np.testing.assert_allclose(found, expected, rtol=1e-12)
    np.testing.assert_allclose(found, np.arange(length)[:, None] / base ** (2 * pairs / d_model), rtol=1e-12)
    table = sinusoidal_encoding(length, d_model, base).numpy()
    np.testing.assert_allclose(table[:, 0::2], np.sin(found), atol=1e-7)
    np.testing.assert_allclose(table[:, 1::2], np.cos(found)[:, : d_model // 2], atol=1e-7)


@pytest.mark.parametrize(("d_model", "k", "base"), [(20, 1, 10_000.0), (66, 13, 100.0), (8, 0, 10_000.0), (7, 5, 10_000.0)])
def test_d2_one_rotation_takes_every_position_k_places_on(d_model, k, base):
    even = d_model // 2 * 2
    found = rotate(41, d_model, k, base)
    table = sinusoidal_encoding(41 + k, d_model, base).numpy()[:, :even]
    np.testing.assert_array_equal(found.here, table[:41])
    np.testing.assert_array_equal(found.there, table[k:])
    for p in (0, 7, 40):
        np.testing.assert_allclose(found.turned[p], found.matrix @ table[p], atol=1e-12)
        np.testing.assert_allclose(found.turned[p], table[p + k], atol=3e-7)
    assert found.difference == np.abs(found.turned - found.there).max()
    assert found.difference < 3e-7


def test_d2_the_matrix_is_a_rotation_in_blocks_of_two():
    matrix = rotation_matrix(10, 3, base=50.0)
    np.testing.assert_allclose(matrix @ matrix.T, np.eye(10), atol=1e-12)
    blocks = np.kron(np.eye(5), np.ones((2, 2)))
    assert not matrix[blocks == 0].any()
    for i in range(5):
        angle = 3 * 50.0 ** (-2 * i / 10)
        expected = [[math.cos(angle), math.sin(angle)], [-math.sin(angle), math.cos(angle)]]
        np.testing.assert_allclose(matrix[2 * i : 2 * i + 2, 2 * i : 2 * i + 2], expected)
    np.testing.assert_allclose(rotation_matrix(10, 2, 50.0) @ rotation_matrix(10, 3, 50.0), rotation_matrix(10, 5, 50.0))


def test_d2_another_k_is_another_rotation():
    found = rotate(20, 12, 4)
    wrong = found.here @ rotation_matrix(12, 5).T
    assert np.abs(wrong - found.there).max() > 0.5


def test_d2_there_is_nothing_before_the_first_position():
    with pytest.raises(ValueError, match="not -1"):
        rotate(5, 8, -1)


def test_d2_binary_digits_count():
    digits = binary_digits(23, 5)
    assert (digits @ [16, 8, 4, 2, 1] == np.arange(23)).all()
    assert ((digits == 0) | (digits == 1)).all()
