"""Pins operations, sequential steps and paths of three kinds of layers: by hand, and against torch's counter."""

import numpy as np
import pytest
import torch
from torch import nn
from torch.utils.flop_counter import FlopCounterMode

from explorer.exhibits.shapes.cost_and_length import LENGTHS, operations, operations_of, path, path_of, sequential, steps_of
from tests.transformer_core.helpers import config


@pytest.mark.teaches(point="C1")
def test_operations_steps_and_paths_are_those_of_table_1():
    n = np.array([1, 7, 30])
    attention, recurrent, convolution = operations_of(n, d=22, kernel=3).tolist()
    assert attention == [22, 49 * 22, 900 * 22]
    assert recurrent == [484, 7 * 484, 30 * 484]
    assert convolution == [3 * 484, 3 * 7 * 484, 3 * 30 * 484]
    assert steps_of(n).tolist() == [[1] * 3, [1, 7, 30], [1] * 3]
    assert path_of(n, kernel=3).tolist() == [[1] * 3, [1, 7, 30], [1, 2, 4]]


def test_what_is_drawn_are_those_of_the_lengths_on_its_axis():
    n = np.array(LENGTHS)
    np.testing.assert_array_equal(operations(config(), 5), operations_of(n, 66, 5))
    np.testing.assert_array_equal(sequential(5), steps_of(n))
    np.testing.assert_array_equal(path(5), path_of(n, 5))


@pytest.mark.teaches(point="C1")
@pytest.mark.parametrize("kernel", range(3, 16))
def test_a_signal_crosses_so_many_dilated_convolutions(kernel):
    lengths = np.array([*range(1, 140), *LENGTHS, *(kernel**i for i in range(1, 6)), *(kernel**i + 1 for i in range(1, 6))])
    for n, layers in zip(lengths.tolist(), path_of(lengths, kernel)[2].tolist(), strict=True):
        assert layers >= 1 and kernel**layers >= n and (layers == 1 or kernel ** (layers - 1) < n)


@pytest.mark.teaches(point="C1")
@pytest.mark.parametrize(("d", "kernel"), [(22, 3), (512, 5)])
def test_the_curves_cross_where_it_says(d, kernel):
    for other, n in ((1, d), (2, kernel * d)):
        costs = operations_of(np.array([n - 1, n, n + 1]), d, kernel)
        assert np.sign(costs[0] - costs[other]).tolist() == [-1, 0, 1]


@pytest.mark.teaches(point="C1")
def test_the_convolution_s_formula_is_half_of_torch_s_count():
    with FlopCounterMode(display=False) as counter, torch.no_grad():
        nn.Conv1d(22, 22, 3, padding=1, device="meta")(torch.empty(1, 22, 13, device="meta"))
    assert counter.get_total_flops() == 2 * operations_of(np.array([13]), 22, 3)[2, 0]
