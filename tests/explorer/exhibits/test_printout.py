"""Pins the numbers that lecture notes print, against the model and against what each of them must be."""

import numpy as np
import pytest
import torch

from explorer.exhibits.shapes.printout import printed_blocked, printed_dropped, printed_embedded, printed_weights
from tests.transformer_core.helpers import config, generator
from transformer_core.model.trace import Trace
from transformer_core.model.transformer import Transformer


@pytest.mark.teaches(point="B1")
@pytest.mark.parametrize("length", [4, 9])
def test_a_mask_of_zeros_gives_equal_weights_and_dropout_makes_some_of_them_zero(length):
    chosen = 2, length, 66, 0.2, 3
    embedded = printed_embedded(config(), 2, length, 66, 0.0, 3)
    even = printed_blocked(*chosen)
    assert embedded.shape == printed_embedded(config(), *chosen).shape == (length, 66)
    weights = printed_weights(config(), *chosen)
    assert weights.shape == even.shape == (length, length)
    np.testing.assert_allclose(even, np.full((length, length), 1 / length), rtol=1e-6)
    np.testing.assert_allclose(weights.sum(axis=1), 1, rtol=1e-5)
    assert np.abs(weights - 1 / length).max() > 1e-3, "without that mask they are not equal"
    for before, after in ((embedded, printed_embedded(config(), *chosen)), (even, printed_dropped(*chosen))):
        fallen = after == 0
        assert 0 < fallen.sum() < fallen.size
        np.testing.assert_allclose(after[~fallen], before[~fallen] / 0.8, rtol=1e-5)


def test_they_are_those_of_an_encoder_of_the_chosen_sizes():
    cfg, luck = config(d_model=24, n_heads=4, d_ff=96, n_layers=1, max_len=7, tgt_max_len=None), generator(0)
    model = Transformer(cfg, luck).eval()
    ids = torch.randint(1, cfg.src_vocab, (3, 7), generator=luck)
    with torch.inference_mode(), Trace() as trace:
        model.encode(ids)
    weights = printed_weights(config(), 3, 7, 24, 0.1, 4)
    np.testing.assert_allclose(weights, trace["encoder.0.self_attn.weights"][0, 0], rtol=1e-5)
    embedded = printed_embedded(config(), 3, 7, 24, 0.0, 4)
    np.testing.assert_allclose(embedded, trace["encoder.embedding.sum"][0], rtol=1e-5)
