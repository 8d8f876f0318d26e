"""Pins: the spread of initial weights against Xavier's rule worked out here, and that learning moves beyond it."""

import math

import numpy as np
import pytest
import torch

from tests.transformer_core.helpers import config, generator
from transformer_core import Transformer
from transformer_core.analysis.initial_weights import matrix_names, weight_spread

pytestmark = pytest.mark.teaches(point="A13")

LEARNED, TIED = {"score": "additive", "position": "learned"}, {"tie_embeddings": "all", "tgt_vocab": 19}


@pytest.mark.parametrize("changes", [{}, LEARNED, TIED])
def test_every_matrix_is_drawn_evenly_up_to_its_bound(changes):
    cfg = config(d_ff=50, **changes)
    model = Transformer(cfg, generator(3))
    names = matrix_names(cfg)
    assert names == [name for name, parameter in model.named_parameters() if parameter.ndim > 1]
    for name in names:
        found = weight_spread(model, name)
        out, into = model.get_parameter(name).shape
        assert found.shape == (out, into) and found.bound == pytest.approx(math.sqrt(6 / (out + into)))
        assert 0.95 * found.bound < found.largest <= found.bound * (1 + 1e-6)
        assert found.deviation == pytest.approx(found.bound / math.sqrt(3), rel=0.06)
        x = torch.randn(2000, into, generator=generator(5))
        longer = (x @ model.get_parameter(name).detach().T).norm() / x.norm()
        assert found.gain == pytest.approx(float(longer), rel=0.05)
        assert out != into or found.gain == pytest.approx(1, abs=0.1)
        halves = found.shares(np.array([-found.bound, 0, found.bound]) * (1 + 1e-6))
        assert halves.sum() == pytest.approx(1) and abs(halves[0] - 0.5) < 0.06


def test_the_padding_row_is_left_out_and_what_is_beyond_the_ends_is_in_no_bin():
    cfg = config()
    model = Transformer(cfg, generator(3))
    found = weight_spread(model, "src_embedding.table.weight")
    assert found.weights.size == 18 * 66 and not (found.weights == 0).any()
    with torch.no_grad():
        model.src_embedding.table.weight[4:6] += 9
    later = weight_spread(model, "src_embedding.table.weight")
    assert later.largest > 8 and later.shares(np.array([-1.0, 1.0])) == pytest.approx(16 / 18)
