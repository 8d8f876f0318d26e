"""Pins: a padded batch against loops, against torch's own padding, and what the filler does under each mask."""

import numpy as np
import pytest
import torch
from torch.nn.utils.rnn import pad_sequence

from tests.transformer_core.helpers import config, perturbed_model
from transformer_core.analysis.padding import make_batch, padding_leak

pytestmark = pytest.mark.teaches(point="E4")

SOURCES = [[5, 9, 4], [7, 3, 8, 6, 5, 4, 9], [6]]
TARGETS = [[4, 5], [8, 3, 9, 7], [5, 6, 4]]


def test_a_batch_is_padded_shifted_and_masked():
    batch = make_batch(SOURCES, TARGETS, start=1, end=2, pad_id=0)
    padded = [
        pad_sequence([torch.tensor(x) for x in rows], batch_first=True).tolist()
        for rows in (SOURCES, [[1, *t] for t in TARGETS], [[*t, 2] for t in TARGETS])
    ]
    assert [batch.src.tolist(), batch.tgt.tolist(), batch.label.tolist()] == padded
    assert (batch.src_mask.shape, batch.tgt_mask.shape) == ((3, 1, 1, 7), (3, 1, 5, 5))
    assert batch.src_mask.dtype == batch.tgt_mask.dtype == np.bool_
    assert batch.n_tokens == sum(len(t) + 1 for t in TARGETS) == 12


def test_without_an_end_token_the_last_word_is_only_predicted():
    batch = make_batch([[4, 5]], [[4, 5, 6]], start=1, end=None, pad_id=0)
    assert (batch.tgt.tolist(), batch.label.tolist(), batch.n_tokens) == ([[1, 4, 5]], [[4, 5, 6]], 3)


def test_the_masks_are_those_of_the_model():
    cfg = config(pad_id=3)
    sources, targets = [[5, 9, 4], [7, 8, 6, 5]], [[4, 5], [8, 9, 7]]
    batch = make_batch(sources, targets, start=1, end=2, pad_id=3)
    model = perturbed_model(cfg)
    np.testing.assert_array_equal(batch.src_mask, model.src_mask(torch.from_numpy(batch.src)).numpy())
    np.testing.assert_array_equal(batch.tgt_mask, model.tgt_mask(torch.from_numpy(batch.tgt)).numpy())
    assert batch.src[0, 3] == 3 and batch.n_tokens == 7


@pytest.mark.parametrize(("sources", "targets"), [([], []), ([[1]], []), ([[1], []], [[1], [2]]), ([[1]], [[]])])
def test_what_is_no_batch_is_refused(sources, targets):
    with pytest.raises(ValueError):
        make_batch(sources, targets, 1, 2, 0)


@pytest.mark.parametrize("norm", ["pre", "post"])
@pytest.mark.parametrize("longest", [7, 21])  # short rows and the fused kernel
def test_only_closed_columns_keep_the_filler_out(norm, longest):
    cfg = config(norm=norm)
    words = np.random.default_rng(0).integers(1, 19, longest).tolist()
    src = make_batch([words, words[:4]], [[4], [5]], 1, 2, 0).src
    found = padding_leak(perturbed_model(cfg), src, seed=1)
    real = src != 0
    assert real.sum() == longest + 4
    assert found.columns[real].max() == 0
    assert found.rows[1, :4].min() > 1e-3, "closed rows still let the real words see the filler"
    assert found.nothing[1, :4].min() > 1e-3
    assert found.nothing[0].max() == 0, "a sentence without filler has nothing to notice"
    assert found.columns[1, 4:].min() > 0.1, "the filler's own rows change: they are computed, and nobody reads them"
