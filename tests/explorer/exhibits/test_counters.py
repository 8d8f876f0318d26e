"""Pins: positions as angles and as counters, and a step along the sentence as one rotation for every position."""

import math

import numpy as np
import pytest

from explorer.exhibits.positions.counters import angles, binary, rotated, rotation, rotation_matrix, turned
from tests.transformer_core.helpers import config
from transformer_core import sinusoidal_encoding


@pytest.mark.teaches(point="D3")
@pytest.mark.parametrize(("d_model", "base"), [(6, 10_000), (22, 100), (7, 10_000), (66, 30)])
def test_angles_are_the_outer_product_of_positions_and_frequencies(d_model, base):
    found = angles(config(d_model=d_model, n_heads=1), base)
    pairs = range(math.ceil(d_model / 2))[:16]
    expected = np.array([[p * math.exp(-2 * i * math.log(base) / d_model) for i in pairs] for p in range(16)])
    np.testing.assert_allclose(found, expected, rtol=1e-12)
    table = sinusoidal_encoding(16, d_model, base).numpy()[:, :32]
    np.testing.assert_allclose(table[:, 0::2], np.sin(found), atol=1e-7)
    np.testing.assert_allclose(table[:, 1::2], np.cos(found)[:, : d_model // 2], atol=1e-7)


@pytest.mark.teaches(point="D2")
@pytest.mark.parametrize(("d_model", "k", "base"), [(20, 1, 10_000), (66, 13, 100), (8, 0, 10_000), (7, 5, 10_000)])
def test_one_rotation_takes_every_position_k_places_on(d_model, k, base):
    even, cfg = d_model // 2 * 2, config(d_model=d_model, n_heads=1)
    here, moved, there = rotated(cfg, base, k)
    table = sinusoidal_encoding(100 + k, d_model, base).numpy()[:, :even]
    np.testing.assert_array_equal(here, table[:100])
    np.testing.assert_array_equal(there, table[k:])
    matrix = rotation_matrix(d_model, k, base)
    for p in (0, 7, 99):
        np.testing.assert_allclose(moved[p], matrix @ table[p], atol=1e-12)
    np.testing.assert_allclose(moved, there, atol=3e-7)
    np.testing.assert_array_equal(rotation(cfg, base, k, 4), matrix[:4, :4])
    np.testing.assert_array_equal(turned(cfg, base, k, 6), np.stack([here, moved, there])[:, :12, :6])


@pytest.mark.teaches(point="D2")
def test_the_matrix_is_a_rotation_in_blocks_of_two():
    matrix = rotation_matrix(10, 3, 50)
    np.testing.assert_allclose(matrix @ matrix.T, np.eye(10), atol=1e-12)
    blocks = np.kron(np.eye(5), np.ones((2, 2)))
    assert not matrix[blocks == 0].any()
    for i in range(5):
        angle = 3 * 50.0 ** (-2 * i / 10)
        expected = [[math.cos(angle), math.sin(angle)], [-math.sin(angle), math.cos(angle)]]
        np.testing.assert_allclose(matrix[2 * i : 2 * i + 2, 2 * i : 2 * i + 2], expected)
    np.testing.assert_allclose(rotation_matrix(10, 2, 50) @ rotation_matrix(10, 3, 50), rotation_matrix(10, 5, 50))


@pytest.mark.teaches(point="D2")
def test_another_k_is_another_rotation():
    here, _moved, there = rotated(config(d_model=12), 10_000, 4)
    assert np.abs(here @ rotation_matrix(12, 5, 10_000).T - there).max() > 0.5


@pytest.mark.teaches(point="D2")
def test_binary_digits_count():
    digits = binary()
    assert (digits @ [1, 2, 4, 8] == np.arange(16)).all()
    assert ((digits == 0) | (digits == 1)).all()
