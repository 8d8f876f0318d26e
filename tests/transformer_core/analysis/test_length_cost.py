"""Pins: operations, steps in series and paths of three kinds of layers, by hand and against torch's counter; not their time."""

import math

import numpy as np
import pytest
import torch
from torch import nn
from torch.utils.flop_counter import FlopCounterMode

from transformer_core.analysis.length_cost import crossovers, layer_costs, measure_layers, multiplications


def test_c1_operations_steps_and_paths_are_those_of_table_1():
    costs = layer_costs([1, 7, 30], d_model=22, kernel=3)
    assert costs["self-attention"].operations.tolist() == [22, 49 * 22, 900 * 22]
    assert costs["recurrent"].operations.tolist() == [484, 7 * 484, 30 * 484]
    assert costs["convolution"].operations.tolist() == [3 * 484, 3 * 7 * 484, 3 * 30 * 484]
    assert [costs[name].sequential.tolist() for name in costs] == [[1] * 3, [1, 7, 30], [1] * 3]
    assert [costs[name].path.tolist() for name in costs] == [[1] * 3, [1, 7, 30], [1, 2, 4]]


@pytest.mark.parametrize("kernel", [2, 3, 5])
def test_c1_a_signal_crosses_so_many_dilated_convolutions(kernel):
    lengths = range(1, 140)
    for n, path in zip(lengths, layer_costs(lengths, 8, kernel)["convolution"].path, strict=True):
        assert kernel**path >= n and (path == 1 or kernel ** (path - 1) < n)
        assert path == max(1, math.ceil(math.log(n, kernel) - 1e-9))


@pytest.mark.parametrize(("d_model", "kernel"), [(22, 3), (512, 5)])
def test_c1_the_curves_cross_where_it_says(d_model, kernel):
    meet = crossovers(d_model, kernel)
    assert meet["recurrent"] == d_model
    for name, n in meet.items():
        below, at, above = (layer_costs([m], d_model, kernel) for m in (n - 1, n, n + 1))
        assert at["self-attention"].operations == at[name].operations
        assert below["self-attention"].operations < below[name].operations
        assert above["self-attention"].operations > above[name].operations


def test_c1_the_convolution_s_formula_is_half_of_torch_s_count():
    with FlopCounterMode(display=False) as counter, torch.no_grad():
        nn.Conv1d(22, 22, 3, padding=1, device="meta")(torch.empty(1, 22, 13, device="meta"))
    assert counter.get_total_flops() == 2 * layer_costs([13], 22, 3)["convolution"].operations[0]


@pytest.mark.parametrize(("n", "d"), [(9, 88), (13, 24)])
def test_c1_with_all_its_matrices_a_layer_multiplies_as_often_as_torch_counts(n, d):
    """Torch counts two operations for each multiplication."""
    x = torch.empty(1, n, d, device="meta")
    layers = {
        "self-attention": lambda: nn.MultiheadAttention(d, 1, batch_first=True, device="meta")(x, x, x),
        "recurrent": lambda: [nn.RNNCell(d, d, device="meta")(x[:, i], x[:, i]) for i in range(n)],
        "convolution": lambda: nn.Conv1d(d, d, 3, padding=1, device="meta")(x.mT),
    }
    for name, run in layers.items():
        with FlopCounterMode(display=False) as counter, torch.no_grad():
            run()
        assert counter.get_total_flops() == 2 * multiplications(n, d, 3)[name], name


def test_c1_a_whole_layer_of_self_attention_takes_more_than_a_recurrent_one_at_every_length():
    def ratio(n, d):
        found = multiplications(n, d, 3)
        return found["self-attention"] / found["recurrent"]

    assert ratio(9, 88) == pytest.approx(2.1, abs=0.01) and ratio(88, 88) == 3
    assert all(ratio(n, 64) > 2 for n in (1, 10, 63))


def test_c1_a_kernel_of_one_joins_nothing():
    with pytest.raises(ValueError, match="not 1"):
        layer_costs([4], 8, 1)


def test_c1_measuring_runs_every_layer_and_leaves_the_shared_generator_alone():
    state = torch.random.get_rng_state()
    found = measure_layers((3, 11), d_model=12, n_heads=3, kernel=3, repeats=1)
    assert torch.equal(state, torch.random.get_rng_state())
    assert found.lengths == (3, 11) and found.threads == torch.get_num_threads()
    assert list(found.milliseconds) == ["self-attention", "recurrent (RNN)", "recurrent (GRU)", "convolution"]
    assert all(times.shape == (2,) and np.isfinite(times).all() and (times > 0).all() for times in found.milliseconds.values())
