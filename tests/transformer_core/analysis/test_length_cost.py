"""Pins: what whole layers of three kinds multiply, against torch's counter; and that measuring runs them, not their time."""

import numpy as np
import pytest
import torch
from torch import nn
from torch.utils.flop_counter import FlopCounterMode

from transformer_core.analysis.length_cost import measure_layers, multiplications

pytestmark = pytest.mark.teaches(point="C1")


@pytest.mark.parametrize(("n", "d"), [(9, 88), (13, 24)])
def test_with_all_its_matrices_a_layer_multiplies_as_often_as_torch_counts(n, d):
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


def test_a_whole_layer_of_self_attention_takes_more_than_a_recurrent_one_at_every_length():
    def ratio(n, d):
        found = multiplications(n, d, 3)
        return found["self-attention"] / found["recurrent"]

    assert ratio(9, 88) == pytest.approx(2.1, abs=0.01) and ratio(88, 88) == 3
    assert all(ratio(n, 64) > 2 for n in (1, 10, 63))


def test_measuring_runs_every_layer_and_leaves_the_shared_generator_alone():
    state = torch.random.get_rng_state()
    found = measure_layers((3, 11), d_model=12, n_heads=3, kernel=3, repeats=1)
    assert torch.equal(state, torch.random.get_rng_state())
    assert found.lengths == (3, 11) and found.threads == torch.get_num_threads()
    assert list(found.milliseconds) == ["self-attention", "recurrent (RNN)", "recurrent (GRU)", "convolution"]
    assert all(times.shape == (2,) and np.isfinite(times).all() and (times > 0).all() for times in found.milliseconds.values())
